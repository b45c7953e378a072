// The shapes of a body, prepared for drawing in the body's axes. In space a circle becomes a ball, and a rectangle is
// perpendicular to z.
import type { ModelElement } from "../app/api";
import { across, cross, dot, minus, plus, rotate, turnOf, scaled, unit, type Vector } from "./geometry";

/** The teeth of a spur gear. */
export interface Teeth {
  /** The centre. */
  at: Vector;
  count: number;
  module: number;
  /** Direction of the first tooth [rad]. */
  angle: number;
  /** True for a ring, whose teeth point to the centre. */
  inner?: boolean;
}

/** Indices of three corners. */
export type Triangle = [number, number, number];

export type Shape = { colour?: string } & (
  | { type: "circle"; radius: number; at: Vector }
  /** A polyline through all points. */
  | { type: "line"; points: Vector[] }
  /** A polygon, or the outline of a planar gear with these teeth. */
  | { type: "polygon"; points: Vector[]; teeth?: Teeth }
  /** A solid around the line between two points, with round (capsule) or flat (cylinder) ends. */
  | { type: "capsule" | "cylinder"; points: Vector[]; radius: number }
  /** The solid between an outline and its copy displaced by `way`. */
  | { type: "prism"; points: Vector[]; way: Vector }
  | { type: "mesh"; points: Vector[]; triangles: Triangle[] }
);

const CORNERS = [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const;

/** Number of corners of a circle that is drawn as a polygon. */
const RING = 24;

/** Largest angle between the points of an arc [rad]. */
const ARC_STEP = Math.PI / 36;

/** Meshes with more triangles are drawn without lines. */
const EDGES_MAX = 600;

/** Proportions of a gear's teeth in modules (ISO 53): heights above and below the pitch circle, slope of the flanks. */
const [ADDENDUM, DEDENDUM, SLOPE] = [1, 1.25, Math.tan((20 * Math.PI) / 180)];

/** Thickness of a ring and of a rack below the gaps of their teeth, in modules. */
const RIM = 1.5;

function rectangle({ at = [], width = 0, height = 0, angle = 0 }: ModelElement): Vector[] {
  return CORNERS.map(([i, j]) => {
    const [x, y] = rotate([angle], [(i * width) / 2, (j * height) / 2]) as [number, number];
    return plus(at, [x, y, 0]);
  });
}

/** Returns a rotation by an angle about an axis; about z if it has none. */
function turnAbout(axis: Vector | undefined, angle: number): (vector: Vector) => Vector {
  const turn = turnOf(scaled(unit(axis ?? []) ?? [0, 0, 1], angle));
  return (vector) => rotate(turn, vector);
}

function box({ at = [], size = [], axis, angle = 0 }: ModelElement): Shape {
  const [x = 0, y = 0, z = 0] = size;
  const turn = turnAbout(axis, angle);
  const points = CORNERS.map(([i, j]) => plus(at, turn([(i * x) / 2, (j * y) / 2, -z / 2])));
  return { type: "prism", points, way: turn([0, 0, z]) };
}

/** Returns the outline of a spur gear around the origin, with straight flanks. Its first tooth is along x. The teeth of
 * a ring (`side` = -1) point to the centre. */
function gearOutline(teeth: number, module: number, side = 1): Vector[] {
  const pitch = (teeth * module) / 2;
  const tip = pitch + side * ADDENDUM * module;
  // If the gear has so few teeth that they would meet at the centre, the gaps are less deep.
  const root = Math.max(pitch - side * DEDENDUM * module, 0.4 * pitch);
  const half = (Math.PI / 4) * module;
  const atTip = (half - ADDENDUM * SLOPE * module) / tip;
  const atRoot = Math.min((half + Math.abs(pitch - root) * SLOPE) / root, (0.95 * Math.PI) / teeth);
  const tooth = [[root, -atRoot], [tip, -atTip], [tip, atTip], [root, atRoot]] as const;
  return Array.from({ length: teeth }, (_, i) => (2 * Math.PI * i) / teeth).flatMap((about) =>
    tooth.map(([radius, angle]) => [radius * Math.cos(about + angle), radius * Math.sin(about + angle)]),
  );
}

/** Returns the outline of a planar gear. That of a ring goes around the teeth, then back around the rim. */
export function planarGear(teeth: Teeth): Shape {
  const { at, count, module, angle, inner = false } = teeth;
  const outline = gearOutline(count, module, inner ? -1 : 1);
  if (inner) {
    const [start] = outline as [Vector];
    const rim = unit(start)?.map((part) => part * ((count / 2) + DEDENDUM + RIM) * module) ?? [];
    const steps = Math.round((2 * Math.PI) / ARC_STEP);
    outline.push(start, ...Array.from({ length: steps + 1 }, (_, i) => rotate([-i * ARC_STEP], rim)));
  }
  return { type: "polygon", points: outline.map((place) => plus(at, rotate([angle], place))), teeth };
}

/** Returns the outline of a rack of a module. Its pitch line is along x with teeth towards y at `first` + k pi module
 * within an interval. */
export function rackOutline(module: number, first: number, [least, most]: [number, number]): Vector[] {
  const pitch = Math.PI * module;
  const count = Math.floor((most - first) / pitch) - Math.ceil((least - first) / pitch) + 1;
  const start = first + Math.ceil((least - first) / pitch) * pitch;
  const tooth = [[DEDENDUM, -1], [-ADDENDUM, -1], [-ADDENDUM, 1], [DEDENDUM, 1]] as const;
  const teeth = Array.from({ length: count }, (_, i) => start + i * pitch).flatMap((x) =>
    tooth.map(([depth, side]): Vector => [x + side * (pitch / 4 + depth * SLOPE * module), -depth * module]),
  );
  const ends = [start - pitch / 2, start + (count - 0.5) * pitch] as const;
  const corner = (end: number, depth: number): Vector => [ends[end] as number, -depth * module];
  return [corner(0, DEDENDUM), ...teeth, corner(1, DEDENDUM), corner(1, DEDENDUM + RIM), corner(0, DEDENDUM + RIM)];
}

/** Returns the shortest rotation of z to a direction. */
function turnOfZ(axis: Vector): (vector: Vector) => Vector {
  const way = cross([0, 0, 1], axis);
  const angle = Math.atan2(Math.hypot(...way), axis[2] as number);
  return turnAbout(unit(way) ?? [1, 0, 0], angle);
}

function gear({ at = [], teeth = 0, module = 0, width = 0, axis, angle = 0 }: ModelElement): Shape {
  const count = Math.round(Number(teeth));
  if (at.length === 2) return planarGear({ at, count, module, angle });
  const outline = gearOutline(count, module).map((place) => rotate([angle], place));
  const direction = unit(axis ?? []) ?? [0, 0, 1];
  const turn = turnOfZ(direction);
  const points = outline.map(([x = 0, y = 0]) => plus(at, turn([x, y, -width / 2])));
  return { type: "prism", points, way: scaled(direction, width) };
}

/** Returns the points of an arc, counterclockwise. */
function arc({ at = [], radius = 0, from, to }: ModelElement): Vector[] {
  // The ends of an arc are angles, those of other shapes positions.
  const [first, last] = [from, to].map(Number) as [number, number];
  const count = Math.min(Math.max(Math.ceil((last - first) / ARC_STEP), 1), 1000) || 1;
  return Array.from({ length: count + 1 }, (_, i) => {
    const angle = first + ((last - first) * i) / count;
    return plus(at, [radius * Math.cos(angle), radius * Math.sin(angle)]);
  });
}

/** Converts a shape; returns undefined if the page does not know its type, and for a half-space, which has no end. */
function readShape(shape: ModelElement): Shape | undefined {
  const { type, radius = 0, at = [], from = [], to = [] } = shape;
  switch (type) {
    case "rectangle":
      return { type: "polygon", points: rectangle(shape) };
    case "circle":
    case "sphere":
      return { type: "circle", radius, at };
    case "line":
      return { type, points: [from, to] };
    case "arc":
      return { type: "line", points: arc(shape) };
    case "polygon":
      return { type, points: shape.points as Vector[] };
    case "capsule":
    case "cylinder":
      return { type, points: [from, to], radius };
    case "box":
      return box(shape);
    case "gear":
      return gear(shape);
    case "mesh":
      return { type, points: shape.points as Vector[], triangles: shape.triangles ?? [] };
    default:
      return undefined;
  }
}

export function readShapes(shapes: ModelElement[]): Shape[] {
  return shapes.flatMap((shape) => {
    const read = readShape(shape);
    return read ? [{ ...read, colour: shape.color }] : [];
  });
}

/** Returns a circle around a position, perpendicular to a direction in space. */
export function ring(at: Vector, direction: Vector, radius: number): Vector[] {
  const [u = [], v = []] = across(direction);
  return Array.from({ length: RING }, (_, i) => (2 * Math.PI * i) / RING).map((angle) =>
    plus(plus(at, u, radius * Math.cos(angle)), v, radius * Math.sin(angle)),
  );
}

/** Returns the circles at both ends of a cylinder. */
function endsOf([from = [], to = []]: Vector[], radius: number): Vector[][] {
  const way = minus(to, from);
  return [from, to].map((end) => ring(end, dot(way, way) > 0 ? way : [0, 0, 1], radius));
}

function moved(points: Vector[], way: Vector): Vector[] {
  return points.map((point) => plus(point, way));
}

/** Returns positions whose convex hull, widened by `swell`, contains a shape. */
export function cornersOf(shape: Shape): Vector[] {
  switch (shape.type) {
    case "circle":
      return [shape.at];
    case "cylinder":
      return endsOf(shape.points, shape.radius).flat();
    case "prism":
      return [...shape.points, ...moved(shape.points, shape.way)];
    default:
      return shape.points;
  }
}

/** Returns true for shapes that show a disc, wheel or ball. */
export function isRoundShape(shape: Shape): boolean {
  return shape.type === "circle" || shape.type === "cylinder" || (shape.type === "polygon" && shape.teeth !== undefined);
}

/** Returns how far a shape extends beyond its corners [m]. */
export function swellOf(shape: Shape): number {
  return shape.type === "circle" || shape.type === "capsule" ? shape.radius : 0;
}

/** Returns the corners of a bounding box in the body's axes. */
function boxAround(places: Vector[]): Vector[] {
  const least = [0, 1, 2].map((axis) => places.reduce((sum, place) => Math.min(sum, place[axis] as number), Infinity));
  const most = [0, 1, 2].map((axis) => places.reduce((sum, place) => Math.max(sum, place[axis] as number), -Infinity));
  const ends = [least, most];
  return Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((axis) => ends[(i >> axis) & 1]?.[axis] as number));
}

/** Returns a few positions for computing bounds: the shape is within `swell` of their convex hull. */
export function reachOfShape(shape: Shape): { places: Vector[]; swell: number } {
  if (shape.type === "cylinder") return { places: shape.points, swell: shape.radius };
  const places = cornersOf(shape);
  const solid = shape.type === "prism" || shape.type === "mesh";
  return { places: solid && places.length > 8 ? boxAround(places) : places, swell: swellOf(shape) };
}

/** Returns the edges of a solid as polylines. */
export function edgesOf(shape: Shape): Vector[][] {
  const closed = (line: Vector[]): Vector[] => [...line, ...line.slice(0, 1)];
  if (shape.type === "cylinder") return endsOf(shape.points, shape.radius).map(closed);
  if (shape.type === "mesh") {
    const seen = shape.triangles.length > EDGES_MAX ? [] : shape.triangles;
    return seen.map((corners) => closed(corners.map((corner) => shape.points[corner] ?? [])));
  }
  if (shape.type !== "prism") return [];
  const { points, way } = shape;
  const sides = points.length > CORNERS.length ? [] : points.map((point) => [point, plus(point, way)]);
  return [closed(points), closed(moved(points, way)), ...sides];
}
