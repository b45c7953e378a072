// Outlines of the shapes of bodies in pixels.
import type { Motion } from "../results/motion";
import type { Camera } from "./camera";
import { convexHull, type Pair, type Vector } from "./geometry";
import { cornersOf, swellOf, type Shape } from "./shapes";

/** Number of corners of a round end. */
const STEPS = 24;

function ring([x, y]: Pair, radius: number): Pair[] {
  return Array.from({ length: STEPS }, (_, i) => (2 * Math.PI * i) / STEPS).map((angle): Pair => [
    x + radius * Math.cos(angle),
    y + radius * Math.sin(angle),
  ]);
}

/** Returns the outline of a shape: lines and polygons as they are, otherwise the convex hull. */
export function outlineOf(shape: Shape, body: number, motion: Motion, camera: Camera): Pair[] {
  const pixel = (place: Vector): Pair => camera.toScreen(camera.flatten(motion.place(body, place)));
  const corners = cornersOf(shape).map(pixel);
  if (shape.type === "line" || shape.type === "polygon") return corners;
  const radius = swellOf(shape) * camera.scale;
  return convexHull(radius > 0 ? corners.flatMap((corner) => ring(corner, radius)) : corners);
}
