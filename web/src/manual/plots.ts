// Plots the results of a model for its page of the manual, as SVG with the colours of manual.css. The code needs no
// browser: docs/models/plots.mjs reads the arrays and calls it.
import { scaleLinear, type ScaleLinear } from "d3-scale";
import { formatNumber } from "../app/format";
import { bucketSize, limitsOf, nextBucket, type Range } from "../plots/decimate";

/** A result array as `mbs run --json` writes it. */
export interface StoredArray {
  name: string;
  labels: string[];
  units: string[];
  unit: string;
  data: unknown[];
}

interface Series {
  label: string;
  unit: string;
  values: (number | null)[];
}

interface Plot {
  title: string;
  unit: string;
  series: Series[];
}

const WIDTH = 400;
const HEIGHT = 220;
const EDGE = { top: 10, right: 14, bottom: 32 };
const LETTER = 6.2;
const TICKS = 5;
/** Maximum number of curves in one plot, and of plots of one kind. */
const SERIES_MOST = 6;
const PLOTS_MOST = 4;
/** Between these steps, numbers along an axis are written with decimals. */
const STEP_LEAST = 1e-4;
const STEP_MOST = 1e4;
/** A quantity that varies by less than this fraction of its size is drawn as a constant. */
const NOISE = 1e-9;

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Returns the numbers of a row, which may be nested. */
const flat = (row: unknown): (number | null)[] =>
  Array.isArray(row) ? row.flatMap(flat) : [typeof row === "number" ? row : null];

function seriesOf(array: StoredArray | undefined, title?: string): Series[] {
  if (!array) return [];
  const rows = array.data.map(flat);
  const labels = array.labels.length > 0 ? array.labels : [""];
  const all = labels.map((label, k) => ({
    label: label || title || array.name,
    unit: array.units[k] || (array.units.length > 0 ? "" : array.unit),
    values: rows.map((row) => row[k] ?? null),
  }));
  return all.filter(({ values }) => values.some((value) => value !== null));
}

/** Distributes curves of one unit evenly among plots. */
function grouped(title: string, all: Series[]): Plot[] {
  const units = [...new Set(all.map(({ unit }) => unit))];
  const plots = units.flatMap((unit) => {
    const series = all.filter((one) => one.unit === unit);
    const size = Math.ceil(series.length / Math.ceil(series.length / SERIES_MOST));
    const starts = Array.from({ length: Math.ceil(series.length / size) }, (_, i) => i * size);
    return starts.map((start) => ({ title, unit, series: series.slice(start, start + size) }));
  });
  return plots.slice(0, PLOTS_MOST);
}

const isZero = ({ values }: Series): boolean => values.every((value) => value === null || value === 0);

/** Returns the range of a plot, widened if all values are equal. */
function rangeOf(series: Series[]): Range {
  const [least, greatest] = limitsOf(series.flatMap(({ values }) => values)) ?? [0, 1];
  const size = Math.max(Math.abs(least), Math.abs(greatest));
  if (greatest - least > NOISE * size) return [least, greatest];
  const more = size > 0 ? size / 2 : 1;
  return [(least + greatest) / 2 - more, (least + greatest) / 2 + more];
}

/** Returns the rows through which a curve is drawn: all, or for many rows the extremes of pieces of two pixels. */
function rowsDrawn(values: (number | null)[]): number[] {
  const rows = { first: 0, end: values.length };
  const size = bucketSize(rows, WIDTH / 2);
  if (size <= 2) return values.map((_, row) => row);
  const found = [0];
  for (let row = 0; row < rows.end;) {
    const next = nextBucket(row, rows.end, size);
    let [least, greatest] = [row, row];
    for (let i = row; i < next; i++) {
      if ((values[i] ?? NaN) < (values[least] ?? Infinity)) least = i;
      if ((values[i] ?? NaN) > (values[greatest] ?? -Infinity)) greatest = i;
    }
    found.push(Math.min(least, greatest), Math.max(least, greatest));
    row = next;
  }
  return [...found, values.length - 1];
}

function curve(values: (number | null)[], x: (row: number) => number, y: (value: number) => number): string {
  let path = "";
  let pen = "M";
  for (const row of rowsDrawn(values)) {
    const value = values[row];
    if (value == null) {
      pen = "M";
      continue;
    }
    path += `${pen}${x(row).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = " ";
  }
  return path;
}

/** Describes the picture in words, for screen readers. */
function describe({ title, unit, series }: Plot, times: number[]): string {
  const span = `from ${formatNumber(times[0] ?? 0, 4)} to ${formatNumber(times.at(-1) ?? 0, 4)} s`;
  const ranges = series.map(({ label, values }) => {
    const [least, greatest] = limitsOf(values) ?? [0, 0];
    return `${label} between ${formatNumber(least, 4)} and ${formatNumber(greatest, 4)}${unit && ` ${unit}`}`;
  });
  return `${title}, ${span}: ${ranges.join("; ")}`;
}

/** Returns the numbers along an axis with their positions; all with the same number of decimals, unless that would
 * be too many. */
function marksOf(scale: ScaleLinear<number, number>): { at: number; text: string }[] {
  const values = scale.ticks(TICKS);
  const step = Math.abs((values[1] ?? 1) - (values[0] ?? 0));
  const write = step >= STEP_LEAST && step <= STEP_MOST ? scale.tickFormat(TICKS) : formatNumber;
  return values.map((value) => ({ at: scale(value), text: write(value) }));
}

function picture(plot: Plot, times: number[]): string {
  const up = scaleLinear([...rangeOf(plot.series)], [HEIGHT - EDGE.bottom, EDGE.top]).nice(TICKS);
  const marks = marksOf(up);
  const left = 14 + LETTER * Math.max(...marks.map(({ text }) => text.length));
  const along = scaleLinear([times[0] ?? 0, times.at(-1) ?? 1], [left, WIDTH - EDGE.right]);
  const bottom = HEIGHT - EDGE.bottom;
  const grid = marks.map(({ at, text }) => {
    const line = `<path class="grid" d="M${left} ${at.toFixed(1)}H${WIDTH - EDGE.right}"/>`;
    return `${line}<text x="${left - 6}" y="${(at + 4).toFixed(1)}" text-anchor="end">${text}</text>`;
  });
  const instants = marksOf(along).map(({ at, text }) => {
    const line = `<path class="grid" d="M${at.toFixed(1)} ${EDGE.top}V${bottom}"/>`;
    return `${line}<text x="${at.toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${text}</text>`;
  });
  const curves = plot.series.map(
    ({ values }, k) => `<path class="series-${k}" d="${curve(values, (row) => along(times[row] ?? 0), up)}"/>`,
  );
  const seconds = `<text x="${WIDTH - EDGE.right}" y="${HEIGHT - 3}" text-anchor="end">t [s]</text>`;
  const label = escape(describe(plot, times));
  const parts = [...grid, ...instants, ...curves, seconds].join("");
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${parts}</svg>`;
}

function figure(plot: Plot, times: number[]): string {
  const unit = plot.unit ? ` [${plot.unit}]` : "";
  const [only, ...more] = plot.series;
  const title = only && more.length === 0 ? `${plot.title}: ${only.label}` : plot.title;
  const items = plot.series.map(({ label }, k) => `<li class="series-${k}">${escape(label)}</li>`);
  const keys = more.length > 0 ? `<ul>${items.join("")}</ul>` : "";
  return `<figure class="plot"><figcaption>${escape(title + unit)}${keys}</figcaption>${picture(plot, times)}</figure>`;
}

/** Returns plots of a model's sensors, coordinates, energies and multipliers over time as HTML; "" for a run with a
 * single time. */
export function plotsOf(arrays: Map<string, StoredArray>, sensors: string[]): string {
  const times = (arrays.get("T")?.data ?? []) as number[];
  if (times.length < 2) return "";
  const measured = sensors.flatMap((name) => seriesOf(arrays.get(name), name));
  const energies = seriesOf(arrays.get("energy")).filter((one) => !isZero(one));
  const plots = [
    ...grouped("Measured", measured),
    ...grouped("Coordinates", seriesOf(arrays.get("theta"))),
    ...grouped("Energy", energies),
    ...grouped("Multipliers", seriesOf(arrays.get("Lam"))),
  ];
  return `<div class="plots">${plots.map((plot) => figure(plot, times)).join("\n")}</div>\n`;
}
