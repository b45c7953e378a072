// The motion of a running job, as far as its rows are available.
import { ApiError, listArrays, type ArrayInfo } from "../app/api";
import { infoOf, Motion, readMotion, strideOf } from "./motion";
import { jobReader } from "./readers";

function joined(one: Float64Array, other: Float64Array): Float64Array {
  const all = new Float64Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

/** Returns a motion extended by further rows, the first of which is its last row. */
function continued(motion: Motion, next: Motion): Motion {
  const rest = (data: Float64Array): Float64Array => data.subarray(data.length / next.times.length);
  return new Motion(
    joined(motion.times, rest(next.times)),
    motion.dimension,
    joined(motion.centres, rest(next.centres)),
    joined(motion.turns, rest(next.turns)),
    joined(motion.points, rest(next.points)),
  );
}

export class PartialMotion {
  private motion: Motion | undefined;
  private reading = false;
  /** True if more rows were announced since the last read. */
  private more = false;

  /** Calls `onGrown` with the motion whenever rows were added. */
  constructor(
    private readonly id: string,
    private readonly onGrown: (motion: Motion, arrays: ArrayInfo[]) => Promise<void>,
  ) {}

  /** Reads the new rows. */
  async grow(): Promise<void> {
    this.more = true;
    if (this.reading) return;
    this.reading = true;
    try {
      while (this.more) {
        this.more = false;
        await this.read();
      }
    } catch (error) {
      // There are no rows yet, the job was deleted, or the service is offline. Run reports such errors.
      if (!(error instanceof ApiError)) throw error;
    } finally {
      this.reading = false;
    }
  }

  /** Reads new rows with a stride that grows with their number, so that a long job needs no more requests than a
   * short one. */
  private async read(): Promise<void> {
    const arrays = await listArrays(this.id);
    const { motion } = this;
    const stride = strideOf(infoOf(arrays, "T")?.shape[0] ?? 0);
    const next = await readMotion(jobReader(this.id), arrays, stride, motion?.end);
    if (!next || next.times.length < 2 || (motion && next.start !== motion.end)) return;
    this.motion = motion ? continued(motion, next) : next;
    await this.onGrown(this.motion, arrays);
  }
}
