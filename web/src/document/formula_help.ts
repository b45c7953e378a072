// Shows an expression of the document as mathematics, with its exact derivatives by each name in it.
import { h } from "../app/dom";
import { lines, m } from "../equations/mathml";
import { Solver } from "../solver/solver";

/** A separate solver, so that formulas do not wait for a run in another one. */
let solver: Solver | undefined;

/** Creates a line "∂/∂x = ...". */
function derivative({ symbol, mathml }: { symbol: string; mathml: string }): HTMLElement {
  const d = (...under: Node[]): Element => m("mrow", m("mo", "∂"), ...under);
  const by = lines(symbol).flatMap((line) => [...line.childNodes]);
  const fraction = m("math", m("mfrac", d(), d(...by)), m("mo", "="));
  return h("div", { className: "derivative" }, fraction, ...lines(mathml));
}

/** Returns undefined if the text is not an expression that contains names. */
export async function formulaHelp(expression: string, functions: unknown): Promise<HTMLElement | undefined> {
  solver ??= new Solver();
  const formula = await solver.formula(expression, functions).catch(() => undefined);
  if (!formula || formula.derivatives.length === 0) return undefined;
  const whole = h("div", { className: "expression" }, ...lines(formula.mathml));
  return h("div", { className: "help formula" }, whole, ...formula.derivatives.map(derivative));
}
