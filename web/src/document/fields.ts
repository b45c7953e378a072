// Reads JSON values of unknown type. A value of another type counts as empty or absent.

/** A JSON object. */
export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
