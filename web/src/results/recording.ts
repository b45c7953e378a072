// The recorded columns of a job: all rows, or for many rows the extremes of each bucket, together with all rows of the
// visible part.
import { bucketPlaces, bucketSize, rowsAround, type Range } from "../plots/decimate";
import { Pyramid } from "../plots/pyramid";
import type { NumberArray } from "./npy";

/** Maximum number of stored rows of a column: 4 MB. */
const ROWS_MOST = 1 << 19;

/** Number of rows of a longer column that are read in one request. */
const CHUNK_ROWS = 1 << 17;

const ALL: Range = [-Infinity, Infinity];

/** A column that can be plotted. */
export interface Column {
  array: string;
  /** The label of the column; undefined if the array has a single column. */
  label: string | undefined;
  title: string;
  unit: string;
}

/** Reads every `stride`-th row of an array, or of one of its columns, between two times [s]. */
export type ReadArray = (name: string, stride: number, column?: string, times?: Range) => Promise<NumberArray>;

export class Recording {
  private readonly read = new Map<string, { column: Column; values: Float64Array }>();

  private constructor(
    private readonly from: ReadArray,
    /** The time intervals that are read in one request each [s]. */
    private readonly chunks: Range[],
    /** Number of rows for which two values are stored; 1 if all rows are stored. */
    readonly bucket: number,
    /** Times of the rows or buckets [s]. */
    readonly times: Float64Array,
    private readonly rowsMost: number,
  ) {}

  /** Opens a recording of the whole run with `rows` rows. Stores only the extremes of buckets if there are more than
   * `rowsMost`. */
  static async open(from: ReadArray, rows: number, rowsMost = ROWS_MOST, chunkRows = CHUNK_ROWS): Promise<Recording> {
    if (rows <= rowsMost) return new Recording(from, [ALL], 1, await readRows(from, "T", undefined, [ALL], 1), rowsMost);
    const starts = (await from("T", chunkRows)).data;
    const chunks = Array.from(starts, (start, i): Range => [start, starts[i + 1] ?? Infinity]);
    const bucket = 2 * bucketSize({ first: 0, end: rows }, rowsMost);
    return new Recording(from, chunks, bucket, await readPlaces(from, chunks, bucket), rowsMost);
  }

  /** Returns a recording of all rows between two times and one more on each side; undefined if they are too many or
   * already loaded. */
  async part(range: Range): Promise<Recording | undefined> {
    const { first, end } = rowsAround(this.times, range);
    const rows = ((end - first) / 2) * this.bucket;
    if (this.bucket === 1 || rows > this.rowsMost) return undefined;
    const chunk: Range = [this.times[first] as number, this.times[end - 1] as number];
    return new Recording(this.from, [chunk], 1, await readRows(this.from, "T", undefined, [chunk], 1), this.rowsMost);
  }

  /** Reads a column for `values`. */
  async load(column: Column): Promise<void> {
    if (this.read.has(column.title)) return;
    const values = await readRows(this.from, column.array, column.label, this.chunks, this.bucket);
    this.read.set(column.title, { column, values });
  }

  /** The columns that have been read. */
  get columns(): Column[] {
    return Array.from(this.read.values(), ({ column }) => column);
  }

  /** Returns a column with one value for each of `times`; undefined if it has not been read. */
  values({ title }: Column): Float64Array | undefined {
    return this.read.get(title)?.values;
  }

  /** Returns true if all of a range is loaded. */
  covers([from, to]: Range): boolean {
    return (this.times[0] ?? NaN) <= from && (this.times[this.times.length - 1] ?? NaN) >= to;
  }
}

/** Reads a column in chunks and concatenates them. */
async function readChunks(
  from: ReadArray,
  name: string,
  label: string | undefined,
  chunks: Range[],
  keep: (data: Float64Array) => Float64Array,
): Promise<Float64Array> {
  const pieces: Float64Array[] = [];
  for (const chunk of chunks) pieces.push(keep((await from(name, 1, label, chunk)).data));
  if (pieces.length === 1) return pieces[0] as Float64Array;
  const all = new Float64Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.length;
  }
  return all;
}

function readRows(from: ReadArray, name: string, label: string | undefined, chunks: Range[], bucket: number) {
  const extremesOf = (data: Float64Array): Float64Array =>
    Float64Array.from(Pyramid.of(data).extremes({ first: 0, end: data.length }, bucket), (value) => value ?? NaN);
  return readChunks(from, name, label, chunks, bucket === 1 ? (data) => data : extremesOf);
}

function readPlaces(from: ReadArray, chunks: Range[], bucket: number): Promise<Float64Array> {
  return readChunks(from, "T", undefined, chunks, (data) =>
    Float64Array.from(bucketPlaces(data, { first: 0, end: data.length }, bucket)),
  );
}
