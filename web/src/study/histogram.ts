// The histogram of an output or a parameter: of all runs, and in front of it of the selected runs.
import { bin, range as steps } from "d3-array";
import { scaleLinear } from "d3-scale";
import { cssColour, h } from "../app/dom";
import { studyTexts } from "../app/texts";
import type { StudySelection } from "./study_selection";
import { ColumnChoice } from "./columns";
import { axisOf, drawFrame, EDGE } from "./frame";
import type { Column } from "./runs";
import { scaleOf, type Scale } from "./scales";
import { FittedCanvas } from "./fitted_canvas";

const BINS = 20;
const BINS_MOST = 200;

interface Bin {
  from: number;
  to: number;
  all: number;
  selected: number;
}

export class Histogram {
  private readonly sheet: FittedCanvas;
  private readonly box = h("div", { className: "diagram" });
  private readonly of = new ColumnChoice("of", () => this.draw());
  private readonly bins = h("input", { type: "number", min: "1", max: String(BINS_MOST), value: String(BINS) });
  private readonly note = h("p", { className: "faint" });
  private scale: Scale | undefined;
  private shown: Bin[] = [];
  private frameRequest = 0;

  constructor(
    host: HTMLElement,
    private readonly selection: StudySelection,
  ) {
    const bins = h("label", {}, h("span", {}, studyTexts.bins), this.bins);
    this.box.setAttribute("role", "img");
    host.append(h("div", { className: "tools" }, this.of.label, bins), this.box, this.note);
    this.sheet = new FittedCanvas(this.box);
    this.bins.addEventListener("input", () => this.draw());
    this.box.addEventListener("click", (event) => this.pick(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
    selection.onChange(() => {
      cancelAnimationFrame(this.frameRequest);
      this.frameRequest = requestAnimationFrame(() => this.draw());
    });
  }

  private draw(): void {
    const { sheet, selection } = this;
    this.of.offer([...selection.runs.outputs, ...selection.runs.parameters], 0);
    sheet.fit();
    const { column } = this.of;
    if (!column || sheet.width === 0) return;
    this.shown = this.count(column);
    const most = Math.max(1, ...this.shown.map(({ all }) => all));
    const across = scaleOf(column, EDGE.left, sheet.width - EDGE.right);
    const up = scaleLinear([0, most], [sheet.height - EDGE.bottom, EDGE.top]);
    this.scale = across;
    drawFrame(sheet, axisOf(column, across), { scale: up, title: "runs" });
    this.drawBars(across, up);
    this.drawChosen(column, across);
    this.updateNote(column);
  }

  /** Counts the values in bins of equal width, or of equal ratio on a logarithmic scale. */
  private count(column: Column): Bin[] {
    const { selection } = this;
    const number = Math.min(Math.max(Math.round(Number(this.bins.value)) || BINS, 1), BINS_MOST);
    const scale = scaleOf(column, 0, 1);
    const [least = 0, most = 1] = scale.domain();
    const inner = steps(1, number).map((i) => scale.invert(i / number));
    const rows = [...selection.mask.keys()].filter((row) => selection.runs.made(row) && Number.isFinite(column.values[row]));
    const binned = bin<number, number>()
      .value((row) => column.values[row] as number)
      .domain([least, most])
      .thresholds(inner)(rows);
    return binned.map((each) => ({
      from: each.x0 ?? least,
      to: each.x1 ?? most,
      all: each.length,
      selected: each.reduce((sum, row) => sum + (selection.mask[row] as number), 0),
    }));
  }

  private drawBars(across: Scale, up: Scale): void {
    const { context } = this.sheet;
    for (const { from, to, all, selected } of this.shown) {
      const [left, right] = [across(from) + 0.5, across(to) - 0.5];
      for (const [count, colour] of [[all, "--grid-zero"], [selected, "--accent"]] as const) {
        context.fillStyle = cssColour(colour);
        context.fillRect(left, up(count), Math.max(1, right - left), up(0) - up(count));
      }
    }
  }

  private drawChosen({ values }: Column, across: Scale): void {
    const value = values[this.selection.chosen ?? -1];
    if (value === undefined || !Number.isFinite(value)) return;
    const { context, height } = this.sheet;
    context.fillStyle = cssColour("--text");
    context.fillRect(across(value) - 1, EDGE.top, 2, height - EDGE.top - EDGE.bottom);
  }

  private updateNote(column: Column): void {
    const { runs, selected } = this.selection;
    const missing = column.values.reduce((sum, value, row) => sum + +(runs.failed(row) && !Number.isFinite(value)), 0);
    const most = this.shown.reduce((one, other) => (other.all > one.all ? other : one), { all: 0, from: NaN, to: NaN });
    const without = missing > 0 ? studyTexts.noValue(missing) : "";
    this.note.textContent = without;
    this.box.setAttribute("aria-label", studyTexts.histogramOf(column.name, selected, most, without));
  }

  /** Selects the runs of a bar. */
  private pick({ clientX }: MouseEvent): void {
    const { column } = this.of;
    if (!column || !this.scale) return;
    const value = this.scale.invert(clientX - this.box.getBoundingClientRect().left - this.box.clientLeft);
    const found = this.shown.find(({ from, to }) => value >= from && value <= to);
    const before = this.selection.ranges.get(column);
    const same = found && before && before[0] === found.from && before[1] === found.to;
    this.selection.brush(column, found && !same ? [found.from, found.to] : undefined);
  }
}
