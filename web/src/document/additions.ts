// Elements without a place in the drawing: they are added in the list below the tree, and completed in their forms.
import { additionTexts } from "../app/texts";
import { Draft } from "../build/draft";
import type { Kind, Selected } from "../interaction/selection";
import { modelIn } from "./elements";
import { asFields, asList, type Fields } from "./fields";
import type { Change } from "./pointer";

export interface Addition {
  kind: Kind;
  title: string;
  /** The first part of the name, before a number. */
  stem: string;
  /** A valid element of a model without its name; a variable or an input is its number. */
  element: Fields | number | ((model: Fields) => Fields);
}

/** Returns the name of the first body of a model. */
function firstBody({ bodies }: Fields): string {
  return String(asFields(asList(bodies)[0]).name ?? "");
}

/** Returns a word of a planar model or its counterpart in space. */
const bySpace = <T>({ space }: Fields, planar: T, spatial: T): T => (space === "spatial" ? spatial : planar);

export const ADDITIONS: Addition[] = [
  {
    kind: "bodies",
    title: additionTexts.body,
    stem: "body",
    element: (model) => ({ mass: 1, inertia: bySpace<unknown>(model, 1, [1, 1, 1]), points: {} }),
  },
  {
    kind: "joints",
    title: additionTexts.constraint,
    stem: "constraint",
    element: (model) => ({ type: "expression", value: `${firstBody(model)}.${bySpace(model, "phi", "x")}` }),
  },
  {
    kind: "joints",
    title: additionTexts.velocity,
    stem: "constraint",
    element: (model) => ({ type: "velocity", value: `${firstBody(model)}.${bySpace(model, "omega", "vx")}` }),
  },
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
  const fields = typeof element === "function" ? element(modelIn(text)?.model ?? {}) : element;
  const isMember = kind === "functions" || typeof fields === "number";
  const index = isMember ? draft.addMember(kind, name, fields) : draft.add(kind, { name, ...fields });
  return { change: draft.change, made: { kind, index } };
}
