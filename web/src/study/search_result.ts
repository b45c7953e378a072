// Describes the result of an optimization or a fit: why it ended and what to do next, the best values, their
// uncertainties, and the parameters without influence on the data or the objective.
import { h } from "../app/dom";
import { formatNumber } from "../app/format";
import { searchTexts } from "../app/texts";
import type { Objective } from "./objective";

/** The fields of a search in the report of a study. */
export interface Found {
  evaluations?: number;
  limit?: number;
  algorithm?: string | null;
  why?: string | null;
  stopped?: "converged" | "local" | "limit" | "infeasible" | "unbounded" | null;
  without_influence?: string[];
  best?: Best | null;
  covariance?: (number | null)[][] | null;
  residual_sd?: number | null;
  at_bound?: string[];
  not_identifiable?: { detail: string; combination: Record<string, number> };
}

export interface Best {
  index: number;
  objective: number;
  violation: number;
  parameters: Record<string, number>;
  outputs: Record<string, number>;
}

const DIGITS = 6;

/** Returns why the search ended and what to do next, and whether that is a success. */
function ending(
  { stopped, evaluations = 0, limit = 0, best, why }: Found,
  objective: Objective | undefined,
): [string, "good" | "bad" | "warn"] {
  const farther = objective?.global ? "" : searchTexts.global;
  if (stopped === "converged") return [`${searchTexts.converged}${farther}`, "good"];
  if (stopped === "local")
    return [searchTexts.local, "warn"];
  if (stopped === "limit" && evaluations >= limit)
    return [searchTexts.limit(evaluations), "warn"];
  if (stopped === "infeasible") {
    const nearest = best ? searchTexts.nearest(best.violation) : "";
    return [searchTexts.infeasible(nearest), "bad"];
  }
  if (stopped === "unbounded") return [searchTexts.unbounded(why ?? searchTexts.giveBounds), "bad"];
  if (best) return [searchTexts.stopped(evaluations), "warn"];
  return [searchTexts.noOutputs, "bad"];
}

/** Formats a value with its standard deviation, with as many digits as are significant. */
function withDeviation(value: number, deviation: number | undefined): string {
  if (deviation === undefined || !(deviation > 0)) return formatNumber(value, DIGITS);
  const digits = Math.min(Math.max(Math.ceil(Math.log10(Math.abs(value) / deviation)) + 2, 2), 15);
  return `${Number(value.toPrecision(digits))} ± ${formatNumber(deviation, 2)}`;
}

function deviationOf(covariance: Found["covariance"], k: number): number | undefined {
  const variance = covariance?.[k]?.[k];
  return typeof variance === "number" ? Math.sqrt(variance) : undefined;
}

/** Returns the note on a parameter; "" if there is none. */
function noteOf(name: string, { at_bound: bound = [], without_influence: without = [] }: Found): string {
  if (without.includes(name)) return searchTexts.noInfluence;
  return bound.includes(name) ? searchTexts.atBound : "";
}

function valuesList(found: Found, best: Best): HTMLElement {
  const items = Object.entries(best.parameters).map(([name, value], k) => {
    const note = noteOf(name, found);
    const text = withDeviation(value, deviationOf(found.covariance, k));
    const noteView = note === "" ? [] : [" ", h("span", { className: "warn" }, note)];
    return h("div", {}, h("dt", {}, name), h("dd", {}, text, ...noteView));
  });
  return h("dl", { className: "study-best" }, ...items);
}

/** Formats a combination of parameters, such as "k + 0.5 m". */
function combinationText(combination: Record<string, number>): string {
  return Object.entries(combination)
    .filter(([, part]) => part !== 0)
    .map(([name, part], i) => {
      const sign = part < 0 ? (i > 0 ? " - " : "-") : i > 0 ? " + " : "";
      const size = formatNumber(Math.abs(part), 3);
      return `${sign}${size === "1" ? "" : `${size} `}${name}`;
    })
    .join("");
}

/** Returns the elements that show the result. */
export function searchResultView(found: Found, objective: Objective | undefined): HTMLElement[] {
  const { best, algorithm, evaluations = 0, not_identifiable: unknown, without_influence: without = [] } = found;
  const [text, kind] = ending(found, objective);
  const view: HTMLElement[] = [h("p", { className: kind }, text)];
  if (best) {
    const where = searchTexts.trial(best.index) + (algorithm ? searchTexts.ofTrials(evaluations, algorithm) : "");
    const { residual_sd: deviation } = found;
    const spread = typeof deviation === "number" ? searchTexts.deviation(deviation) : "";
    view.push(h("p", {}, searchTexts.objective(formatNumber(best.objective, DIGITS), where, spread)));
    view.push(valuesList(found, best));
  } else if (without.length > 0) view.push(h("p", {}, searchTexts.without(without)));
  if (unknown) {
    const along = combinationText(unknown.combination);
    view.push(h("p", { className: "warn" }, searchTexts.notIdentifiable(along)));
  }
  return view;
}
