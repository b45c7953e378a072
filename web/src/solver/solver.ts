// The solver in the browser: the code of the service as WebAssembly, in a worker. It reports what it cannot do, so that
// the service can do it.
import type { Problem } from "../app/api";
import { liveTexts } from "../app/texts";
import type { Answer, Call, ResultArray } from "./solver_module";
import type { Command, Failure, SessionReply } from "./solver_session";
import type { Content, Loaded, Question, Reply } from "./solver_worker";

/** The outcome of a run, with the fields of a job. */
export interface Outcome {
  status: "succeeded" | "failed" | "cancelled";
  report: Record<string, unknown> | null;
  error: Failure | null;
  /** Fraction of an attempt that was completed; none for a study. */
  fraction?: number;
}

export type Validation = { problem: Problem } | { report: Record<string, unknown> };
export type Run = { problem: Problem } | { needsServer: string } | { outcome: Outcome; arrays: ResultArray[] };

/** An expression in MathML, and its derivatives with respect to its names. */
export interface Formula {
  mathml: string;
  derivatives: { by: string; symbol: string; mathml: string }[];
}

/** The solver could not be loaded, or failed internally. */
export class SolverError extends Error {}

/** The solver did not respond within the time limit and was terminated. */
export class SolverHung extends SolverError {
  constructor() {
    super(liveTexts.solverRestarted);
  }
}

interface Waiting {
  resolve(content: Content): void;
  reject(error: Error): void;
}

export class Solver {
  private worker: Worker | undefined;
  /** Resolves when the worker has loaded the solver, or when it cannot. */
  private loaded = Promise.resolve();
  private endLoading = (): void => undefined;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  /** Validates a document like POST /validate. */
  async validate(document: string, scene = false): Promise<Validation> {
    const { answer } = await this.call("validate", document, Number(scene));
    if (answer.status !== 200) return { problem: answer.body as Problem };
    return { report: answer.body as Record<string, unknown> };
  }

  /** Computes the first position of a document, as a run with one row. */
  assemble(document: string): Promise<Run> {
    return this.run(document, "assemble");
  }

  /** Runs a document like a job of the service, for at most this many seconds; beyond them the outcome is
   * "cancelled". */
  attempt(document: string, seconds: number): Promise<Run> {
    return this.run(document, "attempt", seconds);
  }

  /** Returns why an attempt at a document fails; undefined if it does not, or if that is not known. */
  async failure(document: string, seconds: number): Promise<Failure | undefined> {
    try {
      const run = await this.attempt(document, seconds);
      return "outcome" in run && run.outcome.status === "failed" ? (run.outcome.error ?? undefined) : undefined;
    } catch (error) {
      if (!(error instanceof SolverError)) throw error;
      return undefined;
    }
  }

  /** Runs a document like a job of the service. */
  async run(document: string, call: "run" | "assemble" | "attempt" = "run", seconds = 0): Promise<Run> {
    const { answer, arrays } = await this.call(call, document, seconds);
    if (answer.status !== 200) return { problem: answer.body as Problem };
    const outcome = answer.body as Outcome;
    if (outcome.error?.code === "method_not_built") return { needsServer: outcome.error.detail };
    return { outcome, arrays };
  }

  /** Derives the equations of a document in the worker. Returns undefined on success, otherwise the problem. */
  async derive(document: string): Promise<Problem | undefined> {
    const { answer } = await this.call("derive", document, 0);
    return answer.status === 200 ? undefined : (answer.body as Problem);
  }

  /** Queries the equations that derive() derived last (wasm/module.h). The status is that of HTTP: 409 if they
   * belong to another mechanism, 413 if they have too many blocks. */
  async equations(request: object): Promise<Answer> {
    return (await this.call("equations", JSON.stringify(request), 0)).answer;
  }

  /** Returns an expression, which may call `functions` of the document, as mathematics with its derivatives; undefined
   * if the text is not an expression. */
  async formula(expression: string, functions: unknown): Promise<Formula | undefined> {
    const { answer } = await this.call("formula", JSON.stringify({ expression, functions }), 0);
    return answer.status === 200 ? (answer.body as Formula) : undefined;
  }

  /** Sends a command to the worker's session, which is lost when the worker stops. */
  async session(command: Command): Promise<SessionReply> {
    return ((await this.ask((id) => ({ id, command }))) as { session: SessionReply }).session;
  }

  /** Makes calls, and terminates the worker if they take longer than `limit` [ms] after the solver was loaded. */
  async within<T>(limit: number, calls: () => Promise<T>): Promise<T> {
    this.worker ??= this.start();
    await this.loaded;
    const watch = setTimeout(() => this.stop(new SolverHung()), limit);
    try {
      return await calls();
    } finally {
      clearTimeout(watch);
    }
  }

  /** Terminates the worker. The next call starts a new one. */
  stop(reason = new SolverError("stopped")): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.endLoading();
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker("solver-worker.js", { type: "module" });
    this.loaded = new Promise((resolve) => (this.endLoading = resolve));
    worker.addEventListener("message", ({ data }: MessageEvent<Reply | Loaded>) => {
      if ("loaded" in data) return this.endLoading();
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("broken" in data) waiting?.reject(new SolverError(data.broken));
      else waiting?.resolve(data);
    });
    worker.addEventListener("error", () => this.stop(new SolverError(liveTexts.solverMissing)));
    return worker;
  }

  private async call(call: Call, document: string, number: number): Promise<{ answer: Answer; arrays: ResultArray[] }> {
    const content = await this.ask((id) => ({ id, call, document, number }));
    return content as { answer: Answer; arrays: ResultArray[] };
  }

  private ask(question: (id: number) => Question): Promise<Content> {
    this.worker ??= this.start();
    const id = ++this.last;
    this.worker.postMessage(question(id));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
}
