// Lists the elements of a document for its tree.
import { settingTexts } from "../app/texts";
import { KINDS, SETTINGS, type Kind, type Selected } from "../interaction/selection";
import { asFields, asList, type Fields } from "./fields";
import { pointerTo } from "./pointer";

export interface Element extends Selected {
  /** The name of the element; "" if it has none. */
  name: string;
  /** The class of the element; "" for bodies, variables, inputs, states, sampled values, events and sensors, which have none. A
   * function is a table or an expression. */
  type: string;
  /** The JSON pointer of the element. */
  pointer: string;
  /** True if the element is a member of an object under its name, false for an item of a list. */
  member: boolean;
  /** The fields of the element; for a variable or an input, which is a number, its name with that number. */
  fields: Fields;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the model of a document, bare or in "model", and its JSON pointer; undefined if the text is not JSON. */
export function modelIn(document: string): { model: Fields; prefix: string } | undefined {
  let root: Fields;
  try {
    root = asFields(JSON.parse(document));
  } catch {
    return undefined;
  }
  return "model" in root ? { model: asFields(root.model), prefix: "/model" } : { model: root, prefix: "" };
}

/** Returns the functions of a model: tables, and expressions of arguments. */
function functionsOf(model: Fields, prefix: string): Element[] {
  return Object.entries(asFields(model.functions)).map(([name, value], index) => {
    const fields = asFields(value);
    const type = "value" in fields ? "expression" : "table";
    const pointer = pointerTo(prefix, "functions", name);
    return { kind: "functions", index, name, type, pointer, member: true, fields };
  });
}

/** Returns true if elements of a kind are numbers under their names. */
export const areNumbers = (kind: Selected["kind"]): boolean => kind === "variables" || kind === "inputs";

function numbersOf(model: Fields, prefix: string, kind: Kind): Element[] {
  return Object.entries(asFields(model[kind])).map(([name, value], index) => {
    const pointer = pointerTo(prefix, kind, name);
    return { kind, index, name, type: "", pointer, member: true, fields: { [name]: value } };
  });
}

/** Returns the JSON pointer of the object that has the fields of an element. */
export function holderOf({ kind, pointer }: Element): string {
  return areNumbers(kind) ? pointer.slice(0, pointer.lastIndexOf("/")) : pointer;
}

/** Returns the elements of a document; undefined if the text is not JSON. */
export function elementsOf(document: string): Element[] | undefined {
  const found = modelIn(document);
  if (!found) return undefined;
  const { model, prefix } = found;
  return KINDS.flatMap((kind: Kind) => {
    if (kind === "functions") return functionsOf(model, prefix);
    if (areNumbers(kind)) return numbersOf(model, prefix, kind);
    return asList(model[kind]).map((value, index) => {
      const fields = asFields(value);
      const [name, type, pointer] = [text(fields.name), text(fields.type), `${prefix}/${kind}/${index}`];
      return { kind, index, name, type, pointer, member: false, fields };
    });
  });
}

/** Returns the settings of a document as elements: the model without its lists, the ground, the analysis. */
export function settingsOf(document: string): Element[] {
  const { model = {}, prefix = "" } = modelIn(document) ?? {};
  return SETTINGS.map((part, index): Element => {
    const fields = part === "model" ? model : asFields(model[part]);
    const pointer = part === "model" ? prefix : pointerTo(prefix, part);
    return { kind: "settings", index, name: settingTexts[part][0], type: "", pointer, member: true, fields };
  });
}

/** Returns the title of an element: its name, or its type and number if it has no name. */
export function titleOf({ name, type, index }: Element): string {
  return name || `${type || "element"} ${index + 1}`;
}

/** Returns the names of the joints that the drivers of a document move. */
export function drivenJoints(text: string): Set<string> {
  return new Set(asList(modelIn(text)?.model.drivers).map((driver) => String(asFields(driver).joint ?? "")));
}
