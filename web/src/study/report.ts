// The report of a study: statistics of its outputs, and the failures of its runs. Loaded with the first study.
import { listArrays, runDocument } from "../app/api";
import { h, scrollBox } from "../app/dom";
import { countOf, errorText, formatNumber, words } from "../app/format";
import { studyTexts } from "../app/texts";
import { linkTo } from "../document/share";
import { unitOf } from "../results/column_units";
import { searchResultView, type Found } from "./search_result";

/** Statistics of an output over the successful runs; only its name if there are none. */
interface Statistics {
  output: string;
  mean?: number | null;
  sd?: number | null;
  min?: number | null;
  max?: number | null;
  argmin?: number;
  argmax?: number;
}

/** A kind of failure, with its first run. */
interface Failure {
  code: string;
  detail: string;
  count: number;
  first: number;
}

export interface Study extends Found {
  runs: number;
  done: number;
  failed: number;
  failures: Failure[];
  statistics: Statistics[];
}

const DIGITS = 4;

function text(value: number | null | undefined): string {
  return typeof value === "number" ? formatNumber(value, DIGITS) : "–";
}

/** Creates a button that opens the document of one run. */
export function runButton(id: string, run: number, text = studyTexts.ofRun(run)): HTMLElement {
  const button = h("button", { type: "button", className: "run-of-study" }, text);
  button.title = studyTexts.openTitle;
  button.addEventListener("click", () => {
    // The document is formatted for reading, with the shortest numbers that keep their values.
    runDocument(id, run)
      .then((document) => linkTo(JSON.stringify(JSON.parse(document), null, 2)))
      .then((link) => (location.href = link))
      .catch((error: unknown) => (button.title = button.textContent = errorText(error)));
  });
  return button;
}

function table(heads: string[], rows: (Node | string)[][]): HTMLElement {
  const head = h("tr", {}, ...heads.map((name) => h("th", { scope: "col" }, name)));
  const body = rows.map(([first = "", ...cells]) =>
    h("tr", {}, h("th", { scope: "row" }, first), ...cells.map((cell) => h("td", {}, cell))),
  );
  return scrollBox(h("table", { className: "study" }, h("thead", {}, head), h("tbody", {}, ...body)));
}

/** Shows an extreme value with its run. */
function extreme(id: string, value: number | null | undefined, run: number | undefined): Node {
  return h("span", {}, text(value), ...(run === undefined ? [] : [" ", runButton(id, run)]));
}

function statisticsView(id: string, list: Statistics[], units: Map<string, string>): HTMLElement {
  const rows = list.map(({ output, mean, sd, min, max, argmin, argmax }) => {
    const unit = units.get(output);
    const spread = typeof sd === "number" ? `${text(mean)} ± ${text(sd)}` : text(mean);
    return [unit ? `${output} [${unit}]` : output, spread, extreme(id, min, argmin), extreme(id, max, argmax)];
  });
  return table(studyTexts.statistics, rows);
}

function failuresView(id: string, failures: Failure[]): HTMLElement {
  const rows = failures.map(({ code, detail, count, first }) => [
    h("a", { href: `docs/failures.html#${code}`, target: "_blank" }, words(code)),
    String(count),
    h("span", {}, runButton(id, first), " ", detail),
  ]);
  return table(studyTexts.failures, rows);
}

/** Returns the units of the outputs. */
async function unitsOf(id: string): Promise<Map<string, string>> {
  const arrays = await listArrays(id).catch(() => []);
  const outputs = arrays.find(({ name }) => name === "outputs");
  return new Map(outputs?.labels.map((label) => [label, unitOf(outputs, label)]) ?? []);
}

/** Returns the number of runs or trials, and how many failed. */
function countsOf({ runs, done, failed, evaluations }: Study): string {
  const each = evaluations === undefined ? "run" : "trial";
  const all = done < runs ? `${done} of ${countOf(runs, each)}` : countOf(runs, each);
  return failed > 0 ? `${all}, ${failed} failed` : all;
}

/** Returns the elements that show the results of a study. */
export async function studyView(id: string, study: Study): Promise<HTMLElement[]> {
  const { statistics, failures } = study;
  const units = await unitsOf(id);
  const view: HTMLElement[] = [h("p", { className: study.failed > 0 ? "bad" : "good" }, countsOf(study))];
  if (study.evaluations !== undefined) view.push(...searchResultView(study, undefined));
  if (statistics.length > 0) view.push(statisticsView(id, statistics, units));
  if (failures.length > 0) view.push(failuresView(id, failures));
  return view;
}
