// The motion of a job that still runs, as far as its rows can be read.
import { ApiError, listArrays, type ArrayInfo } from "../app/api";
import { infoOf, Motion, readMotion, strideOf } from "./motion";
import { jobReader } from "./readers";

function joined(one: Float64Array, other: Float64Array): Float64Array {
  const all = new Float64Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

/** A motion and the rows that follow, of which the first is its last. */
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
  /** There is more since what is read was asked for. */
  private more = false;

  /** `onGrown` is called with the motion whenever there is more of it. */
  constructor(
    private readonly id: string,
    private readonly onGrown: (motion: Motion, arrays: ArrayInfo[]) => Promise<void>,
  ) {}

  /** There are more rows: reads them. */
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
      // There are no rows yet, the job is gone, the service is silent: whoever follows the job tells.
      if (!(error instanceof ApiError)) throw error;
    } finally {
      this.reading = false;
    }
  }

  /** The more rows there are, the fewer of the new ones: of a long job not more are read than of a short one. */
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
