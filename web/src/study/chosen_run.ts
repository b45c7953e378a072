// The chosen run of a study: its parameters and outputs, or its failure, with links to its motion and document.
import { getRun, type StudyRun } from "../app/api";
import { h } from "../app/dom";
import { errorText, formatNumber, words } from "../app/format";
import { studyTexts } from "../app/texts";
import type { StudySelection } from "./study_selection";
import { runButton } from "./report";
import { titleOf } from "./runs";

const DIGITS = 6;
/** Delay before a run is shown, so that stepping through runs does not load each of them [ms]. */
const TYPING_PAUSE_MS = 120;

export interface RunActions {
  /** Writes a run's parameters into the document and shows the motion. Returns false if the document is of another
   * model. */
  show(parameters: Record<string, number>): boolean;
}

export class ChosenRun {
  /** The number of the run, buttons for other runs, and the link to its document. */
  readonly tools = h("div", { className: "tools" });
  readonly element = h("div", { className: "study-chosen" });
  private readonly number = h("input", { type: "number", min: "0", step: "1" });
  private readonly facts = h("dl");
  private readonly note = h("p");
  private readonly links = h("span", { className: "group" });
  private timer = 0;

  constructor(
    private readonly selection: StudySelection,
    private readonly actions: RunActions,
  ) {
    const step = (direction: -1 | 1, text: string, label: string): HTMLButtonElement => {
      const button = h("button", { type: "button" }, text);
      button.setAttribute("aria-label", label);
      button.addEventListener("click", () => this.step(direction));
      return button;
    };
    this.number.addEventListener("change", () => this.choose(Number(this.number.value)));
    const label = h("label", {}, h("span", {}, studyTexts.run), this.number);
    const steps = [step(-1, "‹", studyTexts.previous), step(1, "›", studyTexts.following)];
    this.note.setAttribute("role", "status");
    this.note.append(h("span", { className: "faint" }, studyTexts.choose));
    this.tools.append(label, h("span", { className: "group" }, ...steps), this.links);
    this.element.append(this.facts, this.note);
    selection.onChange((change) => {
      if (change === "chosen") this.show();
    });
  }

  /** Chooses the next or previous selected run. */
  step(direction: -1 | 1): void {
    const row = this.selection.neighbour(direction);
    if (row !== undefined) this.selection.choose(row);
  }

  private choose(number: number): void {
    const { runs } = this.selection;
    if (this.number.value === "" || !Number.isInteger(number) || number < 0 || runs.count === 0) return;
    const row = runs.row(number);
    if (runs.made(row)) this.selection.choose(row);
    else this.note.replaceChildren(studyTexts.notMade(number));
  }

  private show(): void {
    const { runs, chosen: row } = this.selection;
    if (row === undefined) return;
    const number = runs.number(row);
    this.number.value = String(number);
    const facts = runs.columns.map((column) => {
      const value = column.values[row] as number;
      const text = Number.isFinite(value) ? formatNumber(value, DIGITS) : "–";
      return h("div", { className: column.kind }, h("dt", {}, titleOf(column)), h("dd", {}, text));
    });
    this.facts.replaceChildren(...facts);
    this.links.replaceChildren(runButton(runs.id, number, studyTexts.open));
    this.note.replaceChildren(...(runs.failed(row) ? [h("span", { className: "bad" }, studyTexts.failed)] : []));
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.play(number), TYPING_PAUSE_MS);
  }

  /** Reads the exact parameters of the run and shows its motion. */
  private async play(number: number): Promise<void> {
    const { runs } = this.selection;
    const isChosen = (): boolean => this.selection.chosen !== undefined && runs.number(this.selection.chosen) === number;
    try {
      const run = await getRun(runs.id, number);
      if (!isChosen()) return;
      const shown = this.actions.show(run.parameters);
      this.note.replaceChildren(...failureOf(run));
      const other = studyTexts.otherModel;
      if (!shown) this.note.append(h("span", { className: "faint" }, other));
    } catch (error) {
      if (isChosen()) this.note.replaceChildren(h("span", { className: "bad" }, errorText(error)));
    }
  }
}

function failureOf({ run, status, failure }: StudyRun): (Node | string)[] {
  if (status <= 0) return [];
  if (!failure) return [h("span", { className: "bad" }, studyTexts.failed)];
  const code = h("a", { href: `docs/failures.html#${failure.code}`, target: "_blank" }, words(failure.code));
  // The study stores only the first message of each kind of failure.
  const whose = failure.first === run ? "" : studyTexts.firstFailed(failure.first);
  return [h("span", { className: "bad" }, studyTexts.failure), code, ` ${failure.detail}${whose} `];
}
