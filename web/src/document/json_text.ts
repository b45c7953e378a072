// Writes JSON for readers: short values on one line, lists of elements with a line for each.

/** Maximum length of an element on one line; longer ones have a line for each member [characters]. */
const LINE = 100;

/** Writes JSON on one line, with spaces. */
export function jsonLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${jsonLine(member)}`);
  return members.length > 0 ? `{ ${members.join(", ")} }` : "{}";
}

/** Writes an element of a list: on one line, or on one for each member. Further lines begin with `indent`. */
export function elementJson(element: object, indent = ""): string {
  const line = jsonLine(element);
  if (line.length <= LINE) return line;
  const members = Object.entries(element).map(([name, member]) => `${JSON.stringify(name)}: ${jsonLine(member)}`);
  return `{\n${indent}  ${members.join(`,\n${indent}  `)}\n${indent}}`;
}

/** Writes a whole document. */
export function documentJson(document: object): string {
  const members = Object.entries(document).map(([name, value]) => {
    const list = Array.isArray(value) && typeof value[0] === "object";
    const items = list ? value.map((item) => `    ${elementJson(item as object, "    ")}`) : [];
    return `  ${JSON.stringify(name)}: ${list ? `[\n${items.join(",\n")}\n  ]` : jsonLine(value)}`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}
