// Elements without a drawing tool: they are added in the list below the tree, and completed in their forms.
import { additionTexts, removalTexts } from "../app/texts";
import { classesIn, CLASS_LISTS, type Class } from "../build/classes";
import { Draft } from "../build/draft";
import { GROUND } from "../drawing/scene";
import type { Kind, Selected } from "../interaction/selection";
import { modelIn } from "./elements";
import { asFields, asList, type Fields } from "./fields";
import type { Change } from "./pointer";
import type { Schema } from "./schema";

export interface Addition {
  kind: Kind;
  title: string;
  /** The first part of the name, before a number. */
  stem: string;
  /** A valid element of a model without its name; a variable or an input is its number. */
  element: Fields | number | ((model: Fields, draft: Draft) => Fields);
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
    element: (model) => ({
      mass: 1,
      ...bySpace<Fields>(
        model,
        { inertia: 1, points: {} },
        {
          inertia: [0.001667, 0.01417, 0.01417],
          points: { A: [-0.2, 0, 0], B: [0.2, 0, 0] },
          shapes: [{ type: "box", size: [0.4, 0.1, 0.1] }],
        },
      ),
    }),
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

/** Classes of models in space that are complete between two bodies; their forms change them into others. */
const IN_SPACE: Record<(typeof CLASS_LISTS)[number], string[]> = {
  joints: ["revolute", "spherical", "prismatic", "cylindrical", "universal", "planar", "screw", "fixed"],
  forces: ["spring-damper", "force", "torque"],
  drivers: ["joint"],
};

/** First values of required fields of these classes, where they are no references. */
const BEGINNINGS: Record<string, unknown> = { function: "2*pi*t", value: [0, 0, -10], stiffness: 100 };

/** Axes of a new joint on its first and on its second body. */
const AXES = { usual: [[0, 1, 0], [0, 1, 0]], universal: [[0, 1, 0], [0, 0, 1]] };

/** Returns the first value of a field of a class in space; undefined if the field is omitted. The element connects the
 * last body to the one before it, or to the ground. */
function beginning({ kind, type, fields }: Class, name: string, draft: Draft): unknown {
  const { required, schema } = fields.find((each) => each.name === name) ?? {};
  const last = draft.list("bodies").length - 1;
  const before = last > 0 ? last - 1 : GROUND;
  const [one, other] = (type === "universal" ? AXES.universal : AXES.usual) as [number[], number[]];
  switch (name) {
    case "points":
      return [draft.somePoint(before, -1), draft.somePoint(last, 0)];
    case "vectors":
      if (type === "fixed" || schema?.minItems !== 2) return undefined;
      return [draft.addVector(before, one), draft.addVector(last, other)];
    case "point":
      return type === "force" ? draft.somePoint(last, -1) : undefined;
    case "body":
      return required ? draft.nameOf(last) : undefined;
    case "joint":
      return required ? draft.list("joints").at(-1)?.name : undefined;
  }
  const isGiven = required || (kind === "forces" && name === "stiffness");
  return isGiven && name !== "name" ? (BEGINNINGS[name] ?? schema?.enum?.[0] ?? 1) : undefined;
}

/** Returns the joints, forces and drivers of models in space, for which there are no drawing tools. */
export function spatialAdditions(schema: Schema): Addition[] {
  const classes = classesIn(schema, "spatial");
  const offered = CLASS_LISTS.flatMap((kind) =>
    IN_SPACE[kind].flatMap((type) => classes.find((each) => each.kind === kind && each.type === type) ?? []),
  );
  return offered.map((each): Addition => ({
    kind: each.kind,
    title: `${removalTexts.kinds[each.kind]}: ${each.type}`,
    stem: each.type.replaceAll("-", "_"),
    element: (_, draft) => {
      const names = each.fields.map(({ name }) => name).filter((name) => name !== "type");
      const values = names.map((name) => [name, beginning(each, name, draft)] as const);
      return { type: each.type, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
    },
  }));
}

/** Adds an element to a document. Returns the change of the text, and the element. Throws if the text is not JSON. */
export function added(text: string, { kind, stem, element }: Addition): { change: Change; made: Selected } {
  const draft = new Draft(text);
  const name = draft.freeName(stem);
  const fields = typeof element === "function" ? element(modelIn(text)?.model ?? {}, draft) : element;
  const isMember = kind === "functions" || typeof fields === "number";
  const index = isMember ? draft.addMember(kind, name, fields) : draft.add(kind, { name, ...fields });
  return { change: draft.change, made: { kind, index } };
}
