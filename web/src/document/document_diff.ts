// In what two documents differ, value by value.
import { h, scrollBox } from "../app/dom";
import { formatNumber } from "../app/format";
import { plotTexts } from "../app/texts";

/** Differences that are listed. */
const LISTED_MOST = 20;

/** A value of a document that another one has not, or has otherwise; texts are JSON, "" where there is none. */
export interface Difference {
  /** Its JSON pointer. */
  pointer: string;
  one: string;
  other: string;
}

/** Adds the values of a document that are neither objects nor lists, below their JSON pointers. */
function leaves(value: unknown, pointer: string, found: Map<string, string>): Map<string, string> {
  if (typeof value !== "object" || value === null) return found.set(pointer, JSON.stringify(value));
  for (const [key, field] of Object.entries(value))
    leaves(field, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, found);
  return found;
}

/** The differences of two documents, in the order of the first. */
export function differencesOf(one: string, other: string): Difference[] {
  const [mine, theirs] = [one, other].map((text) => leaves(JSON.parse(text), "", new Map<string, string>()));
  if (!mine || !theirs) return [];
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .map((pointer) => ({ pointer, one: mine.get(pointer) ?? "", other: theirs.get(pointer) ?? "" }))
    .filter((difference) => difference.one !== difference.other);
}

/** A value for people: numbers short, texts without quotes. */
function valueText(json: string): string {
  const value: unknown = json === "" ? "–" : JSON.parse(json);
  return typeof value === "number" ? formatNumber(value) : String(value);
}

/** A table of what differs between the document of a run and that of the pinned one; nothing where they are equal. */
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
