// Elements without a place in the drawing: they are added in the list below the tree, and completed in their forms.
import { additionTexts } from "../app/texts";
import { Draft } from "../build/draft";
import type { Kind, Selected } from "../interaction/selection";
import type { Fields } from "./fields";
import type { Change } from "./pointer";

export interface Addition {
  kind: Kind;
  title: string;
  /** The first part of the name, before a number. */
  stem: string;
  /** A valid element without its name; a variable or an input is its number. */
  element: Fields | number;
}

export const ADDITIONS: Addition[] = [
  { kind: "states", title: additionTexts.state, stem: "state", element: { rate: "0", initial: 0 } },
  { kind: "signals", title: additionTexts.signal, stem: "signal", element: { type: "expression", value: "0" } },
  { kind: "signals", title: additionTexts.pid, stem: "pid", element: { type: "pid", input: "0", kp: 1 } },
  {
    kind: "signals",
    title: additionTexts.transfer,
    stem: "filter",
    element: { type: "transfer-function", input: "0", numerator: [1], denominator: [1, 1] },
  },
  { kind: "functions", title: additionTexts.table, stem: "table", element: { x: [0, 1], y: [0, 1], outside: "hold" } },
  { kind: "functions", title: additionTexts.function, stem: "f", element: { arguments: ["u"], value: "u" } },
  { kind: "variables", title: additionTexts.variable, stem: "variable", element: 0 },
  { kind: "inputs", title: additionTexts.input, stem: "input", element: 0 },
  { kind: "sampled", title: additionTexts.sampled, stem: "sampled", element: { period: 0.1, value: "0" } },
  { kind: "events", title: additionTexts.event, stem: "event", element: { when: "t - 1" } },
  { kind: "sensors", title: additionTexts.sensor, stem: "sensor", element: { value: "t" } },
];

/** Adds an element to a document. Returns the change of the text, and the element. Throws if the text is not JSON. */
export function added(text: string, { kind, stem, element }: Addition): { change: Change; made: Selected } {
  const draft = new Draft(text);
  const name = draft.freeName(stem);
  const isMember = kind === "functions" || typeof element === "number";
  const index = isMember ? draft.addMember(kind, name, element) : draft.add(kind, { name, ...element });
  return { change: draft.change, made: { kind, index } };
}
