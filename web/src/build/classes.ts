// The classes of elements that a document may contain, as the schema lists them.
import type { Field, Schema } from "../schema";
import type { Kind } from "../selection";

export interface Class {
  kind: Kind;
  type: string;
  description: string;
  /** Of a planar model, in the schema's order. */
  fields: Field[];
}

export const SPATIAL = /\s*\(spatial models\)/;
const PLANAR = /\s*\(planar models\)/;

/** The classes of a list that planar models may have. */
function classesOf(schema: Schema, kind: Kind): Class[] {
  const types = schema.fields([kind, "0"], { [kind]: [{}] }).find(({ name }) => name === "type")?.schema.enum ?? [];
  return types.flatMap((type) => {
    const [path, document] = [[kind, "0"], { [kind]: [{ type }] }];
    const own = schema.at(path, document).find(({ properties }) => properties?.type?.const === type);
    const description = own?.description ?? "";
    if (SPATIAL.test(description)) return [];
    const fields = schema.fields(path, document).filter((field) => !SPATIAL.test(field.schema.description ?? ""));
    return [{ kind, type, description: description.replace(PLANAR, ""), fields }];
  });
}

export function planarClasses(schema: Schema): Class[] {
  return (["joints", "forces", "drivers"] as const).flatMap((kind) => classesOf(schema, kind));
}

export function fieldOf({ fields }: Class, name: string): Field | undefined {
  return fields.find((field) => field.name === name);
}
