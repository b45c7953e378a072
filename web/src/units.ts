// The unit of one column, where an array has columns of several units and says "m or rad".
import type { ArrayInfo } from "./api";
import { asFields, asList, type Fields } from "./fields";

/** Units of a slide and of a turn: coordinates, their rates and accelerations. */
const SLIDE = ["m", "m/s", "m/s^2"];
const TURN = ["rad", "rad/s", "rad/s^2"];

/** What the coordinates of joints are, in their order: slides (s), then turns (r). Those of a ball are neither. */
const COORDINATES: Record<string, string> = {
  revolute: "r",
  translational: "s",
  "revolute-translational": "sr",
  disc: "r",
  prismatic: "s",
  cylindrical: "sr",
  universal: "rr",
  planar: "ssr",
  screw: "r",
};

const DRIVERS: Record<string, string> = {
  x: "s",
  y: "s",
  z: "s",
  distance: "s",
  angle: "r",
  "relative-angle": "r",
  rotation: "r",
};

/** Words of columns, and what they are in any case. */
const WORDS: [RegExp, string][] = [
  [/^[xyz]$/, "m"],
  [/^v[xyz]$/, "m/s"],
  [/^a[xyz]$/, "m/s^2"],
  [/^phi$/, "rad"],
  [/^omega(_[xyz])?$/, "rad/s"],
  [/^alpha(_[xyz])?$/, "rad/s^2"],
  [/^f[xyz]$/, "N"],
  [/^(torque|t[xyz])$/, "N m"],
  [/^penetration$/, "m"],
];

/** Words of constraint rows that measure a length, whose multiplier is a force; and an angle. */
const LENGTHS = /^([xyz]|normal[12]?|length|axis|thread|roll|gap)$/;
const ANGLES = /^(parallel[12]?|phi|turn|cross)$/;

function effortOf(kind: string | undefined): string {
  return kind === "s" ? "N" : kind === "r" ? "N m" : "";
}

/** A column's name in two: of the element, and of what it is of it. */
function split(label: string): [string, string] {
  const end = label.lastIndexOf(".");
  return end < 0 ? ["", label] : [label.slice(0, end), label.slice(end + 1)];
}

class Units {
  private readonly elements = new Map<string, Fields>();
  private readonly rows: string[];

  constructor(model: Fields, report: unknown) {
    for (const kind of ["joints", "forces", "drivers"])
      for (const element of asList(model[kind]).map(asFields))
        this.elements.set(`${kind}/${String(element.name)}`, element);
    this.rows = asList(asFields(report).rows).map((row) => String(asFields(row).label));
  }

  private typeOf(kind: string, name: string): string {
    return String(this.elements.get(`${kind}/${name}`)?.type);
  }

  /** Slide or turn: coordinate number `index` of a joint, from 0. */
  private kindOf(joint: string, index: number): string | undefined {
    return COORDINATES[this.typeOf("joints", joint)]?.[index];
  }

  private coordinate(label: string): string {
    const [owner, word] = split(label);
    const [, rates, number] = /^q(d{0,2})(\d*)$/.exec(word) ?? [];
    if (rates === undefined) return WORDS.find(([pattern]) => pattern.test(word))?.[1] ?? "";
    const kind = this.kindOf(owner, Number(number || 1) - 1);
    return (kind === "s" ? SLIDE : kind === "r" ? TURN : [])[rates.length] ?? "";
  }

  private effort(name: string): string {
    const driver = this.elements.get(`drivers/${name}`);
    const type = String(driver?.type);
    if (type === "joint") return effortOf(this.kindOf(String(driver?.joint), Number(driver?.coordinate ?? 1) - 1));
    return effortOf(DRIVERS[type]);
  }

  private multiplier(label: string, row: string | undefined): string {
    const [owner, word] = split(label);
    if (word === "effort") return this.effort(owner);
    const [, measure] = split(row ?? "");
    return LENGTHS.test(measure) ? "N" : ANGLES.test(measure) ? "N m" : "";
  }

  private force(label: string): string {
    const [owner, word] = split(label);
    const force = this.elements.get(`forces/${owner}`);
    if (force?.type === "friction") return effortOf(this.kindOf(String(force.joint), 0));
    return word === "force" || word === "friction" ? "N" : this.coordinate(label);
  }

  private contact(label: string): string {
    const [joint, word] = split(label);
    const curve = this.elements.get(`joints/${joint}`)?.curve;
    const one = asFields(Array.isArray(curve) ? curve[word === "alpha2" ? 1 : 0] : curve);
    return "polar" in one ? "rad" : "spline" in one ? "m" : "";
  }

  of(array: ArrayInfo, label: string): string {
    switch (array.name) {
      case "uT":
      case "theta":
      case "theta_d":
      case "theta_dd":
      case "reactions":
        return this.coordinate(label);
      case "Lam": {
        const rows = this.rows.length === array.labels.length ? this.rows : [];
        return this.multiplier(label, rows[array.labels.indexOf(label)]);
      }
      case "forces":
        return this.force(label);
      case "contact_parameters":
        return this.contact(label);
      default:
        return array.unit ?? "";
    }
  }
}

/** What a job's document and report tell of units, for arrays that come without those of their columns. */
function guessedUnits(text: string, report: unknown): Units {
  const document = asFields(JSON.parse(text));
  return new Units("model" in document ? asFields(document.model) : document, report);
}

/** Finds the units of columns; "" where they are not known. */
export function unitFinder(text: string, report: unknown): (array: ArrayInfo, label: string) => string {
  const guessed = guessedUnits(text, report);
  return (array, label) =>
    array.units ? (array.units[array.labels.indexOf(label)] ?? "") : guessed.of(array, label);
}
