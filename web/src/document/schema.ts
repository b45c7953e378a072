// Looks up places of a document in the JSON Schema of models.

/** A schema or a part of one, with the keywords of JSON Schema that the service's schema uses. */
export interface SchemaNode {
  $ref?: string;
  $defs?: Record<string, SchemaNode>;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: string[];
  const?: string;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: SchemaNode | boolean;
  items?: SchemaNode;
  allOf?: SchemaNode[];
  anyOf?: SchemaNode[];
  if?: SchemaNode;
  then?: SchemaNode;
}

/** The members and items that lead to a value. */
export type Path = string[];

/** A member that an object may have. */
export interface Field {
  name: string;
  schema: SchemaNode;
  required: boolean;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Returns the schema nodes of a member or item of a value, before following references. */
function childOf({ properties, additionalProperties, items }: SchemaNode, value: unknown, key: string): SchemaNode[] {
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const found = Array.isArray(value) ? items : (properties?.[key] ?? others);
  return found ? [found] : [];
}

export class Schema {
  constructor(private readonly root: SchemaNode) {}

  /** Returns the schema node of a field of a class, by the name in `$defs`, such as "output". */
  field(name: string, field: string): SchemaNode | undefined {
    return this.root.$defs?.[name]?.properties?.[field];
  }

  /** Returns all schema nodes that apply to the value at a path. The classes follow from the values in the document. */
  at(path: Path, document: unknown): SchemaNode[] {
    // A document is a model, or contains it in "model".
    const within = memberOf(document, "model") !== undefined;
    if (within && path[0] !== "model") return [];
    let value = within ? memberOf(document, "model") : document;
    let nodes = this.expand(this.root, value);
    for (const key of within ? path.slice(1) : path) {
      const children = nodes.flatMap((node) => childOf(node, value, key));
      value = memberOf(value, key);
      nodes = children.flatMap((node) => this.expand(node, value));
    }
    return nodes;
  }

  /** Returns the members that the object at a path may have, in the schema's order. */
  fields(path: Path, document: unknown): Field[] {
    const fields = new Map<string, Field>();
    for (const { properties = {}, required = [] } of this.at(path, document))
      for (const [name, schema] of Object.entries(properties)) {
        const before = fields.get(name);
        // The schema of a class restricts "type" to a single value; the union of classes lists all of them.
        if (!before || !("const" in schema))
          fields.set(name, { name, schema, required: before?.required || required.includes(name) });
      }
    return [...fields.values()];
  }

  /** Follows references and conditions. Alternatives are all included. */
  private expand(node: SchemaNode, value: unknown): SchemaNode[] {
    const { $ref, allOf = [], anyOf = [], if: condition, then } = node;
    if (condition) return then && matches(condition, value) ? this.expand(then, value) : [];
    const referred = $ref ? this.expand(this.referred($ref), value) : [];
    const [first, ...rest] = referred;
    // A description beside the reference overrides the description of the class.
    const own = first && node.description ? [{ ...first, description: node.description }, ...rest] : referred;
    const parts = [...allOf, ...anyOf].flatMap((part) => this.expand(part, value));
    return [...($ref ? [] : [node]), ...own, ...parts];
  }

  private referred(reference: string): SchemaNode {
    const name = reference.replace("#/$defs/", "");
    return this.root.$defs?.[name] ?? {};
  }
}

/** Returns true if a value has the constants of a condition; members that it does not require may be absent. */
function matches({ properties = {}, required = [] }: SchemaNode, value: unknown): boolean {
  return Object.entries(properties).every(([name, wanted]) => {
    const member = memberOf(value, name);
    return member === undefined ? !required.includes(name) : member === wanted.const;
  });
}

/** Returns true if a value may be an expression: a number or a text. */
export function isExpression({ type, anyOf = [] }: SchemaNode): boolean {
  return (Array.isArray(type) && type.includes("string")) || anyOf.some(isExpression);
}

/** Describes the allowed type of a value in words. */
export function typeText({ type, enum: values, items, anyOf }: SchemaNode): string {
  if (values) return values.join(" | ");
  if (anyOf) return anyOf.map(typeText).join(", or ");
  const types = (Array.isArray(type) ? type : [type ?? ""]).map((name) =>
    name === "string" && Array.isArray(type) ? "expression" : name,
  );
  return items ? `list of ${typeText(items)}` : types.join(" or ");
}
