// Stores the last edited document in the browser, so that a reload or a closed tab does not lose it.

const KEY = "mbsd.draft";
/** Delay of storing a draft [ms], because a document may be long. */
const DELAY_MS = 300;

let waiting: string | undefined;
let timer = 0;

/** Stores the waiting draft. A browser without storage stores no drafts. */
function write(): void {
  clearTimeout(timer);
  if (waiting === undefined) return;
  try {
    localStorage.setItem(KEY, waiting);
  } catch {
    // The storage is full or disabled.
  }
  waiting = undefined;
}

export function keepDraft(text: string): void {
  waiting = text;
  clearTimeout(timer);
  timer = window.setTimeout(write, DELAY_MS);
}

export function draft(): string | undefined {
  write();
  try {
    return localStorage.getItem(KEY) || undefined;
  } catch {
    return undefined;
  }
}

export function dropDraft(): void {
  waiting = undefined;
  try {
    localStorage.removeItem(KEY);
  } catch {
    // There is no storage, so there is no draft.
  }
}

addEventListener("pagehide", write);
