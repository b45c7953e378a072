// What of the runs is looked at: over what curves are drawn, which part of it is shown, what is chosen in it.
import type { Column } from "../results/recording";
import { limitsOf, type Range } from "./decimate";
import type { Place } from "./panel";
import type { Source } from "./plot_source";
import { courseOf, valueAt, type Course, type Over } from "./views";

/** A range is not made smaller than this part of its numbers. */
const RANGE_LEAST = 1e-9;

export class PlotView {
  over: Over = "time";
  logarithmic = false;
  /** What is shown of the time [s], also where curves are paths or spectra of it. */
  span: Range = [0, 1];
  /** The animation's instant [s]. */
  instant = 0;
  private band: Range = [0, 1];
  private frequency = 0;

  /** The column that paths are drawn over. */
  get abscissa(): Column | undefined {
    return typeof this.over === "object" ? this.over : undefined;
  }

  /** The unit of what is shown a part of. */
  get unit(): "s" | "Hz" {
    return this.over === "frequency" ? "Hz" : "s";
  }

  /** What is shown of the time, or of the frequencies. */
  get range(): Range {
    return this.over === "frequency" ? this.band : this.span;
  }

  /** What is chosen in `range`: the animation's instant, or a frequency. */
  get chosen(): number {
    return this.over === "frequency" ? this.frequency : this.instant;
  }

  /** Chooses a frequency. */
  chooseFrequency(frequency: number): void {
    this.frequency = Math.min(Math.max(frequency, this.band[0]), this.band[1]);
  }

  /** Shows a part of `whole`; not one whose ends could not be told apart. Whether it is shown. */
  show([from, to]: Range, whole: Range): boolean {
    const range: Range = [Math.max(from, whole[0]), Math.min(to, whole[1])];
    if (!(range[1] - range[0] > RANGE_LEAST * Math.max(Math.abs(range[0]), Math.abs(range[1])))) return false;
    if (this.over === "frequency") this.band = range;
    else this.span = range;
    return true;
  }

  /** A range of `factor` times as much, about what is chosen if that is seen. */
  zoomed(factor: number): Range {
    const [from, to] = this.range;
    const centre = this.chosen >= from && this.chosen <= to ? this.chosen : (from + to) / 2;
    return [centre - (centre - from) * factor, centre + (to - centre) * factor];
  }

  /** A range that begins so many of its parts later, as far as `whole` goes. */
  moved(parts: number, whole: Range): Range {
    const [from, to] = this.range;
    const way = Math.min(Math.max(parts * (to - from), whole[0] - from), whole[1] - to);
    return [from + way, to + way];
  }

  /** All that there is of the time, or of the frequencies. */
  whole(sources: Source[], columns: Column[]): Range {
    if (this.over !== "frequency") return limitsOf(sources.flatMap(({ span }) => span)) ?? [0, 1];
    const lasts = sources.flatMap((source) => columns.map((column) => this.course(source, column)?.places.at(-1)));
    return [0, limitsOf(lasts)?.[1] ?? 1];
  }

  /** A run's column as it is drawn; undefined where it has none. */
  course(source: Source, column: Column): Course | undefined {
    const magnitude = this.logarithmic && !this.abscissa;
    return courseOf(source.recording, column, this.over, this.span, magnitude);
  }

  /** Where a run's column is on its path at the animation's instant. */
  placeOf(source: Source, column: Column): Place | undefined {
    const x = this.abscissa && valueAt(this.course(source, this.abscissa), this.instant);
    const y = valueAt(this.course(source, column), this.instant);
    return x === undefined || y === undefined ? undefined : { x, y };
  }

  /** The time at which the path of one of the columns is nearest to a place, by the `distance` from there; the
   * animation's instant where there is no path. */
  nearestInstant(source: Source, columns: Column[], distance: (place: Place) => number): number {
    const x = this.abscissa && this.course(source, this.abscissa);
    let [nearest, instant] = [Infinity, this.instant];
    for (const { places, values } of columns.flatMap((column) => this.course(source, column) ?? []))
      values.forEach((value, row) => {
        const there = distance({ x: x?.values[row] ?? NaN, y: value });
        if (there < nearest) [nearest, instant] = [there, places[row] as number];
      });
    return instant;
  }
}
