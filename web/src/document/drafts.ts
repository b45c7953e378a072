// The document that the user has edited last, kept in the browser so that a reload or a closed tab does not lose it.

const KEY = "mbsd.draft";
/** Not at every stroke, because a document may be long. */
const DELAY_MS = 300;

let waiting: string | undefined;
let timer = 0;

/** Writes what waits; a browser without storage keeps no drafts. */
function write(): void {
  clearTimeout(timer);
  if (waiting === undefined) return;
  try {
    localStorage.setItem(KEY, waiting);
  } catch {
    // Full or forbidden.
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
    // There is none.
  }
}

addEventListener("pagehide", write);
