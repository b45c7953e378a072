// Saves the drawing: as PNG, SVG, and its motion as a WebM video.
import type { SvgContext } from "svgcanvas/dist/svgcanvas.esm.js";
import { save } from "../results/downloads";

/** Bit rate of a video [bit/s]. */
const BITS = 8_000_000;

/** Draws the current frame into a context. */
export type Draw = (context: CanvasRenderingContext2D) => void;

export function savePng(canvas: HTMLCanvasElement, file: string): void {
  canvas.toBlob((blob) => {
    if (blob) save(blob, file);
  });
}

/** Adds text to the SVG of a context directly: svgcanvas reads fonts from style attributes, which the page's policy
 * forbids. The text is above all lines. Fonts are written as "12px system-ui, sans-serif". */
function writeText(context: SvgContext, text: string, x: number, y: number, look: Record<string, unknown>): void {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "text");
  const [size = "", ...family] = context.font.split(" ");
  const anchor = { center: "middle", right: "end", end: "end", left: "start", start: "start" }[context.textAlign];
  const baseline = context.textBaseline === "middle" ? { "dominant-baseline": "central" } : {};
  const font = { "font-size": size, "font-family": family.join(" "), "text-anchor": anchor, ...baseline };
  for (const [name, value] of Object.entries({ x, y, ...look, ...font })) element.setAttribute(name, String(value));
  element.textContent = text;
  context.getSvg().append(element);
}

/** Saves a drawing of `width` x `height` CSS pixels as SVG. */
export async function saveSvg(draw: Draw, width: number, height: number, file: string): Promise<void> {
  const { Context } = await import("svgcanvas/dist/svgcanvas.esm.js");
  const context = new Context(width, height);
  context.fillText = (text, x, y) => writeText(context, text, x, y, { fill: context.fillStyle });
  context.strokeText = (text, x, y) => {
    const line = { stroke: context.strokeStyle, "stroke-width": context.lineWidth, "stroke-linejoin": "round" };
    writeText(context, text, x, y, { fill: "none", ...line });
  };
  draw(context);
  save(new Blob([context.getSerializedSvg()], { type: "image/svg+xml" }), file);
}

/** Records the canvas. Returns a function that stops the recording and saves it. */
export function recordVideo(canvas: HTMLCanvasElement, file: string): () => void {
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm", videoBitsPerSecond: BITS });
  const parts: Blob[] = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  recorder.addEventListener("stop", () => save(new Blob(parts, { type: "video/webm" }), file));
  recorder.start();
  return () => recorder.stop();
}
