// Animates the mode shapes of a linearization, from the displacements of the bodies.
import { across, compose, cross, minus, plus, rotate, scaled, turnOf, type Turn, type Vector } from "../drawing/geometry";
import type { Scene } from "../drawing/scene";
import { reachOfShape } from "../drawing/shapes";
import { Motion } from "./motion";

/** One mode: for each body the displacement of its mass centre, then its small rotation; each component as real and
 * imaginary part. */
export type ModeShape = Float64Array;

/** A small displacement of a body. */
interface Displacement {
  slide: Vector;
  /** An angle in the plane, a rotation vector in space. */
  rotation: Vector;
}

/** A rigid motion of a body: x goes to `rotate(turn, x) + shift`. */
interface Move {
  turn: Turn;
  shift: Vector;
}

/** Number of frames in one period. */
const FRAMES = 48;

/** Maximum displacement, as a fraction of the model's size; TURN_MOST: maximum rotation [rad]. */
const REACH = 0.12;
const TURN_MOST = 0.5;

/** Returns the cross product omega x v. */
function spin(rotation: Vector, vector: Vector): Vector {
  return rotation.length === 1 ? scaled(across(vector)[0] as Vector, rotation[0] as number) : cross(rotation, vector);
}

/** Returns the screw motion with the given initial velocity: a body that rotates about a fixed pin stays on it. */
function screw(centre: Vector, { slide, rotation }: Displacement): Move {
  const angle = Math.hypot(...rotation);
  const first = angle > 1e-4 ? (1 - Math.cos(angle)) / angle ** 2 : 1 / 2;
  const second = angle > 1e-4 ? (angle - Math.sin(angle)) / angle ** 3 : 1 / 6;
  const sideways = spin(rotation, slide);
  const way = plus(plus(slide, sideways, first), spin(rotation, sideways), second);
  const turn = turnOf(rotation);
  return { turn, shift: plus(minus(centre, rotate(turn, centre)), way) };
}

/** Returns the displacements of all bodies at a phase: real parts times c minus imaginary parts times s. */
function displacementsAt(shape: ModeShape, bodies: number, dimension: number, c: number, s: number): Displacement[] {
  const width = shape.length / bodies / 2;
  const component = (k: number): number => c * (shape[2 * k] as number) - s * (shape[2 * k + 1] as number);
  return Array.from({ length: bodies }, (_, body) => {
    const values = Array.from({ length: width }, (_, k) => component(body * width + k));
    return { slide: values.slice(0, dimension), rotation: values.slice(dimension) };
  });
}

/** Returns positions of a body that determine its size, including its points. */
function marksOf(scene: Scene, motion: Motion, body: number): Vector[] {
  const { points, shapes } = scene.bodies[body] as Scene["bodies"][number];
  const places = shapes.flatMap((shape) => reachOfShape(shape).places).map((corner) => motion.place(body, corner));
  return [motion.centre(body), ...points.map((point) => motion.point(point)), ...places];
}

/** Returns the factor that makes a mode visible, but not so large that the linear displacement is misleading. */
function visibleScale(scene: Scene, motion: Motion, parts: Displacement[][]): number {
  const marks = scene.bodies.map((_, body) => marksOf(scene, motion, body));
  const all = marks.flat();
  const extent = (axis: number): number => {
    const values = all.map((place) => place[axis] as number);
    return Math.max(...values) - Math.min(...values);
  };
  const size = Math.hypot(...Array.from({ length: scene.dimension }, (_, axis) => extent(axis))) || 1;
  let [way, angle] = [0, 0];
  for (const part of parts)
    part.forEach(({ slide, rotation }, body) => {
      for (const place of marks[body] as Vector[])
        way = Math.max(way, Math.hypot(...plus(slide, spin(rotation, minus(place, motion.centre(body))))));
      angle = Math.max(angle, Math.hypot(...rotation));
    });
  const scale = Math.min(way > 0 ? (REACH * size) / way : Infinity, angle > 0 ? TURN_MOST / angle : Infinity);
  return Number.isFinite(scale) ? scale : 0;
}

/** Returns one period of a mode about the current frame of `motion`, with times from 0 to 1. */
export function modeMotion(scene: Scene, motion: Motion, shape: ModeShape): Motion {
  const at = (c: number, s: number): Displacement[] =>
    displacementsAt(shape, scene.bodies.length, scene.dimension, c, s);
  const scale = visibleScale(scene, motion, [at(1, 0), at(0, 1)]);
  const owners = new Map(scene.bodies.flatMap(({ points }, body) => points.map((point) => [point, body])));
  const times = Float64Array.from({ length: FRAMES + 1 }, (_, row) => row / FRAMES);
  const rows = [...times].map((t) => {
    const displacements = at(scale * Math.cos(2 * Math.PI * t), scale * Math.sin(2 * Math.PI * t));
    const moves = displacements.map((displacement, body) => screw(motion.centre(body), displacement));
    const moved = (place: Vector, body: number | undefined): Vector => {
      const move = body === undefined ? undefined : moves[body];
      return move ? plus(rotate(move.turn, place), move.shift) : place;
    };
    const points = Array.from({ length: motion.frame.points.length / scene.dimension }, (_, i) => i);
    return {
      centres: moves.flatMap((_, body) => moved(motion.centre(body), body)),
      turns: moves.flatMap(({ turn }, body) => compose(turn, motion.turn(body))),
      points: points.flatMap((point) => moved(motion.point(point), owners.get(point))),
    };
  });
  const [centres, turns, points] = (["centres", "turns", "points"] as const).map((name) =>
    Float64Array.from(rows.flatMap((row) => row[name])),
  ) as [Float64Array, Float64Array, Float64Array];
  return new Motion(times, scene.dimension, centres, turns, points);
}
