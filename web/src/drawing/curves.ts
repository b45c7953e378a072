// The curves of cams and slots: their positions, and the part of unbounded ones that a motion touches.
import type { ArrayInfo } from "../app/api";
import type { Motion } from "../results/motion";
import type { ReadArray } from "../results/recording";
import { plus, type Vector } from "./geometry";
import type { Curve, Scene } from "./scene";

/** Returns the positions of a curve's points in `motion.frame`. */
export function curvePlaces({ carrier, from, outline }: Curve, motion: Motion): Vector[] {
  const start = motion.point(from);
  return outline.map((place) => plus(start, motion.rotate(carrier, place)));
}

/** Part of a curve that is drawn beyond the touched part [rad]. */
const SPARE = 0.2;

/** Returns the part of a curve that some contact parameters touch. */
export function touchedPart({ outline, endless }: Curve, parameters: Float64Array): Curve["outline"] {
  if (!endless) return outline;
  const { first, step } = endless;
  const touched = parameters.filter(Number.isFinite);
  const [least, most] = [Math.min(...touched) - SPARE, Math.max(...touched) + SPARE];
  const within = (parameter: number): boolean => parameter >= least && parameter <= most;
  return outline.filter((place, i) => within(first + i * step) && place.every(Number.isFinite));
}

/** Cuts the unbounded curves of a scene to the part that a motion touches; reads every `stride`-th row. */
export async function cutCurves(
  scene: Scene,
  stride: number,
  readArray: ReadArray,
  arrays: ArrayInfo[],
): Promise<void> {
  const array = arrays.find(({ name }) => name === "contact_parameters");
  const search = scene.curves.map(async (curve) => {
    const { label } = curve.endless ?? {};
    const known = array && label !== undefined && array.labels.includes(label);
    const parameters = known ? (await readArray(array.name, stride, label)).data : new Float64Array(0);
    curve.outline = touchedPart(curve, parameters);
  });
  await Promise.all(search);
}
