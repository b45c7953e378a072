// The objective of an optimization or a fit, and its best trial.
import { asFields, asList } from "../document/fields";
import type { StudyRuns } from "./runs";

/** The data of one measured quantity. */
export interface Measured {
  of: string;
  count: number;
}

export interface Objective {
  kind: "optimize" | "fit";
  /** True if the objective is maximized. */
  greatest: boolean;
  constrained: boolean;
  /** True if the search covers all bounds (method global). */
  global: boolean;
  /** The data of a fit, in the order of the array `residuals`. */
  data: Measured[];
}

/** Tolerance of constraints for rounding errors of the compared values [relative]. */
const ROUNDING = 1e-6;

/** Returns the objective of a document's study; undefined if it has none. */
export function objectiveOf(document: string): Objective | undefined {
  const study = asFields(asFields(JSON.parse(document)).study);
  const [optimize, fit] = [asFields(study.optimize), asFields(study.fit)];
  if (study.optimize === undefined && study.fit === undefined) return undefined;
  return {
    kind: study.fit === undefined ? "optimize" : "fit",
    greatest: optimize.maximize !== undefined,
    constrained: asList(optimize.subject_to).length > 0,
    global: (study.fit === undefined ? optimize : fit).method === "global",
    data: asList(fit.data).map((each) => {
      const { of, values } = asFields(each);
      return { of: String(of), count: asList(values).length };
    }),
  };
}

/** Returns true if a trial satisfies the constraints. */
export function isFeasible(runs: StudyRuns, row: number): boolean {
  return !((runs.column("violation")?.values[row] ?? 0) > ROUNDING);
}

/** Returns for each trial the row of the best one so far; -1 if none had an objective. */
export function bestRows(runs: StudyRuns): Int32Array {
  const objective = runs.column("objective")?.values ?? new Float64Array(runs.count).fill(NaN);
  const violation = runs.column("violation")?.values ?? new Float64Array(runs.count);
  const sign = runs.objective?.greatest ? -1 : 1;
  let best = -1;
  const beats = (row: number): boolean => {
    if (runs.failed(row) || !Number.isFinite(objective[row])) return false;
    if (best < 0) return true;
    const [one, other] = [isFeasible(runs, row), isFeasible(runs, best)];
    if (one !== other) return one;
    if (!one) return (violation[row] as number) < (violation[best] as number);
    return sign * (objective[row] as number) < sign * (objective[best] as number);
  };
  return Int32Array.from({ length: runs.count }, (_, row) => (best = beats(row) ? row : best));
}
