// How many steps of each lesson were done, as far as the browser remembers it.

const KEY = "mbsd.lessons";

function all(): Record<string, number> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, number>) : {};
  } catch {
    return {};
  }
}

export function stepsDone(lesson: string): number {
  return Number(all()[lesson]) || 0;
}

/** Steps that were done stay so. */
export function keepProgress(lesson: string, steps: number): void {
  if (steps <= stepsDone(lesson)) return;
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all(), [lesson]: steps }));
  } catch {
    // It is forgotten when the page is left.
  }
}
