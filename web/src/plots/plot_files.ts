// Saves the plots: the rows as CSV, the panels as PNG or SVG.
import { cssColour, paletteColour } from "../app/dom";
import { plotTexts } from "../app/texts";
import type { Range } from "./decimate";
import type { Drawn, Line } from "./panel";
import type { Course } from "./views";

/** A column of a CSV file with its header. */
export interface CsvColumn {
  head: string;
  values: ArrayLike<number>;
}

/** Writes a text as a CSV field. A text that a spreadsheet would evaluate as a formula gets an apostrophe in front. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes a number as in the CSV of the service, with the digits that restore the same double. */
function numberField(value: number | undefined): string {
  if (value === undefined) return "";
  return Number.isNaN(value) ? "nan" : String(value).replace("Infinity", "inf");
}

/** Writes columns below their headers; shorter columns end in empty fields. */
export function csvText(columns: CsvColumn[]): string {
  const rows = Math.max(0, ...columns.map(({ values }) => values.length));
  const lines = [columns.map(({ head }) => field(head)).join(",")];
  for (let row = 0; row < rows; row++) lines.push(columns.map(({ values }) => numberField(values[row])).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

/** Returns the columns of courses with the same places, within a range; `place` is the header of the places. */
export function csvColumns(place: string, courses: { head: string; course: Course }[], range: Range): CsvColumn[] {
  const places = courses[0]?.course.places ?? new Float64Array(0);
  const within = places.map((value) => Number(value >= range[0] && value <= range[1]));
  const [first, end] = [within.indexOf(1), within.lastIndexOf(1) + 1];
  const part = (values: Float64Array): Float64Array => values.subarray(Math.max(first, 0), end);
  const rest = courses.map(({ head, course }) => ({ head, values: part(course.values) }));
  return [{ head: place, values: part(places) }, ...rest];
}

/** Margin of the picture, and distance between its parts [CSS pixels]. */
const MARGIN = 12;
const LINE_HEIGHT = 20;
const SWATCH = 22;

/** Draws a legend of lines, with as many in a row as fit. Returns its height. */
function drawLegend(context: CanvasRenderingContext2D, lines: Line[], width: number, top: number): number {
  let [x, y] = [MARGIN, top + LINE_HEIGHT / 2];
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const { title, colour, ghost } of lines) {
    const text = ghost ? `${title} (pinned)` : title;
    const space = SWATCH + 6 + context.measureText(text).width + 18;
    if (x > MARGIN && x + space > width) [x, y] = [MARGIN, y + LINE_HEIGHT];
    context.strokeStyle = paletteColour(colour);
    context.lineWidth = 2;
    context.setLineDash(ghost ? [5, 4] : []);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + SWATCH, y);
    context.stroke();
    context.fillStyle = cssColour("--text");
    context.fillText(text, x + SWATCH + 6, y);
    x += space;
  }
  return y + LINE_HEIGHT / 2 - top;
}

/** Draws panels below each other into one PNG picture, each with a legend. */
export async function pictureOf(panels: { canvas: HTMLCanvasElement; lines: Line[] }[]): Promise<Blob> {
  const scale = devicePixelRatio;
  const picture = document.createElement("canvas");
  const context = picture.getContext("2d");
  if (!context) throw new Error(plotTexts.noPicture);
  const width = Math.max(...panels.map(({ canvas }) => canvas.width)) / scale;
  const heights = panels.map(({ canvas, lines }) => canvas.height / scale + drawLegend(context, lines, width, 0));
  const height = heights.reduce((sum, part) => sum + part + MARGIN, MARGIN);
  [picture.width, picture.height] = [width * scale, height * scale];
  context.scale(scale, scale);
  context.fillStyle = cssColour("--card");
  context.fillRect(0, 0, width, height);
  let top = MARGIN;
  panels.forEach(({ canvas, lines }, i) => {
    context.drawImage(canvas, 0, top, canvas.width / scale, canvas.height / scale);
    drawLegend(context, lines, width, top + canvas.height / scale);
    top += (heights[i] ?? 0) + MARGIN;
  });
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(plotTexts.pictureFailed))));
  });
}

/** Draws a panel's axes and the visible part of its curves. Numbers and the label are horizontal. */
function drawPanel(context: CanvasRenderingContext2D, drawn: Drawn, lines: Line[], top: number): void {
  const { area, x, y, label, curves } = drawn;
  const { left, width, height } = area;
  const [from, to] = [top + area.top, top + area.top + height];
  const draw = (points: [number, number][]): void => {
    context.beginPath();
    points.forEach(([px, py], i) => (i === 0 ? context.moveTo(px, py) : context.lineTo(px, py)));
    context.stroke();
  };
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = cssColour("--faint");
  context.strokeStyle = cssColour("--grid");
  context.lineWidth = 1;
  context.setLineDash([]);
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const { at, text } of x) {
    draw([[at, from], [at, to]]);
    if (text) context.fillText(text, at, to + 14);
  }
  context.textAlign = "right";
  for (const { at, text } of y) {
    draw([[left, top + at], [left + width, top + at]]);
    if (text) context.fillText(text, left - 5, top + at);
  }
  context.textAlign = "left";
  context.fillText(label, 2, from + 4);
  context.beginPath();
  context.rect(left, from, width, to - from);
  context.clip();
  curves.forEach((pieces, i) => {
    const { colour = 0, ghost = false } = lines[i] ?? {};
    context.strokeStyle = paletteColour(colour);
    context.lineWidth = 1.5;
    context.setLineDash(ghost ? [5, 4] : []);
    for (const piece of pieces) draw(piece.map(([px, py]) => [px, top + py]));
  });
  context.restore();
}

/** Draws panels below each other, each with a legend, for `saveSvg`. */
export function drawingOf(panels: { drawn: Drawn; lines: Line[] }[]) {
  const shown = panels.map(({ drawn, lines }) => ({ drawn, lines }));
  const width = Math.max(...shown.map(({ drawn }) => drawn.width));
  const ruler = document.createElement("canvas").getContext("2d");
  if (!ruler) throw new Error(plotTexts.noPicture);
  const heights = shown.map(({ drawn, lines }) => drawn.height + drawLegend(ruler, lines, width, 0));
  const height = heights.reduce((sum, part) => sum + part + MARGIN, MARGIN);
  const draw = (context: CanvasRenderingContext2D): void => {
    context.fillStyle = cssColour("--card");
    context.fillRect(0, 0, width, height);
    let top = MARGIN;
    shown.forEach(({ drawn, lines }, i) => {
      drawPanel(context, drawn, lines, top);
      drawLegend(context, lines, width, top + drawn.height);
      top += (heights[i] ?? 0) + MARGIN;
    });
  };
  return { draw, width, height };
}
