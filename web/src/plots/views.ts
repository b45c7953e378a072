// Prepares columns for drawing: over time, over frequency, or along a path over another column, reduced to the number
// of pixels.
import uPlot from "uplot";
import type { Column, Recording } from "../results/recording";
import { bucketPlaces, bucketSize, nearestRow, rowsAround, rowsWithin, type Range } from "./decimate";
import { Pyramid } from "./pyramid";
import { spectrumOf, type Spectrum } from "./spectrum";

/** The horizontal axis: a column turns curves into paths. */
export type Over = "time" | "frequency" | Column;

/** A curve over ascending places, with all its points. */
export interface Course {
  places: Float64Array;
  values: Float64Array;
}

/** Maximum deviation of the drawing from a path [pixels]. */
const PATH_ERROR = 0.5;

interface Kept {
  span: Range;
  spectrum: Spectrum;
}

const spectra = new WeakMap<Float64Array, Kept>();
const magnitudes = new WeakMap<Float64Array, Float64Array>();

function keptSpectrum({ times }: Recording, values: Float64Array, span: Range): Spectrum {
  const kept = spectra.get(values);
  if (kept && kept.span[0] === span[0] && kept.span[1] === span[1]) return kept.spectrum;
  const spectrum = spectrumOf(times, values, rowsWithin(times, span));
  spectra.set(values, { span, spectrum });
  return spectrum;
}

function magnitudesOf(values: Float64Array): Float64Array {
  let found = magnitudes.get(values);
  if (!found) magnitudes.set(values, (found = values.map(Math.abs)));
  return found;
}

/** Returns a column over time, or the spectrum of its `span` [s]; with `magnitude` its absolute value, for a
 * logarithmic scale. Returns undefined if the run has no such column, or, for a spectrum, if not all rows are
 * loaded. */
export function courseOf(
  recording: Recording | undefined,
  column: Column,
  over: Over,
  span: Range,
  magnitude: boolean,
): Course | undefined {
  const values = recording?.values(column);
  if (!recording || !values) return undefined;
  if (over === "frequency") {
    if (recording.bucket > 1) return undefined;
    const { frequencies, amplitudes } = keptSpectrum(recording, values, span);
    return { places: frequencies, values: amplitudes };
  }
  return { places: recording.times, values: magnitude ? magnitudesOf(values) : values };
}

/** Returns the value of a course nearest to a place. */
export function valueAt(course: Course | undefined, place: number): number | undefined {
  return course?.values[nearestRow(course.places, place)];
}

/** Returns columns for uPlot: an abscissa, and the courses of some runs. The courses of one run have the same
 * places. */
export function tableOf(runs: Course[][], range: Range, pixels: number): uPlot.AlignedData {
  const tables = runs.flatMap((courses) => {
    const places = courses[0]?.places;
    if (!places) return [];
    const rows = rowsAround(places, range);
    const size = bucketSize(rows, pixels);
    const columns = courses.map(({ values }) => Pyramid.of(values).extremes(rows, size));
    return [[bucketPlaces(places, rows, size), ...columns] as uPlot.AlignedData];
  });
  return tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? [[]]);
}

/** Returns the minimum and maximum of a course in a range. */
export function limitsWithin({ places, values }: Course, range: Range): Range | undefined {
  return Pyramid.of(values).limits(rowsWithin(places, range));
}

/** Returns the path of one course over another with the same places, within a range of these. Omits points within
 * half a pixel of the previous one; `pixels` is the width and height of the visible part. */
export function pathOf(
  x: Course,
  y: Course,
  range: Range,
  shown: { x: Range; y: Range },
  pixels: number,
): [number[], (number | null)[]] {
  const { first, end } = rowsAround(x.places, range);
  const error = ([from, to]: Range): number => ((to - from) * PATH_ERROR) / pixels;
  const [errorX, errorY] = [error(shown.x), error(shown.y)];
  const [xs, ys]: [number[], (number | null)[]] = [[], []];
  let [lastX, lastY] = [NaN, NaN];
  for (let row = first; row < end; row++) {
    const [px, py] = [x.values[row] as number, y.values[row] as number];
    if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
    if (row < end - 1 && Math.abs(px - lastX) <= errorX && Math.abs(py - lastY) <= errorY) continue;
    xs.push(px);
    ys.push(py);
    [lastX, lastY] = [px, py];
  }
  return [xs, ys];
}

/** Returns a range with a margin on both sides. */
export function padded(range: Range | undefined): Range {
  const [from, to] = range ?? [0, 1];
  const room = 0.05 * (to - from) || 0.05 * Math.abs(to) || 1;
  return [from - room, to + room];
}
