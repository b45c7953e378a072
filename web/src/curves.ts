// Curves of cams and slots as polygons. A spline is known from its points; what an expression gives is not evaluated
// here, but found from the motion as far as a pin, a roller or a flat face has touched it.
import { across, dot, inverse, minus, plus, rotate, solve, unit, type Pair, type Vector } from "./geometry";
import type { Motion } from "./motion";

/** More points of a spline than this are close enough to be joined by lines, and too many to solve for. */
const SPLINE_MOST = 150;

/** More points of a curve than this are not told apart. */
const OUTLINE_MOST = 240;

/** What touches a curve that is fixed in a body: a pin (radius 0), a roller, or a face with a direction of its body. */
export interface Toucher {
  carrier: number;
  /** The point that the curve is about, and the pin, the roller's centre or a point of the face. */
  from: number;
  to: number;
  radius: number;
  face?: { body: number; vector: Vector };
}

export function circle(radius: number): Vector[] {
  const angles = Array.from({ length: 72 }, (_, i) => (i * Math.PI) / 36);
  return angles.map((angle) => [radius * Math.cos(angle), radius * Math.sin(angle)]);
}

/** The second derivatives of the closed cubic spline through values at the distances `steps` of each to the next. */
function bends(values: number[], steps: number[]): number[] | undefined {
  const count = values.length;
  const slope = (i: number): number =>
    ((values[(i + 1) % count] as number) - (values[i] as number)) / (steps[i] as number);
  const matrix = values.map(() => new Array<number>(count).fill(0));
  const right = values.map((_, i) => {
    const before = (i + count - 1) % count;
    const row = matrix[i] as number[];
    const [back, ahead] = [steps[before] as number, steps[i] as number];
    row[before] = (row[before] as number) + back;
    row[i] = (row[i] as number) + 2 * (back + ahead);
    row[(i + 1) % count] = (row[(i + 1) % count] as number) + ahead;
    return 6 * (slope(i) - slope(before));
  });
  return solve(matrix, right);
}

/** The closed cubic spline through points, with the length of the chords as its parameter, as the service has it. */
export function closedSpline(points: Vector[]): Vector[] {
  const count = points.length;
  const next = (i: number): Vector => points[(i + 1) % count] as Vector;
  const steps = points.map((point, i) => Math.hypot(...minus(next(i), point)));
  if (count < 3 || count > SPLINE_MOST || steps.some((step) => !(step > 0))) return points;
  const bent = [0, 1].map((axis) => bends(points.map((point) => point[axis] as number), steps));
  const pieces = Math.max(2, Math.floor(OUTLINE_MOST / count));
  return points.flatMap((point, i) =>
    Array.from({ length: pieces }, (_, piece) => {
      const [b, step] = [piece / pieces, steps[i] as number];
      const a = 1 - b;
      return point.map((value, axis) => {
        const [first = 0, second = 0] = [bent[axis]?.[i], bent[axis]?.[(i + 1) % count]];
        const curved = (((a ** 3 - a) * first + (b ** 3 - b) * second) * step ** 2) / 6;
        return a * value + b * (next(i)[axis] as number) + curved;
      });
    }),
  );
}

/** Where neighbouring lines n.x = c meet: the points of the curve that they all touch. */
function envelope(lines: { normal: Vector; distance: number }[]): Vector[] {
  const meetings = lines.slice(1).map((line, i) => {
    const before = lines[i] as typeof line;
    // Lines that are parallel but for rounding meet nowhere in particular.
    if (dot(before.normal, line.normal) ** 2 > 1 - 1e-10) return undefined;
    return solve([before.normal, line.normal], [before.distance, line.distance]);
  });
  return meetings.filter((place) => place !== undefined);
}

/** The curve at a distance from a path, on the side of the origin. */
function beside(path: Vector[], distance: number): Vector[] {
  if (distance === 0) return path;
  return path.flatMap((place, i) => {
    const tangent = unit(minus(path[i + 1] ?? place, path[i - 1] ?? place));
    const [normal] = tangent ? across(tangent) : [];
    return normal ? [plus(place, normal, dot(normal, place) > 0 ? -distance : distance)] : [];
  });
}

/** The part of a curve that was touched in the whole motion, about its point in its body's axes. */
export function touchedCurve({ carrier, from, to, radius, face }: Toucher, motion: Motion): Vector[] {
  const path: Vector[] = [];
  const lines: { normal: Vector; distance: number }[] = [];
  const skip = Math.ceil(motion.times.length / OUTLINE_MOST);
  let row = 0;
  motion.visit(() => {
    if (row++ % skip !== 0) return;
    const back = inverse(motion.turn(carrier));
    const place = rotate(back, minus(motion.point(to), motion.point(from)));
    if (!place.every(Number.isFinite)) return;
    path.push(place);
    const direction = face && unit(rotate(back, motion.rotate(face.body, face.vector)));
    const [normal] = direction ? across(direction) : [];
    if (normal) lines.push({ normal, distance: dot(normal, place) });
  });
  return face ? envelope(lines) : beside(path, radius);
}

/** The pitch radii of two gears whose centres are `distance` apart, for n turns of the second to one of the first. */
export function pitchRadii(ratio: number, distance: number): Pair | undefined {
  const radii: Pair = [distance * Math.abs(ratio / (1 - ratio)), distance / Math.abs(1 - ratio)];
  return radii.every((radius) => radius > 0 && Number.isFinite(radius)) ? radii : undefined;
}
