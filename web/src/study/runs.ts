// The runs of a study as columns of numbers, one of each parameter and output: read as they are made.
import { listArrays, readRows, type ArrayInfo } from "../app/api";
import type { DisplayUnits } from "../document/display_units";
import { unitOf } from "../results/column_units";
import { infoOf } from "../results/motion";
import { objectiveOf, type Objective } from "./objective";

/** Of a study with more runs every so many-th is read. */
const ROWS_MOST = 200_000;

export interface Column {
  name: string;
  kind: "parameter" | "output";
  /** Of the values; "" where it is not known. */
  unit: string;
  /** Whether it is drawn in equal ratios. */
  log: boolean;
  /** Of each run in the unit that is shown; NaN where there is none. */
  values: Float64Array;
  /** The least and the greatest of them; NaN where there are none. */
  range: [number, number];
}

/** What a study's document says of how it is to be shown. */
interface StudyDocument {
  study?: { vary?: { parameter?: string; scale?: string }[] };
}

/** The arrays whose columns are shown. */
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

/** A column of an array whose rows have `width` numbers. */
function columnOf(data: Float64Array, width: number, k: number, factor: number): Float64Array {
  return Float64Array.from({ length: data.length / width }, (_, row) => (data[row * width + k] as number) / factor);
}

export class StudyRuns {
  columns: Column[] = [];
  /** As the array `status` has them. */
  status: Float64Array = new Float64Array(0);
  /** How many are known, and every which of all runs they are. */
  count = 0;
  stride = 1;
  /** What is sought by the study's runs, which are trials then. */
  readonly objective: Objective | undefined;
  private factors: number[] = [];
  /** How many columns each array has that is read. */
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

  /** What the study calls the run of a row, and the row that is nearest to a run. */
  number(row: number): number {
    return row * this.stride;
  }

  row(number: number): number {
    return Math.min(Math.round(number / this.stride), this.count - 1);
  }

  failed(row: number): boolean {
    return (this.status[row] as number) > 0;
  }

  /** Whether the run was made. */
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

  /** The parameters of a run as the document has them. */
  values(row: number): Record<string, number> {
    const value = (values: Float64Array, k: number): number => (values[row] as number) * (this.factors[k] ?? 1);
    return Object.fromEntries(this.parameters.map(({ name, values }, k) => [name, value(values, k)]));
  }

  /** Reads the runs that were made since; false, where there are none. */
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
    // Without outputs, as a fit may be, there is nothing to read of them.
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
    // What is drawn of columns stays as it was chosen.
    if (before.length > 0) this.columns = before;
    for (const column of this.columns) column.values = new Float64Array(0);
    this.status = new Float64Array(0);
    this.count = 0;
    this.factors = await Promise.all(this.columns.map((column) => this.chooseUnit(column)));
  }

  /** The unit that a parameter was shown in last; how many of the document's unit one of it is. */
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

/** "reach [rad]". */
export function titleOf({ name, unit }: Column): string {
  return unit ? `${name} [${unit}]` : name;
}
