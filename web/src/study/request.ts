// A study as it is asked for, from what its form has.

/** How a parameter varies; numbers as they are written, in the unit that is shown. */
export interface Varied {
  name: string;
  from: string;
  to: string;
  count: string;
  /** "linear", "log" or "values" where values are counted, "uniform" or "normal" where they are drawn. */
  spread: string;
  /** With "values" these, with commas or blanks between them. */
  values: string;
  /** How many of the document's unit one is that is shown. */
  factor: number;
  /** Where a search begins; "": with the document's value. */
  start: string;
}

export interface Output {
  name: string;
  of: string;
  take: string;
  /** A time. */
  at: string;
  /** The expression that is zero when it is taken; undefined: it is taken at the time. */
  when: string | undefined;
  direction: string;
  count: string;
}

/** What a study is for: many runs, or values that are sought. */
export type Purpose = "runs" | "optimize" | "fit";

/** What an optimization seeks. */
export interface ObjectiveInput {
  direction: string;
  objective: string;
  constraints: string[];
  method: string;
}

/** What was measured of one quantity, as it is pasted: rows of t and a value. */
export interface Measurement {
  of: string;
  rows: string;
  sigma: string;
}

export interface StudyRequest {
  purpose: Purpose;
  objective: ObjectiveInput;
  data: Measurement[];
  /** How a fit looks for values. */
  fitMethod: string;
  /** The most trials, where values are sought; "": as many as the service takes. */
  most: string;
  vary: Varied[];
  design: string;
  runs: string;
  seed: string;
  outputs: Output[];
}

/** Digits beyond are noise of a factor. */
const DIGITS = 15;

/** Whether a design takes points that are counted; others draw them. */
export function isCounted(design: string): boolean {
  return design === "grid" || design === "list";
}

/** A text as a number, else as the expression that it is; what is empty is left out. */
function value(text: string, factor = 1): number | string | undefined {
  const number = Number(text);
  if (text.trim() === "") return undefined;
  if (!Number.isFinite(number)) return text;
  return factor === 1 ? number : Number((number * factor).toPrecision(DIGITS));
}

/** What is in a list. */
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

/** Rows of t and a value, or of a value alone, with commas, semicolons, tabs or blanks between them. A row of words, as
 * heads are, is left out where it is the first. */
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

/** How many runs it comes to; NaN where that cannot be told. */
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

/** The body of a request: the model of a document, with its analysis, and a study beside it. */
export function requestOf(text: string, study: object): string {
  const document = JSON.parse(text) as { model?: object; analysis?: object };
  const { model = document, analysis } = document.model ? document : { model: document };
  return JSON.stringify({ model, ...(analysis && { analysis }), study });
}
