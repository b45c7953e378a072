// The arrays that move the drawing: times, mass centres, angles and points, and their values at any time.
import { readArray, type ArrayInfo } from "./api";

/** More rows than this add nothing that an eye can see. */
const ROWS_MAX = 2000;

/** All bodies and points at one instant. Spatial models keep three numbers a position, and no angles. */
export interface Frame {
  t: number;
  centres: Float64Array;
  angles: Float64Array;
  points: Float64Array;
}

export class Motion {
  readonly frame: Frame;

  constructor(
    readonly times: Float64Array,
    readonly dimension: 2 | 3,
    readonly centres: Float64Array,
    readonly angles: Float64Array,
    readonly points: Float64Array,
  ) {
    const rows = Math.max(times.length, 1);
    const width = (data: Float64Array): Float64Array => new Float64Array(data.length / rows);
    this.frame = { t: NaN, centres: width(centres), angles: width(angles), points: width(points) };
    this.seek(this.start);
  }

  get start(): number {
    return this.times[0] ?? 0;
  }

  get end(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  /** Brings `frame` to the time t, between two rows by linear interpolation. */
  seek(t: number): Frame {
    const { times, frame } = this;
    frame.t = Math.min(Math.max(t, this.start), this.end);
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((times[middle] as number) <= frame.t) low = middle;
      else high = middle;
    }
    high = Math.max(high, low);
    const [before, after] = [times[low] ?? 0, times[high] ?? 0];
    const part = after > before ? (frame.t - before) / (after - before) : 0;
    const blend = (data: Float64Array, out: Float64Array): void => {
      for (let i = 0; i < out.length; i++) {
        const value = data[low * out.length + i] as number;
        out[i] = value + part * ((data[high * out.length + i] as number) - value);
      }
    };
    blend(this.centres, frame.centres);
    blend(this.angles, frame.angles);
    blend(this.points, frame.points);
    return frame;
  }
}

/** Loads the motion of a job; undefined where there is none, as in an assembly that failed at once. */
export async function loadMotion(id: string, arrays: ArrayInfo[]): Promise<Motion | undefined> {
  const info = (name: string): ArrayInfo | undefined => arrays.find((array) => array.name === name);
  const centres = info("r");
  const rows = info("T")?.shape[0] ?? 0;
  if (!centres || rows === 0) return undefined;
  const dimension = centres.shape[2] === 3 ? 3 : 2;
  const stride = Math.ceil(rows / ROWS_MAX);
  const read = async (name: string): Promise<Float64Array> =>
    info(name) ? (await readArray(id, name, stride)).data : new Float64Array(0);
  const angles = dimension === 2 ? read("p") : new Float64Array(0);
  const [times, r, p, rP] = await Promise.all([read("T"), read("r"), angles, read("rP")]);
  return new Motion(times, dimension, r, p, rP);
}
