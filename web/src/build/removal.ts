// Deletes an element from a document, with all elements that refer to it, after the user has confirmed.
import { h } from "../app/dom";
import { removalTexts } from "../app/texts";
import { elementsOf, modelIn, titleOf, type Element } from "../document/elements";
import { asFields, asList } from "../document/fields";
import { changed, difference, itemRemoval, memberChange, pointerTo, type Change } from "../document/pointer";
import type { Kind, Selected } from "../interaction/selection";

/** Fields that name elements of a list, in addition to references to points and expressions. */
const NAMING: Partial<Record<Kind, string[]>> = { bodies: ["body", "bodies"], joints: ["joint"] };
/** Fields in which the name before the dot is a body; those of bodies' own shapes contain no dots. */
const PLACES = ["points", "point", "vectors", "reference", "line", "plane", "shapes"];
/** Fields with texts for readers, which do not count as references. */
const WORDS = ["name", "description", "type", "unit"];

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Escapes a text for use in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Returns true if an element refers to another one: by name, by its points, or in an expression. */
function refers({ fields }: Element, { kind, name }: Element): boolean {
  if (!name) return false;
  // Quantities of an element follow its name and a dot; a function is called; a state or a signal is a name alone.
  const alone = kind === "states" || kind === "signals";
  const end = alone ? "(?![\\w.])" : kind === "functions" ? "\\s*[(]" : "\\s*\\.";
  const pattern = new RegExp(`(^|[^\\w.])${escaped(name)}${end}`);
  return Object.entries(fields).some(([field, value]) => {
    if (WORDS.includes(field) || field.startsWith("x-")) return false;
    const texts = textsIn(value);
    if (NAMING[kind]?.includes(field)) return texts.includes(name);
    if (PLACES.includes(field)) return kind === "bodies" && texts.some((text) => text.startsWith(`${name}.`));
    return texts.some((text) => pattern.test(text));
  });
}

/** Returns all elements that refer to an element, directly or indirectly. */
export function dependents(element: Element, elements: Element[]): Element[] {
  const removed = [element];
  for (const one of removed)
    for (const other of elements) if (!removed.includes(other) && refers(other, one)) removed.push(other);
  return removed.slice(1);
}

/** Returns the change that removes elements from a text, and joints among them from `hold` of the analysis. */
export function removal(text: string, elements: Element[]): Change {
  const { model, prefix } = modelIn(text) ?? { model: {}, prefix: "" };
  const joints = elements.flatMap(({ kind, name }) => (kind === "joints" && name ? [name] : []));
  const held = asList(asFields(model.analysis).hold).flatMap((name, i) =>
    joints.includes(String(name)) ? [pointerTo(prefix, "analysis", "hold", String(i))] : [],
  );
  // Starts with the last elements, because removing an item changes the indices after it.
  const inOrder = [...elements].sort((one, other) => other.index - one.index);
  const functions = inOrder.filter(({ kind }) => kind === "functions").map(({ name }) => name);
  const items = inOrder.filter(({ kind }) => kind !== "functions").map(({ pointer }) => pointer);
  let result = text;
  for (const name of functions) {
    const change = memberChange(result, pointerTo(prefix, "functions"), name, undefined);
    if (change) result = changed(result, [change]);
  }
  for (const pointer of [...items, ...held.reverse()]) {
    const change = itemRemoval(result, pointer);
    if (change) result = changed(result, [change]);
  }
  return difference(text, withoutPoints(result, elements));
}

/** Removes points that only deleted joints used: those of the ground, and of bodies that have shapes. Other bodies
 * are drawn from their points. */
function withoutPoints(text: string, removed: Element[]): string {
  const used = removed.flatMap(({ kind, fields }) => (kind === "joints" ? textsIn(fields.points) : []));
  const { model = {}, prefix = "" } = modelIn(text) ?? {};
  const texts = textsIn(model);
  let result = text;
  for (const place of new Set(used)) {
    const [body = "", point = ""] = place.split(".");
    const pattern = new RegExp(`(^|[^\\w.])${escaped(place)}(?!\\w)`);
    if (texts.some((each) => pattern.test(each))) continue;
    const index = asList(model.bodies).findIndex((each) => asFields(each).name === body);
    const holder = body === "ground" ? asFields(model.ground) : asFields(asList(model.bodies)[index]);
    const shapes = asList(holder.shapes);
    if (body !== "ground" && (shapes.length === 0 || textsIn(shapes).includes(point))) continue;
    const pointer = body === "ground" ? [prefix, "ground"] : [prefix, "bodies", String(index)];
    const change = memberChange(result, pointerTo(pointer[0] as string, ...pointer.slice(1), "points"), point, undefined);
    if (change) result = changed(result, [change]);
  }
  return result;
}

/** Asks the user whether to delete the elements that refer to an element as well. */
function confirmRemoval(element: Element, others: Element[]): Promise<boolean> {
  const one = {
    bodies: "body",
    joints: "joint",
    drivers: "driver",
    forces: "force",
    functions: "function",
    states: "state",
    signals: "signal",
    sampled: "sampled value",
    events: "event",
    sensors: "sensor",
  };
  const kindOf = ({ type, kind }: Element): HTMLElement => h("span", { className: "faint" }, type || one[kind]);
  const list = others.map((other) => h("li", {}, `${titleOf(other)} `, kindOf(other)));
  const cancel = h("button", { type: "button" }, removalTexts.cancel);
  const remove = h("button", { type: "submit", className: "primary", value: "remove" }, removalTexts.all);
  const title = h("h2", { id: "removal-title" }, removalTexts.title(titleOf(element)));
  const text = h("p", {}, removalTexts.text);
  const buttons = h("p", { className: "tools" }, remove, cancel);
  const form = h("form", { method: "dialog" }, title, text, h("ul", {}, ...list), buttons);
  const dialog = h("dialog", {}, form);
  dialog.setAttribute("aria-labelledby", title.id);
  cancel.addEventListener("click", () => dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "remove");
    }),
  );
}

/** Returns the change that deletes an element; undefined if the user cancels. */
export async function removalOf(text: string, { kind, index }: Selected): Promise<Change | undefined> {
  const elements = elementsOf(text) ?? [];
  const element = elements.find((each) => each.kind === kind && each.index === index);
  if (!element) return undefined;
  const others = dependents(element, elements);
  return others.length === 0 || (await confirmRemoval(element, others)) ? removal(text, [element, ...others]) : undefined;
}
