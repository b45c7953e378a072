// Converts the fields of the study form to a study of the API.

/** A varied parameter; numbers as they are written, in the displayed unit. */
export interface Varied {
  name: string;
  from: string;
  to: string;
  count: string;
  /** "linear", "log" or "values" for designs with counted values, "uniform" or "normal" for random ones. */
  spread: string;
  /** The values for "values", separated by commas or blanks. */
  values: string;
  /** Converts the displayed unit: a value in the document is the displayed number times `factor`. */
  factor: number;
  /** Start of a search; "": the document's value. */
  start: string;
}

export interface Output {
  name: string;
  of: string;
  take: string;
  /** Time of the output [s]. */
  at: string;
  /** Expression at whose zero the output is evaluated; undefined: at the time `at`. */
  when: string | undefined;
  direction: string;
  count: string;
}

/** The purpose of a study: many runs, or a search for the best values. */
export type Purpose = "runs" | "optimize" | "fit";

/** The fields of an optimization. */
export interface ObjectiveInput {
  direction: string;
  objective: string;
  constraints: string[];
  method: string;
}

/** Data of one quantity as pasted: rows of t and a value. */
export interface Measurement {
  of: string;
  rows: string;
  sigma: string;
}

export interface StudyRequest {
  purpose: Purpose;
  objective: ObjectiveInput;
  data: Measurement[];
  /** Method of a fit. */
  fitMethod: string;
  /** Maximum number of trials of a search; "": the default of the service. */
  most: string;
  vary: Varied[];
  design: string;
  runs: string;
  seed: string;
  outputs: Output[];
}

/** Significant digits of converted numbers, without rounding errors of unit factors. */
const DIGITS = 15;

/** Returns true if a design has counted values, false if it is random. */
export function isCounted(design: string): boolean {
  return design === "grid" || design === "list";
}

/** Returns a text as a number if it is one, else as an expression; undefined if it is empty. */
function value(text: string, factor = 1): number | string | undefined {
  const number = Number(text);
  if (text.trim() === "") return undefined;
  if (!Number.isFinite(number)) return text;
  return factor === 1 ? number : Number((number * factor).toPrecision(DIGITS));
}

/** Returns the items of a list. */
export function itemsOf(list: string): string[] {
  return list.split(/[\s,;]+/).filter(Boolean);
}

function varyOf({ name, from, to, count, spread, values, factor }: Varied, design: string): object {
  if (spread === "values") return { parameter: name, values: itemsOf(values).map((each) => value(each, factor)) };
  const ends = [value(from, factor), value(to, factor)];
  if (!isCounted(design)) return { parameter: name, [spread]: ends.map((end) => end ?? null) };
  const scale = spread === "log" ? { scale: spread } : {};
  return { parameter: name, from: ends[0], to: ends[1], count: value(count), ...scale };
}

function outputOf({ name, of, take, at, when, direction, count }: Output): object {
  const output = { name, of: value(of) ?? "", ...(take !== "final" && { take }) };
  if (take !== "at") return output;
  if (when === undefined) return { ...output, at: value(at) };
  const which = value(count);
  return { ...output, when, ...(direction !== "either" && { direction }), ...(which !== 1 && { count: which }) };
}

function searchVaryOf({ name, from, to, start, factor }: Varied): object {
  const [low, high, begin] = [from, to, start].map((text) => value(text, factor));
  const bounds = low === undefined && high === undefined ? {} : { bounds: [low ?? null, high ?? null] };
  return { parameter: name, ...bounds, ...(begin !== undefined && { start: begin }) };
}

/** Reads rows of t and a value, or of a value alone, separated by commas, semicolons, tabs or blanks. A first row of
 * words is a header and is ignored. */
function columnsOf(rows: string): { t?: (number | string)[]; values: (number | string)[] } {
  const cells = rows.split(/\r?\n/).map(itemsOf).filter((row) => row.length > 0);
  if (cells[0]?.every((cell) => !Number.isFinite(Number(cell)))) cells.shift();
  const column = (k: number): (number | string)[] => cells.map((row) => value(row[k] ?? "") ?? "");
  return cells.some((row) => row.length > 1) ? { t: column(0), values: column(1) } : { values: column(0) };
}

function fitOf(data: Measurement[], method: string): object {
  const sigmaOf = (sigma: string): object => {
    const all = itemsOf(sigma).map((each) => value(each) ?? "");
    return all.length === 0 ? {} : { sigma: all.length === 1 ? all[0] : all };
  };
  const measured = data.map(({ of, rows, sigma }) => ({ of, ...columnsOf(rows), ...sigmaOf(sigma) }));
  return { data: measured, ...(method !== "auto" && { method }) };
}

function optimizeOf({ direction, objective, constraints, method }: ObjectiveInput): object {
  const kept = constraints.filter((each) => each.trim() !== "");
  return {
    [direction]: objective,
    ...(kept.length > 0 && { subject_to: kept }),
    ...(method !== "auto" && { method }),
  };
}

function searchOf({ purpose, vary, most, outputs, objective, data, fitMethod }: StudyRequest): object {
  return {
    vary: vary.map(searchVaryOf),
    ...(outputs.length > 0 && { outputs: outputs.map(outputOf) }),
    ...(most.trim() !== "" && { runs: value(most) }),
    ...(purpose === "fit" ? { fit: fitOf(data, fitMethod) } : { optimize: optimizeOf(objective) }),
  };
}

export function studyOf(request: StudyRequest): object {
  const { vary, design, runs, seed, outputs } = request;
  if (request.purpose !== "runs") return searchOf(request);
  return {
    vary: vary.map((each) => varyOf(each, design)),
    ...(design !== "grid" && { design }),
    ...(!isCounted(design) && { runs: value(runs) }),
    ...(!isCounted(design) && Number(seed) !== 1 && { seed: value(seed) }),
    outputs: outputs.map(outputOf),
  };
}

/** Returns the number of runs; NaN if it is not determined. */
export function runsOf({ vary, design, runs }: StudyRequest): number {
  const counts = vary.map(({ count, spread, values }) => {
    const number = spread === "values" ? itemsOf(values).length : Number(count);
    return Number.isInteger(number) && number > 0 ? number : NaN;
  });
  if (!isCounted(design)) return Number.isInteger(Number(runs)) && Number(runs) > 0 ? Number(runs) : NaN;
  if (counts.length === 0) return NaN;
  if (design === "grid") return counts.reduce((product, count) => product * count, 1);
  return counts.every((count) => count === counts[0]) ? (counts[0] as number) : NaN;
}

/** Returns the body of a request: the model of a document with its analysis, and a study. */
export function requestOf(text: string, study: object): string {
  const document = JSON.parse(text) as { model?: object; analysis?: object };
  const { model = document, analysis } = document.model ? document : { model: document };
  return JSON.stringify({ model, ...(analysis && { analysis }), study });
}
