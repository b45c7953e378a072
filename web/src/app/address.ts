// The page's address and its history: each entry shows, on a reload and on the way back and forward, what it showed
// before. The fragment names a job, an example, a lesson or a whole document; what no fragment can name, as a document
// that was edited, is kept with the entry.

/** What is kept with an entry of the history. */
export interface Entry {
  /** The document in the editor where the fragment does not say it. */
  document?: string;
  /** The name of the file that it was opened from. */
  name?: string;
  /** The example that it is. */
  example?: string;
}

/** Not at every stroke: browsers limit how often an entry may change [ms]. */
const DELAY = 300;

let waiting: Entry | undefined;
let timer = 0;

/** What is kept with the entry that is shown; undefined: nobody has looked at it yet. */
export function entry(): Entry | undefined {
  return waiting ?? (history.state as Entry | null) ?? undefined;
}

function write(put: (kept: Entry) => void, kept: Entry): void {
  try {
    put(kept);
  } catch {
    // The document is too long for the browser: the draft has it.
    put({ name: kept.name, example: kept.example });
  }
}

function settle(): void {
  clearTimeout(timer);
  if (waiting) write((kept) => history.replaceState(kept, ""), waiting);
  waiting = undefined;
}

/** Keeps something else with the entry that is shown. */
export function keep(kept: Entry): void {
  waiting = kept;
  settle();
}

/** The same, soon. */
export function keepSoon(kept: Entry): void {
  waiting = kept;
  clearTimeout(timer);
  timer = window.setTimeout(settle, DELAY);
}

/** Begins an entry with a fragment ("#..." or ""). */
export function visit(fragment: string, kept: Entry): void {
  settle();
  write((what) => history.pushState(what, "", `${location.pathname}${location.search}${fragment}`), kept);
}

/** Calls back when another entry is shown, with what is kept with it. */
export function onVisit(show: (kept: Entry | undefined) => void): void {
  addEventListener("popstate", () => {
    clearTimeout(timer);
    waiting = undefined;
    show(entry());
  });
  addEventListener("pagehide", settle);
}
