// The ranges of all columns as number fields, as an alternative to dragging: from, to, and a logarithmic scale.
import { h } from "../app/dom";
import { studyTexts } from "../app/texts";
import type { StudySelection } from "./study_selection";
import { titleOf, type Column } from "./runs";
import { canBeLog } from "./scales";

interface Row {
  column: Column;
  from: HTMLInputElement;
  to: HTMLInputElement;
  log: HTMLInputElement;
  row: HTMLTableRowElement;
}

/** Significant digits in a field. */
const DIGITS = 6;

export class Ranges {
  readonly details: HTMLDetailsElement;
  private readonly body = h("tbody");
  private rows: Row[] = [];

  constructor(private readonly selection: StudySelection) {
    const axis = h("span", { className: "hidden" }, studyTexts.axis);
    const heads = [axis, studyTexts.from, studyTexts.to, studyTexts.log].map((text) => h("th", { scope: "col" }, text));
    const table = h("table", {}, h("thead", {}, h("tr", {}, ...heads)), this.body);
    this.details = h("details", { className: "study-ranges" }, h("summary", {}, studyTexts.ranges), table);
    selection.onChange(() => this.show());
  }

  private make(column: Column): Row {
    const title = titleOf(column);
    const field = (what: string): HTMLInputElement => {
      const input = h("input", { type: "number", step: "any" });
      input.setAttribute("aria-label", `${title}, ${what}`);
      return input;
    };
    const [from, to] = [field("from"), field("to")];
    const log = h("input", { type: "checkbox" });
    log.setAttribute("aria-label", `${title}, logarithmic`);
    const brush = (): void => {
      const low = from.value === "" ? -Infinity : Number(from.value);
      const high = to.value === "" ? Infinity : Number(to.value);
      this.selection.brush(column, low === -Infinity && high === Infinity ? undefined : [low, high]);
    };
    from.addEventListener("change", brush);
    to.addEventListener("change", brush);
    log.addEventListener("change", () => this.selection.scale(column, log.checked));
    const cells = [from, to].map((input) => h("td", {}, input));
    const row = h("tr", {}, h("th", { scope: "row" }, title), ...cells, h("td", {}, h("label", {}, log)));
    return { column, from, to, log, row };
  }

  private show(): void {
    const { columns } = this.selection.runs;
    if (columns.some((column, i) => column !== this.rows[i]?.column)) {
      this.rows = columns.map((column) => this.make(column));
      this.body.replaceChildren(...this.rows.map(({ row }) => row));
    }
    const text = (value: number | undefined): string =>
      value === undefined || !Number.isFinite(value) ? "" : String(Number(value.toPrecision(DIGITS)));
    for (const { column, from, to, log } of this.rows) {
      const range = this.selection.ranges.get(column);
      [from, to].forEach((input, i) => {
        input.placeholder = text(column.range[i]);
        if (document.activeElement !== input) input.value = text(range?.[i]);
      });
      log.checked = column.log;
      log.disabled = !canBeLog(column);
    }
  }
}
