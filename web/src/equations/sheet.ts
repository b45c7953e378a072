// The equations as a worksheet: all steps below each other, for printing by the browser.
import { h } from "../app/dom";
import { equationTexts } from "../app/texts";
import { sentence } from "./mathml";
import { STEPS } from "./steps";
import { SymbolList } from "./symbols";
import { MatrixTable, NAMES } from "./table";
import type { Equations, Matrix, Numbers } from "./types";

/** Printable width of a landscape A4 page [CSS pixels]. */
const WIDTH = 1025;
/** Minimum legible scale. A wider matrix is split by columns. */
const LEAST_SCALE = 0.55;

/** Returns an interval of a matrix's columns. */
function part(matrix: Matrix, from: number, to: number): Matrix {
  const inside = ({ column = 0 }: { column?: number }): boolean => column >= from && column < to;
  const blocks = matrix.blocks.flatMap((block) =>
    inside(block) ? [{ ...block, column: (block.column ?? 0) - from }] : [],
  );
  return { ...matrix, columns: (matrix.columns ?? []).slice(from, to), blocks };
}

function fill(table: MatrixTable): HTMLElement {
  table.setNumbers(table.matrix.blocks.map(({ value }) => value));
  return table.element;
}

/** Adds a matrix, scaled or split so that it fits. */
function place(host: HTMLElement, name: keyof typeof NAMES, matrix: Matrix): void {
  const table = new MatrixTable(name, matrix, false);
  const element = fill(table);
  host.append(element);
  const scale = WIDTH / table.table.offsetWidth;
  const count = matrix.columns?.length ?? 1;
  if (scale < LEAST_SCALE && count > 1) {
    element.remove();
    const half = Math.ceil(count / 2);
    place(host, name, part(matrix, 0, half));
    place(host, name, part(matrix, half, count));
  } else if (scale < 1) table.table.style.setProperty("zoom", String(scale));
}

/** Creates the worksheet, which stays in the page until it is removed. */
export function makeSheet(equations: Equations, numbers: Numbers | undefined, mode: string): HTMLElement {
  const sheet = h("article", { className: `equation-sheet ${mode}` });
  document.body.append(sheet);
  const of = equations.formulation === "joint" ? "joint" : "body";
  sheet.append(h("h1", {}, equationTexts.sheet(equations.model_name || equationTexts.mechanism, of)));
  sheet.append(h("p", { className: "faint" }, equationTexts.instant(equations.t)));
  STEPS.forEach(({ title, matrices, text }, index) => {
    const parts = matrices.filter((name) => equations[name]);
    const words = index === 0 ? equations.words : index === STEPS.length - 1 ? equations.system : [];
    if (parts.length === 0 && words.length === 0) return;
    sheet.append(h("h2", {}, `${index + 1} ${title}`), ...words.map((line) => h("p", {}, ...sentence(line))));
    if (text) sheet.append(h("p", {}, text));
    for (const name of parts) {
      sheet.append(h("h3", {}, NAMES[name]));
      place(sheet, name, equations[name] as Matrix);
    }
  });
  const named = new Set([...sheet.querySelectorAll("[data-symbol]")].map((each) => each.getAttribute("data-symbol")));
  const list = new SymbolList(equations.symbols, (name) => named.has(name));
  list.setNumbers(numbers?.symbols ?? equations.symbols.map(({ value }) => value));
  for (const button of list.element.querySelectorAll("button")) button.replaceWith(button.querySelector("math") ?? "");
  sheet.append(h("h2", {}, equationTexts.symbols), list.element);
  return sheet;
}

