// Finds the range in a JSON text to which a JSON pointer (RFC 6901) refers.
import { parser } from "@lezer/json";

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree["topNode"];

/** A range of the text, in UTF-16 units. */
export interface Place {
  from: number;
  to: number;
}

const VALUES = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

function children(node: Node, wanted: (name: string) => boolean): Node[] {
  const found: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) if (wanted(child.name)) found.push(child);
  return found;
}

/** Returns the items of an array; for other nodes the values in them. */
export function itemsOf(node: Node): Node[] {
  return children(node, (name) => VALUES.has(name));
}

function valueOf(node: Node): Node | undefined {
  return itemsOf(node)[0];
}

function membersOf(object: Node): Node[] {
  return children(object, (name) => name === "Property");
}

export function keyOf(text: string, property: Node): string | undefined {
  const name = property.getChild("PropertyName");
  return name ? stringOf(text, name) : undefined;
}

/** Returns the content of a string with quotes; undefined if it is invalid. */
function stringOf(text: string, { from, to }: Place): string | undefined {
  try {
    return JSON.parse(text.slice(from, to)) as string;
  } catch {
    return undefined;
  }
}

/** A range of the text and its replacement. */
export interface Change extends Place {
  insert: string;
}

/** Returns the text after changes that do not overlap. */
export function changed(text: string, changes: Change[]): string {
  const inOrder = [...changes].sort((one, other) => other.from - one.from);
  return inOrder.reduce((result, { from, to, insert }) => result.slice(0, from) + insert + result.slice(to), text);
}

/** Returns a pointer extended by keys. */
export function pointerTo(pointer: string, ...keys: string[]): string {
  return [pointer, ...keys.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");
}

/** Returns the members and items of a pointer. */
export function tokensOf(pointer: string): string[] {
  return pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Follows one step of a pointer: returns the member or item `token`; undefined if there is none. */
function step(text: string, value: Node, token: string): Node | undefined {
  if (value.name === "Object") return membersOf(value).find((property) => keyOf(text, property) === token);
  if (value.name === "Array") return itemsOf(value)[Number(token)];
  return undefined;
}

/** Returns the node of the value at a pointer; undefined if there is none. */
function valueAt(text: string, pointer: string): Node | undefined {
  let value = valueOf(parser.parse(text).topNode);
  for (const token of tokensOf(pointer)) {
    const next = value && step(text, value, token);
    value = next?.name === "Property" ? valueOf(next) : next;
  }
  return value;
}

/** Returns the change that sets a member of the object at a pointer (`value` as JSON), or removes it (undefined).
 * Adds a new member at the end, with the white space of the one before it. Returns undefined if there is nothing to
 * remove, or no object. */
export function memberChange(
  text: string,
  pointer: string,
  name: string,
  value: string | undefined,
): Change | undefined {
  const object = valueAt(text, pointer);
  const members = object ? membersOf(object) : [];
  const index = members.findIndex((each) => keyOf(text, each) === name);
  const [before, member, after] = [members[index - 1], members[index], members[index + 1]];
  if (member && value === undefined)
    return { from: before?.to ?? member.from, to: before ? member.to : (after?.from ?? member.to), insert: "" };
  const last = members.at(-1);
  if (value === undefined || object?.name !== "Object") return undefined;
  const old = member && valueOf(member);
  if (old) return { from: old.from, to: old.to, insert: value };
  const written = `${JSON.stringify(name)}: ${value}`;
  if (!last) return { from: object.from, to: object.to, insert: `{ ${written} }` };
  return { from: last.to, to: last.to, insert: `,${spaceBefore(text, last)}${written}` };
}

/** Returns the white space before a member or item. */
function spaceBefore(text: string, { from }: Place): string {
  return /\s*$/.exec(text.slice(0, from))?.[0] || " ";
}

/** Returns the indentation of the line at an offset. */
function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

/** Returns the change that appends an item (JSON of one or more lines) to the array at a pointer, with the white
 * space of the item before it. Returns undefined if there is no array. */
export function itemAddition(text: string, pointer: string, item: string): Change | undefined {
  const list = valueAt(text, pointer);
  if (list?.name !== "Array") return undefined;
  const last = itemsOf(list).at(-1);
  const indent = indentOf(text, (last ?? list).from);
  const indented = (by: string): string => item.replaceAll("\n", `\n${by}`);
  if (last) return { from: last.to, to: last.to, insert: `,${spaceBefore(text, last)}${indented(indent)}` };
  const { from, to } = list;
  const inner = `${indent}  `;
  return { from, to, insert: text.includes("\n") ? `[\n${inner}${indented(inner)}\n${indent}]` : `[${item}]` };
}

/** Returns the change that removes the item at a pointer from its array; undefined if there is none. */
export function itemRemoval(text: string, pointer: string): Change | undefined {
  const list = valueAt(text, pointer.slice(0, pointer.lastIndexOf("/")));
  if (list?.name !== "Array") return undefined;
  const [items, index] = [itemsOf(list), Number(tokensOf(pointer).at(-1))];
  const [before, item, after] = [items[index - 1], items[index], items[index + 1]];
  if (!item) return undefined;
  if (before) return { from: before.to, to: item.to, insert: "" };
  return after ? { from: item.from, to: after.from, insert: "" } : { from: list.from, to: list.to, insert: "[]" };
}

/** Returns the change that sets the value at a path (JSON), or removes it (undefined). Creates the objects that lead to
 * a new member, and appends a new item to its array. Returns undefined if there is nothing to remove. */
export function valueChange(text: string, path: string[], value: string | undefined): Change | undefined {
  const [holder, name = ""] = [path.slice(0, -1), path.at(-1)];
  const pointer = pointerTo("", ...holder);
  const node = valueAt(text, pointer);
  if (!node && value !== undefined) return valueChange(text, holder, `{ ${JSON.stringify(name)}: ${value} }`);
  if (node?.name !== "Array") return memberChange(text, pointer, name, value);
  if (value === undefined) return itemRemoval(text, pointerTo("", ...path));
  const item = itemsOf(node)[Number(name)];
  return item ? { from: item.from, to: item.to, insert: value } : itemAddition(text, pointer, value);
}

/** Returns the single range in which two texts differ. */
export function difference(before: string, after: string): Change {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same++;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

/** A member with a numeric value, optionally with a unit as in "60 rpm", and the range of that value. */
export interface NumberMember extends Place {
  name: string;
  value: number;
  /** The unit as written after the number. */
  unit?: string;
}

const NUMBER = /^\s*[-+]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/;

/** Reads a number with a unit (solver/core/expression/unit_words.h); undefined if the text is an expression. */
export function measuredOf(text: string): { value: number; unit: string } | undefined {
  const number = NUMBER.exec(text)?.[0];
  const unit = text.slice(number?.length).trim();
  if (number === undefined || !/^(?:[A-Za-z\u0080-\uffff]|1\/)/.test(unit)) return undefined;
  return { value: Number(number.replace(/\s/g, "")), unit };
}

/** Returns the text of a member with another number and the same unit. */
export function writtenOf({ unit }: NumberMember, value: number): string {
  return unit === undefined ? String(value) : JSON.stringify(`${value} ${unit}`);
}

/** Returns the members of an object that are numbers, with or without a unit, in the order of the text. `path`: the
 * keys that lead to the object. */
export function numberMembers(text: string, ...path: string[]): NumberMember[] {
  const object = valueAt(text, pointerTo("", ...path));
  if (object?.name !== "Object") return [];
  return membersOf(object).flatMap((property) => {
    const [name, value] = [keyOf(text, property), valueOf(property)];
    if (name === undefined || !value) return [];
    const { from, to } = value;
    if (value.name === "Number") return [{ name, value: Number(text.slice(from, to)), from, to }];
    const measured = value.name === "String" ? measuredOf(stringOf(text, value) ?? "") : undefined;
    return measured ? [{ name, ...measured, from, to }] : [];
  });
}

/** Returns the numbers of an array with their ranges; undefined if there is no array at the pointer, or not only
 * numbers. */
export function numbersAt(text: string, pointer: string): (Place & { value: number })[] | undefined {
  const value = valueAt(text, pointer);
  if (value?.name !== "Array") return undefined;
  const items = itemsOf(value);
  if (items.some(({ name }) => name !== "Number")) return undefined;
  return items.map(({ from, to }) => ({ from, to, value: Number(text.slice(from, to)) }));
}

/** Cuts a range at the end of its first line, so that the mark of a long object does not cover the page. */
function firstLine(text: string, from: number, to: number): Place {
  const newline = text.indexOf("\n", from);
  return { from, to: newline < 0 ? to : Math.min(to, newline) };
}

/** Parses a text once and returns a function from pointers to ranges: a member with its key, or an array's item,
 * either the whole value (`whole`) or its first line. For a missing value, such as an absent field, the range is
 * that of the nearest enclosing object or array. */
export function placeFinder(text: string, whole = false): (pointer: string) => Place {
  const root = valueOf(parser.parse(text).topNode);
  return (pointer) => {
    if (!root) return { from: 0, to: 0 };
    let place = root;
    for (const token of tokensOf(pointer)) {
      const value = place.name === "Property" ? valueOf(place) : place;
      const next = value && step(text, value, token);
      if (!next) break;
      place = next;
    }
    return whole ? { from: place.from, to: place.to } : firstLine(text, place.from, place.to);
  };
}

/** Returns the offset of a line and column, both counted from 1; the end of the text if they are beyond it. */
export function placeOfLine(text: string, line: number, column: number): Place {
  let start = 0;
  for (let passed = 1; passed < line; passed++) {
    const newline = text.indexOf("\n", start);
    if (newline < 0) return { from: text.length, to: text.length };
    start = newline + 1;
  }
  const { to: end } = firstLine(text, start, text.length);
  const from = Math.min(start + Math.max(column - 1, 0), end);
  return { from, to: Math.min(from + 1, end) };
}

/** Returns the line of an offset, counted from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
