// Initial functions of new drivers: they start at the drawn position, and rotate or oscillate.
import { dot, gridStep, minus, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { View } from "../interaction/picking";

/** Minimum amplitude of an oscillation [pixels]. */
const SWING = 20;
/** Amplitude of an oscillation about an angle [rad]. */
const SWING_ANGLE = 0.4;

const written = (value: number): number => Number(value.toFixed(6)) + 0;

/** Returns a rotation of one revolution per second, starting at an angle. */
function turning(angle: number): string {
  return `${written(angle) ? `${written(angle)} + ` : ""}2*pi*t`;
}

/** Returns an oscillation of 1 Hz about a value. */
function swinging(value: number, amplitude: number): string {
  return `${written(value) ? `${written(value)} + ` : ""}${amplitude}*sin(2*pi*t)`;
}

/** Returns an oscillation of 1 Hz about a length or coordinate. */
function sliding(value: number, { camera }: View): string {
  return swinging(value, gridStep(SWING / camera.scale));
}

function angleOf(body: number, { motion }: View): number {
  return body === GROUND ? 0 : (motion.turn(body)[0] as number);
}

/** Returns true if a driver turns a joint, rather than moving it along a direction. */
export function turnsJoint(joint: number, { scene }: View): boolean {
  return scene.joints[joint]?.axes.length === 0;
}

/** Returns the function of a joint's driver: along the direction of the joint if it has one. `swings`: about its angle,
 * instead of a rotation. */
export function motionOfJoint(joint: number, view: View, swings: boolean): string {
  const { axes, points, bodies } = view.scene.joints[joint] as View["scene"]["joints"][number];
  const [first = GROUND, second = GROUND] = bodies;
  const [axis] = axes;
  const angle = angleOf(second, view) - angleOf(first, view);
  if (!axis) return swings ? swinging(angle, SWING_ANGLE) : turning(angle);
  const [from = 0, to = 0] = points;
  const way = minus(view.motion.point(to), view.motion.point(from));
  return sliding(dot(way, view.motion.rotate(axis.body, axis.vector)), view);
}

/** Returns the function of the angle of a body, or of the second of two bodies relative to the first. */
export function motionOfBodies(bodies: number[], view: View): string {
  const [last = GROUND, before = GROUND] = [...bodies].reverse();
  return turning(angleOf(last, view) - angleOf(before, view));
}

/** Returns the function of the distance between two positions. */
export function motionOfDistance(from: Pair, to: Pair, view: View): string {
  return sliding(Math.hypot(...minus(to, from)), view);
}

/** Returns the function of a coordinate of a position. */
export function motionOfPlace(place: Pair, axis: "x" | "y", view: View): string {
  return sliding(place[axis === "x" ? 0 : 1], view);
}
