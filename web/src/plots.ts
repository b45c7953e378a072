// Plots of chosen columns over time, with a marker at the animation's instant.
import uPlot from "uplot";
import { readArray, type ArrayInfo } from "./api";
import { axisWidth, tickText } from "./axes";
import { byId, cssColour, h, onColourScheme, paletteColour } from "./dom";
import { errorText, formatNumber } from "./format";

/** More rows than this cannot be told apart on a screen; longer arrays are read with a stride. */
const ROWS_MAX = 20000;

/** Vertical axes beside the plot; further units are drawn each to a scale of its own that is not shown. */
const AXES_MOST = 2;

interface Series {
  label: string;
  unit: string;
  values: Float64Array;
  /** Where the value at the cursor is written. */
  output: HTMLOutputElement;
}

export class Plots {
  private readonly host = byId("plot", HTMLDivElement);
  private readonly chips = byId("series", HTMLUListElement);
  private readonly arraySelect = byId("plot-array", HTMLSelectElement);
  private readonly columnSelect = byId("plot-column", HTMLSelectElement);
  private readonly note = byId("plot-note", HTMLParagraphElement);
  private readonly marker = h("div", { className: "plot-marker" });
  private arrays: ArrayInfo[] = [];
  private unitOf: (array: ArrayInfo, label: string) => string = ({ unit }) => unit ?? "";
  private jobId = "";
  private stride = 1;
  private times: Float64Array = new Float64Array(0);
  private series: Series[] = [];
  private plot?: uPlot;
  private markedTime = 0;

  /** `onSeek` is called with the time that the user clicks on. */
  constructor(private readonly onSeek: (t: number) => void) {
    this.arraySelect.addEventListener("change", () => this.listColumns());
    byId("plot-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.add(this.arraySelect.value, this.columnSelect.value);
    });
    byId("plot-reset", HTMLButtonElement).addEventListener("click", () => this.resetZoom());
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.host);
    onColourScheme(() => this.build());
  }

  /** Offers the arrays of a job, and plots something to begin with: the sensors, else the joint coordinates. */
  async show(jobId: string, arrays: ArrayInfo[], unitOf: (array: ArrayInfo, label: string) => string): Promise<void> {
    this.clear();
    this.unitOf = unitOf;
    const rows = arrays.find((array) => array.name === "T")?.shape[0] ?? 0;
    if (rows === 0) return;
    this.arrays = arrays.filter((array) => array.name !== "T" && !array.timeless && array.labels.length > 0);
    this.jobId = jobId;
    this.stride = Math.max(1, Math.ceil(rows / ROWS_MAX));
    this.note.textContent = this.stride > 1 ? `Every ${this.stride}th row is shown.` : "";
    this.arraySelect.replaceChildren(...this.arrays.map(({ name }) => h("option", { value: name }, name)));
    this.listColumns();
    if (this.arrays.length === 0) return;
    const times = await readArray(jobId, "T", this.stride);
    if (this.jobId !== jobId) return;
    this.times = times.data;
    const sensors = this.arrays.filter((array) => array.shape.length === 1);
    const first = sensors[0] ?? this.arrays.find((array) => array.name === "theta") ?? this.arrays[0];
    for (const column of first?.labels.slice(0, 3) ?? []) await this.add(first?.name ?? "", column);
  }

  clear(): void {
    this.jobId = "";
    this.arrays = [];
    this.series = [];
    this.arraySelect.replaceChildren();
    this.columnSelect.replaceChildren();
    this.chips.replaceChildren();
    this.build();
  }

  /** Moves the marker to the animation's time. */
  mark(t: number): void {
    this.markedTime = t;
    this.placeMarker();
    if (this.plot?.cursor.idx == null) this.showValues(this.plot?.valToIdx(t) ?? 0);
  }

  private listColumns(): void {
    const array = this.arrays.find(({ name }) => name === this.arraySelect.value);
    this.columnSelect.replaceChildren(...(array?.labels ?? []).map((label) => h("option", { value: label }, label)));
    this.arraySelect.title = array?.description ?? "";
  }

  private async add(name: string, column: string): Promise<void> {
    const [jobId, array] = [this.jobId, this.arrays.find((candidate) => candidate.name === name)];
    const label = array?.shape.length === 1 ? name : `${name}: ${column}`;
    if (!array || this.series.some((series) => series.label === label)) return;
    try {
      const { data } = await readArray(jobId, name, this.stride, array.shape.length === 1 ? undefined : column);
      if (this.jobId !== jobId || this.series.some((series) => series.label === label)) return;
      this.series.push({ label, unit: this.unitOf(array, column), values: data, output: h("output") });
      this.build();
    } catch (error) {
      this.note.textContent = `${label}: ${errorText(error)}`;
    }
  }

  private remove(series: Series): void {
    this.series = this.series.filter((other) => other !== series);
    this.build();
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(this.host.clientWidth, 200), height: Math.max(this.host.clientHeight, 150) };
  }

  /** The units that have an axis; the others would leave no room for the curves. */
  private get axisUnits(): string[] {
    return [...new Set(this.series.map(({ unit }) => unit))].slice(0, AXES_MOST);
  }

  private axes(): uPlot.Axis[] {
    const axis = { stroke: cssColour("--faint"), ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const grid = { stroke: cssColour("--grid"), width: 1 };
    return [
      { ...axis, grid, size: 30, values: (_, ticks, __, ___, distance) => ticks.map((tick) => `${tickText(tick, distance)} s`) },
      ...this.axisUnits.map((unit, index) => ({
        ...axis,
        scale: unit || "1",
        side: index === 0 ? 3 : 1,
        grid: index === 0 ? grid : { show: false },
        size: (plot: uPlot, texts: string[], number: number) => axisWidth(plot, texts, plot.axes[number] as uPlot.Axis),
        values: (_: uPlot, ticks: number[], __: number, ___: number, distance: number) =>
          ticks.map((tick) => tickText(tick, distance)),
        label: unit || undefined,
        labelSize: 16,
        labelFont: axis.font,
      })),
    ];
  }

  /** Makes the plot anew, with a vertical scale for each unit. */
  private build(): void {
    this.plot?.destroy();
    this.plot = undefined;
    this.chips.replaceChildren(...this.series.map((series, index) => this.chip(series, index)));
    this.host.classList.toggle("empty", this.series.length === 0);
    if (this.series.length === 0) return;
    const options: uPlot.Options = {
      ...this.size(),
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { size: 6 } },
      scales: { x: { time: false } },
      axes: this.axes(),
      series: [
        {},
        ...this.series.map(({ label, unit }, index) => ({
          label,
          scale: unit || "1",
          stroke: paletteColour(index),
          width: 1.5,
          pxAlign: 0, // whole pixels make stairs of a curve
          points: { show: false },
        })),
      ],
      hooks: {
        setCursor: [(plot) => this.showValues(plot.cursor.idx ?? plot.valToIdx(this.markedTime))],
        draw: [() => this.placeMarker()],
      },
    };
    this.plot = new uPlot(options, [this.times, ...this.series.map(({ values }) => values)], this.host);
    this.plot.over.append(this.marker);
    this.listenForClicks(this.plot);
    this.mark(this.markedTime);
  }

  /** A click seeks; a drag zooms, and ends in a click event, too. */
  private listenForClicks(plot: uPlot): void {
    let pressedAt = 0;
    plot.over.addEventListener("pointerdown", (event) => (pressedAt = event.clientX));
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressedAt) > 3) return;
      this.onSeek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
    });
  }

  private chip(series: Series, index: number): HTMLLIElement {
    const swatch = h("span", { className: "swatch" });
    swatch.style.backgroundColor = paletteColour(index);
    const remove = h("button", { type: "button", ariaLabel: `Remove ${series.label}` }, "×");
    remove.addEventListener("click", () => this.remove(series));
    const hidden = !this.axisUnits.includes(series.unit);
    const note = h("span", { className: "faint", title: "Scaled to its own least and largest value" }, "no axis");
    return h("li", {}, swatch, series.label, " ", series.output, ...(hidden ? [note] : []), remove);
  }

  private showValues(index: number): void {
    for (const { values, unit, output } of this.series) {
      const value = values[index];
      output.value = value === undefined ? "" : `${formatNumber(value, 5)} ${unit}`;
    }
  }

  private placeMarker(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.markedTime, "x");
    this.marker.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
    this.marker.style.transform = `translateX(${x}px)`;
  }

  private resetZoom(): void {
    const [first, last] = [this.times[0], this.times[this.times.length - 1]];
    if (first !== undefined && last !== undefined) this.plot?.setScale("x", { min: first, max: last });
  }
}
