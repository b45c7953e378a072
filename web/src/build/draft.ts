// A document to which elements are added. The rest of its text does not change.
import { buildTexts } from "../app/texts";
import { elementsOf, modelIn } from "../document/elements";
import { asFields, asList, type Fields } from "../document/fields";
import { elementJson, jsonLine } from "../document/json_text";
import { changed, difference, itemAddition, memberChange, pointerTo, tokensOf, valueChange, type Change } from "../document/pointer";
import type { Vector } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { Kind } from "../interaction/selection";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIRECTIONS = "uvw";

/** Returns the first unused name: a letter, or `rest` with a number. */
function freeName(taken: (name: string) => boolean, letters: string, rest: string): string {
  const letter = [...letters].find((name) => !taken(name));
  if (letter !== undefined) return letter;
  for (let n = 1; ; n++) if (!taken(`${rest}${n}`)) return `${rest}${n}`;
}

export class Draft {
  private text: string;

  /** Throws if the text is not JSON. */
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

  /** Returns the name of a body; "ground" for the ground. */
  nameOf(body: number): string {
    return body === GROUND ? "ground" : String(this.list("bodies")[body]?.name ?? "");
  }

  /** Returns the name of an element; "" if it has none. */
  nameIn(kind: Kind, index: number): string {
    return String(this.list(kind).at(index)?.name ?? "");
  }

  /** Returns an unused name that is not in `taken`: the stem with a number, as in "pin1". */
  freeName(stem: string, taken: Iterable<string> = []): string {
    const names = new Set([...(elementsOf(this.text) ?? []).map(({ name }) => name), ...taken]);
    return freeName((name) => names.has(name), "", stem);
  }

  /** Adds an element to its list, which is created if necessary. Returns its index. */
  add(kind: Kind, element: Fields): number {
    const { model, prefix } = this.found();
    if (!Array.isArray(model[kind])) this.apply(memberChange(this.text, prefix, kind, "[]"));
    this.apply(itemAddition(this.text, pointerTo(prefix, kind), elementJson(element)));
    return this.list(kind).length - 1;
  }

  /** Removes the last element of a list. Returns its name. */
  removeLast(kind: Kind): string {
    const name = this.nameIn(kind, -1);
    const last = this.list(kind).length - 1;
    this.apply(valueChange(this.text, tokensOf(pointerTo(this.found().prefix, kind, String(last))), undefined));
    return name;
  }

  /** Adds a member to an object of the model, which is created if necessary. Returns its index. */
  addMember(kind: Kind, name: string, value: Fields | number): number {
    const { model, prefix } = this.found();
    const count = Object.keys(asFields(model[kind])).length;
    if (!(kind in model)) this.apply(memberChange(this.text, prefix, kind, "{}"));
    this.apply(memberChange(this.text, pointerTo(prefix, kind), name, jsonLine(value)));
    return count;
  }

  /** Replaces the whole document. */
  replace(text: string): void {
    this.text = text;
  }

  /** Removes the list of joints that the analysis holds at the start. */
  releaseJoints(): void {
    const change = valueChange(this.text, ["analysis", "hold"], undefined);
    if (change) this.apply(change);
  }

  /** Adds a shape to the ground. */
  addGroundShape(shape: Fields): void {
    const { model, prefix } = this.found();
    const pointer = pointerTo(prefix, "ground");
    if (!("ground" in model)) this.apply(memberChange(this.text, prefix, "ground", "{}"));
    if (!("shapes" in asFields(this.fieldsOf(GROUND)))) this.apply(memberChange(this.text, pointer, "shapes", "[]"));
    this.apply(itemAddition(this.text, pointerTo(pointer, "shapes"), jsonLine(shape)));
  }

  /** Removes the first circle among the shapes of a body. Returns false if it has none. */
  removeCircle(body: number): boolean {
    const { prefix } = this.found();
    const shape = asList(this.fieldsOf(body).shapes).findIndex((each) => asFields(each).type === "circle");
    if (body === GROUND || shape < 0) return false;
    this.apply(valueChange(this.text, tokensOf(pointerTo(prefix, "bodies", String(body), "shapes", String(shape))), undefined));
    return true;
  }

  /** Returns the reference to a point of a body of a model in space, by its index, from the end if it is negative. A
   * body without points gets one at its origin. */
  somePoint(body: number, index: number): string {
    const name = Object.keys(asFields(this.fieldsOf(body).points)).at(index);
    return name === undefined ? this.addPoint(body, [0, 0, 0]) : `${this.nameOf(body)}.${name}`;
  }

  /** Adds a point with these coordinates to a body. Returns the reference to it. */
  addPoint(body: number, at: Vector): string {
    return this.addPlace(body, "points", at, LETTERS, "P");
  }

  /** Returns the reference to a vector of a body, which is added if the body has no equal one. */
  addVector(body: number, vector: Vector): string {
    const same = Object.entries(asFields(this.fieldsOf(body).vectors)).find(
      ([, value]) => asList(value).length === vector.length && vector.every((x, i) => asList(value)[i] === x),
    );
    return same ? `${this.nameOf(body)}.${same[0]}` : this.addPlace(body, "vectors", vector, DIRECTIONS, "u");
  }

  groundVector(name: string): unknown {
    return asFields(this.fieldsOf(GROUND).vectors)[name];
  }

  private fieldsOf(body: number): Fields {
    return body === GROUND ? asFields(this.found().model.ground) : (this.list("bodies")[body] ?? {});
  }

  private addPlace(body: number, list: string, at: Vector, letters: string, rest: string): string {
    const { model, prefix } = this.found();
    if (body === GROUND && !("ground" in model)) this.apply(memberChange(this.text, prefix, "ground", "{}"));
    const places = asFields(this.fieldsOf(body)[list]);
    const name = freeName((each) => each in places, letters, rest);
    const pointer = body === GROUND ? pointerTo(prefix, "ground") : pointerTo(prefix, "bodies", String(body));
    if (list in this.fieldsOf(body)) this.apply(memberChange(this.text, pointerTo(pointer, list), name, jsonLine(at)));
    else this.apply(memberChange(this.text, pointer, list, jsonLine({ [name]: at })));
    return `${this.nameOf(body)}.${name}`;
  }

  private apply(change: Change | undefined): void {
    if (!change) throw new Error(buildTexts.noPlace);
    this.text = changed(this.text, [change]);
  }
}
