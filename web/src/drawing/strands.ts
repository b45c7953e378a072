// The strands and wraps of belts and ropes.
import { dot, minus, plus, type Vector } from "./geometry";

/** An element of a path at its current place: its radius is positive where the path runs counterclockwise about it,
 * negative where it runs clockwise, 0 for a point. */
export interface Stop {
  at: Vector;
  radius: number;
}

/** The step between the points of an arc [rad]. */
const ARC_STEP = 0.1;

/** Returns the angle of the tangent from one circle to the next, d = L u + (c2 - c1) perp(u); NaN if there is none. */
function tangentAngle(from: Stop, to: Stop): number {
  const [x = 0, y = 0] = minus(to.at, from.at);
  const across = to.radius - from.radius;
  return Math.atan2(y, x) - Math.atan2(across, Math.sqrt(x * x + y * y - across * across));
}

/** Returns the points of an arc about a pulley between the angles of the strands before and after it. */
function wrap({ at, radius }: Stop, before: number, after: number): Vector[] {
  const sense = Math.sign(radius);
  const turn = (((sense * (after - before)) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
  const steps = Math.max(1, Math.ceil(turn / ARC_STEP));
  return Array.from({ length: steps + 1 }, (_, i) => {
    const angle = before + (sense * turn * i) / steps;
    // The centre minus c perp(u).
    return plus(at, [radius * Math.sin(angle), -radius * Math.cos(angle)]);
  });
}

/** Returns the line of a path: strands and wraps. In space it connects the points. */
export function pathOutline(stops: Stop[], closed: boolean): Vector[] {
  if (stops.every(({ radius }) => radius === 0)) return stops.map(({ at }) => at);
  const last = stops.length - 1;
  const angles = stops.map((stop, k) => tangentAngle(stop, stops[k === last ? 0 : k + 1] as Stop));
  const outline = stops.flatMap((stop, k) => {
    const before = angles[k === 0 ? last : k - 1] as number;
    const after = angles[k] as number;
    if (stop.radius === 0) return [stop.at];
    if (closed || (k > 0 && k < last)) return wrap(stop, before, after);
    return wrap(stop, k === 0 ? after : before, k === 0 ? after : before).slice(0, 1);
  });
  const [first] = outline;
  const finite = outline.every((place) => Number.isFinite(dot(place, place)));
  if (!finite) return [];
  return closed && first ? [...outline, first] : outline;
}
