// The position of a mechanism that can be dragged: a motion with one row, which each answer of the solver updates in
// place.
import { Motion } from "../results/motion";

/** Numbers that differ by less are equal [m, rad]. */
const ROUNDING = 1e-12;

export class Pose extends Motion {
  private numbers: Float64Array = new Float64Array(0);

  /** `numbers`: positions and orientations of the bodies, then the points, as in a session's position. */
  constructor(
    dimension: 2 | 3,
    private readonly bodies: number,
    numbers: Float64Array,
  ) {
    const turn = dimension === 2 ? 1 : 4;
    const points = numbers.length - bodies * (dimension + turn);
    const room = (count: number): Float64Array => new Float64Array(count);
    super(room(1), dimension, room(bodies * dimension), room(bodies * turn), room(points));
    this.take(numbers);
  }

  /** Returns true if these numbers are equal to the last ones, but for rounding errors. */
  isAt(numbers: Float64Array): boolean {
    return numbers.every((value, i) => Math.abs(value - (this.numbers[i] as number)) < ROUNDING);
  }

  take(numbers: Float64Array): void {
    const { dimension, bodies } = this;
    const turn = dimension === 2 ? 1 : 4;
    const width = dimension + turn;
    for (let body = 0; body < bodies; body++) {
      const row = numbers.subarray(body * width, (body + 1) * width);
      this.centres.set(row.subarray(0, dimension), body * dimension);
      this.turns.set(row.subarray(dimension), body * turn);
    }
    this.points.set(numbers.subarray(bodies * width));
    this.numbers = numbers;
    this.seek(0);
  }
}
