// Lengths, angles and radii of a body. A new number changes a point or shape of the body.
import { dimensionTexts } from "../app/texts";
import { modelIn } from "../document/elements";
import { asFields, asList } from "../document/fields";
import { changed, pointerTo, tokensOf, valueChange } from "../document/pointer";
import { across, dot, minus, plus, rotate, scaled, unit, type Pair } from "../drawing/geometry";
import type { View } from "../interaction/picking";
import { beside, DEGREE, isPair, moved, type Dimension } from "./measure";
import { mean } from "./synthesis";

/** Bodies with more points show no dimensions. */
const MOST = 9;

/** A point of the body: its name, its coordinates in the body's axes, its pixel. */
interface Corner {
  name: string;
  at: Pair;
  pixel: Pair;
}

/** What the text says about a body: coordinates of its points by name, and its circles with their indices. */
export interface Numbers {
  text: string;
  body: number;
  holder: string;
  points: Map<string, Pair>;
  circles: { index: number; radius: number; at: Pair }[];
}

export function numbersOf(text: string, body: number): Numbers {
  const { model = {}, prefix = "" } = modelIn(text) ?? {};
  const fields = asFields(asList(model.bodies)[body]);
  const points = Object.entries(asFields(fields.points)).filter((entry): entry is [string, Pair] => isPair(entry[1]));
  const circles = asList(fields.shapes).flatMap((value, index) => {
    const { type, radius, at = [0, 0] } = asFields(value);
    return type === "circle" && typeof radius === "number" && isPair(at) ? [{ index, radius, at }] : [];
  });
  return { text, body, holder: `${prefix}/bodies/${body}`, points: new Map(points), circles };
}

function cornersOf({ body, points }: Numbers, { scene, motion, camera }: View): Corner[] {
  return (scene.bodies[body]?.points ?? []).flatMap((point) => {
    const name = scene.points[point]?.name ?? "";
    const at = points.get(name);
    return at ? [{ name, at, pixel: camera.toScreen(camera.flatten(motion.point(point))) }] : [];
  });
}

/** Returns the length between two points; it is written on the side away from `centre`. */
function lengthOf(holder: string, a: Corner, b: Corner, centre: Pair): Dimension[] {
  const way = minus(b.at, a.at);
  const direction = unit(way);
  const seen = unit(minus(b.pixel, a.pixel));
  if (!direction || !seen) return [];
  const [middle, side] = [scaled(plus(a.pixel, b.pixel), 0.5) as Pair, across(seen)[0] as Pair];
  const pixel = beside(middle, dot(side, minus(middle, centre)) < 0 ? (scaled(side, -1) as Pair) : side);
  const set = (text: string, value: number): string => moved(text, holder, b.name, plus(a.at, direction, value));
  return [{ label: dimensionTexts.length(a.name, b.name), value: Math.hypot(...way), unit: "m", pixel, set }];
}

/** Returns the angle at b between a and c. */
function angleOf(holder: string, a: Corner, b: Corner, c: Corner): Dimension[] {
  const [back, on] = [minus(a.at, b.at), minus(c.at, b.at)] as [Pair, Pair];
  const signed = Math.atan2(back[0] * on[1] - back[1] * on[0], back[0] * on[0] + back[1] * on[1]);
  const [one, other] = [unit(minus(a.pixel, b.pixel)), unit(minus(c.pixel, b.pixel))];
  if (!one || !other) return [];
  const outwards = scaled(unit(plus(one, other)) ?? (across(one)[0] as Pair), -1) as Pair;
  const pixel = beside(b.pixel, outwards);
  const set = (text: string, value: number): string => {
    const turn = (signed < 0 ? -1 : 1) * value * DEGREE - signed;
    return moved(text, holder, c.name, plus(b.at, rotate([turn], on)));
  };
  return [{ label: dimensionTexts.angle(b.name), value: Math.abs(signed) / DEGREE, unit: "\u00b0", pixel, set }];
}

function radiiOf({ body, holder, circles }: Numbers, { motion, camera }: View): Dimension[] {
  return circles.map(({ index, radius, at }) => {
    const [x, y] = camera.toScreen(camera.flatten(motion.place(body, at)));
    const set = (text: string, value: number): string => {
      const change = valueChange(text, tokensOf(pointerTo(holder, "shapes", String(index), "radius")), String(value));
      return change ? changed(text, [change]) : text;
    };
    const pixel = beside([x, y - radius * camera.scale], [0, -1]);
    return { label: dimensionTexts.radius, value: radius, unit: "m", pixel, set };
  });
}

/** Returns the lengths, angles and radii of a body. */
export function bodyDimensions(numbers: Numbers, view: View): Dimension[] {
  const { holder } = numbers;
  const corners = cornersOf(numbers, view);
  if (corners.length > MOST) return [];
  const next = (i: number): Corner => corners[(i + 1) % corners.length] as Corner;
  const centre = mean(corners.map(({ pixel }) => pixel));
  const sides = corners.length > 2 ? corners : corners.slice(0, -1);
  const lengths = sides.flatMap((corner, i) => lengthOf(holder, corner, next(i), centre));
  const middles = corners.length > 2 ? corners : [];
  const angles = middles.flatMap((corner, i) => angleOf(holder, corner, next(i), next(i + 1)));
  return [...lengths, ...angles, ...radiiOf(numbers, view)];
}
