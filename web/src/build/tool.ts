// The interface of the drawing tools: they convert positions in the drawing to elements of the document.
import { inverse, minus, rotate, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import { bodiesAt, HALF_WIDTH, type View } from "../interaction/picking";
import type { Kind } from "../interaction/selection";
import type { Draft } from "./draft";
import { rounded } from "./snapping";

/** Points within this distance count as coincident [pixels]. */
export const SAME_PLACE_PIXELS = 2;

/** A chosen position. */
export interface Spot {
  place: Pair;
  /** Indices of the points there. */
  points: number[];
  /** The bodies there: those of its points, then those drawn there, starting with the top one. */
  bodies: number[];
}

/** The document and drawing on which a tool works. */
export interface Site {
  draft: Draft;
  /** The drawing of the current document. */
  view: View;
  /** Number of its degrees of freedom; undefined if it is not known. */
  freedoms: number | undefined;
}

/** An element that was created. */
export interface Made {
  kind: Kind;
  index: number;
  /** Note about the element for the user. */
  note: string;
  ways?: Way[];
  /** For a driver, the choice that is tried if its motion fails, and the note about that. */
  otherwise?: { pick: Pick; note: string };
  /** True if the document now has a study that the user can run. */
  study?: boolean;
  /** The point whose path the drawing then shows, such as "coupler.P". */
  traced?: string;
  /** True if the tool ends with this element, so that the user can drag the mechanism. */
  last?: boolean;
}

/** The reason why the chosen positions create no element. */
export class Refusal extends Error {}

/** The input of positions for a tool. */
export interface Gesture {
  /** Instruction for the user. */
  hint: string;
  /** Minimum and maximum number of positions. The last one ends the input; with the minimum, Enter ends it. */
  fewest: number;
  most: number;
  /** The meaning of a drag. all: its two ends are all positions; first: they are the first two; pairs: they are the next
   * two; curve: places along it are all positions; none: it is a click. */
  drag: "all" | "first" | "pairs" | "curve" | "none";
  /** The preview of the positions; pairs: a line between the first two, the next two, ... */
  outline: "line" | "polygon" | "circle" | "pairs" | "none";
  /** Describes the element that the chosen positions create, such as "pin of rod in slot of frame". Returns undefined
   * if they create none. */
  preview?(places: Pair[], view: View): string | undefined;
}

/** Selects the bodies of an element if its positions allow several: the number of the pair or joint, and its order. A
 * driver has its first motion with `swing` 0, and swings less far with each step. */
export interface Pick {
  pair: number;
  swapped: boolean;
  swing: number;
}

export const FIRST_PICK: Pick = { pair: 0, swapped: false, swing: 0 };

/** Another choice of bodies for an existing element. */
export interface Way {
  name: string;
  /** The element that a click creates. */
  title: string;
  pick: Pick;
}

export interface Tool extends Gesture {
  name: string;
  /** The element that the tool creates. */
  title: string;
  /** Alternative tools: the user must choose one; this tool itself creates nothing. */
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
  return { place, points, bodies: [...new Set([...owners, ...bodiesAt(pixel, HALF_WIDTH, view)])] };
}

/** Converts a position to a body's axes. */
export function localPlace(body: number, place: Pair, { motion, camera }: View): Pair {
  return rounded(rotate(inverse(motion.turn(body)), minus(place, motion.centre(body))), camera);
}

export function localVector(body: number, vector: Pair, { motion }: View): Pair {
  const [x, y] = rotate(inverse(motion.turn(body)), vector) as Pair;
  const size = Math.hypot(x, y) || 1;
  const component = (value: number): number => Number((value / size).toFixed(7)) + 0;
  return [component(x), component(y)];
}

/** Returns the reference to the point of a body at a position, which is created if necessary. */
export function pointAt(body: number, { place, points }: Spot, { draft, view }: Site): string {
  const point = points.find((each) => view.scene.points[each]?.body === body);
  const found = point === undefined ? undefined : view.scene.points[point];
  return found ? `${draft.nameOf(body)}.${found.name}` : draft.addPoint(body, localPlace(body, place, view));
}

/** Returns the name of a body of the drawing; "ground" for the ground. */
export function nameIn({ scene }: View, body: number): string {
  return scene.bodies[body]?.name ?? "ground";
}

/** Returns the radius of the first circle among the shapes of a body; undefined if there is none. */
export function radiusOf(body: number, { view }: Site): number | undefined {
  const circle = view.scene.bodies[body]?.shapes.find(({ type }) => type === "circle");
  return circle && "radius" in circle ? circle.radius : undefined;
}
