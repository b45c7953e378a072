// Runs the document in the browser after each edit, within a time limit. A separate solver does it, so that dragging
// never waits for a run.
import { Solver, SolverError, SolverHung } from "./solver";
import type { ResultArray } from "./solver_module";

/** Time limit of an automatic run [s]. The service runs longer ones. */
const LONGEST = 0.2;
/** Time after which a solver that does not return is terminated [ms]. */
const HANGS = 5000;
/** Pause in editing after which a run starts [ms]. */
const TYPING_PAUSE_MS = 250;

/** The result of an automatic run. */
export type LocalOutcome =
  /** `ends`: why the run ended early. */
  | { arrays: ResultArray[]; seconds: number; ends?: string }
  /** Estimated duration of the complete run [s]; with `least`, only that it is longer than this. */
  | { longer: number; least: boolean }
  /** No result: the document has errors, has no run, or the solver did not respond. */
  | { none: "wrong" | "other" | "hung" };

export class AutoRun {
  private readonly solver = new Solver();
  private wanted: string | undefined;
  private newest: string | undefined;
  private busy = false;
  private timer = 0;
  /** True while a slider moves: more edits will follow. */
  private passing = false;
  /** True if a run since the last complete edit exceeded the time limit. */
  private long = false;
  private answered = false;
  /** True if the browser has no solver. */
  private missing = false;

  /** Calls `onRun` with the result of each run. A run starts only while `ready` returns true. */
  constructor(
    private readonly onRun: (document: string, outcome: LocalOutcome) => Promise<void>,
    private readonly ready: () => boolean,
  ) {}

  /** Runs a document after a pause in editing; with `passing` (a moving slider), as soon as the previous run is
   * done. Only the newest waiting document is run. */
  follow(document: string, passing: boolean): void {
    this.newest = document;
    this.passing = passing;
    clearTimeout(this.timer);
    if (this.missing || (passing && this.long)) return;
    if (!passing) this.long = false;
    if (passing) void this.start(document);
    else this.wait();
  }

  /** True if the results of the run are still wanted. */
  get wants(): boolean {
    return this.newest !== undefined;
  }

  /** Cancels all waiting runs. */
  drop(): void {
    clearTimeout(this.timer);
    this.newest = this.wanted = undefined;
  }

  private wait(): void {
    this.timer = window.setTimeout(() => {
      if (!this.ready()) this.wait();
      else if (this.newest !== undefined) void this.start(this.newest);
    }, TYPING_PAUSE_MS);
  }

  private async start(document: string): Promise<void> {
    this.wanted = document;
    if (this.busy) return;
    this.busy = true;
    try {
      for (let next = this.take(); next !== undefined; next = this.take()) await this.run(next);
    } finally {
      this.busy = false;
    }
  }

  private take(): string | undefined {
    const next = this.wanted;
    this.wanted = undefined;
    return next;
  }

  private async run(document: string): Promise<void> {
    const outcome = await this.attempt(document);
    this.long = "longer" in outcome || ("none" in outcome && outcome.none === "hung");
    // A result is discarded if the document has changed meanwhile, except while a slider moves.
    if (this.newest === document || (this.passing && this.newest !== undefined && this.wanted !== undefined))
      await this.onRun(document, outcome);
  }

  private async attempt(document: string): Promise<LocalOutcome> {
    try {
      const run = await this.solver.within(HANGS, () => this.solver.attempt(document, LONGEST));
      this.answered = true;
      if ("problem" in run) return { none: "wrong" };
      if (!("outcome" in run)) return { none: "other" };
      const { status, fraction, error, report } = run.outcome;
      if (status === "cancelled") return fraction === undefined ? { none: "other" } : longer(fraction);
      const seconds = Number(report?.wall_seconds);
      return { arrays: run.arrays, seconds, ...(error && { ends: error.detail }) };
    } catch (error) {
      if (!(error instanceof SolverError)) throw error;
      if (error instanceof SolverHung) return { none: "hung" };
      this.missing = !this.answered;
      return { none: "other" };
    }
  }
}

/** Returns the outcome of a run of which this fraction was completed within the time limit. */
function longer(fraction: number): LocalOutcome {
  return fraction > 0 ? { longer: LONGEST / fraction, least: false } : { longer: LONGEST, least: true };
}
