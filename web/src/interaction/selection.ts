// The selected element of the document: the tree, the drawing and the page share it. At most one element is selected.

/** The lists of a document whose elements can be selected; functions, variables and inputs are objects, in the order of
 * their members. */
export const KINDS = [
  "bodies",
  "joints",
  "drivers",
  "forces",
  "functions",
  "variables",
  "inputs",
  "states",
  "signals",
  "sampled",
  "events",
  "sensors",
] as const;
export type Kind = (typeof KINDS)[number];

/** The parts of a document that are no lists: the model itself, the ground, the analysis. */
export const SETTINGS = ["model", "ground", "analysis"] as const;

/** An element by its list and its index, from 0, in the document and in a scene. In the arrays of a scene the ground
 * has index 0, so that body 0 of the document is number 1. */
export interface Selected {
  /** The list; "settings" with the index in SETTINGS. */
  kind: Kind | "settings";
  index: number;
}

type Listener = (selected: Selected | undefined) => void;

const listeners = new Set<Listener>();
let current: Selected | undefined;

export function selected(): Selected | undefined {
  return current;
}

export function isSelected(kind: Selected["kind"], index: number): boolean {
  return current?.kind === kind && current.index === index;
}

/** Selects an element or none. Notifies all listeners if the selection changes. */
export function select(element: Selected | undefined): void {
  if (element ? isSelected(element.kind, element.index) : !current) return;
  current = element;
  for (const listener of listeners) listener(current);
}

/** Calls `listener` at each future change of the selection. */
export function onSelection(listener: Listener): void {
  listeners.add(listener);
}
