// The solver as a WebAssembly module (wasm/module.h documents its calls): accepts texts, returns answers and arrays.
import type { ArrayInfo } from "../app/api";
import { ModuleMemory, type Exports } from "./solver_memory";
import { SolverSession } from "./solver_session";

/** An array of results, row-major. */
export interface ResultArray extends ArrayInfo {
  data: Float64Array;
}

/** The response that the service would send: HTTP status and body. */
export interface Answer {
  status: number;
  body: unknown;
}

/** A call of the module. The number of "validate" is 1 to request a scene; that of "attempt" is a time limit [s].
 * The text is a document, except for "equations" (a query for the equations derived last) and "formula" (an
 * expression). */
export type Call = "validate" | "assemble" | "run" | "attempt" | "derive" | "equations" | "formula";

const REALTIME = 0;
/** The error "bad file descriptor" of wasi-libc. */
const NO_SUCH_FILE = 8;

/** Returns the system calls that wasi-libc imports: clocks, and files, which do not exist here. */
function system(memory: () => WebAssembly.Memory): Record<string, (...values: never[]) => number> {
  const noFile = () => NO_SUCH_FILE;
  return {
    clock_time_get: (clock: number, _precision: bigint, place: number) => {
      const milliseconds = clock === REALTIME ? Date.now() : performance.now();
      new DataView(memory().buffer).setBigUint64(place, BigInt(Math.round(milliseconds * 1e6)), true);
      return 0;
    },
    fd_write: noFile,
    fd_seek: noFile,
    fd_close: noFile,
  };
}

export class SolverModule {
  readonly session: SolverSession;
  private readonly calls: Exports;
  private readonly memory: ModuleMemory;
  private arrays: ResultArray[] = [];

  constructor(compiled: WebAssembly.Module) {
    const memory = () => this.calls.memory;
    const imports = { wasi_snapshot_preview1: system(memory), page: { array: this.takeArray.bind(this) } };
    this.calls = new WebAssembly.Instance(compiled, imports).exports as unknown as Exports;
    this.calls._initialize();
    this.memory = new ModuleMemory(this.calls);
    this.session = new SolverSession(this.calls, this.memory);
  }

  /** Makes a call with a text. Returns the answer, and the arrays of a run or an assembly. */
  call(name: Call, document: string, number: number): { answer: Answer; arrays: ResultArray[] } {
    this.arrays = [];
    const status = this.memory.withText(document, (place, size) => this.calls[name](place, size, number));
    return { answer: { status, body: this.memory.answer() }, arrays: this.arrays };
  }

  private takeArray(place: number, size: number, data: number, count: number): void {
    const info = JSON.parse(this.memory.text(place, size)) as ArrayInfo;
    this.arrays.push({ ...info, data: this.memory.numbers(data, count).slice() });
  }
}
