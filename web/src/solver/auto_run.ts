// Runs of the page that start by themselves, of a document as it is edited: they get some time, and what is not done then
// is given up. They have a solver of their own, so that what is moved by hand meanwhile waits for none of them.
import { Solver, SolverError, SolverHung } from "./solver";
import type { ResultArray } from "./solver_module";

/** What takes longer is left to the service [s]. */
const LONGEST = 0.2;
/** A solver that does not even give up is stopped then [ms]. */
const HANGS = 5000;
/** After an edit a run waits so long for the next one [ms]. */
const TYPING_PAUSE_MS = 250;

/** How a run came out that started by itself. */
export type LocalOutcome =
  /** `ends`: why it ended early. */
  | { arrays: ResultArray[]; seconds: number; ends?: string }
  /** How long it would take [s]. */
  | { longer: number }
  /** It was none, has mistakes, or the solver did not answer. */
  | { none: "wrong" | "other" | "hung" };

export class AutoRun {
  private readonly solver = new Solver();
  private wanted: string | undefined;
  private newest: string | undefined;
  private busy = false;
  private timer = 0;
  /** There will be more edits. */
  private passing = false;
  /** Runs take too long since the last edit. */
  private long = false;
  private answered = false;
  /** There is no solver. */
  private missing = false;

  /** `onRun` is called with what a run came to, `ready` says whether one may start. */
  constructor(
    private readonly onRun: (document: string, outcome: LocalOutcome) => Promise<void>,
    private readonly ready: () => boolean,
  ) {}

  /** Runs a document when no other edit follows, or (`passing`: there will be more of them) as soon as the run before is
   * done; of those that wait only the newest. */
  follow(document: string, passing: boolean): void {
    this.newest = document;
    this.passing = passing;
    clearTimeout(this.timer);
    if (this.missing || (passing && this.long)) return;
    if (!passing) this.long = false;
    if (passing) void this.start(document);
    else this.wait();
  }

  /** Whether what was run is still asked for. */
  get wants(): boolean {
    return this.newest !== undefined;
  }

  /** Nothing is to be run any more. */
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
    // Of what was edited meanwhile the next run tells; a slider on its way is followed from run to run.
    if (this.newest === document || (this.passing && this.newest !== undefined && this.wanted !== undefined))
      await this.onRun(document, outcome);
  }

  private async attempt(document: string): Promise<LocalOutcome> {
    const watch = setTimeout(() => this.solver.stop(new SolverHung()), HANGS);
    try {
      const run = await this.solver.attempt(document, LONGEST);
      this.answered = true;
      if ("problem" in run) return { none: "wrong" };
      if (!("outcome" in run)) return { none: "other" };
      const { status, fraction = 0, error, report } = run.outcome;
      if (status === "cancelled") return fraction > 0 ? { longer: LONGEST / fraction } : { none: "other" };
      const seconds = Number(report?.wall_seconds);
      return { arrays: run.arrays, seconds, ...(error && { ends: error.detail }) };
    } catch (error) {
      if (!(error instanceof SolverError)) throw error;
      if (error instanceof SolverHung) return { none: "hung" };
      this.missing = !this.answered;
      return { none: "other" };
    } finally {
      clearTimeout(watch);
    }
  }
}
