// Validates documents with the solver in the browser, or with the service if the browser has none.
import { ApiError, sceneOf as sceneByService, validate as validateByService, type ModelScene } from "../app/api";
import { SolverError, type Solver } from "../solver/solver";

async function orElse<T>(here: () => Promise<T>, there: () => Promise<T>): Promise<T> {
  try {
    return await here();
  } catch (error) {
    if (!(error instanceof SolverError)) throw error;
    return there();
  }
}

async function report(solver: Solver, text: string, scene: boolean): Promise<Record<string, unknown>> {
  const answer = await solver.validate(text, scene);
  if ("problem" in answer) throw new ApiError(answer.problem);
  return answer.report;
}

/** Validates a document and returns what the solver derived from it. Rejects with an ApiError if the document has
 * errors. */
export function validate(solver: Solver, text: string): Promise<Record<string, unknown>> {
  return orElse(() => report(solver, text, false), () => validateByService(text));
}

/** Returns the drawing data of a document's model. */
export function sceneOf(solver: Solver, text: string): Promise<ModelScene> {
  return orElse(
    async () => (await report(solver, text, true)).scene as ModelScene,
    () => sceneByService(text),
  );
}
