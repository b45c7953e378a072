// Reads JSON values of which nothing is known yet: what is not of the kind wanted counts as empty or absent.
import type { Pair } from "./geometry";

/** A JSON object. */
export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function asPair(value: unknown): Pair | undefined {
  const [x, y] = asList(value).map(asNumber);
  return x === undefined || y === undefined ? undefined : [x, y];
}
