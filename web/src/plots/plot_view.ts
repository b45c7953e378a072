// The state of the plots' view: horizontal axis, visible range, and chosen time or frequency.
import type { Column } from "../results/recording";
import { limitsOf, type Range } from "./decimate";
import type { Place } from "./panel";
import type { Source } from "./plot_source";
import { courseOf, valueAt, type Course, type Over } from "./views";

/** Minimum length of a range, relative to its numbers. */
const RANGE_LEAST = 1e-9;

export class PlotView {
  over: Over = "time";
  logarithmic = false;
  /** The visible time interval [s]; for paths and spectra the interval from which they are computed. */
  span: Range = [0, 1];
  /** The animation's time [s]. */
  instant = 0;
  private band: Range = [0, 1];
  private frequency = 0;

  /** The column over which paths are drawn; undefined if there are none. */
  get abscissa(): Column | undefined {
    return typeof this.over === "object" ? this.over : undefined;
  }

  /** The unit of `range`. */
  get unit(): "s" | "Hz" {
    return this.over === "frequency" ? "Hz" : "s";
  }

  /** The visible interval of time or frequency. */
  get range(): Range {
    return this.over === "frequency" ? this.band : this.span;
  }

  /** The chosen value in `range`: the animation's time, or a frequency. */
  get chosen(): number {
    return this.over === "frequency" ? this.frequency : this.instant;
  }

  /** Chooses a frequency. */
  chooseFrequency(frequency: number): void {
    this.frequency = Math.min(Math.max(frequency, this.band[0]), this.band[1]);
  }

  /** Shows a part of `whole`, unless its ends would be too close together. Returns true if it is shown. */
  show([from, to]: Range, whole: Range): boolean {
    const range: Range = [Math.max(from, whole[0]), Math.min(to, whole[1])];
    if (!(range[1] - range[0] > RANGE_LEAST * Math.max(Math.abs(range[0]), Math.abs(range[1])))) return false;
    if (this.over === "frequency") this.band = range;
    else this.span = range;
    return true;
  }

  /** Returns a range `factor` times as long, about the chosen value if that is visible. */
  zoomed(factor: number): Range {
    const [from, to] = this.range;
    const centre = this.chosen >= from && this.chosen <= to ? this.chosen : (from + to) / 2;
    return [centre - (centre - from) * factor, centre + (to - centre) * factor];
  }

  /** Returns the range moved by a fraction of its length, within `whole`. */
  moved(parts: number, whole: Range): Range {
    const [from, to] = this.range;
    const way = Math.min(Math.max(parts * (to - from), whole[0] - from), whole[1] - to);
    return [from + way, to + way];
  }

  /** Returns the whole interval of time or frequency. */
  whole(sources: Source[], columns: Column[]): Range {
    if (this.over !== "frequency") return limitsOf(sources.flatMap(({ span }) => span)) ?? [0, 1];
    const lasts = sources.flatMap((source) => columns.map((column) => this.course(source, column)?.places.at(-1)));
    return [0, limitsOf(lasts)?.[1] ?? 1];
  }

  /** Returns the curve of a run's column; undefined if there is none. */
  course(source: Source, column: Column): Course | undefined {
    const magnitude = this.logarithmic && !this.abscissa;
    return courseOf(source.recording, column, this.over, this.span, magnitude);
  }

  /** Returns the position on the path of a run's column at the animation's time. */
  placeOf(source: Source, column: Column): Place | undefined {
    const x = this.abscissa && valueAt(this.course(source, this.abscissa), this.instant);
    const y = valueAt(this.course(source, column), this.instant);
    return x === undefined || y === undefined ? undefined : { x, y };
  }

  /** Returns the time at which the path of one of the columns is nearest to a position by the function `distance`;
   * the animation's time if there is no path. */
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
