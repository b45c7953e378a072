// The solver as a WebAssembly module (wasm/module.h tells of its calls): texts go in, answers and arrays come out.
import type { ArrayInfo } from "./api";

/** An array of results, row-major. */
export interface ResultArray extends ArrayInfo {
  data: Float64Array;
}

/** What the service would answer: the status of HTTP, and the body. */
export interface Answer {
  status: number;
  body: unknown;
}

export type Call = "validate" | "assemble" | "run";

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  allocate(size: number): number;
  release(place: number): void;
  answer(): number;
  answer_size(): number;
  validate(text: number, size: number, scene: number): number;
  assemble(text: number, size: number): number;
  run(text: number, size: number): number;
}

const REALTIME = 0;
/** wasi-libc's number for "bad file descriptor". */
const NO_SUCH_FILE = 8;

/** What wasi-libc asks of its system: clocks; and files, of which there are none. */
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
  private readonly calls: Exports;
  private arrays: ResultArray[] = [];

  constructor(compiled: WebAssembly.Module) {
    const memory = () => this.calls.memory;
    const imports = { wasi_snapshot_preview1: system(memory), page: { array: this.takeArray.bind(this) } };
    this.calls = new WebAssembly.Instance(compiled, imports).exports as unknown as Exports;
    this.calls._initialize();
  }

  /** Makes a call with a document; the arrays are those of a run or an assembly. */
  call(name: Call, document: string, scene: boolean): { answer: Answer; arrays: ResultArray[] } {
    const bytes = new TextEncoder().encode(document);
    const place = this.calls.allocate(bytes.length);
    if (place === 0 && bytes.length > 0) throw new Error("the document does not fit into the solver's memory");
    new Uint8Array(this.calls.memory.buffer, place, bytes.length).set(bytes);
    this.arrays = [];
    const status = this.calls[name](place, bytes.length, scene ? 1 : 0);
    this.calls.release(place);
    const body: unknown = JSON.parse(this.text(this.calls.answer(), this.calls.answer_size()));
    return { answer: { status, body }, arrays: this.arrays };
  }

  private text(place: number, size: number): string {
    return new TextDecoder().decode(new Uint8Array(this.calls.memory.buffer, place, size));
  }

  private takeArray(place: number, size: number, data: number, count: number): void {
    const info = JSON.parse(this.text(place, size)) as ArrayInfo;
    this.arrays.push({ ...info, data: new Float64Array(this.calls.memory.buffer, data, count).slice() });
  }
}
