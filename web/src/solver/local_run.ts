// A run in the browser, prepared for drawing. It is not stored.
import { sceneOf } from "../document/validation";
import { cutCurves } from "../drawing/curves";
import { Recorded } from "../drawing/recorded";
import { readScene, type Scene } from "../drawing/scene";
import { loadMotion, type Motion } from "../results/motion";
import { heldReader } from "../results/readers";
import type { Solver } from "./solver";
import type { ResultArray } from "./solver_module";

export interface LocalRun {
  document: string;
  scene: Scene;
  motion: Motion;
  recorded: Recorded;
}

/** Reads a run from its arrays; returns undefined if nothing moves. */
export async function readLocalRun(
  solver: Solver,
  document: string,
  arrays: ResultArray[],
): Promise<LocalRun | undefined> {
  const read = heldReader(arrays);
  // All rows are in memory, so none are skipped.
  const motion = await loadMotion(read, arrays, 1);
  if (!motion || motion.times.length < 2) return undefined;
  const scene = readScene(await sceneOf(solver, document));
  await cutCurves(scene, 1, read, arrays);
  return { document, scene, motion, recorded: new Recorded(scene, motion, read, arrays) };
}
