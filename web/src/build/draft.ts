// A document that elements are added to: in its text, of which nothing else changes.
import { buildTexts } from "../app/texts";
import { modelIn } from "../document/elements";
import { asFields, asList, type Fields } from "../document/fields";
import { changed, difference, itemAddition, memberChange, pointerTo, type Change } from "../document/pointer";
import type { Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { Kind } from "../interaction/selection";

/** An element that is longer has a line for each of its members. */
const LINE = 100;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIRECTIONS = "uvw";

/** JSON on one line, as people write it. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${jsonOf(member)}`);
  return `{ ${members.join(", ")} }`;
}

function elementJson(element: Fields): string {
  const line = jsonOf(element);
  if (line.length <= LINE) return line;
  const members = Object.entries(element).map(([name, member]) => `  ${JSON.stringify(name)}: ${jsonOf(member)}`);
  return `{\n${members.join(",\n")}\n}`;
}

/** The first of some names, or of those with a number behind them, that is free. */
function freeName(taken: (name: string) => boolean, letters: string, rest: string): string {
  const letter = [...letters].find((name) => !taken(name));
  if (letter !== undefined) return letter;
  for (let n = 1; ; n++) if (!taken(`${rest}${n}`)) return `${rest}${n}`;
}

export class Draft {
  private text: string;

  /** Throws where the text is no JSON. */
  constructor(private readonly before: string) {
    this.text = before;
    this.found();
  }

  private found(): { model: Fields; prefix: string } {
    const found = modelIn(this.text);
    if (!found) throw new Error(buildTexts.noJson);
    return found;
  }

  get document(): string {
    return this.text;
  }

  get change(): Change {
    return difference(this.before, this.text);
  }

  list(kind: Kind): Fields[] {
    return asList(this.found().model[kind]).map(asFields);
  }

  /** The name of a body, of the ground "ground". */
  nameOf(body: number): string {
    return body === GROUND ? "ground" : String(this.list("bodies")[body]?.name ?? "");
  }

  /** "pin1", or with the first number that no element has. */
  freeName(stem: string): string {
    const taken = ["bodies", "joints", "forces", "drivers", "sensors"] as const;
    const names = new Set(taken.flatMap((kind) => this.list(kind).map(({ name }) => name)));
    return freeName((name) => names.has(name), "", stem);
  }

  /** Adds an element to its list, which is made where there is none; tells its index. */
  add(kind: Kind, element: Fields): number {
    const { model, prefix } = this.found();
    if (!Array.isArray(model[kind])) this.apply(memberChange(this.text, prefix, kind, "[]"));
    this.apply(itemAddition(this.text, pointerTo(prefix, kind), elementJson(element)));
    return this.list(kind).length - 1;
  }

  /** A reference to a point of a body at these coordinates, which is made. */
  addPoint(body: number, at: Pair): string {
    return this.addPlace(body, "points", at, LETTERS, "P");
  }

  /** A reference to a vector of a body; one that it has serves again. */
  addVector(body: number, vector: Pair): string {
    const same = Object.entries(asFields(this.fieldsOf(body).vectors)).find(
      ([, value]) => asList(value).length === 2 && vector.every((x, i) => asList(value)[i] === x),
    );
    return same ? `${this.nameOf(body)}.${same[0]}` : this.addPlace(body, "vectors", vector, DIRECTIONS, "u");
  }

  private fieldsOf(body: number): Fields {
    return body === GROUND ? asFields(this.found().model.ground) : (this.list("bodies")[body] ?? {});
  }

  private addPlace(body: number, list: string, at: Pair, letters: string, rest: string): string {
    const { model, prefix } = this.found();
    if (body === GROUND && !("ground" in model)) this.apply(memberChange(this.text, prefix, "ground", "{}"));
    const places = asFields(this.fieldsOf(body)[list]);
    const name = freeName((each) => each in places, letters, rest);
    const pointer = body === GROUND ? pointerTo(prefix, "ground") : pointerTo(prefix, "bodies", String(body));
    if (list in this.fieldsOf(body)) this.apply(memberChange(this.text, pointerTo(pointer, list), name, jsonOf(at)));
    else this.apply(memberChange(this.text, pointer, list, jsonOf({ [name]: at })));
    return `${this.nameOf(body)}.${name}`;
  }

  private apply(change: Change | undefined): void {
    if (!change) throw new Error(buildTexts.noPlace);
    this.text = changed(this.text, [change]);
  }
}
