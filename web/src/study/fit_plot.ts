// The data of a fit, the model with the best values at the same times, and the residuals below.
import { readRows, listArrays } from "../app/api";
import { cssColour, h } from "../app/dom";
import { studyTexts } from "../app/texts";
import { infoOf } from "../results/motion";
import { drawFrame, EDGE } from "./frame";
import type { Objective } from "./objective";
import type { Column } from "./runs";
import { scaleOf, type Scale } from "./scales";
import { FittedCanvas } from "./fitted_canvas";

const RADIUS = 2.6;
/** Height of the residuals, as a fraction of the diagram. */
const LOWER = 0.3;

/** A datum: time, measured value, value of the model, and (model - value) / sigma. */
type Datum = [t: number, value: number, model: number, residual: number];

function rangeOf(values: number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function columnOf(name: string, unit: string, range: [number, number]): Column {
  return { name, kind: "output", unit, log: false, values: new Float64Array(0), range };
}

export class FitPlot {
  private readonly sheet: FittedCanvas;
  private readonly box = h("div", { className: "diagram" });
  private readonly of: HTMLSelectElement;
  private readonly note = h("p", { className: "faint" }, studyTexts.dataLater);
  private data: Datum[] = [];

  constructor(
    host: HTMLElement,
    private readonly id: string,
    private readonly objective: Objective,
  ) {
    const options = objective.data.map(({ of }, i) => h("option", { value: String(i) }, of));
    this.of = h("select", {}, ...options);
    this.box.setAttribute("role", "img");
    this.box.setAttribute("aria-label", studyTexts.noData);
    host.append(h("div", { className: "tools" }, h("label", {}, h("span", {}, "of"), this.of)), this.box, this.note);
    this.sheet = new FittedCanvas(this.box);
    this.of.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Reads the residuals after the end of the fit. */
  async end(): Promise<void> {
    const info = infoOf(await listArrays(this.id), "residuals");
    if (!info) return;
    const rows = info.shape[0] ?? 0;
    const { data } = await readRows(this.id, info.name, [0, rows], 1);
    this.data = Array.from({ length: rows }, (_, row) => [...data.subarray(4 * row, 4 * row + 4)] as Datum);
    this.draw();
  }

  redraw(): void {
    this.draw();
  }

  /** The data of the chosen quantity, ordered by time. */
  private get shown(): Datum[] {
    const number = Number(this.of.value);
    const first = this.objective.data.slice(0, number).reduce((sum, { count }) => sum + count, 0);
    const some = this.data.slice(first, first + (this.objective.data[number]?.count ?? 0));
    // An analysis of a single state has no times; the data are then numbered.
    const placed = some.map(([t, ...rest], i): Datum => [Number.isFinite(t) ? t : i, ...rest]);
    return placed.sort(([one], [other]) => one - other);
  }

  private draw(): void {
    const { sheet, shown } = this;
    sheet.fit();
    if (shown.length === 0 || sheet.width === 0) return;
    const middle = EDGE.top + (sheet.height - EDGE.top - EDGE.bottom) * (1 - LOWER);
    const right = sheet.width - EDGE.right - 4;
    const across = scaleOf(columnOf("t", "s", rangeOf(shown.map(([t]) => t))), EDGE.left + 4, right);
    const values = rangeOf(shown.flatMap(([, value, model]) => [value, model]));
    const residuals = rangeOf([...shown.map(([, , , residual]) => residual), 0]);
    const up = scaleOf(columnOf("", "", values), middle - 12, EDGE.top + 4);
    const apart = scaleOf(columnOf("", "", residuals), sheet.height - EDGE.bottom - 4, middle + 4);
    const name = this.objective.data[Number(this.of.value)]?.of ?? "";
    drawFrame(sheet, { scale: across, title: "t [s]" }, { scale: up, title: name }, EDGE.right, middle - 8);
    this.drawModel(shown, across, up);
    this.drawResiduals(shown, across, apart);
    const worst = Math.max(...shown.map(([, , , residual]) => Math.abs(residual)));
    this.note.textContent = studyTexts.fitNote(worst);
    this.box.setAttribute("aria-label", studyTexts.fitOf(name, shown.length, worst));
  }

  private drawModel(shown: Datum[], across: Scale, up: Scale): void {
    const { context } = this.sheet;
    context.beginPath();
    // On an empty path, the first lineTo() acts as moveTo().
    for (const [t, , model] of shown) context.lineTo(across(t), up(model));
    [context.strokeStyle, context.lineWidth] = [cssColour("--accent"), 1.8];
    context.stroke();
    context.fillStyle = cssColour("--text");
    for (const [t, value] of shown) {
      context.beginPath();
      context.arc(across(t), up(value), RADIUS, 0, 2 * Math.PI);
      context.fill();
    }
  }

  private drawResiduals(shown: Datum[], across: Scale, apart: Scale): void {
    const { context, width } = this.sheet;
    context.fillStyle = cssColour("--grid-zero");
    context.fillRect(EDGE.left, apart(0) - 0.5, width - EDGE.left - EDGE.right, 1);
    context.fillStyle = cssColour("--warn");
    for (const [t, , , residual] of shown) {
      const [from, to] = [apart(0), apart(residual)];
      context.fillRect(across(t) - 1, Math.min(from, to), 2, Math.max(1, Math.abs(to - from)));
    }
  }
}
