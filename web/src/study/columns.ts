// Lists for choosing columns of a study.
import { h } from "../app/dom";
import { titleOf, type Column } from "./runs";

export class ColumnChoice {
  readonly label: HTMLLabelElement;
  private readonly select = h("select");
  private columns: Column[] = [];

  /** `none`: the label of the choice of no column, if there is one. */
  constructor(
    label: string,
    onChange: () => void,
    private readonly none?: string,
  ) {
    this.label = h("label", {}, h("span", {}, label), this.select);
    this.select.addEventListener("change", onChange);
  }

  /** Lists the columns. Keeps the chosen one if it exists, else chooses number `preset`. */
  offer(columns: Column[], preset: number): void {
    const same = columns.length === this.columns.length && columns.every((column, i) => column === this.columns[i]);
    if (same) return;
    const before = this.column;
    this.columns = columns;
    const none = this.none === undefined ? [] : [h("option", { value: "-1" }, this.none)];
    const options = columns.map((column, i) => h("option", { value: String(i) }, titleOf(column)));
    this.select.replaceChildren(...none, ...options);
    const kept = before ? columns.indexOf(before) : -1;
    this.select.value = String(kept >= 0 ? kept : Math.min(preset, columns.length - 1));
  }

  get column(): Column | undefined {
    return this.columns[Number(this.select.value || -1)];
  }
}
