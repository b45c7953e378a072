// Arrows on the drawing: velocities, accelerations and forces. Each kind has its own scale, which is shown in the
// corner.
import { cssColour } from "../app/dom";
import { formatNumber } from "../app/format";
import { overlayTexts } from "../app/texts";
import type { View } from "../interaction/picking";
import type { Rates, Readings } from "../solver/solver_readings";
import { forcePlaces, PULLING } from "./force_places";
import { gridStep, type Pair, type Vector } from "./geometry";
import { line } from "./strokes";

/** Length of the arrow of a scale's round number [pixels]. When a scale is chosen, no arrow is longer. */
const SAMPLE = 80;
/** A scale is kept while the longest arrow is in this interval [pixels]. */
const [SHORTEST, LONGEST] = [20, 130];
/** Shorter arrows are not drawn [pixels]. */
const LEAST = 2;
const HEAD = 7;
/** Width of the legend of the scales in the lower right corner [pixels]. */
const LEGEND = 172;

interface Arrow {
  from: Vector;
  vector: Vector;
}

/** The scale of a kind of arrows. It changes in steps, so that the longest arrow is easy to see. */
class Scale {
  private sample = NaN;

  /** Returns the quantity that an arrow of SAMPLE pixels represents. */
  choose(longest: number): number {
    const pixels = (longest / this.sample) * SAMPLE;
    if (!(pixels >= SHORTEST && pixels <= LONGEST)) this.sample = gridStep(longest);
    return this.sample;
  }
}

/** Draws an arrow at a pixel with components in pixels. */
export function drawArrow(context: CanvasRenderingContext2D, [x, y]: Pair, [dx, dy]: Pair, most = HEAD): void {
  const length = Math.hypot(dx, dy);
  if (!(length >= LEAST)) return;
  const [ux, uy] = [dx / length, dy / length];
  const [tipX, tipY] = [x + dx, y + dy];
  const head = Math.min(most, length);
  line(context, [x, y], [tipX - 0.7 * head * ux, tipY - 0.7 * head * uy]);
  context.beginPath();
  context.moveTo(tipX, tipY);
  context.lineTo(tipX - head * ux - 0.45 * head * uy, tipY - head * uy + 0.45 * head * ux);
  context.lineTo(tipX - head * ux + 0.45 * head * uy, tipY - head * uy - 0.45 * head * ux);
  context.fill();
}

/** Returns the arrows of all points, and of the mass centres of bodies without points. Coincident points share one
 * arrow. */
function ratesOf(view: View, { points, centres }: Rates): Arrow[] {
  const { scene, motion } = view;
  const size = motion.dimension;
  const vector = (data: Float64Array, i: number): Vector => [...data.subarray(i * size, (i + 1) * size)];
  const seen = new Set<string>();
  const ofPoints = scene.points.flatMap((_, point) => {
    const from = motion.point(point);
    const arrow = { from, vector: vector(points, point) };
    const key = from.map((x) => (x * view.camera.scale).toFixed(0)).join(" ");
    if (seen.has(key)) return [];
    seen.add(key);
    return [arrow];
  });
  const ofBodies = scene.bodies.flatMap((body, index) =>
    body.points.length > 0 ? [] : [{ from: motion.centre(index), vector: vector(centres, index) }],
  );
  return [...ofPoints, ...ofBodies];
}

function forcesOf(view: View, { reactions, forces }: Readings): Arrow[] {
  const { scene, motion } = view;
  const size = motion.dimension;
  const width = size === 2 ? 3 : 6;
  const ofJoints = scene.joints.flatMap(({ points }, joint) => {
    const at = points[points.length - 1];
    if (at === undefined || !reactions) return [];
    return [{ from: motion.point(at), vector: [...reactions.subarray(joint * width, joint * width + size)] }];
  });
  const ofElements = scene.forces.flatMap((force, i) => {
    const places = forcePlaces(force, scene, motion);
    const from = places.at(-1);
    if (!from || !forces || force.joints.length > 0) return [];
    const vector = [...forces.subarray(i * size, (i + 1) * size)];
    const [first] = PULLING.includes(force.type) ? places : [];
    const back = first === undefined ? [] : [{ from: first, vector: vector.map((x) => -x) }];
    return [{ from, vector }, ...back];
  });
  return [...ofJoints, ...ofElements];
}

/** A kind of arrows with its name, colour and the text of its scale. */
interface Group {
  name: string;
  colour: string;
  arrows: Arrow[];
  text(sample: number): string;
}

function groupsOf(view: View, readings: Readings): Group[] {
  const { velocities, accelerations, unitMotion } = readings;
  const groups: Group[] = [];
  const withUnit = (name: string) => (sample: number) => `${formatNumber(sample)} ${name}`;
  if (velocities)
    groups.push({
      name: "velocities",
      colour: "--accent",
      arrows: ratesOf(view, velocities),
      text: unitMotion ? (sample) => overlayTexts.ofLargest(sample) : withUnit("m/s"),
    });
  if (accelerations)
    groups.push({
      name: "accelerations",
      colour: "--warn",
      arrows: ratesOf(view, accelerations),
      text: withUnit("m/s²"),
    });
  if (readings.reactions ?? readings.forces)
    groups.push({ name: "forces", colour: "--bad", arrows: forcesOf(view, readings), text: withUnit("N") });
  return groups;
}

export class Arrows {
  private readonly scales = new Map<string, Scale>();

  draw(context: CanvasRenderingContext2D, view: View, readings: Readings): void {
    let row = 0;
    for (const group of groupsOf(view, readings)) if (this.drawGroup(context, view, group, row)) row++;
  }

  /** Draws a kind of arrows. Returns false if there are none. */
  private drawGroup(
    context: CanvasRenderingContext2D,
    { camera }: View,
    { name, colour, arrows, text }: Group,
    row: number,
  ): boolean {
    const longest = arrows.reduce((most, { vector }) => Math.max(most, Math.hypot(...vector) || 0), 0);
    if (!(longest > 0) || !Number.isFinite(longest)) return false;
    const scale = this.scales.get(name) ?? new Scale();
    this.scales.set(name, scale);
    const sample = scale.choose(longest);
    const factor = SAMPLE / sample;
    context.strokeStyle = context.fillStyle = cssColour(colour);
    context.lineWidth = 1.5;
    for (const { from, vector } of arrows) {
      const [x, y] = camera.project(vector);
      drawArrow(context, camera.toScreen(camera.flatten(from)), [factor * x, -factor * y]);
    }
    const [width, height] = camera.corner;
    this.drawLabel(context, text(sample / 2), [width - LEGEND, height - 30 - 18 * row]);
    return true;
  }

  /** Draws the legend of a scale: an arrow of SAMPLE / 2 pixels and its quantity. */
  private drawLabel(context: CanvasRenderingContext2D, text: string, [x, y]: Pair): void {
    drawArrow(context, [x, y], [SAMPLE / 2, 0]);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = cssColour("--field");
    context.strokeText(text, x + 6 + SAMPLE / 2, y);
    context.fillText(text, x + 6 + SAMPLE / 2, y);
    context.textBaseline = "alphabetic";
  }
}
