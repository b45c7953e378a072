// The positions of force elements in the current frame of a motion, for arrows, the selection and clicks.
import type { Motion } from "../results/motion";
import { across, plus, unit, type Vector } from "./geometry";
import type { Mark, Scene, SceneForce } from "./scene";

/** Types of force elements that pull at both ends with opposite forces. */
export const PULLING = ["spring-damper", "gravitation"];

/** Returns the positions of a force element; the force on its second or only body acts at the last one. They are its
 * points, or the mass centres of its bodies, or those of its joints. */
export function forcePlaces({ points, bodies, joints, floor }: SceneForce, scene: Scene, motion: Motion): Vector[] {
  // A disc or ball touches at its rim.
  const normal = floor && unit(motion.rotate(floor.carrier, floor.normal));
  if (normal) return points.map((point) => plus(motion.point(point), normal, -floor.radius));
  if (points.length > 0) return points.map((point) => motion.point(point));
  if (bodies.length > 0) return bodies.map((body) => motion.centre(body));
  return jointPlaces(joints, scene, motion);
}

function jointPlaces(joints: number[], scene: Scene, motion: Motion): Vector[] {
  return joints.flatMap((joint) => {
    const at = scene.joints[joint]?.points.at(-1);
    return at === undefined ? [] : [motion.point(at)];
  });
}

/** Returns the positions at which a symbol is drawn: beside its joints, or at the mass centre of its body. */
export function markPlaces({ joints, body }: Mark, scene: Scene, motion: Motion): Vector[] {
  return body === undefined ? jointPlaces(joints, scene, motion) : [motion.centre(body)];
}

/** Returns the heading of a tyre and the direction to its left. */
export function tyreDirections({ axis }: SceneForce, motion: Motion): [Vector, Vector] | undefined {
  const heading = axis && unit(motion.rotate(axis.body, axis.vector));
  return heading && [heading, across(heading)[0] as Vector];
}
