// Plots of chosen columns: a panel for each unit, with one cursor for all of them, a marker at the animation's instant,
// and the values at the cursor in a table.
import uPlot from "uplot";
import type { ArrayInfo, Job } from "./api";
import { bucketPlaces, bucketSize, extremes, limitsOf, nearestRow, rowsAround, type Range } from "./decimate";
import { byId, h, onColourScheme } from "./dom";
import { errorText, formatNumber } from "./format";
import { Panel, type Place } from "./panel";
import { Readings } from "./readings";
import type { Column } from "./recording";
import { Source } from "./source";

const COLOURS = 8;

/** Columns of an array that are added at once. */
const COLUMNS_MOST = 24;

/** A step of the keyboard, of what is shown. */
const KEY_STEP = 1 / 100;

interface Curve extends Column {
  colour: number;
}

export class Plots {
  private readonly host = byId("plot", HTMLDivElement);
  private readonly arraySelect = byId("plot-array", HTMLSelectElement);
  private readonly columnSelect = byId("plot-column", HTMLSelectElement);
  private readonly note = byId("plot-note", HTMLParagraphElement);
  private readonly readings = new Readings();
  private source: Source | undefined;
  private curves: Curve[] = [];
  private panels: { panel: Panel; curves: Curve[] }[] = [];
  private range: Range = [0, 1];
  private marked = 0;
  private hovered: number | undefined;
  /** The model whose curves are shown; another run of it gets the same. */
  private model = "";

  /** `onSeek` is called with the time that the user clicks on. */
  constructor(private readonly onSeek: (t: number) => void) {
    this.arraySelect.addEventListener("change", () => this.listColumns());
    byId("plot-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.add(this.chosen());
    });
    byId("plot-reset", HTMLButtonElement).addEventListener("click", () => this.showWhole());
    byId("plot-in", HTMLButtonElement).addEventListener("click", () => this.zoom(1 / 2));
    byId("plot-out", HTMLButtonElement).addEventListener("click", () => this.zoom(2));
    this.host.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.fit()).observe(this.host);
    onColourScheme(() => this.build());
  }

  /** Offers the columns of a job, and plots something to begin with: of another run of a model what was plotted before,
   * else its first columns. */
  async show(job: Job, arrays: ArrayInfo[]): Promise<void> {
    const before = job.model_name === this.model ? this.curves : [];
    this.clear();
    const source = await Source.open(job, arrays);
    if (!source) return;
    this.source = source;
    this.model = job.model_name ?? "";
    this.range = source.span;
    this.arraySelect.replaceChildren(...source.arrays.map(({ name }) => h("option", { value: name }, name)));
    this.listColumns();
    const again = before.filter((curve) => source.has(curve));
    this.curves = [];
    await this.add(again.length > 0 ? again : source.firstColumns());
  }

  /** Shows no job; its curves are kept for another run of the same model. */
  clear(): void {
    this.source = undefined;
    this.arraySelect.replaceChildren();
    this.columnSelect.replaceChildren();
    this.note.textContent = "";
    this.build();
  }

  /** Moves the marker to the animation's time. */
  mark(t: number): void {
    this.marked = t;
    for (const { panel } of this.panels) panel.mark([t]);
    if (this.hovered === undefined) this.writeValues();
  }

  private listColumns(): void {
    const array = this.source?.arrays.find(({ name }) => name === this.arraySelect.value);
    const labels = array?.labels ?? [];
    const options = labels.map((label) => h("option", { value: label }, label));
    const all = labels.length > 1 && labels.length <= COLUMNS_MOST;
    this.columnSelect.replaceChildren(...options, ...(all ? [h("option", { value: "" }, `All ${labels.length}`)] : []));
    this.arraySelect.title = array?.description ?? "";
  }

  /** The columns that are chosen to be added. */
  private chosen(): Column[] {
    const array = this.arraySelect.value;
    const chosen = this.columnSelect.selectedOptions[0];
    if (!chosen) return [];
    const labels = chosen.value ? [chosen.value] : [...this.columnSelect.options].map(({ value }) => value);
    return labels.flatMap((label) => this.source?.column(array, label) ?? []);
  }

  private async add(columns: Column[]): Promise<void> {
    const { source } = this;
    try {
      await source?.load(columns);
      if (this.source !== source) return;
      for (const column of columns)
        if (!this.curves.some(({ title }) => title === column.title))
          this.curves.push({ ...column, colour: this.freeColour(column.unit) });
      this.build();
    } catch (error) {
      this.note.textContent = errorText(error);
    }
  }

  /** The colour that the fewest curves have, above all those of the same unit. */
  private freeColour(unit: string): number {
    const uses = new Array<number>(COLOURS).fill(0);
    for (const curve of this.curves) uses[curve.colour] = (uses[curve.colour] ?? 0) + (curve.unit === unit ? 100 : 1);
    return uses.indexOf(Math.min(...uses));
  }

  private remove(curve: Curve): void {
    this.curves = this.curves.filter((other) => other !== curve);
    this.build();
  }

  /** Makes the panels and the table anew. */
  private build(): void {
    for (const { panel } of this.panels) panel.destroy();
    const curves = this.source ? this.curves : [];
    const units = [...new Set(curves.map(({ unit }) => unit))];
    const widths = { most: 0 };
    this.host.classList.toggle("empty", curves.length === 0);
    this.host.style.setProperty("--panels", String(units.length));
    this.panels = units.map((unit, i) => {
      const ofUnit = curves.filter((curve) => curve.unit === unit);
      return { panel: this.panel(unit, ofUnit, i === units.length - 1, widths), curves: ofUnit };
    });
    const remove = (curve: Curve) => (): void => this.remove(curve);
    this.readings.show(
      curves.map((curve) => ({ ...curve, remove: remove(curve) })),
      undefined,
    );
    this.draw();
    this.fit();
  }

  private panel(unit: string, curves: Curve[], last: boolean, widths: { most: number }): Panel {
    return new Panel(this.host, {
      lines: curves.map(({ title, colour }) => ({ title, colour, ghost: false })),
      label: unit || "1",
      abscissa: last ? "s" : undefined,
      paths: false,
      logarithmic: false,
      widths,
      onHover: (place) => this.hover(place),
      onClick: ({ x }) => this.onSeek(x),
      onZoom: (x) => this.showRange(x),
      onWhole: () => this.showWhole(),
    });
  }

  /** Draws what is shown, with no more points than there are pixels. */
  private draw(): void {
    const { source } = this;
    if (!source) return;
    const { recording } = source;
    const rows = rowsAround(recording.times, this.range);
    const limits = new Map<Curve, Range | undefined>();
    for (const { panel, curves } of this.panels) {
      const size = bucketSize(rows, panel.pixels);
      const places = bucketPlaces(recording.times, rows, size);
      const values = curves.map((curve) => extremes(recording.values(curve) ?? new Float64Array(0), rows, size));
      const within = (_: unknown, i: number): boolean =>
        (places[i] as number) >= this.range[0] && (places[i] as number) <= this.range[1];
      curves.forEach((curve, i) => limits.set(curve, limitsOf((values[i] ?? []).filter(within))));
      panel.drawTable([places, ...values] as uPlot.AlignedData, this.range);
    }
    this.readings.writeLimits(this.curves.map((curve) => limits.get(curve)));
    const { bucket } = source;
    this.note.textContent =
      bucket > 1 ? `Of each ${bucket} rows the least and the greatest are shown; zoom in for all of them.` : "";
    this.mark(this.marked);
    this.writeValues();
  }

  private fit(): void {
    for (const { panel } of this.panels) panel.fit();
    requestAnimationFrame(() => this.mark(this.marked));
  }

  private hover(place: Place | undefined): void {
    if (this.hovered === place?.x) return;
    this.hovered = place?.x;
    this.writeValues();
  }

  /** Writes the values at the cursor, else at the animation's instant. */
  private writeValues(): void {
    const recording = this.source?.recording;
    if (!recording) return;
    const row = nearestRow(recording.times, this.hovered ?? this.marked);
    const values = this.curves.map((curve) => ({ now: recording.values(curve)?.[row], pinned: undefined }));
    this.readings.write(`${formatNumber(recording.times[row] ?? NaN)} s`, values);
  }

  private showWhole(): void {
    if (this.source) this.showRange(this.source.span);
  }

  /** Shows the part from one time to another; where not all of its rows are here, they are read. */
  private showRange([from, to]: Range): void {
    const { source } = this;
    if (!source) return;
    const [start, end] = source.span;
    const range: Range = [Math.max(from, start), Math.min(to, end)];
    if (!(range[1] - range[0] > 1e-9 * Math.max(Math.abs(range[0]), Math.abs(range[1])))) return;
    this.range = range;
    const read = source.zoom(range, this.curves);
    this.draw();
    read
      .then((news) => {
        if (news && this.source === source) this.draw();
      })
      .catch((error: unknown) => (this.note.textContent = errorText(error)));
  }

  /** Shows `factor` times as much, about the animation's instant if that is seen. */
  private zoom(factor: number): void {
    const [from, to] = this.range;
    const centre = this.marked >= from && this.marked <= to ? this.marked : (from + to) / 2;
    this.showRange([centre - (centre - from) * factor, centre + (to - centre) * factor]);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (this.range[1] - this.range[0]) * KEY_STEP;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.onSeek(this.marked - step),
      ArrowRight: () => this.onSeek(this.marked + step),
      "+": () => this.zoom(1 / 2),
      "-": () => this.zoom(2),
      "0": () => this.showWhole(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
