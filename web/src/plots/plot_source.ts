// A plotted run: its columns, and the rows that have been read.
import type { ArrayInfo, Job } from "../app/api";
import { runTexts } from "../app/texts";
import { drivenJoints } from "../document/elements";
import { unitOf } from "../results/column_units";
import { heldReader, jobReader } from "../results/readers";
import { Recording, type Column } from "../results/recording";
import type { ResultArray } from "../solver/solver_module";
import type { Range } from "./decimate";

/** Returns the arrays whose columns are over time. */
function overTime(arrays: ArrayInfo[]): ArrayInfo[] {
  return arrays.filter(({ name, timeless, labels }) => name !== "T" && !timeless && labels.length > 0);
}

function rowsOf(arrays: ArrayInfo[]): number {
  return arrays.find(({ name }) => name === "T")?.shape[0] ?? 0;
}

export class Source {
  private part: Recording | undefined;
  private wanted: Range | undefined;
  private reading: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly id: string,
    /** A name that distinguishes it from other runs. */
    readonly name: string,
    /** Its document. */
    readonly document: string,
    /** The arrays with columns over time. */
    readonly arrays: ArrayInfo[],
    private readonly whole: Recording,
  ) {}

  /** Opens a job; returns undefined if it has no rows. */
  static async open(job: Job, document: string, all: ArrayInfo[]): Promise<Source | undefined> {
    const rows = rowsOf(all);
    if (rows === 0) return undefined;
    const time = job.created ? runTexts.ofTime(new Date(job.created).toLocaleTimeString()) : "";
    const name = `${job.model_name || runTexts.nameless}${time}`;
    return new Source(job.id, name, document, overTime(all), await Recording.open(jobReader(job.id), rows));
  }

  /** Opens a run in the browser; returns undefined if it has no rows. */
  static async ofPage(document: string, arrays: ResultArray[]): Promise<Source | undefined> {
    const rows = rowsOf(arrays);
    if (rows === 0) return undefined;
    const recording = await Recording.open(heldReader(arrays), rows, rows);
    return new Source("", runTexts.ownName, document, overTime(arrays), recording);
  }

  /** The time interval of the run [s]. */
  get span(): Range {
    const { times } = this.whole;
    return [times[0] ?? 0, times[times.length - 1] ?? 0];
  }

  /** Number of rows that two drawn values represent; 1 if all rows are drawn. */
  get bucket(): number {
    return this.recording.bucket;
  }

  /** The recording of the visible part if it contains all columns, else that of the whole run. */
  get recording(): Recording {
    return this.part?.columns.length === this.whole.columns.length ? this.part : this.whole;
  }

  column(arrayName: string, label: string): Column | undefined {
    const array = this.arrays.find(({ name }) => name === arrayName);
    if (!array?.labels.includes(label)) return undefined;
    const single = array.shape.length === 1;
    const title = single ? arrayName : `${arrayName}: ${label}`;
    return { array: arrayName, label: single ? undefined : label, title, unit: unitOf(array, label) };
  }

  /** Returns the columns that are plotted first: sensors, else coordinates, without those that drivers prescribe if
   * there are others. The determinant also has one column, but is not a sensor. */
  firstColumns(): Column[] {
    const sensor = this.arrays.find(({ name, shape }) => shape.length === 1 && name !== "det");
    const { name = "", labels = [] } = sensor ?? this.arrays.find(({ name }) => name === "theta") ?? this.arrays[0] ?? {};
    const driven = drivenJoints(this.document);
    const free = labels.filter((label) => !driven.has(label.slice(0, label.lastIndexOf("."))));
    return (free.length > 0 ? free : labels).slice(0, 3).flatMap((label) => this.column(name, label) ?? []);
  }

  /** Returns true if the run has a column. */
  has({ array: wanted, label }: Column): boolean {
    return this.arrays.some(({ name, labels }) => name === wanted && (label === undefined || labels.includes(label)));
  }

  /** Reads the columns that the run has. */
  async load(columns: Column[]): Promise<void> {
    for (const column of columns.filter((candidate) => this.has(candidate))) {
      await this.whole.load(column);
      await this.part?.load(column);
    }
  }

  /** Reads all rows between two times, if they are not loaded and not too many. Resolves with true if there is
   * something new to draw, unless another interval was requested meanwhile. Intervals are read one after the other,
   * because zooming requests them faster than they can be read. */
  async zoom(range: Range): Promise<boolean> {
    this.wanted = range;
    if (this.part?.covers(range)) return false;
    this.part = undefined;
    await this.reading;
    if (this.wanted !== range) return false;
    const reading = this.readPart(range);
    this.reading = reading.catch(() => undefined);
    const part = await reading;
    if (!part) return false;
    this.part = part;
    return true;
  }

  /** Returns undefined as soon as another interval is requested. */
  private async readPart(range: Range): Promise<Recording | undefined> {
    const part = await this.whole.part(range);
    for (const column of part ? this.whole.columns : []) {
      if (this.wanted !== range) return undefined;
      await part?.load(column);
    }
    return this.wanted === range ? part : undefined;
  }
}
