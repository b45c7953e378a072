// The elements of a document, as its tree lists them.
import { KINDS, type Kind, type Selected } from "../interaction/selection";
import { asFields, asList, type Fields } from "./fields";

export interface Element extends Selected {
  /** "" where it has none. */
  name: string;
  /** "" of bodies and sensors, which have none. */
  type: string;
  /** Its JSON pointer. */
  pointer: string;
  fields: Fields;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The model of a document, bare or within "model", and the JSON pointer to it; undefined where the text is no JSON. */
export function modelIn(document: string): { model: Fields; prefix: string } | undefined {
  let root: Fields;
  try {
    root = asFields(JSON.parse(document));
  } catch {
    return undefined;
  }
  return "model" in root ? { model: asFields(root.model), prefix: "/model" } : { model: root, prefix: "" };
}

/** The elements of a document; undefined where the text is no JSON. */
export function elementsOf(document: string): Element[] | undefined {
  const found = modelIn(document);
  if (!found) return undefined;
  const { model, prefix } = found;
  return KINDS.flatMap((kind: Kind) =>
    asList(model[kind]).map((value, index) => {
      const fields = asFields(value);
      const { name, type } = fields;
      return { kind, index, name: text(name), type: text(type), pointer: `${prefix}/${kind}/${index}`, fields };
    }),
  );
}

/** What an element is called, where it has no name by its type and place. */
export function titleOf({ name, type, index }: Element): string {
  return name || `${type || "element"} ${index + 1}`;
}
