// The memory of the WebAssembly module (wasm/module.h): writes texts into it, reads answers and numbers from it.

/** The exports of the module. */
export interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  allocate(size: number): number;
  release(place: number): void;
  answer(): number;
  answer_size(): number;
  validate(text: number, size: number, scene: number): number;
  assemble(text: number, size: number): number;
  run(text: number, size: number): number;
  attempt(text: number, size: number, seconds: number): number;
  derive(text: number, size: number): number;
  equations(text: number, size: number): number;
  formula(text: number, size: number): number;
  open(text: number, size: number, carry: number): number;
  pull(body: number, x: number, y: number, z: number, toX: number, toY: number, toZ: number): number;
  distance(): number;
  set(text: number, size: number, value: number): number;
  drive(text: number, size: number, value: number): number;
  step(dt: number): number;
  poses(): number;
  time(): number;
  take_unit_motion(): number;
  evaluate(): number;
  points(level: number): number;
  centres(level: number): number;
  mass_centre(): number;
  instant_centres(): number;
  reactions(): number;
  forces(): number;
  sweep_begin(stride: number): number;
  sweep_next(): number;
  sweep_points(): number;
  sweep_centres(): number;
}

export class ModuleMemory {
  constructor(private readonly calls: Exports) {}

  /** Calls `call` with a text, which stays in the module's memory during the call. */
  withText(text: string, call: (place: number, size: number) => number): number {
    const bytes = new TextEncoder().encode(text);
    const place = this.calls.allocate(bytes.length);
    if (place === 0 && bytes.length > 0) throw new Error("the text does not fit into the solver's memory");
    new Uint8Array(this.calls.memory.buffer, place, bytes.length).set(bytes);
    const result = call(place, bytes.length);
    this.calls.release(place);
    return result;
  }

  /** Returns the last answer of the module. */
  answer(): unknown {
    return JSON.parse(this.text(this.calls.answer(), this.calls.answer_size()));
  }

  text(place: number, size: number): string {
    return new TextDecoder().decode(new Uint8Array(this.calls.memory.buffer, place, size));
  }

  /** Returns a copy of numbers in the module's memory. */
  numbers(place: number, count: number): Float64Array {
    return new Float64Array(this.calls.memory.buffer, place, count);
  }
}
