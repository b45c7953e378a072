// Initial functions of new drivers: they start at the drawn position, and rotate or oscillate.
import { dot, gridStep, minus, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { View } from "../interaction/picking";

/** Minimum amplitude of an oscillation [pixels]. */
const SWING = 20;

const written = (value: number): number => Number(value.toFixed(6)) + 0;

/** Returns a rotation of one revolution per second, starting at an angle. */
function turning(angle: number): string {
  return `${written(angle) ? `${written(angle)} + ` : ""}2*pi*t`;
}

/** Returns an oscillation of 1 Hz about a length or coordinate. */
function swinging(value: number, { camera }: View): string {
  return `${written(value) ? `${written(value)} + ` : ""}${gridStep(SWING / camera.scale)}*sin(2*pi*t)`;
}

function angleOf(body: number, { motion }: View): number {
  return body === GROUND ? 0 : (motion.turn(body)[0] as number);
}

/** Returns the function of a joint's driver: along the direction of the joint if it has one. */
export function motionOfJoint(joint: number, view: View): string {
  const { axes, points, bodies } = view.scene.joints[joint] as View["scene"]["joints"][number];
  const [first = GROUND, second = GROUND] = bodies;
  const [axis] = axes;
  if (!axis) return turning(angleOf(second, view) - angleOf(first, view));
  const [from = 0, to = 0] = points;
  const way = minus(view.motion.point(to), view.motion.point(from));
  return swinging(dot(way, view.motion.rotate(axis.body, axis.vector)), view);
}

/** Returns the function of the angle of a body, or of the second of two bodies relative to the first. */
export function motionOfBodies(bodies: number[], view: View): string {
  const [last = GROUND, before = GROUND] = [...bodies].reverse();
  return turning(angleOf(last, view) - angleOf(before, view));
}

/** Returns the function of the distance between two positions. */
export function motionOfDistance(from: Pair, to: Pair, view: View): string {
  return swinging(Math.hypot(...minus(to, from)), view);
}

/** Returns the function of a coordinate of a position. */
export function motionOfPlace(place: Pair, axis: "x" | "y", view: View): string {
  return swinging(place[axis === "x" ? 0 : 1], view);
}
