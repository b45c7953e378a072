// The fields of an element as a tree of rows, from the schema and the values in the document. A form shows the tree;
// its structure changes only if fields, items or types change, not their numbers.
import { words } from "../app/format";
import { formTexts } from "../app/texts";
import { fieldsIn } from "../build/classes";
import { REFERENCES } from "../build/removal";
import { elementsOf } from "./elements";
import { asFields, asList, type Fields } from "./fields";
import { MOTIONS } from "./motion_fields";
import { typeText, type Field, type Path, type Schema, type SchemaNode } from "./schema";

/** A value in one control. */
export interface ValuePlan {
  is: "value";
  path: Path;
  label: string;
  help: string;
  schema: SchemaNode;
  required: boolean;
  /** The values that the user can choose; undefined for free text. */
  choices?: string[];
  /** The name of a number within an expression (MOTIONS), instead of the whole expression. */
  motion?: string;
}

/** Values in one row, as the coordinates of a point. */
export interface RowPlan {
  is: "row";
  path: Path;
  label: string;
  help: string;
  cells: ValuePlan[];
  removable: boolean;
}

/** An object or a list. */
export interface GroupPlan {
  is: "group";
  path: Path;
  label: string;
  help: string;
  parts: Plan[];
  removable: boolean;
  /** The next item, or the next member with a proposed name. */
  next?: { name: string; named: boolean };
}

/** An object or list that the document does not have. */
export interface AbsentPlan {
  is: "absent";
  path: Path;
  label: string;
  help: string;
}

export type Plan = ValuePlan | RowPlan | GroupPlan | AbsentPlan;

/** A value of the document with its schema; `depth` counts the objects and lists around it. */
interface Part {
  path: Path;
  label: string;
  help: string;
  value: unknown;
  schema: SchemaNode;
  removable: boolean;
  required: boolean;
  depth: number;
}

const SCALARS = ["number", "string", "boolean", "integer"];

/** Maximum number of values in one row, and of parts of a list that are shown one by one. */
const ROW = 7;
const PARTS = 24;

/** First value of a new number, such as a radius. */
const NUMBER = 0.1;

const AXES = ["x", "y", "z"];

/** Names that the form proposes for new members. */
const LETTERS: Record<string, string> = { points: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", vectors: "uvw" };

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

function labelOf(name: string): string {
  return formTexts.labels[name] ?? words(name);
}

function kindsOf({ type }: SchemaNode): string[] {
  return [type ?? []].flat();
}

/** Returns the value at a path of a document. */
export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (isScalar(value) ? undefined : (value as Fields)[key]), document);
}

/** Returns a document with another value at a path; the original is unchanged. */
function withValue(document: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = Array.isArray(document) ? [...(document as unknown[])] : { ...asFields(document) };
  (copy as Fields)[key] = withValue((copy as Fields)[key], rest, value);
  return copy;
}

/** The lists of a body to which fields refer that do not refer to points. */
const PLACES: Record<string, string[]> = {
  vectors: ["vectors"],
  reference: ["vectors"],
  line: ["points", "vectors"],
  plane: ["points", "vectors"],
};

export class Planner {
  private readonly model: Fields;

  constructor(
    private readonly schema: Schema,
    private readonly document: unknown,
  ) {
    const root = asFields(document);
    this.model = "model" in root ? asFields(root.model) : root;
  }

  /** Returns the fields that the object at a path has or may have. */
  fields(path: Path): Field[] {
    const own = asFields(valueAt(this.document, path));
    const known = fieldsIn(this.model.space, this.schema.fields(path, this.document), own, (type) =>
      this.schema.at(path, withValue(this.document, path, { type })),
    );
    const others = Object.keys(own).filter((name) => !known.some((field) => field.name === name));
    return [...known, ...others.map((name) => ({ name, schema: this.nodeOf([...path, name]), required: false }))];
  }

  private nodesAt(path: Path): SchemaNode[] {
    return this.schema.at(path, this.document);
  }

  private nodeOf(path: Path): SchemaNode {
    const [first = {}, ...others] = this.nodesAt(path);
    return { ...first, description: [first, ...others].find(({ description }) => description)?.description };
  }

  plans(path: Path): Plan[] {
    return this.fields(path).flatMap(({ name, schema, required }) => this.ofField([...path, name], schema, required));
  }

  private ofField(path: Path, schema: SchemaNode, required: boolean): Plan[] {
    const label = labelOf(path.at(-1) ?? "");
    const value = valueAt(this.document, path);
    const help = schema.description ?? (schema.enum ? "" : typeText(schema));
    const whole = this.planOf({ path, label, help, value, schema, required, removable: !required, depth: 0 });
    const isMotion = path.at(-1) === "function" && typeof value === "string";
    const { fields = [] } = (isMotion && MOTIONS.find(({ read }) => read(value))) || {};
    const parts = fields.map((motion): ValuePlan => {
      return { is: "value", path, label: words(motion), help: formTexts.motion[motion], schema, required, motion };
    });
    return [...parts, whole];
  }

  private planOf(part: Part): Plan {
    const { path, label, help, value, schema, removable, required, depth } = part;
    const nodes = [schema, ...this.nodesAt(path)];
    const kinds = nodes.flatMap(kindsOf);
    const scalar = kinds.some((kind) => SCALARS.includes(kind)) || nodes.some((node) => node.enum);
    if (value === undefined && !scalar && kinds.some((kind) => kind === "object" || kind === "array"))
      return { is: "absent", path, label, help };
    if (Array.isArray(value)) {
      const most = Math.max(...nodes.map(({ maxItems = 0 }) => maxItems));
      if (value.every(isScalar) && value.length <= ROW && (depth > 0 || (most > 0 && most <= ROW)))
        return { is: "row", path, label, help, cells: this.cells(path, label, value), removable };
      if (value.some((item) => !isScalar(item)) && value.length <= PARTS) return this.list(part, value);
    } else if (!isScalar(value)) return this.object(part, value as Fields);
    return { is: "value", path, label, help, schema, required, choices: this.choicesOf(path, schema, value) };
  }

  private cells(path: Path, label: string, items: unknown[]): ValuePlan[] {
    const numbers = items.length <= AXES.length && items.every((item) => typeof item === "number");
    const schema = this.nodeOf([...path, "0"]);
    return items.map((value, i) => {
      const name = (numbers ? AXES[i] : undefined) ?? String(i + 1);
      const own = [...path, String(i)];
      const choices = this.choicesOf(own, schema, value);
      return { is: "value", path: own, label: `${label} ${name}`, help: "", schema, required: true, choices };
    });
  }

  private list({ path, label, help, removable, depth }: Part, items: unknown[]): GroupPlan {
    const nodes = this.nodesAt(path);
    const fixed = nodes.some(({ minItems, maxItems }) => minItems !== undefined && minItems === maxItems);
    const parts = items.map((value, i) => {
      const { type, name } = asFields(value);
      const own = [...path, String(i)];
      const title = String(name ?? type ?? i + 1);
      const item = { path: own, label: title, help: "", value, schema: this.nodeOf(own), required: false };
      return this.planOf({ ...item, removable: !fixed, depth: depth + 1 });
    });
    const next = fixed ? undefined : { name: String(items.length), named: false };
    return { is: "group", path, label, help, parts, removable, next };
  }

  private object({ path, label, help, removable, depth }: Part, value: Fields): GroupPlan {
    const isMap = this.isMap(path);
    const parts = this.fields(path).map(({ name, schema, required }) => {
      const member = { path: [...path, name], label: isMap ? name : labelOf(name), help: schema.description ?? "" };
      const removes = isMap || !required;
      return this.planOf({ ...member, value: value[name], schema, required, removable: removes, depth: depth + 1 });
    });
    const next = isMap ? { name: this.freeName(path, Object.keys(value)), named: true } : undefined;
    return { is: "group", path, label, help, parts, removable, next };
  }

  /** Returns true if the names of an object's members are free. */
  private isMap(path: Path): boolean {
    return this.nodesAt(path).some(({ additionalProperties: each }) => typeof each === "object");
  }

  private freeName(path: Path, taken: string[]): string {
    const list = path.at(-1) ?? "";
    const letter = [...(LETTERS[list] ?? "")].find((name) => !taken.includes(name));
    if (letter !== undefined) return letter;
    const stem = list.replace(/s$/, "");
    for (let n = 1; ; n++) if (!taken.includes(`${stem}${n}`)) return `${stem}${n}`;
  }

  /** Returns the values that a field may have: of an enumeration, or the names of elements, points or vectors. */
  private choicesOf(path: Path, { enum: values, type, pattern }: SchemaNode, value: unknown): string[] | undefined {
    if (values) return values;
    if (type === "boolean") return ["true", "false"];
    if (type !== "string" || (value !== undefined && typeof value !== "string")) return undefined;
    const field = [...path].reverse().find((key) => !/^\d+$/.test(key)) ?? "";
    const names = this.namesFor(field, pattern !== undefined);
    if (!names || value === undefined || names.includes(value)) return names;
    return [value, ...names];
  }

  private namesFor(field: string, places: boolean): string[] | undefined {
    const kind = REFERENCES.names[field];
    const elements = kind && elementsOf(JSON.stringify(this.document));
    if (elements) return elements.filter((each) => each.kind === kind).map(({ name }) => name);
    if (!places || !REFERENCES.places.includes(field)) return undefined;
    const lists = PLACES[field] ?? ["points"];
    const bodies = [{ ...asFields(this.model.ground), name: "ground" }, ...asList(this.model.bodies)].map(asFields);
    return bodies.flatMap((body) =>
      lists.flatMap((list) => Object.keys(asFields(body[list])).map((name) => `${String(body.name)}.${name}`)),
    );
  }

  /** Returns a first value for an absent object, list, item or member. */
  template(path: Path): unknown {
    const nodes = this.nodesAt(path);
    const [first] = nodes.filter((node) => kindsOf(node).length > 0 || node.enum);
    const kinds = nodes.flatMap(kindsOf);
    if (kinds.includes("array") && !kinds.includes("object")) return this.templateList(path, nodes);
    if (kinds.includes("object")) return this.templateObject(path);
    const { default: preset, enum: values } = first ?? {};
    const names = first && this.choicesOf(path, first, undefined);
    if (preset !== undefined) return preset;
    if (values ?? names) return (values ?? names)?.[0] ?? "";
    if (kinds.includes("number")) return /^\d+$/.test(path.at(-1) ?? "") ? 0 : NUMBER;
    return kinds.includes("boolean") ? true : "";
  }

  private templateList(path: Path, nodes: SchemaNode[]): unknown[] {
    const { minItems = 0, maxItems = Infinity, description = "" } = nodes.find(({ items }) => items) ?? {};
    const vector = minItems === 2 && maxItems === 3;
    // Items of a list of points, as the corners of a polygon, have no length of their own.
    const point = vector || (maxItems === Infinity && minItems === 0);
    const count = point ? (this.model.space === "spatial" ? 3 : 2) : Math.max(minItems, 1);
    const inner = new Planner(this.schema, withValue(this.document, path, []));
    const items = Array.from({ length: count }, (_, i) => inner.template([...path, String(i)]));
    if (/normalized/.test(description)) items[0] = 1;
    return items;
  }

  private templateObject(path: Path): Fields {
    let value: Fields = {};
    if (this.isMap(path)) {
      const name = this.freeName(path, []);
      return { [name]: this.template([...path, name]) };
    }
    // The class of the object, by its type, determines its other fields.
    for (const wanted of [["type"], undefined]) {
      const inner = new Planner(this.schema, withValue(this.document, path, value));
      for (const { name, schema, required } of inner.fields(path)) {
        if (!required || name in value || (wanted && !wanted.includes(name))) continue;
        value = { ...value, [name]: name === "type" && schema.enum ? schema.enum[0] : inner.template([...path, name]) };
      }
    }
    return value;
  }
}
