// What a new driver does: it begins where the mechanism is drawn, and turns or swings from there.
import { dot, gridStep, minus, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { View } from "../interaction/picking";

/** A swing is at least so wide, in pixels. */
const SWING = 20;

const written = (value: number): number => Number(value.toFixed(6)) + 0;

/** One turn a second from an angle on. */
function turning(angle: number): string {
  return `${written(angle) ? `${written(angle)} + ` : ""}2*pi*t`;
}

/** One swing a second about a length or coordinate. */
function swinging(value: number, { camera }: View): string {
  return `${written(value) ? `${written(value)} + ` : ""}${gridStep(SWING / camera.scale)}*sin(2*pi*t)`;
}

function angleOf(body: number, { motion }: View): number {
  return body === GROUND ? 0 : (motion.turn(body)[0] as number);
}

/** Of a joint: along its direction where it has one. */
export function motionOfJoint(joint: number, view: View): string {
  const { axes, points, bodies } = view.scene.joints[joint] as View["scene"]["joints"][number];
  const [first = GROUND, second = GROUND] = bodies;
  const [axis] = axes;
  if (!axis) return turning(angleOf(second, view) - angleOf(first, view));
  const [from = 0, to = 0] = points;
  const way = minus(view.motion.point(to), view.motion.point(from));
  return swinging(dot(way, view.motion.rotate(axis.body, axis.vector)), view);
}

/** Of a body, or of the second of two against the first. */
export function motionOfBodies(bodies: number[], view: View): string {
  const [last = GROUND, before = GROUND] = [...bodies].reverse();
  return turning(angleOf(last, view) - angleOf(before, view));
}

/** Of the distance of two places. */
export function motionOfDistance(from: Pair, to: Pair, view: View): string {
  return swinging(Math.hypot(...minus(to, from)), view);
}

/** Of a coordinate of a place. */
export function motionOfPlace(place: Pair, axis: "x" | "y", view: View): string {
  return swinging(place[axis === "x" ? 0 : 1], view);
}
