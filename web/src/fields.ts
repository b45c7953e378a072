// Reads JSON values of which nothing is known yet: what is not of the kind wanted counts as empty or absent.
import { evaluate } from "./expressions";
import type { Pair, Vector } from "./geometry";

/** A JSON object. */
export type Fields = Record<string, unknown>;

/** A model's parameters that are known. */
export type Parameters = ReadonlyMap<string, number>;

const NONE: Parameters = new Map();

export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number, or an expression over parameters that are known. */
export function asNumber(value: unknown, parameters = NONE): number | undefined {
  if (typeof value === "string") return evaluate(value, parameters);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function readParameters(value: unknown): Parameters {
  const known = new Map([["pi", Math.PI]]);
  const entries = Object.entries(asFields(value));
  // One may need another, in any order.
  for (let size = 0; size !== known.size; ) {
    size = known.size;
    for (const [name, field] of entries) {
      const number = asNumber(field, known);
      if (number !== undefined) known.set(name, number);
    }
  }
  return known;
}

/** `size` components; one that is left out at the end is 0, so that a flat drawing may stand in space, too. */
export function asVector(value: unknown, size: number, parameters = NONE): Vector | undefined {
  const given = asList(value).map((component) => asNumber(component, parameters));
  if (given.length < 2) return undefined;
  const vector = Array.from({ length: size }, (_, i) => (i < given.length ? given[i] : 0));
  return vector.every((component) => component !== undefined) ? (vector as Vector) : undefined;
}

export function asPair(value: unknown, parameters = NONE): Pair | undefined {
  return asVector(value, 2, parameters) as Pair | undefined;
}
