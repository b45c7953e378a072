// The paths of belts and ropes: a stop at each chosen position, a wheel, an eye or an end.
import { elementTexts } from "../app/texts";
import type { Fields } from "../document/fields";
import { minus, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { View } from "../interaction/picking";
import { nameIn, pointAt, Refusal, SAME_PLACE_PIXELS, type Site, type Spot } from "./tool";

/** Radius of a pulley on a body without a circle, as a fraction of the distance to the nearest other stop. */
const PART = 0.25;

/** The body at a position of the path, and the radius of its circle about the position if it has one. */
export interface Stop {
  spot: Spot;
  body: number;
  radius?: number;
}

/** Returns the radius of a circle of a body about a position; undefined if there is none. */
function radiusAt(body: number, { place }: Spot, { scene, motion, camera }: View): number | undefined {
  for (const shape of scene.bodies[body]?.shapes ?? []) {
    if (shape.type !== "circle") continue;
    const centre = camera.flatten(motion.place(body, shape.at));
    if (Math.hypot(...minus(centre, place)) * camera.scale < SAME_PLACE_PIXELS) return shape.radius;
  }
  return undefined;
}

/** Returns the stop at a position: a body with a circle about it, else another moving body, else the ground. */
export function stopAt(spot: Spot, view: View): Stop {
  const moving = spot.bodies.filter((body) => body !== GROUND);
  const radii = moving.map((body) => radiusAt(body, spot, view));
  const round = radii.findIndex((radius) => radius !== undefined);
  if (round < 0) return { spot, body: moving[0] ?? GROUND };
  return { spot, body: moving[round] as number, radius: radii[round] };
}

/** Returns the direction in which a path turns at a stop: 1 counterclockwise, -1 clockwise, 0 if it is straight. */
function turnAt(before: Stop, { spot }: Stop, after: Stop): number {
  const [x1, y1] = minus(spot.place, before.spot.place) as Pair;
  const [x2, y2] = minus(after.spot.place, spot.place) as Pair;
  return Math.sign(x1 * y2 - y1 * x2);
}

function distanceToOthers(stop: Stop, stops: Stop[]): number {
  const others = stops.filter((other) => other !== stop);
  return Math.min(...others.map(({ spot }) => Math.hypot(...minus(spot.place, stop.spot.place))));
}

/** Returns the radius and the sense of a wheel. The sense 1 is the default of the document. */
function wheel(radius: number, sense: number): Fields {
  return { radius, ...(sense < 0 && { sense: -1 }) };
}

/** Returns the pulleys of a belt, which runs in the order of the stops and bends towards the next one. */
export function pulleysOf(stops: Stop[], site: Site): Fields[] {
  const at = (k: number): Stop => stops[(k + stops.length) % stops.length] as Stop;
  return stops.map((stop, k) => {
    if (stop.body === GROUND) throw new Refusal(elementTexts.noPulley);
    const radius = stop.radius ?? Number((PART * distanceToOthers(stop, stops)).toPrecision(2));
    return { point: pointAt(stop.body, stop.spot, site), ...wheel(radius, turnAt(at(k - 1), stop, at(k + 1))) };
  });
}

/** Returns the path of a rope: drums or points at its ends, pulleys or eyes between them. */
export function pathOf(stops: Stop[], site: Site): Fields[] {
  const turns = stops.map((stop, k) => {
    const [before, after] = [stops[k - 1], stops[k + 1]];
    return before && after ? turnAt(before, stop, after) : 0;
  });
  const last = stops.length - 1;
  return stops.map(({ spot, body, radius }, k) => {
    const point = pointAt(body, spot, site);
    if (radius === undefined) return { point };
    const isEnd = k === 0 || k === last;
    // The strand at a drum does not cross the line of centres if the next pulley turns the same way.
    const sense = isEnd ? turns[k === 0 ? 1 : last - 1] : turns[k];
    return { [isEnd ? "drum" : "pulley"]: point, ...wheel(radius, sense ?? 1) };
  });
}

/** Describes the path so far. */
export function pathText(stops: Stop[], view: View): string {
  return stops.map(({ body }) => nameIn(view, body)).join(" – ");
}
