// The selected elements of the document: the tree, the drawing and the page share them. The form shows the last one.

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
/** Elements that are selected besides the last one. */
let others: Selected[] = [];

export function selected(): Selected | undefined {
  return current;
}

export function allSelected(): Selected[] {
  return current ? [...others, current] : [];
}

function isSame(one: Selected | undefined, kind: Selected["kind"], index: number): boolean {
  return one?.kind === kind && one.index === index;
}

export function isSelected(kind: Selected["kind"], index: number): boolean {
  return isSame(current, kind, index);
}

export function isAmongSelected(kind: Selected["kind"], index: number): boolean {
  return allSelected().some((each) => isSame(each, kind, index));
}

/** Adds an element to the selection, or removes it. */
export function toggleSelected(element: Selected): void {
  const { kind, index } = element;
  const all = allSelected();
  const rest = all.filter((each) => !isSame(each, kind, index));
  const next = rest.length < all.length ? rest : [...rest, element];
  current = next.pop();
  others = next;
  for (const listener of listeners) listener(current);
}

/** Selects an element or none. Notifies all listeners if the selection changes. */
export function select(element: Selected | undefined): void {
  if (others.length === 0 && (element ? isSelected(element.kind, element.index) : !current)) return;
  current = element;
  others = [];
  for (const listener of listeners) listener(current);
}

/** Calls `listener` at each future change of the selection. */
export function onSelection(listener: Listener): void {
  listeners.add(listener);
}
