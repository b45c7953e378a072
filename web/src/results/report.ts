// Shows the fields of any report or error as tables, so that new fields need no code here.
import { h, scrollBox } from "../app/dom";
import { countOf, errorText, formatNumber, words } from "../app/format";
import { otherFreedoms, reportTexts } from "../app/texts";
import type { Study } from "../study/report";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Tables with more rows are folded. */
const ROWS_SHOWN = 12;

/** Longer texts of lists get their own heading. */
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
  const className = typeof value === "number" ? "number" : ""; // a negative exponent stays in its line
  return h("td", { className }, isScalar(value) ? scalarText(value) : view(value));
}

/** Creates a table of objects, with the union of their fields as columns. Long tables are folded. */
function tableOfRows(rows: JsonObject[]): HTMLElement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, words(name))));
  const body = rows.map((row) => h("tr", {}, ...columns.map((name) => cell(row[name]))));
  const table = scrollBox(h("table", {}, h("thead", {}, head), h("tbody", {}, ...body)));
  return rows.length <= ROWS_SHOWN ? table : h("details", {}, h("summary", {}, `${rows.length} rows`), table);
}

/** Converts an object of arrays of equal length, such as {"labels", "before", "after"}, to rows; returns undefined
 * for other objects. */
function rowsOfColumns(value: JsonObject): JsonObject[] | undefined {
  const columns = Object.entries(value);
  const length = Array.isArray(columns[0]?.[1]) ? columns[0][1].length : 0;
  const parallel = (column: Json): column is Json[] => Array.isArray(column) && column.length === length;
  if (columns.length < 2 || length === 0 || !columns.every(([, column]) => parallel(column))) return undefined;
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(columns.map(([name, column]) => [name, (column as Json[])[row] as Json])),
  );
}

/** Returns true if a value fits on one line of a list. */
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

/** Shows an object: short values in one list, without null; each other value under its own heading. */
function sections(value: JsonObject, heading: "h3" | "h4"): HTMLElement[] {
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  const short = entries.filter(([, field]) => isShort(field));
  const long = entries.filter(([, field]) => !isShort(field));
  const lines = short.map(([name, field]) => h("div", {}, h("dt", {}, words(name)), h("dd", {}, view(field))));
  const list = lines.length > 0 ? [h("dl", {}, ...lines)] : [];
  return [...list, ...long.flatMap(([name, field]) => [h(heading, {}, words(name)), view(field)])];
}

/** Converts the initial conditions to one table of coordinates and one of velocities; the report has separate lists
 * of labels, values before and values after the correction. */
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

/** Returns the main facts of a study; the table of its outputs is above them. */
function factsOfStudy({ study, evaluations, wall_seconds: seconds }: JsonObject): JsonObject {
  const { evaluations: trials, runs = 0, done = 0, failed = 0, failures = [] } = study as JsonObject;
  const [works = "–", time = "–"] = [evaluations, seconds].map((value) => (typeof value === "number" ? formatNumber(value, 3) : "–"));
  return {
    [trials === undefined ? reportTexts.runs : reportTexts.trials]: reportTexts.counts(scalarText(done as number), scalarText(runs as number), scalarText(failed as number)),
    Computation: reportTexts.work(works, time),
    ...(Number(failed) > 0 ? { Failures: failures } : {}),
  };
}

/** Returns the last state of a run as rows of a table; for an equilibrium with the start beside it. */
function stateRows(report: JsonObject, analysis: Json | undefined): JsonObject[] {
  const { initial_conditions: initial, final_state: state } = report;
  if (!isObject(initial) || !isObject(state)) return [];
  const { labels, after } = initial;
  const listOf = (object: Json | undefined, part: string): Json[] => {
    const list = isObject(object) ? object[part] : undefined;
    return Array.isArray(list) ? list : [];
  };
  const rowsOf = (part: string): JsonObject[] =>
    listOf(state, part).map((value, i) => ({
      name: listOf(labels, part)[i] ?? "",
      ...(analysis === "equilibrium" ? { at_the_start: listOf(after, part)[i] ?? null, at_rest: value } : { value }),
    }));
  return analysis === "equilibrium" ? rowsOf("coordinates") : [...rowsOf("coordinates"), ...rowsOf("velocities")];
}

/** Headings of the last state. */
const STATES: Record<string, string> = {
  equilibrium: reportTexts.atRest,
  linearization: reportTexts.linearized,
  assembly: reportTexts.assembled,
};

/** Returns the effort of largest absolute value for each driver. */
function largestEfforts(efforts: Json | undefined): JsonObject[] {
  if (!Array.isArray(efforts)) return [];
  return efforts.filter(isObject).map(({ driver, unit, min, min_t, max, max_t }) => {
    const low = Math.abs(Number(min)) > Math.abs(Number(max));
    return { driver: driver ?? "", unit: unit ?? "", effort: (low ? min : max) ?? null, t: (low ? min_t : max_t) ?? null };
  });
}

/** Returns the extremes of each sensor with their times, in two columns so that the table fits. */
function extremesOf(sensors: Json | undefined): JsonObject[] {
  if (!Array.isArray(sensors)) return [];
  const at = (value: Json | undefined, t: Json | undefined): string =>
    typeof value === "number" && typeof t === "number" ? reportTexts.at(formatNumber(value, 5), formatNumber(t, 4)) : "–";
  return sensors.filter(isObject).map(({ array, unit, min, min_t, max, max_t }) => ({
    sensor: array ?? "",
    unit: unit ?? "",
    minimum: at(min, min_t),
    maximum: at(max, max_t),
  }));
}

/** Returns the results of the analysis. Empty lists are omitted. */
function answerOf(report: JsonObject): JsonObject {
  const { analysis, final_state: state, recorded, sensors, efforts, modes, stable, sticking, equilibrium } = report;
  const { stopped } = report;
  const names = (list: Json | undefined): string | null => (Array.isArray(list) ? list.map(String).join(", ") : null);
  if (typeof recorded !== "number") return {};
  if (recorded === 0) return { Results: reportTexts.noRows };
  const { t, potential_energy: potential } = isObject(state) ? state : {};
  const heading = STATES[String(analysis)] ?? reportTexts.lastState(scalarText((t as number) ?? null));
  const rows = stateRows(report, analysis);
  const lists: [string, Json[] | undefined][] = [
    [reportTexts.modes, Array.isArray(modes) ? modes : undefined],
    [reportTexts.efforts, analysis === "inverse-dynamics" ? largestEfforts(efforts) : undefined],
    [heading, rows],
    [reportTexts.sensors(recorded), extremesOf(sensors)],
  ];
  return {
    Stable: stable ?? null,
    [reportTexts.held]: isObject(equilibrium) ? names(equilibrium.held_by_friction) : null,
    [reportTexts.sticking]: names(sticking),
    [reportTexts.stopped]: isObject(stopped) ? `${scalarText(stopped.t as number)} s, ${String(stopped.by)}` : null,
    [reportTexts.potential]: analysis === "equilibrium" && typeof potential === "number" ? `${formatNumber(potential)} J` : null,
    ...Object.fromEntries(lists.filter(([, list]) => list !== undefined && list.length > 0)),
  } as JsonObject;
}

/** Returns the main facts of a run. Fields that its analysis does not have are omitted. */
function factsOf(report: JsonObject): JsonObject {
  if (isObject(report.study)) return factsOfStudy(report);
  const { degrees_of_freedom: freedoms, velocity_freedoms: velocities = freedoms, mobility } = report;
  const { rows, redundant, residuals, energy } = report;
  const { method, evaluations, steps, wall_seconds: seconds } = report;
  const exact = (value: Json | undefined): string => (typeof value === "number" ? formatNumber(value, 3) : "–");
  const others = otherFreedoms(Number(freedoms), Number(velocities), Number(mobility));
  const constraints = Array.isArray(rows) ? countOf(rows.length, "row") : "–";
  const { largest_change: change, scale }: JsonObject = isObject(energy) ? energy : {};
  const balance = typeof change === "number" ? reportTexts.exchanged(exact(change), exact(scale)) : null;
  const residual = isObject(residuals) && typeof residuals.position === "number" ? residuals.position : undefined;
  const spare = Array.isArray(redundant) ? `, ${redundant.length} redundant` : "";
  const taken = typeof steps === "number" ? `, ${countOf(steps, "step")}` : "";
  const by = typeof method === "string" && method ? ` by ${method}` : "";
  return {
    [reportTexts.freedoms]: typeof freedoms === "number" ? [exact(freedoms), ...others].join(", ") : null,
    Constraints: `${constraints}${spare}`,
    [reportTexts.residual]: residual === undefined ? null : reportTexts.position(exact(residual)),
    [reportTexts.energy]: balance,
    Computation: `${exact(evaluations)} evaluations${taken}${by} in ${exact(seconds)} s`,
  };
}

/** Returns an element that shows the results of a study as soon as the code for it is loaded. */
function studyPlace(id: string, study: Study): HTMLElement {
  const place = h("div", { id: "study" });
  import("../study/report")
    .then(({ studyView }) => studyView(id, study))
    .then((view) => place.replaceChildren(...view))
    .catch((error: unknown) => place.replaceChildren(h("p", { className: "bad" }, errorText(error))));
  return place;
}

/** Returns the elements that show the report of a job: the main facts, and the whole report, folded. */
export function reportView(id: string, report: Record<string, unknown>): HTMLElement[] {
  const { initial_conditions: initial } = report as JsonObject;
  const reshaped: JsonObject = isObject(initial) ? { initial_conditions: reshapeInitial(initial) } : {};
  const whole = sections({ ...(report as JsonObject), ...reshaped }, "h4");
  const title = h("summary", {}, h("h3", {}, reportTexts.whole));
  const study = report.study ? [studyPlace(id, report.study as Study)] : [];
  const facts = [answerOf, factsOf].flatMap((part) => sections(part(report as JsonObject), "h3"));
  return [...study, ...facts, h("details", {}, title, ...whole)];
}

const FREEDOMS = ["degrees_of_freedom", "velocity_freedoms", "mobility"];
const STRUCTURE = ["space", "formulation", ...FREEDOMS, "bodies", "tree", "cut", "rows"];
const VALIDATION_FIELDS = [...STRUCTURE, "redundant", "notes"];

/** Returns the elements that show a validated document, and whether it can be assembled. */
export function validationView(answer: Record<string, unknown>): HTMLElement[] {
  const { assembled, error } = answer as JsonObject;
  const verdict =
    assembled === false
      ? h("p", { className: "bad" }, reportTexts.notAssembled)
      : h("p", { className: "good" }, reportTexts.valid);
  const validation = Object.fromEntries(VALIDATION_FIELDS.map((name) => [name, (answer as JsonObject)[name] ?? null]));
  const reason: JsonObject = isObject(error) ? { error } : {};
  return [verdict, ...sections({ ...reason, ...validation }, "h3")];
}
