// The list of symbols of a step, each with its meaning and value.
import { h } from "../app/dom";
import { formula, numbers, sentence, valueRows } from "./mathml";
import type { EquationSymbol, Value } from "./types";

/** Matrices with more numbers are not written out. */
const MOST = 16;

export class SymbolList {
  readonly element = h("ul", { className: "equation-symbols" });
  private readonly hosts: { index: number; host: HTMLElement; text: string }[] = [];

  /** Lists the symbols that `wants` accepts. */
  constructor(symbols: EquationSymbol[], wants: (name: string) => boolean) {
    symbols.forEach((symbol, index) => {
      if (!wants(symbol.name)) return;
      const host = h("span", { className: "equation-number" });
      this.hosts.push({ index, host, text: "" });
      const sign = formula(symbol.mathml);
      sign.setAttribute("aria-hidden", "true");
      const button = h("button", { type: "button" }, sign, h("span", { className: "hidden" }, symbol.name));
      button.dataset["symbol"] = symbol.name;
      const unit = symbol.unit === undefined || symbol.unit === "1" ? "" : ` [${symbol.unit}]`;
      this.element.append(h("li", {}, button, host, h("span", { className: "faint" }, ...sentence(symbol.meaning), unit)));
    });
  }

  setNumbers(values: Value[]): void {
    for (const place of this.hosts) {
      const rows = valueRows(values[place.index] ?? null);
      const text = JSON.stringify(rows);
      if (text === place.text || rows.length * (rows[0]?.length ?? 1) > MOST) continue;
      place.text = text;
      place.host.replaceChildren(numbers(rows));
    }
  }
}
