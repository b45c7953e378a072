// Moves points of bodies in the text, and the parts of shapes that are at the same coordinates.
import { asFields, asList } from "./fields";
import { modelIn } from "./elements";
import { numbersAt, pointerTo, type Change } from "./pointer";

/** Fields of shapes with coordinates, and with lists of coordinates. */
const PLACES = ["at", "from", "to"];

const isSame = (one: unknown, other: number[]): boolean =>
  Array.isArray(one) && one.length === other.length && one.every((value, i) => value === other[i]);

/** Returns the pointers of the coordinates in the shapes of a body or the ground that are equal to `at`. */
function shapePointers(text: string, holder: string, at: number[]): string[] {
  const { model = {}, prefix = "" } = modelIn(text) ?? {};
  const ground = holder === pointerTo(prefix, "ground");
  const owner = asFields(ground ? model.ground : asList(model.bodies)[Number(holder.slice(holder.lastIndexOf("/") + 1))]);
  return asList(owner.shapes).flatMap((value, i) => {
    const shape = asFields(value);
    const pointer = pointerTo(holder, "shapes", String(i));
    const places = PLACES.filter((name) => isSame(shape[name], at)).map((name) => pointerTo(pointer, name));
    const corners = asList(shape.points).flatMap((corner, k) => (isSame(corner, at) ? [pointerTo(pointer, "points", String(k))] : []));
    return [...places, ...corners];
  });
}

/** Returns the changes that set the coordinates of a point of the body or ground `holder`, and of the parts of its
 * shapes at the same place. */
export function pointMove(text: string, holder: string, name: string, to: string[]): Change[] {
  const pointer = pointerTo(holder, "points", name);
  const numbers = numbersAt(text, pointer);
  if (!numbers) return [];
  const places = [pointer, ...shapePointers(text, holder, numbers.map(({ value }) => value))];
  return places.flatMap((each) =>
    (numbersAt(text, each) ?? []).map(({ from, to: end }, i) => ({ from, to: end, insert: to[i] ?? "0" })),
  );
}
