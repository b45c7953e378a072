// The document's text and its editor. The text is there from the start; CodeMirror, which is most of the page, comes
// when the text is looked at, and is told then what happened before.
import { errorText } from "../app/format";
import type { CodeEditor } from "./code_editor";
import { changed, type Change, type Place } from "./pointer";

/** A mistake with its place in the text. */
export interface Mark extends Place {
  detail: string;
}

export class Editor {
  private content = "";
  private code: CodeEditor | undefined;
  private loading: Promise<void> | undefined;
  /** What CodeMirror is to do when it is there. */
  private waiting: ((code: CodeEditor) => void)[] = [];
  /** Whether the user has changed the text since it was opened. */
  edited = false;

  /** Puts the editor into `host`; `onChange` is called after every edit by the user, `onGoTo` when the text is to be
   * seen. */
  constructor(
    private readonly host: HTMLElement,
    private readonly label: string,
    private readonly onChange: () => void,
    private readonly onGoTo: () => void,
  ) {}

  get text(): string {
    return this.code?.text ?? this.content;
  }

  /** The text is looked at: CodeMirror is brought onto the page, and its cursor into view. */
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

  /** Replaces the text as one change, which the user can undo; into an empty editor it comes without a history. */
  open(text: string): void {
    this.content = text;
    this.edited = false;
    this.do((code) => code.open(text));
  }

  /** Changes a part of the text, as one change that the user can undo. */
  replace(place: Place, insert: string): void {
    this.content = this.text.slice(0, place.from) + insert + this.text.slice(place.to);
    this.do((code) => code.replace(place, insert));
    if (!this.code) this.onEdit();
  }

  /** Changes parts of the text in passing, or, with all that passed before, as one change that the user can undo. */
  change(changes: Change[], stays: boolean): void {
    this.content = changed(this.text, changes);
    this.do((code) => code.change(changes, stays));
    if (!this.code) this.onEdit();
  }

  /** Marks the places of mistakes instead of the earlier ones, and scrolls to the first unless the user is typing. */
  mark(marks: Mark[], scroll = true): void {
    this.do((code) => code.mark(marks, scroll));
  }

  /** Selects a place of the text, which is scrolled into view. */
  select(place: Place): void {
    this.do((code) => code.select(place));
  }

  /** Puts the cursor to a place. */
  goTo(place: Place): void {
    this.select(place);
    this.onGoTo();
    this.do((code) => {
      code.showCursor();
      code.focus();
    });
  }

  /** Takes the last change back (-1), or makes what was taken back again (1). */
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
