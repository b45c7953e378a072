// Deletes an element from a document, with all elements that refer to it, after the user has confirmed.
import { h } from "../app/dom";
import { removalTexts } from "../app/texts";
import { areNumbers, elementsOf, modelIn, titleOf, type Element } from "../document/elements";
import { asFields, asList, type Fields } from "../document/fields";
import { changed, difference, itemRemoval, memberChange, pointerTo, type Change } from "../document/pointer";
import type { Kind, Selected } from "../interaction/selection";

/** How the texts of a field refer to elements of the document: as the name of an element of a list; as a point, vector
 * or shape of a body, "body.point"; not at all, as text for readers or a name of another kind. All other texts are
 * expressions. Fields of the analysis are separate, because signals have expressions as `input` and `output`. */
export const REFERENCES = {
  names: { body: "bodies", bodies: "bodies", joint: "joints", joints: "joints" } as Record<string, Kind>,
  analysisNames: {
    hold: "joints",
    steady: "joints",
    input: "drivers",
    output: "sensors",
    outputs: "sensors",
  } as Record<string, Kind>,
  places: ["points", "point", "vectors", "reference", "line", "plane", "shapes", "drum", "pulley"],
  words: ["name", "description", "type", "unit", "color", "arguments", "parameter", "sensitivities"],
};

/** Elements whose name alone is their value in an expression; quantities of others follow their name and a dot. */
const BARE: Element["kind"][] = ["states", "signals", "variables", "inputs", "sampled"];

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Escapes a text for use in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Returns true if an expression refers to an element. */
function reads(expression: string, { kind, name }: Element): boolean {
  const end = BARE.includes(kind) ? "(?![\\w.(])" : kind === "functions" ? "\\s*[(]" : "\\s*\\.";
  return new RegExp(`(^|[^\\w.])${escaped(name)}${end}`).test(expression);
}

/** Returns true if the value of a field refers to an element. Objects in it have fields, as the pulleys of a belt. */
function fieldRefers(field: string, value: unknown, element: Element): boolean {
  const { kind, name } = element;
  if (REFERENCES.words.includes(field) || field.startsWith("x-")) return false;
  if (Array.isArray(value)) return value.some((each) => fieldRefers(field, each, element));
  if (typeof value === "object") return fieldsRefer(asFields(value), element);
  if (typeof value !== "string") return false;
  if (field in REFERENCES.names) return REFERENCES.names[field] === kind && value === name;
  if (REFERENCES.places.includes(field)) return kind === "bodies" && value.startsWith(`${name}.`);
  return reads(value, element);
}

function fieldsRefer(fields: Fields, element: Element): boolean {
  // The arguments of a function hide other values of the same name.
  if (asList(fields.arguments).includes(element.name)) return false;
  // An event sets the values that its keys name.
  const set = Object.keys(asFields(fields.set));
  if (set.some((key) => reads(key, element))) return true;
  return Object.entries(fields).some(([field, value]) => fieldRefers(field, value, element));
}

/** Returns true if an element refers to another one: by name, by its points, or in an expression. */
function refers({ kind, fields }: Element, other: Element): boolean {
  if (!other.name) return false;
  // A variable or an input is a number; its name is no field.
  if (areNumbers(kind)) return Object.values(fields).some((value) => fieldRefers("value", value, other));
  return fieldsRefer(fields, other);
}

/** Returns all elements that refer to an element, directly or indirectly. */
export function dependents(element: Element, elements: Element[]): Element[] {
  const removed = [element];
  for (const one of removed)
    for (const other of elements) if (!removed.includes(other) && refers(other, one)) removed.push(other);
  return removed.slice(1);
}

/** Removes from a field of an analysis or study the items that refer to deleted elements, and the field itself if none
 * is left. Its value may also be a single item. */
function withoutItems(
  text: string,
  holder: string,
  field: string,
  value: unknown,
  isDeleted: (item: unknown) => boolean,
): string {
  const items = [value].flat();
  const deleted = items.flatMap((item, i) => (isDeleted(item) ? [i] : []));
  const changes =
    deleted.length === items.length
      ? [(before: string) => memberChange(before, holder, field, undefined)]
      : deleted.reverse().map((i) => (before: string) => itemRemoval(before, pointerTo(holder, field, String(i))));
  return changes.reduce((before, changeOf) => {
    const change = changeOf(before);
    return change ? changed(before, [change]) : before;
  }, text);
}

/** Removes what an analysis and a study say about deleted elements: names in lists, the end of the run, outputs, data. */
function withoutUses(text: string, removed: Element[]): string {
  const named = removed.filter(({ name }) => name);
  const isNamed = (kind: Kind, value: unknown): boolean =>
    named.some((each) => each.kind === kind && each.name === value);
  const isRead = (value: unknown): boolean => named.some((each) => fieldRefers("value", value, each));
  const root = asFields(JSON.parse(text));
  let result = text;
  for (const [prefix, { analysis }] of [["", root], ["/model", asFields(root.model)]] as const) {
    const [holder, fields] = [`${prefix}/analysis`, asFields(analysis)];
    for (const [field, kind] of Object.entries(REFERENCES.analysisNames))
      result = withoutItems(result, holder, field, fields[field], (item) => isNamed(kind, item));
    result = withoutItems(result, holder, "stop_when", fields.stop_when, isRead);
    for (const name of Object.keys(asFields(fields.inputs)).filter((each) => isNamed("inputs", each)))
      result = withoutItems(result, `${holder}/inputs`, name, name, () => true);
  }
  const isLost = (item: unknown): boolean => {
    const { of, when } = asFields(item);
    return isNamed("sensors", of) || isRead(of) || isRead(when);
  };
  const study = asFields(root.study);
  result = withoutItems(result, "/study", "outputs", study.outputs, isLost);
  return withoutItems(result, "/study/fit", "data", asFields(study.fit).data, isLost);
}

/** Returns the change that removes elements from a text, and what only they need. */
export function removal(text: string, elements: Element[]): Change {
  // Starts with the last elements, because removing an item changes the indices after it.
  const inOrder = [...elements].sort((one, other) => other.index - one.index);
  let result = text;
  for (const { pointer, name, member } of inOrder) {
    const parent = pointer.slice(0, pointer.lastIndexOf("/"));
    const change = member ? memberChange(result, parent, name, undefined) : itemRemoval(result, pointer);
    if (change) result = changed(result, [change]);
  }
  return difference(text, withoutPoints(withoutUses(result, elements), elements));
}

/** Returns true if a point of a body is an end or a corner of its shapes, or the centre of one. */
function isCorner(point: unknown, shapes: unknown[]): boolean {
  const place = JSON.stringify(point);
  const isCentre = (shape: unknown): boolean => asFields(shape).type === "circle" && asFields(shape).at === undefined;
  return JSON.stringify(shapes).includes(place) || (place === "[0,0]" && shapes.some(isCentre));
}

/** Removes points that only deleted joints used: those of the ground, and of bodies that have shapes, but not their ends
 * and corners. Other bodies are drawn from their points. */
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
    if (body !== "ground" && isCorner(asFields(holder.points)[point], shapes)) continue;
    const pointer = body === "ground" ? [prefix, "ground"] : [prefix, "bodies", String(index)];
    const change = memberChange(result, pointerTo(pointer[0] as string, ...pointer.slice(1), "points"), point, undefined);
    if (change) result = changed(result, [change]);
  }
  return result;
}

/** Asks the user whether to delete the elements that refer to some elements as well. */
function confirmRemoval(elements: Element[], others: Element[]): Promise<boolean> {
  const kindOf = ({ type, kind }: Element): HTMLElement => h("span", { className: "faint" }, type || removalTexts.kinds[kind]);
  const list = others.map((other) => h("li", {}, `${titleOf(other)} `, kindOf(other)));
  const cancel = h("button", { type: "button" }, removalTexts.cancel);
  const remove = h("button", { type: "submit", className: "primary", value: "remove" }, removalTexts.all);
  const title = h("h2", { id: "removal-title" }, removalTexts.title(elements.map(titleOf).join(", ")));
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

/** Returns the change that deletes elements; undefined if there are none, or if the user cancels. */
export async function removalOf(text: string, selected: Selected[]): Promise<Change | undefined> {
  const elements = elementsOf(text) ?? [];
  const chosen = elements.filter((each) => selected.some(({ kind, index }) => each.kind === kind && each.index === index));
  const [first] = chosen;
  if (!first) return undefined;
  const others = [...new Set(chosen.flatMap((each) => dependents(each, elements)))].filter((each) => !chosen.includes(each));
  return others.length === 0 || (await confirmRemoval(chosen, others)) ? removal(text, [...chosen, ...others]) : undefined;
}
