// Formats numbers, times and states for the page.

/** Formats a number with at most `digits` significant digits, without trailing zeros. */
export function formatNumber(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  return size < 1e-4 || size >= 1e9 ? rounded.toExponential() : String(rounded);
}

/** Converts a field name into words: "wall_seconds" becomes "Wall seconds". */
export function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a count with its noun: "1 body", "2 bodies". */
export function countOf(count: number, one: string, many = one + "s"): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Returns the message of a caught error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
