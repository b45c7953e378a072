// The worker that holds the solver: answers one call after another. It alone may compile WebAssembly, by the policy that
// comes with this script.
import { SolverModule, type Answer, type Call, type ResultArray } from "./solver-module";

export interface Question {
  id: number;
  call: Call;
  document: string;
  /** With "validate": what a drawing needs is to come along. */
  scene: boolean;
}

/** `failure`: the solver itself failed, or could not be loaded. */
export type Reply = { id: number } & ({ answer: Answer; arrays: ResultArray[] } | { failure: string });

const compiled = WebAssembly.compileStreaming(fetch(new URL("mbs.wasm", location.href)));
compiled.catch(() => undefined); // each question tells of it
let solver: SolverModule | undefined;

async function reply({ id, call, document, scene }: Question): Promise<Reply> {
  try {
    solver ??= new SolverModule(await compiled);
    return { id, ...solver.call(call, document, scene) };
  } catch (error) {
    solver = undefined; // what it was in the midst of is lost; the next one begins anew
    return { id, failure: String(error) };
  }
}

addEventListener("message", (event: MessageEvent<Question>) => {
  void reply(event.data).then((answer) => {
    const transfer = "arrays" in answer ? answer.arrays.map(({ data }) => data.buffer) : [];
    postMessage(answer, { transfer });
  });
});
