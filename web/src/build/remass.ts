// Mass, moment of inertia and mass centre of a drawn body after a change of its shape, as long as they are those of its
// shape. Values that the user has set stay.
import { modelIn } from "../document/elements";
import { asFields, asList, type Fields } from "../document/fields";
import { jsonLine } from "../document/json_text";
import { changed, memberChange } from "../document/pointer";
import { minus, plus, rotate, type Pair } from "../drawing/geometry";
import { ofCircle, ofLine, ofPolygon, significant, type Mass } from "./mass";

/** Mass centres closer to the origin of the body than this count as equal to it [m]. */
const NEAR = 1e-6;

const isPair = (value: unknown): value is Pair => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);

/** Returns the mass properties of what the tools draw: bars one after the other, a sheet, a disc. Undefined for other
 * shapes. */
function massOf({ shapes }: Fields): Mass | undefined {
  const list = asList(shapes).map(asFields);
  const [first] = list;
  if (!first) return undefined;
  if (list.every(({ type }) => type === "line")) {
    const corners = [first.from, ...list.map(({ to }) => to)];
    return corners.every(isPair) ? ofLine(corners) : undefined;
  }
  if (list.length > 1) return undefined;
  const points = asList(first.points);
  if (first.type === "polygon") return points.every(isPair) ? ofPolygon(points) : undefined;
  return first.type === "circle" && typeof first.radius === "number" && !first.at ? ofCircle([0, 0], first.radius) : undefined;
}

function bodyIn(text: string, index: number): Fields {
  return asFields(asList(modelIn(text)?.model.bodies)[index]);
}

/** Returns a value with all its coordinates moved. */
function moved(value: unknown, by: Pair): unknown {
  if (isPair(value)) return minus(value, by).map((x) => Number(x.toFixed(9)) + 0);
  if (Array.isArray(value)) return value.map((each) => moved(each, by));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, moved(each, by)]));
}

/** Returns the text `after` a change of the shape of a body, with its mass properties if those `before` were of its
 * shape. */
export function remassed(before: string, after: string, index: number): string {
  const [old, body] = [bodyIn(before, index), bodyIn(after, index)];
  const [known, mass] = [massOf(old), massOf(body)];
  if (!known || !mass || Math.hypot(...known.centre) > NEAR) return after;
  if (significant(known.mass) !== old.mass || significant(known.inertia) !== old.inertia) return after;
  const initial = asFields(body.initial);
  if (!isPair(initial.position ?? [0, 0]) || !Number.isFinite(initial.angle ?? 0)) return after;
  const centre = rotate([Number(initial.angle ?? 0)], mass.centre);
  const position = plus((initial.position ?? [0, 0]) as Pair, centre).map((x) => Number(x.toFixed(9)) + 0);
  const fields: Fields = {
    mass: significant(mass.mass),
    inertia: significant(mass.inertia),
    points: moved(body.points, mass.centre),
    shapes: moved(body.shapes, mass.centre),
    initial: { ...initial, position },
  };
  const pointer = `${modelIn(after)?.prefix ?? ""}/bodies/${index}`;
  return Object.entries(fields).reduce((text, [name, value]) => {
    const change = memberChange(text, pointer, name, jsonLine(value));
    return change ? changed(text, [change]) : text;
  }, after);
}
