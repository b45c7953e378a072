// Draws the frame of a diagram with two axes.
import { cssColour } from "../app/dom";
import { formatNumber } from "../app/format";
import { titleOf, type Column } from "./runs";
import { ticksOf, type Scale } from "./scales";
import { FONT, type FittedCanvas } from "./fitted_canvas";

export const EDGE = { left: 58, right: 14, top: 10, bottom: 38 };

/** Distance beyond an axis at which missing values are drawn [CSS pixels]. */
export const BEYOND = 14;

/** Draws ticks, grid lines, and the names of both axes; the vertical axis ends at `lowest`. */
export function drawFrame(
  { context, width, height }: FittedCanvas,
  x: { scale: Scale; title: string },
  y: { scale: Scale; title: string },
  right = EDGE.right,
  lowest = height - EDGE.bottom,
): void {
  const [faint, grid, text] = ["--faint", "--grid", "--text"].map(cssColour) as [string, string, string];
  const [end, bottom] = [width - right, height - EDGE.bottom];
  const middle = (EDGE.top + lowest) / 2;
  context.font = FONT;
  context.textBaseline = "middle";
  for (const { at, text: number } of ticksOf(y.scale, Math.max(2, Math.floor((lowest - EDGE.top) / 40)))) {
    context.fillStyle = grid;
    context.fillRect(EDGE.left, at - 0.5, end - EDGE.left, 1);
    context.fillStyle = faint;
    context.textAlign = "right";
    context.fillText(number, EDGE.left - 5, at);
  }
  context.textAlign = "center";
  for (const { at, text: number } of ticksOf(x.scale, Math.max(2, Math.floor((end - EDGE.left) / 55)))) {
    context.fillStyle = grid;
    context.fillRect(at - 0.5, EDGE.top, 1, bottom - EDGE.top);
    context.fillStyle = faint;
    context.fillText(number, at, bottom + 10);
  }
  context.fillStyle = text;
  context.fillText(x.title, (EDGE.left + end) / 2, height - 9, end - EDGE.left);
  context.save();
  context.translate(9, middle);
  context.rotate(-Math.PI / 2);
  context.fillText(y.title, 0, 0, lowest - EDGE.top);
  context.restore();
  context.textAlign = "left";
}

/** Returns an axis for a column. */
export function axisOf(column: Column, scale: Scale): { scale: Scale; title: string } {
  return { scale, title: titleOf(column) };
}

/** Draws a colour scale beside a diagram, with the numbers at its ends. */
export function drawColours(
  { context, width, height }: FittedCanvas,
  steps: string[],
  [low, high]: readonly [string, string],
): void {
  const [left, top, bottom] = [width - 48, EDGE.top + 14, height - EDGE.bottom - 14];
  const size = (bottom - top) / steps.length;
  steps.forEach((colour, i) => {
    context.fillStyle = colour;
    context.fillRect(left, bottom - (i + 1) * size, 12, size + 0.5);
  });
  context.fillStyle = cssColour("--faint");
  context.font = FONT;
  context.textAlign = "left";
  context.fillText(high, left - 8, top - 9, 56);
  context.fillText(low, left - 8, bottom + 9, 56);
}

/** Width of the colour scale [CSS pixels]. */
export const COLOURS_WIDTH = 62;

/** Returns the ends of a column's range as text. */
export function endsOf({ range }: Column): [string, string] {
  return range.map((value) => (Number.isFinite(value) ? formatNumber(value, 3) : "–")) as [string, string];
}
