// What the JSON Schema of models says of a place in a document.

/** A schema, or a part of one; of JSON Schema what the service's schema uses. */
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
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: SchemaNode | boolean;
  items?: SchemaNode;
  allOf?: SchemaNode[];
  anyOf?: SchemaNode[];
  if?: SchemaNode;
  then?: SchemaNode;
}

/** The members and items that lead to a place. */
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

/** What is said of a member or item of a value, before its references are followed. */
function childOf({ properties, additionalProperties, items }: SchemaNode, value: unknown, key: string): SchemaNode[] {
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const found = Array.isArray(value) ? items : (properties?.[key] ?? others);
  return found ? [found] : [];
}

export class Schema {
  constructor(private readonly root: SchemaNode) {}

  /** What is said of a field of a class by the name that the schema gives it, as "output". */
  field(name: string, field: string): SchemaNode | undefined {
    return this.root.$defs?.[name]?.properties?.[field];
  }

  /** All that is said of the value at a path of a document, whose classes follow from what the document has there. */
  at(path: Path, document: unknown): SchemaNode[] {
    // A document is a model, or has it in "model".
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

  /** The members that the object at a path may have, in the schema's order. */
  fields(path: Path, document: unknown): Field[] {
    const fields = new Map<string, Field>();
    for (const { properties = {}, required = [] } of this.at(path, document))
      for (const [name, schema] of Object.entries(properties)) {
        const before = fields.get(name);
        // Of "type" the class alone has one value, and the union the others with it.
        if (!before || !("const" in schema))
          fields.set(name, { name, schema, required: before?.required || required.includes(name) });
      }
    return [...fields.values()];
  }

  /** Follows references and conditions; what may be one of several counts as each of them. */
  private expand(node: SchemaNode, value: unknown): SchemaNode[] {
    const { $ref, allOf = [], anyOf = [], if: condition, then } = node;
    if (condition) return then && matches(condition, value) ? this.expand(then, value) : [];
    const referred = $ref ? this.expand(this.referred($ref), value) : [];
    const [first, ...rest] = referred;
    // What is said where the reference stands comes before what the class says of itself.
    const own = first && node.description ? [{ ...first, description: node.description }, ...rest] : referred;
    const parts = [...allOf, ...anyOf].flatMap((part) => this.expand(part, value));
    return [...($ref ? [] : [node]), ...own, ...parts];
  }

  private referred(reference: string): SchemaNode {
    const name = reference.replace("#/$defs/", "");
    return this.root.$defs?.[name] ?? {};
  }
}

/** Whether a value has the constants that a condition asks for. */
function matches({ properties = {} }: SchemaNode, value: unknown): boolean {
  return Object.entries(properties).every(([name, wanted]) => memberOf(value, name) === wanted.const);
}

/** In words, what a value has to be. */
export function typeText({ type, enum: values, items, anyOf }: SchemaNode): string {
  if (values) return values.join(" | ");
  if (anyOf) return anyOf.map(typeText).join(", or ");
  const types = (Array.isArray(type) ? type : [type ?? ""]).map((name) =>
    name === "string" && Array.isArray(type) ? "expression" : name,
  );
  return items ? `list of ${typeText(items)}` : types.join(" or ");
}
