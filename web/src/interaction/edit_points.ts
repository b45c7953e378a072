// Dragging points of the document: changes their coordinates in the text, and those of all points that joints hold at
// the same position, so that the mechanism keeps its configuration.
import { cssColour } from "../app/dom";
import { liveTexts } from "../app/texts";
import { modelIn } from "../document/elements";
import { numbersAt, pointerTo, type Change } from "../document/pointer";
import { pointMove } from "../document/point_moves";
import { inverse, minus, plus, rotate, type Pair, type Turn, type Vector } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import { REACH, type PointerHandler } from "./drag";
import { nearestPoint, type View } from "./picking";

/** Points within this distance count as coincident [pixels]. */
const SAME_PLACE_PIXELS = 1;
/** Resolution of the written coordinates, as a fraction of a pixel. */
const PIXEL_SHARE = 0.1;
const HALF = 5;

export interface PointActions {
  /** Returns the current document. */
  text(): string;
  /** Called before a point moves. */
  begin(): void;
  /** Changes the text: transiently, or as an undo step (`stays`). */
  change(changes: Change[], stays: boolean): void;
  refuse(reason: string): void;
}

/** A point that is dragged. */
interface Held {
  /** The pointer of its body, and its name. */
  holder: string;
  name: string;
  /** Position of its body's mass centre when the drag started. */
  centre: Vector;
  turn: Turn;
  /** Coordinates in the document minus the position in the body's axes. */
  offset: Vector;
}

/** Returns the point and all points that joints hold at its position. */
function coincidentPoints(point: number, { scene, motion, camera }: View): number[] {
  const seen = (each: number): Pair => camera.toScreen(camera.flatten(motion.point(each)));
  const [x, y] = seen(point);
  const near = (each: number): boolean => Math.hypot(seen(each)[0] - x, seen(each)[1] - y) < SAME_PLACE_PIXELS;
  const found = new Set([point]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { points } of scene.joints)
      if (points.some((each) => found.has(each))) points.filter(near).forEach((each) => found.add(each));
  }
  return [...found];
}

export class PointDrag implements PointerHandler {
  private held: { place: Vector; points: Held[]; moved: boolean } | undefined;

  constructor(private readonly actions: PointActions) {}

  get holds(): boolean {
    return this.held !== undefined;
  }

  isOver(pixel: Pair, view: View): boolean {
    return nearestPoint(pixel, REACH.mouse, view, () => true) !== undefined;
  }

  press(pixel: Pair, view: View, reach: number): boolean {
    const point = nearestPoint(pixel, reach, view, () => true);
    this.held = undefined;
    if (point === undefined) return false;
    const text = this.actions.text();
    const model = modelIn(text);
    const points = coincidentPoints(point, view).map((each) => model && this.hold(each, view, text, model.prefix));
    if (points.every((each) => each !== undefined))
      this.held = { place: view.motion.point(point), points, moved: false };
    return this.holds;
  }

  /** Returns the point's data for dragging. Reports the reason and returns undefined if its coordinates are not
   * numbers in the text. */
  private hold(point: number, { scene, motion }: View, text: string, prefix: string): Held | undefined {
    const { name, body } = scene.points[point] as { name: string; body: number };
    const ofBody = body === GROUND ? `${prefix}/ground` : `${prefix}/bodies/${body}`;
    const [centre, turn] = [motion.centre(body), motion.turn(body)];
    const numbers = numbersAt(text, pointerTo(ofBody, "points", name))?.map(({ value }) => value);
    if (numbers?.length === centre.length) {
      const local = rotate(inverse(turn), minus(motion.point(point), centre));
      return { holder: ofBody, name, centre, turn, offset: minus(numbers, local) };
    }
    const owner = body === GROUND ? liveTexts.ground : `'${scene.bodies[body]?.name ?? ""}'`;
    this.actions.refuse(liveTexts.expression(name, owner));
    return undefined;
  }

  move(pixel: Pair, { camera }: View): void {
    const { held } = this;
    if (!held) return;
    if (!held.moved) this.actions.begin();
    held.moved = true;
    const place = camera.place(pixel, held.place);
    const digits = Math.min(Math.max(Math.ceil(Math.log10(camera.scale / PIXEL_SHARE)), 0), 15);
    const text = this.actions.text();
    const changes = held.points.flatMap(({ holder, name, centre, turn, offset }) => {
      const numbers = plus(rotate(inverse(turn), minus(place, centre)), offset);
      return pointMove(text, holder, name, numbers.map((number) => String(Number(number.toFixed(digits)))));
    });
    this.actions.change(changes, false);
  }

  release(): void {
    const { held } = this;
    this.held = undefined;
    if (held?.moved) this.actions.change([], true);
  }

  /** Marks all points, because each can be dragged. */
  draw(context: CanvasRenderingContext2D, { scene, motion, camera }: View): void {
    context.strokeStyle = cssColour("--accent");
    context.lineWidth = 1.5;
    scene.points.forEach((_, point) => {
      const [x, y] = camera.toScreen(camera.flatten(motion.point(point)));
      context.strokeRect(x - HALF, y - HALF, 2 * HALF, 2 * HALF);
    });
  }
}
