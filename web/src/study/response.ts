// An output over two parameters as colours: of grid cells, else of bins; averaged over the selected runs with the same
// two values.
import { sort } from "d3-array";
import { cssColour, h } from "../app/dom";
import { studyTexts } from "../app/texts";
import type { StudySelection } from "./study_selection";
import { ColumnChoice } from "./columns";
import { axisOf, COLOURS_WIDTH, drawColours, drawFrame, EDGE, endsOf } from "./frame";
import type { Column } from "./runs";
import { colourSteps, scaleOf, stepper, type Scale } from "./scales";
import { FittedCanvas } from "./fitted_canvas";

/** A parameter with more values is divided into bins, whose number has the same limit. */
const VALUES_MOST = 80;
const BINS_MOST = 30;
/** Average number of runs in a bin. */
const RUNS_OF_BIN = 6;

/** The cells of one parameter: their edges, and the cell of a value. */
interface Cells {
  edges: number[];
  exact: boolean;
  find(value: number): number;
}

interface Cell {
  sum: number;
  count: number;
  failed: number;
  /** The row nearest to the cell's centre. */
  row: number;
  distance: number;
}

export class Response {
  private readonly sheet: FittedCanvas;
  private readonly box = h("div", { className: "diagram", tabIndex: 0 });
  private readonly x = new ColumnChoice("x", () => this.draw());
  private readonly y = new ColumnChoice("y", () => this.draw());
  private readonly of = new ColumnChoice("of", () => this.draw());
  private readonly note = h("p", { className: "faint" });
  private cells = new Map<string, Cell>();
  private found: { across: Scale; up: Scale; columns: Cells; rows: Cells } | undefined;
  private frameRequest = 0;

  constructor(
    host: HTMLElement,
    private readonly selection: StudySelection,
  ) {
    this.box.setAttribute("role", "application");
    this.box.setAttribute("aria-label", studyTexts.cells);
    host.append(h("div", { className: "tools" }, this.x.label, this.y.label, this.of.label), this.box, this.note);
    this.sheet = new FittedCanvas(this.box);
    this.box.addEventListener("click", (event) => this.pick(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
    selection.onChange(() => {
      cancelAnimationFrame(this.frameRequest);
      this.frameRequest = requestAnimationFrame(() => this.draw());
    });
  }

  private draw(): void {
    const { sheet, selection } = this;
    this.x.offer(selection.runs.parameters, 0);
    this.y.offer(selection.runs.parameters, 1);
    this.of.offer(selection.runs.outputs, 0);
    sheet.fit();
    const [x, y, of] = [this.x.column, this.y.column, this.of.column];
    if (!x || !y || !of || sheet.width === 0) return;
    const [columns, rows] = [this.cellsOf(x), this.cellsOf(y)];
    const across = spread(x, columns.edges, EDGE.left, sheet.width - COLOURS_WIDTH - 4);
    const up = spread(y, rows.edges, sheet.height - EDGE.bottom, EDGE.top);
    this.found = { across, up, columns, rows };
    this.fill(x, y, of);
    const means = [...this.cells.values()].flatMap(({ sum, count }) => (count > 0 ? [sum / count] : []));
    const shown = { ...of, range: [Math.min(...means), Math.max(...means)] as [number, number] };
    drawFrame(sheet, axisOf(x, across), axisOf(y, up), COLOURS_WIDTH + 4);
    this.drawCells(shown);
    drawColours(sheet, colourSteps(), endsOf(shown));
    this.drawChosen(x, y);
    this.updateNote(columns.exact && rows.exact);
  }

  /** Returns one cell for each value, or bins if there are too many values. */
  private cellsOf(column: Column): Cells {
    const values = sort(new Set(column.values.filter(Number.isFinite)));
    const scale = scaleOf(column, 0, 1);
    if (values.length <= VALUES_MOST && values.length > 0) {
      const at = new Map(values.map((value, i) => [value, i]));
      return { edges: edgesAround(values, scale), exact: true, find: (value) => at.get(value) ?? -1 };
    }
    const { selected } = this.selection;
    const count = Math.min(Math.max(Math.round(Math.sqrt(selected / RUNS_OF_BIN)), 2), BINS_MOST);
    const edges = Array.from({ length: count + 1 }, (_, i) => scale.invert(i / count));
    const find = (value: number): number =>
      Number.isFinite(value) ? Math.min(Math.max(Math.floor(scale(value) * count), 0), count - 1) : -1;
    return { edges, exact: false, find };
  }

  private fill(x: Column, y: Column, of: Column): void {
    const { selection, found } = this;
    this.cells = new Map();
    if (!found) return;
    const { across, up, columns, rows } = found;
    selection.mask.forEach((selected, row) => {
      if (!selected) return;
      const [xv, yv, value] = [x.values[row] as number, y.values[row] as number, of.values[row] as number];
      const [i, j] = [columns.find(xv), rows.find(yv)];
      if (i < 0 || j < 0) return;
      const key = `${i},${j}`;
      const cell = this.cells.get(key) ?? { sum: 0, count: 0, failed: 0, row, distance: Infinity };
      if (Number.isFinite(value)) {
        cell.sum += value;
        cell.count++;
      } else cell.failed++;
      const [left, right] = [across(columns.edges[i] as number), across(columns.edges[i + 1] as number)];
      const [low, high] = [up(rows.edges[j] as number), up(rows.edges[j + 1] as number)];
      const distance = Math.hypot(across(xv) - (left + right) / 2, up(yv) - (low + high) / 2);
      if (distance < cell.distance) [cell.row, cell.distance] = [row, distance];
      this.cells.set(key, cell);
    });
  }

  private rectangle(key: string): [number, number, number, number] {
    const { across, up, columns, rows } = this.found as NonNullable<Response["found"]>;
    const [i = 0, j = 0] = key.split(",").map(Number);
    const [left, right] = [across(columns.edges[i] as number), across(columns.edges[i + 1] as number)];
    const [low, high] = [up(rows.edges[j] as number), up(rows.edges[j + 1] as number)];
    return [left, high, right - left, low - high];
  }

  private drawCells(of: Column): void {
    const { context } = this.sheet;
    const [steps, step, bad] = [colourSteps(), stepper(of), cssColour("--bad")];
    for (const [key, { sum, count }] of this.cells) {
      const [left, top, width, height] = this.rectangle(key);
      if (count > 0) {
        context.fillStyle = steps[step(sum / count)] as string;
        context.fillRect(left, top, width + 0.5, height + 0.5);
        continue;
      }
      context.strokeStyle = bad;
      context.lineWidth = 1.2;
      const [cx, cy, r] = [left + width / 2, top + height / 2, Math.min(4, width / 3, height / 3)];
      context.beginPath();
      context.moveTo(cx - r, cy - r);
      context.lineTo(cx + r, cy + r);
      context.moveTo(cx + r, cy - r);
      context.lineTo(cx - r, cy + r);
      context.stroke();
    }
  }

  private drawChosen(x: Column, y: Column): void {
    const { chosen } = this.selection;
    const { context } = this.sheet;
    if (chosen === undefined || !this.found) return;
    const { columns, rows } = this.found;
    const key = `${columns.find(x.values[chosen] as number)},${rows.find(y.values[chosen] as number)}`;
    if (!this.cells.has(key)) return;
    for (const [colour, width] of [["--card", 4], ["--text", 2]] as const) {
      [context.strokeStyle, context.lineWidth] = [cssColour(colour), width];
      context.strokeRect(...this.rectangle(key));
    }
  }

  private updateNote(exact: boolean): void {
    const cells = [...this.cells.values()];
    const several = cells.some(({ count, failed }) => count + failed > 1);
    const failed = cells.some(({ count }) => count === 0);
    const parts = [];
    if (several) parts.push(studyTexts.cellMean(exact));
    if (failed) parts.push(studyTexts.cellFailed);
    this.note.textContent = parts.join(" ");
  }

  private pick({ clientX, clientY }: MouseEvent): void {
    const { left, top } = this.box.getBoundingClientRect();
    const [x, y] = [clientX - left - this.box.clientLeft, clientY - top - this.box.clientTop];
    for (const [key, { row }] of this.cells) {
      const [from, high, width, height] = this.rectangle(key);
      if (x >= from && x < from + width && y >= high && y < high + height) return this.selection.choose(row);
    }
  }
}

/** Returns the edges of cells: halfway between values on the scale, and as far beyond the first and last value. */
function edgesAround(values: number[], scale: Scale): number[] {
  const places = values.map((value) => scale(value));
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const between = places.slice(1).map((place, i) => (place + (places[i] as number)) / 2);
  const [low, high] = [between[0] ?? first + 0.5, between.at(-1) ?? last + 0.5];
  const [begin, end] = values.length > 1 ? [2 * first - low, 2 * last - high] : [0, 1];
  return [begin, ...between, end].map((place) => scale.invert(place));
}

/** Returns a scale of a column that includes all of its cells. */
function spread(column: Column, edges: number[], from: number, to: number): Scale {
  const [low, high] = [edges[0] as number, edges.at(-1) as number];
  return scaleOf({ ...column, range: [low, high] }, from, to);
}
