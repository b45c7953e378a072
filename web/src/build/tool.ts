// What a tool is: places of the drawing become an element of the document.
import { inverse, minus, rotate, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import { bodiesAt, type View } from "../interaction/picking";
import type { Kind } from "../interaction/selection";
import type { Draft } from "./draft";
import { rounded } from "./snapping";

/** Points nearer to one another, in pixels, are at one place. */
const SAME_PLACE_PIXELS = 2;
/** A body is under a place up to so many pixels off. */
const UNDER = 4;

/** A place that was chosen. */
export interface Spot {
  place: Pair;
  /** The points there. */
  points: number[];
  /** The bodies there: those of its points, then those that are drawn there, the one on top first. */
  bodies: number[];
}

/** What a tool works with. */
export interface Site {
  draft: Draft;
  /** The drawing of the document as it is. */
  view: View;
}

/** An element that was made. */
export interface Made {
  kind: Kind;
  index: number;
  /** What is to be told of it. */
  note: string;
  ways?: Way[];
}

/** Why nothing is made of the places that were chosen. */
export class Refusal extends Error {}

/** How places are chosen. */
export interface Gesture {
  /** What to do, for the user. */
  hint: string;
  /** So many places are taken; the last one ends it, and Enter when there are the fewest. */
  fewest: number;
  most: number;
  /** What a drag means: its two ends are all places, the first ones, or nothing. */
  drag: "all" | "first" | "none";
  /** What is shown of the places while it is used. */
  outline: "line" | "polygon" | "circle" | "none";
  /** Describes what the places so far would become, as "pin of rod in slot of frame"; undefined if nothing would. */
  preview?(places: Pair[], view: View): string | undefined;
}

/** Selects the bodies of an element where its places leave a choice: the pair by its number, and its order. */
export interface Pick {
  pair: number;
  swapped: boolean;
}

export const FIRST_PICK: Pick = { pair: 0, swapped: false };

/** Another choice of bodies for an element that was made. */
export interface Way {
  name: string;
  /** What a click makes of the element. */
  title: string;
  pick: Pick;
}

export interface Tool extends Gesture {
  name: string;
  /** What it makes. */
  title: string;
  /** The tools of which the user has to choose one; this one makes nothing then. */
  kinds?: Tool[];
  make(spots: Spot[], site: Site, pick: Pick): Made;
}

export function spotAt(place: Pair, view: View): Spot {
  const { scene, motion, camera } = view;
  const pixel = camera.toScreen(place);
  const points = scene.points.flatMap((_, point) => {
    const [x, y] = camera.toScreen(camera.flatten(motion.point(point)));
    return Math.hypot(x - pixel[0], y - pixel[1]) < SAME_PLACE_PIXELS ? [point] : [];
  });
  const owners = points.map((point) => scene.points[point]?.body ?? GROUND);
  return { place, points, bodies: [...new Set([...owners, ...bodiesAt(pixel, UNDER, view)])] };
}

/** A place, or a direction, in the axes of a body. */
export function localPlace(body: number, place: Pair, { motion, camera }: View): Pair {
  return rounded(rotate(inverse(motion.turn(body)), minus(place, motion.centre(body))), camera);
}

export function localVector(body: number, vector: Pair, { motion }: View): Pair {
  const [x, y] = rotate(inverse(motion.turn(body)), vector) as Pair;
  const size = Math.hypot(x, y) || 1;
  const component = (value: number): number => Number((value / size).toFixed(7)) + 0;
  return [component(x), component(y)];
}

/** A reference to the point of a body at a place, which is made where there is none. */
export function pointAt(body: number, { place, points }: Spot, { draft, view }: Site): string {
  const point = points.find((each) => view.scene.points[each]?.body === body);
  const found = point === undefined ? undefined : view.scene.points[point];
  return found ? `${draft.nameOf(body)}.${found.name}` : draft.addPoint(body, localPlace(body, place, view));
}

/** The name of a body of the drawing, of the ground "ground". */
export function nameIn({ scene }: View, body: number): string {
  return scene.bodies[body]?.name ?? "ground";
}

/** The radius of the first circle that is drawn of a body; undefined: it has none. */
export function radiusOf(body: number, { view }: Site): number | undefined {
  const circle = view.scene.bodies[body]?.shapes.find(({ type }) => type === "circle");
  return circle && "radius" in circle ? circle.radius : undefined;
}
