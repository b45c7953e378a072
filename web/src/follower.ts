// Runs in the page while sliders are turned, where they are quick: the plots follow them.
import type { ResultArray } from "./solver-module";
import { SolverError, type Solver } from "./solver";

/** What is expected to take longer is left to the service [s]. */
const LONGEST = 0.2;
/** How many times as long as in the service a run takes in the page, before one is known. */
const SLOWER = 3;

export class Follower {
  private seconds = Infinity;
  private wanted: string | undefined;
  private busy = false;

  /** `onRun` is called with what a run of the page came to. */
  constructor(
    private readonly solver: Solver,
    private readonly onRun: (document: string, arrays: ResultArray[]) => Promise<void>,
  ) {}

  /** Another run of the service is shown, which took so long [s]. */
  expect(seconds: unknown): void {
    this.seconds = typeof seconds === "number" ? SLOWER * seconds : Infinity;
    this.wanted = undefined;
  }

  /** Runs a document as soon as the one before is done; of those that wait only the newest. */
  async follow(document: string): Promise<void> {
    this.wanted = document;
    if (this.busy) return;
    this.busy = true;
    try {
      for (let next = this.take(); next !== undefined; next = this.take()) await this.run(next);
    } catch (error) {
      if (!(error instanceof SolverError)) throw error;
    } finally {
      this.busy = false;
    }
  }

  private take(): string | undefined {
    const next = this.seconds <= LONGEST ? this.wanted : undefined;
    this.wanted = undefined;
    return next;
  }

  private async run(document: string): Promise<void> {
    const run = await this.solver.run(document);
    if (!("outcome" in run)) return;
    const { wall_seconds: seconds } = run.outcome.report ?? {};
    if (typeof seconds === "number") this.seconds = seconds;
    await this.onRun(document, run.arrays);
  }
}
