// The progress of a search over its trials: the objective of each trial, and the best so far as a staircase.
import { cssColour, h } from "../app/dom";
import { studyTexts } from "../app/texts";
import type { StudySelection } from "./study_selection";
import { axisOf, BEYOND, drawFrame, EDGE } from "./frame";
import { bestRows, isFeasible } from "./objective";
import type { Column } from "./runs";
import { canBeLog, scaleOf, type Scale } from "./scales";
import { FONT, FittedCanvas } from "./fitted_canvas";

const RADIUS = 3.2;
/** Ratio of the largest and the smallest objective above which the scale is logarithmic. */
const RATIO = 50;

export class Progress {
  private readonly sheet: FittedCanvas;
  private readonly box = h("div", { className: "diagram", tabIndex: 0 });
  private readonly log = h("input", { type: "checkbox" });
  private readonly note = h("p", { className: "faint" });
  /** True until the user chooses the scale; then it follows from the values. */
  private free = true;
  private across: Scale | undefined;
  private frameRequest = 0;

  constructor(
    host: HTMLElement,
    private readonly selection: StudySelection,
  ) {
    this.box.setAttribute("role", "application");
    host.append(h("div", { className: "tools" }, h("label", {}, this.log, "logarithmic")), this.box, this.note);
    this.sheet = new FittedCanvas(this.box);
    this.log.addEventListener("change", () => {
      this.free = false;
      const { objective } = this;
      if (objective) selection.scale(objective, this.log.checked);
    });
    this.box.addEventListener("click", (event) => this.pick(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
    selection.onChange((change) => {
      if (change === "rows") this.suitScale();
      cancelAnimationFrame(this.frameRequest);
      this.frameRequest = requestAnimationFrame(() => this.draw());
    });
  }

  private get objective(): Column | undefined {
    return this.selection.runs.column("objective");
  }

  private suitScale(): void {
    const { objective } = this;
    if (!objective) return;
    const [low, high] = objective.range;
    if (this.free) objective.log = canBeLog(objective) && high > RATIO * low;
    this.log.disabled = !canBeLog(objective);
  }

  private draw(): void {
    const { sheet, objective } = this;
    const { runs } = this.selection;
    sheet.fit();
    if (!objective || sheet.width === 0) return;
    this.log.checked = objective.log;
    const trials: Column = { ...objective, log: false, range: [0, Math.max(1, runs.number(runs.count - 1))] };
    const across = scaleOf(trials, EDGE.left + 4, sheet.width - EDGE.right - 4);
    const up = scaleOf(objective, sheet.height - EDGE.bottom - BEYOND, EDGE.top + 4);
    this.across = across;
    drawFrame(sheet, { scale: across, title: "trial" }, axisOf(objective, up));
    const best = bestRows(runs);
    this.drawTrials(objective, across, up);
    this.drawStairs(objective, best, across, up);
    this.updateNote(objective, best.at(-1) ?? -1);
  }

  /** Draws trials as discs, as rings if they violate constraints, and as crosses below the axis if they have no
   * value. */
  private drawTrials({ values }: Column, across: Scale, up: Scale): void {
    const { runs, mask } = this.selection;
    const { context, height } = this.sheet;
    const [accent, warn, bad] = ["--accent", "--warn", "--bad"].map(cssColour) as [string, string, string];
    const below = height - EDGE.bottom - BEYOND / 2;
    let without = false;
    for (let row = 0; row < runs.count; row++) {
      if (!mask[row]) continue;
      const [x, value] = [across(runs.number(row)), values[row] as number];
      context.beginPath();
      if (runs.failed(row) || !Number.isFinite(value)) {
        without = true;
        [context.strokeStyle, context.lineWidth] = [bad, 1.2];
        context.moveTo(x - 3, below - 3);
        context.lineTo(x + 3, below + 3);
        context.moveTo(x + 3, below - 3);
        context.lineTo(x - 3, below + 3);
        context.stroke();
      } else {
        context.arc(x, up(value), RADIUS, 0, 2 * Math.PI);
        [context.fillStyle, context.strokeStyle, context.lineWidth] = [accent, warn, 1.6];
        if (isFeasible(runs, row)) context.fill();
        else context.stroke();
      }
    }
    if (!without) return;
    [context.font, context.fillStyle, context.textAlign] = [FONT, bad, "right"];
    context.fillText("failed", EDGE.left - 5, below);
    context.textAlign = "left";
  }

  private drawStairs({ values }: Column, best: Int32Array, across: Scale, up: Scale): void {
    const { runs, chosen } = this.selection;
    const { context, width } = this.sheet;
    const text = cssColour("--text");
    context.beginPath();
    let last = NaN;
    best.forEach((at, row) => {
      if (at < 0) return;
      const [x, y] = [across(runs.number(row)), up(values[at] as number)];
      if (Number.isNaN(last)) context.moveTo(x, y);
      else if (y !== last) {
        context.lineTo(x, last);
        context.lineTo(x, y);
      }
      last = y;
    });
    if (!Number.isNaN(last)) context.lineTo(width - EDGE.right, last);
    [context.strokeStyle, context.lineWidth] = [text, 1.6];
    context.stroke();
    if (chosen === undefined || !Number.isFinite(values[chosen])) return;
    context.beginPath();
    context.arc(across(runs.number(chosen)), up(values[chosen] as number), 6.5, 0, 2 * Math.PI);
    context.lineWidth = 2.5;
    context.stroke();
  }

  private updateNote({ values }: Column, best: number): void {
    const { runs } = this.selection;
    const notes = [studyTexts.bestLine];
    if (runs.objective?.constrained) notes.push(studyTexts.rings);
    this.note.textContent = notes.join(" ");
    const value = best < 0 ? studyTexts.noBest : studyTexts.bestOf(values[best] as number, runs.number(best));
    this.box.setAttribute("aria-label", studyTexts.progressOf(value));
  }

  /** Chooses the trial nearest to a position. */
  private pick({ clientX }: MouseEvent): void {
    const { runs } = this.selection;
    if (!this.across || runs.count === 0) return;
    const x = clientX - this.box.getBoundingClientRect().left - this.box.clientLeft;
    const row = Math.min(Math.max(runs.row(this.across.invert(x)), 0), runs.count - 1);
    this.selection.choose(row);
  }
}
