// Lists the classes of elements that a document may contain, from the schema.
import type { Fields } from "../document/fields";
import type { Field, Schema, SchemaNode } from "../document/schema";
import type { Kind } from "../interaction/selection";

export interface Class {
  kind: Kind;
  type: string;
  description: string;
  /** The fields in models of a space, in the schema's order. */
  fields: Field[];
}

const SPATIAL = /\s*\(spatial models\)/;
const PLANAR = /\s*\(planar models\)/;

/** Returns the fields of an object that models of a space may have; "type" lists the classes that they may have.
 * `nodesOf` returns the schema nodes of the object with another type. Existing fields and the existing class are kept,
 * so that the user can correct them. */
export function fieldsIn(space: unknown, fields: Field[], own: Fields, nodesOf: (type: string) => SchemaNode[]): Field[] {
  const other = space === "planar" ? SPATIAL : PLANAR;
  const isAllowed = (description = ""): boolean => !other.test(description);
  const isClass = (type: string): boolean =>
    isAllowed(nodesOf(type).find(({ properties }) => properties?.type?.const === type)?.description);
  return fields
    .filter(({ name, schema: { description } }) => name in own || isAllowed(description))
    .map((field): Field => {
      const { enum: types } = field.schema;
      if (field.name !== "type" || !types) return field;
      return { ...field, schema: { ...field.schema, enum: types.filter((type) => type === own.type || isClass(type)) } };
    });
}

/** Returns the classes of a list, and their fields, without those whose descriptions match `other`. */
function classesOf(schema: Schema, kind: Kind, other: RegExp): Class[] {
  const types = schema.fields([kind, "0"], { [kind]: [{}] }).find(({ name }) => name === "type")?.schema.enum ?? [];
  return types.flatMap((type) => {
    const [path, document] = [[kind, "0"], { [kind]: [{ type }] }];
    const own = schema.at(path, document).find(({ properties }) => properties?.type?.const === type);
    const description = own?.description ?? "";
    if (other.test(description)) return [];
    const fields = schema.fields(path, document).filter((field) => !other.test(field.schema.description ?? ""));
    return [{ kind, type, description: description.replace(PLANAR, "").replace(SPATIAL, ""), fields }];
  });
}

/** The lists whose elements have classes. */
export const CLASS_LISTS = ["joints", "forces", "drivers"] as const;

/** Returns the joints, forces and drivers that models of a space may have. */
export function classesIn(schema: Schema, space: "planar" | "spatial"): Class[] {
  return CLASS_LISTS.flatMap((kind) => classesOf(schema, kind, space === "planar" ? SPATIAL : PLANAR));
}

export function fieldOf({ fields }: Class, name: string): Field | undefined {
  return fields.find((field) => field.name === name);
}
