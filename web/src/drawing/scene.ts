// The elements of the drawing: a model's bodies, springs and joints, with indices into the arrays of a motion.
import type { JointSymbol, ModelElement, ModelScene, ModelStop } from "../app/api";
import { across, type Pair, type Vector } from "./geometry";
import { readShapes, type Shape } from "./shapes";

/** The index of the ground among the bodies. */
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
  /** Shapes in the body's axes, relative to its mass centre. */
  shapes: Shape[];
}

/** A direction in the axes of a body. */
export interface Axis {
  body: number;
  vector: Vector;
}

export interface SceneJoint {
  /** The name; "" if it has none. */
  name: string;
  type: string;
  /** Indices of its points. */
  points: number[];
  /** Indices of its first and second body. */
  bodies: number[];
  /** Directions of its vectors. */
  axes: Axis[];
  symbol: JointSymbol;
}

/** A force element that acts at points, at mass centres or along joints. */
export interface SceneForce {
  name: string;
  type: string;
  /** Indices of its points; without points, of the bodies at whose mass centres it acts, and of its joints. */
  points: number[];
  bodies: number[];
  joints: number[];
  /** The floor of a contact. */
  floor?: Floor;
  /** The heading of a tyre. */
  axis?: Axis;
}

/** The line along which a slider or a pin moves. */
export interface Rail {
  /** Index of the point that fixes the line to its carrier; `to` is the moving point. */
  from: number;
  to: number;
  /** Direction of the line; without it, the line connects both points. */
  axis?: Axis;
  /** True if it is on the ground. */
  fixed: boolean;
  /** True if the moving body cannot turn in it. */
  straight: boolean;
}

/** A line, or in space a plane, that a point or the rim of a disc or ball touches. */
export interface Floor {
  /** The body that carries it; indices of its point and of the point that touches it (the centre of a disc or ball). */
  carrier: number;
  from: number;
  to: number;
  /** The normal on the side of the touching point, in the carrier's axes. */
  normal: Vector;
  radius: number;
}

/** A plane without end, in a planar model a line: a half-space, or the line or plane that shapes touch. */
export interface Plane {
  carrier: number;
  /** A point of it, and the normal on its free side, in the carrier's axes. */
  at: Vector;
  normal: Vector;
  colour?: string;
}

/** The curve of a cam or slot. */
export interface Curve {
  /** The body that carries it, and the index of its reference point. */
  carrier: number;
  from: number;
  /** Points relative to the reference point, in the carrier's axes. */
  outline: Vector[];
  closed: boolean;
  /** True for a cam or roller, which is filled; false for a slot. */
  solid: boolean;
  /** The column of the contact parameter of an unbounded curve, and the parameters of the points of its outline. */
  endless?: { label: string; first: number; step: number };
}

/** The path of a belt or rope over points and pulleys. */
export interface Rope {
  stops: ModelStop[];
  closed: boolean;
}

/** Two gears of a planar model that rotate about their points, or a pinion with the point of a rack. */
export interface Gears {
  bodies: Pair;
  points: Pair;
  /** Revolutions of the second gear for one of the first; the pitch radii follow from the distance of the points. */
  ratio?: number;
  /** Otherwise the pitch radii, of a pinion one. */
  radii?: number[];
  /** The module, if the document gives numbers of teeth. */
  module?: number;
  /** True if the larger gear is a ring around the other. */
  internal: boolean;
  /** Direction of the rack. */
  rack?: Axis;
}

/** A disc or ball around a point of a body. */
export interface Round {
  body: number;
  at: number;
  radius: number;
  /** The axis of a wheel in space, in the axes of the body; undefined for a ball. */
  axis?: Vector;
  /** A bevel gear, whose point is the apex: the axis and the radius of the gear with which it meshes. */
  mate?: Axis & { radius: number };
  /** A ring around another gear, which is not filled. */
  ring?: boolean;
  /** The pitch circle of a planar gear, whose teeth are drawn. */
  toothed?: boolean;
}

/** The symbol of a clutch, ratchet, play, motor or torsion spring, drawn at a joint. */
export interface Mark {
  kind: "clutch" | "ratchet" | "play" | "motor" | "coil";
  /** Indices of its joints. */
  joints: number[];
  /** The body at whose mass centre it is drawn instead. */
  body?: number;
}

/** The edge of a blade at a point. */
export interface Edge {
  at: number;
  axis: Axis;
}

/** An elastic beam between two points, and its direction at both ends. */
export interface Beam {
  points: Pair;
  axes: [Axis, Axis];
}

export interface Scene {
  dimension: 2 | 3;
  bodies: SceneBody[];
  points: ScenePoint[];
  /** Points of the ground at which joints and springs are attached. */
  supports: number[];
  groundShapes: Shape[];
  /** Pairs of points that a spring connects. */
  springs: [number, number][];
  beams: Beam[];
  /** Points at which bushings are drawn. */
  bushings: number[];
  joints: SceneJoint[];
  forces: SceneForce[];
  rails: Rail[];
  floors: Floor[];
  planes: Plane[];
  rounds: Round[];
  edges: Edge[];
  marks: Mark[];
  curves: Curve[];
  ropes: Rope[];
  gears: Gears[];
  /** The view of a planar model. It is not used in space, where it does not determine an oblique view. */
  view?: { x: Pair; y: Pair };
}

/** Resolves the references of a scene. Its body indices include the ground as 0. */
class References {
  constructor(private readonly model: ModelScene) {}

  /** Returns the body of a point. */
  body(point: number): number {
    return (this.model.points[point]?.body ?? 0) - 1;
  }

  /** Returns a point in the axes of its body. */
  place(point: number): Vector {
    return this.model.points[point]?.at ?? [];
  }

  axis(vector: number | undefined): Axis | undefined {
    const found = vector === undefined ? undefined : this.model.vectors[vector];
    return found && { body: found.body - 1, vector: found.at };
  }

  pointsOf(body: number): number[] {
    return this.model.points.flatMap((_, index) => (this.body(index) === body ? [index] : []));
  }
}

/** Returns the points of a joint or force element. */
function pointsOf({ points }: ModelElement): number[] {
  return (points as number[] | undefined) ?? [];
}

function readJoint(joint: ModelElement, references: References): SceneJoint {
  const points = pointsOf(joint);
  const bodies = points.map((point) => references.body(point));
  const axes = (joint.vectors ?? []).flatMap((vector) => references.axis(vector) ?? []);
  return { name: joint.name ?? "", type: joint.type, symbol: joint.symbol ?? "dot", points, bodies, axes };
}

/** Joints of a disc, wheel or ball on a line or plane of the first body. */
const ROLLING = ["disc", "rolling"];

/** Joints between teeth. */
const TOOTHED = ["gear-pair", "rack-and-pinion", "bevel-gear", "worm-gear"];

const SLIDING = ["translational", "prismatic", "cylindrical", "revolute-translational"];

/** Returns the rail of a joint: on the ground if the ground is one of its bodies, else on the first body. A slot is
 * always on the first body. */
function readRail({ type, points, bodies, axes: [axis] }: SceneJoint): Rail | undefined {
  const [first, second] = points;
  if (!SLIDING.includes(type) || first === undefined || second === undefined) return undefined;
  const [body1, body2] = bodies;
  const swapped = type !== "revolute-translational" && body1 !== GROUND && body2 === GROUND;
  const fixed = swapped || body1 === GROUND;
  const straight = type !== "revolute-translational";
  return swapped ? { from: second, to: first, axis, fixed, straight } : { from: first, to: second, axis, fixed, straight };
}

/** Returns the points at which the symbol of a joint is drawn; in the plane without the point that fixes a rail. */
export function marksOf(joint: SceneJoint): number[] {
  const rail = joint.axes[0]?.vector.length === 2 ? readRail(joint) : undefined;
  return joint.symbol === "none" ? [] : joint.points.filter((point) => point !== rail?.from);
}

/** Adds a floor through a point, along a vector (perpendicular to it in space), and the disc or ball that touches
 * it. In space a third reference is the axis of a wheel. */
function addFloor(scene: Scene, references: References, line: number[], to: number, radius: number): Floor {
  const [from = 0, vector, wheel] = line;
  const normal = normalOf(scene, references.axis(vector)?.vector ?? []);
  const floor = { carrier: references.body(from), from, to, normal, radius };
  scene.floors.push(floor);
  const round = { body: references.body(to), at: to, radius };
  const along = references.axis(wheel)?.vector;
  if (radius > 0) scene.rounds.push(along ? { ...round, axis: along } : round);
  return floor;
}

/** Returns the half-spaces among the shapes of a body. */
function halfSpaces(shapes: ModelElement[], carrier: number): Plane[] {
  return shapes
    .filter(({ type }) => type === "half-space")
    .map(({ at = [0, 0, 0], normal = [], color }) => ({ carrier, at, normal, colour: color }));
}

/** Returns the normal of a line in the plane, or of a plane, from the direction by which a document defines it. */
function normalOf(scene: Scene, direction: Vector): Vector {
  return scene.dimension === 2 ? (across(direction)[0] as Vector) : direction;
}

/** Adds the drawing of a contact: a floor with the disc or ball that touches it, or the line or plane that shapes
 * touch. */
function addContact(scene: Scene, references: References, force: ModelElement, shown: SceneForce): void {
  const { point, line = force.plane, radius = 0 } = force;
  const [from, vector] = line ?? [];
  if (line && point !== undefined) shown.floor = addFloor(scene, references, line, point, radius);
  const direction = references.axis(vector)?.vector;
  if (point !== undefined || from === undefined || !direction) return;
  scene.planes.push({ carrier: references.body(from), at: references.place(from), normal: normalOf(scene, direction) });
}

function addBeam(scene: Scene, references: References, { points, vectors = [] }: ModelElement): void {
  const [first, second] = vectors.map((vector) => references.axis(vector));
  if (first && second) scene.beams.push({ points: points as Pair, axes: [first, second] });
}

/** Adds the symbol of a force element to its joints. A torsion spring between bodies is at their joint, else on the
 * second body. */
function addMark(scene: Scene, { type, joints, bodies }: SceneForce, teeth: unknown): void {
  const kinds: Record<string, Mark["kind"]> = {
    backlash: "play",
    "one-way-clutch": teeth ? "ratchet" : "clutch",
    "dc-motor": "motor",
    "rotational-spring-damper": "coil",
  };
  const kind = kinds[type];
  if (!kind) return;
  const joins = (joint: SceneJoint): boolean => bodies.every((body) => joint.bodies.includes(body));
  const between = bodies.length > 0 ? scene.joints.findIndex(joins) : -1;
  const [first = GROUND, second = GROUND] = bodies;
  if (joints.length > 0 || between >= 0) scene.marks.push({ kind, joints: joints.length > 0 ? joints : [between] });
  else if (bodies.length > 0) scene.marks.push({ kind, joints: [], body: second === GROUND ? first : second });
}

/** Adds the drawing of a force element: a spring, a beam, a bushing, a contact or a rope. */
function addForce(scene: Scene, references: References, force: ModelElement): void {
  const { type, name = "", point } = force;
  const points = point === undefined ? pointsOf(force) : [point];
  const bodies = (force.bodies ?? (force.body === undefined ? [] : [force.body])).map((body) => body - 1);
  const joints = force.joints ?? (force.joint === undefined ? [] : [force.joint]);
  const shown: SceneForce = { name, type, points, bodies, joints };
  if (type === "spring-damper") scene.springs.push(points as Pair);
  if (type === "beam") addBeam(scene, references, force);
  if (type === "bushing") scene.bushings.push(...points.slice(1));
  if (type === "contact") addContact(scene, references, force, shown);
  if (type === "tyre") shown.axis = references.axis(force.vectors?.[0]);
  addRope(scene, references, force);
  scene.forces.push(shown);
}

/** Adds the gears, or the pinion and the rack, of a joint between teeth of a planar model. */
function addGears(scene: Scene, { points, bodies, axes: [rack] }: SceneJoint, element: ModelElement): void {
  const { ratio, teeth, module } = element;
  if (scene.dimension === 3 || points.length !== 2) return;
  const internal = element.mesh === "internal" || Number(ratio) > 0;
  const gears: Gears = { bodies: bodies as Pair, points: points as Pair, internal };
  if (ratio !== undefined) gears.ratio = ratio;
  else gears.radii = pitchRadii(element);
  if (rack) gears.rack = rack;
  if (teeth !== undefined && module !== undefined) gears.module = module;
  scene.gears.push(gears);
}

/** Returns the pitch radii of the gears of a joint. */
function pitchRadii({ radii, radius, teeth = [], module = 0 }: ModelElement): number[] {
  return radii ?? (radius === undefined ? [teeth].flat().map((count) => (count * module) / 2) : [radius]);
}

/** Adds the pitch circles of a joint between teeth. A gear of several joints has one. */
function addPitchCircles(scene: Scene, { points, bodies, axes }: SceneJoint, element: ModelElement): void {
  const radii = pitchRadii(element);
  radii.forEach((radius, i) => {
    const [body, at, mate] = [bodies[i], points[i], axes[1 - i]];
    if (body === undefined || at === undefined || !(radius > 0)) return;
    if (scene.rounds.some((other) => other.at === at && other.radius === radius)) return;
    const round: Round = { body, at, radius };
    const axis = scene.dimension === 3 ? axes[i]?.vector : undefined;
    if (axis) round.axis = axis;
    if (scene.dimension === 2) round.toothed = true;
    if (element.type === "bevel-gear" && mate) round.mate = { ...mate, radius: radii[1 - i] ?? 0 };
    if (element.mesh === "internal" && radius === Math.max(...radii)) round.ring = true;
    scene.rounds.push(round);
  });
}

/** Adds the edge of a blade, the last vector of its joint: a vector before it is the normal of the plane. */
function addEdge(scene: Scene, { points: [, at], axes }: SceneJoint): void {
  const axis = axes.at(-1);
  if (at !== undefined && axis) scene.edges.push({ at, axis });
}

/** Adds the path of a belt or rope with its pulleys and drums. */
function addRope(scene: Scene, references: References, { path, pulleys }: ModelElement): void {
  const stops = pulleys ?? path;
  if (!stops) return;
  scene.ropes.push({ stops, closed: pulleys !== undefined });
  for (const { point, radius } of stops)
    if (radius !== 0) scene.rounds.push({ body: references.body(point), at: point, radius: Math.abs(radius) });
}

function addCurves(scene: Scene, references: References, { name, type, curve = [] }: ModelElement): void {
  curve.forEach(({ point, closed, whole, first = 0, step = 0, outline }, i) => {
    const endless = whole ? undefined : { label: `${name}.alpha${i + 1}`, first, step };
    // Points for which an expression has no value are null.
    const places = outline.filter((place) => endless || place.every(Number.isFinite));
    const solid = closed && type !== "point-follower";
    scene.curves.push({ carrier: references.body(point), from: point, outline: places, closed, solid, endless });
  });
}

function addJoint(scene: Scene, references: References, element: ModelElement): void {
  const joint = readJoint(element, references);
  scene.joints.push(joint);
  const rail = readRail(joint);
  if (rail) scene.rails.push(rail);
  const { type, vectors, radius = 0 } = element;
  const [through = 0, centre = 0] = joint.points;
  if (ROLLING.includes(type)) addFloor(scene, references, [through, ...(vectors ?? [])], centre, radius);
  if (type === "knife-edge") addEdge(scene, joint);
  if (type === "gear" || TOOTHED.includes(type)) addGears(scene, joint, element);
  if (TOOTHED.includes(type)) addPitchCircles(scene, joint, element);
  addCurves(scene, references, element);
  addRope(scene, references, element);
}

/** Converts the drawing data of a model to a scene. */
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
    beams: [],
    bushings: [],
    joints: [],
    forces: [],
    rails: [],
    floors: [],
    planes: model.bodies.flatMap(({ shapes }, body) => halfSpaces(shapes, body - 1)),
    rounds: [],
    edges: [],
    marks: [],
    curves: [],
    ropes: [],
    gears: [],
    view: dimension === 2 && view.x && view.y ? { x: view.x, y: view.y } : undefined,
  };
  for (const force of model.forces) addForce(scene, references, force);
  for (const joint of model.joints) addJoint(scene, references, joint);
  scene.forces.forEach((force, i) => addMark(scene, force, model.forces[i]?.teeth));
  const fixing = scene.joints.flatMap((joint) => marksOf(joint));
  scene.supports = references.pointsOf(GROUND).filter((point) => [...fixing, ...scene.springs.flat()].includes(point));
  return scene;
}

/** Returns the cams and rollers of a body. */
export function camsOf({ curves }: Scene, body: number): Curve[] {
  return curves.filter(({ carrier, solid }) => solid && carrier === body);
}

/** Returns the pairs of points between which joints keep a constant distance. */
export function rodsOf({ joints }: Scene): number[][] {
  return joints.filter(({ symbol, points }) => symbol === "rod" && points.length > 1).map(({ points }) => points);
}
