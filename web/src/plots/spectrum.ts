// Computes the amplitude spectrum of a column over a time interval.
import rfft from "fourier-transform";
import type { Rows } from "./decimate";

export interface Spectrum {
  /** [Hz] */
  frequencies: Float64Array;
  /** In the column's unit: 1 for a sine of amplitude 1 at one of the frequencies. */
  amplitudes: Float64Array;
}

/** Smaller amplitudes relative to the largest one are not visible. */
const SEEN = 1e-3;
/** Margin after the last relevant frequency, relative to it; LEAST: minimum number of frequencies that are shown. */
const PADDING = 0.25;
const LEAST = 16;

/** Returns up to which frequency [Hz] a spectrum has amplitudes that are seen. */
export function bandOf({ places, values }: { places: ArrayLike<number>; values: ArrayLike<number> }): number {
  let greatest = 0;
  for (let i = 0; i < values.length; i++) greatest = Math.max(greatest, values[i] as number);
  let last = values.length - 1;
  while (last > 0 && !((values[last] as number) >= SEEN * greatest)) last--;
  const end = greatest > 0 ? Math.max(Math.ceil(last * (1 + PADDING)), LEAST) : values.length - 1;
  return places[Math.min(end, values.length - 1)] ?? 1;
}

/** The mean of a Hann window, by which it reduces amplitudes. */
const WINDOW_MEAN = 1 / 2;

/** Returns values at `count` equidistant times, by linear interpolation between rows. */
function equidistant(times: Float64Array, values: Float64Array, { first, end }: Rows, count: number): Float64Array {
  const [start, last] = [times[first] as number, times[end - 1] as number];
  let row = first;
  return Float64Array.from({ length: count }, (_, i) => {
    const t = start + ((last - start) * i) / (count - 1);
    while (row < end - 2 && (times[row + 1] as number) <= t) row++;
    const [before, after] = [times[row] as number, times[row + 1] as number];
    const [from, to] = [values[row] as number, values[row + 1] as number];
    return after > before ? from + ((to - from) * (t - before)) / (after - before) : to;
  });
}

/** Returns the amplitudes of the deviation from the mean, with a Hann window and zero padding to a power of two.
 * Values that are not finite count as the mean. Returns an empty spectrum for fewer than four rows, or if all times
 * are equal. */
export function spectrumOf(times: Float64Array, values: Float64Array, rows: Rows): Spectrum {
  const count = rows.end - rows.first;
  const duration = (times[rows.end - 1] ?? 0) - (times[rows.first] ?? 0);
  if (count < 4 || !(duration > 0)) return { frequencies: new Float64Array(0), amplitudes: new Float64Array(0) };
  const even = equidistant(times, values, rows, count);
  const finite = even.filter(Number.isFinite);
  const mean = finite.reduce((sum, value) => sum + value, 0) / Math.max(finite.length, 1);
  const size = 2 ** Math.ceil(Math.log2(count));
  const windowed = new Float64Array(size);
  even.forEach((value, i) => {
    const weight = (1 - Math.cos((2 * Math.PI * i) / (count - 1))) / 2;
    windowed[i] = Number.isFinite(value) ? weight * (value - mean) : 0;
  });
  const scale = size / count / WINDOW_MEAN;
  const amplitudes = rfft(windowed).map((magnitude) => scale * magnitude);
  const rate = (count - 1) / duration;
  return { frequencies: amplitudes.map((_, i) => (i * rate) / size), amplitudes };
}
