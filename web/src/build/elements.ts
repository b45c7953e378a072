// Tools that add joints, force elements and drivers: one for each class of the schema. The positions that a tool needs
// follow from the fields of the class, so that new classes of the solver can be drawn without changes here.
import { elementTexts, roleTexts, toolTexts } from "../app/texts";
import type { Fields } from "../document/fields";
import { motionNumber } from "../document/motion_fields";
import { across, minus, scaled, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import { barsAt, bodiesAt, HALF_WIDTH, type View } from "../interaction/picking";
import { fieldOf, type Class } from "./classes";
import { curvesOf } from "./curves";
import { motionOfBodies, motionOfDistance, motionOfJoint, motionOfPlace, turnsJoint } from "./motions";
import { pathOf, pathText, pulleysOf, stopAt } from "./paths";
import { snapStep } from "./snapping";
import {
  FIRST_PICK,
  localVector,
  nameIn,
  pointAt,
  radiusOf,
  Refusal,
  spotAt,
  type Gesture,
  type Made,
  type Pick,
  type Site,
  type Spot,
  type Tool,
  type Way,
} from "./tool";

/** Fields that a tool never asks for. */
const NOT_ASKED = ["type", "name", "vectors", "reference", "cut", "limits", "initial", "armature"];

/** Initial values by name and unit; other required numbers start with 1. */
const BEGINNINGS: Record<string, number> = {
  "stiffness [N/m]": 1000,
  "stiffness [N m/rad]": 10,
  "stiffness [N/m^n]": 1e5,
  "damping [N s/m]": 10,
  "damping [N m s/rad]": 0.1,
  restitution: 0.5,
  mu_dynamic: 0.3,
  "preload [N]": 10,
  "gap [m or rad]": 0.1,
};
/** Initial value of a force [N]. */
const FORCE = 10;

/** Deflection of a new spring under the weight of its heavier body, as a fraction of its length. */
const GIVE = 0.6;
/** Rotation of a new torsion spring under the weight of its body [rad]. */
const GIVE_ANGLE = 0.3;
/** Damping ratio of a new spring with that body. */
const DAMPING = 0.05;
const GRAVITY = 9.81;

/** Wheels touch if the sum of their radii differs from their distance by less than this fraction. */
const TOUCHING = 0.02;

/** Initial radius of the friction surface in a joint [m]. */
const RUBBING = 0.01;

const significant = (value: number): number => Number(value.toPrecision(4));
const rough = (value: number): number => Number(value.toPrecision(1));

/** The positions that a class needs. */
interface Picks {
  /** True for two positions, false for one. */
  apart: boolean;
  /** True if a drag defines a direction. */
  directed: boolean;
}

/** Fields that refer to something in the drawing. */
const REFERENCES = ["points", "point", "body", "bodies", "joint", "line", "pulleys", "path"];

function has(kind: Class, name: string): boolean {
  return fieldOf(kind, name) !== undefined;
}

/** Returns true for belts and ropes, which run along any number of positions. */
function isPath(kind: Class): boolean {
  return has(kind, "pulleys") || has(kind, "path");
}

/** Returns true for cams, whose follower has a curve, too, or a flat face. */
function isCam(kind: Class): boolean {
  return fieldOf(kind, "curve")?.schema.type === "array" || (has(kind, "curve") && has(kind, "vectors"));
}

/** Returns true if both bodies of a class have a direction. */
function hasTwoVectors(kind: Class): boolean {
  return fieldOf(kind, "vectors")?.schema.minItems === 2;
}

/** Returns true if a class couples rotations of its bodies: gears, cams, an angle between two bodies. */
function couplesTurns(kind: Class): boolean {
  return ["ratio", "teeth", "curve", "bodies"].some((name) => has(kind, name));
}

/** Returns true if the points of a class are at different positions. The points of a joint coincide, unless a
 * required field describes a distance between them: a length, radius, ratio or curve. */
function isApart(kind: Class): boolean {
  if (has(kind, "line")) return true;
  if (!has(kind, "points")) return has(kind, "bodies") && !has(kind, "joint");
  const between = ({ name, schema }: Class["fields"][number]): boolean =>
    ![...NOT_ASKED, "points", "bodies"].includes(name) && schema.default === undefined;
  return kind.kind !== "joints" || kind.fields.some(between);
}

function picksOf(kind: Class): Picks {
  const apart = isApart(kind);
  const vector = fieldOf(kind, "value")?.schema.type === "array";
  return { apart, directed: !apart && (vector || has(kind, "vectors")) };
}

/** Returns the groups of bodies at a position that joints connect there: a map from each body to the number of its
 * group. */
export function groupsAt({ bodies, points }: Spot, { scene }: View): Map<number, number> {
  const groups = new Map(bodies.map((body, i) => [body, i]));
  for (const joint of scene.joints) {
    if (joint.points.length < 2 || !joint.points.every((point) => points.includes(point))) continue;
    const [one, other] = joint.bodies.map((body) => groups.get(body));
    for (const [body, group] of groups) if (group === one && other !== undefined) groups.set(body, other);
  }
  return groups;
}

type Bodies = [number, number];

/** Returns the pairs of bodies that a joint at a position can connect, the most likely first: two bodies that no
 * joint connects there, then a body and the ground. Throws if there is none. A joint with a direction may also connect
 * bodies to the ground that are already connected. */
function pairsAt(spot: Spot, view: View, directed: boolean): Bodies[] {
  const { bodies } = spot;
  if (bodies.length === 0) throw new Refusal(elementTexts.noBody);
  const groups = groupsAt(spot, view);
  const pairs = bodies.flatMap((one, i) =>
    bodies.slice(i + 1).flatMap((other): Bodies[] => (groups.get(one) === groups.get(other) ? [] : [[one, other]])),
  );
  const grounded = bodies.includes(GROUND) ? [] : bodies.map((body): Bodies => [body, GROUND]);
  if (pairs.length > 0) return [...pairs, ...grounded];
  if (grounded.length > 0 && (directed || bodies.length === 1)) return grounded;
  if (bodies.length === 1) throw new Refusal(elementTexts.onlyGround);
  throw new Refusal(elementTexts.joined(bodies.map((body) => nameIn(view, body))));
}

/** Puts the body that carries the slot or rail first: the one at the other end of a drag, else the one without a
 * point at the position. If both are alike, the ground is first, then the later body of the document, which is drawn to
 * rest on others. The ground always carries a rail that both bodies have (`both`). */
function carrierFirst(pair: Bodies, [one, end]: [Spot, Spot?], both: boolean, view: View): Bodies {
  const { scene, camera } = view;
  const [low, high] = [...pair].sort((a, b) => a - b) as Bodies;
  const ordered: Bodies = low === GROUND ? [low, high] : [high, low];
  const swapped: Bodies = [ordered[1], ordered[0]];
  if (both && low === GROUND) return ordered;
  // The end of a drag may have snapped to a node beside the body.
  const near = end ? [...end.bodies, ...bodiesAt(camera.toScreen(end.place), snapStep(camera) * camera.scale, view)] : [];
  const [first, second] = ordered.map((body) => near.includes(body));
  if (first !== second) return first ? ordered : swapped;
  const [fixed, other] = ordered.map((body) => one.points.some((point) => scene.points[point]?.body === body));
  return fixed && !other ? swapped : ordered;
}

function isRound(body: number, { scene }: View): boolean {
  return scene.bodies[body]?.shapes.some(({ type }) => type === "circle") ?? false;
}

/** Returns the pairs of one body at each of two positions (the ground if there is none), the most likely first. A
 * body at both positions is used at its point, and the ground at the other position. */
function pairsApart(kind: Class, one: Spot, other: Spot, view: View): Bodies[] {
  const turning = couplesTurns(kind);
  if (isCam(kind) && (one.bodies.length === 0 || other.bodies.length === 0)) throw new Refusal(elementTexts.noBody);
  // Rotations are coupled between wheels, rather than with the ground's pins or the bars that carry them.
  const at = ({ bodies }: Spot): number[] => {
    const moving = bodies.filter((body) => body !== GROUND);
    if (bodies.length === 0) return [GROUND];
    if (!turning || moving.length === 0) return bodies;
    const round = moving.filter((body) => isRound(body, view));
    return [...round, ...moving.filter((body) => !round.includes(body)), GROUND];
  };
  const pairs = at(one).flatMap((first) =>
    at(other).flatMap((second): Bodies[] => (first === second ? [] : [[first, second]])),
  );
  const moving = pairs.filter((pair) => !turning || !pair.includes(GROUND));
  if (pairs.length > 0) return moving.length > 0 ? moving : pairs;
  const both = at(one)[0] as number;
  const hasPoint = ({ points }: Spot): boolean => points.some((point) => view.scene.points[point]?.body === both);
  if (hasPoint(one) !== hasPoint(other)) return [hasPoint(one) ? [both, GROUND] : [GROUND, both]];
  throw new Refusal(both === GROUND ? elementTexts.noBodies : elementTexts.sameBody(nameIn(view, both)));
}

/** The positions and the two bodies of an element, in the order of its references. */
export interface Pairing {
  spots: Spot[];
  bodies: Bodies;
  /** Number of possible pairs. */
  count: number;
}

/** Returns the bodies of a class at its positions for a pick, in the order of its references. */
export function pairingOf(kind: Class, spots: Spot[], view: View, { pair, swapped }: Pick): Pairing {
  const { apart, directed } = picksOf(kind);
  const [one, other] = spots as [Spot, Spot?];
  const pairs = apart ? pairsApart(kind, one, other as Spot, view) : pairsAt(one, view, directed);
  const chosen = pairs[pair % pairs.length] as Bodies;
  const turned = (bodies: Bodies): Bodies => [bodies[1], bodies[0]];
  if (!apart) {
    const sorted = [...chosen].sort((a, b) => a - b) as Bodies;
    const bodies = directed ? carrierFirst(chosen, [one, other], hasTwoVectors(kind), view) : sorted;
    return { spots, bodies: swapped ? turned(bodies) : bodies, count: pairs.length };
  }
  const [first, second] = chosen;
  const back = (isRolling(kind) && isDiscFirst(first, second, view)) !== swapped;
  return { spots: back ? [...spots].reverse() : spots, bodies: back ? turned(chosen) : chosen, count: pairs.length };
}

/** Returns true for a disc that rolls on a line: the line is on the first body, and the disc is the second body,
 * independent of the order of the positions. */
function isRolling(kind: Class): boolean {
  return kind.kind === "joints" && has(kind, "vectors") && fieldOf(kind, "radius")?.required === true;
}

/** Returns true if the disc is at the first of two positions: the ground carries the line, and of two moving bodies
 * the round one is the disc. */
function isDiscFirst(first: number, second: number, view: View): boolean {
  if (first === GROUND || second === GROUND) return second === GROUND;
  return isRound(first, view) && !isRound(second, view);
}

function rolesOf({ type }: Class, bodies: number[], view: View): string {
  const names = bodies.map((body) => nameIn(view, body));
  const [first = "", second] = names;
  return second === undefined ? first : (roleTexts[type]?.(first, second) ?? names.join(" and "));
}

/** Returns the other possible bodies of an element: the same two swapped, if they have roles, and the next pair. */
export function waysOf({ count }: Pairing, pick: Pick, turns: boolean, describe: (pick: Pick) => string): Way[] {
  const way = (name: string, chosen: Pick): Way => ({ name, title: elementTexts.change(describe(chosen)), pick: chosen });
  const swap = turns ? [way(elementTexts.swap, { ...pick, swapped: !pick.swapped })] : [];
  const next = { ...FIRST_PICK, pair: (pick.pair + 1) % count };
  // Roles would make the name too long.
  const name = turns ? elementTexts.otherBodies : elementTexts.instead(describe(next));
  return count > 1 ? [...swap, way(name, next)] : swap;
}

/** Returns the other choices for an element of a joint: for a driver its other motions, and the next one of several
 * joints at the position. */
function jointWays(kind: Class, joints: number[], pick: Pick, view: View): Way[] {
  const joint = joints[pick.pair];
  if (joint === undefined) return [];
  const turns = turnsJoint(joint, view);
  const { swing, lessFar, rotate, otherJoint, change } = elementTexts;
  const pair = (pick.pair + 1) % joints.length;
  const name = view.scene.joints[joints[pair] as number]?.name ?? "";
  const other = { name: otherJoint, title: change(name), pick: { ...FIRST_PICK, pair } };
  const motions = [
    { ...(turns && pick.swing === 0 ? swing : lessFar), pick: { ...pick, swing: pick.swing + 1 } },
    ...(turns && pick.swing > 0 ? [{ ...rotate, pick: { ...pick, swing: 0 } }] : []),
  ];
  return [...(kind.kind === "drivers" ? motions : []), ...(joints.length > 1 ? [other] : [])];
}

/** Returns the moving body at a position. */
function bodyAt({ bodies }: Spot): number {
  const body = bodies.find((each) => each !== GROUND);
  if (body === undefined) throw new Refusal(elementTexts.noBody);
  return body;
}

/** Symbols of joints that turn or slide. */
const MOVING = new Set<string>(["pin", "slider", "block", "barrel", "screw"]);

/** Returns the joints at a position. Those that turn or slide come before others, such as gears at their centres, and
 * of these the ones on the ground first, where motors are. */
function jointsAt({ points }: Spot, { scene }: View, drives: boolean): number[] {
  const joints = scene.joints.flatMap((each, i) => (each.name && each.points.some((point) => points.includes(point)) ? [i] : []));
  if (joints.length === 0) throw new Refusal(elementTexts.noJoint);
  const moves = (i: number): boolean => MOVING.has(scene.joints[i]?.symbol ?? "none");
  if (drives && !joints.some(moves)) throw new Refusal(elementTexts.noMotor(scene.joints[joints[0] as number]?.name ?? ""));
  const rank = (i: number): number => (moves(i) ? 0 : 2) + (scene.joints[i]?.bodies.includes(GROUND) ? 0 : 1);
  return joints.sort((a, b) => rank(a) - rank(b));
}

/** The chosen positions and what was found there. */
interface Choice {
  spots: Spot[];
  bodies: number[];
  joint?: number;
  /** The motion of a driver, as in Pick. */
  swing: number;
  /** Vector from the first to the second position; undefined for a single position. */
  way?: Pair;
  apart: boolean;
}

/** Returns the fields that refer to something in the drawing. */
function references(kind: Class, chosen: Choice, site: Site): Fields {
  const { draft, view } = site;
  const { spots, bodies, joint, apart } = chosen;
  const [one, other = one] = spots as [Spot, Spot?];
  const [first = GROUND, second = GROUND] = bodies;
  if (has(kind, "line")) return lineReferences(chosen, site);
  if (isPath(kind)) {
    const stops = spots.map((spot) => stopAt(spot, view));
    return has(kind, "pulleys") ? { pulleys: pulleysOf(stops, site) } : { path: pathOf(stops, site) };
  }
  if (has(kind, "points")) return { points: [pointAt(first, one, site), pointAt(second, apart ? other : one, site)] };
  if (joint !== undefined) return { joint: view.scene.joints[joint]?.name };
  if (has(kind, "point")) return { point: pointAt(first, one, site) };
  if (has(kind, "body")) return { body: draft.nameOf(first) };
  return { bodies: bodies.map((body) => draft.nameOf(body)) };
}

/** Returns a point and a line perpendicular to the direction to another body, with the point on its left side. */
function lineReferences({ spots, bodies, way = [0, -1] }: Choice, site: Site): Fields {
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

export function vectorOf(body: number, vector: Pair, { draft, view }: Site): string {
  return draft.addVector(body, localVector(body, vector, view));
}

/** Returns the direction of the bar at a position that belongs to one of some bodies; undefined if there is none. */
export function barDirection(bodies: number[], { place }: Spot, view: View): Pair | undefined {
  const pixel = view.camera.toScreen(place);
  const bars = bodies.flatMap((body) => barsAt(pixel, HALF_WIDTH, body, view));
  return bars[0] && (minus(bars[0][1], bars[0][0]) as Pair);
}

/** Returns the directions of a class: along a drag, else along a bar of the bodies, else to the right; for two positions
 * perpendicular to their connection. */
function vectors(kind: Class, { spots, bodies, way, apart }: Choice, site: Site): Fields {
  const field = fieldOf(kind, "vectors");
  if (!field) return {};
  const turned = way && apart ? scaled(across(way)[0] as Pair, -1) : way;
  const both = hasTwoVectors(kind);
  const second = /on the second/.test(field.schema.description ?? "");
  const carriers = both ? bodies : [bodies[second ? 1 : 0] as number];
  const direction = (turned as Pair | undefined) ?? barDirection(carriers, spots[0] as Spot, site.view) ?? [1, 0];
  return { vectors: carriers.map((body) => vectorOf(body, direction, site)) };
}

function motion(kind: Class, { spots, bodies, joint, swing }: Choice, view: View): string {
  const [one, other] = spots.map(({ place }) => place) as [Pair, Pair?];
  if (joint !== undefined) return motionOfJoint(joint, view, swing);
  if (other && has(kind, "points")) return motionOfDistance(one, other, view);
  if (kind.type === "x" || kind.type === "y") return motionOfPlace(one, kind.type, view);
  return motionOfBodies(bodies, view);
}

function ratio({ bodies }: Choice, site: Site): number {
  const [one, other] = bodies.map((body) => radiusOf(body, site));
  return one && other ? significant(-one / other) : -1;
}

/** Tells that two drawn wheels that a gear couples do not touch; "" if they do. */
function gapText(kind: Class, { bodies, way }: Choice, site: Site): string {
  const [one, other] = bodies.map((body) => radiusOf(body, site));
  if (!has(kind, "ratio") || !way || !one || !other) return "";
  const distance = Math.hypot(...way);
  const [first = "", second = ""] = bodies.map((body) => nameIn(site.view, body));
  return Math.abs(one + other - distance) > TOUCHING * distance ? elementTexts.gap(first, second) : "";
}

/** Returns the distance at which teeth must fit, within less than a millionth. */
function fitting(way: Pair): number {
  return Number(Math.hypot(...way).toPrecision(10));
}

/** Returns pitch radii that fit, in the ratio of the drawn wheels, else equal. */
function radii({ bodies, way = [0, 0] }: Choice, site: Site): Pair {
  const [one, other] = bodies.map((body) => radiusOf(body, site));
  const distance = fitting(way);
  const first = significant((one && other ? one / (one + other) : 0.5) * distance);
  return [first, Number((distance - first).toPrecision(10))];
}

/** Returns the initial value of a field; undefined if the field is omitted. */
function beginning(kind: Class, name: string, chosen: Choice, site: Site): unknown {
  const { schema, required } = fieldOf(kind, name) as Class["fields"][number];
  const { way = [0, 0] } = chosen;
  const distance = site.view && Number(Math.hypot(...way).toFixed(6));
  switch (name) {
    case "function":
      return motion(kind, chosen, site.view);
    case "curve":
      return curvesOf(schema, chosen.bodies, way, has(kind, "vectors"), site.view);
    case "ratio":
      // A force element has a ratio between two joints only.
      return chosen.joint === undefined ? ratio(chosen, site) : undefined;
    case "radii":
      return radii(chosen, site);
    case "free_length":
      return distance;
    case "value":
      return schema.type === "array" ? forceAlong(chosen.way) : 1;
    case "radius":
      // The radius of a contact is the distance of the positions; a friction surface in a joint is small.
      if (has(kind, "teeth")) return fitting(way);
      return required ? distance : chosen.joint === undefined ? undefined : RUBBING;
  }
  const spring = springOf(kind, chosen, site)?.[name];
  if (spring !== undefined) return spring;
  const unit = /\[([^\]]*)\]$/.exec(schema.description ?? "")?.[0];
  return BEGINNINGS[`${name} ${unit}`] ?? BEGINNINGS[name] ?? (required ? 1 : undefined);
}

/** Returns a stiffness and damping for which the motion on a new spring is visible; undefined if a mass or a lever
 * is not known. */
function springOf(kind: Class, chosen: Choice, site: Site): Record<string, number> | undefined {
  if (kind.kind !== "forces" || !has(kind, "stiffness") || has(kind, "gap")) return undefined; // stops are rigid
  const turns = chosen.joint !== undefined;
  if (!turns && !has(kind, "points")) return undefined;
  const { joints } = site.view.scene;
  const bodies = turns ? (joints[chosen.joint as number]?.bodies ?? []) : chosen.bodies;
  const masses = bodies.map((body) => Number(body === GROUND ? 0 : site.draft.list("bodies")[body]?.mass));
  const mass = Math.max(...masses);
  const body = bodies[masses.indexOf(mass)] ?? GROUND;
  const place = chosen.spots[0]?.place as Pair;
  const lever = turns && body !== GROUND ? Math.hypot(...minus(place, site.view.motion.centre(body))) : 1;
  const give = turns ? GIVE_ANGLE : GIVE * Math.hypot(...(chosen.way ?? [0]));
  const stiffness = rough((mass * GRAVITY * lever) / give);
  if (!(stiffness > 0) || !Number.isFinite(stiffness)) return undefined;
  return { stiffness, damping: rough(2 * DAMPING * Math.sqrt(stiffness * mass) * lever) };
}

function forceAlong(way: Pair | undefined): Pair {
  const size = Math.hypot(...(way ?? [0]));
  if (!way || !(size > 0)) return [0, -FORCE];
  return scaled(way, FORCE / size).map((x) => significant(x) + 0) as Pair;
}

const GIVEN = new Set([...NOT_ASKED, "frame", "coordinate", ...REFERENCES]);

function choose(kind: Class, spots: Spot[], apart: boolean, site: Site, pairing?: Pairing, joint?: number): Choice {
  const [one] = spots as [Spot];
  const chosen: Choice = { spots, bodies: [], swing: 0, way: wayOf(spots), apart };
  if (pairing) return { ...chosen, spots: pairing.spots, bodies: pairing.bodies, way: wayOf(pairing.spots) };
  if (isPath(kind)) return { ...chosen, bodies: spots.map((spot) => stopAt(spot, site.view).body) };
  if (joint !== undefined) return { ...chosen, joint };
  return { ...chosen, bodies: [bodyAt(one)] };
}

/** Returns true if an element of a class is between two bodies. */
function joinsTwo(kind: Class): boolean {
  return picksOf(kind).apart || has(kind, "points");
}

function wayOf([one, other]: Spot[]): Pair | undefined {
  return one && other && (minus(other.place, one.place) as Pair);
}

/** Removes the last driver of a mechanism without a degree of freedom, so that another one can move it. Returns its
 * name. */
function replacedDriver({ draft }: Site): string {
  if (draft.list("drivers").length === 0) throw new Refusal(elementTexts.noFreedom);
  return draft.removeLast("drivers");
}

function make(kind: Class, stem: string, spots: Spot[], site: Site, pick: Pick): Made {
  const { apart } = picksOf(kind);
  const pairing = joinsTwo(kind) ? pairingOf(kind, spots, site.view, pick) : undefined;
  const joints = has(kind, "joint") ? jointsAt(spots[0] as Spot, site.view, kind.kind === "drivers") : [];
  const chosen = { ...choose(kind, spots, apart, site, pairing, joints[pick.pair]), swing: pick.swing };
  const drives = kind.kind === "drivers";
  const name = drives && site.freedoms === 0 ? replacedDriver(site) : undefined;
  const element: Fields = { name: name ?? site.draft.freeName(stem), type: kind.type };
  Object.assign(element, references(kind, chosen, site), vectors(kind, chosen, site));
  for (const { name } of kind.fields) {
    const value = GIVEN.has(name) || name in element ? undefined : beginning(kind, name, chosen, site);
    if (value !== undefined) element[name] = value;
  }
  // The curve of a cam takes the place of the drawn wheel.
  const replaces = isCam(kind) && site.draft.removeCircle(chosen.bodies[0] as number);
  const index = site.draft.add(kind.kind, element);
  // A driver starts at the drawn position; with it, held joints would fix the start twice.
  if (drives) site.draft.releaseJoints();
  const describe = (other: Pick): string => rolesOf(kind, pairingOf(kind, spots, site.view, other).bodies, site.view);
  const turns = kind.type in roleTexts && !(isRolling(kind) && chosen.bodies.includes(GROUND));
  const ways = pairing ? waysOf(pairing, pick, turns, describe) : jointWays(kind, joints, pick, site.view);
  const remarks = (name === undefined ? "" : elementTexts.replacesDriver) + (replaces ? elementTexts.replaces : "") + gapText(kind, chosen, site);
  const note = noteOf(kind, element, chosen, site.view) + remarks;
  const smaller = { pick: { ...pick, swing: pick.swing + 1 }, note: elementTexts.smaller };
  return { kind: kind.kind, index, note, ways, otherwise: drives && joints.length > 0 ? smaller : undefined };
}

function noteOf(kind: Class, { name, joint, function: motion }: Fields, { bodies }: Choice, view: View): string {
  const speed = motionNumber(String(motion), "speed");
  const swings = motionNumber(String(motion), "amplitude") === undefined ? "" : elementTexts.swings;
  const how = speed === undefined ? swings : elementTexts.turns(speed);
  return `${String(name)}: ${joint === undefined ? rolesOf(kind, bodies, view) : String(joint)}${how}`;
}

/** Describes the element that the positions so far would create. */
export function previewOf(kind: Class, places: Pair[], view: View): string | undefined {
  const spots = places.map((place) => spotAt(place, view));
  if (isPath(kind)) return pathText(spots.map((spot) => stopAt(spot, view)), view);
  if (!joinsTwo(kind)) return undefined;
  const [one, other] = spots;
  if (!one) return undefined;
  if (picksOf(kind).apart && !other) return one.bodies.length > 0 ? nameIn(view, one.bodies[0] as number) : undefined;
  try {
    return rolesOf(kind, pairingOf(kind, spots, view, FIRST_PICK).bodies, view);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function hintOf(kind: Class, { apart, directed }: Picks): string {
  if (isPath(kind)) return has(kind, "pulleys") ? toolTexts.belt : toolTexts.rope;
  if (isCam(kind)) return toolTexts.cam;
  if (apart) {
    const places = toolTexts.twoPlaces(fieldOf(kind, "points")?.schema.description);
    return couplesTurns(kind) ? `${toolTexts.bodiesFirst} ${places}` : places;
  }
  if (directed) return toolTexts.direction;
  if (has(kind, "points")) return toolTexts.meeting;
  if (!has(kind, "joint")) return toolTexts.body;
  return kind.kind === "drivers" ? toolTexts.motor : toolTexts.joint;
}

/** Returns how the positions of a class are chosen. */
function gestureOf(kind: Class): Gesture {
  const picks = picksOf(kind);
  const hint = hintOf(kind, picks);
  if (isPath(kind)) return { hint, fewest: 2, most: Infinity, drag: "first", outline: "line" };
  const count = picks.apart ? 2 : 1;
  const drags = picks.apart || picks.directed;
  return { hint, fewest: count, most: count, drag: drags ? "all" : "none", outline: drags ? "line" : "none" };
}

/** Returns the tool of a class; undefined if the class refers to nothing in the drawing. `stem`: first part of the
 * names of its elements. */
export function toolOf(kind: Class, name: string, stem: string): Tool | undefined {
  if (!REFERENCES.some((each) => has(kind, each))) return undefined;
  return {
    name,
    title: kind.description,
    ...gestureOf(kind),
    make: (spots, site, pick) => make(kind, stem, spots, site, pick),
    preview: (places, view) => previewOf(kind, places, view),
  };
}
