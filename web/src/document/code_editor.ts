// The CodeMirror editor, with a mark at each validation error. It is loaded when the user opens the text (editor.ts).
import { defaultKeymap, history, historyKeymap, isolateHistory, redo, undo } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentRange,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, type ChangeSet, EditorState, type Extension, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { modelSchema } from "../app/api";
import { modelHelp } from "./completion";
import type { Mark } from "./editor";
import type { Change, Place } from "./pointer";


const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null], color: "var(--code-word)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--text)", backgroundColor: "var(--field)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "& .cm-selectionBackground.cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 22%, transparent)",
  },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--text)", border: "1px solid var(--line)" },
  ".formula": { maxWidth: "min(40rem, 90vw)", maxHeight: "50vh", overflow: "auto", padding: "6px 10px" },
  ".formula math": { fontSize: "1.1rem", "math-style": "normal" },
  ".formula .derivative": { marginTop: "8px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});

/** Indents all lines by their braces; changes nothing else in the text. */
function format({ state, dispatch }: EditorView): boolean {
  dispatch({ changes: indentRange(state, 0, state.doc.length) });
  return true;
}

/** Marks a change by the page rather than by the user. */
const opening = Annotation.define<boolean>();
/** Marks a change without a call of `onChange`, because another change follows. */
const unseen = Annotation.define<boolean>();

export class CodeEditor {
  private readonly view: EditorView;
  private readonly extensions: Extension;
  /** The change that undoes all transient changes since the last permanent one. */
  private passed: ChangeSet | undefined;

  /** Creates the editor in `host`. Calls `onChange` after every change of the text; `edited` is true for edits by
   * the user. */
  constructor(host: HTMLElement, label: string, onChange: (edited: boolean) => void) {
    this.extensions = [
      lineNumbers(),
      foldGutter(),
      history(),
      bracketMatching(),
      indentOnInput(),
      indentUnit.of("  "),
      highlightActiveLine(),
      drawSelection(),
      EditorView.lineWrapping,
      json(),
      lintGutter(),
      search({ top: true }),
      modelHelp(modelSchema),
      syntaxHighlighting(colours),
      theme,
      // The page handles Ctrl+Enter; the default action would insert a line.
      keymap.of([{ key: "Mod-Enter", run: () => true }]),
      keymap.of([{ key: "Shift-Alt-f", run: format }]),
      keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, ...searchKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged || update.transactions.some((transaction) => transaction.annotation(unseen))) return;
        onChange(!update.transactions.some((transaction) => transaction.annotation(opening)));
      }),
    ];
    // CodeMirror uses constructed style sheets in a shadow root, which a Content-Security-Policy without inline styles
    // allows. Elsewhere it would add <style> elements.
    const root = host.attachShadow({ mode: "open" });
    this.view = new EditorView({ parent: root, root, state: this.stateOf("") });
  }

  /** Changes parts of the text. A transient change (`stays` is false) has no undo step. A permanent change becomes
   * one undo step together with the transient changes before it. */
  change(changes: Change[], stays: boolean): void {
    const { state } = this.view;
    const change = state.changes(changes);
    const before = this.passed ?? state.changes();
    const back = change.invert(state.doc).compose(before);
    this.passed = stays ? undefined : back;
    if (!stays) {
      this.view.dispatch({ changes: change, annotations: Transaction.addToHistory.of(false) });
      return;
    }
    // Restores the text before the transient changes without calling `onChange`, then applies all of them as one
    // change.
    const whole = back.invert(change.apply(state.doc));
    this.view.dispatch({ changes: before, annotations: [Transaction.addToHistory.of(false), unseen.of(true)] });
    this.view.dispatch({ changes: whole, annotations: isolateHistory.of("full") });
  }

  private stateOf(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.extensions });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Replaces the text as one change, which the user can undo. In an empty editor the new text has no undo history. */
  open(text: string): void {
    const { state } = this.view;
    this.passed = undefined;
    if (state.doc.length === 0) {
      this.view.setState(this.stateOf(text));
      return;
    }
    this.mark([]);
    this.view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: [isolateHistory.of("full"), opening.of(true)],
      effects: EditorView.scrollIntoView(0),
    });
  }

  /** Replaces a part of the text as one change, which the user can undo. */
  replace({ from, to }: Place, insert: string): void {
    this.view.dispatch({ changes: { from, to, insert }, annotations: isolateHistory.of("full") });
  }

  /** Undoes the last change (-1), or redoes the last undone change (1). */
  step(direction: -1 | 1): void {
    (direction < 0 ? undo : redo)(this.view);
  }

  /** Replaces the error marks. With `scroll`, scrolls to the first one; callers omit that while the user types. */
  mark(marks: Mark[], scroll = true): void {
    const length = this.view.state.doc.length;
    const diagnostics = marks.map(
      ({ from, to, detail }): Diagnostic => ({
        from: Math.min(from, length),
        to: Math.min(to, length),
        severity: "error",
        message: detail,
      }),
    );
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
    const [first] = diagnostics;
    if (first && scroll) this.view.dispatch({ effects: EditorView.scrollIntoView(first.from, { y: "center" }) });
  }

  /** Selects a range and scrolls the editor to it, but not the page. */
  select(place: Place): void {
    const length = this.view.state.doc.length;
    const anchor = Math.min(place.from, length);
    const head = Math.min(place.to, length);
    this.view.dispatch({ selection: { anchor, head } });
    const { scrollDOM } = this.view;
    const { top, bottom } = this.view.lineBlockAt(anchor);
    const seen = top >= scrollDOM.scrollTop && bottom <= scrollDOM.scrollTop + scrollDOM.clientHeight;
    if (!seen) scrollDOM.scrollTop = top - scrollDOM.clientHeight / 3;
  }

  /** Scrolls to the selection: select() has no effect on the scroll position while the editor is hidden. */
  showCursor(): void {
    this.view.dispatch({ effects: EditorView.scrollIntoView(this.view.state.selection.main.anchor, { y: "nearest" }) });
  }

  focus(): void {
    this.view.focus();
  }
}
