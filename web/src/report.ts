// Readable tables from whatever a report or an error consists of, so that a new field needs no code here.
import { h, scrollBox } from "./dom";
import { countOf, errorText, formatNumber, words } from "./format";
import type { Study } from "./study/report";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Tables with more rows are folded. */
const ROWS_SHOWN = 12;

/** Lists with a longer text get a heading of their own. */
const SHORT_TEXT = 24;

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: Json): value is string | number | boolean | null {
  return typeof value !== "object" || value === null;
}

function scalarText(value: string | number | boolean | null): string {
  if (value === null || value === "") return "–";
  if (typeof value === "number") return formatNumber(value, 7);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value;
}

function cell(value: Json | undefined): HTMLTableCellElement {
  if (value === undefined) return h("td");
  return h("td", {}, isScalar(value) ? scalarText(value) : view(value));
}

/** A table of rows that are objects, with the union of their fields as columns; a long one can be folded out. */
function tableOfRows(rows: JsonObject[]): HTMLElement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, words(name))));
  const body = rows.map((row) => h("tr", {}, ...columns.map((name) => cell(row[name]))));
  const table = scrollBox(h("table", {}, h("thead", {}, head), h("tbody", {}, ...body)));
  return rows.length <= ROWS_SHOWN ? table : h("details", {}, h("summary", {}, `${rows.length} rows`), table);
}

/** An object of arrays of one length, such as {"labels", "before", "after"}, turned into rows; else undefined. */
function rowsOfColumns(value: JsonObject): JsonObject[] | undefined {
  const columns = Object.entries(value);
  const length = Array.isArray(columns[0]?.[1]) ? columns[0][1].length : 0;
  const parallel = (column: Json): column is Json[] => Array.isArray(column) && column.length === length;
  if (columns.length < 2 || length === 0 || !columns.every(([, column]) => parallel(column))) return undefined;
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(columns.map(([name, column]) => [name, (column as Json[])[row] as Json])),
  );
}

/** Values that fit on a line of a list. */
function isShort(value: Json): boolean {
  if (!Array.isArray(value)) return isScalar(value);
  return value.every(isScalar) && value.map(scalarText).join(", ").length <= SHORT_TEXT;
}

/** Shows any JSON value. */
function view(value: Json): HTMLElement {
  if (isScalar(value)) return h("span", {}, scalarText(value));
  if (Array.isArray(value)) {
    if (value.length === 0) return h("span", { className: "faint" }, "none");
    if (value.every(isObject)) return tableOfRows(value);
    if (value.every(isScalar)) return h("span", {}, value.map(scalarText).join(", "));
    return h("div", {}, ...value.map(view));
  }
  const rows = rowsOfColumns(value);
  return rows ? tableOfRows(rows) : h("div", {}, ...sections(value, "h4"));
}

/** An object: what is short in one list, without what is null; everything else under a heading of its own. */
function sections(value: JsonObject, heading: "h3" | "h4"): HTMLElement[] {
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  const short = entries.filter(([, field]) => isShort(field));
  const long = entries.filter(([, field]) => !isShort(field));
  const lines = short.map(([name, field]) => h("div", {}, h("dt", {}, words(name)), h("dd", {}, view(field))));
  const list = lines.length > 0 ? [h("dl", {}, ...lines)] : [];
  return [...list, ...long.flatMap(([name, field]) => [h(heading, {}, words(name)), view(field)])];
}

/** The initial conditions as one table for the coordinates and one for the velocities, instead of one list each for
 * their labels, their values before and their values after the correction. */
function reshapeInitial({ labels, before, after, ...rest }: JsonObject): JsonObject {
  const table = (part: string): Json =>
    Object.fromEntries(
      Object.entries({ name: labels, before, after }).map(([column, lists]) => [
        column,
        (isObject(lists) ? lists[part] : undefined) ?? [],
      ]),
    );
  return { ...rest, coordinates: table("coordinates"), velocities: table("velocities") };
}

/** What one wants to know of a study first. */
function factsOfStudy({ study, evaluations, wall_seconds: seconds }: JsonObject): JsonObject {
  const { evaluations: trials, runs = 0, done = 0, failed = 0, failures = [], statistics = [] } = study as JsonObject;
  const [works, takes] = [evaluations, seconds].map((value) => (typeof value === "number" ? formatNumber(value, 3) : "–"));
  return {
    [trials === undefined ? "Runs" : "Trials"]: `${scalarText(done as number)} of ${scalarText(runs as number)}, ${scalarText(failed as number)} failed`,
    Work: `${works} evaluations in ${takes} s`,
    ...(trials === undefined ? { Outputs: statistics } : {}),
    ...(Number(failed) > 0 ? { Failures: failures } : {}),
  };
}

/** What one wants to know of a run first; what its analysis does not have is left out. */
function factsOf(report: JsonObject): JsonObject {
  if (isObject(report.study)) return factsOfStudy(report);
  const { degrees_of_freedom: freedoms, mobility, rows, redundant, residuals, energy, stable } = report;
  const { method, evaluations, steps, wall_seconds: seconds } = report;
  const exact = (value: Json | undefined): string => (typeof value === "number" ? formatNumber(value, 3) : "–");
  const freedom = freedoms === mobility ? exact(freedoms) : `${exact(freedoms)}, ${exact(mobility)} without drivers`;
  const constraints = Array.isArray(rows) ? countOf(rows.length, "row") : "–";
  const balance = isObject(energy) ? `${exact(energy.largest_change)} J of ${exact(energy.initial)} J` : null;
  const taken = typeof steps === "number" ? `, ${countOf(steps, "step")}` : "";
  const by = typeof method === "string" ? ` by ${method}` : "";
  return {
    "Degrees of freedom": freedoms === undefined ? null : freedom,
    Constraints: `${constraints}, ${Array.isArray(redundant) ? redundant.length : 0} redundant`,
    "Largest residual": isObject(residuals) ? `${exact(residuals.position)} in position` : null,
    "Energy changes by": balance,
    Stable: stable ?? null,
    Work: `${exact(evaluations)} evaluations${taken}${by} in ${exact(seconds)} s`,
  };
}

/** What a study came to, as soon as the code that shows it is there. */
function studyPlace(id: string, study: Study): HTMLElement {
  const place = h("div", { id: "study" });
  import("./study/report")
    .then(({ studyView }) => studyView(id, study))
    .then((view) => place.replaceChildren(...view))
    .catch((error: unknown) => place.replaceChildren(h("p", { className: "bad" }, errorText(error))));
  return place;
}

/** The elements that show the report of a job: a few facts, and all of it to be folded out. */
export function reportView(id: string, report: Record<string, unknown>): HTMLElement[] {
  const { initial_conditions: initial } = report as JsonObject;
  const reshaped: JsonObject = isObject(initial) ? { initial_conditions: reshapeInitial(initial) } : {};
  const whole = sections({ ...(report as JsonObject), ...reshaped }, "h4");
  const title = h("summary", {}, h("h3", {}, "The whole report"));
  const study = report.study ? [studyPlace(id, report.study as Study)] : [];
  return [...study, ...sections(factsOf(report as JsonObject), "h3"), h("details", {}, title, ...whole)];
}

const STRUCTURE = ["space", "formulation", "degrees_of_freedom", "mobility", "bodies", "tree", "cut", "rows"];
const UNDERSTOOD = [...STRUCTURE, "redundant", "notes"];

/** The elements that show what the service understood of a document, and whether it can be assembled. */
export function understoodView(answer: Record<string, unknown>): HTMLElement[] {
  const { assembled, error } = answer as JsonObject;
  const verdict =
    assembled === false
      ? h("p", { className: "bad" }, "The document is well-formed, but the model cannot be assembled.")
      : h("p", { className: "good" }, "The document is right.");
  const understood = Object.fromEntries(UNDERSTOOD.map((name) => [name, (answer as JsonObject)[name] ?? null]));
  const reason: JsonObject = isObject(error) ? { error } : {};
  return [verdict, ...sections({ ...reason, ...understood }, "h3")];
}
