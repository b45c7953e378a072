// Where the bodies of a motion in space are, and what is stretched between its points.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Motion } from "../results/motion";
import { minus } from "./geometry";

const UP = new Vector3(0, 1, 0);

/** A place, a turn, and a size along the axes. */
export interface Placement {
  at: Vector3;
  turn: Quaternion;
  size: Vector3;
}

/** The pose of a body; of the ground (-1) the origin. */
export function poseOf(body: number, motion: Motion): Placement {
  const [e0 = 1, e1 = 0, e2 = 0, e3 = 0] = motion.turn(body);
  return {
    at: new Vector3().fromArray(motion.centre(body)),
    turn: new Quaternion(e1, e2, e3, e0).normalize(),
    size: new Vector3(1, 1, 1),
  };
}

/** Brings what reaches along y from 0 to 1 between two points. */
export function stretchOf([from = 0, to = 0]: number[], motion: Motion): Placement {
  const at = new Vector3().fromArray(motion.point(from));
  const way = new Vector3().fromArray(minus(motion.point(to), motion.point(from)));
  const length = Math.max(way.length(), Number.MIN_VALUE);
  return { at, turn: new Quaternion().setFromUnitVectors(UP, way.normalize()), size: new Vector3(1, length, 1) };
}

export function matrixOf({ at, turn, size }: Placement): Matrix4 {
  return new Matrix4().compose(at, turn, size);
}
