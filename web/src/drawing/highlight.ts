// Draws the selection: the outline of a body, or rings around the points of a joint or force.
import { cssColour } from "../app/dom";
import type { View } from "../interaction/picking";
import { allSelected, type Selected } from "../interaction/selection";
import { forcePlaces } from "./force_places";
import { curvePlaces } from "./curves";
import { convexHull, type Pair, type Vector } from "./geometry";
import { outlineOf } from "./outlines";
import { camsOf } from "./scene";
import { disc, path } from "./strokes";

const RING = 10;

/** Strokes the outline of a body with the style of the context. */
export function outlineBody(context: CanvasRenderingContext2D, index: number, { scene, motion, camera }: View): void {
  const body = scene.bodies[index];
  if (!body) return;
  const pixel = (place: Vector): Pair => camera.toScreen(camera.flatten(place));
  for (const shape of body.shapes) {
    if (shape.type === "circle") disc(context, pixel(motion.place(index, shape.at)), shape.radius * camera.scale);
    else path(context, outlineOf(shape, index, motion, camera), shape.type !== "line");
    context.stroke();
  }
  const cams = camsOf(scene, index);
  for (const cam of cams) {
    path(context, curvePlaces(cam, motion).map(pixel), true);
    context.stroke();
  }
  if (body.shapes.length + cams.length > 0) return;
  const places = [motion.centre(index), ...body.points.map((point) => motion.point(point))];
  path(context, convexHull(places.map(pixel)), true);
  context.stroke();
}

/** Returns the positions of the rings. */
function placesOf({ kind, index }: Selected, { scene, motion }: View): Vector[] {
  const force = kind === "forces" ? scene.forces[index] : undefined;
  if (force) return forcePlaces(force, scene, motion);
  const joint = kind === "joints" ? scene.joints[index] : undefined;
  return (joint?.points ?? []).map((point) => motion.point(point));
}

export function drawHighlight(context: CanvasRenderingContext2D, view: View): void {
  context.strokeStyle = cssColour("--accent");
  context.globalAlpha = 0.35;
  for (const element of allSelected()) {
    context.lineWidth = 12;
    if (element.kind === "bodies") outlineBody(context, element.index, view);
    context.lineWidth = 5;
    for (const place of placesOf(element, view)) {
      disc(context, view.camera.toScreen(view.camera.flatten(place)), RING);
      context.stroke();
    }
  }
  context.globalAlpha = 1;
}
