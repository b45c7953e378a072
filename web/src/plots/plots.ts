// Plots chosen columns: a panel for each unit, with a common cursor, a marker at the animation's time, and a table of
// the values at the cursor.
import type { ArrayInfo, Job } from "../app/api";
import { byId, onColourScheme } from "../app/dom";
import { errorText, formatNumber } from "../app/format";
import { plotTexts } from "../app/texts";
import { differencesView } from "../document/document_diff";
import { saveSvg } from "../drawing/pictures";
import { save } from "../results/downloads";
import type { Column } from "../results/recording";
import type { ResultArray } from "../solver/solver_module";
import { limitsOf, nearestRow, type Range } from "./decimate";
import { Panel, type Place } from "./panel";
import { PlotControls } from "./plot_controls";
import { csvColumns, csvText, drawingOf, pictureOf } from "./plot_files";
import { Source } from "./plot_source";
import { PlotView } from "./plot_view";
import { bandOf } from "./spectrum";
import { ValueTable } from "./value_table";
import { limitsWithin, pathOf, padded, tableOf, valueAt, type Course } from "./views";

const COLOURS = 8;

interface Curve extends Column {
  colour: number;
}

/** A panel with its curves; for paths also the visible part of the plane, if the user has chosen it. */
interface Shown {
  panel: Panel;
  curves: Curve[];
  part?: { x: Range; y: Range } | undefined;
}

/** Returns a key that distinguishes the columns of different runs. */
function columnsOf(source: Source | undefined): string {
  return JSON.stringify(source?.arrays.map(({ name, labels }) => [name, labels]));
}

export class Plots {
  private readonly host = byId("plot", HTMLDivElement);
  private readonly note = byId("plot-note", HTMLParagraphElement);
  private readonly differences = byId("plot-differences", HTMLDivElement);
  private readonly controls: PlotControls;
  private readonly table = new ValueTable();
  private readonly view = new PlotView();
  /** The run of the job, and the run in the browser that is shown instead. */
  private shownRun: Source | undefined;
  private localSource: Source | undefined;
  private pinned: Source | undefined;
  private curves: Curve[] = [];
  /** True if the user has added or removed a curve; otherwise a document with other columns gets its own curves. */
  private chosen = false;
  private panels: Shown[] = [];
  /** The abscissa of the cursor; undefined if there is none. */
  private hovered: number | undefined;
  /** The model of the curves: another run of it gets the same curves. */
  private model = "";
  /** Number of runs shown so far, by which late answers are recognized. */
  private showing = 0;
  private localRequest = 0;

  /** Calls `onSeek` with the time that the user clicks, and `onPin` with the id of the pinned run. */
  constructor(
    private readonly onSeek: (t: number) => void,
    private readonly onPin: (id: string | undefined) => void,
  ) {
    this.controls = new PlotControls({
      add: (columns) => {
        this.chosen = true;
        void this.add(columns);
      },
      view: (over, logarithmic) => this.chooseView(over, logarithmic),
      zoom: (factor) => this.showRange(this.view.zoomed(factor)),
      whole: () => this.showWhole(),
      move: (parts) => this.moveRange(parts),
      step: (part) => this.choose(this.view.chosen + part * (this.view.range[1] - this.view.range[0])),
      pin: () => this.pin(),
      saveCsv: () => this.saveCsv(),
      savePng: () => void this.savePicture(async () => save(await pictureOf(this.shownPanels), this.fileName("png"))),
      saveSvg: () => void this.savePicture(() => this.saveSvg()),
    });
    this.controls.showPinned(undefined);
    new ResizeObserver(() => this.fit()).observe(this.host);
    onColourScheme(() => this.build());
  }

  /** Lists the columns of a job and plots some: the previous ones for another run of the same model, else its first
   * columns. */
  async show(job: Job, document: string, arrays: ArrayInfo[]): Promise<void> {
    this.clear();
    const { showing } = this;
    const source = await Source.open(job, document, arrays).catch((error: unknown) => {
      this.note.textContent = errorText(error);
    });
    if (!source || this.showing !== showing) return;
    const before = job.model_name === this.model ? this.curves.filter((curve) => source.has(curve)) : [];
    this.shownRun = source;
    this.model = job.model_name ?? "";
    this.view.span = limitsOf(this.sources.flatMap(({ span }) => span)) ?? source.span;
    this.controls.offer(source);
    this.curves = [];
    await this.add(before.length > 0 ? before : source.firstColumns());
    this.chosen = before.length > 0 && this.chosen;
    if (this.view.over === "frequency") this.showSpectrum();
  }

  /** Shows a run in the browser instead of the job's run; undefined shows the job's run again. */
  async showLocalRun(localSource: { document: string; arrays: ResultArray[] } | undefined): Promise<void> {
    const localRequest = ++this.localRequest;
    const { showing } = this;
    const source = localSource && (await Source.ofPage(localSource.document, localSource.arrays));
    const next = source ?? this.shownRun;
    const changes = columnsOf(this.source) !== columnsOf(next);
    const own = !changes || this.chosen;
    const kept = next ? this.curves.filter((curve) => own && next.has(curve)) : this.curves;
    await source?.load(kept);
    if (this.showing !== showing || this.localRequest !== localRequest || this.localSource === source) return;
    const before = { sources: this.sources.length, all: this.isWhole };
    this.localSource = source;
    const { span } = this.view;
    if (next && (before.all || span[0] >= next.span[1]))
      this.view.span = limitsOf(this.sources.flatMap((each) => each.span)) ?? next.span;
    if (changes) this.controls.offer(next);
    if (next && kept.length === 0) {
      this.curves = [];
      this.chosen = false;
      return this.add(next.firstColumns());
    }
    const same = kept.length === this.curves.length && this.sources.length === before.sources;
    this.curves = kept;
    if (!same || this.panels.length === 0) return this.build();
    this.draw();
    this.showDifferences();
  }

  /** True if the whole time interval is visible. */
  private get isWhole(): boolean {
    const { span } = this.view;
    const whole = limitsOf(this.sources.flatMap((each) => each.span));
    return whole === undefined || (span[0] <= whole[0] && span[1] >= whole[1]);
  }

  /** Removes the run. Keeps the curves for another run of the same model, and the pinned run. */
  clear(): void {
    this.showing++;
    this.shownRun = this.localSource = undefined;
    this.controls.offer(undefined);
    this.note.textContent = "";
    this.build();
  }

  /** Moves the marker to the animation's time. */
  mark(t: number): void {
    this.view.instant = t;
    this.placeMarkers();
    if (this.hovered === undefined) this.writeValues();
  }

  // ---- plotted columns ----

  private get source(): Source | undefined {
    return this.localSource ?? this.shownRun;
  }

  /** The shown run, and the pinned one if it is another. */
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

  /** Returns the least used colour; curves of the same unit count most. */
  private freeColour(unit: string): number {
    const uses = new Array<number>(COLOURS).fill(0);
    for (const curve of this.curves) uses[curve.colour] = (uses[curve.colour] ?? 0) + (curve.unit === unit ? 100 : 1);
    return uses.indexOf(Math.min(...uses));
  }

  private remove(curve: Curve): void {
    this.curves = this.curves.filter((other) => other !== curve);
    this.chosen = true;
    this.build();
  }

  /** Pins the shown run, or unpins the pinned one. */
  private pin(): void {
    this.pinned = this.pinned ? undefined : this.shownRun;
    this.controls.showPinned(this.pinned?.name);
    this.onPin(this.pinned?.id);
    this.build();
  }

  private chooseView(over: string, logarithmic: boolean): void {
    const curve = this.curves.find(({ title }) => title === over);
    this.view.over = curve ?? (over === "frequency" ? over : "time");
    this.view.logarithmic = logarithmic;
    this.build();
    if (over === "frequency") this.showSpectrum();
  }

  /** Shows the frequencies with visible amplitudes, and chooses that of the largest. */
  private showSpectrum(): void {
    const [first] = this.curves;
    const course = first && this.source && this.view.course(this.source, first);
    if (!course) return;
    const courses = this.sources.flatMap((source) => this.curves.flatMap((curve) => this.view.course(source, curve) ?? []));
    this.showRange([0, Math.max(...courses.map(bandOf))]);
    const greatest = course.values.indexOf(limitsOf(course.values)?.[1] ?? 0);
    this.choose(course.places[Math.max(greatest, 0)] ?? 0);
  }

  // ---- drawing ----

  /** Creates the panels and the table. */
  private build(): void {
    for (const { panel } of this.panels) panel.destroy();
    const { view } = this;
    if (view.abscissa && !this.curves.some(({ title }) => title === view.abscissa?.title)) view.over = "time";
    const over = typeof view.over === "object" ? view.over.title : view.over;
    this.controls.offerPin(this.pinned !== undefined || this.shownRun !== undefined);
    this.controls.showView(this.curves.map(({ title }) => title), over);
    const drawn = this.source ? this.curves.filter(({ title }) => title !== over) : [];
    const units = [...new Set(drawn.map(({ unit }) => unit))];
    const widths = { most: 0 };
    this.host.classList.toggle("empty", drawn.length === 0);
    this.host.style.setProperty("--panels", String(units.length));
    this.panels = units.map((unit, i) => {
      const curves = drawn.filter((curve) => curve.unit === unit);
      return { panel: this.panel(unit, curves, i === units.length - 1, widths), curves };
    });
    const readings = (this.source ? this.curves : []).map((curve) => ({ ...curve, remove: () => this.remove(curve) }));
    const [, pinned] = this.sources;
    this.table.show(readings, pinned?.name);
    this.showDifferences();
    this.draw();
    this.fit();
  }

  private showDifferences(): void {
    const [source, pinned] = this.sources;
    this.differences.replaceChildren(...(source && pinned ? differencesView(source.document, pinned.document) : []));
  }

  /** Returns the curves of a panel, run by run. */
  private linesOf(curves: Curve[]): { source: Source; curve: Curve }[] {
    return this.sources.flatMap((source) =>
      curves.filter((curve) => this.view.course(source, curve)).map((curve) => ({ source, curve })),
    );
  }

  private panel(unit: string, curves: Curve[], last: boolean, widths: { most: number }): Panel {
    const { over, logarithmic, abscissa } = this.view;
    const paths = abscissa !== undefined;
    const line = ({ source, curve }: { source: Source; curve: Curve }) => ({ ...curve, ghost: source !== this.source });
    return new Panel(this.host, {
      lines: this.linesOf(curves).map(line),
      label: over === "time" && logarithmic ? `|${unit || "1"}|` : unit || "1",
      abscissa: last ? (abscissa ?? this.view).unit : undefined,
      paths,
      logarithmic: logarithmic && !paths,
      widths,
      onHover: (place) => this.hover(place),
      onClick: (place, panel) => this.click(place, panel),
      onZoom: (x, y, panel) => (paths ? this.showPart(panel, { x, y }) : this.showRange(x)),
      onMove: (parts) => this.moveRange(parts),
      onWhole: (panel) => (paths ? this.showPart(panel, undefined) : this.showWhole()),
    });
  }

  /** Draws the curves, reduced to the number of pixels. */
  private draw(): void {
    const { source } = this;
    if (!source) return;
    const limits = new Map<Curve, Range | undefined>();
    for (const shown of this.panels) {
      if (this.view.abscissa) this.drawPaths(shown, this.view.abscissa, limits);
      else this.drawTable(shown, limits);
    }
    this.table.writeLimits(this.curves.map((curve) => limits.get(curve)));
    this.note.textContent = this.noteText(source.bucket);
    this.placeMarkers();
    this.writeValues();
  }

  private noteText(bucket: number): string {
    const coarse = plotTexts.coarse(bucket);
    const missing = plotTexts.spectrum;
    const [, pinned] = this.sources;
    const notes = bucket === 1 ? [] : [this.view.over === "frequency" ? missing : coarse];
    if (this.localSource) notes.push(plotTexts.own);
    return [...notes, ...(pinned ? [plotTexts.pinned(pinned.name)] : [])].join(" ");
  }

  private drawTable({ panel, curves }: Shown, limits: Map<Curve, Range | undefined>): void {
    const { range } = this.view;
    const coursesOf = (source: Source): Course[] => curves.flatMap((curve) => this.view.course(source, curve) ?? []);
    panel.drawTable(tableOf(this.sources.map(coursesOf), range, panel.pixels), range);
    for (const curve of curves) {
      const course = this.source && this.view.course(this.source, curve);
      limits.set(curve, course && limitsWithin(course, range));
    }
  }

  private drawPaths({ panel, curves, part }: Shown, over: Column, limits: Map<Curve, Range | undefined>): void {
    const { view } = this;
    const lines = this.linesOf(curves).flatMap(({ source, curve }) => {
      const [x, y] = [view.course(source, over), view.course(source, curve)];
      if (!x || !y) return [];
      return [{ source, curve, x, y, all: [x, y].map((course) => limitsWithin(course, view.span)) }];
    });
    for (const { source, curve, all } of lines) if (source === this.source) limits.set(curve, all[1]);
    const abscissa = this.curves.find(({ title }) => title === over.title);
    if (abscissa) limits.set(abscissa, lines[0]?.all[0]);
    const union = (axis: 0 | 1): Range => padded(limitsOf(lines.flatMap(({ all }) => all[axis] ?? [])));
    const shown = part ?? { x: union(0), y: union(1) };
    const paths = lines.map(({ x, y }) => pathOf(x, y, view.span, shown, panel.pixels));
    panel.drawPaths(paths, shown.x, shown.y);
  }

  private fit(): void {
    for (const { panel } of this.panels) panel.fit();
    requestAnimationFrame(() => this.placeMarkers());
  }

  // ---- the cursor and the marker ----

  private choose(place: number): void {
    if (this.view.over !== "frequency") return this.onSeek(place);
    this.view.chooseFrequency(place);
    this.placeMarkers();
    this.writeValues();
  }

  private placeMarkers(): void {
    const { view } = this;
    for (const { panel, curves } of this.panels) {
      const places = (): (Place | undefined)[] =>
        this.linesOf(curves).map(({ source, curve }) => view.placeOf(source, curve));
      panel.mark(view.abscissa ? places() : [view.chosen]);
    }
  }

  private hover(place: Place | undefined): void {
    const hovered = this.view.abscissa ? undefined : place?.x;
    if (this.hovered === hovered) return;
    this.hovered = hovered;
    this.writeValues();
  }

  /** A click chooses its abscissa, or the time at which a path was nearest to it. */
  private click(place: Place, panel: Panel): void {
    const { view, source } = this;
    if (!view.abscissa || !source) return this.choose(place.x);
    const curves = this.panels.find((shown) => shown.panel === panel)?.curves ?? [];
    this.onSeek(view.nearestInstant(source, curves, (other) => panel.distance(other, place)));
  }

  /** Writes the values at the cursor, or else at the chosen value. */
  private writeValues(): void {
    const [source, pinned] = this.sources;
    const [first] = this.curves;
    if (!source || !first) return;
    const { view } = this;
    const place = this.hovered ?? view.chosen;
    const places = view.course(source, first)?.places ?? new Float64Array(0);
    const value = (of: Source | undefined, curve: Curve): number | undefined =>
      of && valueAt(view.course(of, curve), place);
    const values = this.curves.map((curve) => ({ now: value(source, curve), pinned: value(pinned, curve) }));
    this.table.write(`${formatNumber(places[nearestRow(places, place)] ?? NaN)} ${view.unit}`, values);
  }

  // ---- zooming ----

  private showWhole(): void {
    for (const shown of this.panels) shown.part = undefined;
    this.showRange(this.view.whole(this.sources, this.curves));
  }

  private moveRange(parts: number): void {
    this.showRange(this.view.moved(parts, this.view.whole(this.sources, this.curves)));
  }

  /** Shows a range of the abscissa. Reads its rows if they are not loaded. */
  private showRange(range: Range): void {
    const { source, sources, view } = this;
    if (!view.show(range, view.whole(sources, this.curves))) return;
    const read = view.over === "frequency" ? [] : sources.map((each) => each.zoom(view.span));
    this.draw();
    Promise.all(read)
      .then((news) => {
        if (news.includes(true) && this.source === source) this.build(); // spectra may be available now
      })
      .catch((error: unknown) => (this.note.textContent = errorText(error)));
  }

  /** Shows a part of the plane of paths, or all of it. */
  private showPart(panel: Panel, part: { x: Range; y: Range } | undefined): void {
    const shown = this.panels.find((each) => each.panel === panel);
    if (shown) shown.part = part;
    this.draw();
  }

  // ---- files ----

  /** Saves the visible rows; for paths over time. */
  private saveCsv(): void {
    const columns = this.sources.flatMap((source) => {
      const run = source === this.source ? "" : ", pinned";
      const head = ({ title, unit }: Column): string => `${title}${unit && ` [${unit}]`}${run}`;
      const courses = this.curves.flatMap((curve) => {
        const course = this.view.course(source, curve);
        return course ? [{ head: head(curve), course }] : [];
      });
      return csvColumns(`${this.view.over === "frequency" ? "f [Hz]" : "t [s]"}${run}`, courses, this.view.range);
    });
    save(new Blob([csvText(columns)], { type: "text/csv" }), this.fileName("csv"));
  }

  private get shownPanels(): Panel[] {
    return this.panels.map(({ panel }) => panel);
  }

  private saveSvg(): Promise<void> {
    const { draw, width, height } = drawingOf(this.shownPanels);
    return saveSvg(draw, width, height, this.fileName("svg"));
  }

  private async savePicture(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.note.textContent = errorText(error);
    }
  }

  private fileName(extension: string): string {
    return `${this.model.replace(/[^\w-]+/g, "_") || "plots"}.${extension}`;
  }
}
