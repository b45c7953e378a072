// Plots of chosen columns: a panel for each unit, with one cursor for all of them, a marker at the animation's instant,
// and the values at the cursor in a table.
import type { ArrayInfo, Job } from "./api";
import { limitsOf, nearestRow, type Range } from "./decimate";
import { byId, onColourScheme } from "./dom";
import { save } from "./downloads";
import { errorText, formatNumber } from "./format";
import { Panel, type Place } from "./panel";
import { PlotControls } from "./plot_controls";
import { csvColumns, csvText, pictureOf } from "./plot_files";
import { Readings } from "./readings";
import type { Column } from "./recording";
import { Source } from "./source";
import { courseOf, pathOf, roomAbout, tableOf, valueAt, valuesWithin, type Course, type Over } from "./views";

const COLOURS = 8;

/** A range is not made smaller than this part of its numbers. */
const RANGE_LEAST = 1e-9;

interface Curve extends Column {
  colour: number;
}

/** A panel with its curves; on paths, with the part of the plane that it shows if that was chosen. */
interface Shown {
  panel: Panel;
  curves: Curve[];
  part?: { x: Range; y: Range } | undefined;
}

export class Plots {
  private readonly host = byId("plot", HTMLDivElement);
  private readonly note = byId("plot-note", HTMLParagraphElement);
  private readonly controls: PlotControls;
  private readonly readings = new Readings();
  private source: Source | undefined;
  private pinned: Source | undefined;
  private curves: Curve[] = [];
  private panels: Shown[] = [];
  private over: Over = "time";
  private logarithmic = false;
  /** What is shown [s], [Hz]. */
  private span: Range = [0, 1];
  private band: Range = [0, 1];
  /** The animation's instant [s], the frequency that was chosen [Hz], and where the cursor is. */
  private instant = 0;
  private frequency = 0;
  private hovered: number | undefined;
  /** The model whose curves are shown; another run of it gets the same. */
  private model = "";

  /** `onSeek` is called with the time that the user clicks on. */
  constructor(private readonly onSeek: (t: number) => void) {
    this.controls = new PlotControls({
      add: (columns) => void this.add(columns),
      view: (over, logarithmic) => this.view(over, logarithmic),
      zoom: (factor) => this.zoom(factor),
      whole: () => this.showWhole(),
      step: (part) => this.choose(this.chosen + part * (this.range[1] - this.range[0])),
      pin: () => this.pin(),
      saveCsv: () => this.saveCsv(),
      savePng: () => void this.savePng(),
    });
    this.controls.showPinned(undefined);
    new ResizeObserver(() => this.fit()).observe(this.host);
    onColourScheme(() => this.build());
  }

  /** Offers the columns of a job, and plots something to begin with: of another run of a model what was plotted before,
   * else its first columns. */
  async show(job: Job, arrays: ArrayInfo[]): Promise<void> {
    this.clear();
    const source = await Source.open(job, arrays);
    if (!source) return;
    const before = job.model_name === this.model ? this.curves.filter((curve) => source.has(curve)) : [];
    this.source = source;
    this.model = job.model_name ?? "";
    this.span = this.wholeSpan;
    this.controls.offer(source);
    this.curves = [];
    await this.add(before.length > 0 ? before : source.firstColumns());
  }

  /** Shows no job; its curves are kept for another run of the same model, and so is the pinned run. */
  clear(): void {
    this.source = undefined;
    this.controls.offer(undefined);
    this.note.textContent = "";
    this.build();
  }

  /** Moves the marker to the animation's time. */
  mark(t: number): void {
    this.instant = t;
    this.placeMarkers();
    if (this.hovered === undefined) this.writeValues();
  }

  // ---- what is plotted ----

  /** The run that is shown, and the pinned one if that is another. */
  private get sources(): Source[] {
    const pinned = this.pinned?.id === this.source?.id ? undefined : this.pinned;
    return [this.source, pinned].filter((source) => source !== undefined);
  }

  private async add(columns: Column[]): Promise<void> {
    const { source } = this;
    try {
      await Promise.all(this.sources.map((each) => each.load(columns)));
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

  /** Pins the run that is shown; where one is pinned, lets it go. */
  private pin(): void {
    this.pinned = this.pinned ? undefined : this.source;
    this.controls.showPinned(this.pinned?.name);
    this.build();
  }

  private view(over: string, logarithmic: boolean): void {
    const curve = this.curves.find(({ title }) => title === over);
    this.over = curve ?? (over === "frequency" ? over : "time");
    this.logarithmic = logarithmic;
    this.build();
    if (this.over === "frequency") this.showSpectrum();
  }

  /** Shows all frequencies, and chooses that of the greatest amplitude. */
  private showSpectrum(): void {
    const [first] = this.curves;
    const course = first && this.source && this.course(this.source, first);
    if (!course) return;
    this.showRange([0, course.places[course.places.length - 1] ?? 1]);
    const greatest = course.values.indexOf(limitsOf(course.values)?.[1] ?? 0);
    this.choose(course.places[Math.max(greatest, 0)] ?? 0);
  }

  // ---- drawing ----

  /** Makes the panels and the table anew. */
  private build(): void {
    for (const { panel } of this.panels) panel.destroy();
    const { over } = this;
    if (typeof over === "object" && !this.curves.some(({ title }) => title === over.title)) this.over = "time";
    const abscissa = typeof this.over === "object" ? this.over.title : this.over;
    this.controls.showView(this.curves.map(({ title }) => title), abscissa);
    const drawn = this.source ? this.curves.filter(({ title }) => title !== abscissa) : [];
    const units = [...new Set(drawn.map(({ unit }) => unit))];
    const widths = { most: 0 };
    this.host.classList.toggle("empty", drawn.length === 0);
    this.host.style.setProperty("--panels", String(units.length));
    this.panels = units.map((unit, i) => {
      const curves = drawn.filter((curve) => curve.unit === unit);
      return { panel: this.panel(unit, curves, i === units.length - 1, widths), curves };
    });
    const readings = (this.source ? this.curves : []).map((curve) => ({ ...curve, remove: () => this.remove(curve) }));
    this.readings.show(readings, this.sources[1]?.name);
    this.draw();
    this.fit();
  }

  /** The curves that a panel draws, of the runs one behind the other. */
  private linesOf(curves: Curve[]): { source: Source; curve: Curve }[] {
    return this.sources.flatMap((source) =>
      curves.filter((curve) => this.course(source, curve)).map((curve) => ({ source, curve })),
    );
  }

  private panel(unit: string, curves: Curve[], last: boolean, widths: { most: number }): Panel {
    const { over, logarithmic } = this;
    const paths = typeof over === "object";
    const abscissa = paths ? over.unit : over === "time" ? "s" : "Hz";
    const line = ({ source, curve }: { source: Source; curve: Curve }) => ({ ...curve, ghost: source !== this.source });
    return new Panel(this.host, {
      lines: this.linesOf(curves).map(line),
      label: over === "time" && logarithmic ? `|${unit || "1"}|` : unit || "1",
      abscissa: last ? abscissa : undefined,
      paths,
      logarithmic: logarithmic && !paths,
      widths,
      onHover: (place) => this.hover(place),
      onClick: (place, panel) => this.click(place, panel),
      onZoom: (x, y, panel) => (paths ? this.showPart(panel, { x, y }) : this.showRange(x)),
      onWhole: (panel) => (paths ? this.showPart(panel, undefined) : this.showWhole()),
    });
  }

  private course(source: Source, column: Column): Course | undefined {
    return courseOf(source.recording, column, this.over, this.span, this.logarithmic && typeof this.over !== "object");
  }

  /** Draws what is shown, with no more points than there are pixels. */
  private draw(): void {
    const { source, over } = this;
    if (!source) return;
    const limits = new Map<Curve, Range | undefined>();
    for (const shown of this.panels) {
      if (typeof over === "object") this.drawPaths(shown, over, limits);
      else this.drawTable(shown, limits);
    }
    this.readings.writeLimits(this.curves.map((curve) => limits.get(curve)));
    this.note.textContent = this.noteText(source.bucket);
    this.placeMarkers();
    this.writeValues();
  }

  private noteText(bucket: number): string {
    const coarse = `Of each ${bucket} rows the least and the greatest are shown; zoom in for all of them.`;
    const missing = "A spectrum needs all rows: zoom in over time first.";
    const [, pinned] = this.sources;
    const notes = bucket === 1 ? [] : [this.over === "frequency" ? missing : coarse];
    return [...notes, ...(pinned ? [`Dashed: ${pinned.name}.`] : [])].join(" ");
  }

  private drawTable({ panel, curves }: Shown, limits: Map<Curve, Range | undefined>): void {
    const coursesOf = (source: Source): Course[] => curves.flatMap((curve) => this.course(source, curve) ?? []);
    const found = tableOf(this.sources.map(coursesOf), this.range, panel.pixels);
    panel.drawTable(found.table, this.range);
    curves.forEach((curve, i) => limits.set(curve, found.limits[i]));
  }

  private drawPaths({ panel, curves, part }: Shown, over: Column, limits: Map<Curve, Range | undefined>): void {
    const lines = this.linesOf(curves).flatMap(({ source, curve }) => {
      const [x, y] = [this.course(source, over), this.course(source, curve)];
      return x && y ? [{ source, curve, x, y, all: [x, y].map((course) => limitsOf(valuesWithin(course, this.span))) }] : [];
    });
    for (const { source, curve, all } of lines) if (source === this.source) limits.set(curve, all[1]);
    const abscissa = this.curves.find(({ title }) => title === over.title);
    if (abscissa) limits.set(abscissa, lines[0]?.all[0]);
    const union = (axis: 0 | 1): Range => roomAbout(limitsOf(lines.flatMap(({ all }) => all[axis] ?? [])));
    const shown = part ?? { x: union(0), y: union(1) };
    const paths = lines.map(({ x, y }) => pathOf(x, y, this.span, shown, panel.pixels));
    panel.drawPaths(paths, shown.x, shown.y);
  }

  private fit(): void {
    for (const { panel } of this.panels) panel.fit();
    requestAnimationFrame(() => this.placeMarkers());
  }

  // ---- the cursor and the marker ----

  /** The place of the abscissa that is chosen: the animation's instant, or a frequency. */
  private get chosen(): number {
    return this.over === "frequency" ? this.frequency : this.instant;
  }

  private choose(place: number): void {
    if (this.over !== "frequency") return this.onSeek(place);
    this.frequency = Math.min(Math.max(place, this.range[0]), this.range[1]);
    this.placeMarkers();
    this.writeValues();
  }

  private placeMarkers(): void {
    for (const { panel, curves } of this.panels)
      panel.mark(typeof this.over === "object" ? this.placesAt(curves, this.over) : [this.chosen]);
  }

  /** Where the curves of a panel are on their paths at the animation's instant. */
  private placesAt(curves: Curve[], over: Column): (Place | undefined)[] {
    return this.linesOf(curves).map(({ source, curve }) => {
      const [x, y] = [over, curve].map((column) => valueAt(this.course(source, column), this.instant));
      return x === undefined || y === undefined ? undefined : { x, y };
    });
  }

  private hover(place: Place | undefined): void {
    const hovered = typeof this.over === "object" ? undefined : place?.x;
    if (this.hovered === hovered) return;
    this.hovered = hovered;
    this.writeValues();
  }

  /** A click chooses its abscissa, or the instant when a path was nearest to it. */
  private click(place: Place, panel: Panel): void {
    const { over, source } = this;
    if (typeof over !== "object") return this.choose(place.x);
    const curves = this.panels.find((shown) => shown.panel === panel)?.curves ?? [];
    const x = source && this.course(source, over);
    let [nearest, instant] = [Infinity, this.instant];
    for (const y of curves.flatMap((curve) => (source && this.course(source, curve)) ?? []))
      y.values.forEach((value, row) => {
        const distance = panel.distance({ x: x?.values[row] ?? NaN, y: value }, place);
        if (distance < nearest) [nearest, instant] = [distance, y.places[row] as number];
      });
    this.onSeek(instant);
  }

  /** Writes the values at the cursor, else at what is chosen. */
  private writeValues(): void {
    const [source, pinned] = this.sources;
    const [first] = this.curves;
    if (!source || !first) return;
    const place = this.hovered ?? this.chosen;
    const places = this.course(source, first)?.places ?? new Float64Array(0);
    const value = (of: Source | undefined, curve: Curve): number | undefined =>
      of && valueAt(this.course(of, curve), place);
    const values = this.curves.map((curve) => ({ now: value(source, curve), pinned: value(pinned, curve) }));
    const unit = this.over === "frequency" ? "Hz" : "s";
    this.readings.write(`${formatNumber(places[nearestRow(places, place)] ?? NaN)} ${unit}`, values);
  }

  // ---- zooming ----

  /** What is shown of the abscissa; of paths, of the time. */
  private get range(): Range {
    return this.over === "frequency" ? this.band : this.span;
  }

  private get wholeSpan(): Range {
    return limitsOf(this.sources.flatMap(({ span }) => span)) ?? [0, 1];
  }

  private get wholeRange(): Range {
    if (this.over !== "frequency") return this.wholeSpan;
    const lasts = this.sources.flatMap((source) => this.curves.map((curve) => this.course(source, curve)?.places.at(-1)));
    return [0, limitsOf(lasts)?.[1] ?? 1];
  }

  private showWhole(): void {
    for (const shown of this.panels) shown.part = undefined;
    this.showRange(this.wholeRange);
  }

  /** Shows a part of the abscissa; where not all of its rows are here, they are read. */
  private showRange([from, to]: Range): void {
    const [start, end] = this.wholeRange;
    const range: Range = [Math.max(from, start), Math.min(to, end)];
    if (!(range[1] - range[0] > RANGE_LEAST * Math.max(Math.abs(range[0]), Math.abs(range[1])))) return;
    if (this.over === "frequency") this.band = range;
    else this.span = range;
    const { source } = this;
    const read = this.over === "frequency" ? [] : this.sources.map((each) => each.zoom(range, this.curves));
    this.draw();
    Promise.all(read)
      .then((news) => {
        if (news.includes(true) && this.source === source) this.draw();
      })
      .catch((error: unknown) => (this.note.textContent = errorText(error)));
  }

  /** Shows a part of the plane of paths, or all of it. */
  private showPart(panel: Panel, part: { x: Range; y: Range } | undefined): void {
    const shown = this.panels.find((each) => each.panel === panel);
    if (shown) shown.part = part;
    this.draw();
  }

  /** Shows `factor` times as much, about what is chosen if that is seen. */
  private zoom(factor: number): void {
    const [from, to] = this.range;
    const centre = this.chosen >= from && this.chosen <= to ? this.chosen : (from + to) / 2;
    this.showRange([centre - (centre - from) * factor, centre + (to - centre) * factor]);
  }

  // ---- files ----

  /** Saves the rows of what is shown, of paths over time. */
  private saveCsv(): void {
    const columns = this.sources.flatMap((source) => {
      const run = source === this.source ? "" : ", pinned";
      const head = ({ title, unit }: Column): string => `${title}${unit && ` [${unit}]`}${run}`;
      const courses = this.curves.flatMap((curve) => {
        const course = this.course(source, curve);
        return course ? [{ head: head(curve), course }] : [];
      });
      return csvColumns(`${this.over === "frequency" ? "f [Hz]" : "t [s]"}${run}`, courses, this.range);
    });
    save(new Blob([csvText(columns)], { type: "text/csv" }), this.fileName("csv"));
  }

  private async savePng(): Promise<void> {
    try {
      save(await pictureOf(this.panels.map(({ panel }) => panel)), this.fileName("png"));
    } catch (error) {
      this.note.textContent = errorText(error);
    }
  }

  private fileName(extension: string): string {
    return `${this.model.replace(/[^\w-]+/g, "_") || "plots"}.${extension}`;
  }
}
