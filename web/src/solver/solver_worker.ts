// The worker that runs the solver: answers one call after another. Only this script may compile WebAssembly, by its
// Content-Security-Policy.
import { SolverModule, type Answer, type Call, type ResultArray } from "./solver_module";
import type { Command, SessionReply } from "./solver_session";

export type Question = { id: number } & ({ call: Call; document: string; number: number } | { command: Command });

export type Content = { answer: Answer; arrays: ResultArray[] } | { session: SessionReply };

/** `broken`: the solver failed internally or could not be loaded. */
export type Reply = { id: number } & (Content | { broken: string });

/** Sent once, when loading has ended. Each answer reports its failure. */
export type Loaded = { loaded: true };

const compiled = WebAssembly.compileStreaming(fetch(new URL("mbs.wasm", location.href)));
const tell = (): void => postMessage({ loaded: true } satisfies Loaded);
compiled.then(tell, tell);
let solver: SolverModule | undefined;

async function reply(question: Question): Promise<Reply> {
  const { id } = question;
  try {
    solver ??= new SolverModule(await compiled);
    if ("command" in question) return { id, session: solver.session.do(question.command) };
    return { id, ...solver.call(question.call, question.document, question.number) };
  } catch (error) {
    solver = undefined; // A solver that failed is not used again: the next question creates a new one.
    return { id, broken: String(error) };
  }
}

/** Returns the buffers that are transferred to the page without a copy. */
function transferred(answer: Reply): Transferable[] {
  if ("arrays" in answer) return answer.arrays.map(({ data }) => data.buffer);
  if (!("session" in answer)) return [];
  const { session } = answer;
  if ("opened" in session) return [session.opened.numbers.buffer];
  return "moved" in session ? [session.moved.numbers.buffer] : [];
}

addEventListener("message", (event: MessageEvent<Question>) => {
  void reply(event.data).then((answer) => postMessage(answer, { transfer: transferred(answer) }));
});
