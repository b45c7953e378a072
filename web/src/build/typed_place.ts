// Positions that the user types while drawing: a length, and optionally an angle, from the last position.
import { formatNumber } from "../app/format";
import { minus, type Pair } from "../drawing/geometry";

const DEGREE = Math.PI / 180;

function angleOf([x, y]: number[]): number {
  return Math.atan2(y as number, x as number);
}

/** Returns the position of a typed "length" or "length<angle" [m, degrees]. Without an angle it is in the direction of
 * the pointer. Undefined if the length is missing. */
export function typedPlace(typed: string, [x, y]: Pair, pointer: Pair): Pair | undefined {
  const [length = NaN, angle] = typed.split("<").map((part) => (part === "" || part === "-" ? NaN : Number(part)));
  if (!(length > 0)) return undefined;
  const turn = angle === undefined || Number.isNaN(angle) ? angleOf(minus(pointer, [x, y])) : angle * DEGREE;
  return [x + length * Math.cos(turn), y + length * Math.sin(turn)];
}

/** Describes the way between two positions; typed numbers are shown as typed. */
export function wayText(typed: string, from: Pair, to: Pair, angled: boolean): string {
  const way = minus(to, from);
  const [length = "", angle] = typed.split("<");
  const shown = length || formatNumber(Math.hypot(...way), 4);
  const turn = angle ?? formatNumber(Math.round(angleOf(way) / DEGREE * 10) / 10);
  return `${shown} m${angled ? ` < ${turn}\u00b0` : ""}`;
}
