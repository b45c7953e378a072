// A matrix of the equations as a table of its blocks: symbols, numbers, or both.
import { h } from "../app/dom";
import { equationTexts } from "../app/texts";
import { label, lines, numbers } from "./mathml";
import type { Axis, Block, Matrix, MatrixName } from "./types";

/** Number of rows above which only the first of similar rows is shown. */
const MANY = 12;

/** A sum with more terms is split into several lines. */
const LONG = 4;

/** Names of the matrices in formulas. */
export const NAMES: Record<MatrixName, string> = {
  B: "B",
  Bdot_thetad: "Ḃ θ′",
  C: "C",
  D: "D",
  Jac_p: "∂Φ/∂(r, p)",
  rhsV: "rhsV",
  rhsA: "rhsA",
  M: "M",
  h: "h",
};

const LATEX: Partial<Record<MatrixName, string>> = {
  Bdot_thetad: "\\dot{\\mathbf{B}}\\dot{\\boldsymbol{\\theta}}",
  rhsV: "\\mathrm{rhsV}",
  rhsA: "\\mathrm{rhsA}",
  Jac_p: "\\mathbf{J}_p",
};

export function latexOf(name: MatrixName, { rows, columns, blocks }: Matrix): string {
  const cells = rows.map(() => Array.from({ length: columns?.length ?? 1 }, () => "\\mathbf{0}"));
  for (const { row, column = 0, latex } of blocks) (cells[row] as string[])[column] = latex;
  const body = cells.map((row) => row.join(" & ")).join(" \\\\\n");
  return `${LATEX[name] ?? `\\mathbf{${name}}`} = \\begin{bmatrix}\n${body}\n\\end{bmatrix}`;
}

/** Returns the rows and columns of a matrix that are shown. */
function shownOf({ rows, columns, blocks }: Matrix, whole: boolean): { rows: number[]; columns: number[] } {
  const all = rows.map((_, row) => row);
  const every = (columns ?? [undefined]).map((_, column) => column);
  if (whole || rows.length <= MANY) return { rows: all, columns: every };
  const chosen = all.filter((row) => rows[row]?.like === undefined);
  const kept = new Set(chosen);
  const used = new Set(blocks.flatMap(({ row, column = 0 }) => (kept.has(row) ? [column] : [])));
  return { rows: chosen, columns: every.filter((column) => used.has(column)) };
}

/** Maximum number of similar rows that are named. */
const NAMED = 6;

function likeNote(rows: Axis[], row: number): HTMLElement[] {
  const like = rows.filter(({ like }) => like === row);
  if (like.length === 0) return [];
  const names = like.slice(0, NAMED).flatMap(({ label: text }, i) => (i > 0 ? [", ", label(text)] : [label(text)]));
  const more = like.length > NAMED ? equationTexts.more(like.length - NAMED) : "";
  return [h("small", { className: "faint" }, equationTexts.likewise, ...names, more)];
}

export class MatrixTable {
  readonly element: HTMLElement;
  readonly table: HTMLTableElement;
  private readonly places: { block: number; host: HTMLElement; value: string }[] = [];
  private readonly heads: { axis: Axis; element: HTMLElement }[] = [];

  /** `whole`: shows all rows and columns. */
  constructor(
    readonly name: MatrixName,
    readonly matrix: Matrix,
    whole: boolean,
  ) {
    const shown = shownOf(matrix, whole);
    const folded = matrix.rows.length - shown.rows.length;
    this.table = h("table", { className: "equation-matrix" });
    this.table.setAttribute("role", "grid");
    this.table.setAttribute("aria-label", NAMES[name]);
    const blocks = new Map(matrix.blocks.map((block, i) => [`${block.row} ${block.column ?? 0}`, { block, i }]));
    if (matrix.columns) {
      const heads = shown.columns.map((column) => this.head(matrix.columns?.[column] as Axis, "col"));
      this.table.append(h("thead", {}, h("tr", {}, h("td"), ...heads)));
    }
    const body = h("tbody");
    for (const row of shown.rows) {
      const note = folded > 0 ? likeNote(matrix.rows, row) : [];
      const head = this.head(matrix.rows[row] as Axis, "row", note);
      const cells = shown.columns.map((column) => {
        const found = blocks.get(`${row} ${column}`);
        return found ? this.cell(found.block, found.i) : this.zero(row, column);
      });
      body.append(h("tr", {}, head, ...cells));
    }
    this.table.append(body);
    const first = this.table.querySelector<HTMLElement>("tbody td");
    if (first) first.tabIndex = 0;
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    const left = (matrix.columns?.length ?? 1) - shown.columns.length;
    const note = folded > 0 ? [h("p", { className: "faint" }, this.noteOf(folded, left))] : [];
    this.element = h("div", { className: "scroll equation-frame" }, this.table, ...note);
  }

  /** Sets the numbers, block by block. */
  setNumbers(values: (number | null)[][][]): void {
    for (const place of this.places) {
      const value = values[place.block];
      const text = JSON.stringify(value);
      if (!value || text === place.value) continue;
      place.value = text;
      place.host.replaceChildren(numbers(value));
    }
  }

  /** Marks the rows and columns of a body or a joint. */
  mark(body: string | undefined, joint: string | undefined): void {
    for (const { axis, element } of this.heads) {
      const is =
        (body !== undefined && (axis.bodies?.includes(body) ?? false)) ||
        (joint !== undefined && axis.element === joint);
      element.classList.toggle("marked", is);
    }
  }

  /** Returns the row and column of a cell; undefined if it has none. */
  axesOf(cell: HTMLElement): { row: Axis; column: Axis | undefined } | undefined {
    const row = this.matrix.rows[Number(cell.dataset["row"] ?? NaN)];
    return row && { row, column: this.matrix.columns?.[Number(cell.dataset["column"])] };
  }

  private noteOf(rows: number, columns: number): string {
    return equationTexts.leftOut(rows, columns);
  }

  private head(axis: Axis, scope: "row" | "col", note: HTMLElement[] = []): HTMLElement {
    const sign = label(axis.label);
    // Names for screen readers that do not read formulas in headers.
    const spoken = sign instanceof Element ? [h("span", { className: "hidden" }, axis.label)] : [];
    if (sign instanceof Element) sign.setAttribute("aria-hidden", "true");
    const element = h("th", { scope }, sign, ...spoken, ...note);
    const names = [axis.element, ...(axis.bodies ?? [])].filter((name) => name !== undefined);
    element.title = names.join(", ");
    this.heads.push({ axis, element });
    return element;
  }

  private placed(row: number, column: number, ...content: (Node | string)[]): HTMLTableCellElement {
    const cell = h("td", { tabIndex: -1 }, ...content);
    Object.assign(cell.dataset, { row: String(row), column: String(column) });
    return cell;
  }

  private zero(row: number, column: number): HTMLElement {
    const cell = this.placed(row, column, "0");
    cell.className = "zero faint";
    return cell;
  }

  private cell(block: Block, index: number): HTMLElement {
    const host = h("span", { className: "equation-number" });
    this.places.push({ block: index, host, value: "" });
    const terms = lines(block.mathml);
    const long = terms.length > LONG ? " long" : "";
    const symbols = h("span", { className: `equation-symbols-of${long}` }, ...terms);
    const closed = block.closed ? [h("small", { className: "faint" }, "where Φ = 0")] : [];
    return this.placed(block.row, block.column ?? 0, symbols, host, ...closed);
  }

  private onKey(event: KeyboardEvent): void {
    const cell = (event.target as HTMLElement).closest("td");
    const line = cell?.closest("tr");
    if (!cell || !line) return;
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    const rows = [...this.table.querySelectorAll("tbody tr")];
    const [down = 0, right = 0] = step;
    const target = rows[rows.indexOf(line) + down]?.children[[...line.children].indexOf(cell) + right];
    event.preventDefault();
    if (!(target instanceof HTMLTableCellElement) || target.tagName !== "TD") return;
    cell.tabIndex = -1;
    target.tabIndex = 0;
    target.focus();
  }
}
