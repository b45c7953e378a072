// Parallel coordinates: an axis for each parameter and output, a line for each run. A drag along an axis selects the
// runs within a range; a click on a line chooses its run. Outputs of failed runs are below the axes.
import { cssColour, h } from "../app/dom";
import { studyTexts } from "../app/texts";
import type { StudySelection, Range } from "./study_selection";
import { Density } from "./density";
import { titleOf, type Column } from "./runs";
import { rowColours, scaleOf, ticksOf, type Scale } from "./scales";
import { FONT, FittedCanvas } from "./fitted_canvas";

/** Maximum number of lines. */
export const LINES_MOST = 20_000;
/** Maximum number of lines while ranges change; all are drawn after REST without a change [ms]. */
const LINES_MEANWHILE = 3000;
const REST = 250;
/** Minimum distance of axes, and margins [CSS pixels]. Numbers that are wider than the gap are condensed. */
const LEAST_GAP = 28;
/** If the axes would be closer than this, they get the whole width and the diagrams are below [CSS pixels]. */
const GOOD_GAP = 76;
/** Width of the axes beside the diagrams, as a fraction of the whole. */
const SHARE = 0.55;
const MARGIN = { bottom: 14, side: 44 };
/** Height above the axes for headings in one line, and the part of a slanted heading's length that it takes. */
const HEADINGS = 30;
const SLANT = Math.sin(Math.PI / 3);
/** Height of the area below the axes for missing outputs [CSS pixels]. */
const GUTTER = 16;
/** Minimum distance of an axis's numbers [CSS pixels]. */
const TICK_GAP = 45;
/** A press that moves less is a click [CSS pixels]. */
const CLICK_MOST = 3;
/** Maximum distance of a click from a line [CSS pixels]. */
const REACH = 14;
/** Lines are opaque if there are at most OPAQUE^2 of them. */
const OPAQUE = 4;

interface Axis {
  column: Column;
  x: number;
  scale: Scale;
  /** Position on the axis at which the line of each row crosses it. */
  ys: Float32Array;
}

function opacityOf(lines: number): number {
  return Math.max(0.04, Math.min(1, OPAQUE / Math.sqrt(lines)));
}

export class Parallel {
  private readonly inner = h("div", { className: "parallel-inner" });
  private readonly back: FittedCanvas;
  private readonly front: FittedCanvas;
  private readonly top: FittedCanvas;
  private axes: Axis[] = [];
  /** The elements of the axes, with their headings. */
  private strips = new Map<Column, HTMLElement>();
  /** Distance of the axes, and position of their upper ends [CSS pixels]. */
  private gap = 0;
  private head = HEADINGS;
  private backIsDrawn = false;
  private frameRequest = 0;
  private resting = 0;

  constructor(
    host: HTMLElement,
    private readonly selection: StudySelection,
  ) {
    const box = h("div", { className: "parallel scroll", tabIndex: 0 }, this.inner);
    box.setAttribute("role", "application");
    box.setAttribute("aria-label", studyTexts.parallel);
    host.append(box);
    [this.back, this.front, this.top] = [new FittedCanvas(this.inner), new FittedCanvas(this.inner), new FittedCanvas(this.inner)];
    this.inner.addEventListener("click", (event) => this.pick(event));
    new ResizeObserver(() => this.layout()).observe(box);
    selection.onChange((change) => {
      if (change === "rows" || change === "looks") this.layout();
      if (change === "brush") this.paintSoon();
      if (change === "chosen") this.drawTop();
    });
  }

  private get bottom(): number {
    return this.inner.clientHeight - MARGIN.bottom - GUTTER;
  }

  private layout(): void {
    const { columns } = this.selection.runs;
    const view = this.inner.closest("#study-view");
    const needed = Math.max(0, columns.length - 1) * GOOD_GAP + 2 * MARGIN.side;
    if (view && view.clientWidth > 0) view.classList.toggle("many-axes", needed > SHARE * view.clientWidth);
    this.inner.style.minWidth = `${Math.max(0, columns.length - 1) * LEAST_GAP + 2 * MARGIN.side}px`;
    for (const sheet of [this.back, this.front, this.top]) sheet.fit();
    const { width } = this.top;
    if (width === 0) return;
    const gap = (width - 2 * MARGIN.side) / Math.max(1, columns.length - 1);
    this.gap = gap;
    this.showHeadings(columns);
    if (this.bottom <= this.head) return;
    this.axes = columns.map((column, k) => {
      const x = columns.length > 1 ? MARGIN.side + k * gap : width / 2;
      const scale = scaleOf(column, this.bottom, this.head);
      const missing = this.bottom + GUTTER;
      const ys = Float32Array.from(column.values, (value) => (Number.isFinite(value) ? scale(value) : missing));
      const strip = this.strips.get(column) as HTMLElement;
      strip.style.left = `${x}px`;
      const atEdge = k === 0 || k === columns.length - 1;
      strip.style.setProperty("--gap", `${atEdge ? Math.min(gap, 2 * MARGIN.side) : gap}px`);
      return { column, x, scale, ys };
    });
    this.paint();
    this.paintBack();
  }

  /** Shows the headings of the axes, slanted if the axes are narrow, and places the axes below them. */
  private showHeadings(columns: Column[]): void {
    const slanted = this.gap < GOOD_GAP;
    this.inner.classList.toggle("narrow", slanted);
    this.strips = new Map(columns.map((column) => [column, this.strips.get(column) ?? this.makeStrip(column)]));
    const canvases = [this.back, this.front, this.top].map(({ canvas }) => canvas);
    this.inner.replaceChildren(...canvases, ...this.strips.values());
    const lengths = [...this.inner.querySelectorAll<HTMLElement>(".axis-name")].map(({ offsetWidth }) => offsetWidth);
    this.head = slanted ? HEADINGS / 2 + SLANT * Math.max(0, ...lengths) : HEADINGS;
    this.inner.style.setProperty("--top", `${this.head}px`);
  }

  /** Paints once in the next frame, even if several changes happen before. */
  private paintSoon(): void {
    cancelAnimationFrame(this.frameRequest);
    clearTimeout(this.resting);
    const few = this.selection.selected <= LINES_MEANWHILE;
    this.frameRequest = requestAnimationFrame(() => this.paint(LINES_MEANWHILE));
    if (!few) this.resting = window.setTimeout(() => this.paint(), REST);
  }

  /** Paints all lines pale, behind the selected ones. */
  private paintBack(): void {
    const { runs, ranges } = this.selection;
    this.back.clear();
    this.backIsDrawn = ranges.size > 0;
    if (!this.backIsDrawn) return;
    const every = Math.max(1, Math.ceil(runs.count / LINES_MOST));
    const density = new Density(this.back);
    for (let row = 0; row < runs.count; row += every) if (runs.made(row)) this.line(density, row, 0);
    density.paint([cssColour("--faint")], opacityOf(runs.count / every) / 3);
  }

  private paint(most = LINES_MOST): void {
    const { selection, front } = this;
    if (this.axes.length === 0) return;
    if (selection.ranges.size > 0 !== this.backIsDrawn) this.paintBack();
    const every = Math.max(1, Math.ceil(selection.selected / most));
    const colours = rowColours(selection);
    const density = new Density(front);
    let seen = 0;
    selection.mask.forEach((selected, row) => {
      if (!selected || seen++ % every !== 0) return;
      this.line(density, row, colours.of(row));
    });
    density.paint(colours.list, opacityOf(selection.selected / every));
    this.drawTop();
  }

  private line(density: Density, row: number, colour: number): void {
    for (let k = 1; k < this.axes.length; k++) {
      const [left, right] = [this.axes[k - 1] as Axis, this.axes[k] as Axis];
      density.line(left.x, left.ys[row] as number, right.x, right.ys[row] as number, colour);
    }
  }

  private trace(context: CanvasRenderingContext2D, row: number): void {
    context.beginPath();
    for (const { x, ys } of this.axes) context.lineTo(x, ys[row] as number);
  }

  /** Draws the axes, the ranges and the chosen run. */
  private drawTop(): void {
    const { top, selection } = this;
    top.clear();
    const { context } = top;
    if (selection.chosen !== undefined) this.drawChosen(selection.chosen);
    context.font = FONT;
    context.textBaseline = "middle";
    for (const axis of this.axes) {
      context.fillStyle = cssColour("--faint");
      context.fillRect(axis.x - 0.5, this.head, 1, this.bottom - this.head);
      const range = selection.ranges.get(axis.column);
      if (range) this.drawRange(context, axis.x, this.ends(axis.scale, range), cssColour("--accent"));
      this.drawTicks(context, axis);
    }
    const failed = selection.withFailed && selection.runs.status.some((status) => status > 0);
    const first = this.axes.find(({ column }) => column.kind === "output");
    if (!failed || !first) return;
    context.fillStyle = cssColour("--bad");
    context.textAlign = "right";
    context.fillText("failed", first.x - 6, this.bottom + GUTTER);
    context.textAlign = "left";
  }

  /** Draws the numbers of an axis so that they are legible over lines. */
  private drawTicks(context: CanvasRenderingContext2D, { x, scale }: Axis): void {
    [context.strokeStyle, context.lineWidth, context.lineJoin] = [cssColour("--card"), 4, "round"];
    context.fillStyle = cssColour("--text");
    const ticks = ticksOf(scale, Math.max(2, Math.floor((this.bottom - this.head) / TICK_GAP)));
    const widest = Math.max(...ticks.map(({ text }) => context.measureText(text).width));
    // The numbers are on the left of the axis at the right edge.
    const left = x + 5 + widest > this.top.width;
    context.textAlign = left ? "right" : "left";
    const most = Math.max(this.gap - 9, 1);
    for (const { at, text } of ticks) {
      context.strokeText(text, left ? x - 5 : x + 5, at, most);
      context.fillText(text, left ? x - 5 : x + 5, at, most);
      context.fillRect(x - 3, at - 0.5, 6, 1);
    }
    context.textAlign = "left";
  }

  private drawChosen(row: number): void {
    const { context } = this.top;
    this.trace(context, row);
    [context.strokeStyle, context.lineWidth, context.lineJoin] = [cssColour("--card"), 5, "round"];
    context.stroke();
    [context.strokeStyle, context.lineWidth] = [cssColour(this.selection.runs.failed(row) ? "--bad" : "--text"), 2.5];
    context.stroke();
  }

  private drawRange(context: CanvasRenderingContext2D, x: number, [low, high]: Range, accent: string): void {
    context.fillStyle = accent;
    context.globalAlpha = 0.3;
    context.fillRect(x - 7, high, 14, Math.max(2, low - high));
    context.globalAlpha = 1;
    context.fillRect(x - 7, high - 1, 14, 2);
    context.fillRect(x - 7, low - 1, 14, 2);
  }

  /** Returns the lower and upper end of a range in pixels. */
  private ends(scale: Scale, [low, high]: Range): Range {
    const [least = 0, most = 0] = scale.domain();
    return [scale(Math.max(low, least)), scale(Math.min(high, most))];
  }

  /** Creates the strip of an axis that can be pressed and dragged. */
  private makeStrip(column: Column): HTMLElement {
    const unit = h("span", { className: "unit" }, titleOf(column).slice(column.name.length));
    const name = h("span", { className: `axis-name ${column.kind}`, title: titleOf(column) }, column.name, unit);
    const grip = h("div", { className: "axis-grip" });
    grip.title = studyTexts.brush;
    const strip = h("div", { className: "axis-strip" }, name, grip);
    grip.addEventListener("pointerdown", (event) => this.drag(column, event, grip));
    return strip;
  }

  /** Drags a range from the pressed position, or moves the range that was pressed. */
  private drag(column: Column, event: PointerEvent, grip: HTMLElement): void {
    const axis = this.axes.find((each) => each.column === column);
    if (!axis || event.button !== 0) return;
    event.preventDefault();
    const { scale } = axis;
    const box = this.inner.getBoundingClientRect();
    const within = (y: number): number => Math.min(Math.max(y, this.head), this.bottom);
    const from = event.clientY - box.top;
    const range = this.selection.ranges.get(column);
    const old = range && this.ends(scale, range);
    const moves = old && from < old[0] && from > old[1];
    let dragged = false;
    const move = ({ clientY }: PointerEvent): void => {
      const y = clientY - box.top;
      dragged ||= Math.abs(y - from) > CLICK_MOST;
      if (!dragged) return;
      const by = moves ? Math.min(Math.max(y - from, this.head - old[1]), this.bottom - old[0]) : 0;
      const ends = moves ? [old[0] + by, old[1] + by] : [within(Math.max(from, y)), within(Math.min(from, y))];
      this.selection.brush(column, this.rangeAt(scale, ends as [number, number]));
    };
    const end = (): void => {
      grip.removeEventListener("pointermove", move);
      grip.removeEventListener("pointerup", end);
      grip.removeEventListener("pointercancel", end);
      if (dragged) this.swallowClick(grip);
      else if (range) {
        this.selection.brush(column, undefined);
        this.swallowClick(grip);
      }
    };
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", end);
    grip.addEventListener("pointercancel", end);
  }

  /** Ignores the click event at the end of a drag. */
  private swallowClick(grip: HTMLElement): void {
    const swallow = (click: Event): void => click.stopPropagation();
    grip.addEventListener("click", swallow, { once: true });
    setTimeout(() => grip.removeEventListener("click", swallow));
  }

  /** Returns the values between two positions; at the ends of the axis exactly its ends. */
  private rangeAt(scale: Scale, [low, high]: Range): Range {
    const [least = 0, most = 0] = scale.domain();
    return [low >= this.bottom - 0.5 ? least : scale.invert(low), high <= this.head + 0.5 ? most : scale.invert(high)];
  }

  /** Chooses the line that is nearest to a click. */
  private pick({ clientX, clientY }: MouseEvent): void {
    const box = this.inner.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    const next = this.axes.findIndex((axis) => axis.x >= x);
    const k = next < 0 ? this.axes.length - 1 : Math.max(1, next);
    const [left, right] = [this.axes[k - 1] ?? this.axes[0], this.axes[k] ?? this.axes[0]];
    if (!left || !right) return;
    const part = left === right ? 0 : Math.min(Math.max((x - left.x) / (right.x - left.x), 0), 1);
    let [nearest, least]: [number | undefined, number] = [undefined, REACH];
    this.selection.mask.forEach((selected, row) => {
      if (!selected) return;
      const at = (left.ys[row] as number) * (1 - part) + (right.ys[row] as number) * part;
      if (Math.abs(at - y) < least) [nearest, least] = [row, Math.abs(at - y)];
    });
    if (nearest !== undefined) this.selection.choose(nearest);
  }

  /** Describes in words which lines are omitted. */
  get note(): string {
    const every = Math.ceil(this.selection.selected / LINES_MOST);
    return every > 1 ? studyTexts.lines(every) : "";
  }
}
