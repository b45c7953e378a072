// Draws a frequency response as a Bode plot: amplitude and phase of each output for each input.
import uPlot from "uplot";
import { readArray, type ArrayInfo } from "../app/api";
import { cssColour, h, paletteColour } from "../app/dom";
import { formatNumber } from "../app/format";
import { bodeTexts } from "../app/texts";
import { sparse, tickText } from "../plots/axes";

const FONT = "11px system-ui, sans-serif";
const HEIGHT = 190;
/** Room for the numbers of the axes [CSS pixels], the same in both plots. */
const [ORDINATES, FREQUENCIES] = [64, 24];
const DIGITS = 4;
/** Equal ratios of the frequencies, to this share, get a logarithmic axis. */
const EQUAL = 1e-6;

/** One output for one input. */
interface Curve {
  title: string;
  amplitudes: (number | null)[];
  /** [degrees], without jumps of a revolution. */
  phases: (number | null)[];
}

/** Returns phases [degrees] without jumps of more than half a revolution. */
function unwrapped(angles: (number | null)[]): (number | null)[] {
  let before = 0;
  return angles.map((angle) => {
    if (angle === null) return null;
    before = angle - 360 * Math.round((angle - before) / 360);
    return before;
  });
}

function curvesOf(labels: string[], data: Float64Array, count: number): Curve[] {
  const width = labels.length;
  return Array.from({ length: width / 2 }, (_, k) => {
    const parts = Array.from({ length: count }, (_, i): [number, number] => [
      data[i * width + 2 * k] as number,
      data[i * width + 2 * k + 1] as number,
    ]);
    const known = parts.map(([re, im]) => Number.isFinite(re) && Number.isFinite(im));
    const shown = (value: (re: number, im: number) => number | null) =>
      parts.map(([re, im], i) => (known[i] ? value(re, im) : null));
    return {
      title: (labels[2 * k] as string).replace(/\.real$/, ""),
      // A logarithmic scale has no zero.
      amplitudes: shown((re, im) => Math.hypot(re, im) || null),
      phases: unwrapped(shown((re, im) => (Math.atan2(im, re) * 180) / Math.PI)),
    };
  });
}

/** Returns true if the frequencies have equal ratios. */
function areLogarithmic(frequencies: Float64Array): boolean {
  const [first = 0, second = 0, third = 0] = frequencies;
  return first > 0 && third > 0 && Math.abs(second / first / (third / second) - 1) < EQUAL;
}

function plotOf(
  host: HTMLElement,
  label: string,
  logarithmic: { x: boolean; y: boolean },
  titles: string[],
  data: uPlot.AlignedData,
): uPlot {
  const axis = { stroke: cssColour("--faint"), ticks: { show: false }, font: FONT, labelFont: FONT, labelSize: 16 };
  const grid = { stroke: cssColour("--grid"), width: 1 };
  const values = (_: uPlot, ticks: (number | null)[], __: number, ___: number, distance: number): string[] =>
    ticks.map((tick) => (tick === null ? "" : tickText(tick, distance || tick)));
  const value = (_: uPlot, at: number | null): string => (at === null ? "–" : formatNumber(at, DIGITS));
  return new uPlot(
    {
      width: Math.max(host.clientWidth, 200),
      height: HEIGHT,
      cursor: { drag: { x: false, y: false }, sync: { key: "bode" } },
      legend: { show: true },
      scales: {
        x: { time: false, distr: logarithmic.x ? 3 : 1, range: (_, from, to) => [from, to] },
        y: { distr: logarithmic.y ? 3 : 1 },
      },
      axes: [
        { ...axis, grid, values, label: bodeTexts.frequency, size: FREQUENCIES },
        { ...axis, grid: { ...grid, filter: sparse }, values, label, size: ORDINATES },
      ],
      series: [
        { label: bodeTexts.frequency, value },
        ...titles.map((label, k) => {
          return { label, value, stroke: paletteColour(k), width: 1.5, pxAlign: 0, points: { show: false } };
        }),
      ],
    },
    data,
    host,
  );
}

/** Returns the Bode plot of a job; empty if it has no frequency response. It is drawn once it has a width. */
export async function bodeView(id: string, arrays: ArrayInfo[]): Promise<HTMLElement[]> {
  const info = arrays.find(({ name }) => name === "response");
  if (!info) return [];
  const [{ data: frequencies }, { data }] = await Promise.all([
    readArray(id, "frequency", 1),
    readArray(id, "response", 1),
  ]);
  const curves = curvesOf(info.labels, data, frequencies.length);
  const titles = curves.map(({ title }) => title);
  const x = areLogarithmic(frequencies);
  const panels: [string, boolean, (number | null)[][]][] = [
    [bodeTexts.amplitude, true, curves.map(({ amplitudes }) => amplitudes)],
    [bodeTexts.phase, false, curves.map(({ phases }) => phases)],
  ];
  const hosts = panels.map(([label, y, lines]) => {
    const host = h("div", {});
    let plot: uPlot | undefined;
    new ResizeObserver(() => {
      if (host.clientWidth === 0) return;
      plot ??= plotOf(host, label, { x, y }, titles, [frequencies, ...lines] as unknown as uPlot.AlignedData);
      plot.setSize({ width: host.clientWidth, height: HEIGHT });
    }).observe(host);
    return host;
  });
  return [h("h3", {}, bodeTexts.title), h("div", { className: "bode" }, ...hosts)];
}
