// What is chosen of a study, and told to all of its views: ranges of columns, one run, the column that colours.
import type { Column, StudyRuns } from "./runs";

export type Range = readonly [number, number];

/** There are more runs; other ones are within the ranges; another run is chosen; colours or scales are others. */
export type SelectionChange = "rows" | "brush" | "chosen" | "looks";

export class StudySelection {
  /** The runs that are wanted have their values of these columns in these ranges. */
  readonly ranges = new Map<Column, Range>();
  /** Of each run whether it is wanted, and how many are. */
  mask = new Uint8Array(0);
  selected = 0;
  /** The row of the run that is chosen. */
  chosen: number | undefined;
  /** Colours by its values; undefined: all have one colour. */
  colour: Column | undefined;
  withFailed = true;
  private readonly listeners: ((change: SelectionChange) => void)[] = [];

  constructor(readonly runs: StudyRuns) {}

  onChange(listener: (change: SelectionChange) => void): void {
    this.listeners.push(listener);
  }

  /** There are more runs. */
  grown(): void {
    this.sift();
    this.tell("rows");
  }

  /** Wants the runs with a column's values in a range; undefined: with all. */
  brush(column: Column, range: Range | undefined): void {
    if (range) this.ranges.set(column, range);
    else this.ranges.delete(column);
    this.sift();
    this.tell("brush");
  }

  clear(): void {
    this.ranges.clear();
    this.sift();
    this.tell("brush");
  }

  showFailed(on: boolean): void {
    this.withFailed = on;
    this.sift();
    this.tell("brush");
  }

  choose(row: number | undefined): void {
    this.chosen = row;
    this.tell("chosen");
  }

  colourBy(column: Column | undefined): void {
    this.colour = column;
    this.tell("looks");
  }

  scale(column: Column, log: boolean): void {
    column.log = log;
    this.tell("looks");
  }

  /** The next wanted run from the chosen one on, or the one before it. */
  neighbour(direction: -1 | 1): number | undefined {
    const { count } = this.runs;
    const from = this.chosen ?? (direction > 0 ? -1 : count);
    for (let row = from + direction; row >= 0 && row < count; row += direction) if (this.mask[row]) return row;
    return undefined;
  }

  private sift(): void {
    const { runs, ranges } = this;
    const mask = new Uint8Array(runs.count);
    for (let row = 0; row < runs.count; row++) mask[row] = +(runs.made(row) && (this.withFailed || !runs.failed(row)));
    for (const [{ values }, [low, high]] of ranges)
      for (let row = 0; row < runs.count; row++) {
        const value = values[row] as number;
        if (!(value >= low && value <= high)) mask[row] = 0;
      }
    this.mask = mask;
    this.selected = mask.reduce((sum, one) => sum + one, 0);
  }

  private tell(change: SelectionChange): void {
    for (const listener of this.listeners) listener(change);
  }
}
