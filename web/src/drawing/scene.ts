// What the animation draws: a model's bodies, springs and joints, tied to the rows of the arrays that move them.
import type { JointSymbol, ModelElement, ModelScene } from "../app/api";
import { across, type Pair, type Vector } from "./geometry";
import { readShapes, type Shape } from "./shapes";

/** The ground in the place of a body's index. */
export const GROUND = -1;

/** A point of a body. */
export interface ScenePoint {
  name: string;
  body: number;
}

export interface SceneBody {
  name: string;
  /** Indices of its points. */
  points: number[];
  /** In the body's axes, about its mass centre. */
  shapes: Shape[];
}

/** A direction in the axes of a body. */
export interface Axis {
  body: number;
  vector: Vector;
}

export interface SceneJoint {
  /** "" where it has none. */
  name: string;
  type: string;
  /** Indices of its points. */
  points: number[];
  /** Its first and its second body. */
  bodies: number[];
  /** The directions of its vectors. */
  axes: Axis[];
  symbol: JointSymbol;
}

/** A force element that acts at places. */
export interface SceneForce {
  name: string;
  type: string;
  /** Its points; of one that acts at the mass centre of a body none. */
  points: number[];
  body: number;
  /** Of a contact: the floor that it is with. */
  floor?: Floor;
}

/** The line that a slider or a pin runs along. */
export interface Rail {
  /** The point of the body that carries it, and the one that runs. */
  from: number;
  to: number;
  /** Its direction; left out, the line joins both points. */
  axis?: Axis;
  fixed: boolean;
}

/** A line, in space a plane, that a point or the rim of a disc or ball meets. */
export interface Floor {
  /** The body that carries it, its point, and the point that meets it or the centre of the disc or ball. */
  carrier: number;
  from: number;
  to: number;
  /** On the side of what it meets, in the carrier's axes. */
  normal: Vector;
  radius: number;
}

/** The curve of a cam or slot. */
export interface Curve {
  /** The body that carries it, and its point that it is about. */
  carrier: number;
  from: number;
  /** About that point, in the carrier's axes. */
  outline: Vector[];
  closed: boolean;
  /** Of a curve without ends: the column of its contact parameter, and what that is at the points of the outline. */
  endless?: { label: string; first: number; step: number };
}

/** Two gears about their points. */
export interface Gears {
  bodies: Pair;
  points: Pair;
  /** Turns of the second to one of the first. */
  ratio: number;
}

/** A disc or ball about a point of a body. */
export interface Round {
  body: number;
  at: number;
  radius: number;
}

export interface Scene {
  dimension: 2 | 3;
  bodies: SceneBody[];
  points: ScenePoint[];
  /** The ground's points that joints and springs are fixed to. */
  supports: number[];
  groundShapes: Shape[];
  /** Pairs of points that a spring joins. */
  springs: [number, number][];
  joints: SceneJoint[];
  forces: SceneForce[];
  rails: Rail[];
  floors: Floor[];
  rounds: Round[];
  curves: Curve[];
  gears: Gears[];
  /** Of a planar model; in space a view of the model's axes says little about what is seen from aside. */
  view?: { x: Pair; y: Pair };
}

/** What the references of a scene mean; bodies are numbered with the ground before them. */
class References {
  constructor(private readonly model: ModelScene) {}

  /** The body that a point belongs to. */
  body(point: number): number {
    return (this.model.points[point]?.body ?? 0) - 1;
  }

  axis(vector: number | undefined): Axis | undefined {
    const found = vector === undefined ? undefined : this.model.vectors[vector];
    return found && { body: found.body - 1, vector: found.at };
  }

  pointsOf(body: number): number[] {
    return this.model.points.flatMap((_, index) => (this.body(index) === body ? [index] : []));
  }
}

/** The points of a joint or force element that has two. */
function pointsOf({ points }: ModelElement): number[] {
  return (points as number[] | undefined) ?? [];
}

function readJoint(joint: ModelElement, references: References): SceneJoint {
  const points = pointsOf(joint);
  const bodies = points.map((point) => references.body(point));
  const axes = (joint.vectors ?? []).flatMap((vector) => references.axis(vector) ?? []);
  return { name: joint.name ?? "", type: joint.type, symbol: joint.symbol ?? "dot", points, bodies, axes };
}

const SLIDING = ["translational", "prismatic", "cylindrical", "revolute-translational"];

/** The rail of a joint: the ground's if that is one of its bodies, else the first body's. A slot is on the first. */
function readRail({ type, points, bodies, axes: [axis] }: SceneJoint): Rail | undefined {
  const [first, second] = points;
  if (!SLIDING.includes(type) || first === undefined || second === undefined) return undefined;
  const [body1, body2] = bodies;
  const swapped = type !== "revolute-translational" && body1 !== GROUND && body2 === GROUND;
  const fixed = swapped || body1 === GROUND;
  return swapped ? { from: second, to: first, axis, fixed } : { from: first, to: second, axis, fixed };
}

/** The points where the symbol of a joint is drawn: in the plane not the one that says where the rail of a slider is. */
export function marksOf(joint: SceneJoint): number[] {
  const rail = joint.axes[0]?.vector.length === 2 ? readRail(joint) : undefined;
  return joint.symbol === "none" ? [] : joint.points.filter((point) => point !== rail?.from);
}

/** Adds a floor through a point, along (in space across) a vector, and the disc or ball that meets it. */
function addFloor(scene: Scene, references: References, line: number[], to: number, radius: number): Floor {
  const [from = 0, vector] = line;
  const axis = references.axis(vector)?.vector ?? [];
  const normal = scene.dimension === 2 ? (across(axis)[0] as Vector) : axis;
  const floor = { carrier: references.body(from), from, to, normal, radius };
  scene.floors.push(floor);
  if (radius > 0) scene.rounds.push({ body: references.body(to), at: to, radius });
  return floor;
}

/** Adds what a force element shows: a spring, or a floor with what meets it. */
function addForce(scene: Scene, references: References, force: ModelElement): void {
  const { type, name = "", point, body = 0, radius = 0 } = force;
  const points = point === undefined ? pointsOf(force) : [point];
  const shown: SceneForce = { name, type, points, body: body - 1 };
  if (type === "spring-damper") scene.springs.push(points as Pair);
  if (type === "contact")
    shown.floor = addFloor(scene, references, force.line ?? force.plane ?? [], point ?? 0, radius);
  scene.forces.push(shown);
}

function addGears(scene: Scene, { points, bodies }: SceneJoint, ratio: number): void {
  if (scene.dimension === 2 && points.length === 2)
    scene.gears.push({ bodies: bodies as Pair, points: points as Pair, ratio });
}

function addCurves(scene: Scene, references: References, { name, curve = [] }: ModelElement): void {
  curve.forEach(({ point, closed, whole, first = 0, step = 0, outline }, i) => {
    const endless = whole ? undefined : { label: `${name}.alpha${i + 1}`, first, step };
    // A place that an expression has no value for is none (null).
    const places = outline.filter((place) => endless || place.every(Number.isFinite));
    scene.curves.push({ carrier: references.body(point), from: point, outline: places, closed, endless });
  });
}

function addJoint(scene: Scene, references: References, element: ModelElement): void {
  const joint = readJoint(element, references);
  scene.joints.push(joint);
  const rail = readRail(joint);
  if (rail) scene.rails.push(rail);
  const { type, vectors, radius = 0, ratio = NaN } = element;
  const [through = 0, centre = 0] = joint.points;
  if (type === "disc") addFloor(scene, references, [through, ...(vectors ?? [])], centre, radius);
  if (type === "gear") addGears(scene, joint, ratio);
  addCurves(scene, references, element);
}

/** What is drawn of a model as the service understands it. */
export function readScene(model: ModelScene): Scene {
  const references = new References(model);
  const { dimension, view } = model;
  const [ground, ...bodies] = model.bodies;
  const scene: Scene = {
    dimension,
    bodies: bodies.map(({ name, shapes }, body) => ({
      name,
      points: references.pointsOf(body),
      shapes: readShapes(shapes),
    })),
    points: model.points.map(({ name, body }) => ({ name, body: body - 1 })),
    supports: [],
    groundShapes: readShapes(ground?.shapes ?? []),
    springs: [],
    joints: [],
    forces: [],
    rails: [],
    floors: [],
    rounds: [],
    curves: [],
    gears: [],
    view: dimension === 2 && view.x && view.y ? { x: view.x, y: view.y } : undefined,
  };
  for (const force of model.forces) addForce(scene, references, force);
  for (const joint of model.joints) addJoint(scene, references, joint);
  const fixing = scene.joints.flatMap((joint) => marksOf(joint));
  scene.supports = references.pointsOf(GROUND).filter((point) => [...fixing, ...scene.springs.flat()].includes(point));
  return scene;
}

/** The pairs of points that joints keep at a distance. */
export function rodsOf({ joints }: Scene): number[][] {
  return joints.filter(({ symbol, points }) => symbol === "rod" && points.length > 1).map(({ points }) => points);
}
