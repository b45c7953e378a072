// Computes the parts of a scene that depend on its whole motion: lengths of rails, floors and planes, radii of gears.
import type { Motion } from "../results/motion";
import { across, dot, minus, plus, unit, type Pair, type Vector } from "./geometry";
import { GROUND, type Floor, type Gears, type Plane, type Rail, type Round, type Scene } from "./scene";
import { reachOfShape, type Shape } from "./shapes";

function widen(range: Pair, value: number): void {
  if (!Number.isFinite(value)) return;
  range[0] = Math.min(range[0], value);
  range[1] = Math.max(range[1], value);
}

/** Returns the direction of a rail in `motion.frame`; undefined if its points coincide. */
export function railDirection({ axis, from, to }: Rail, motion: Motion): Vector | undefined {
  return unit(axis ? motion.rotate(axis.body, axis.vector) : minus(motion.point(to), motion.point(from)));
}

/** Returns the directions of a floor or plane in its carrier's axes: one in the plane, two in space. */
export function floorDirections({ normal }: Floor | Plane): Vector[] {
  const direction = unit(normal);
  return direction ? across(direction) : [];
}

/** Gears with their pitch circles: two, or that of a pinion. */
export interface Mesh {
  gears: Gears;
  rounds: Round[];
}

export interface SceneExtents {
  /** Interval of the moving point of each rail, from the rail's first point. */
  rails: Pair[];
  /** Interval of the touching point of each floor along each of its directions. */
  floors: Pair[][];
  /** Interval of all other bodies and of the ground's shapes along each of the directions of each plane, from its point. */
  planes: Pair[][];
  /** Gears in mesh, with their pitch circles. */
  meshes: Mesh[];
}

/** Returns the centre of a round in `motion.frame`. That of a bevel gear is at r cot g = (r' + r cos S) / sin S from
 * the apex, with the angle S of the axes. */
export function centreOfRound({ body, at, radius, axis, mate }: Round, motion: Motion): Vector {
  const place = motion.point(at);
  const along = axis && unit(motion.rotate(body, axis));
  const other = mate && unit(motion.rotate(mate.body, mate.vector));
  if (!mate || !along || !other) return place;
  const cosine = dot(along, other);
  const sine = Math.sqrt(1 - cosine * cosine);
  return sine > 0 ? plus(place, along, (mate.radius + radius * cosine) / sine) : place;
}

/** Returns the pitch radii of two gears whose centres are `distance` apart; `ratio`: revolutions of the second for
 * one of the first. */
function pitchRadii(ratio: number, distance: number): Pair | undefined {
  const radii: Pair = [distance * Math.abs(ratio / (1 - ratio)), distance / Math.abs(1 - ratio)];
  return radii.every((radius) => radius > 0 && Number.isFinite(radius)) ? radii : undefined;
}

/** Returns the pitch circles of gears; without radii, of gears whose centres do not move. */
function pitchCircles({ bodies, points, ratio = NaN, radii: given }: Gears, motion: Motion): Round[] {
  const rounds = (radii: number[]): Round[] =>
    radii.map((radius, i) => ({ body: bodies[i] as number, at: points[i] as number, radius, toothed: true }));
  if (given) return rounds(given);
  const places = (): Vector[] => points.map((point) => motion.point(point));
  const centres = places();
  let moved = 0;
  motion.visit(() => {
    places().forEach((place, i) => (moved = Math.max(moved, Math.hypot(...minus(place, centres[i] as Vector)))));
  });
  const distance = Math.hypot(...minus(centres[1] as Vector, centres[0] as Vector));
  const radii = pitchRadii(ratio, distance);
  if (!radii || !(moved < 1e-6 * distance)) return [];
  return rounds(radii);
}

/** Calls `include` with positions of the shapes of a body in `motion.frame`: the shapes are within `swell` of their
 * convex hull. */
export function includeShapes(
  shapes: Shape[],
  body: number,
  motion: Motion,
  include: (place: Vector, swell: number) => void,
): void {
  for (const { places, swell } of shapes.map(reachOfShape))
    for (const place of places) include(motion.place(body, place), swell);
}

/** Extends the intervals of a plane to all bodies but its carrier, and to the shapes of the ground. */
function widenPlane(ranges: Pair[], plane: Plane, { bodies, groundShapes }: Scene, motion: Motion): void {
  const origin = motion.place(plane.carrier, plane.at);
  const directions = floorDirections(plane).map((direction) => motion.rotate(plane.carrier, direction));
  const include = (place: Vector, swell = 0): void =>
    directions.forEach((direction, k) => {
      const along = dot(direction, minus(place, origin));
      for (const side of [-swell, swell]) widen(ranges[k] as Pair, along + side);
    });
  includeShapes(groundShapes, GROUND, motion, include);
  bodies.forEach(({ shapes }, body) => {
    if (body === plane.carrier) return;
    include(motion.centre(body));
    includeShapes(shapes, body, motion, include);
  });
}

/** Extends the intervals of rails, floors and planes to `motion.frame`. */
export function widenExtents({ rails, floors, planes }: SceneExtents, scene: Scene, motion: Motion): void {
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
  scene.planes.forEach((plane, index) => widenPlane(planes[index] as Pair[], plane, scene, motion));
}

/** Returns true if all bodies and springs at a support of a planar model are below it, within 45 degrees. */
export function isAbove(support: number, { dimension, joints, springs }: Scene, motion: Motion): boolean {
  if (dimension === 3) return false;
  const bodies = joints.flatMap((joint) => (joint.points.includes(support) ? joint.bodies : []));
  const ends = springs.flatMap((points) => (points.includes(support) ? points.filter((point) => point !== support) : []));
  const places = [
    ...bodies.filter((body) => body !== GROUND).map((body) => motion.centre(body)),
    ...ends.map((point) => motion.point(point)),
  ];
  const isBelow = (place: Vector): boolean => {
    const [x = NaN, y = NaN] = minus(place, motion.point(support));
    return -y > Math.abs(x);
  };
  return places.length > 0 && places.every(isBelow);
}

/** Returns empty intervals along the directions of a floor or plane. */
function nothingAlong(floor: Floor | Plane): Pair[] {
  return floorDirections(floor).map((): Pair => [Infinity, -Infinity]);
}

/** Computes the extents over the whole motion. */
export function findExtents(scene: Scene, motion: Motion): SceneExtents {
  const extents: SceneExtents = {
    rails: scene.rails.map((): Pair => [0, 0]),
    floors: scene.floors.map(nothingAlong),
    planes: scene.planes.map(nothingAlong),
    meshes: scene.gears.map((gears) => ({ gears, rounds: pitchCircles(gears, motion) })),
  };
  motion.visit(() => widenExtents(extents, scene, motion));
  return extents;
}
