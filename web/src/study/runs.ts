// The runs of a study as columns of numbers, one for each parameter and output. They are read while the study runs.
import { listArrays, readRows, type ArrayInfo } from "../app/api";
import type { DisplayUnits } from "../document/display_units";
import { unitOf } from "../results/column_units";
import { infoOf } from "../results/motion";
import { objectiveOf, type Objective } from "./objective";

/** If a study has more runs, only every `stride`-th is read. */
const ROWS_MOST = 200_000;

export interface Column {
  name: string;
  kind: "parameter" | "output";
  /** Unit of the values; "" if it is not known. */
  unit: string;
  /** True if the column is drawn on a logarithmic scale. */
  log: boolean;
  /** A value for each run in the displayed unit; NaN if there is none. */
  values: Float64Array;
  /** Minimum and maximum of the values; NaN if there are none. */
  range: [number, number];
}

/** The part of the study's document that affects its display. */
interface StudyDocument {
  study?: { vary?: { parameter?: string; scale?: string }[] };
}

/** Returns the arrays whose columns are shown. */
function arraysOf(objective: Objective | undefined): string[] {
  const ofTrials = objective ? ["objective", ...(objective.constrained ? ["violation"] : [])] : [];
  return ["parameters", "outputs", ...ofTrials];
}

function joined(one: Float64Array, other: Float64Array): Float64Array {
  const all = new Float64Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

function rangeOf(values: Float64Array): [number, number] {
  let [low, high] = [NaN, NaN];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (!(value >= low)) low = value;
    if (!(value <= high)) high = value;
  }
  return [low, high];
}

/** Returns a column of an array with `width` columns. */
function columnOf(data: Float64Array, width: number, k: number, factor: number): Float64Array {
  return Float64Array.from({ length: data.length / width }, (_, row) => (data[row * width + k] as number) / factor);
}

export class StudyRuns {
  columns: Column[] = [];
  /** The statuses in the array `status`. */
  status: Float64Array = new Float64Array(0);
  /** Number of rows, and the number of runs between them. */
  count = 0;
  stride = 1;
  /** The objective of a search, whose runs are trials; undefined for other studies. */
  readonly objective: Objective | undefined;
  private factors: number[] = [];
  /** Number of columns of each array that is read. */
  private widths: number[] = [];
  private readonly logarithmic: Set<string | undefined>;

  constructor(
    readonly id: string,
    document: string,
    private readonly units: DisplayUnits,
  ) {
    const { study } = JSON.parse(document) as StudyDocument;
    const varied = study?.vary ?? [];
    this.objective = objectiveOf(document);
    this.logarithmic = new Set(varied.filter(({ scale }) => scale === "log").map(({ parameter }) => parameter));
  }

  /** Returns the number of a row's run; row() returns the row nearest to a run. */
  number(row: number): number {
    return row * this.stride;
  }

  row(number: number): number {
    return Math.min(Math.round(number / this.stride), this.count - 1);
  }

  failed(row: number): boolean {
    return (this.status[row] as number) > 0;
  }

  /** Returns true if the run was computed. */
  made(row: number): boolean {
    return (this.status[row] as number) >= 0;
  }

  get parameters(): Column[] {
    return this.columns.filter(({ kind }) => kind === "parameter");
  }

  get outputs(): Column[] {
    return this.columns.filter(({ kind }) => kind === "output");
  }

  column(name: string): Column | undefined {
    return this.columns.find((column) => column.kind === "output" && column.name === name);
  }

  /** Returns the parameters of a run in units of the document. */
  values(row: number): Record<string, number> {
    const value = (values: Float64Array, k: number): number => (values[row] as number) * (this.factors[k] ?? 1);
    return Object.fromEntries(this.parameters.map(({ name, values }, k) => [name, value(values, k)]));
  }

  /** Reads the runs that are new. Returns false if there are none. */
  async grow(): Promise<boolean> {
    const arrays = await listArrays(this.id);
    const known = arraysOf(this.objective).map((name) => infoOf(arrays, name));
    const status = infoOf(arrays, "status");
    const shown = known.filter((array) => array !== undefined);
    if (!status || shown.length < known.length) return false;
    const rows = Math.min(...[...shown, status].map(({ shape }) => shape[0] ?? 0));
    const stride = Math.max(1, Math.ceil(rows / ROWS_MOST));
    const first = stride === this.stride ? this.count * stride : 0;
    if (first >= rows) return false;
    const read = async ({ name }: ArrayInfo): Promise<Float64Array> =>
      (await readRows(this.id, name, [first, rows], stride)).data;
    // A fit may have no outputs, so that there is nothing to read for them.
    const some = shown.filter(({ labels }) => labels.length > 0);
    const [states = new Float64Array(0), ...data] = await Promise.all([status, ...some].map(read));
    if (first === 0) await this.begin(some);
    this.stride = stride;
    this.append(data, states);
    return true;
  }

  private async begin(arrays: ArrayInfo[]): Promise<void> {
    const of = (array: ArrayInfo): Column[] =>
      array.labels.map((name) => ({
        name,
        kind: array.name === "parameters" ? "parameter" : "output",
        unit: unitOf(array, name),
        log: this.logarithmic.has(name),
        values: new Float64Array(0),
        range: [NaN, NaN],
      }));
    const before = this.columns;
    this.columns = arrays.flatMap(of);
    this.widths = arrays.map(({ labels }) => labels.length);
    // The columns keep the user's choices.
    if (before.length > 0) this.columns = before;
    for (const column of this.columns) column.values = new Float64Array(0);
    this.status = new Float64Array(0);
    this.count = 0;
    this.factors = await Promise.all(this.columns.map((column) => this.chooseUnit(column)));
  }

  /** Returns the displayed unit that the user chose for a parameter, in units of the document. */
  private async chooseUnit(column: Column): Promise<number> {
    const word = column.kind === "parameter" ? this.units.chosen(column.name) : "";
    const factor = word === "" ? 1 : await this.units.factor(word).catch(() => NaN);
    if (!(factor > 0)) return 1;
    column.unit = word || column.unit;
    return factor;
  }

  private append(data: Float64Array[], status: Float64Array): void {
    const places = this.widths.flatMap((width, i) => Array.from({ length: width }, (_, at) => ({ i, width, at })));
    this.columns.forEach((column, k) => {
      const { i, width, at } = places[k] as { i: number; width: number; at: number };
      const more = columnOf(data[i] as Float64Array, width, at, this.factors[k] ?? 1);
      column.values = joined(column.values, more);
      column.range = rangeOf(column.values);
    });
    this.status = joined(this.status, status);
    this.count = this.status.length;
  }
}

/** Returns the title of a column, such as "reach [rad]". */
export function titleOf({ name, unit }: Column): string {
  return unit ? `${name} [${unit}]` : name;
}
