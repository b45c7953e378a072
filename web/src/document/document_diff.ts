// Lists the differences of two documents, value by value.
import { h, scrollBox } from "../app/dom";
import { formatNumber } from "../app/format";
import { plotTexts } from "../app/texts";

/** Maximum number of listed differences. */
const LISTED_MOST = 20;

/** A value in which two documents differ, as JSON; "" in the document that lacks it. */
export interface Difference {
  /** The JSON pointer of the value. */
  pointer: string;
  one: string;
  other: string;
}

/** Adds the values of a document that are neither objects nor lists to a map by JSON pointer. */
function leaves(value: unknown, pointer: string, found: Map<string, string>): Map<string, string> {
  if (typeof value !== "object" || value === null) return found.set(pointer, JSON.stringify(value));
  for (const [key, field] of Object.entries(value))
    leaves(field, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, found);
  return found;
}

/** Returns the differences of two documents, in the order of the first. */
export function differencesOf(one: string, other: string): Difference[] {
  const [mine, theirs] = [one, other].map((text) => leaves(JSON.parse(text), "", new Map<string, string>()));
  if (!mine || !theirs) return [];
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .map((pointer) => ({ pointer, one: mine.get(pointer) ?? "", other: theirs.get(pointer) ?? "" }))
    .filter((difference) => difference.one !== difference.other);
}

/** Formats a value for reading: short numbers, strings without quotes. */
function valueText(json: string): string {
  const value: unknown = json === "" ? "–" : JSON.parse(json);
  return typeof value === "number" ? formatNumber(value) : String(value);
}

/** Creates a table of the differences between the document of a run and that of the pinned run; empty if they are
 * equal. */
export function differencesView(one: string, other: string): HTMLElement[] {
  const found = differencesOf(one, other);
  if (found.length === 0) return [];
  const row = ({ pointer, one: mine, other: theirs }: Difference): HTMLTableRowElement =>
    h("tr", {}, h("th", { scope: "row" }, h("code", {}, pointer)), h("td", {}, valueText(mine)), h("td", {}, valueText(theirs)));
  const titles = [plotTexts.difference, plotTexts.thisRun, plotTexts.pinnedColumn].map((title) => h("th", { scope: "col" }, title));
  const body = h("tbody", {}, ...found.slice(0, LISTED_MOST).map(row));
  const table = h("table", { ariaLabel: plotTexts.differences }, h("thead", {}, h("tr", {}, ...titles)), body);
  const more = found.length - LISTED_MOST;
  const rest = more > 0 ? [h("p", { className: "faint" }, plotTexts.more(more))] : [];
  return [scrollBox(table), ...rest];
}
