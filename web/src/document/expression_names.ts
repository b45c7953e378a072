// The names that an expression of a document may use, by its place: parameters everywhere, time in functions of time,
// positions in constraints, velocities in laws, outputs of force elements in forces, all else in sensors.
import { asFields, asList, type Fields } from "./fields";
import type { Path } from "./schema";

/** What an expression may read; each level includes those before it. */
const LEVELS = ["parameters", "time", "position", "velocity", "force", "reaction"] as const;
export type Level = (typeof LEVELS)[number];

/** Quantities of elements by the level at which they may be read: in the plane and in space. */
export const QUANTITIES = {
  place: {
    position: ["x y", "x y z"],
    velocity: ["vx vy", "vx vy vz"],
    reaction: ["ax ay", "ax ay az"],
  },
  body: {
    position: ["phi", "e0 e1 e2 e3 A11 A12 A13 A21 A22 A23 A31 A32 A33"],
    velocity: ["omega", "omega_x omega_y omega_z"],
    reaction: ["alpha", "alpha_x alpha_y alpha_z"],
  },
  joint: {
    position: ["q", "q"],
    velocity: ["qd", "qd"],
    reaction: ["qdd fx fy torque lambda1", "qdd fx fy fz tx ty tz lambda1"],
  },
  curve: { velocity: ["alpha1 alpha2", ""] },
  gear: { reaction: ["tangential radial", "tangential radial"] },
  driver: { reaction: ["effort", "effort"] },
  energy: { reaction: ["kinetic potential work dissipated", "kinetic potential work dissipated"] },
} satisfies Record<string, Partial<Record<Level, [string, string]>>>;

/** Outputs of force elements by their type, in the plane and in space if they differ. */
export const OUTPUTS: Record<string, string[]> = {
  backlash: ["force x"],
  beam: ["force moment1 moment2", "force torsion moment_y1 moment_z1 moment_y2 moment_z2"],
  bushing: ["fx fy torque x y turn", "fx fy fz tx ty tz x y z rx ry rz"],
  contact: [
    "force friction penetration slip sticking gap fx fy",
    "force friction penetration slip sticking gap fx fy fz",
  ],
  "dc-motor": ["current torque"],
  drag: ["fx fy", "fx fy fz"],
  force: ["fx fy", "fx fy fz"],
  friction: ["force friction slip sticking"],
  gravitation: ["force"],
  "one-way-clutch": ["torque"],
  rope: ["tension l"],
  "rotational-spring-damper": ["torque"],
  "spring-damper": ["force"],
  torque: ["torque", "tx ty tz"],
  tyre: ["lateral longitudinal slip_angle slip"],
};

/** Functions of the language. */
export const FUNCTIONS = [
  ..."sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2".split(" "),
  ..."abs sign min max floor mod pow if smoothstep".split(" "),
];

/** A completion: the word shown, its description, and the text inserted if that differs from the word. */
export interface Name {
  word: string;
  detail: string;
  written?: string;
}

/** Names in expressions: a letter or underscore, then letters, digits and underscores. */
const NAME = /^[A-Za-z_]\w*$/;
/** The dotted name, complete or not, before a position. */
const TYPED = /[A-Za-z_]\w*(?:\.\w*)*$/;

/** A number or a closed bracket, after which only an operator may follow. */
const COMPLETE = /[\p{N}.)]\s*$/u;

/** Returns the level of the expression at a path of the model, which begins with the name of a section. */
function levelOf([section, index = "", field]: Path, model: Fields): Level {
  const { type } = asFields(asList(model[section ?? ""])[Number(index)]);
  switch (section) {
    case "joints":
      if (field !== "value") return "parameters";
      return type === "velocity" ? "velocity" : "position";
    case "drivers":
      return field === "function" ? "time" : "parameters";
    case "forces":
      return ["value", "actuator", "voltage"].includes(field ?? "") ? "reaction" : "force";
    case "states":
      return field === "rate" ? "reaction" : "parameters";
    case "signals":
      return field === "value" || field === "input" ? "reaction" : "parameters";
    case "sampled":
    case "sensors":
      return field === "value" ? "reaction" : "parameters";
    case "events":
      return field === "set" ? "reaction" : "velocity";
    case "analysis":
      return index === "stop_when" ? "velocity" : "parameters";
  }
  return "parameters";
}

/** Returns names that have a meaning in one field only: arguments of a function, the parameter of a curve, those that
 * the description of a law lists ("may use l and ld"). */
function ownNames([section, index = "", field]: Path, model: Fields, description: string): string[] {
  if (section === "functions" && field === "value")
    return asList(asFields(asFields(model.functions)[index]).arguments).map(String);
  if (section === "joints" && field === "curve") return ["alpha"];
  return /may use (\w+) and (\w+)/.exec(description)?.slice(1) ?? [];
}

class Names {
  private readonly space: 0 | 1;

  constructor(
    private readonly model: Fields,
    private readonly level: Level,
  ) {
    this.space = model.space === "spatial" ? 1 : 0;
  }

  private may(level: Level): boolean {
    return LEVELS.indexOf(level) <= LEVELS.indexOf(this.level);
  }

  private elements(section: string): Fields[] {
    return asList(this.model[section])
      .map(asFields)
      .filter(({ name }) => NAME.test(String(name)));
  }

  /** Returns the quantities of an owner that may be read here. */
  private quantities(owner: keyof typeof QUANTITIES): string[] {
    const words = Object.entries(QUANTITIES[owner]) as [Level, [string, string]][];
    return words.flatMap(([level, texts]) => (this.may(level) ? texts[this.space].split(" ").filter(Boolean) : []));
  }

  private outputs({ type }: Fields): string[] {
    const [planar = "", spatial = planar] = OUTPUTS[String(type)] ?? [];
    return this.may("force") ? (this.space === 1 ? spatial : planar).split(" ").filter(Boolean) : [];
  }

  private ofJoint(joint: Fields): string[] {
    const gear = "radii" in joint || "teeth" in joint || String(joint.type) === "rack-and-pinion";
    const tension = this.may("force") && ["belt", "rope"].includes(String(joint.type));
    return [
      ...this.quantities("joint"),
      ...("curve" in joint ? this.quantities("curve") : []),
      ...(gear ? this.quantities("gear") : []),
      ...(tension ? [joint.type === "belt" ? "tension1" : "tension", "l"] : []),
    ];
  }

  /** Returns the words that may follow a name and a dot. */
  after(owner: string): Name[] {
    const [first = "", point] = owner.split(".");
    const quantities = (words: string[]): Name[] => words.map((word) => ({ word, detail: "" }));
    const named = (section: string): Fields | undefined => this.elements(section).find(({ name }) => name === first);
    const body = first === "ground" ? asFields(this.model.ground) : named("bodies");
    if (body && point !== undefined) return point in asFields(body.points) ? quantities(this.quantities("place")) : [];
    const points = this.may("position") ? Object.keys(asFields(body?.points)).filter((name) => NAME.test(name)) : [];
    const ofPoints = points.map((word) => ({ word, detail: "point" }));
    if (first === "ground") return ofPoints;
    if (body) return [...quantities([...this.quantities("place"), ...this.quantities("body")]), ...ofPoints];
    if (first === "energy") return quantities(this.quantities("energy"));
    const [joint, force, driver] = [named("joints"), named("forces"), named("drivers")];
    return quantities([
      ...(joint ? this.ofJoint(joint) : []),
      ...(force ? this.outputs(force) : []),
      ...(driver ? this.quantities("driver") : []),
    ]);
  }

  /** Returns the names with which a value of an expression may begin. */
  first(own: string[]): Name[] {
    const named = (section: string, detail: string, counts: (element: Fields) => boolean = () => true): Name[] =>
      this.elements(section).filter(counts).map(({ name }) => ({ word: String(name), detail }));
    const keys = (section: string, detail: string): Name[] =>
      Object.keys(asFields(this.model[section])).filter((name) => NAME.test(name)).map((word) => ({ word, detail }));
    const called = (word: string, detail: string): Name => ({ word, detail, written: `${word}(` });
    const names: Name[] = own.map((word) => ({ word, detail: "" }));
    names.push(...keys("parameters", "parameter"));
    names.push(...keys("functions", "function").map(({ word, detail }) => called(word, detail)));
    if (this.may("time")) names.push({ word: "t", detail: "time [s]" });
    if (this.may("position")) {
      names.push(...named("states", "state"), ...named("signals", "signal"), ...keys("variables", "variable"));
      names.push(...keys("inputs", "input"));
      names.push(...named("sampled", "sampled value"), ...named("bodies", "body"), ...named("joints", "joint"));
      names.push({ word: "ground", detail: "points" }, called("distance", "of two points"));
    }
    if (this.may("velocity")) names.push(called("distance_rate", "of two points"));
    if (this.may("force")) names.push(...named("forces", "force", (force) => this.outputs(force).length > 0));
    if (this.may("reaction")) names.push(...named("drivers", "driver"), { word: "energy", detail: "energies" });
    return [...names, { word: "pi", detail: "" }, ...FUNCTIONS.map((word) => called(word, ""))];
  }
}

/** Names that may continue an expression, and the number of characters before the cursor that they replace. */
export interface Continuation {
  typed: number;
  names: Name[];
}

/** Returns the names that may continue an expression. `before`: the expression up to the cursor; `path`: its place in
 * the document; `description`: that of the field. */
export function namesAt(before: string, path: Path, document: unknown, description = ""): Continuation {
  const root = asFields(document);
  const [model, place] = "model" in root ? [asFields(root.model), path.slice(1)] : [root, path];
  const names = new Names(model, levelOf(place, model));
  const typed = TYPED.exec(before)?.[0] ?? "";
  if (typed === "" && COMPLETE.test(before)) return { typed: 0, names: [] };
  const dot = typed.lastIndexOf(".");
  if (dot >= 0) return { typed: typed.length - dot - 1, names: names.after(typed.slice(0, dot)) };
  return { typed: typed.length, names: names.first(ownNames(place, model, description)) };
}
