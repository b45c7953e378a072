// Draws mass centres and instant centres.
import { cssColour, paletteColour } from "../app/dom";
import type { View } from "../interaction/picking";
import type { Pair, Vector } from "./geometry";
import { disc, line } from "./strokes";

/** Draws the symbol of a mass centre: a disc with two filled quarters. */
function drawCentre(context: CanvasRenderingContext2D, [x, y]: Pair, radius: number, colour: string): void {
  context.fillStyle = cssColour("--field");
  disc(context, [x, y], radius);
  context.fill();
  context.fillStyle = context.strokeStyle = colour;
  for (const start of [0, Math.PI]) {
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, radius, start, start + Math.PI / 2);
    context.fill();
  }
  context.lineWidth = 1.5;
  disc(context, [x, y], radius);
  context.stroke();
}

/** Draws the mass centre of each body and, if it is known, that of the whole mechanism. */
export function drawMassCentres(
  context: CanvasRenderingContext2D,
  { scene, motion, camera }: View,
  ofAll: Float64Array | undefined,
): void {
  const pixel = (place: Vector): Pair => camera.toScreen(camera.flatten(place));
  const colour = cssColour("--text");
  scene.bodies.forEach((_, body) => drawCentre(context, pixel(motion.centre(body)), 5, colour));
  if (ofAll) drawCentre(context, pixel([...ofAll]), 9, cssColour("--accent"));
}

/** Draws instant centres as crosses in the colour of their body, with its name. The names of coincident centres are
 * listed below each other. */
export function drawInstantCentres(
  context: CanvasRenderingContext2D,
  { scene, camera }: View,
  centres: Float64Array,
): void {
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  context.lineWidth = 2;
  const names = new Map<string, number>();
  scene.bodies.forEach(({ name }, body) => {
    const [x, y] = camera.toScreen([centres[2 * body] as number, centres[2 * body + 1] as number]);
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    context.strokeStyle = context.fillStyle = paletteColour(body);
    line(context, [x - 5, y - 5], [x + 5, y + 5]);
    line(context, [x - 5, y + 5], [x + 5, y - 5]);
    const place = `${Math.round(x / 4)} ${Math.round(y / 4)}`;
    const before = names.get(place) ?? 0;
    names.set(place, before + 1);
    if (before < 4) context.fillText(before === 3 ? "..." : name, x + 8, y + 15 + 12 * before);
  });
}
