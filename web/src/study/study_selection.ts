// The selection in a study, which all of its views share: ranges of columns, one chosen run, and the column of the
// colours.
import type { Column, StudyRuns } from "./runs";

export type Range = readonly [number, number];

/** The kind of change: of the runs, the ranges, the chosen run, or colours and scales. */
export type SelectionChange = "rows" | "brush" | "chosen" | "looks";

export class StudySelection {
  /** Ranges of columns. A run is selected if all of its values are within them. */
  readonly ranges = new Map<Column, Range>();
  /** 1 for each selected run, else 0; `selected`: their number. */
  mask = new Uint8Array(0);
  selected = 0;
  /** The row of the chosen run. */
  chosen: number | undefined;
  /** The column of the colours; undefined for a single colour. */
  colour: Column | undefined;
  withFailed = true;
  private readonly listeners: ((change: SelectionChange) => void)[] = [];

  constructor(readonly runs: StudyRuns) {}

  onChange(listener: (change: SelectionChange) => void): void {
    this.listeners.push(listener);
  }

  /** Called when there are more runs. */
  grown(): void {
    this.sift();
    this.notify("rows");
  }

  /** Sets the range of a column; undefined removes it. */
  brush(column: Column, range: Range | undefined): void {
    if (range) this.ranges.set(column, range);
    else this.ranges.delete(column);
    this.sift();
    this.notify("brush");
  }

  clear(): void {
    this.ranges.clear();
    this.sift();
    this.notify("brush");
  }

  showFailed(on: boolean): void {
    this.withFailed = on;
    this.sift();
    this.notify("brush");
  }

  choose(row: number | undefined): void {
    this.chosen = row;
    this.notify("chosen");
  }

  colourBy(column: Column | undefined): void {
    this.colour = column;
    this.notify("looks");
  }

  scale(column: Column, log: boolean): void {
    column.log = log;
    this.notify("looks");
  }

  /** Returns the next or previous selected run, from the chosen one. */
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

  private notify(change: SelectionChange): void {
    for (const listener of this.listeners) listener(change);
  }
}
