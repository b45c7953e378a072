// Which body of a drawing is under the pointer, and where on it.
import type { Camera } from "./camera";
import { convexHull, minus, plus, rotate, scaled, type Pair, type Turn, type Vector } from "./geometry";
import type { Motion } from "./motion";
import type { Scene } from "./scene";
import type { Shape } from "./shapes";

/** What is drawn, and how it is seen. */
export interface View {
  scene: Scene;
  motion: Motion;
  camera: Camera;
}

/** A place of a body. */
export interface Grip {
  body: number;
  /** In the body's axes, from its mass centre. */
  local: Vector;
}

/** Bodies without shapes are drawn as hulls so thick, as BODY_WIDTH of the drawing. */
const HALF_WIDTH = 5.5;

function toSegment(pixel: Pair, from: Pair, to: Pair): number {
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const square = x * x + y * y;
  const along = square > 0 ? ((pixel[0] - from[0]) * x + (pixel[1] - from[1]) * y) / square : 0;
  const part = Math.min(Math.max(along, 0), 1);
  return Math.hypot(pixel[0] - from[0] - part * x, pixel[1] - from[1] - part * y);
}

/** By the number of edges that a ray crosses. */
function isInside([x, y]: Pair, corners: Pair[]): boolean {
  return corners.reduce((inside, [x1, y1], i) => {
    const [x2, y2] = corners[(i + 1) % corners.length] as Pair;
    const crosses = y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
    return crosses ? !inside : inside;
  }, false);
}

function toPolygon(pixel: Pair, corners: Pair[]): number {
  if (corners.length > 2 && isInside(pixel, corners)) return 0;
  return Math.min(...corners.map((corner, i) => toSegment(pixel, corner, corners[(i + 1) % corners.length] as Pair)));
}

function toShape(pixel: Pair, shape: Shape, body: number, { motion, camera }: View): number {
  const seen = (local: Vector): Pair => camera.toScreen(camera.flatten(motion.place(body, local)));
  if (shape.type !== "circle") return toPolygon(pixel, shape.points.map(seen));
  const [x, y] = seen(shape.at);
  return Math.max(0, Math.hypot(pixel[0] - x, pixel[1] - y) - shape.radius * camera.scale);
}

function toBody(pixel: Pair, index: number, view: View): number {
  const { scene, motion, camera } = view;
  const { shapes, points } = scene.bodies[index] as Scene["bodies"][number];
  if (shapes.length > 0) return Math.min(...shapes.map((shape) => toShape(pixel, shape, index, view)));
  const places = [motion.centre(index), ...points.map((point) => motion.point(point))];
  const hull = convexHull(places.map((place) => camera.toScreen(camera.flatten(place))));
  if (hull.length === 0) return Infinity;
  return Math.max(0, toPolygon(pixel, hull) - HALF_WIDTH);
}

function back(turn: Turn): Turn {
  return turn.length === 1 ? scaled(turn, -1) : [turn[0] as number, ...scaled(turn.slice(1), -1)];
}

/** A place as one of a body. */
function gripAt(body: number, place: Vector, motion: Motion): Grip {
  return { body, local: rotate(back(motion.turn(body)), minus(place, motion.centre(body))) };
}

/** The nearest point of a body within `reach` pixels. */
function pickPoint(pixel: Pair, reach: number, { scene, motion, camera }: View): Grip | undefined {
  let [nearest, grip] = [reach, undefined as Grip | undefined];
  scene.bodies.forEach(({ points }, body) => {
    for (const point of points) {
      const place = motion.point(point);
      const [x, y] = camera.toScreen(camera.flatten(place));
      const distance = Math.hypot(x - pixel[0], y - pixel[1]);
      if (!(distance < nearest)) continue;
      nearest = distance;
      grip = gripAt(body, place, motion);
    }
  });
  return grip;
}

/** What is at a pixel or up to `reach` pixels off: a point of a body before the bodies themselves, of which the one that
 * was drawn last is on top. In space the place is as deep in the picture as the body's mass centre. */
export function pick(pixel: Pair, reach: number, view: View): Grip | undefined {
  const { scene, motion, camera } = view;
  const point = pickPoint(pixel, reach, view);
  if (point) return point;
  let [nearest, found] = [reach, -1];
  scene.bodies.forEach((_, body) => {
    const distance = toBody(pixel, body, view);
    if (distance < nearest || (distance === 0 && nearest === 0)) [nearest, found] = [distance, body];
  });
  return found < 0 ? undefined : gripAt(found, camera.place(pixel, motion.centre(found)), motion);
}

/** Where a grip is. */
export function placeOf({ body, local }: Grip, motion: Motion): Vector {
  return plus(motion.centre(body), motion.rotate(body, local));
}
