// How far a mechanism in space reaches, which sizes of what is drawn follow.
import type { Motion } from "../results/motion";
import { scaled, type Vector } from "./geometry";
import type { Scene } from "./scene";

export interface Reach {
  /** The middle of the box that holds all mass centres and points. */
  middle: Vector;
  /** The longest side of that box; 1 where all are at one place [m]. */
  extent: number;
}

/** Of a mechanism where it stands. */
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
