// Dragging a body: from pointer down to pointer up.
import { cssColour } from "../app/dom";
import type { Pair, Vector } from "../drawing/geometry";
import { disc, line } from "../drawing/strokes";
import { pick, placeOf, type Grip, type View } from "./picking";

/** Distance within which a press hits an element [pixels], for a mouse and for a finger. */
export const REACH = { mouse: 8, touch: 22 };

/** Handles presses and moves of the pointer on the drawing. */
export interface PointerHandler {
  readonly holds: boolean;
  /** True if a press without a move is an action of the handler and selects nothing. */
  readonly clicks?: boolean;
  /** True if the handler has each of its moves drawn itself, together with the position that results from it. */
  readonly draws?: boolean;
  /** Returns true if a press at the pixel would start a drag. */
  isOver(pixel: Pair, view: View): boolean;
  /** Starts dragging what is within `reach` pixels. Returns false if nothing is there. `free`: Alt is pressed. */
  press(pixel: Pair, view: View, reach: number, free: boolean): boolean;
  move(pixel: Pair, view: View, free: boolean): void;
  /** Ends the drag. `cancelled`: the browser cancelled the pointer, so the user did not release it. */
  release(cancelled: boolean): void;
  /** Handles a pointer that moves without dragging. */
  hover?(pixel: Pair, view: View, free: boolean): void;
  draw(context: CanvasRenderingContext2D, view: View): void;
}

export class BodyDrag implements PointerHandler {
  readonly draws = true;
  private held: { grip: Grip; target: Vector } | undefined;

  /** Calls `onPull` with each new target, in the plane through the grip that is parallel to the view, and `onRelease` at
   * the end. `onPull` draws the mechanism. */
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

  /** Draws a line from the dragged point to its target. */
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
