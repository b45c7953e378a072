// Scales, ticks and colours for the columns of a study.
import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3-scale";
import { interpolateViridis } from "d3-scale-chromatic";
import { cssColour } from "../app/dom";
import { formatNumber } from "../app/format";
import type { StudySelection } from "./study_selection";
import type { Column } from "./runs";

export type Scale = ScaleContinuousNumeric<number, number>;

const DIGITS = 4;
const STEPS = 48;

/** Returns the scale from a column's values to positions [CSS pixels]. */
export function scaleOf({ log, range }: Column, from: number, to: number): Scale {
  const [low, high] = range;
  // If all values are equal, they are in the middle.
  const spare = low === high ? Math.abs(low) / 10 || 1 : 0;
  const ends = low <= high ? [low - spare, high + spare] : [0, 1];
  return (log && (ends[0] as number) > 0 ? scaleLog() : scaleLinear()).domain(ends).range([from, to]);
}

/** Returns true if a column can be drawn on a logarithmic scale. */
export function canBeLog({ range: [low] }: Column): boolean {
  return low > 0;
}

/** Returns about `count` ticks with their texts; for long logarithmic scales only powers of ten. */
export function ticksOf(scale: Scale, count: number): { at: number; text: string }[] {
  const all = scale.ticks(count);
  const powers = all.filter((value) => Math.abs(Math.log10(value) % 1) < 1e-9);
  const few = all.length > 2 * count && powers.length > 1 ? powers : all;
  return few.map((value) => ({ at: scale(value), text: formatNumber(value, DIGITS) }));
}

/** Returns colours from the smallest to the largest value that are distinguishable from the background. */
export function colourSteps(): string[] {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const [from, to] = dark ? [0.22, 1] : [0, 0.88];
  return Array.from({ length: STEPS }, (_, i) => interpolateViridis(from + ((to - from) * i) / (STEPS - 1)));
}

/** Returns a function from values to colour steps. */
export function stepper(column: Column): (value: number) => number {
  const scale = scaleOf(column, 0, STEPS - 1);
  return (value) => Math.round(Math.min(Math.max(scale(value), 0), STEPS - 1));
}

/** The colours of runs, and a function from rows to colours. */
export interface RowColours {
  list: string[];
  of(row: number): number;
}

/** Returns the colours by a column's values, or one for all; failed runs have a separate colour. */
export function rowColours({ runs, colour: column }: StudySelection): RowColours {
  const bad = cssColour("--bad");
  if (!column) return { list: [cssColour("--accent"), bad], of: (row) => +runs.failed(row) };
  const [steps, step] = [colourSteps(), stepper(column)];
  const of = (row: number): number => {
    const value = column.values[row] as number;
    return runs.failed(row) || !Number.isFinite(value) ? STEPS : step(value);
  };
  return { list: [...steps, bad], of };
}
