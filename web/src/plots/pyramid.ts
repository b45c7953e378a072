// Finds the minimum and maximum of any interval of rows without reading all of them: the extremes of blocks, and of
// blocks of blocks, are computed once.
import { limitsOf, nextBucket, type Range, type Rows } from "./decimate";

/** Rows of the smallest blocks. Each level has blocks of twice the size. */
const BLOCK = 8;

/** The row of a block without finite values. */
const NONE = 0xffffffff;

/** Extremes of the blocks of a level: for each block the first row of its minimum and of its maximum. */
interface Level {
  least: Uint32Array;
  greatest: Uint32Array;
}

const pyramids = new WeakMap<Float64Array, Pyramid>();

export class Pyramid {
  private readonly levels: Level[] = [];
  /** The result of `find`. */
  private least = NONE;
  private greatest = NONE;

  private constructor(private readonly values: Float64Array) {
    let count = Math.ceil(values.length / BLOCK);
    for (let below: Level | undefined; count > 0; count = count > 1 ? (count + 1) >> 1 : 0) {
      const level = { least: new Uint32Array(count), greatest: new Uint32Array(count) };
      for (let block = 0; block < count; block++) {
        this.least = this.greatest = NONE;
        if (!below) this.scan(block * BLOCK, Math.min((block + 1) * BLOCK, values.length));
        else for (let i = 2 * block; i < Math.min(2 * block + 2, below.least.length); i++) this.mergeBlock(below, i);
        level.least[block] = this.least;
        level.greatest[block] = this.greatest;
      }
      this.levels.push(level);
      below = level;
    }
  }

  /** Returns the pyramid of a column, which is created at the first call. The values must not change afterwards. */
  static of(values: Float64Array): Pyramid {
    let found = pyramids.get(values);
    if (!found) pyramids.set(values, (found = new Pyramid(values)));
    return found;
  }

  /** Returns the minimum and maximum of each bucket (nextBucket()) of `size` rows, in the order of their rows; for
   * buckets of one row the value of that row. Null if no value is finite. */
  extremes({ first, end }: Rows, size: number): (number | null)[] {
    const { values } = this;
    const found: (number | null)[] = [];
    if (size === 1) {
      for (let row = first; row < end; row++) found.push(finite(values[row] as number));
      return found;
    }
    for (let row = first; row < end;) {
      const next = nextBucket(row, end, size);
      this.find(row, next);
      const { least, greatest } = this;
      if (least === NONE) found.push(null, null);
      else if (least < greatest) found.push(values[least] as number, values[greatest] as number);
      else found.push(values[greatest] as number, values[least] as number);
      row = next;
    }
    return found;
  }

  /** Returns the minimum and maximum of the finite values in some rows; undefined if there are none. */
  limits({ first, end }: Rows): Range | undefined {
    this.find(first, end);
    return limitsOf(this.least === NONE ? [] : [this.values[this.least], this.values[this.greatest]]);
  }

  /** Finds the extremes of some rows, by the largest blocks within them. */
  private find(first: number, end: number): void {
    this.least = this.greatest = NONE;
    let row = first;
    while (row < end) {
      if (row % BLOCK !== 0 || row + BLOCK > end) {
        const next = Math.min(end, row - (row % BLOCK) + BLOCK);
        this.scan(row, next);
        row = next;
        continue;
      }
      let [level, block, rows] = [0, row / BLOCK, BLOCK];
      while (block % 2 === 0 && row + 2 * rows <= end && level + 1 < this.levels.length) {
        level++;
        block /= 2;
        rows *= 2;
      }
      this.mergeBlock(this.levels[level] as Level, block);
      row += rows;
    }
  }

  private scan(first: number, end: number): void {
    for (let row = first; row < end; row++) if (finite(this.values[row] as number) !== null) this.take(row, row);
  }

  private mergeBlock({ least, greatest }: Level, block: number): void {
    const row = least[block] as number;
    if (row !== NONE) this.take(row, greatest[block] as number);
  }

  /** Updates the extremes. Of equal values the first one is kept. */
  private take(least: number, greatest: number): void {
    const { values } = this;
    if (this.least === NONE || (values[least] as number) < (values[this.least] as number)) this.least = least;
    if (this.greatest === NONE || (values[greatest] as number) > (values[this.greatest] as number))
      this.greatest = greatest;
  }
}

function finite(value: number): number | null {
  return value - value === 0 ? value : null;
}
