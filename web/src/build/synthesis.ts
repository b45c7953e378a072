// Dimensions of four-bar linkages: exactly through three positions of the coupler, and approximately along a path.
import { minus, plus, rotate, scaled, type Pair } from "../drawing/geometry";

/** Points are on one line if the sine of their angle is below this value. */
const STRAIGHT = 1e-3;

function cross([x1, y1]: number[], [x2, y2]: number[]): number {
  return (x1 as number) * (y2 as number) - (y1 as number) * (x2 as number);
}

/** Returns the centre of the circle through three points; undefined if they are on one line. */
export function circleCentre([a, b, c]: [Pair, Pair, Pair]): Pair | undefined {
  const [u, v] = [minus(b, a), minus(c, a)] as [Pair, Pair];
  const [uu, vv] = [u[0] ** 2 + u[1] ** 2, v[0] ** 2 + v[1] ** 2];
  const area = 2 * cross(u, v);
  if (!(Math.abs(area) > STRAIGHT * 2 * Math.sqrt(uu * vv))) return undefined;
  return plus(a, [(v[1] * uu - u[1] * vv) / area, (u[0] * vv - v[0] * uu) / area]) as Pair;
}

/** Returns true if the linkage with fixed pivot `pivot` of the second link is on the same branch in all positions of the
 * coupler, so that it passes them without being taken apart. */
export function isOneBranch(positions: [Pair, Pair][], pivot: Pair): boolean {
  const sides = positions.map(([a, b]) => Math.sign(cross(minus(pivot, a), minus(b, a))));
  return sides.every((side) => side === sides[0]);
}

/** Returns whether the crank and the rocker of a linkage can turn all the way round: Grashof's condition. */
export function turningBars([crank, coupler, rocker, frame]: [number, number, number, number]): [boolean, boolean] {
  const lengths = [crank, coupler, rocker, frame];
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
  const turns = 2 * (least + most) <= crank + coupler + rocker + frame;
  return [turns && (crank === least || frame === least), turns && (rocker === least || frame === least)];
}

/** A four-bar linkage: the pivot of its crank, the direction `tilt` of the other pivot, the lengths of crank, coupler,
 * rocker and frame, the coupler point in the axes of the coupler, and the crank's angle at the start. */
export interface FourBar {
  pivot_x: number;
  pivot_y: number;
  tilt: number;
  crank: number;
  coupler: number;
  rocker: number;
  frame: number;
  point_x: number;
  point_y: number;
  start: number;
}

/** Number of linkages that the search tries. */
const TRIALS = 20000;
/** Slack of Grashof's condition, in lengths of the crank. */
const SLACK = 0.1;
/** Ranges of the lengths b, c, d, of px, py in lengths of the crank, and of q0 [rad]. */
const RANGES: Pair[] = [[1.2, 6], [1.2, 6], [1.2, 6], [-4, 4], [-4, 4], [0, 2 * Math.PI]];
/** Bases of a Halton sequence, whose points fill the ranges evenly. */
const BASES = [2, 3, 5, 7, 11, 13];

/** Maximum length of a link, and maximum distance of a pivot from the middle of the path, in radii of the path. */
const REACH = 3;

function halton(index: number, base: number): number {
  let [value, part] = [0, 1];
  for (let rest = index; rest > 0; rest = Math.floor(rest / base)) {
    part /= base;
    value += part * (rest % base);
  }
  return value;
}

/** Returns the coupler points at equal parts of a turn of a crank of length 1; undefined if the crank cannot turn. */
function couplerPoints([b, c, d, px, py, q0]: number[], count: number, sense: number): Pair[] | undefined {
  const [rod, rocker, frame] = [b, c, d] as [number, number, number];
  const room = Math.min(rod + rocker - frame, rocker + frame - rod, rod + frame - rocker) - 1;
  if (room < SLACK) return undefined;
  return Array.from({ length: count }, (_, i) => {
    const q = (q0 as number) + (sense * 2 * Math.PI * i) / count;
    const [ax, ay] = [Math.cos(q), Math.sin(q)];
    const [bx, by] = [frame - ax, -ay];
    const e = Math.hypot(bx, by);
    const u = Math.atan2(by, bx) + Math.acos((rod * rod + e * e - rocker * rocker) / (2 * rod * e));
    return plus([ax, ay], rotate([u], [px as number, py as number])) as Pair;
  });
}

export function mean(places: Pair[]): Pair {
  return scaled(places.reduce((sum, each) => plus(sum, each), [0, 0] as number[]), 1 / places.length) as Pair;
}

/** Returns the turn with scaling z and the shift w that bring points closest to targets, as complex numbers, and the sum
 * of the squared distances that remain. */
function fitted(points: Pair[], targets: Pair[]): { z: Pair; w: Pair; rest: number } {
  const [p0, t0] = [mean(points), mean(targets)];
  let [re, im, pp, tt] = [0, 0, 0, 0];
  points.forEach((point, i) => {
    const [p, t] = [minus(point, p0), minus(targets[i] as Pair, t0)] as [Pair, Pair];
    re += p[0] * t[0] + p[1] * t[1];
    im += cross(p, t);
    pp += p[0] ** 2 + p[1] ** 2;
    tt += t[0] ** 2 + t[1] ** 2;
  });
  const z: Pair = [re / pp, im / pp];
  const turned: Pair = [z[0] * p0[0] - z[1] * p0[1], z[0] * p0[1] + z[1] * p0[0]];
  return { z, w: minus(t0, turned) as Pair, rest: tt - (re * re + im * im) / pp };
}

/** Returns `count` places at equal distances along a closed path, from its first place on. */
export function evenly(path: Pair[], count: number): Pair[] {
  const sides = path.map((from, i) => {
    const way = minus(path[(i + 1) % path.length] as Pair, from);
    return { from, way, length: Math.hypot(...way) };
  });
  const step = sides.reduce((sum, { length }) => sum + length, 0) / count;
  const places: Pair[] = [];
  let passed = 0;
  for (const { from, way, length } of sides) {
    for (; places.length < count && places.length * step < passed + length; )
      places.push(plus(from, way, (places.length * step - passed) / length) as Pair);
    passed += length;
  }
  return places;
}

/** Returns the sense in which a path runs: 1 counterclockwise, -1 clockwise. */
export function senseOf(path: Pair[]): 1 | -1 {
  const area = path.reduce((sum, at, i) => sum + cross(at, path[(i + 1) % path.length] as Pair), 0);
  return area < 0 ? -1 : 1;
}

/** Returns the largest distance of a place of a path from their mean. */
export function radiusOf(path: Pair[]): number {
  const centre = mean(path);
  return Math.max(...path.map((at) => Math.hypot(...minus(at, centre))));
}

/** Returns true if no link of a linkage is longer than `reach`, and its pivots are not farther from a place. */
function isWithin({ pivot_x, pivot_y, tilt, ...linkage }: FourBar, centre: Pair, reach: number): boolean {
  const { coupler, rocker, frame, point_x, point_y } = linkage;
  const pivot = minus([pivot_x, pivot_y], centre);
  const other = plus(pivot, [frame * Math.cos(tilt), frame * Math.sin(tilt)]);
  const ways = [[point_x, point_y], pivot, other].map((way) => Math.hypot(...way));
  return Math.max(coupler, rocker, frame, ...ways) <= reach;
}

/** Searches the crank-rocker of about the size of the path whose coupler point comes closest to the points of the path
 * at equal parts of a turn. Place, size and direction of each trial are the best ones. */
export function fourBarAlong(path: Pair[]): FourBar {
  const [sense, centre, reach] = [senseOf(path), mean(path), REACH * radiusOf(path)];
  let best: { least: number; linkage: FourBar } | undefined;
  for (let trial = 1; trial <= TRIALS; trial++) {
    const values = RANGES.map(([low, high], k) => low + (high - low) * halton(trial, BASES[k] as number));
    const points = couplerPoints(values, path.length, sense);
    if (!points) continue;
    const { z, w, rest } = fitted(points, path);
    if (best && rest >= best.least) continue;
    const [size, tilt] = [Math.hypot(...z), Math.atan2(z[1], z[0])];
    const [coupler, rocker, frame, point_x, point_y] = scaled(values, size) as [number, number, number, number, number];
    const lengths = { crank: size, coupler, rocker, frame, point_x, point_y };
    const linkage = { pivot_x: w[0], pivot_y: w[1], tilt, ...lengths, start: (values[5] as number) + tilt };
    if (isWithin(linkage, centre, reach)) best = { least: rest, linkage };
  }
  if (!best) throw new Error("no trial of the search is a crank-rocker");
  return best.linkage;
}
