// Readers of a run's rows: from the service, or from the arrays of a run in the browser.
import { readArray } from "../app/api";
import type { ResultArray } from "../solver/solver_module";
import type { ReadArray } from "./recording";

/** Returns a reader of a job's arrays. */
export function jobReader(id: string): ReadArray {
  return (name, ...which) => readArray(id, name, ...which);
}

/** Returns a reader of arrays in memory. */
export function heldReader(arrays: ResultArray[]): ReadArray {
  return (name, _, column) => {
    const array = arrays.find((each) => each.name === name);
    const { data = new Float64Array(0), labels = [], shape = [] } = array ?? {};
    if (column === undefined) return Promise.resolve({ shape, data });
    const [at, width] = [labels.indexOf(column), labels.length];
    const values = Float64Array.from({ length: shape[0] ?? 0 }, (_, i) => data[i * width + at] ?? NaN);
    return Promise.resolve({ shape: shape.slice(0, 1), data: values });
  };
}
