// Axes whose numbers fit: as wide as the longest of them, with as many digits as tell two of them apart.
import type uPlot from "uplot";
import { formatNumber } from "../app/format";

/** Digits of a number on an axis, unless more are needed to tell it from its neighbour. */
const DIGITS_LEAST = 6;

/** Significant digits of a double that are certain. */
const DIGITS_MOST = 15;

/** The number at a tick whose neighbours are `distance` away. */
export function tickText(value: number, distance: number): string {
  const digits = value === 0 ? 1 : Math.ceil(Math.log10(Math.abs(value / distance))) + 1;
  return formatNumber(value, Math.min(Math.max(digits, DIGITS_LEAST), DIGITS_MOST));
}

/** The width of an axis with these numbers [CSS pixels], 0 without any. */
export function axisWidth(plot: uPlot, texts: string[] | null, axis: uPlot.Axis): number {
  // uPlot keeps the font in device pixels, as the first of a list.
  plot.ctx.font = String((axis.font as unknown as string[])[0]);
  const widths = (texts ?? []).map((text) => plot.ctx.measureText(text ?? "").width / devicePixelRatio);
  return Math.ceil(Math.max(0, ...widths)) + (axis.gap ?? 0) + (axis.ticks?.show ? (axis.ticks.size ?? 0) : 0);
}
