// Draws the selection and the display options over the mechanism.
import { byId, cssColour } from "../app/dom";
import { overlayTexts } from "../app/texts";
import { DisplayOptions, type DisplayOption } from "../interaction/display_options";
import { pickElements, type Element, type View } from "../interaction/picking";
import { isSelected, onSelection, select, toggleSelected } from "../interaction/selection";
import { save } from "../results/downloads";
import type { Reading, Readings } from "../solver/solver_readings";
import type { Traced, TracedCurve } from "../solver/sweep";
import type { Player } from "./animation";
import { Arrows } from "./arrows";
import { drawInstantCentres, drawMassCentres } from "./centres";
import { drawDriven } from "./driven";
import type { Pair } from "./geometry";
import { drawHighlight } from "./highlight";
import { Labels } from "./labels";
import { Pose } from "./pose";
import type { Recorded } from "./recorded";
import type { Scene } from "./scene";
import { Trace } from "./trace";

/** The quantity that an option reads from the solver. */
const READS: Partial<Record<DisplayOption, Reading>> = {
  "mass-centres": "mass centre",
  velocities: "velocities",
  accelerations: "accelerations",
  forces: "forces",
  "instant-centres": "instant centres",
};

/** Height of the hint above the lower edge, over the scales of arrows and the numbers of the axis [pixels]. */
const HINT_ABOVE = 50;

/** A click within this distance of the previous one is at the same position [pixels]. */
const SAME_PLACE = 3;

/** Returns the index of the selected element in a list; -1 if none is selected. */
function selectedOf(elements: Element[]): number {
  return elements.findIndex(({ kind, index }) => isSelected(kind, index));
}

/** Draws a hint that the trace needs a click on a point. */
function drawTraceHint(context: CanvasRenderingContext2D, { camera }: View): void {
  const [width, height] = camera.corner;
  context.font = "13px system-ui, sans-serif";
  context.fillStyle = cssColour("--text");
  context.textAlign = "center";
  context.fillText(overlayTexts.traceNeeds, width / 2, height - HINT_ABOVE);
  context.textAlign = "left";
}

export class Overlays {
  readonly options: DisplayOptions;
  private readonly labels = new Labels();
  private readonly arrows = new Arrows();
  private readonly trace = new Trace();
  /** True if a hint asks for the point of the trace. */
  private asksForPoint = false;
  /** Quantities at the position of the dragged mechanism. */
  private readings: Readings = {};
  /** The pixel of the last click. */
  private clicked: Pair | undefined;
  /** The names of the joints that drivers move. */
  private driven: ReadonlySet<string> = new Set();
  /** The data of the shown result. */
  private recorded: Recorded | undefined;

  /** Calls `onChange` when other quantities must be read, or when the action of a press has changed. */
  constructor(
    private readonly player: Player,
    onChange: (toggle?: DisplayOption) => void,
  ) {
    this.options = new DisplayOptions((toggle) => {
      if (toggle === "trace") this.asksForPoint = this.options.has("trace");
      this.player.redraw();
      this.readRecorded();
      onChange(toggle);
    });
    player.addLayer((context, view) => this.draw(context, view));
    player.onClick({
      click: (pixel, reach, view, next, more) => {
        const [first] = pickElements(pixel, reach, view);
        if (more && first) return toggleSelected({ kind: first.kind, index: first.index });
        this.click(this.nextOf(pickElements(pixel, reach, view), pixel, next));
        onChange();
      },
      goThrough: (pixel, reach, view, back) => {
        const elements = pickElements(pixel, reach, view);
        const element = elements[selectedOf(elements) + (back ? -1 : 1)];
        if (!element || elements.length < 2) return false;
        this.click(element);
        onChange();
        return true;
      },
    });
    onSelection(() => player.redraw());
    const curve = byId("save-curve", HTMLButtonElement);
    curve.addEventListener("click", () => void this.saveCurve());
    curve.closest("details")?.addEventListener("toggle", () => (curve.disabled = !this.columns));
  }

  /** The coordinates of the path that is drawn; undefined if there is none. */
  private get columns(): Float64Array[] | undefined {
    return this.options.has("trace") ? this.trace.columns : undefined;
  }

  private async saveCurve(): Promise<void> {
    const { columns } = this;
    if (!columns) return;
    const { csvText } = await import("../plots/plot_files");
    const heads = ["x [m]", "y [m]", "z [m]"];
    const text = csvText(columns.map((values, axis) => ({ head: heads[axis] as string, values })));
    save(new Blob([text], { type: "text/csv" }), "curve.csv");
  }

  /** The quantities that the solver must return at each position. */
  get wanted(): Reading[] {
    return Object.entries(READS).flatMap(([toggle, reading]) => (this.options.has(toggle as DisplayOption) ? [reading] : []));
  }

  /** The point whose curve is still to be computed; undefined if there is none. */
  get traced(): Traced | undefined {
    return this.options.has("trace") ? this.trace.unknown : undefined;
  }

  /** Draws the path of a point of the scene, such as "coupler.P". */
  tracePoint(name: string, { points, bodies }: Scene): void {
    const point = points.findIndex((each) => `${bodies[each.body]?.name}.${each.name}` === name);
    if (point < 0) return;
    this.trace.of({ point });
    this.options.switchOn("trace");
  }

  /** Prepares for another mechanism. */
  begin(): void {
    this.trace.of(undefined);
    this.options.switchOff("trace");
    this.asksForPoint = false;
  }

  /** Sets the names of the joints that drivers move. */
  markDriven(names: ReadonlySet<string>): void {
    this.driven = names;
  }

  /** Shows quantities at the current position. `reset`: the mechanism has changed, so that its curves are obsolete. */
  showReadings(readings: Readings, reset: boolean): void {
    this.readings = readings;
    if (reset) this.trace.forget();
  }

  /** Sets the data of the shown result; undefined while the mechanism is shown that can be dragged. */
  record(recorded: Recorded | undefined): void {
    this.recorded = recorded;
    for (const [toggle, reading] of Object.entries(READS))
      this.options.explain(toggle as DisplayOption, recorded?.lacks(reading));
    this.readRecorded();
  }

  /** Reads the quantities of the result that the options show. */
  private readRecorded(): void {
    // Quantities that cannot be read are not drawn, for example while the service is offline.
    this.recorded?.load(this.wanted).then(() => this.player.redraw(), () => undefined);
  }

  setCurve(curve: TracedCurve, traced: Traced): void {
    this.trace.setCurve(curve, traced);
    this.player.redraw();
  }

  /** Returns the element that a click selects. Another click at the same position, or one with Alt (`next`), selects
   * the next element there. */
  private nextOf(elements: Element[], pixel: Pair, next: boolean): Element | undefined {
    const before = this.clicked;
    this.clicked = pixel;
    const same = before && Math.hypot(pixel[0] - before[0], pixel[1] - before[1]) <= SAME_PLACE;
    return elements[same || next ? (selectedOf(elements) + 1) % elements.length : 0];
  }

  private click(element: Element | undefined): void {
    if (!element) return select(undefined);
    const { kind, index } = element;
    this.trace.of(element.traced);
    if (isSelected(kind, index)) this.player.redraw();
    else select({ kind, index });
  }

  private known({ motion }: View): Readings {
    if (motion instanceof Pose) return this.readings;
    return this.recorded?.motion === motion ? this.recorded.at(this.wanted) : {};
  }

  private draw(context: CanvasRenderingContext2D, view: View): void {
    const { options } = this;
    const known = this.known(view);
    drawHighlight(context, view);
    drawDriven(context, view, this.driven);
    if (options.has("trace")) this.trace.draw(context, view);
    if (this.asksForPoint && !this.trace.hasPlace(view)) drawTraceHint(context, view);
    if (options.has("mass-centres")) drawMassCentres(context, view, known.massCentre);
    if (options.has("instant-centres") && known.instantCentres)
      drawInstantCentres(context, view, known.instantCentres);
    this.arrows.draw(context, view, known);
    if (options.has("labels")) this.labels.draw(context, view);
  }
}
