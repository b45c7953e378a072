// What the animation draws: a model's bodies, springs and joints, tied to the rows of the arrays that move them.
import type { ArrayInfo } from "./api";
import { asFields, asList, asNumber, asPair, asVector, readParameters, type Fields, type Parameters } from "./fields";
import { across, type Pair, type Vector } from "./geometry";
import { circle, closedSpline, type Toucher } from "./curves";
import { readShapes, type Shape } from "./shapes";

/** The ground in the place of a body's index. */
export const GROUND = -1;

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
  name: string;
  type: string;
  /** Indices of its points. */
  points: number[];
  /** Its first and its second body. */
  bodies: number[];
  /** Its vectors in the document's order, where they are plain numbers, and the first of them that is. */
  axes: (Axis | undefined)[];
  axis?: Axis;
  pitch?: number;
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
  /** The force element it belongs to, if any. */
  name?: string;
  /** The body that carries it, its point, and the point that meets it or the centre of the disc or ball. */
  carrier: number;
  from: number;
  to: number;
  /** On the side of what it meets, in the carrier's axes; left out where it is not plain numbers. */
  normal?: Vector;
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
}

/** Two gears about their points. */
export interface Gears {
  bodies: Pair;
  points: Pair;
  /** Turns of the second to one of the first, where it is a plain number. */
  ratio?: number;
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
  /** The ground's points that joints and springs are fixed to. */
  supports: number[];
  groundShapes: Shape[];
  /** Pairs of points that a spring joins. */
  springs: [number, number][];
  joints: SceneJoint[];
  rails: Rail[];
  floors: Floor[];
  rounds: Round[];
  curves: Curve[];
  /** What shows a curve that the document gives by an expression. */
  touchers: Toucher[];
  gears: Gears[];
  /** Of a planar model; in space a view of the model's axes says little about what is seen from aside. */
  view?: { x: Pair; y: Pair };
}

/** The names of points in the order of `rP`, from its labels "body.point.x". */
function pointNames(labels: string[], dimension: number): string[] {
  const names: string[] = [];
  for (let first = 0; first < labels.length; first += dimension)
    names.push((labels[first] ?? "").replace(/\.x$/, ""));
  return names;
}

/** What the references of a document mean: points as indices, bodies as indices, vectors as numbers. */
class Names {
  readonly points: string[];
  readonly parameters: Parameters;
  private readonly indexOf: Map<string, number>;
  private readonly owners: { name: string; fields: Fields }[];

  constructor(
    model: Fields,
    labels: string[],
    readonly dimension: 2 | 3,
  ) {
    this.points = pointNames(labels, dimension);
    this.indexOf = new Map(this.points.map((name, index) => [name, index]));
    this.parameters = readParameters(model.parameters);
    const bodies = asList(model.bodies).map(asFields);
    this.owners = [{ name: "ground", fields: asFields(model.ground) }];
    for (const fields of bodies) this.owners.push({ name: String(fields.name), fields });
  }

  point(reference: unknown): number | undefined {
    return this.indexOf.get(String(reference));
  }

  pointsOf(owner: string): number[] {
    return this.points.flatMap((name, index) => (name.startsWith(owner + ".") ? [index] : []));
  }

  /** The body that a point or vector belongs to. */
  body(reference: unknown): number {
    return this.owners.findIndex(({ name }) => String(reference).startsWith(name + ".")) - 1;
  }

  number(value: unknown): number | undefined {
    return asNumber(value, this.parameters);
  }

  axis(reference: unknown): Axis | undefined {
    const body = this.body(reference);
    const owner = this.owners[body + 1];
    const name = String(reference).slice((owner?.name.length ?? 0) + 1);
    const vector = asVector(asFields(owner?.fields.vectors)[name], this.dimension, this.parameters);
    return vector && { body, vector };
  }
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** A list of references, which may be a single one. */
function references(value: unknown): string[] {
  return typeof value === "string" ? [value] : asList(value).map(String);
}

function readJoint(joint: Fields, names: Names): SceneJoint {
  const places = asList(joint.points);
  const axes = references(joint.vectors).map((reference) => names.axis(reference));
  return {
    name: String(joint.name ?? ""),
    type: String(joint.type),
    points: places.map((reference) => names.point(reference)).filter(isDefined),
    bodies: places.map((reference) => names.body(reference)),
    axes,
    // The axes of a joint that has two are parallel, so that either tells; a universal joint's are not drawn.
    axis: axes.find(isDefined),
    pitch: names.number(joint.pitch),
  };
}

const SLIDING = ["translational", "prismatic", "cylindrical", "revolute-translational"];

/** The rail of a joint: the ground's if that is one of its bodies, else the first body's. A slot is on the first. */
function readRail({ type, points, bodies, axis }: SceneJoint): Rail | undefined {
  const [first, second] = points;
  if (!SLIDING.includes(type) || first === undefined || second === undefined) return undefined;
  const [body1, body2] = bodies;
  const swapped = type !== "revolute-translational" && body1 !== GROUND && body2 === GROUND;
  const fixed = swapped || body1 === GROUND;
  return swapped ? { from: second, to: first, axis, fixed } : { from: first, to: second, axis, fixed };
}

function readFloor(line: unknown, to: unknown, radius: number, names: Names): Floor | undefined {
  const [through, direction] = asList(line);
  const [from, meeting, axis] = [names.point(through), names.point(to), names.axis(direction)];
  if (from === undefined || meeting === undefined) return undefined;
  const normal = axis && (names.dimension === 2 ? across(axis.vector)[0] : axis.vector);
  return { carrier: names.body(through), from, to: meeting, normal, radius };
}

/** Adds what a force element shows: a spring, or a floor with what meets it. */
function addForce(force: Fields, names: Names, scene: Scene): void {
  if (force.type === "spring-damper") {
    const [a, b] = asList(force.points).map((reference) => names.point(reference));
    if (a !== undefined && b !== undefined) scene.springs.push([a, b]);
  } else if (force.type === "contact") {
    const radius = names.number(force.radius) ?? 0;
    const floor = readFloor(force.line ?? force.plane, force.point, radius, names);
    if (!floor) return;
    scene.floors.push({ ...floor, name: String(force.name) });
    if (radius > 0) scene.rounds.push({ body: names.body(force.point), at: floor.to, radius });
  }
}

function addDisc(joint: Fields, names: Names, scene: Scene): void {
  const radius = names.number(joint.radius) ?? 0;
  const [through, centre] = asList(joint.points);
  const floor = readFloor([through, references(joint.vectors)[0]], centre, radius, names);
  if (!floor) return;
  scene.floors.push(floor);
  if (radius > 0) scene.rounds.push({ body: names.body(centre), at: floor.to, radius });
}

function addGears(joint: Fields, names: Names, scene: Scene): void {
  const [first, second] = asList(joint.points);
  const points = [names.point(first), names.point(second)];
  if (scene.dimension === 3 || points[0] === undefined || points[1] === undefined) return;
  const bodies: Pair = [names.body(first), names.body(second)];
  scene.gears.push({ bodies, points: points as Pair, ratio: names.number(joint.ratio) });
}

/** The radius of a curve that is a circle. */
function circleRadius(curve: unknown, names: Names): number | undefined {
  const radius = names.number(asFields(curve).polar);
  return radius !== undefined && radius > 0 ? radius : undefined;
}

/** The curve of a document where it needs no expression. */
function readOutline(curve: unknown, names: Names): Vector[] | undefined {
  const radius = circleRadius(curve, names);
  if (radius !== undefined) return circle(radius);
  const points = asList(asFields(curve).spline).map((point) => asVector(point, 2, names.parameters)).filter(isDefined);
  return points.length > 2 ? closedSpline(points) : undefined;
}

/** The curves of a cam or slot: the first curve is about the first point, but a point-follower's about its second. */
function addCurves(joint: Fields, names: Names, scene: Scene): void {
  const curves = Array.isArray(joint.curve) ? joint.curve : [joint.curve];
  const points = joint.type === "point-follower" ? asList(joint.points).slice().reverse() : asList(joint.points);
  const indices = points.map((reference) => names.point(reference));
  curves.forEach((curve, i) => {
    const [from, to] = i === 0 ? indices : indices.slice().reverse();
    if (from === undefined || to === undefined) return;
    const carrier = names.body(points[i]);
    const outline = readOutline(curve, names);
    if (outline) {
      scene.curves.push({ carrier, from, outline, closed: true });
      return;
    }
    const radius = joint.type === "cam-follower" ? circleRadius(curves[1 - i], names) : 0;
    const face = joint.type === "cam-flat-follower" ? names.axis(references(joint.vectors)[0]) : undefined;
    if (radius === undefined || (joint.type === "cam-flat-follower" && !face)) return;
    scene.touchers.push({ carrier, from, to, radius, face });
  });
}

function addJoint(fields: Fields, names: Names, scene: Scene): void {
  const joint = readJoint(fields, names);
  scene.joints.push(joint);
  const rail = readRail(joint);
  if (rail) scene.rails.push(rail);
  if (joint.type === "disc") addDisc(fields, names, scene);
  if (joint.type === "gear") addGears(fields, names, scene);
  if (fields.curve !== undefined) addCurves(fields, names, scene);
}

/** Reads the drawing out of a document (a bare model, or {"model", "analysis"}) that the service has accepted. */
export function readScene(text: string, positions: ArrayInfo, points: ArrayInfo | undefined): Scene {
  const document = asFields(JSON.parse(text));
  const model = "model" in document ? asFields(document.model) : document;
  const dimension = positions.shape[2] === 3 ? 3 : 2;
  const names = new Names(model, points?.labels ?? [], dimension);
  const view = asFields(model.view);
  const [viewX, viewY] = dimension === 2 ? [asPair(view.x, names.parameters), asPair(view.y, names.parameters)] : [];

  const scene: Scene = {
    dimension,
    bodies: asList(model.bodies).map((value) => {
      const body = asFields(value);
      const name = String(body.name);
      return { name, points: names.pointsOf(name), shapes: readShapes(body.shapes, dimension, names.parameters) };
    }),
    supports: [],
    groundShapes: readShapes(asFields(model.ground).shapes, dimension, names.parameters),
    springs: [],
    joints: [],
    rails: [],
    floors: [],
    rounds: [],
    curves: [],
    touchers: [],
    gears: [],
    view: viewX && viewY && { x: viewX, y: viewY },
  };
  for (const force of asList(model.forces)) addForce(asFields(force), names, scene);
  for (const joint of asList(model.joints)) addJoint(asFields(joint), names, scene);
  const fixing = scene.joints.filter(({ type }) => type !== "disc").flatMap((joint) => joint.points);
  scene.supports = names.pointsOf("ground").filter((point) => [...fixing, ...scene.springs.flat()].includes(point));
  return scene;
}
