// The look of axes and curves in all plots. Numbers of axes have enough digits to distinguish neighbouring ticks, and
// an axis is as wide as its longest number.
import type uPlot from "uplot";
import { cssColour, paletteColour } from "../app/dom";
import { formatNumber } from "../app/format";

const FONT = "11px system-ui, sans-serif";

/** Minimum number of digits on an axis; more are used if neighbouring numbers would look equal. */
const DIGITS_LEAST = 6;

/** If a logarithmic scale covers more powers of ten, only these have grid lines. */
const DECADES_MOST = 5;

/** Number of significant decimal digits of a double. */
const DIGITS_MOST = 15;

/** Formats the number of a tick whose neighbours are `distance` away. */
export function tickText(value: number, distance: number): string {
  const digits = value === 0 ? 1 : Math.ceil(Math.log10(Math.abs(value / distance))) + 1;
  return formatNumber(value, Math.min(Math.max(digits, DIGITS_LEAST), DIGITS_MOST));
}

/** Formats the numbers of an axis. Null is a tick without a number, as between the powers of ten of a logarithmic
 * axis. */
export function tickTexts(ticks: (number | null)[], distance: number): string[] {
  return ticks.map((tick) => (tick === null ? "" : tickText(tick, distance || tick)));
}

/** Returns the look of an axis in the current colours. */
export function axisStyle(): uPlot.Axis & { grid: uPlot.Axis.Grid } {
  const grid = { stroke: cssColour("--grid"), width: 1 };
  return { stroke: cssColour("--faint"), ticks: { show: false }, font: FONT, labelFont: FONT, labelSize: 16, grid };
}

/** Returns the look of a curve with this colour of the palette. */
export function curveStyle(colour: number): uPlot.Series {
  // Rounding to whole pixels would make steps in a curve.
  return { stroke: paletteColour(colour), width: 1.5, pxAlign: 0, points: { show: false } };
}

/** Returns the width of an axis with these numbers [CSS pixels]; 0 without numbers. */
export function axisWidth(plot: uPlot, texts: string[] | null, axis: uPlot.Axis): number {
  // uPlot stores the font in device pixels, as the first element of a list.
  plot.ctx.font = String((axis.font as unknown as string[])[0]);
  const widths = (texts ?? []).map((text) => plot.ctx.measureText(text ?? "").width / devicePixelRatio);
  return Math.ceil(Math.max(0, ...widths)) + (axis.gap ?? 0) + (axis.ticks?.show ? (axis.ticks.size ?? 0) : 0);
}

/** Returns the ticks that have grid lines: only powers of ten on a long logarithmic scale. */
export function sparse(plot: uPlot, ticks: number[]): (number | null)[] {
  const { distr, min = 1, max = 1 } = plot.scales["y"] ?? {};
  if (distr !== 3 || (max ?? 1) / (min ?? 1) < 10 ** DECADES_MOST) return ticks;
  return ticks.map((tick) => (Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9 ? tick : null));
}
