// A length, angle or radius at the drawing that the user can change.
import { pointMove } from "../document/point_moves";
import { changed } from "../document/pointer";
import { plus, type Pair } from "../drawing/geometry";

export const DEGREE = Math.PI / 180;
/** Gap between a number and what it measures [pixels]. */
const GAP = 12;
/** Half the width and half the height of a number [pixels]. */
const HALF: Pair = [28, 9];

/** A number at the drawing. */
export interface Dimension {
  label: string;
  value: number;
  unit: string;
  pixel: Pair;
  /** True if the value may be zero or negative. */
  signed?: boolean;
  /** Returns the text with another value. */
  set(text: string, value: number): string;
}

/** Returns the middle of a number that lies beside a pixel, in a direction, without covering the pixel. */
export function beside(pixel: Pair, direction: Pair): Pair {
  const [x, y] = direction.map(Math.abs) as Pair;
  return plus(pixel, direction, GAP + x * HALF[0] + y * HALF[1]) as Pair;
}

/** Returns the text with other coordinates of a point of the body or ground `holder`. */
export function moved(text: string, holder: string, name: string, to: number[]): string {
  return changed(text, pointMove(text, holder, name, to.map((x) => String(Number(x.toFixed(9)) + 0))));
}

export const isPair = (value: unknown): value is Pair =>
  Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
