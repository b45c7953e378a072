// A JSON text that is being edited, as far as it can be read: the values in it, and where a place of it is.
import type { SyntaxNode } from "@lezer/common";
import type { Path } from "./schema";

const VALUES = ["Object", "Array", "String", "Number", "True", "False", "Null"];

function members(node: SyntaxNode, names: string[]): SyntaxNode[] {
  return names.flatMap((name) => node.getChildren(name)).sort((a, b) => a.from - b.from);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not finished
  }
}

export function keyOf(property: SyntaxNode, text: string): string | undefined {
  const name = property.getChild("PropertyName");
  const key = name && parsed(text.slice(name.from, name.to));
  return typeof key === "string" ? key : undefined;
}

/** The value of a node, without what is not finished. */
export function valueOf(node: SyntaxNode, text: string): unknown {
  if (node.name === "JsonText") {
    const [root] = members(node, VALUES);
    return root && valueOf(root, text);
  }
  if (node.name === "Array") return members(node, VALUES).map((item) => valueOf(item, text));
  if (node.name !== "Object") return parsed(text.slice(node.from, node.to));
  const entries = node.getChildren("Property").map((property) => {
    const [value] = members(property, VALUES);
    return [keyOf(property, text) ?? "", value && valueOf(value, text)] as const;
  });
  return Object.fromEntries(entries);
}

/** The members and items that lead to a node. */
export function pathOf(node: SyntaxNode, text: string): Path {
  const path: Path = [];
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (at.name === "Property") path.unshift(keyOf(at, text) ?? "");
    if (parent.name === "Array")
      path.unshift(members(parent, VALUES).filter(({ from }) => from < at.from).length);
  }
  return path;
}
