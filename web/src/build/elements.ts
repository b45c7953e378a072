// Tools that add joints, force elements and drivers: one for any class of the schema. Which places it takes follows
// from the fields that the class has, so that a class that is new to the solver can be drawn, too.
import type { Fields } from "../fields";
import { across, minus, scaled, type Pair } from "../geometry";
import type { View } from "../picking";
import { GROUND } from "../scene";
import { fieldOf, type Class } from "./classes";
import { curvesOf } from "./curves";
import type { Draft } from "./draft";
import { motionOfBodies, motionOfDistance, motionOfJoint, motionOfPlace } from "./motions";
import { localVector, pointAt, radiusOf, Refusal, type Made, type Site, type Spot, type Tool } from "./tool";

/** What some numbers begin with, by their names and units; other ones that a class must have with 1. */
const BEGINNINGS: Record<string, number> = {
  "stiffness [N/m]": 1000,
  "stiffness [N m/rad]": 10,
  "stiffness [N/m^n]": 1e5,
  "damping [N s/m]": 10,
  "damping [N m s/rad]": 0.1,
  restitution: 0.5,
  mu_dynamic: 0.3,
  "preload [N]": 10,
};
/** A force begins with so much [N]. */
const FORCE = 10;

/** The surface that rubs in a joint has this radius [m]. */
const RUBBING = 0.01;

const significant = (value: number): number => Number(value.toPrecision(4));

/** How a class takes its places. */
interface Manner {
  /** Two places, else one. */
  apart: boolean;
  /** A drag gives a direction. */
  directed: boolean;
}

/** A field that refers to something in the drawing. */
const REFERENCES = ["points", "point", "body", "bodies", "joint", "line"];

function has(kind: Class, name: string): boolean {
  return fieldOf(kind, name) !== undefined;
}

/** Whether it is of the turns of its bodies: gears, cams, an angle between two bodies. */
function couplesTurns(kind: Class): boolean {
  return ["ratio", "curve", "bodies"].some((name) => has(kind, name));
}

/** The points of a joint are at one place, unless there is something between them that has a size: a length, a radius,
 * a ratio, a curve. Such a field has no value by itself. */
function isApart(kind: Class): boolean {
  if (has(kind, "line")) return true;
  if (!has(kind, "points")) return has(kind, "bodies") && !has(kind, "joint");
  const between = ({ name, schema }: Class["fields"][number]): boolean =>
    !["type", "name", "points", "vectors", "reference", "bodies", "cut", "initial"].includes(name) &&
    schema.default === undefined;
  return kind.kind !== "joints" || kind.fields.some(between);
}

function mannerOf(kind: Class): Manner {
  const apart = isApart(kind);
  const vector = fieldOf(kind, "value")?.schema.type === "array";
  return { apart, directed: !apart && (vector || has(kind, "vectors")) };
}

/** Which bodies at a place joints hold together there: each body with the number of its group. */
function groupsAt({ bodies, points }: Spot, { scene }: View): Map<number, number> {
  const groups = new Map(bodies.map((body, i) => [body, i]));
  for (const joint of scene.joints) {
    if (joint.points.length < 2 || !joint.points.every((point) => points.includes(point))) continue;
    const [one, other] = joint.bodies.map((body) => groups.get(body));
    for (const [body, group] of groups) if (group === one && other !== undefined) groups.set(body, other);
  }
  return groups;
}

/** The two bodies that a joint at a place is between: the ground and the one that is there, or two that no joint holds
 * together there. The ground comes first, then the body that the document has first. */
function pairAt(spot: Spot, site: Site): [number, number] {
  const [first, ...others] = spot.bodies;
  if (first === undefined) throw new Refusal("there is no body here");
  const groups = groupsAt(spot, site.view);
  const second = others.find((body) => groups.get(body) !== groups.get(first));
  if (second === undefined && others.length > 0)
    throw new Refusal(`${spot.bodies.map((body) => site.draft.nameOf(body)).join(" and ")} are joined here already`);
  if (second === undefined && first === GROUND) throw new Refusal("there is no body here but the ground");
  const pair = [first, second ?? GROUND] as [number, number];
  return pair.sort((one, other) => one - other) as [number, number];
}

/** One body at each of two places, the ground where there is none. A body that is at both counts at its point, and has
 * the ground below it at the other place. */
function bodiesApart(one: Spot, other: Spot, { draft, view }: Site, turning: boolean): [number, number] {
  // What couples turns is between the wheels, not the pins of the ground that they turn on.
  const at = ({ bodies }: Spot): number[] => {
    const moving = bodies.filter((body) => body !== GROUND);
    if (bodies.length === 0) return [GROUND];
    return turning && moving.length > 0 ? [...moving, GROUND] : bodies;
  };
  for (const first of at(one)) {
    const second = at(other).find((body) => body !== first);
    if (second !== undefined) return [first, second];
  }
  const both = at(one)[0] as number;
  const hasPoint = ({ points }: Spot): boolean => points.some((point) => view.scene.points[point]?.body === both);
  if (hasPoint(one) !== hasPoint(other)) return hasPoint(one) ? [both, GROUND] : [GROUND, both];
  const name = draft.nameOf(both);
  throw new Refusal(`both places are on ${name}: choose two bodies, or one and the ground`);
}

/** The moving body at a place. */
function bodyAt({ bodies }: Spot): number {
  const body = bodies.find((each) => each !== GROUND);
  if (body === undefined) throw new Refusal("there is no body here");
  return body;
}

function jointAt({ points }: Spot, { scene }: View): number {
  const joint = scene.joints.findIndex((each) => each.name && each.points.some((point) => points.includes(point)));
  if (joint < 0) throw new Refusal("there is no joint here: click the place of one");
  return joint;
}

/** What a tool has of the places that were chosen. */
interface Chosen {
  spots: Spot[];
  bodies: number[];
  joint?: number;
  /** From the first place to the second; none of a single place. */
  way?: Pair;
  apart: boolean;
}

/** The fields that refer to something. */
function references(kind: Class, chosen: Chosen, site: Site): Fields {
  const { draft, view } = site;
  const { spots, bodies, joint, apart } = chosen;
  const [one, other = one] = spots as [Spot, Spot?];
  const [first = GROUND, second = GROUND] = bodies;
  if (has(kind, "line")) return lineReferences(chosen, site);
  if (has(kind, "points")) return { points: [pointAt(first, one, site), pointAt(second, apart ? other : one, site)] };
  if (joint !== undefined) return { joint: view.scene.joints[joint]?.name };
  if (has(kind, "point")) return { point: pointAt(first, one, site) };
  if (has(kind, "body")) return { body: draft.nameOf(first) };
  return { bodies: bodies.map((body) => draft.nameOf(body)) };
}

/** A point, and the line across the way to another body, with the point on its left side. */
function lineReferences({ spots, bodies, way = [0, -1] }: Chosen, site: Site): Fields {
  const [first = GROUND, second = GROUND] = bodies;
  const [one, other] = spots as [Spot, Spot];
  const vector = across(way)[0] as Pair;
  const radius = radiusOf(first, site);
  return {
    point: pointAt(first, one, site),
    ...(radius !== undefined && { radius }),
    line: [pointAt(second, other, site), vectorOf(second, vector, site)],
  };
}

function vectorOf(body: number, vector: Pair, { draft, view }: Site): string {
  return draft.addVector(body, localVector(body, vector, view));
}

/** The directions of a class that has some: along a drag, else to the right; between two places across their way. */
function vectors(kind: Class, { bodies, way, apart }: Chosen, site: Site): Fields {
  const field = fieldOf(kind, "vectors");
  if (!field) return {};
  const turned = way && apart ? scaled(across(way)[0] as Pair, -1) : way;
  const direction = (turned as Pair | undefined) ?? [1, 0];
  const both = field.schema.minItems === 2;
  const second = /on the second/.test(field.schema.description ?? "");
  const carriers = both ? bodies : [bodies[second ? 1 : 0] as number];
  return { vectors: carriers.map((body) => vectorOf(body, direction, site)) };
}

function motion(kind: Class, { spots, bodies, joint }: Chosen, view: View): string {
  const [one, other] = spots.map(({ place }) => place) as [Pair, Pair?];
  if (joint !== undefined) return motionOfJoint(joint, view);
  if (other && has(kind, "points")) return motionOfDistance(one, other, view);
  if (kind.type === "x" || kind.type === "y") return motionOfPlace(one, kind.type, view);
  return motionOfBodies(bodies, view);
}

function ratio({ bodies }: Chosen, site: Site): number {
  const [one, other] = bodies.map((body) => radiusOf(body, site));
  return one && other ? significant(-one / other) : -1;
}

/** The value that a field begins with; undefined: it is left out. */
function beginning(kind: Class, name: string, chosen: Chosen, site: Site): unknown {
  const { schema, required } = fieldOf(kind, name) as Class["fields"][number];
  const { way = [0, 0] } = chosen;
  const distance = site.view && Number(Math.hypot(...way).toFixed(6));
  switch (name) {
    case "function":
      return motion(kind, chosen, site.view);
    case "curve":
      return curvesOf(schema, chosen.bodies, way, has(kind, "vectors"), site.view);
    case "ratio":
      return ratio(chosen, site);
    case "free_length":
      return distance;
    case "value":
      return schema.type === "array" ? forceAlong(chosen.way) : 1;
    case "radius":
      // Of what touches, it is the way; a surface that rubs in a joint is small.
      return required ? distance : chosen.joint === undefined ? undefined : RUBBING;
  }
  const unit = /\[([^\]]*)\]$/.exec(schema.description ?? "")?.[0];
  return BEGINNINGS[`${name} ${unit}`] ?? BEGINNINGS[name] ?? (required ? 1 : undefined);
}

function forceAlong(way: Pair | undefined): Pair {
  const size = Math.hypot(...(way ?? [0]));
  if (!way || !(size > 0)) return [0, -FORCE];
  return scaled(way, FORCE / size).map((x) => significant(x) + 0) as Pair;
}

const GIVEN = new Set(["type", "name", "vectors", "reference", "cut", "initial", "frame", "coordinate", ...REFERENCES]);

function choose(kind: Class, spots: Spot[], apart: boolean, site: Site): Chosen {
  const [one, other] = spots as [Spot, Spot?];
  const way = other && (minus(other.place, one.place) as Pair);
  const chosen: Chosen = { spots, bodies: [], way, apart };
  if (apart) return { ...chosen, bodies: bodiesApart(one, other as Spot, site, couplesTurns(kind)) };
  if (has(kind, "points")) return { ...chosen, bodies: pairAt(one, site) };
  if (has(kind, "joint")) return { ...chosen, joint: jointAt(one, site.view) };
  return { ...chosen, bodies: [bodyAt(one)] };
}

function make(kind: Class, stem: string, spots: Spot[], site: Site): Made {
  const { apart } = mannerOf(kind);
  const chosen = choose(kind, spots, apart, site);
  const element: Fields = { name: site.draft.freeName(stem), type: kind.type };
  Object.assign(element, references(kind, chosen, site), vectors(kind, chosen, site));
  for (const { name } of kind.fields) {
    const value = GIVEN.has(name) || name in element ? undefined : beginning(kind, name, chosen, site);
    if (value !== undefined) element[name] = value;
  }
  const index = site.draft.add(kind.kind, element);
  return { kind: kind.kind, index, note: noteOf(element, chosen, site.draft) };
}

function noteOf({ name, joint }: Fields, { bodies }: Chosen, draft: Draft): string {
  const names = bodies.map((body) => draft.nameOf(body));
  const subject = joint === undefined ? names.join(" and ") : String(joint);
  return `${String(name)}: ${subject}`;
}

function hintOf(kind: Class, { apart, directed }: Manner): string {
  if (apart) {
    const what = fieldOf(kind, "points")?.schema.description;
    return `click two places, or drag from one to the other${what ? `: ${what}` : ""}`;
  }
  if (directed) return "click its place, or drag from there along its direction";
  if (has(kind, "points")) return "click where two bodies meet; over a single one it is joined with the ground";
  return has(kind, "joint") ? "click a joint" : "click a body";
}

/** The tool of a class; undefined for one that refers to nothing in the drawing. `stem`: of the names it gives. */
export function toolOf(kind: Class, name: string, stem: string): Tool | undefined {
  if (!REFERENCES.some((each) => has(kind, each))) return undefined;
  const manner = mannerOf(kind);
  return {
    name,
    title: kind.description,
    hint: hintOf(kind, manner),
    fewest: manner.apart ? 2 : 1,
    most: manner.apart ? 2 : 1,
    drag: manner.apart || manner.directed ? "all" : "none",
    outline: manner.apart || manner.directed ? "line" : "none",
    make: (spots, site) => make(kind, stem, spots, site),
  };
}
