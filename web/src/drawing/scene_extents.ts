// Computes the parts of a scene that depend on its whole motion: lengths of rails and floors, radii of gears.
import type { Motion } from "../results/motion";
import { across, dot, minus, unit, type Pair, type Vector } from "./geometry";
import type { Floor, Gears, Rail, Round, Scene } from "./scene";

function widen(range: Pair, value: number): void {
  if (!Number.isFinite(value)) return;
  range[0] = Math.min(range[0], value);
  range[1] = Math.max(range[1], value);
}

/** Returns the direction of a rail in `motion.frame`; undefined if its points coincide. */
export function railDirection({ axis, from, to }: Rail, motion: Motion): Vector | undefined {
  return unit(axis ? motion.rotate(axis.body, axis.vector) : minus(motion.point(to), motion.point(from)));
}

/** Returns the directions of a floor in its carrier's axes: one in the plane, two in space. */
export function floorDirections({ normal }: Floor): Vector[] {
  const direction = unit(normal);
  return direction ? across(direction) : [];
}

export interface SceneExtents {
  /** Interval of the moving point of each rail, from the rail's first point. */
  rails: Pair[];
  /** Interval of the touching point of each floor along each of its directions. */
  floors: Pair[][];
  /** The pitch circles of gears. */
  rounds: Round[];
}

/** Returns the pitch radii of two gears whose centres are `distance` apart; `ratio`: revolutions of the second for
 * one of the first. */
function pitchRadii(ratio: number, distance: number): Pair | undefined {
  const radii: Pair = [distance * Math.abs(ratio / (1 - ratio)), distance / Math.abs(1 - ratio)];
  return radii.every((radius) => radius > 0 && Number.isFinite(radius)) ? radii : undefined;
}

/** Returns the pitch circles of gears whose centres do not move. */
function pitchCircles({ bodies, points, ratio }: Gears, motion: Motion): Round[] {
  const places = (): Vector[] => points.map((point) => motion.point(point));
  const centres = places();
  let moved = 0;
  motion.visit(() => {
    places().forEach((place, i) => (moved = Math.max(moved, Math.hypot(...minus(place, centres[i] as Vector)))));
  });
  const distance = Math.hypot(...minus(centres[1] as Vector, centres[0] as Vector));
  const radii = pitchRadii(ratio, distance);
  if (!radii || !(moved < 1e-6 * distance)) return [];
  return radii.map((radius, i) => ({ body: bodies[i] as number, at: points[i] as number, radius }));
}

/** Extends the intervals of rails and floors to `motion.frame`. */
export function widenExtents({ rails, floors }: SceneExtents, scene: Scene, motion: Motion): void {
  const offset = (from: number, to: number): Vector => minus(motion.point(to), motion.point(from));
  scene.rails.forEach((rail, index) => {
    const direction = railDirection(rail, motion);
    if (direction) widen(rails[index] as Pair, dot(direction, offset(rail.from, rail.to)));
  });
  scene.floors.forEach((floor, index) => {
    const way = offset(floor.from, floor.to);
    floorDirections(floor).forEach((direction, k) =>
      widen(floors[index]?.[k] as Pair, dot(motion.rotate(floor.carrier, direction), way)),
    );
  });
}

/** Computes the extents over the whole motion. */
export function findExtents(scene: Scene, motion: Motion): SceneExtents {
  const extents: SceneExtents = {
    rails: scene.rails.map((): Pair => [0, 0]),
    floors: scene.floors.map((floor) => floorDirections(floor).map((): Pair => [Infinity, -Infinity])),
    rounds: scene.gears.flatMap((gears) => pitchCircles(gears, motion)),
  };
  motion.visit(() => widenExtents(extents, scene, motion));
  return extents;
}
