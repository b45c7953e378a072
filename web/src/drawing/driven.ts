// Marks the joints that drivers move: an arrow around a pin, a double arrow along a slider.
import { cssColour } from "../app/dom";
import type { View } from "../interaction/picking";
import { minus, plus, scaled, unit, type Pair } from "./geometry";
import type { SceneJoint } from "./scene";
import { line } from "./strokes";

/** Radius of the arrow around a pin, and distance and half length of that along a slider [pixels]. */
const [RADIUS, ASIDE, HALF] = [13, 16, 15];
/** Start and end of the arrow around a pin, counterclockwise [rad]. */
const [START, END] = [-0.6, 3.6];
/** Length of the strokes of an arrow head [pixels]. */
const HEAD = 6;

/** Draws the head of an arrow that ends at a pixel, in the direction of its travel. */
function drawHead(context: CanvasRenderingContext2D, tip: Pair, [x, y]: Pair): void {
  const barb = (side: number): Pair => plus(tip, [-x - side * 0.6 * y, -y + side * 0.6 * x], HEAD) as Pair;
  line(context, barb(1), tip, barb(-1));
}

function drawAround(context: CanvasRenderingContext2D, [x, y]: Pair): void {
  context.beginPath();
  context.arc(x, y, RADIUS, -START, -END, true);
  context.stroke();
  const [c, s] = [Math.cos(END), Math.sin(END)];
  drawHead(context, [x + RADIUS * c, y - RADIUS * s], [-s, -c]);
}

function drawAlong(context: CanvasRenderingContext2D, at: Pair, way: Pair): void {
  const middle = plus(at, [way[1], -way[0]], way[0] < 0 ? -ASIDE : ASIDE) as Pair;
  const ends = [-HALF, HALF].map((length) => plus(middle, way, length)) as [Pair, Pair];
  line(context, ...ends);
  ends.forEach((end) => drawHead(context, end, scaled(minus(end, middle), 1 / HALF) as Pair));
}

/** Returns the direction of a sliding joint of a planar model in the drawing; undefined for other joints. */
function wayOf({ symbol, type, axes: [axis] }: SceneJoint, { motion }: View): Pair | undefined {
  if (!axis || axis.vector.length !== 2 || (symbol !== "slider" && type !== "revolute-translational")) return undefined;
  const [u, v] = motion.rotate(axis.body, axis.vector) as Pair;
  return unit([u, -v]) as Pair | undefined;
}

/** Draws the marks of the joints with these names. */
export function drawDriven(context: CanvasRenderingContext2D, view: View, names: ReadonlySet<string>): void {
  const { scene, motion, camera } = view;
  context.strokeStyle = cssColour("--accent");
  context.lineWidth = 2;
  for (const joint of scene.joints) {
    const point = joint.points.at(-1);
    if (!names.has(joint.name) || point === undefined) continue;
    const pixel = camera.toScreen(camera.flatten(motion.point(point)));
    const way = wayOf(joint, view);
    if (way) drawAlong(context, pixel, way);
    else drawAround(context, pixel);
  }
}
