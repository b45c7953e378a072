// Computes the extent of a spatial mechanism, on which the sizes of the drawing depend.
import type { Motion } from "../results/motion";
import { scaled, type Vector } from "./geometry";
import type { Scene } from "./scene";

export interface Reach {
  /** The centre of the bounding box of all mass centres and points; the origin if all of them coincide. */
  middle: Vector;
  /** The longest side of that box [m]; 1 if all of them coincide. */
  extent: number;
}

/** Returns the bounds of a mechanism at its current position. */
export function reachOf(scene: Scene, motion: Motion): Reach {
  const places = scene.bodies.map((_, body) => motion.centre(body));
  for (let point = 0; point < motion.frame.points.length / 3; point++) places.push(motion.point(point));
  const known = places.filter((place) => place.every(Number.isFinite));
  const range = [0, 1, 2].map((axis) => {
    const values = known.map((place) => place[axis] as number);
    return [Math.min(...values), Math.max(...values)] as const;
  });
  const extent = Math.max(...range.map(([least, most]) => most - least));
  const middle = scaled(range.map(([least, most]) => least + most), 0.5);
  return known.length > 0 && extent > 0 ? { middle, extent } : { middle: [0, 0, 0], extent: 1 };
}
