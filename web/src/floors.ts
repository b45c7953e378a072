// Finds how a floor lies where the document says it by an expression: the depths of what sinks into it tell.
import { readArray, type ArrayInfo } from "./api";
import { dot, inverse, minus, rotate, solve, type Vector } from "./geometry";
import type { Motion } from "./motion";
import type { Floor, Scene } from "./scene";

/** A normal as long as this much more or less than 1 was not found, but guessed from too few contacts. */
const LENGTH_ERROR = 0.01;

/** The normal n with n.(rP - rQ) = R - depth at all rows in contact, by least squares, in the carrier's axes. */
export function feltNormal(floor: Floor, motion: Motion, depths: Float64Array): Vector | undefined {
  const axes = Array.from({ length: motion.dimension }, (_, i) => i);
  const matrix = axes.map(() => axes.map(() => 0));
  const right = axes.map(() => 0);
  let row = 0;
  motion.visit(() => {
    const depth = depths[row++] ?? 0;
    if (!(depth > 0)) return;
    const way = minus(motion.point(floor.to), motion.point(floor.from));
    const local = rotate(inverse(motion.turn(floor.carrier)), way);
    for (const i of axes) {
      right[i] = (right[i] as number) + (local[i] as number) * (floor.radius - depth);
      for (const j of axes)
        (matrix[i] as Vector)[j] = (matrix[i]?.[j] as number) + (local[i] as number) * (local[j] as number);
    }
  });
  const normal = solve(matrix, right);
  return normal && Math.abs(Math.sqrt(dot(normal, normal)) - 1) < LENGTH_ERROR ? normal : undefined;
}

/** Gives the floors of contacts their normals where the document has none in plain numbers. */
export async function completeFloors(scene: Scene, motion: Motion, id: string, arrays: ArrayInfo[]): Promise<void> {
  const forces = arrays.find(({ name }) => name === "forces");
  const search = scene.floors.map(async (floor) => {
    const column = `${floor.name}.penetration`;
    if (floor.normal || !forces?.labels.includes(column)) return;
    floor.normal = feltNormal(floor, motion, (await readArray(id, "forces", motion.stride, column)).data);
  });
  await Promise.all(search);
}
