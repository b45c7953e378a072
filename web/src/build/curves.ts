// The curves that new cams and slots begin with: through the place where they meet what follows them.
import type { Fields } from "../document/fields";
import type { SchemaNode } from "../document/schema";
import { inverse, rotate, scaled, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { View } from "../interaction/picking";

/** A roller's part of the way from the cam's origin to the roller's. */
const ROLLER = 0.25;
/** A cam's lift, as a part of its least radius. */
const LIFT = 0.2;

const written = (value: number): number => Number(value.toPrecision(6));

/** A cam that is highest towards `way`, where its radius is `radius`. */
function cam(body: number, way: Pair, radius: number, { motion }: View): Fields {
  const [x, y] = body === GROUND ? way : (rotate(inverse(motion.turn(body)), way) as Pair);
  const top = Number(Math.atan2(y, x).toFixed(6)) + 0;
  const middle = radius / (1 + LIFT / 2);
  const angle = top === 0 ? "alpha" : top < 0 ? `alpha + ${-top}` : `alpha - ${top}`;
  return { polar: `${written(middle)} + ${written(radius - middle)}*cos(${angle})`, start: top };
}

/** The curve, or the two curves, that a field asks for, between the origins of the two bodies. One that meets a flat
 * face lifts it; a single one that a point runs in is a circle. */
export function curvesOf(field: SchemaNode, bodies: number[], way: Pair, flat: boolean, view: View): unknown {
  const distance = Math.hypot(...way);
  const [first = GROUND, second = GROUND] = bodies;
  if (field.type !== "array") return flat ? cam(first, way, distance, view) : { polar: written(distance) };
  const roller = written(ROLLER * distance);
  const back = cam(second, scaled(way, -1) as Pair, roller, view);
  return [cam(first, way, distance - roller, view), { polar: roller, start: back.start }];
}
