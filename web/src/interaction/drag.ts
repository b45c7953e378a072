// The hand that pulls at a body of the drawing: from the press of a pointer to its release.
import { cssColour } from "../app/dom";
import type { Pair, Vector } from "../drawing/geometry";
import { disc, line } from "../drawing/strokes";
import { pick, placeOf, type Grip, type View } from "./picking";

/** How far from what is drawn a press still hits it, in pixels: a mouse, a finger. */
export const REACH = { mouse: 8, touch: 22 };

/** What a pointer takes hold of in the drawing. */
export interface PointerHandler {
  readonly holds: boolean;
  /** A press that does not move means something to it, and selects nothing. */
  readonly clicks?: boolean;
  /** Whether a press would take hold of something. */
  isOver(pixel: Pair, view: View): boolean;
  /** Takes hold of what is at a pixel or up to `reach` pixels off; false where there is nothing. `free`: with Alt. */
  press(pixel: Pair, view: View, reach: number, free: boolean): boolean;
  move(pixel: Pair, view: View, free: boolean): void;
  /** `cancelled`: the pointer was taken away, nobody let go. */
  release(cancelled: boolean): void;
  /** The pointer is at a pixel and holds nothing. */
  hover?(pixel: Pair, view: View, free: boolean): void;
  draw(context: CanvasRenderingContext2D, view: View): void;
}

export class BodyDrag implements PointerHandler {
  private held: { grip: Grip; target: Vector } | undefined;

  /** `onPull` is called with each new target, in the plane of the view through the grip; `onRelease` at the end. */
  constructor(
    private readonly onPull: (grip: Grip, target: Vector) => void,
    private readonly onRelease: () => void,
  ) {}

  get holds(): boolean {
    return this.held !== undefined;
  }

  isOver(pixel: Pair, view: View): boolean {
    return pick(pixel, REACH.mouse, view) !== undefined;
  }

  press(pixel: Pair, view: View, reach: number): boolean {
    const grip = pick(pixel, reach, view);
    this.held = grip && { grip, target: placeOf(grip, view.motion) };
    return this.holds;
  }

  move(pixel: Pair, { motion, camera }: View): void {
    if (!this.held) return;
    this.held.target = camera.place(pixel, placeOf(this.held.grip, motion));
    this.onPull(this.held.grip, this.held.target);
  }

  release(): void {
    if (!this.held) return;
    this.held = undefined;
    this.onRelease();
  }

  /** A line from the point that is held to where it is wanted. */
  draw(context: CanvasRenderingContext2D, { motion, camera }: View): void {
    if (!this.held) return;
    const seen = (place: Vector): Pair => camera.toScreen(camera.flatten(place));
    const [from, to] = [seen(placeOf(this.held.grip, motion)), seen(this.held.target)];
    context.strokeStyle = context.fillStyle = cssColour("--accent");
    context.lineWidth = 2;
    line(context, from, to);
    disc(context, from, 5);
    context.fill();
    disc(context, to, 7);
    context.stroke();
  }
}
