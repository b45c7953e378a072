// A motion: arrays of times, positions and orientations of bodies, and points, with interpolation in time.
import type { ArrayInfo } from "../app/api";
import { plus, rotate, type Turn, type Vector } from "../drawing/geometry";
import type { ReadArray } from "./recording";

/** Maximum number of rows that are loaded; more make no visible difference. */
const ROWS_MAX = 2000;

/** All bodies and points at one time: for each body an angle, in space four Euler parameters. */
export interface Frame {
  t: number;
  centres: Float64Array;
  turns: Float64Array;
  points: Float64Array;
}

export class Motion {
  readonly frame: Frame;
  /** The rows around the time of `frame`, and the fraction of the interval between them. */
  private between = { low: 0, high: 0, part: 0 };

  constructor(
    readonly times: Float64Array,
    readonly dimension: 2 | 3,
    readonly centres: Float64Array,
    readonly turns: Float64Array,
    readonly points: Float64Array,
    /** Every `stride`-th row of the arrays is loaded. */
    readonly stride = 1,
  ) {
    const rows = Math.max(times.length, 1);
    const width = (data: Float64Array): Float64Array => new Float64Array(data.length / rows);
    this.frame = { t: NaN, centres: width(centres), turns: width(turns), points: width(points) };
    this.seek(this.start);
  }

  get start(): number {
    return this.times[0] ?? 0;
  }

  get end(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  /** Moves `frame` to the time t, by linear interpolation between two rows. */
  seek(t: number): Frame {
    const { times } = this;
    const instant = Math.min(Math.max(t, this.start), this.end);
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((times[middle] as number) <= instant) low = middle;
      else high = middle;
    }
    high = Math.max(high, low);
    const [before, after] = [times[low] ?? 0, times[high] ?? 0];
    return this.mix(instant, low, high, after > before ? (instant - before) / (after - before) : 0);
  }

  /** Calls `look` with `frame` at each row, then restores `frame`. */
  visit(look: () => void): void {
    const { t } = this.frame;
    this.times.forEach((time, row) => {
      this.mix(time, row, row, 0);
      look();
    });
    this.seek(t);
  }

  /** Returns the values at the time of `frame` of data whose rows have the same times. */
  rowOf(data: Float64Array): Float64Array {
    return this.blend(data, new Float64Array(data.length / Math.max(this.times.length, 1)));
  }

  /** The row nearest to the time of `frame`. */
  get nearestRow(): number {
    const { low, high, part } = this.between;
    return part < 0.5 ? low : high;
  }

  private blend(data: Float64Array, out: Float64Array, sign: (i: number) => number = () => 1): Float64Array {
    const { low, high, part } = this.between;
    for (let i = 0; i < out.length; i++) {
      const value = data[low * out.length + i] as number;
      out[i] = value + part * (sign(i) * (data[high * out.length + i] as number) - value);
    }
    return out;
  }

  private mix(t: number, low: number, high: number, part: number): Frame {
    const { frame } = this;
    frame.t = t;
    this.between = { low, high, part };
    this.blend(this.centres, frame.centres);
    this.blend(this.points, frame.points);
    // Euler parameters and their negatives are the same rotation; interpolation uses the nearer ones.
    const width = frame.turns.length;
    const nearer = (i: number): number => {
      let product = 0;
      for (let k = i - (i % 4); k < i - (i % 4) + 4; k++)
        product += (this.turns[low * width + k] as number) * (this.turns[high * width + k] as number);
      return product < 0 ? -1 : 1;
    };
    this.blend(this.turns, frame.turns, this.dimension === 3 ? nearer : undefined);
    return frame;
  }

  /** Returns the position of a point in `frame`. */
  point(index: number): Vector {
    return [...this.frame.points.subarray(index * this.dimension, (index + 1) * this.dimension)];
  }

  /** Returns the position of a body's mass centre in `frame`; the origin for the ground (-1). */
  centre(body: number): Vector {
    if (body < 0) return this.dimension === 2 ? [0, 0] : [0, 0, 0];
    return [...this.frame.centres.subarray(body * this.dimension, (body + 1) * this.dimension)];
  }

  /** Returns the orientation of a body in `frame`. */
  turn(body: number): Turn {
    const size = this.dimension === 2 ? 1 : 4;
    const turn = body < 0 ? [] : [...this.frame.turns.subarray(body * size, (body + 1) * size)];
    if (turn.length === size) return turn;
    return size === 1 ? [0] : [1, 0, 0, 0];
  }

  /** Rotates a vector from the axes of a body to global axes. */
  rotate(body: number, vector: Vector): Vector {
    return rotate(this.turn(body), vector);
  }

  /** Returns the position of a point that is given in a body's axes from its mass centre. */
  place(body: number, local: Vector): Vector {
    return plus(this.centre(body), this.rotate(body, local));
  }
}

export function infoOf(arrays: ArrayInfo[], name: string): ArrayInfo | undefined {
  return arrays.find((array) => array.name === name);
}

/** Returns the stride with which at most ROWS_MAX rows are read. */
export function strideOf(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_MAX));
}

/** Reads every `stride`-th row of a motion, starting at a time that has a row. Returns undefined if the run has no
 * motion. */
export async function readMotion(
  readArray: ReadArray,
  arrays: ArrayInfo[],
  stride: number,
  from = -Infinity,
): Promise<Motion | undefined> {
  const centres = infoOf(arrays, "r");
  if (!centres || !infoOf(arrays, "p") || !infoOf(arrays, "rP")) return undefined; // the analysis has restricted its outputs
  const times = (await readArray("T", stride, undefined, [from, Infinity])).data;
  if (times.length === 0) return undefined;
  // A running job may have written more rows meanwhile.
  const end = times[times.length - 1] as number;
  const read = async (name: string): Promise<Float64Array> =>
    (await readArray(name, stride, undefined, [from, end])).data;
  const [r, p, rP] = await Promise.all([read("r"), read("p"), read("rP")]);
  return new Motion(times, centres.shape[2] === 3 ? 3 : 2, r, p, rP, stride);
}

/** Loads the motion of a run; returns undefined if it has none, for example after a failed assembly. */
export async function loadMotion(
  readArray: ReadArray,
  arrays: ArrayInfo[],
  stride = strideOf(infoOf(arrays, "T")?.shape[0] ?? 0),
): Promise<Motion | undefined> {
  const rows = infoOf(arrays, "T")?.shape[0] ?? 0;
  return rows > 0 ? readMotion(readArray, arrays, stride) : undefined;
}
