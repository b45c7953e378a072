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

/** Returns an oscillation of 1 Hz about a length or coordinate, which is halved `halvings` times. */
function sliding(value: number, { camera }: View, halvings = 0): string {
  return swinging(value, written(gridStep(SWING / camera.scale) / 2 ** halvings));
}

function angleOf(body: number, { motion }: View): number {
  return body === GROUND ? 0 : (motion.turn(body)[0] as number);
}

/** Returns true if a driver turns a joint, rather than moving it along a direction. */
export function turnsJoint(joint: number, { scene }: View): boolean {
  return scene.joints[joint]?.axes.length === 0;
}

/** Returns the function of a joint's driver: along the direction of the joint if it has one. `swing`: 0 for the first
 * motion, else the number of a swing that is half as far as the one before. */
export function motionOfJoint(joint: number, view: View, swing: number): string {
  const { axes, points, bodies } = view.scene.joints[joint] as View["scene"]["joints"][number];
  const [first = GROUND, second = GROUND] = bodies;
  const [axis] = axes;
  const angle = angleOf(second, view) - angleOf(first, view);
  if (!axis) return swing > 0 ? swinging(angle, written(SWING_ANGLE / 2 ** (swing - 1))) : turning(angle);
  const [from = 0, to = 0] = points;
  const way = minus(view.motion.point(to), view.motion.point(from));
  return sliding(dot(way, view.motion.rotate(axis.body, axis.vector)), view, swing);
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
