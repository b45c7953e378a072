// Draws the names of bodies, joints and points where there is space for them.
import { cssColour } from "../app/dom";
import type { View } from "../interaction/picking";
import type { Camera } from "./camera";
import type { Pair, Vector } from "./geometry";

const FONT = "12px system-ui, sans-serif";
const HEIGHT = 14;
/** Distance from a position to its name [pixels]. */
const GAP = 7;

/** A name and its position. */
interface Label {
  text: string;
  place: Vector;
  colour: string;
}

interface Box {
  x: number;
  y: number;
  width: number;
}

/** Returns the names of bodies at their mass centres, of joints at their first points, and of points that belong to
 * no joint. Earlier labels have priority. */
export function labelsOf({ scene, motion }: View): Label[] {
  const [strong, accent, faint] = ["--text", "--accent", "--faint"].map(cssColour) as [string, string, string];
  const ofJoints = new Set(scene.joints.flatMap(({ points }) => points));
  const bodies = scene.bodies.map(({ name }, body) => ({ text: name, place: motion.centre(body), colour: strong }));
  const joints = scene.joints.flatMap(({ name, points: [first] }) =>
    first === undefined ? [] : [{ text: name, place: motion.point(first), colour: accent }],
  );
  const points = scene.points.flatMap(({ name }, point) =>
    ofJoints.has(point) ? [] : [{ text: name, place: motion.point(point), colour: faint }],
  );
  return [...bodies, ...joints, ...points].filter(({ text }) => text !== "");
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < HEIGHT;
}

/** Returns the possible places of a label: right, left, above and below its pixel. */
function boxesAround([x, y]: Pair, width: number): Box[] {
  const beside = { y: y - GAP, width };
  const middle = { x: x - width / 2, width };
  return [
    { x: x + GAP, ...beside },
    { x: x - GAP - width, ...beside },
    { ...middle, y: y - GAP - HEIGHT },
    { ...middle, y: y + GAP + HEIGHT },
  ];
}

export class Labels {
  private readonly widths = new Map<string, number>();

  /** Draws all names, or those of bodies and joints in `only`. */
  draw(context: CanvasRenderingContext2D, view: View, only?: ReadonlySet<string>): void {
    const elements = [...view.scene.bodies, ...view.scene.joints];
    const shown = (text: string): boolean => !only || (only.has(text) && elements.some(({ name }) => name === text));
    const taken: Box[] = [];
    context.font = FONT;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = cssColour("--field");
    for (const { text, place, colour } of labelsOf(view)) {
      if (!shown(text)) continue;
      const box = this.findFreePlace(context, text, place, view.camera, taken);
      if (!box) continue;
      taken.push(box);
      context.fillStyle = colour;
      context.strokeText(text, box.x, box.y);
      context.fillText(text, box.x, box.y);
    }
    context.textBaseline = "alphabetic";
  }

  private findFreePlace(
    context: CanvasRenderingContext2D,
    text: string,
    place: Vector,
    camera: Camera,
    taken: Box[],
  ): Box | undefined {
    const pixel = camera.toScreen(camera.flatten(place));
    if (!pixel.every(Number.isFinite)) return undefined;
    return boxesAround(pixel, this.width(context, text)).find((box) => !taken.some((other) => overlap(box, other)));
  }

  private width(context: CanvasRenderingContext2D, text: string): number {
    const known = this.widths.get(text);
    if (known !== undefined) return known;
    const { width } = context.measureText(text);
    this.widths.set(text, width);
    return width;
  }
}
