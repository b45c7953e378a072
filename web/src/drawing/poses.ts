// Matrices for the bodies of a spatial motion, and for links between its points.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Motion } from "../results/motion";
import { minus } from "./geometry";

const UP = new Vector3(0, 1, 0);

/** A position, an orientation, and a scale along the axes. */
export interface Placement {
  at: Vector3;
  turn: Quaternion;
  size: Vector3;
}

/** Returns the pose of a body; the origin for the ground (-1). */
export function poseOf(body: number, motion: Motion): Placement {
  const [e0 = 1, e1 = 0, e2 = 0, e3 = 0] = motion.turn(body);
  return {
    at: new Vector3().fromArray(motion.centre(body)),
    turn: new Quaternion(e1, e2, e3, e0).normalize(),
    size: new Vector3(1, 1, 1),
  };
}

/** Returns the placement of a link, which extends along y from 0 to 1, between two points. */
export function stretchOf([from = 0, to = 0]: number[], motion: Motion): Placement {
  const at = new Vector3().fromArray(motion.point(from));
  const way = new Vector3().fromArray(minus(motion.point(to), motion.point(from)));
  const length = Math.max(way.length(), Number.MIN_VALUE);
  return { at, turn: new Quaternion().setFromUnitVectors(UP, way.normalize()), size: new Vector3(1, length, 1) };
}

export function matrixOf({ at, turn, size }: Placement): Matrix4 {
  return new Matrix4().compose(at, turn, size);
}
