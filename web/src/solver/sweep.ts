// The tour of a mechanism with one freedom in the solver's module, a slice at a time, and the curves that its places
// describe on the way.
import type { Exports, ModuleMemory } from "./solver_memory";
import type { Counts } from "./solver_readings";

/** Of the body that moves most, in extents of the mechanism, and radians. */
const STRIDE = 0.03;
/** How long the solver is busy with it at once [ms]. */
const SLICE = 4;

/** How a step ended; as mbs_sweep_result. */
const GOES_ON = 0;
const CLOSED = 1;
const TURNED = 2;

/** A point, as a scene counts them, or the mass centre of a body. */
export type Traced = { point: number } | { body: number };

/** The curve of a place as far as it is known. */
export interface TracedCurve {
  /** [positions x dimension] */
  places: Float64Array;
  closed: boolean;
  /** It is whole. */
  over: boolean;
}

export class Sweep {
  /** Points, then mass centres, at each position: along the first way, and from the start along the other. */
  private readonly ahead: Float64Array[] = [];
  private readonly behind: Float64Array[] = [];
  private turned = false;
  private closed = false;
  private over: boolean;

  constructor(
    private readonly calls: Exports,
    private readonly memory: ModuleMemory,
    private readonly counts: Counts,
  ) {
    this.over = calls.begin_tour(STRIDE) === 0;
    if (!this.over) this.keep();
  }

  /** Goes on for a slice. */
  goOn(): void {
    const end = performance.now() + SLICE;
    while (!this.over && performance.now() < end) {
      const step = this.calls.go_on_tour();
      if (step === GOES_ON) this.keep();
      else if (step === TURNED) this.turned = true;
      else [this.closed, this.over] = [step === CLOSED, true];
    }
  }

  curve(traced: Traced): TracedCurve {
    const { dimension, points } = this.counts;
    const at = dimension * ("point" in traced ? traced.point : points + traced.body);
    const rows = [...[...this.behind].reverse(), ...this.ahead];
    const places = new Float64Array(rows.length * dimension);
    rows.forEach((row, i) => places.set(row.subarray(at, at + dimension), i * dimension));
    return { places, closed: this.closed, over: this.over };
  }

  private keep(): void {
    const { dimension, bodies, points } = this.counts;
    const row = new Float64Array(dimension * (points + bodies));
    row.set(this.memory.numbers(this.calls.tour_points(), dimension * points));
    row.set(this.memory.numbers(this.calls.tour_centres(), dimension * bodies), dimension * points);
    (this.turned ? this.behind : this.ahead).push(row);
  }
}
