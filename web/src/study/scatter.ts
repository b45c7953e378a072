// Runs as points over two of their parameters and outputs, coloured by a third. A run without a value is a cross beyond
// the axis.
import { group } from "d3-array";
import { cssColour, h } from "../app/dom";
import { studyTexts } from "../app/texts";
import { parts } from "../drawing/colours";
import type { StudySelection } from "./study_selection";
import { ColumnChoice } from "./columns";
import { axisOf, BEYOND, COLOURS_WIDTH, drawColours, drawFrame, EDGE, endsOf } from "./frame";
import type { Column } from "./runs";
import { colourSteps, rowColours, scaleOf } from "./scales";
import { FONT, FittedCanvas, shuffled } from "./fitted_canvas";

/** Maximum number of points. With more than FEW they are squares, which are faster to draw. */
export const POINTS_MOST = 100_000;
const FEW = 3000;
const RADIUS = 3.2;
const SQUARE = 2;
/** Maximum distance of a click from a point [CSS pixels]. */
const REACH = 16;

export class Scatter {
  private readonly sheet: FittedCanvas;
  private readonly points: FittedCanvas;
  private readonly top: FittedCanvas;
  private readonly box = h("div", { className: "diagram", tabIndex: 0 });
  private readonly x = new ColumnChoice("x", () => this.draw());
  private readonly y = new ColumnChoice("y", () => this.draw());
  private readonly colour: ColumnChoice;
  private xs: Float32Array = new Float32Array(0);
  private ys: Float32Array = new Float32Array(0);
  private frameRequest = 0;

  constructor(
    host: HTMLElement,
    private readonly selection: StudySelection,
  ) {
    this.colour = new ColumnChoice(studyTexts.colour, () => selection.colourBy(this.colour.column), studyTexts.oneColour);
    this.box.setAttribute("role", "application");
    this.box.setAttribute("aria-label", studyTexts.points);
    host.append(h("div", { className: "tools" }, this.x.label, this.y.label, this.colour.label), this.box);
    [this.sheet, this.points, this.top] = [new FittedCanvas(this.box), new FittedCanvas(this.box), new FittedCanvas(this.box)];
    this.box.addEventListener("click", (event) => this.pick(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
    selection.onChange((change) => {
      if (change === "chosen") this.drawTop();
      else this.drawSoon();
    });
  }

  /** Draws once in the next frame, even if several changes happen before. */
  private drawSoon(): void {
    cancelAnimationFrame(this.frameRequest);
    this.frameRequest = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    const { sheet, selection } = this;
    const { columns, parameters, outputs } = selection.runs;
    const ordered = [...outputs, ...parameters];
    this.x.offer(columns, 0);
    this.y.offer(ordered, 0);
    this.colour.offer(columns, -1);
    for (const each of [sheet, this.points, this.top]) each.fit();
    const [x, y] = [this.x.column, this.y.column];
    if (!x || !y || sheet.width === 0) return;
    const right = selection.colour ? COLOURS_WIDTH : EDGE.right;
    const across = scaleOf(x, EDGE.left + BEYOND, sheet.width - right - 4);
    const up = scaleOf(y, sheet.height - EDGE.bottom - BEYOND, EDGE.top + 4);
    drawFrame(sheet, axisOf(x, across), axisOf(y, up), right);
    if (selection.colour) drawColours(sheet, colourSteps(), endsOf(selection.colour));
    const place = (column: Column, scale: (value: number) => number, missing: number): Float32Array =>
      Float32Array.from(column.values, (value) => (Number.isFinite(value) ? scale(value) : missing));
    this.xs = place(x, across, EDGE.left + BEYOND / 2);
    this.ys = place(y, up, sheet.height - EDGE.bottom - BEYOND / 2);
    this.drawPoints(x, y);
    this.drawTop();
  }

  private drawPoints(x: Column, y: Column): void {
    const { selection } = this;
    const every = Math.max(1, Math.ceil(selection.selected / POINTS_MOST));
    let seen = 0;
    const isDrawn = (row: number): boolean => selection.mask[row] === 1 && seen++ % every === 0;
    const rows = Uint32Array.from(selection.mask.keys()).filter(isDrawn);
    // Failed runs are drawn as crosses, even if they have both values.
    const hasBoth = (row: number): boolean => Number.isFinite((x.values[row] as number) + (y.values[row] as number));
    const isWhole = (row: number): boolean => !selection.runs.failed(row) && hasBoth(row);
    const whole = rows.filter(isWhole);
    if (whole.length <= FEW) this.drawDiscs(whole);
    else this.drawSquares(whole);
    this.drawCrosses(rows.filter((row) => !isWhole(row)));
  }

  private drawDiscs(rows: Uint32Array): void {
    const { context } = this.points;
    const colours = rowColours(this.selection);
    context.globalAlpha = 0.85;
    for (const [colour, some] of group(rows, (row) => colours.of(row))) {
      context.fillStyle = colours.list[colour] as string;
      context.beginPath();
      for (const row of some) {
        const [px, py] = [this.xs[row] as number, this.ys[row] as number];
        context.moveTo(px + RADIUS, py);
        context.arc(px, py, RADIUS, 0, 2 * Math.PI);
      }
      context.fill();
    }
    context.globalAlpha = 1;
  }

  private drawSquares(rows: Uint32Array): void {
    const { context, canvas, ratio } = this.points;
    const colours = rowColours(this.selection);
    const rgb = colours.list.map((colour) => parts(colour) ?? [0, 0, 0]);
    const image = context.createImageData(canvas.width, canvas.height);
    const size = Math.round(SQUARE * ratio);
    const { data } = image;
    for (const row of shuffled(rows)) {
      const left = Math.round((this.xs[row] as number) * ratio - size / 2);
      const top = Math.round((this.ys[row] as number) * ratio - size / 2);
      const [red = 0, green = 0, blue = 0] = rgb[colours.of(row)] as number[];
      for (let i = 0; i < size * size; i++) {
        const at = 4 * ((top + Math.floor(i / size)) * canvas.width + left + (i % size));
        data[at] = red;
        data[at + 1] = green;
        data[at + 2] = blue;
        data[at + 3] = 200;
      }
    }
    context.putImageData(image, 0, 0);
  }

  private drawCrosses(rows: Uint32Array): void {
    if (rows.length === 0) return;
    const { context, height } = this.points;
    context.strokeStyle = context.fillStyle = cssColour("--bad");
    context.lineWidth = 1.2;
    context.beginPath();
    for (const row of rows) {
      const [px, py] = [this.xs[row] as number, this.ys[row] as number];
      context.moveTo(px - 3, py - 3);
      context.lineTo(px + 3, py + 3);
      context.moveTo(px + 3, py - 3);
      context.lineTo(px - 3, py + 3);
    }
    context.stroke();
    context.font = FONT;
    context.textAlign = "right";
    context.fillText("failed", EDGE.left - 5, height - EDGE.bottom - BEYOND / 2);
    context.textAlign = "left";
  }

  private drawTop(): void {
    const { top, selection } = this;
    top.clear();
    const row = selection.chosen;
    if (row === undefined || row >= this.xs.length) return;
    const { context } = top;
    for (const [colour, width] of [[cssColour("--card"), 5], [cssColour("--text"), 2.5]] as const) {
      [context.strokeStyle, context.lineWidth] = [colour, width];
      context.beginPath();
      context.arc(this.xs[row] as number, this.ys[row] as number, 6.5, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  private pick({ clientX, clientY }: MouseEvent): void {
    const { left, top } = this.box.getBoundingClientRect();
    const [x, y] = [clientX - left - this.box.clientLeft, clientY - top - this.box.clientTop];
    let [nearest, least]: [number | undefined, number] = [undefined, REACH];
    this.selection.mask.forEach((selected, row) => {
      if (!selected) return;
      const distance = Math.hypot((this.xs[row] as number) - x, (this.ys[row] as number) - y);
      if (distance < least) [nearest, least] = [row, distance];
    });
    if (nearest !== undefined) this.selection.choose(nearest);
  }

  get note(): string {
    const every = Math.ceil(this.selection.selected / POINTS_MOST);
    return every > 1 ? studyTexts.dots(every) : "";
  }
}
