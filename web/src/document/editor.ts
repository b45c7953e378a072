// The document's text and its editor. The text is available from the start. CodeMirror, most of the page's code, is
// loaded when the user opens the text; earlier changes are then applied to it.
import { errorText } from "../app/format";
import type { CodeEditor } from "./code_editor";
import { changed, type Change, type Place } from "./pointer";

/** A validation error with its range in the text. */
export interface Mark extends Place {
  detail: string;
}

export class Editor {
  private content = "";
  private code: CodeEditor | undefined;
  private loading: Promise<void> | undefined;
  /** Actions for CodeMirror that wait until it is loaded. */
  private waiting: ((code: CodeEditor) => void)[] = [];
  /** True if the user has changed the text since it was opened. */
  edited = false;

  /** Creates the editor in `host`. Calls `onChange` after every edit by the user, and `onGoTo` to make the editor
   * visible. */
  constructor(
    private readonly host: HTMLElement,
    private readonly label: string,
    private readonly onChange: () => void,
    private readonly onGoTo: () => void,
  ) {}

  get text(): string {
    return this.code?.text ?? this.content;
  }

  /** Loads CodeMirror if necessary and scrolls to its cursor. Called when the user opens the text. */
  async look(): Promise<void> {
    this.loading ??= this.start();
    try {
      await this.loading;
      this.code?.showCursor();
    } catch (error) {
      this.loading = undefined;
      this.host.title = errorText(error);
    }
  }

  /** Replaces the text as one change, which the user can undo. In an empty editor the new text has no undo history. */
  open(text: string): void {
    this.content = text;
    this.edited = false;
    this.do((code) => code.open(text));
  }

  /** Replaces a part of the text as one change, which the user can undo. */
  replace(place: Place, insert: string): void {
    this.content = this.text.slice(0, place.from) + insert + this.text.slice(place.to);
    this.do((code) => code.replace(place, insert));
    if (!this.code) this.onEdit();
  }

  /** Changes parts of the text. A transient change (`stays` is false) has no undo step. A permanent change becomes
   * one undo step together with the transient changes before it. */
  change(changes: Change[], stays: boolean): void {
    this.content = changed(this.text, changes);
    this.do((code) => code.change(changes, stays));
    if (!this.code) this.onEdit();
  }

  /** Replaces the error marks. With `scroll`, scrolls to the first one; callers omit that while the user types. */
  mark(marks: Mark[], scroll = true): void {
    this.do((code) => code.mark(marks, scroll));
  }

  /** Selects a range of the text and scrolls to it. */
  select(place: Place): void {
    this.do((code) => code.select(place));
  }

  /** Shows the editor with the cursor at a range. */
  goTo(place: Place): void {
    this.select(place);
    this.onGoTo();
    this.do((code) => {
      code.showCursor();
      code.focus();
    });
  }

  /** Undoes the last change (-1), or redoes the last undone change (1). */
  async step(direction: -1 | 1): Promise<void> {
    await this.look();
    this.code?.step(direction);
  }

  private do(action: (code: CodeEditor) => void): void {
    if (this.code) action(this.code);
    else this.waiting.push(action);
  }

  private onEdit(): void {
    this.edited = true;
    this.onChange();
  }

  private async start(): Promise<void> {
    const { CodeEditor } = await import("./code_editor");
    const code = new CodeEditor(this.host, this.label, (edited) => {
      if (this.code && edited) this.onEdit();
    });
    for (const action of this.waiting) action(code);
    this.waiting = [];
    this.code = code;
  }
}
