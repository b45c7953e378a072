// Draws the path of a point: the path so far, and the whole curve that the point can describe.
import { cssColour } from "../app/dom";
import type { View } from "../interaction/picking";
import type { Motion } from "../results/motion";
import type { Traced, TracedCurve } from "../solver/sweep";
import type { Pair, Vector } from "./geometry";
import { Pose } from "./pose";
import { disc, path } from "./strokes";

/** Maximum number of stored points of the path. */
const PLACES_MOST = 4000;
/** Minimum distance of successive stored points [pixels]. */
const LEAST_WAY = 1;

export class Trace {
  private traced: Traced | undefined;
  private visited: Vector[] = [];
  /** The motion of the stored path. */
  private motion: Motion | undefined;
  private curve: TracedCurve | undefined;

  /** Traces another point; undefined traces none. */
  of(traced: Traced | undefined): void {
    if (JSON.stringify(traced) === JSON.stringify(this.traced)) return;
    this.traced = traced;
    this.forget();
  }

  /** Returns true if there is a place whose path is drawn. */
  hasPlace(view: View): boolean {
    return this.place(view) !== undefined;
  }

  /** The point whose curve is not complete; undefined if it is. */
  get unknown(): Traced | undefined {
    return this.curve?.over ? undefined : this.traced;
  }

  setCurve(curve: TracedCurve, traced: Traced): void {
    if (traced === this.traced) this.curve = curve;
  }

  /** Clears the path and the curve, because the mechanism has changed. */
  forget(): void {
    this.curve = undefined;
    this.visited = [];
  }

  /** The coordinates of the curve, one array for each axis, or of the path so far if the curve is not known [m];
   * undefined if there is no path. */
  get columns(): Float64Array[] | undefined {
    const [first] = this.visited;
    if (!this.traced || !first) return undefined;
    const places = this.motion instanceof Pose && this.curve ? this.curve.places : Float64Array.from(this.visited.flat());
    return first.map((_, axis) => places.filter((_, i) => i % first.length === axis));
  }

  draw(context: CanvasRenderingContext2D, view: View): void {
    const place = this.place(view);
    if (!place) return;
    this.follow(place, view);
    const { camera } = view;
    const pixel = (at: Vector): Pair => camera.toScreen(camera.flatten(at));
    context.strokeStyle = context.fillStyle = cssColour("--series-3");
    if (view.motion instanceof Pose && this.curve) {
      const { places, closed } = this.curve;
      const size = place.length;
      const pixels = Array.from({ length: places.length / size }, (_, i) =>
        pixel([...places.subarray(i * size, (i + 1) * size)]),
      );
      context.lineWidth = 1.5;
      context.setLineDash([6, 4]);
      path(context, pixels, closed);
      context.stroke();
      context.setLineDash([]);
    }
    context.lineWidth = 2.5;
    path(context, this.visited.map(pixel), false);
    context.stroke();
    disc(context, pixel(place), 4);
    context.fill();
  }

  private place({ scene, motion }: View): Vector | undefined {
    const { traced } = this;
    if (!traced) return undefined;
    if ("point" in traced) return scene.points[traced.point] && motion.point(traced.point);
    return scene.bodies[traced.body] && motion.centre(traced.body);
  }

  /** Adds the position to the path. If the whole motion is known, the path is complete from the start. */
  private follow(place: Vector, view: View): void {
    const { motion, camera } = view;
    if (motion !== this.motion) this.visited = [];
    const fresh = motion !== this.motion || this.visited.length === 0;
    this.motion = motion;
    if (!(motion instanceof Pose)) {
      if (fresh) motion.visit(() => this.visited.push(this.place(view) as Vector));
      return;
    }
    const last = this.visited[this.visited.length - 1];
    const way = last ? Math.hypot(...place.map((x, i) => x - (last[i] as number))) * camera.scale : Infinity;
    if (way >= LEAST_WAY) this.visited.push(place);
    if (this.visited.length > PLACES_MOST) this.visited.shift();
  }
}
