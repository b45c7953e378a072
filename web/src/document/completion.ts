// Completes members, classes and names of a model in the editor, and explains members on hover.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  insertCompletionText,
  pickedCompletion,
} from "@codemirror/autocomplete";
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { hoverTooltip, keymap, type Tooltip } from "@codemirror/view";
import type { SyntaxNode, Tree } from "@lezer/common";
import { h } from "../app/dom";
import { namesAt, type Continuation } from "./expression_names";
import { asFields, asList, type Fields } from "./fields";
import { pathOf, valueOf } from "./json_tree";
import { keyOf, type Place } from "./pointer";
import { isExpression, typeText, type Field, type Schema, type SchemaNode } from "./schema";

/** The schema's pattern of "body.point". */
const REFERENCE = "[.]";

/** Returns the syntax tree of the whole text, or of the part that is parsed after 200 ms. */
function treeOf(state: EditorState): Tree {
  return ensureSyntaxTree(state, state.doc.length, 200) ?? syntaxTree(state);
}

/** Returns the text, and its document without the parts that cannot be parsed. */
function read(state: EditorState): { text: string; document: unknown } {
  const text = state.doc.toString();
  return { text, document: valueOf(treeOf(state).topNode, text) };
}

/** Returns the first characters of a value of this type. */
function beginning({ type, items, properties, anyOf }: SchemaNode): string {
  const [first] = anyOf ?? [];
  if (first) return beginning(first);
  if (items || type === "array") return "[]";
  if (properties || type === "object") return "{}";
  return type === "string" ? '""' : "";
}

/** Inserts a text instead of the one that the user types, including its part after the cursor. */
function applied(text: string): Completion["apply"] {
  return (view, completion, from, to) => {
    const { name, to: end } = treeOf(view.state).resolveInner(to, -1);
    const whole = name === "String" || name === "PropertyName" ? end : to;
    const change = insertCompletionText(view.state, text, from, whole);
    view.dispatch({ ...change, annotations: pickedCompletion.of(completion) });
  };
}

function memberCompletion({ name, schema, required }: Field, tail: boolean): Completion {
  return {
    label: JSON.stringify(name),
    displayLabel: name,
    detail: required ? "required" : undefined,
    info: schema.description,
    boost: required ? 1 : 0,
    apply: applied(`${JSON.stringify(name)}${tail ? `: ${beginning(schema)}` : ""}`),
  };
}

/** Completes the members that an object lacks, at the range of a member's name. */
function completeMember(state: EditorState, object: SyntaxNode, { from, to }: Place, schema: Schema): CompletionResult {
  const { text, document } = read(state);
  const others = object.getChildren("Property").filter((property) => property.from !== from);
  const has = new Set(others.map((property) => keyOf(text, property)));
  const fields = schema.fields(pathOf(object, text), document).filter(({ name }) => !has.has(name));
  const tail = !/^\s*:/.test(text.slice(to));
  return { from, options: fields.map((field) => memberCompletion(field, tail)) };
}

/** Returns the names of the ground and of the bodies of a document, with their members. */
function carriersOf(document: unknown): [string, Fields][] {
  const model = asFields(asFields(document).model ?? document);
  const carriers: [string, Fields][] = [["ground", asFields(model.ground)]];
  for (const body of asList(model.bodies).map(asFields)) carriers.push([String(body.name ?? ""), body]);
  return carriers;
}

/** Returns the references to points or vectors of a document, as "body.point". */
function references(document: unknown, kind: "points" | "vectors"): string[] {
  return carriersOf(document).flatMap(([name, carrier]) =>
    Object.keys(asFields(carrier[kind])).map((key) => `${name}.${key}`),
  );
}

/** Returns the references to named shapes of a document, as "body.shape". */
function shapesOf(document: unknown): string[] {
  return carriersOf(document).flatMap(([name, { shapes }]) =>
    asList(shapes).flatMap((shape) => {
      const own = asFields(shape).name;
      return own === undefined ? [] : [`${name}.${String(own)}`];
    }),
  );
}

/** Completes the name before a position in an expression. */
function completeName({ typed, names }: Continuation, pos: number): CompletionResult {
  // Names of the document come before the functions of the language.
  const options = names.map(({ word, detail, written = word }) => {
    return { label: word, detail, apply: written, boost: detail ? 1 : 0 };
  });
  return { from: pos - typed, options, validFor: /^[\p{L}\p{N}_]*$/u };
}

/** Completes a string: a class, a reference, or a name in an expression. */
function completeText(state: EditorState, node: SyntaxNode, pos: number, schema: Schema): CompletionResult | null {
  const { text, document } = read(state);
  const path = pathOf(node, text);
  const nodes = schema.at(path, document);
  const expression = nodes.find(isExpression);
  if (expression) {
    const before = text.slice(node.from + 1, pos);
    return completeName(namesAt(before, path, document, expression.description), pos);
  }
  const kind = path.some((key) => key === "vectors" || key === "reference") ? "vectors" : "points";
  const named = nodes.some(({ pattern }) => pattern?.includes(REFERENCE)) ? references(document, kind) : [];
  const touching = path.includes("forces") && path.at(-2) === "shapes" ? shapesOf(document) : [];
  const values = [...nodes.flatMap((found) => found.enum ?? []), ...named, ...touching];
  if (values.length === 0) return null;
  const texts = values.map((value) => [value, JSON.stringify(value)] as const);
  const options = texts.map(([value, text]) => ({ label: text, displayLabel: value, apply: applied(text) }));
  return { from: node.from, options };
}

function complete({ state, pos, explicit }: CompletionContext, schema: Schema): CompletionResult | null {
  const node = treeOf(state).resolveInner(pos, -1);
  const object = node.name === "PropertyName" ? node.parent?.parent : undefined;
  if (object) return completeMember(state, object, node, schema);
  if (node.name === "String") return completeText(state, node, pos, schema);
  if (explicit && node.name === "Object") return completeMember(state, node, { from: pos, to: pos }, schema);
  return null;
}

/** Returns the help that a hover over a member shows. */
function help(name: string, node: SchemaNode): HTMLElement {
  const type = typeText(node);
  const line = h("p", {}, h("strong", {}, name), type ? ` ${type}` : "");
  const preset = node.default === undefined ? "" : `; default ${JSON.stringify(node.default)}`;
  return h("div", { className: "help" }, line, h("p", {}, `${node.description ?? ""}${preset}`));
}

function hoverHelp(state: EditorState, pos: number, side: -1 | 1, schema: Schema): Tooltip | null {
  const node = treeOf(state).resolveInner(pos, side);
  if (node.name !== "PropertyName" || !node.parent) return null;
  const { text, document } = read(state);
  const said = schema.at(pathOf(node.parent, text), document).filter(({ description }) => description);
  const [first] = said;
  if (!first) return null;
  const name = keyOf(text, node.parent) ?? "";
  return { pos: node.from, end: node.to, above: true, create: () => ({ dom: help(name, first) }) };
}

/** Shows an expression as mathematics; null for names, classes and references. */
async function hoverFormula(state: EditorState, pos: number, side: -1 | 1, schema: Schema): Promise<Tooltip | null> {
  const node = treeOf(state).resolveInner(pos, side);
  if (node.name !== "String") return null;
  const { text, document } = read(state);
  const value = valueOf(node, text);
  if (typeof value !== "string" || !schema.at(pathOf(node, text), document).some(isExpression)) return null;
  const { formulaHelp } = await import("./formula_help");
  const dom = await formulaHelp(value, asFields(asFields(document).model ?? document).functions);
  return dom ? { pos: node.from, end: node.to, above: true, create: () => ({ dom }) } : null;
}

/** Returns the completion and hover help of the editor. `schema` is called when it is first needed. */
export function modelHelp(schema: () => Promise<Schema | undefined>): Extension {
  return [
    // Closes brackets and quotes automatically, so that the syntax tree contains the text that the user types.
    closeBrackets(),
    keymap.of(closeBracketsKeymap),
    autocompletion({
      override: [
        async (context) => {
          const known = await schema();
          return known ? complete(context, known) : null;
        },
      ],
    }),
    hoverTooltip(async ({ state }, pos, side) => {
      const known = await schema();
      return known ? (hoverHelp(state, pos, side, known) ?? hoverFormula(state, pos, side, known)) : null;
    }),
  ];
}
