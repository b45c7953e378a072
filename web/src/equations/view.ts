// Shows the equations of the drawn mechanism step by step, with the numbers at the shown time.
import { h } from "../app/dom";
import { errorText } from "../app/format";
import { equationTexts } from "../app/texts";
import type { Player } from "../drawing/animation";
import type { Recorded } from "../drawing/recorded";
import type { View } from "../interaction/picking";
import { onSelection, selected } from "../interaction/selection";
import { SolverError, type Solver } from "../solver/solver";
import { Marks } from "./marks";
import { sentence } from "./mathml";
import { pathOf } from "./paths";
import { makeSheet } from "./sheet";
import { STEPS, type Step } from "./steps";
import { SymbolList } from "./symbols";
import { latexOf, MatrixTable, NAMES } from "./table";
import type { At, Equations, Matrix, Numbers } from "./types";

/** The content of the drawing: a motion, or the document of the mechanism that can be dragged; undefined if there is
 * none. */
export type Shown = { document: string; recorded: Recorded | undefined } | string | undefined;

const MODES = { both: equationTexts.both, symbols: equationTexts.symbols, numbers: equationTexts.numbers };
type Mode = keyof typeof MODES;

/** Returns the structure of the equations, without the values that depend on time, for comparison. */
function structureOf(equations: Equations): string {
  const passing = new Set(["value", "at", "t", "q", "v", "residual"]);
  return JSON.stringify(equations, (key, value: unknown) => (passing.has(key) ? undefined : value));
}

export class EquationsView {
  private readonly marks = new Marks();
  private readonly content = h("div", { className: "equation-step" });
  private readonly note = h("p", { className: "faint equation-note" });
  /** Message about copying. */
  private readonly done = h("span", { className: "faint equation-done" });
  private readonly instant = h("output", { className: "faint" });
  private readonly steps: HTMLButtonElement[];
  private visible = false;
  private busy = false;
  private again = false;
  private step = 0;
  private mode: Mode = "both";
  private whole = false;
  /** The document whose equations the module has derived, and the equations that are shown. */
  private derived: string | undefined;
  private equations: Equations | undefined;
  private structure = "";
  private numbers: Numbers | undefined;
  private tables: MatrixTable[] = [];
  private list: SymbolList | undefined;
  private view: View | undefined;
  /** True if a click has fixed the marked element. */
  private kept = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly solver: Solver,
    private readonly player: Player,
    private readonly shown: () => Shown,
  ) {
    this.steps = STEPS.map(({ name, title }, index) => {
      const button = h("button", { type: "button", title }, `${index + 1} ${name}`);
      button.addEventListener("click", () => this.goTo(index));
      return button;
    });
    this.note.setAttribute("role", "status");
    this.done.setAttribute("role", "status");
    host.replaceChildren(this.bar(), this.note, this.content, this.actions());
    this.listen();
    player.addLayer((context, view) => {
      if (!this.visible) return;
      this.view = view;
      this.marks.draw(context, view);
      void this.refresh();
    });
    onSelection(() => this.markSelected());
    this.goTo(0);
  }

  /** Called when the tab of the equations is shown or hidden. */
  show(visible: boolean): void {
    this.visible = visible;
    this.unmark();
    this.player.redraw();
  }

  private bar(): HTMLElement {
    const mode = h("select", { id: "equation-mode" });
    mode.append(...Object.entries(MODES).map(([value, text]) => h("option", { value }, text)));
    mode.addEventListener("change", () => {
      this.mode = mode.value as Mode;
      this.content.dataset["mode"] = this.mode;
    });
    this.content.dataset["mode"] = this.mode;
    const previous = h("button", { type: "button" }, equationTexts.back);
    const next = h("button", { type: "button", className: "primary" }, equationTexts.next);
    previous.addEventListener("click", () => this.goTo(this.step - 1));
    next.addEventListener("click", () => this.goTo(this.step + 1));
    const steps = h("div", { className: "equation-steps" }, previous, ...this.steps, next);
    steps.setAttribute("role", "group");
    steps.setAttribute("aria-label", equationTexts.steps);
    const what = h("label", {}, h("span", { className: "hidden" }, equationTexts.mode), mode);
    return h("div", { className: "equation-bar" }, steps, h("div", { className: "tools" }, what, this.instant));
  }

  private actions(): HTMLElement {
    const copy = h("button", { type: "button" }, equationTexts.copyAll);
    const print = h("button", { type: "button", title: equationTexts.printTitle }, equationTexts.print);
    const rows = h("button", { type: "button" }, equationTexts.allRows);
    rows.setAttribute("aria-pressed", "false");
    copy.addEventListener("click", () => void this.copyAll());
    print.addEventListener("click", () => void this.print());
    rows.addEventListener("click", () => {
      this.whole = !this.whole;
      rows.setAttribute("aria-pressed", String(this.whole));
      this.render();
    });
    return h("div", { className: "tools equation-actions" }, copy, print, rows, this.done);
  }

  private get now(): Step {
    return STEPS[this.step] as Step;
  }

  private goTo(step: number): void {
    this.done.textContent = "";
    this.step = Math.min(Math.max(step, 0), STEPS.length - 1);
    this.steps.forEach((button, index) => {
      if (index === this.step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    this.unmark();
    this.equations = undefined;
    this.structure = "";
    void this.refresh();
  }

  /* ---- queries to the solver ---- */

  /** Updates the numbers to the time of the drawing. Sends one query at a time; of waiting queries only the last is
   * sent. */
  private async refresh(): Promise<void> {
    this.again = true;
    if (this.busy || !this.visible) return;
    this.busy = true;
    try {
      while (this.again && this.visible) {
        this.again = false;
        await this.load();
        await new Promise(requestAnimationFrame);
      }
    } catch (error) {
      this.derived = undefined;
      this.showNote(error instanceof SolverError ? equationTexts.noAnswer : errorText(error));
    } finally {
      this.busy = false;
    }
  }

  private async where(): Promise<{ document: string; at: At | undefined } | undefined> {
    const shown = this.shown();
    if (shown === undefined) return undefined;
    if (typeof shown === "string") return { document: shown, at: "session" };
    if (!shown.document) return undefined;
    return { document: shown.document, at: await shown.recorded?.state() };
  }

  private async load(): Promise<void> {
    const where = await this.where();
    if (!where) return this.showNote(equationTexts.noMechanism);
    if (where.document !== this.derived) {
      const problem = await this.solver.derive(where.document);
      if (problem) return this.showNote(problem.detail ?? problem.title);
      this.derived = where.document;
      this.equations = undefined;
    }
    const only = this.now.matrices.join(",") || "-";
    const format = this.equations ? "values" : "json";
    const { step } = this;
    const { status, body } = await this.solver.equations({ only, format, ...(where.at ? { at: where.at } : {}) });
    if (step !== this.step) return void (this.again = true);
    if (status === 409) this.derived = undefined;
    if (status === 413) this.showNote(equationTexts.tooLarge);
    if (status !== 200) return;
    this.showNote("");
    if (format === "json") this.take(body as Equations);
    else this.setNumbers(body as Numbers);
  }

  private take(equations: Equations): void {
    this.equations = equations;
    const structure = structureOf(equations);
    if (structure !== this.structure) {
      this.structure = structure;
      this.render();
    }
    const matrices: Numbers["matrices"] = {};
    for (const name of this.now.matrices) matrices[name] = equations[name]?.blocks.map(({ value }) => value) ?? [];
    this.setNumbers({ t: equations.t, symbols: equations.symbols.map(({ value }) => value), matrices });
  }

  private setNumbers(numbers: Numbers): void {
    this.numbers = numbers;
    this.instant.value = `t = ${numbers.t.toFixed(3)} s`;
    for (const table of this.tables) table.setNumbers(numbers.matrices[table.name] ?? []);
    this.list?.setNumbers(numbers.symbols);
    const { symbol } = this.marks;
    if (symbol) this.markSymbol(symbol.is.name);
  }

  private showNote(text: string): void {
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  /* ---- content ---- */

  private render(): void {
    const { equations } = this;
    if (!equations) return;
    const { title, matrices, text, body } = this.now;
    const words = this.step === 0 ? equations.words : this.step === STEPS.length - 1 ? equations.system : [];
    const told = (equations.formulation === "body" && body) || text;
    const names = matrices.filter((name) => equations[name]);
    this.tables = names.map((name) => new MatrixTable(name, equations[name] as Matrix, this.whole));
    const parts = this.tables.map((table) => h("section", {}, this.headOf(table), table.element));
    const none = matrices.length > 0 && names.length === 0 ? [h("p", {}, equationTexts.noRows)] : [];
    this.content.replaceChildren(
      h("h3", {}, `${this.step + 1} ${title}`),
      ...words.map((line) => h("p", {}, ...sentence(line))),
      ...(told ? [h("p", {}, told)] : []),
      ...none,
      ...parts,
    );
    const named = new Set([...this.content.querySelectorAll("[data-symbol]")].map((each) => each.getAttribute("data-symbol")));
    this.list = new SymbolList(equations.symbols, (name) => named.has(name) || matrices.length === 0);
    if (this.list.element.hasChildNodes()) this.content.append(h("h4", {}, equationTexts.symbols), this.list.element);
    if (this.numbers && this.equations) this.setNumbers(this.numbers);
    this.markSelected();
  }

  private headOf(table: MatrixTable): HTMLElement {
    const copy = h("button", { type: "button" }, equationTexts.copy, h("span", { className: "hidden" }, equationTexts.copyOf(NAMES[table.name])));
    copy.addEventListener("click", () => void this.copy(latexOf(table.name, table.matrix)));
    return h("div", { className: "equation-head" }, h("h4", {}, NAMES[table.name]), copy);
  }

  /* ---- marking ---- */

  private listen(): void {
    const { content } = this;
    content.addEventListener("pointerover", ({ target }) => this.kept || this.point(target as Element));
    content.addEventListener("pointerleave", () => this.kept || this.unmark());
    content.addEventListener("focusin", ({ target }) => this.point(target as Element));
    content.addEventListener("focusout", () => this.unmark());
    content.addEventListener("click", ({ target }) => {
      this.point(target as Element);
      this.kept = this.marks.symbol !== undefined || this.marks.path !== undefined;
    });
    this.host.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.unmark();
    });
  }

  private point(target: Element): void {
    const symbol = target.closest("[data-symbol]")?.getAttribute("data-symbol");
    const cell = target.closest<HTMLElement>("td[data-row]");
    const table = this.tables.find((each) => each.table.contains(target));
    this.unmark();
    if (symbol) this.markSymbol(symbol);
    else if (cell && table && this.equations) {
      const axes = table.axesOf(cell);
      if (axes) this.marks.path = pathOf(this.equations.tree, axes.row, axes.column);
    }
    this.player.redraw();
  }

  private markSymbol(name: string): void {
    const index = this.equations?.symbols.findIndex((symbol) => symbol.name === name) ?? -1;
    const is = this.equations?.symbols[index];
    if (is) this.marks.symbol = { is, value: this.numbers?.symbols[index] ?? is.value };
    for (const each of this.content.querySelectorAll("[data-symbol]"))
      each.classList.toggle("pointed", each.getAttribute("data-symbol") === name);
  }

  private unmark(): void {
    this.kept = false;
    this.marks.symbol = this.marks.path = undefined;
    for (const each of this.content.querySelectorAll(".pointed")) each.classList.remove("pointed");
    this.player.redraw();
  }

  /** Marks the rows and columns of the selected body or joint. */
  private markSelected(): void {
    const element = selected();
    const scene = this.view?.scene;
    const body = element?.kind === "bodies" ? scene?.bodies[element.index]?.name : undefined;
    const joint = element?.kind === "joints" ? scene?.joints[element.index]?.name : undefined;
    for (const table of this.tables) table.mark(body, joint);
  }

  /* ---- copying and printing ---- */

  private async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.done.textContent = equationTexts.copied;
    } catch {
      // The browser denies access to the clipboard, or the address has no TLS.
      const field = h("textarea", { readOnly: true, value: text, rows: 6, ariaLabel: equationTexts.latex });
      this.content.append(field);
      field.select();
    }
  }

  private async copyAll(): Promise<void> {
    if (this.derived === undefined) return;
    const { status, body } = await this.solver.equations({ format: "latex" });
    if (status === 200) await this.copy((body as { latex: string }).latex);
  }

  private async print(): Promise<void> {
    if (this.derived === undefined) return;
    const { status, body } = await this.solver.equations({ format: "json" });
    if (status === 413) this.done.textContent = equationTexts.tooLargeToPrint;
    if (status !== 200) return;
    const sheet = makeSheet(body as Equations, undefined, this.mode);
    document.documentElement.classList.add("printing-equations");
    addEventListener(
      "afterprint",
      () => {
        sheet.remove();
        document.documentElement.classList.remove("printing-equations");
      },
      { once: true },
    );
    print();
  }
}
