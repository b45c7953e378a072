// What the animation draws: a model's bodies, springs and joints, tied to the rows of the arrays that move them.
import type { ArrayInfo } from "./api";
import { asFields, asList, asNumber, asPair, type Fields } from "./fields";
import type { Pair } from "./geometry";
import { readShapes, type Shape } from "./shapes";

export interface SceneBody {
  name: string;
  /** Indices of its points. */
  points: number[];
  /** In the body's axes, about its mass centre. */
  shapes: Shape[];
}

export interface SceneJoint {
  type: string;
  /** Indices of its points. */
  points: number[];
  /** For a slot or rail: the direction in the axes of the body that carries it, where it is plain numbers. */
  direction?: Pair;
  /** The carrying body's index, -1 for the ground, and whether the carrying point is the second one. */
  carrier: number;
  swapped: boolean;
  radius?: number;
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
  view?: { x: Pair; y: Pair };
}

/** The names of points in the order of `rP`, from its labels "body.point.x". */
function pointNames(labels: string[], dimension: number): string[] {
  const names: string[] = [];
  for (let first = 0; first < labels.length; first += dimension)
    names.push((labels[first] ?? "").replace(/\.x$/, ""));
  return names;
}

function readJoint(value: unknown, scene: Scene, indexOf: Map<string, number>, bodies: Fields[]): SceneJoint {
  const joint = asFields(value);
  const references = asList(joint.points).map(String);
  const points = references.map((name) => indexOf.get(name)).filter((index) => index !== undefined);
  const bodyOf = (reference: unknown): number =>
    scene.bodies.findIndex((body) => String(reference).startsWith(body.name + "."));
  const type = String(joint.type);
  // A rail belongs to the ground if that is one of its bodies, else to the first; a pin's slot to the second.
  const swapped =
    type === "revolute-translational" || (type === "translational" && String(references[1]).startsWith("ground."));
  const carrier = bodyOf(references[swapped ? 1 : 0]);
  const carrying = carrier < 0 ? "ground" : (scene.bodies[carrier]?.name ?? "");
  const vector = asList(joint.vectors).map(String).find((name) => name.startsWith(carrying + "."));
  const owner = carrier < 0 ? bodies[0] : bodies[carrier + 1];
  const direction = vector ? asPair(asFields(owner?.vectors)[vector.slice(carrying.length + 1)]) : undefined;
  return { type, points, direction, carrier, swapped, radius: asNumber(joint.radius) };
}

/** Reads the drawing out of a document (a bare model, or {"model", "analysis"}) that the service has accepted. */
export function readScene(text: string, positions: ArrayInfo, points: ArrayInfo | undefined): Scene {
  const document = asFields(JSON.parse(text));
  const model = "model" in document ? asFields(document.model) : document;
  const dimension = positions.shape[2] === 3 ? 3 : 2;
  const names = points ? pointNames(points.labels, dimension) : [];
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const pointsOf = (body: string): number[] =>
    names.flatMap((name, index) => (name.startsWith(body + ".") ? [index] : []));
  const ground = asFields(model.ground);
  const bodies = asList(model.bodies).map(asFields);
  const view = asFields(model.view);
  const [viewX, viewY] = [asPair(view.x), asPair(view.y)];

  const scene: Scene = {
    dimension,
    bodies: bodies.map((body) => {
      const name = String(body.name);
      return { name, points: pointsOf(name), shapes: dimension === 2 ? readShapes(body.shapes) : [] };
    }),
    supports: [],
    groundShapes: dimension === 2 ? readShapes(ground.shapes) : [],
    springs: [],
    joints: [],
    view: viewX && viewY && { x: viewX, y: viewY },
  };
  for (const value of asList(model.forces)) {
    const force = asFields(value);
    const [a, b] = asList(force.points).map((name) => indexOf.get(String(name)));
    if (force.type === "spring-damper" && a !== undefined && b !== undefined) scene.springs.push([a, b]);
  }
  scene.joints = asList(model.joints).map((joint) => readJoint(joint, scene, indexOf, [ground, ...bodies]));
  const fixing = scene.joints.filter(({ type }) => type !== "disc").flatMap((joint) => joint.points);
  scene.supports = pointsOf("ground").filter((point) => [...fixing, ...scene.springs.flat()].includes(point));
  return scene;
}
