// Which element of the document is selected: in the tree, in the drawing, by whoever is asked. One at a time.

/** The lists of a document whose elements can be selected. */
export const KINDS = ["bodies", "joints", "drivers", "forces", "sensors"] as const;
export type Kind = (typeof KINDS)[number];

/** An element by its list and its place in it, from 0: as in the document, and as in a scene (where bodies begin with
 * the ground, so that body 0 of the document is number 1). */
export interface Selected {
  kind: Kind;
  index: number;
}

type Listener = (selected: Selected | undefined) => void;

const listeners = new Set<Listener>();
let current: Selected | undefined;

export function selected(): Selected | undefined {
  return current;
}

export function isSelected(kind: Kind, index: number): boolean {
  return current?.kind === kind && current.index === index;
}

/** Selects an element, or none, and tells all listeners if that is another one. */
export function select(element: Selected | undefined): void {
  if (element ? isSelected(element.kind, element.index) : !current) return;
  current = element;
  for (const listener of listeners) listener(current);
}

/** Has `listener` called with what is selected from now on. */
export function onSelection(listener: Listener): void {
  listeners.add(listener);
}
