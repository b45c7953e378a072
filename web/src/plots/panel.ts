// A panel of the plots: the curves of one unit over an abscissa that all panels share, or along paths.
import uPlot from "uplot";
import { h, paletteColour } from "../app/dom";
import { axisStyle, axisWidth, curveStyle, sparse, tickTexts } from "./axes";
import type { Range } from "./decimate";
import { listenForGestures } from "./plot_gestures";

/** Range of a logarithmic scale below its maximum, as a ratio. */
const LOG_RANGE = 1e-12;

/** Height of the abscissa's numbers [CSS pixels]. */
const ABSCISSA_HEIGHT = 30;

/** Maximum movement between press and release of a click; beyond it the gesture is a drag [CSS pixels]. */
const CLICK_MOST = 3;

/** The appearance of a curve. */
export interface Line {
  title: string;
  /** Index of its colour in the palette. */
  colour: number;
  /** True if it belongs to the pinned run. */
  ghost: boolean;
}

/** A position in a panel, in the units of its scales. */
export interface Place {
  x: number;
  y: number;
}

/** A number of an axis and its position [CSS pixels of the panel]. */
export interface Tick {
  at: number;
  text: string;
}

/** The content of a panel [CSS pixels of the panel]. */
export interface Drawn {
  width: number;
  height: number;
  /** The area of the curves. */
  area: { left: number; top: number; width: number; height: number };
  x: Tick[];
  y: Tick[];
  label: string;
  /** For each line its pieces without gaps. */
  curves: [number, number][][][];
}

export interface PanelOptions {
  lines: Line[];
  /** Label of the ordinate. */
  label: string;
  /** The abscissa's unit; undefined if the panel below shows its numbers. */
  abscissa: string | undefined;
  /** True if the curves are paths, each with its own abscissa, which need not be monotonic. */
  paths: boolean;
  logarithmic: boolean;
  /** The width of the ordinates' numbers, shared by all panels. */
  widths: { most: number };
  /** `place` is undefined if the cursor has left the panel. */
  onHover: (place: Place | undefined) => void;
  onClick: (place: Place, panel: Panel) => void;
  onZoom: (x: Range, y: Range, panel: Panel) => void;
  /** Moves the visible range of the abscissa by this fraction of its length. */
  onMove: (parts: number) => void;
  /** Shows the whole range. */
  onWhole: (panel: Panel) => void;
}

/** Draws a path in pieces with uPlot, which would treat the pixels of many points as ascending. */
function pathAlong(plot: uPlot, series: number, first: number, last: number): uPlot.Series.Paths | null {
  const linear = uPlot.paths.linear?.();
  const stroke = new Path2D();
  const step = Math.max(plot.bbox.width, 16);
  for (let from = first; from < last; from += step) {
    const piece = linear?.(plot, series, from, Math.min(from + step, last));
    if (piece?.stroke instanceof Path2D) stroke.addPath(piece.stroke);
  }
  return { stroke };
}

type Values = ArrayLike<number | null | undefined>;

/** Returns the pieces of a curve: null is a gap, undefined is not. */
function piecesOf(xs: Values, ys: Values): [number, number][][] {
  const pieces: [number, number][][] = [[]];
  for (let i = 0; i < xs.length; i++) {
    const y = ys[i];
    if (y === null) pieces.push([]);
    if (y != null) pieces[pieces.length - 1]?.push([xs[i] as number, y]);
  }
  return pieces.filter((piece) => piece.length > 1);
}

export class Panel {
  private readonly plot: uPlot;
  private readonly host = h("div", { className: "panel" });
  private readonly markers: HTMLElement[];
  /** The numbers of the axes with their values. */
  private readonly ticks: Record<"x" | "y", Tick[]> = { x: [], y: [] };

  constructor(
    parent: HTMLElement,
    private readonly options: PanelOptions,
  ) {
    const { lines, paths } = options;
    parent.append(this.host);
    const none = lines.map((): [number[], number[]] => [[], []]);
    const data = paths ? [null, ...none] : [[], ...lines.map(() => [])];
    this.plot = new uPlot(this.uplotOptions(), data as unknown as uPlot.AlignedData, this.host);
    this.markers = (paths ? lines : [undefined]).map((line) => this.marker(line));
    this.plot.over.append(...this.markers);
    this.listenForClicks();
    listenForGestures(this.plot.over, {
      focused: () => parent.contains(document.activeElement),
      zoom: (factor, left, top) => this.zoomAbout(factor, left, top),
      move: (x, y) => this.moveBy(x, y),
    });
  }

  /** The canvas of the panel. */
  get canvas(): HTMLCanvasElement {
    return this.plot.ctx.canvas;
  }

  get lines(): Line[] {
    return this.options.lines;
  }

  /** The content of the panel, for drawing it elsewhere. */
  get drawn(): Drawn {
    const { plot, options, ticks } = this;
    const at = (value: number, scale: "x" | "y"): number => plot.valToPos(value, scale, true) / devicePixelRatio;
    const { left, top, width, height } = plot.bbox;
    const placed = (scale: "x" | "y"): Tick[] =>
      ticks[scale].map(({ at: value, text }) => ({ at: at(value, scale), text }));
    const data = plot.data as unknown as (Values | [Values, Values] | null)[];
    const curves = options.lines.map((_, i) => {
      const [xs, ys] = options.paths ? (data[i + 1] as [Values, Values]) : [data[0] as Values, data[i + 1] as Values];
      return piecesOf(xs, ys).map((piece) => piece.map(([x, y]): [number, number] => [at(x, "x"), at(y, "y")]));
    });
    const size = { width: plot.width, height: plot.height };
    const ratio = devicePixelRatio;
    const area = { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
    return { ...size, area, x: placed("x"), y: placed("y"), label: options.label, curves };
  }

  /** Width of the abscissa [pixels]. */
  get pixels(): number {
    return Math.max(Math.round(this.plot.bbox.width), 1);
  }

  /** Draws a table of an abscissa and the lines' ordinates, between two abscissas. */
  drawTable(table: uPlot.AlignedData, x: Range): void {
    this.plot.batch(() => {
      this.plot.setData(table, false);
      this.plot.setScale("x", { min: x[0], max: x[1] });
    });
  }

  /** Draws a path for each line, within `x` and `y`. */
  drawPaths(paths: [number[], (number | null)[]][], x: Range, y: Range): void {
    this.plot.batch(() => {
      this.plot.setData([null, ...paths] as unknown as uPlot.AlignedData, false);
      this.plot.setScale("x", { min: x[0], max: x[1] });
      this.plot.setScale("y", { min: y[0], max: y[1] });
    });
  }

  /** Puts the markers at the animation's time: one abscissa, or a position on each path. */
  mark(places: (number | Place | undefined)[]): void {
    const [width, height] = [this.plot.bbox.width, this.plot.bbox.height].map((pixels) => pixels / devicePixelRatio);
    this.markers.forEach((marker, i) => {
      const place = places[i];
      const [x, y] = typeof place === "object" ? [place.x, place.y] : [place ?? NaN, undefined];
      const left = this.plot.valToPos(x, "x");
      const top = y === undefined ? 0 : this.plot.valToPos(y, "y");
      marker.hidden = !(left >= 0 && left <= (width ?? 0) && top >= 0 && top <= (height ?? 0));
      marker.style.transform = `translate(${left}px, ${top}px)`;
    });
  }

  /** Returns the distance of two positions [CSS pixels]. */
  distance(one: Place, other: Place): number {
    const between = (scale: "x" | "y"): number =>
      this.plot.valToPos(one[scale], scale) - this.plot.valToPos(other[scale], scale);
    return Math.hypot(between("x"), between("y"));
  }

  /** Adapts to the available size, and to the common width of the ordinates' numbers. */
  fit(): void {
    const size = this.size();
    if (size.width !== this.plot.width || size.height !== this.plot.height) this.plot.setSize(size);
    else this.plot.redraw(false, true);
  }

  destroy(): void {
    this.plot.destroy();
    this.host.remove();
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(this.host.clientWidth, 200), height: Math.max(this.host.clientHeight, 60) };
  }

  private uplotOptions(): uPlot.Options {
    const { lines, paths, logarithmic } = this.options;
    const whole = () => (): null => {
      this.options.onWhole(this);
      return null;
    };
    const range = (_: uPlot, least: number, greatest: number): uPlot.Range.MinMax =>
      uPlot.rangeLog(Math.max(least || LOG_RANGE, (greatest || 1) * LOG_RANGE), greatest || 1, 10, false);
    return {
      ...this.size(),
      mode: (paths ? 2 : 1) as uPlot.Mode,
      legend: { show: false },
      cursor: {
        drag: { x: true, y: paths, setScale: false },
        points: { show: !paths, size: 6 },
        y: paths,
        // A drag with Shift moves the visible range.
        bind: { dblclick: whole, mousedown: (_, __, begin) => (event) => (event.shiftKey ? null : begin(event)) },
        // Panels share the cursor, but not the selection, which `onZoom` reports.
        ...(!paths && { sync: { key: "plots", scales: ["x", null], filters: { pub: isMove, sub: isMove } } }),
      },
      scales: { x: { time: false, auto: !paths }, y: logarithmic ? { distr: 3, range, auto: !paths } : { auto: !paths } },
      axes: this.axes(),
      series: [{}, ...lines.map((line) => this.series(line))],
      hooks: {
        setCursor: [(plot) => this.hover(plot)],
        setSelect: [(plot) => this.select(plot)],
      },
    };
  }

  private axes(): uPlot.Axis[] {
    const { abscissa, label, widths } = this.options;
    const axis = axisStyle();
    const size = (plot: uPlot, texts: string[] | null, number: number): number =>
      (widths.most = Math.max(widths.most, axisWidth(plot, texts, plot.axes[number] as uPlot.Axis)));
    const texts =
      (scale: "x" | "y", unit: string) =>
      (_: uPlot, ticks: (number | null)[], __: number, ___: number, distance: number): string[] => {
        const found = tickTexts(ticks, distance).map((text) => text && text + unit);
        this.ticks[scale] = ticks.flatMap((at, i) => (at === null ? [] : [{ at, text: found[i] ?? "" }]));
        return found;
      };
    const values = texts("x", abscissa ? ` ${abscissa}` : "");
    const silent = (...known: Parameters<typeof values>): string[] => {
      values(...known);
      this.ticks.x.forEach((tick) => (tick.text = ""));
      return [];
    };
    const below = abscissa === undefined ? { size: 8, values: silent } : { size: ABSCISSA_HEIGHT, values };
    return [
      { ...axis, ...below },
      { ...axis, grid: { ...axis.grid, filter: sparse }, scale: "y", size, values: texts("y", ""), label },
    ];
  }

  private series({ title, colour, ghost }: Line): uPlot.Series {
    const facets = { facets: [{ scale: "x" }, { scale: "y" }], paths: pathAlong } as Partial<uPlot.Series>;
    return {
      label: title,
      scale: "y",
      ...curveStyle(colour),
      ...(ghost && { dash: [5, 4], alpha: 0.65 }),
      ...(this.options.paths && facets),
    };
  }

  private marker(line: Line | undefined): HTMLElement {
    if (!line) return h("div", { className: "plot-marker" });
    const dot = h("div", { className: line.ghost ? "plot-dot ghost" : "plot-dot", hidden: true });
    dot.style.setProperty("--dot", paletteColour(line.colour));
    return dot;
  }

  private placeAt(plot: uPlot, left: number, top: number): Place {
    return { x: plot.posToVal(left, "x"), y: plot.posToVal(top, "y") };
  }

  private hover(plot: uPlot): void {
    const { left = -1, top = -1 } = plot.cursor;
    this.options.onHover(left < 0 ? undefined : this.placeAt(plot, left, top));
  }

  private select(plot: uPlot): void {
    const { left, top, width, height } = plot.select;
    if (width <= CLICK_MOST && height <= CLICK_MOST) return;
    const [low, high] = [this.placeAt(plot, left, top + height), this.placeAt(plot, left + width, top)];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.options.onZoom([low.x, high.x], [low.y, high.y], this);
  }

  private zoomAbout(factor: number, left: number, top: number): void {
    const { x, y } = this.placeAt(this.plot, left, top);
    const about = (centre: number, scale: "x" | "y"): Range => {
      const [from, to] = this.shown(scale);
      return [centre - (centre - from) * factor, centre + (to - centre) * factor];
    };
    this.options.onZoom(about(x, "x"), about(y, "y"), this);
  }

  /** Moves the visible range with the pointer. */
  private moveBy(x: number, y: number): void {
    const { width, height } = this.plot.over.getBoundingClientRect();
    const [right, up] = [-x / width, y / height];
    if (!this.options.paths) return this.options.onMove(right);
    const moved = (scale: "x" | "y", parts: number): Range => {
      const [from, to] = this.shown(scale);
      return [from + parts * (to - from), to + parts * (to - from)];
    };
    this.options.onZoom(moved("x", right), moved("y", up), this);
  }

  private shown(scale: "x" | "y"): Range {
    const { min, max } = this.plot.scales[scale] ?? {};
    return [min ?? 0, max ?? 1];
  }

  /** Listens for clicks. The browser also reports a click at the end of a drag, which is ignored. */
  private listenForClicks(): void {
    const { over } = this.plot;
    let pressed = { x: 0, y: 0 };
    over.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (pressed = { x, y }));
    over.addEventListener("click", ({ clientX, clientY }) => {
      if (Math.hypot(clientX - pressed.x, clientY - pressed.y) > CLICK_MOST) return;
      const { left, top } = over.getBoundingClientRect();
      this.options.onClick(this.placeAt(this.plot, clientX - left, clientY - top), this);
    });
  }
}

function isMove(type: string): boolean {
  return type === "mousemove" || type === "mouseleave";
}
