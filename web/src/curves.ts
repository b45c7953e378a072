// Curves of cams and slots that have no ends: they are drawn as far as they are touched.
import { readArray, type ArrayInfo } from "./api";
import type { Curve, Scene } from "./scene";

/** Of what is touched a little more is drawn [rad]. */
const SPARE = 0.2;

/** The part of a curve that was touched at some contact parameters. */
export function touchedPart({ outline, endless }: Curve, parameters: Float64Array): Curve["outline"] {
  if (!endless) return outline;
  const { first, step } = endless;
  const [least, most] = [Math.min(...parameters) - SPARE, Math.max(...parameters) + SPARE];
  return outline.filter((_, i) => first + i * step >= least && first + i * step <= most);
}

/** Leaves of curves without ends what is touched in a motion, of whose rows every `stride`-th counts. */
export async function cutCurves(scene: Scene, stride: number, id: string, arrays: ArrayInfo[]): Promise<void> {
  const array = arrays.find(({ name }) => name === "contact_parameters");
  const search = scene.curves.map(async (curve) => {
    if (!curve.endless || !array?.labels.includes(curve.endless.label)) return;
    curve.outline = touchedPart(curve, (await readArray(id, array.name, stride, curve.endless.label)).data);
  });
  await Promise.all(search);
}
