// Reads values and paths from a JSON text that may be incomplete because the user edits it.
import type { SyntaxNode } from "@lezer/common";
import { itemsOf, keyOf } from "./pointer";
import type { Path } from "./schema";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the text is incomplete
  }
}

/** Returns the value of a node, without its incomplete parts. */
export function valueOf(node: SyntaxNode, text: string): unknown {
  if (node.name === "JsonText") {
    const [root] = itemsOf(node);
    return root && valueOf(root, text);
  }
  if (node.name === "Array") return itemsOf(node).map((item) => valueOf(item, text));
  if (node.name !== "Object") return parsed(text.slice(node.from, node.to));
  const entries = node.getChildren("Property").map((property) => {
    const [value] = itemsOf(property);
    return [keyOf(text, property) ?? "", value && valueOf(value, text)] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the path of members and items to a node. */
export function pathOf(node: SyntaxNode, text: string): Path {
  const path: Path = [];
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (at.name === "Property") path.unshift(keyOf(text, at) ?? "");
    if (parent.name === "Array") path.unshift(String(itemsOf(parent).filter(({ from }) => from < at.from).length));
  }
  return path;
}
