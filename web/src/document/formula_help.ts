// What an expression in the text is: the mathematics, and its exact derivatives by the names in it.
import { h } from "../app/dom";
import { lines, m } from "../equations/mathml";
import { Solver } from "../solver/solver";

/** One of its own, so that a run in another one is not waited for. */
let solver: Solver | undefined;

/** "∂/∂x = ..." */
function derivative({ symbol, mathml }: { symbol: string; mathml: string }): HTMLElement {
  const d = (...under: Node[]): Element => m("mrow", m("mo", "∂"), ...under);
  const by = lines(symbol).flatMap((line) => [...line.childNodes]);
  const fraction = m("math", m("mfrac", d(), d(...by)), m("mo", "="));
  return h("div", { className: "derivative" }, fraction, ...lines(mathml));
}

/** Undefined for what is no expression of names. */
export async function formulaHelp(expression: string): Promise<HTMLElement | undefined> {
  solver ??= new Solver();
  const formula = await solver.formula(expression).catch(() => undefined);
  if (!formula || formula.derivatives.length === 0) return undefined;
  const whole = h("div", { className: "expression" }, ...lines(formula.mathml));
  return h("div", { className: "help formula" }, whole, ...formula.derivatives.map(derivative));
}
