// What only the whole motion tells of a scene: how far rails and floors reach, curves of expressions, sizes of gears.
import { pitchRadii, touchedCurve } from "./curves";
import { across, dot, minus, unit, type Pair, type Vector } from "./geometry";
import type { Motion } from "./motion";
import type { Curve, Floor, Gears, Rail, Round, Scene } from "./scene";

function widen(range: Pair, value: number): void {
  if (!Number.isFinite(value)) return;
  range[0] = Math.min(range[0], value);
  range[1] = Math.max(range[1], value);
}

/** The direction of a rail in `motion.frame`; undefined where there is none. */
export function railDirection({ axis, from, to }: Rail, motion: Motion): Vector | undefined {
  return unit(axis ? motion.rotate(axis.body, axis.vector) : minus(motion.point(to), motion.point(from)));
}

/** The directions in which a floor lies, in its carrier's axes: one in the plane, two in space. */
export function floorDirections({ normal }: Floor): Vector[] {
  const direction = normal && unit(normal);
  return direction ? across(direction) : [];
}

export interface Tracks {
  /** For each rail the part that is run along, from its first point. */
  rails: Pair[];
  /** For each floor the part that is met, in each of its directions from its point. */
  floors: Pair[][];
  curves: Curve[];
  /** The pitch circles of gears. */
  rounds: Round[];
}

/** The pitch circles of gears whose centres stand still; a ratio that is an expression is that of their turns. */
function pitchCircles({ bodies, points, ratio }: Gears, motion: Motion): Round[] {
  const places = (): Vector[] => points.map((point) => motion.point(point));
  const turns = (): Vector => bodies.map((body) => motion.turn(body)[0] as number);
  const [centres, zero] = [places(), turns()];
  let [moved, most, found] = [0, 0, ratio ?? NaN];
  motion.visit(() => {
    places().forEach((place, i) => (moved = Math.max(moved, Math.hypot(...minus(place, centres[i] as Vector)))));
    const [first, second] = minus(turns(), zero) as Pair;
    if (ratio !== undefined || !(Math.abs(first) > most)) return;
    most = Math.abs(first);
    found = second / first;
  });
  const distance = Math.hypot(...minus(centres[1] as Vector, centres[0] as Vector));
  const radii = pitchRadii(found, distance);
  if (!radii || !(moved < 1e-6 * distance)) return [];
  return radii.map((radius, i) => ({ body: bodies[i] as number, at: points[i] as number, radius }));
}

/** Looks through the whole motion of a scene. */
export function findTracks(scene: Scene, motion: Motion): Tracks {
  const rails = scene.rails.map((): Pair => [0, 0]);
  const directions = scene.floors.map(floorDirections);
  const floors = directions.map((list) => list.map((): Pair => [Infinity, -Infinity]));
  const offset = (from: number, to: number): Vector => minus(motion.point(to), motion.point(from));
  motion.visit(() => {
    scene.rails.forEach((rail, index) => {
      const direction = railDirection(rail, motion);
      if (direction) widen(rails[index] as Pair, dot(direction, offset(rail.from, rail.to)));
    });
    scene.floors.forEach(({ carrier, from, to }, index) => {
      const way = offset(from, to);
      directions[index]?.forEach((direction, k) =>
        widen(floors[index]?.[k] as Pair, dot(motion.rotate(carrier, direction), way)),
      );
    });
  });
  const touched = scene.touchers.map((toucher): Curve => {
    const { carrier, from } = toucher;
    return { carrier, from, outline: touchedCurve(toucher, motion), closed: false };
  });
  const rounds = scene.gears.flatMap((gears) => pitchCircles(gears, motion));
  return { rails, floors, curves: [...scene.curves, ...touched], rounds };
}
