// The pointer handler of a drawing tool: the user chooses positions with the pointer or keys. Shows the positions and
// what they snap to.
import { cssColour } from "../app/dom";
import { minus, type Pair } from "../drawing/geometry";
import { disc, fillAndStroke, line, path } from "../drawing/strokes";
import { REACH, type PointerHandler } from "../interaction/drag";
import type { View } from "../interaction/picking";
import { drawPreview, drawSnap, rounded, snap, snapStep, type Snap } from "./snapping";
import type { Gesture } from "./tool";
import { evenly } from "./synthesis";
import { typedPlace, wayText } from "./typed_place";

/** Positions within this distance count as equal [pixels]. */
const SAME = 3;

/** Number of positions along a drawn curve. */
const CURVE_PLACES = 8;

/** A length, complete or not, and an angle after "<". */
const TYPED = /^\d*\.?\d*(?:(?<=\d\.?)<-?\d*\.?\d*)?$/;

export class ToolInput implements PointerHandler {
  readonly clicks = true;
  private places: Pair[] = [];
  /** The length, and the angle after "<", that the user types for the next position. */
  private typed = "";
  private cursor: Snap | undefined;
  /** True while the pointer is where it finished an element: nothing of the next element is shown there. */
  private ended = false;
  private held: { from: Snap; pixel: Pair; reach: number; dragged: boolean; way: Pair[] } | undefined;
  /** The view of the last drawing. */
  private view: View | undefined;

  /** Calls `onPlaces` with the complete positions, and `onEnd` when the user leaves the tool. */
  constructor(
    readonly gesture: Gesture,
    private readonly onPlaces: (places: Pair[]) => void,
    private readonly onEnd: () => void,
    private readonly redraw: () => void,
    /** If false, positions are those of the pointer. */
    public snaps: boolean,
  ) {}

  get holds(): boolean {
    return this.held !== undefined;
  }

  isOver(): boolean {
    return false;
  }

  press(pixel: Pair, view: View, reach: number, free: boolean): boolean {
    this.ended = false;
    this.cursor = this.snapped(pixel, view, reach, free);
    this.held = { from: this.cursor, pixel, reach, dragged: false, way: [view.camera.place(pixel, [0, 0]) as Pair] };
    return true;
  }

  move(pixel: Pair, view: View, free: boolean): void {
    const { held } = this;
    if (!held) return;
    this.typed = "";
    held.dragged ||= Math.hypot(...minus(pixel, held.pixel)) > held.reach;
    held.way.push(view.camera.place(pixel, [0, 0]) as Pair);
    this.cursor = this.snapped(pixel, view, held.reach, free);
  }

  release(cancelled: boolean): void {
    const { held, cursor, gesture } = this;
    this.held = undefined;
    if (!held || !cursor || cancelled) return;
    const { drag } = gesture;
    const drags = held.dragged && drag !== "none" && (this.places.length === 0 || drag === "pairs");
    if (!drags) return this.add(held.dragged ? cursor.place : held.from.place);
    if (drag === "curve") return this.finish(evenly(held.way, CURVE_PLACES));
    this.places = [...this.places, held.from.place];
    if (drag === "all") this.finish([held.from.place, cursor.place]);
    else this.add(cursor.place);
  }

  hover(pixel: Pair, view: View, free: boolean): void {
    this.ended = false;
    this.cursor = this.snapped(pixel, view, REACH.mouse, free);
  }

  /** Called when the pointer leaves the drawing. */
  leave(): void {
    this.cursor = undefined;
    this.redraw();
  }

  /** Continues after these positions, because the element was refused. */
  resume(places: Pair[]): void {
    this.places = places;
    this.redraw();
  }

  /** Removes the last position. Returns false if there is none. */
  removeLastPlace(): boolean {
    const had = this.places.length > 0;
    this.places.pop();
    this.redraw();
    return had;
  }

  /** Handles a key. Returns false if the tool does not use it. */
  onKey({ key, shiftKey }: KeyboardEvent): boolean {
    if (this.onTyped(key)) {
      this.redraw();
      return true;
    }
    const steps: Record<string, Pair> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const step = steps[key];
    if (step) this.step(step, shiftKey ? 5 : 1);
    else if (key === " ") this.add(this.here.place);
    else if (key === "Enter") this.enter();
    else if (key === "Escape") this.escape();
    else return (key === "Backspace" || key === "Delete") && this.removeLastPlace();
    this.redraw();
    return true;
  }

  /** Handles a key of a typed length and angle. Returns false if the key is not part of them. */
  private onTyped(key: string): boolean {
    const { begun, typed } = this;
    const part = key === "Tab" ? "<" : key === "," ? "." : key;
    if (begun.length === 0) return false;
    if (part.length === 1 && TYPED.test(typed + part)) this.typed += part;
    else if (typed === "") return false;
    else if (key === "Backspace") this.typed = typed.slice(0, -1);
    else if (key === "Escape") this.typed = "";
    else if (key === "Enter") this.addTyped();
    else return false;
    return true;
  }

  /** Adds the position that the user has typed. */
  private addTyped(): void {
    const place = this.aim;
    const dragged = this.held?.dragged ?? false;
    [this.places, this.held, this.typed] = [this.begun, undefined, ""];
    if (!place) return;
    if (dragged && this.gesture.drag === "all") this.finish([...this.places, place]);
    else this.add(place);
  }

  /** The next position: the typed one, else that of the pointer. */
  private get aim(): Pair | undefined {
    const last = this.begun.at(-1);
    const { place } = this.here;
    return this.typed !== "" && last ? typedPlace(this.typed, last, place) : place;
  }

  /** Finishes the element if there are enough positions. */
  enter(): void {
    if (this.places.length >= this.gesture.fewest) this.finish(this.places);
    else if (this.places.length === 0 && !this.ended) this.add(this.here.place);
  }

  private escape(): void {
    if (this.places.length === 0) this.onEnd();
    this.places = [];
    this.typed = "";
  }

  private get here(): Snap {
    if (this.cursor || !this.view) return this.cursor ?? { place: [0, 0] };
    const [width, height] = this.view.camera.corner;
    return this.snapped([width / 2, height / 2], this.view, 0, false);
  }

  private step([dx, dy]: Pair, times: number): void {
    if (!this.view) return;
    this.ended = false;
    const { camera } = this.view;
    const { place } = this.here;
    const step = times * snapStep(camera);
    const pixel = camera.toScreen([place[0] + dx * step, place[1] + dy * step]);
    this.cursor = this.snapped(pixel, this.view, 2, false);
  }

  private snapped(pixel: Pair, view: View, reach: number, free: boolean): Snap {
    const last = this.places.at(-1) ?? this.held?.from.place;
    const round = this.gesture.outline === "circle";
    return snap(pixel, view, { last, more: this.places, reach, free: free || !this.snaps, round });
  }

  private add(place: Pair): void {
    const { gesture, places } = this;
    const same = (other: Pair | undefined): boolean =>
      other !== undefined && Math.hypot(...minus(other, place)) * (this.view?.camera.scale ?? 1) < SAME;
    const enough = places.length >= gesture.fewest;
    if (same(places.at(-1)) || (gesture.outline === "polygon" && same(places[0])))
      return enough ? this.finish(places) : undefined;
    if (gesture.most === 1) return this.finish([place]);
    this.places = [...places, place];
    if (this.places.length === gesture.most) this.finish(this.places);
  }

  private finish(places: Pair[]): void {
    this.places = [];
    this.ended = true;
    this.onPlaces(places.map((place) => (this.view ? rounded(place, this.view.camera) : place)));
  }

  draw(context: CanvasRenderingContext2D, view: View): void {
    this.view = view;
    const { camera } = view;
    this.drawPlaces(context, view);
    if (!this.cursor || this.ended) return;
    const aim = this.aim ?? this.cursor.place;
    drawSnap(context, camera, this.typed === "" ? this.cursor : { place: aim });
    const text = this.gesture.preview?.([...this.begun, this.cursor.place], view);
    const shown = this.typed === "" && text !== undefined ? text : this.wayTo(aim);
    if (shown) drawPreview(context, camera, aim, shown);
  }

  /** Describes the way from the last position to the next one; undefined if there is none. */
  private wayTo(aim: Pair): string | undefined {
    const { outline } = this.gesture;
    const last = outline === "none" || this.drawsCurve ? undefined : this.begun.at(-1);
    if (outline === "pairs" && this.begun.length % 2 === 0) return undefined;
    const moved = last && Math.hypot(...minus(aim, last)) > 0;
    return moved ? wayText(this.typed, last, aim, outline !== "circle") : undefined;
  }

  /** The positions before that of the pointer. */
  private get begun(): Pair[] {
    const { held, places } = this;
    const drags = held?.dragged && (places.length === 0 || this.gesture.drag === "pairs");
    if (held && this.drawsCurve) return held.way;
    return drags ? [...places, held.from.place] : places;
  }

  /** True while the user draws a curve. */
  private get drawsCurve(): boolean {
    return this.held?.dragged === true && this.gesture.drag === "curve" && this.places.length === 0;
  }

  /** Draws the positions so far and their preview. */
  private drawPlaces(context: CanvasRenderingContext2D, { camera }: View): void {
    const { begun } = this;
    if (begun.length === 0) return;
    const pixels = [...begun, ...(this.cursor ? [this.aim ?? this.cursor.place] : [])].map((place) => camera.toScreen(place));
    const [first, second = first] = pixels as [Pair, Pair?];
    context.strokeStyle = context.fillStyle = cssColour("--accent");
    context.lineWidth = 2;
    const { outline } = this.gesture;
    if (outline === "circle") {
      disc(context, first, Math.hypot(...minus(second as Pair, first)));
      fillAndStroke(context);
    } else if (outline === "polygon") {
      path(context, pixels, true);
      fillAndStroke(context);
    } else if (outline === "pairs") {
      for (let i = 0; i + 1 < pixels.length; i += 2) line(context, ...pixels.slice(i, i + 2));
    } else if (outline === "line") line(context, ...pixels);
    for (const pixel of this.drawsCurve ? [] : pixels) {
      disc(context, pixel, 3.5);
      context.fill();
    }
  }
}
