// Tools that copy the selected elements to another place or mirror them at a line, with the joints, forces and drivers
// between them and to the ground.
import { copyTexts } from "../app/texts";
import { asFields, asList, type Fields } from "../document/fields";
import { MOTIONS } from "../document/motion_fields";
import { minus, plus, rotate, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import { allSelected } from "../interaction/selection";
import { REFERENCES } from "./removal";
import { rounded } from "./snapping";
import { Refusal, type Made, type Site, type Spot, type Tool } from "./tool";

/** The displacement of a copy, or the reflection at a line. */
interface Placing {
  place(at: Pair): Pair;
  /** The angle of the line of the mirror; undefined for a displacement. */
  mirror?: number;
}

const KINDS = ["joints", "forces", "drivers"] as const;
const COORDINATES = ["at", "from", "to", "points", "spline"];

function negated(value: unknown): unknown {
  if (typeof value === "number") return -value + 0;
  return typeof value === "string" ? `-(${value})` : value;
}

const exact = (value: number): number => Number(value.toFixed(9)) + 0;

/** Returns a x + b y; a text if one of them is an expression. */
function combined(a: number, x: unknown, b: number, y: unknown): unknown {
  if (typeof x === "number" && typeof y === "number") return exact(a * x + b * y);
  const parts = [[a, x], [b, y]].filter(([factor]) => factor !== 0);
  return parts.map(([factor, value]) => `${Number(factor)}*(${String(value)})`).join(" + ");
}

/** Reflects shapes, curves and coordinates of a body at a line through its mass centre. */
class Mirror {
  private readonly c: number;
  private readonly s: number;

  constructor(private readonly slope: number) {
    [this.c, this.s] = [exact(Math.cos(2 * slope)), exact(Math.sin(2 * slope))];
  }

  /** Returns coordinates, or a list or an object of them. */
  places(value: unknown): unknown {
    if (Array.isArray(value)) {
      const [x, y] = value as unknown[];
      if (value.length !== 2 || Array.isArray(x)) return value.map((each) => this.places(each));
      return [combined(this.c, x, this.s, y), combined(this.s, x, -this.c, y)];
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.places(each)]));
  }

  private angle(value: unknown): unknown {
    return combined(2 * this.slope, 1, -1, value);
  }

  shape(value: unknown): Fields {
    const shape = asFields(value);
    const angled = "angle" in shape || ["rectangle", "gear"].includes(String(shape.type));
    const places = COORDINATES.filter((name) => name in shape).map((name) => [name, this.places(shape[name])]);
    const copy = { ...shape, ...Object.fromEntries(places), ...(angled && { angle: this.angle(shape.angle ?? 0) }) };
    return shape.type === "arc" ? { ...copy, from: this.angle(shape.to), to: this.angle(shape.from) } : copy;
  }

  curve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.curve(each));
    const curve = asFields(value);
    if ("spline" in curve) return { ...curve, spline: this.places(curve.spline) };
    if ("y" in curve) {
      const [x, y] = this.places([curve.x, curve.y]) as [unknown, unknown];
      return { ...curve, x, y };
    }
    const alpha = `(${exact(2 * this.slope)} - alpha)`;
    const start = "start" in curve && { start: this.angle(curve.start) };
    return { ...curve, polar: String(curve.polar).replace(/\balpha\b/g, alpha), ...start };
  }
}

/** Returns the function of a mirrored rotation. */
function reversed(value: unknown): unknown {
  const motion = MOTIONS.find(({ read }) => typeof value === "string" && read(value));
  const numbers = motion?.read(String(value)) ?? {};
  const { start = 0, speed = 0, amplitude = 0 } = numbers;
  return motion ? motion.write({ ...numbers, start: -start, speed: -speed, amplitude: -amplitude }) : negated(value);
}

class Copier {
  private readonly names = new Map<string, string>();
  private readonly bodies: number[];
  private readonly mirror: Mirror | undefined;
  /** Names and copies of ground points. */
  private readonly grounds = new Map<string, string>();

  constructor(
    private readonly site: Site,
    private readonly placing: Placing,
  ) {
    this.mirror = placing.mirror === undefined ? undefined : new Mirror(placing.mirror);
    const chosen = allSelected();
    this.bodies = chosen.filter(({ kind }) => kind === "bodies").map(({ index }) => index);
    if (this.bodies.length === 0) throw new Refusal(copyTexts.none);
  }

  copy(): Made {
    const { draft } = this.site;
    const lists = KINDS.flatMap((kind) => draft.list(kind).map((fields) => ({ kind, fields })));
    const bodies = this.bodies.map((index) => ({ index, fields: draft.list("bodies")[index] ?? {} }));
    const known = new Set([...bodies.map(({ fields }) => String(fields.name)), "ground"]);
    const own = new Set(bodies.map(({ fields }) => String(fields.name)));
    const chosen = lists.filter(({ fields }) => {
      const names = this.referred(fields);
      const inside = names.every((name) => known.has(name)) && names.some((name) => own.has(name));
      if (inside) for (const set of [known, own]) set.add(String(fields.name));
      return inside;
    });
    for (const { fields } of [...bodies, ...chosen]) this.rename(String(fields.name));
    const first = draft.list("bodies").length;
    for (const { index, fields } of bodies) draft.add("bodies", this.bodyCopy(index, fields));
    for (const { kind, fields } of chosen) draft.add(kind, this.elementCopy(fields));
    return { kind: "bodies", index: first, note: copyTexts.made([...this.names.values()]) };
  }

  /** Returns the bodies and joints to which an element refers. */
  private referred(value: unknown, field = ""): string[] {
    if (Array.isArray(value)) return value.flatMap((each) => this.referred(each, field));
    if (typeof value === "object" && value !== null)
      return Object.entries(value).flatMap(([name, each]) => this.referred(each, name));
    if (typeof value !== "string") return [];
    if (field in REFERENCES.names) return [value];
    return REFERENCES.places.includes(field) ? [value.split(".")[0] ?? ""] : [];
  }

  private rename(name: string): void {
    const free = this.site.draft.freeName(name.replace(/\d+$/, ""), this.names.values());
    this.names.set(name, free);
  }

  private bodyCopy(index: number, fields: Fields): Fields {
    const { motion, camera } = this.site.view;
    const { mirror } = this;
    const position = rounded(this.placing.place(motion.centre(index) as Pair), camera);
    const turn = exact((mirror ? -1 : 1) * (motion.turn(index)[0] ?? 0));
    const initial = { position, ...(turn !== 0 && { angle: turn }) };
    const copy = { ...fields, name: this.names.get(String(fields.name)), initial };
    if (!mirror) return copy;
    const lists = ["points", "vectors"].filter((list) => list in fields).map((list) => [list, mirror.places(fields[list])]);
    const shapes = "shapes" in fields && { shapes: asList(fields.shapes).map((shape) => mirror.shape(shape)) };
    return { ...copy, ...Object.fromEntries(lists), ...shapes };
  }

  private elementCopy(fields: Fields): Fields {
    const copy = this.renamed(fields, "") as Fields;
    if (!this.mirror) return copy;
    const { initial: _, limits, ...others } = copy;
    const turns = fields.type === "revolute";
    const { lower, upper, ...rest } = asFields(limits);
    const swapped = {
      ...rest,
      ...(upper !== undefined && { lower: negated(upper) }),
      ...(lower !== undefined && { upper: negated(lower) }),
    };
    const driver = "function" in fields && this.isTurn(fields);
    return {
      ...others,
      ...(limits !== undefined && { limits: turns ? swapped : limits }),
      ...("curve" in fields && { curve: this.mirror.curve(fields.curve) }),
      ...(driver && { function: reversed(copy.function) }),
    };
  }

  /** Returns true if a driver is one of an angle. */
  private isTurn({ type, joint }: Fields): boolean {
    const driven = this.site.view.scene.joints.find(({ name }) => name === joint);
    return type === "angle" || type === "relative-angle" || (driven !== undefined && driven.axes.length === 0);
  }

  /** Returns the value of a field with the names of the copies. */
  private renamed(value: unknown, field: string): unknown {
    if (Array.isArray(value)) return value.map((each) => this.renamed(each, field));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.renamed(each, name)]));
    if (typeof value !== "string" || field === "type") return value;
    const name = this.names.get(value);
    if (name !== undefined && (field === "name" || field in REFERENCES.names)) return name;
    if (!REFERENCES.places.includes(field)) return value;
    const [body = "", place = ""] = value.split(".");
    return body === "ground" ? this.onGround(value, place, field) : `${this.names.get(body) ?? body}.${place}`;
  }

  /** Returns the point or vector of the ground for a copy. */
  private onGround(reference: string, name: string, field: string): string {
    const { draft, view } = this.site;
    const known = this.grounds.get(`${field} ${reference}`);
    if (known !== undefined) return known;
    const copy = (): string => {
      const point = view.scene.points.findIndex((each) => each.body === GROUND && each.name === name);
      if (point >= 0 && field !== "vectors") {
        const at = this.placing.place(view.motion.point(point) as Pair);
        return draft.addPoint(GROUND, rounded(at, view.camera));
      }
      return this.mirror ? draft.addVector(GROUND, this.mirror.places(draft.groundVector(name)) as Pair) : reference;
    };
    const made = copy();
    this.grounds.set(`${field} ${reference}`, made);
    return made;
  }
}

const gesture = { fewest: 2, most: 2, drag: "all", outline: "line" } as const;

const copyTool: Tool = {
  ...copyTexts.copy,
  ...gesture,
  make(spots, site) {
    const [from, to] = spots as [Spot, Spot];
    const by = minus(to.place, from.place);
    return new Copier(site, { place: (at) => plus(at, by) as Pair }).copy();
  },
};

const mirrorTool: Tool = {
  ...copyTexts.mirror,
  ...gesture,
  make(spots, site) {
    const [{ place: from }, { place: to }] = spots as [Spot, Spot];
    const [x, y] = minus(to, from) as Pair;
    const slope = Math.atan2(y, x);
    const place = (at: Pair): Pair => {
      const [u, v] = rotate([-slope], minus(at, from)) as Pair;
      return plus(from, rotate([slope], [u, -v])) as Pair;
    };
    return new Copier(site, { place, mirror: slope }).copy();
  },
};

export const COPY_TOOLS = [copyTool, mirrorTool];
