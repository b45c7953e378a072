// The solver in the page: the same program as the service's, in a worker. What it cannot do says so, and is a job for
// the service then.
import type { Problem } from "../app/api";
import { liveTexts } from "../app/texts";
import type { Answer, Call, ResultArray } from "./solver_module";
import type { Command, Failure, SessionReply } from "./solver_session";
import type { Content, Question, Reply } from "./solver_worker";

/** How a run ended; as of a job. */
export interface Outcome {
  status: "succeeded" | "failed" | "cancelled";
  report: Record<string, unknown> | null;
  error: Failure | null;
  /** Of an attempt: how much of it was done. */
  fraction?: number;
}

export type Validation = { problem: Problem } | { report: Record<string, unknown> };
export type Run = { problem: Problem } | { needsServer: string } | { outcome: Outcome; arrays: ResultArray[] };

/** An expression in MathML, and its derivatives by the names in it. */
export interface Formula {
  mathml: string;
  derivatives: { by: string; symbol: string; mathml: string }[];
}

/** The solver could not be loaded, or failed itself. */
export class SolverError extends Error {}

/** The solver did not answer for longer than is waited for, and was ended. */
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
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  /** What POST /validate would answer. */
  async validate(document: string, scene = false): Promise<Validation> {
    const { answer } = await this.call("validate", document, Number(scene));
    if (answer.status !== 200) return { problem: answer.body as Problem };
    return { report: answer.body as Record<string, unknown> };
  }

  /** Its first position, as a run of one row. */
  assemble(document: string): Promise<Run> {
    return this.run(document, "assemble");
  }

  /** What a job of the service would come to if it has not more than so many seconds; else it is "cancelled". */
  attempt(document: string, seconds: number): Promise<Run> {
    return this.run(document, "attempt", seconds);
  }

  /** What a job of the service would come to. */
  async run(document: string, call: "run" | "assemble" | "attempt" = "run", seconds = 0): Promise<Run> {
    const { answer, arrays } = await this.call(call, document, seconds);
    if (answer.status !== 200) return { problem: answer.body as Problem };
    const outcome = answer.body as Outcome;
    if (outcome.error?.code === "method_not_built") return { needsServer: outcome.error.detail };
    return { outcome, arrays };
  }

  /** Derives the equations of a document, in the worker; undefined: it is done. */
  async derive(document: string): Promise<Problem | undefined> {
    const { answer } = await this.call("derive", document, 0);
    return answer.status === 200 ? undefined : (answer.body as Problem);
  }

  /** What is asked of the equations that were derived last (wasm/module.h), as of HTTP: 409 where they are of another
   * mechanism, 413 where there are too many blocks. */
  async equations(request: object): Promise<Answer> {
    return (await this.call("equations", JSON.stringify(request), 0)).answer;
  }

  /** An expression as mathematics, and its derivatives; undefined: it is none. */
  async formula(expression: string): Promise<Formula | undefined> {
    const { answer } = await this.call("formula", JSON.stringify({ expression }), 0);
    return answer.status === 200 ? (answer.body as Formula) : undefined;
  }

  /** Asks the session that the worker holds, which is lost when it stops. */
  async session(command: Command): Promise<SessionReply> {
    return ((await this.ask((id) => ({ id, command }))) as { session: SessionReply }).session;
  }

  /** Ends whatever goes on; the next call starts another worker. */
  stop(reason = new SolverError("stopped")): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker("solver-worker.js", { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
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
