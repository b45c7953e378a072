// Formats the numbers of axes: with enough digits to distinguish neighbouring ticks, and an axis as wide as its longest
// number.
import type uPlot from "uplot";
import { formatNumber } from "../app/format";

/** Minimum number of digits on an axis; more are used if neighbouring numbers would look equal. */
const DIGITS_LEAST = 6;

/** Number of significant decimal digits of a double. */
const DIGITS_MOST = 15;

/** Formats the number of a tick whose neighbours are `distance` away. */
export function tickText(value: number, distance: number): string {
  const digits = value === 0 ? 1 : Math.ceil(Math.log10(Math.abs(value / distance))) + 1;
  return formatNumber(value, Math.min(Math.max(digits, DIGITS_LEAST), DIGITS_MOST));
}

/** Returns the width of an axis with these numbers [CSS pixels]; 0 without numbers. */
export function axisWidth(plot: uPlot, texts: string[] | null, axis: uPlot.Axis): number {
  // uPlot stores the font in device pixels, as the first element of a list.
  plot.ctx.font = String((axis.font as unknown as string[])[0]);
  const widths = (texts ?? []).map((text) => plot.ctx.measureText(text ?? "").width / devicePixelRatio);
  return Math.ceil(Math.max(0, ...widths)) + (axis.gap ?? 0) + (axis.ticks?.show ? (axis.ticks.size ?? 0) : 0);
}
