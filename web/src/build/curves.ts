// Initial curves of new cams and slots, through the point where they touch the other body.
import type { Fields } from "../document/fields";
import type { SchemaNode } from "../document/schema";
import { inverse, rotate, scaled, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { View } from "../interaction/picking";

/** Radius of a roller on a body without a circle, as a fraction of the distance between the origins of cam and
 * roller. */
const ROLLER = 0.25;
/** Lift of a cam, as a fraction of its smallest radius. */
const LIFT = 0.5;

const written = (value: number): number => Number(value.toPrecision(6));

/** Returns a cam with its highest point towards `way`, where its radius is `radius`. */
function cam(body: number, way: Pair, radius: number, { motion }: View): Fields {
  const [x, y] = body === GROUND ? way : (rotate(inverse(motion.turn(body)), way) as Pair);
  const top = Number(Math.atan2(y, x).toFixed(6)) + 0;
  const middle = radius / (1 + LIFT / 2);
  const angle = top === 0 ? "alpha" : top < 0 ? `alpha + ${-top}` : `alpha - ${top}`;
  return { polar: `${written(middle)} + ${written(radius - middle)}*cos(${angle})`, start: top };
}

/** Returns the curve or the two curves that a field needs, between the origins of the two bodies. A curve that
 * touches a flat face lifts it; a roller has the radius of the body's circle; a single curve in which a point moves is
 * a circle. */
export function curvesOf(field: SchemaNode, bodies: number[], way: Pair, flat: boolean, view: View): unknown {
  const distance = Math.hypot(...way);
  const [first = GROUND, second = GROUND] = bodies;
  if (field.type !== "array") return flat ? cam(first, way, distance, view) : { polar: written(distance) };
  const circle = view.scene.bodies[second]?.shapes.find(({ type }) => type === "circle");
  const drawn = circle && "radius" in circle ? circle.radius : Infinity;
  const roller = drawn < distance ? drawn : written(ROLLER * distance);
  const back = cam(second, scaled(way, -1) as Pair, roller, view);
  return [cam(first, way, distance - roller, view), { polar: roller, start: back.start }];
}
