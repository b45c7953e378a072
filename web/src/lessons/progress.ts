// The number of completed steps of each lesson, stored in the browser.

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

/** Stores the progress; a smaller number of steps does not replace a larger one. */
export function keepProgress(lesson: string, steps: number): void {
  if (steps <= stepsDone(lesson)) return;
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all(), [lesson]: steps }));
  } catch {
    // Without storage the progress lasts until the page is closed.
  }
}
