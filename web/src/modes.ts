// Mode shapes of a linearization as motions: the bodies' small displacements by the velocities of the coordinates.
import { asFields, asList } from "./fields";
import { across, compose, dot, minus, plus, rotate, scaled, turnOf, unit, type Turn, type Vector } from "./geometry";
import { Motion } from "./motion";
import type { Scene, SceneJoint } from "./scene";

/** Of one mode: real and imaginary part of each velocity in turn. */
export type ModeShape = Float64Array;

/** What the report says of a body: the joint that carries it, and how many velocities are its own. */
interface Branch {
  parent: number;
  /** Left out where it floats. */
  joint?: SceneJoint;
  freedoms: number;
}

/** A displacement of all places of a body: x goes to `rotate(turn, x) + shift`. */
interface Move {
  turn: Turn;
  shift: Vector;
}

/** Frames of one period. */
const FRAMES = 48;

/** What moves most goes this far, as a part of the model's size, and nothing turns by more than this [rad]. */
const REACH = 0.12;
const TURN_MOST = 0.5;

/** The tree of a report, in the order of the scene's bodies. */
export function readTree(report: unknown, scene: Scene): Branch[] {
  const entries = asList(asFields(report).tree).map(asFields);
  return scene.bodies.map(({ name }): Branch => {
    const entry = entries.find(({ body }) => body === name);
    const parent = scene.bodies.findIndex((body) => body.name === entry?.parent);
    const joint = scene.joints.find((candidate) => candidate.name === entry?.joint);
    return { parent, joint: entry?.joint ? joint : undefined, freedoms: Number(entry?.freedoms ?? 0) };
  });
}

/** A small turn about a place (an angle in the plane, a rotation vector in space), then a slide. */
function moveAbout(place: Vector, rotation: Vector, slide: Vector): Move {
  const turn = turnOf(rotation);
  return { turn, shift: plus(minus(place, rotate(turn, place)), slide) };
}

/** What the coordinates of joints turn and slide; undefined where an axis is an expression. */
class Displacements {
  constructor(
    private readonly scene: Scene,
    private readonly motion: Motion,
  ) {}

  private direction(joint: SceneJoint, index: number): Vector | undefined {
    const axis = joint.axes[index] ?? (joint.type === "universal" ? undefined : joint.axis);
    return axis && unit(this.motion.rotate(axis.body, axis.vector));
  }

  /** The parts of a joint's motion: [turns, slides], each with its value and its direction (none for a planar turn). */
  private rotationAndSlide(joint: SceneJoint, values: number[]): [Vector, Vector] | undefined {
    const planar = this.scene.dimension === 2;
    const still = planar ? [0, 0] : [0, 0, 0];
    const [first = 0, second = 0] = values;
    const u = this.direction(joint, 0);
    const along = (value: number): Vector | undefined => u && scaled(u, value);
    const pair = (a: Vector | undefined, b: Vector | undefined): [Vector, Vector] | undefined => a && b && [a, b];
    switch (joint.type) {
      case "revolute":
        return pair(planar ? [first] : along(first), still);
      case "translational":
      case "prismatic":
        return pair(planar ? [0] : still, along(first));
      case "revolute-translational":
        return pair([second], along(first));
      case "disc": {
        const [p1, p2] = joint.points.map((point) => this.motion.point(point));
        const normal = u && across(u)[0];
        return p1 && p2 && normal && pair([first], along(-first * dot(normal, minus(p2, p1))));
      }
      case "cylindrical":
        return pair(along(second), along(first));
      case "screw":
        return joint.pitch === undefined ? undefined : pair(along(first), along((first * joint.pitch) / (2 * Math.PI)));
      case "universal": {
        const v = this.direction(joint, 1);
        return pair(u && v && plus(scaled(u, first), v, second), still);
      }
      case "spherical":
        return pair(this.motion.rotate(joint.bodies[0] ?? -1, values), still);
      default:
        return values.length === 0 ? [planar ? [0] : still, still] : undefined;
    }
  }

  /** How a body moves against its parent. */
  of(body: number, { joint, freedoms }: Branch, values: number[]): Move | undefined {
    const { dimension } = this.scene;
    if (!joint || joint.type === "floating") {
      const rotation = values.slice(dimension);
      return freedoms === 0 ? undefined : moveAbout(this.motion.centre(body), rotation, values.slice(0, dimension));
    }
    // A joint's coordinates are those of its second body against the first.
    const sign = joint.bodies[1] === body ? 1 : -1;
    const parts = this.rotationAndSlide(joint, values.map((value) => sign * value));
    const point = joint.points[joint.bodies[1] === body ? 1 : 0];
    const place = point === undefined ? this.motion.centre(body) : this.motion.point(point);
    return parts && moveAbout(place, ...parts);
  }
}

/** Where all bodies go for some values of the velocities; what cannot be known stays with its parent. */
function movesOf(scene: Scene, motion: Motion, tree: Branch[], values: number[]): Move[] {
  const displacements = new Displacements(scene, motion);
  const moves: (Move | undefined)[] = [];
  const still: Move = { turn: scene.dimension === 2 ? [0] : [1, 0, 0, 0], shift: motion.centre(-1) };
  const starts = tree.map((_, i) => tree.slice(0, i).reduce((sum, { freedoms }) => sum + freedoms, 0));
  const find = (body: number, depth: number): Move => {
    const branch = tree[body];
    if (!branch || depth > tree.length) return still;
    const start = starts[body] as number;
    const own = displacements.of(body, branch, values.slice(start, start + branch.freedoms)) ?? still;
    const parent = moves[branch.parent] ?? find(branch.parent, depth + 1);
    const shift = plus(rotate(parent.turn, own.shift), parent.shift);
    return (moves[body] = { turn: compose(parent.turn, own.turn), shift });
  };
  return tree.map((_, body) => moves[body] ?? find(body, 0));
}

/** Places of a body that tell its size, its points among them. */
function marksOf(scene: Scene, motion: Motion, body: number): Vector[] {
  const { points, shapes } = scene.bodies[body] as Scene["bodies"][number];
  const corners = shapes.flatMap((shape) => (shape.type === "circle" ? [shape.at] : shape.points));
  const places = corners.map((corner) => motion.place(body, corner));
  return [motion.centre(body), ...points.map((point) => motion.point(point)), ...places];
}

/** The factor that makes a mode large enough to be seen and small enough to be true. */
function visibleScale(scene: Scene, motion: Motion, tree: Branch[], parts: number[][]): number {
  const marks = scene.bodies.map((_, body) => marksOf(scene, motion, body));
  const all = marks.flat();
  const extent = (axis: number): number => {
    const values = all.map((place) => place[axis] as number);
    return Math.max(...values) - Math.min(...values);
  };
  const size = Math.hypot(...Array.from({ length: scene.dimension }, (_, axis) => extent(axis))) || 1;
  const small = 1e-4;
  let [way, angle] = [0, 0];
  for (const values of parts)
    movesOf(scene, motion, tree, values.map((value) => small * value)).forEach(({ turn, shift }, body) => {
      for (const place of marks[body] as Vector[])
        way = Math.max(way, Math.hypot(...minus(plus(rotate(turn, place), shift), place)) / small);
      const half = turn.length === 1 ? Math.abs(turn[0] as number) / 2 : Math.hypot(...turn.slice(1));
      angle = Math.max(angle, (2 * half) / small);
    });
  const scale = Math.min(way > 0 ? (REACH * size) / way : Infinity, angle > 0 ? TURN_MOST / angle : Infinity);
  return Number.isFinite(scale) ? scale : 0;
}

/** One period of a mode about the state that `motion` holds, as times from 0 to 1. */
export function modeMotion(scene: Scene, motion: Motion, tree: Branch[], shape: ModeShape): Motion {
  const count = shape.length / 2;
  const part = (which: number): number[] => Array.from({ length: count }, (_, i) => shape[2 * i + which] as number);
  const [real, imaginary] = [part(0), part(1)];
  const scale = visibleScale(scene, motion, tree, [real, imaginary]);
  const owners = new Map(scene.bodies.flatMap(({ points }, body) => points.map((point) => [point, body])));
  const times = Float64Array.from({ length: FRAMES + 1 }, (_, row) => row / FRAMES);
  const rows = [...times].map((t) => {
    const [c, s] = [scale * Math.cos(2 * Math.PI * t), scale * Math.sin(2 * Math.PI * t)];
    const moves = movesOf(scene, motion, tree, real.map((value, i) => c * value - s * (imaginary[i] as number)));
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

/** Whether all bodies' motions against their parents can be told. */
export function isWhole(scene: Scene, motion: Motion, tree: Branch[]): boolean {
  const displacements = new Displacements(scene, motion);
  return tree.every((branch, body) => {
    const values = new Array<number>(branch.freedoms).fill(0);
    return branch.freedoms === 0 || displacements.of(body, branch, values) !== undefined;
  });
}
