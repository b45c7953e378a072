// Finds the body or element of the drawing under the pointer.
import type { Camera } from "../drawing/camera";
import { curvePlaces } from "../drawing/curves";
import { forcePlaces } from "../drawing/force_places";
import { convexHull, inverse, minus, plus, rotate, type Pair, type Vector } from "../drawing/geometry";
import { camsOf, GROUND, type Curve, type Scene } from "../drawing/scene";
import { cornersOf, swellOf, type Shape } from "../drawing/shapes";
import type { Motion } from "../results/motion";
import type { Traced } from "../solver/sweep";
import type { Kind } from "./selection";

/** A scene at the current frame of its motion, with the camera. */
export interface View {
  scene: Scene;
  motion: Motion;
  camera: Camera;
}

/** A point fixed to a body. */
export interface Grip {
  body: number;
  /** Position relative to the mass centre, in the body's axes. */
  local: Vector;
}

/** Half the width of bars and hulls (BODY_WIDTH of the drawing): a body counts as being at a position within this
 * distance [pixels]. */
export const HALF_WIDTH = 5.5;

/** A position and its pixel. */
interface Seen {
  place: Vector;
  pixel: Pair;
}

/** Distance between the pointer and a body [pixels], and the nearest position on the body. */
interface Hit {
  distance: number;
  near: Vector;
}

function nearest(hits: Hit[]): Hit {
  return hits.reduce((best, hit) => (hit.distance < best.distance ? hit : best), { distance: Infinity, near: [] });
}

function toSegment(pixel: Pair, from: Seen, to: Seen): Hit {
  const [x, y] = [to.pixel[0] - from.pixel[0], to.pixel[1] - from.pixel[1]];
  const [dx, dy] = [pixel[0] - from.pixel[0], pixel[1] - from.pixel[1]];
  const square = x * x + y * y;
  const part = square > 0 ? Math.min(Math.max((dx * x + dy * y) / square, 0), 1) : 0;
  const near = plus(from.place, minus(to.place, from.place), part);
  return { distance: Math.hypot(dx - part * x, dy - part * y), near };
}

/** Returns true if a point is inside a polygon: a ray from it crosses an odd number of edges. */
function isInside([x, y]: Pair, corners: Seen[]): boolean {
  return corners.reduce((inside, { pixel: [x1, y1] }, i) => {
    const [x2, y2] = (corners[(i + 1) % corners.length] as Seen).pixel;
    const crosses = y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
    return crosses ? !inside : inside;
  }, false);
}

function toPolygon(pixel: Pair, corners: Seen[]): Hit {
  const edge = nearest(corners.map((corner, i) => toSegment(pixel, corner, corners[(i + 1) % corners.length] as Seen)));
  return corners.length > 2 && isInside(pixel, corners) ? { ...edge, distance: 0 } : edge;
}

function see(place: Vector, { camera }: View): Seen {
  return { place, pixel: camera.toScreen(camera.flatten(place)) };
}

function toShape(pixel: Pair, shape: Shape, body: number, view: View): Hit {
  const seen = (local: Vector): Seen => see(view.motion.place(body, local), view);
  const corners = cornersOf(shape).map(seen);
  if (shape.type === "line" || shape.type === "polygon") return toPolygon(pixel, corners);
  return toHull(pixel, corners, swellOf(shape) * view.camera.scale);
}

/** Returns the hit on the convex hull of some positions, widened by `swell` pixels. */
function toHull(pixel: Pair, places: Seen[], swell: number): Hit {
  const hull = convexHull(places.map((seen) => seen.pixel));
  const corners = hull.map((corner) => places.find((seen) => seen.pixel === corner) as Seen);
  const hit = toPolygon(pixel, corners.length > 0 ? corners : places);
  return { ...hit, distance: Math.max(0, hit.distance - swell) };
}

function toBody(pixel: Pair, index: number, view: View): Hit {
  const { scene, motion } = view;
  const { shapes, points } = scene.bodies[index] as Scene["bodies"][number];
  const cams = camsOf(scene, index);
  const toCam = (cam: Curve): Hit => toPolygon(pixel, curvePlaces(cam, motion).map((place) => see(place, view)));
  if (shapes.length + cams.length > 0)
    return nearest([...shapes.map((shape) => toShape(pixel, shape, index, view)), ...cams.map(toCam)]);
  const places = [motion.centre(index), ...points.map((point) => motion.point(point))];
  return toHull(pixel, places.map((place) => see(place, view)), HALF_WIDTH);
}

/** Converts a position to a grip on a body. */
export function gripAt(body: number, place: Vector, motion: Motion): Grip {
  return { body, local: rotate(inverse(motion.turn(body)), minus(place, motion.centre(body))) };
}

/** Returns the nearest point within `reach` pixels whose body satisfies `counts`. */
export function nearestPoint(
  pixel: Pair,
  reach: number,
  { scene, motion, camera }: View,
  counts: (body: number) => boolean,
): number | undefined {
  let [least, found] = [reach, undefined as number | undefined];
  scene.points.forEach(({ body }, point) => {
    if (!counts(body)) return;
    const [x, y] = camera.toScreen(camera.flatten(motion.point(point)));
    const distance = Math.hypot(x - pixel[0], y - pixel[1]);
    if (distance < least) [least, found] = [distance, point];
  });
  return found;
}

/** Returns the nearest point of a moving body within `reach` pixels. */
function pickPoint(pixel: Pair, reach: number, view: View): Grip | undefined {
  const point = nearestPoint(pixel, reach, view, (body) => body !== GROUND);
  const { body } = view.scene.points[point ?? -1] ?? {};
  return point === undefined || body === undefined ? undefined : gripAt(body, view.motion.point(point), view.motion);
}

/** Returns what is within `reach` pixels: a point of a body, or else a body; of overlapping bodies the one on top,
 * which was drawn last. In space the grip has the depth of the hit on the body. */
export function pick(pixel: Pair, reach: number, view: View): Grip | undefined {
  const { scene, motion, camera } = view;
  const point = pickPoint(pixel, reach, view);
  if (point) return point;
  let [best, found]: [Hit, number] = [{ distance: reach, near: [] }, -1];
  scene.bodies.forEach((_, body) => {
    const hit = toBody(pixel, body, view);
    if (hit.distance < best.distance || (hit.distance === 0 && best.distance === 0)) [best, found] = [hit, body];
  });
  return found < 0 ? undefined : gripAt(found, camera.place(pixel, best.near), motion);
}

/** Returns all bodies within `reach` pixels, starting with the top one. */
export function bodiesAt(pixel: Pair, reach: number, view: View): number[] {
  const bodies = view.scene.bodies.map((_, body) => body).reverse();
  return bodies.filter((body) => toBody(pixel, body, view).distance <= reach);
}

/** Returns the two ends of each bar of a body that is within `reach` pixels. */
export function barsAt(pixel: Pair, reach: number, body: number, view: View): [Vector, Vector][] {
  const shapes = view.scene.bodies[body]?.shapes ?? [];
  return shapes
    .filter((shape) => shape.type === "line" && toShape(pixel, shape, body, view).distance <= reach)
    .map((shape) => cornersOf(shape).map((corner) => view.motion.place(body, corner)) as [Vector, Vector]);
}

/** An element of the document at a pixel, and the point whose path is traced when it is clicked. */
export interface Element {
  kind: Kind;
  index: number;
  traced: Traced;
}

/** Returns the force elements within `reach` pixels of a position at which they act. */
function forcesAt(pixel: Pair, reach: number, { scene, motion, camera }: View): Element[] {
  return scene.forces.flatMap((force, index): Element[] => {
    const places = forcePlaces(force, scene, motion).map((place) => camera.toScreen(camera.flatten(place)));
    if (!places.some((place) => Math.hypot(...minus(place, pixel)) < reach)) return [];
    const [point] = [...force.points, ...(scene.joints[force.joints[0] ?? -1]?.points ?? [])].reverse();
    const traced = point === undefined ? { body: force.bodies.find((body) => body !== GROUND) ?? 0 } : { point };
    return [{ kind: "forces", index, traced }];
  });
}

/** Returns the element that a click selects: a joint by its points, the body or force element of another point, a
 * contact where it touches, or a body. */
export function pickElement(pixel: Pair, reach: number, view: View): Element | undefined {
  const { scene } = view;
  const point = nearestPoint(pixel, reach, view, () => true);
  const grip = pick(pixel, reach, view);
  if (point === undefined) {
    const contact = forcesAt(pixel, reach, view).find(({ index }) => scene.forces[index]?.floor);
    return contact ?? (grip && { kind: "bodies", index: grip.body, traced: { body: grip.body } });
  }
  const has = ({ points }: { points: number[] }): boolean => points.includes(point);
  const traced = { point };
  const joint = scene.joints.findIndex(has);
  if (joint >= 0) {
    const moving = movingPoint(scene.joints[joint]?.points, scene);
    return { kind: "joints", index: joint, traced: moving ?? traced };
  }
  const { body } = scene.points[point] as Scene["points"][number];
  if (body !== GROUND) return { kind: "bodies", index: body, traced };
  const force = scene.forces.findIndex(has);
  return force >= 0 ? { kind: "forces", index: force, traced } : undefined;
}

/** Points within this distance [pixels] count as coincident for a click. */
const SAME_PLACE = 1.5;

/** Returns all elements that a click can select: first that of pickElement(), then other joints, bodies and force
 * elements at the same position. */
export function pickElements(pixel: Pair, reach: number, view: View): Element[] {
  const first = pickElement(pixel, reach, view);
  const point = nearestPoint(pixel, reach, view, () => true);
  if (!first) return [];
  const others: Element[] = [];
  if (point !== undefined) {
    const { scene, motion, camera } = view;
    const seen = (index: number): Pair => camera.toScreen(camera.flatten(motion.point(index)));
    const [x, y] = seen(point);
    const here = scene.points.flatMap((_, index) => {
      const [u, v] = seen(index);
      return Math.hypot(u - x, v - y) <= SAME_PLACE ? [index] : [];
    });
    scene.joints.forEach(({ points }, index) => {
      const own = points.filter((each) => here.includes(each));
      if (own.length > 0)
        others.push({ kind: "joints", index, traced: movingPoint(own, scene) ?? { point: own[0] as number } });
    });
    const bodies = new Set(here.flatMap((index) => scene.points[index]?.body ?? []));
    for (const body of bodies) if (body !== GROUND) others.push({ kind: "bodies", index: body, traced: { body } });
  } else others.push(...bodiesAt(pixel, 0, view).map((body): Element => ({ kind: "bodies", index: body, traced: { body } })));
  others.push(...forcesAt(pixel, reach, view));
  return [first, ...others.filter(({ kind, index }) => kind !== first.kind || index !== first.index)];
}

/** Returns the first of some points that does not belong to the ground. */
function movingPoint(points: number[] | undefined, scene: Scene): Traced | undefined {
  const point = points?.find((each) => scene.points[each]?.body !== GROUND);
  return point === undefined ? undefined : { point };
}

/** Returns the current position of a grip. */
export function placeOf({ body, local }: Grip, motion: Motion): Vector {
  return plus(motion.centre(body), motion.rotate(body, local));
}
