// The page's address and history. Each history entry restores what it showed, on reload, back and forward. The fragment
// names a job, an example, a lesson or a whole document; the entry stores what no fragment can name, such as an edited
// document.

/** The state that a history entry stores. */
export interface Entry {
  /** The document in the editor, if the fragment does not name it. */
  document?: string;
  /** The name of the file from which the document was opened. */
  name?: string;
  /** The name of the example. */
  example?: string;
}

/** Delay of saving edits [ms]. Browsers limit how often an entry may change. */
const DELAY = 300;

let waiting: Entry | undefined;
let timer = 0;

/** Returns the state of the current history entry; undefined if it has none yet. */
export function entry(): Entry | undefined {
  return waiting ?? (history.state as Entry | null) ?? undefined;
}

function write(put: (kept: Entry) => void, kept: Entry): void {
  try {
    put(kept);
  } catch {
    // The document is too long for the browser's limit; the draft stores it.
    put({ name: kept.name, example: kept.example });
  }
}

function settle(): void {
  clearTimeout(timer);
  if (waiting) write((kept) => history.replaceState(kept, ""), waiting);
  waiting = undefined;
}

/** Stores the state of the current history entry. */
export function keep(kept: Entry): void {
  waiting = kept;
  settle();
}

/** Stores the state of the current history entry after DELAY. */
export function keepSoon(kept: Entry): void {
  waiting = kept;
  clearTimeout(timer);
  timer = window.setTimeout(settle, DELAY);
}

/** Adds a history entry with a fragment ("#..." or ""). */
export function visit(fragment: string, kept: Entry): void {
  settle();
  write((what) => history.pushState(what, "", `${location.pathname}${location.search}${fragment}`), kept);
}

/** Calls `show` with the state of the entry when the user goes back or forward. */
export function onVisit(show: (kept: Entry | undefined) => void): void {
  addEventListener("popstate", () => {
    clearTimeout(timer);
    waiting = undefined;
    show(entry());
  });
  addEventListener("pagehide", settle);
}
