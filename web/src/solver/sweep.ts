// Sweeps a mechanism with one degree of freedom through its whole motion, in time slices, and records the curves of its
// points.
import type { Exports, ModuleMemory } from "./solver_memory";
import type { Counts } from "./solver_readings";

/** Maximum displacement of a body in one step, relative to the extent of the mechanism, and in radians. */
const STRIDE = 0.03;
/** Duration of one time slice [ms]. */
const SLICE = 4;

/** The result of a step, as in mbs_sweep_result. */
const CONTINUES = 0;
const CLOSED = 1;
const REVERSED = 2;

/** A point, by its index in the scene, or the mass centre of a body. */
export type Traced = { point: number } | { body: number };

/** The known part of a point's curve. */
export interface TracedCurve {
  /** [positions x dimension] */
  places: Float64Array;
  closed: boolean;
  /** True if the curve is complete. */
  over: boolean;
}

export class Sweep {
  /** Points, then mass centres, of each position: in the first direction, and from the start in the opposite
   * direction. */
  private readonly forward: Float64Array[] = [];
  private readonly backward: Float64Array[] = [];
  private reversed = false;
  private closed = false;
  private over: boolean;

  constructor(
    private readonly calls: Exports,
    private readonly memory: ModuleMemory,
    private readonly counts: Counts,
  ) {
    this.over = calls.sweep_begin(STRIDE) === 0;
    if (!this.over) this.keep();
  }

  /** Continues the sweep for one slice. */
  advance(): void {
    const end = performance.now() + SLICE;
    while (!this.over && performance.now() < end) {
      const step = this.calls.sweep_next();
      if (step === CONTINUES) this.keep();
      else if (step === REVERSED) this.reversed = true;
      else [this.closed, this.over] = [step === CLOSED, true];
    }
  }

  curve(traced: Traced): TracedCurve {
    const { dimension, points } = this.counts;
    const at = dimension * ("point" in traced ? traced.point : points + traced.body);
    const rows = [...[...this.backward].reverse(), ...this.forward];
    const places = new Float64Array(rows.length * dimension);
    rows.forEach((row, i) => places.set(row.subarray(at, at + dimension), i * dimension));
    return { places, closed: this.closed, over: this.over };
  }

  private keep(): void {
    const { dimension, bodies, points } = this.counts;
    const row = new Float64Array(dimension * (points + bodies));
    row.set(this.memory.numbers(this.calls.sweep_points(), dimension * points));
    row.set(this.memory.numbers(this.calls.sweep_centres(), dimension * bodies), dimension * points);
    (this.reversed ? this.backward : this.forward).push(row);
  }
}
