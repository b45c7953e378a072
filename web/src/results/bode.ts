// Draws a frequency response as a Bode plot: amplitude and phase of each output for each input.
import uPlot from "uplot";
import { readArray, type ArrayInfo } from "../app/api";
import { h, onColourScheme } from "../app/dom";
import { formatNumber } from "../app/format";
import { bodeTexts } from "../app/texts";
import { axisStyle, curveStyle, sparse, tickTexts } from "../plots/axes";

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

/** The content of a plot. */
interface Content {
  label: string;
  logarithmic: { x: boolean; y: boolean };
  titles: string[];
  data: uPlot.AlignedData;
}

function plotOf(host: HTMLElement, { label, logarithmic, titles, data }: Content): uPlot {
  const axis = axisStyle();
  const values = (_: uPlot, ticks: (number | null)[], __: number, ___: number, distance: number): string[] =>
    tickTexts(ticks, distance);
  const value = (_: uPlot, at: number | null): string => (at === null ? "–" : formatNumber(at, DIGITS));
  const options: uPlot.Options = {
    width: host.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false }, sync: { key: "bode" } },
    legend: { show: true },
    scales: {
      x: { time: false, distr: logarithmic.x ? 3 : 1, range: (_, from, to) => [from, to] },
      y: { distr: logarithmic.y ? 3 : 1 },
    },
    axes: [
      { ...axis, values, label: bodeTexts.frequency, size: FREQUENCIES },
      { ...axis, grid: { ...axis.grid, filter: sparse }, values, label, size: ORDINATES },
    ],
    series: [
      { label: bodeTexts.frequency, value },
      ...titles.map((label, k) => ({ label, value, ...curveStyle(k) })),
    ],
  };
  return new uPlot(options, data, host);
}

/** The Bode plot of a job. */
export class Bode {
  readonly elements: HTMLElement[];
  private readonly removed = new AbortController();

  constructor(contents: Content[]) {
    const hosts = contents.map((content) => this.hostOf(content));
    this.elements = [h("h3", {}, bodeTexts.title), h("div", { className: "bode" }, ...hosts)];
  }

  /** Releases the plots, which the page no longer shows. */
  destroy(): void {
    this.removed.abort();
  }

  /** Returns an element that draws a plot as soon as it has a width, and again in other colours. */
  private hostOf(content: Content): HTMLElement {
    const { signal } = this.removed;
    const host = h("div", {});
    let plot: uPlot | undefined;
    const clear = (): void => {
      plot?.destroy();
      plot = undefined;
    };
    const fit = (): void => {
      if (host.clientWidth === 0) return;
      plot ??= plotOf(host, content);
      plot.setSize({ width: host.clientWidth, height: HEIGHT });
    };
    const observer = new ResizeObserver(fit);
    observer.observe(host);
    signal.addEventListener("abort", () => {
      observer.disconnect();
      clear();
    });
    onColourScheme(() => {
      clear();
      fit();
    }, signal);
    return host;
  }
}

/** Reads the Bode plot of a job; undefined if it has no frequency response. */
export async function readBode(id: string, arrays: ArrayInfo[]): Promise<Bode | undefined> {
  const info = arrays.find(({ name }) => name === "response");
  if (!info) return undefined;
  const [{ data: frequencies }, { data }] = await Promise.all([
    readArray(id, "frequency", 1),
    readArray(id, "response", 1),
  ]);
  const curves = curvesOf(info.labels, data, frequencies.length);
  const titles = curves.map(({ title }) => title);
  const x = areLogarithmic(frequencies);
  const content = (label: string, y: boolean, lines: (number | null)[][]): Content => {
    return { label, logarithmic: { x, y }, titles, data: [frequencies, ...lines] as unknown as uPlot.AlignedData };
  };
  return new Bode([
    content(bodeTexts.amplitude, true, curves.map(({ amplitudes }) => amplitudes)),
    content(bodeTexts.phase, false, curves.map(({ phases }) => phases)),
  ]);
}
