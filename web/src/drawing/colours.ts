// Computes the contrast between colours.

/** Converts a component of an sRGB colour to its linear value. */
function linear(part: number): number {
  const value = part / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Returns red, green and blue of a colour in the form that a canvas returns; undefined if it is not "#rrggbb". */
export function parts(colour: string): number[] | undefined {
  return /^#[0-9a-f]{6}$/i.test(colour) ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) : undefined;
}

function luminance(colour: string): number | undefined {
  const [red, green, blue] = parts(colour)?.map(linear) ?? [];
  return red === undefined || green === undefined || blue === undefined
    ? undefined
    : 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio of two colours as the WCAG defines it, from 1 to 21; undefined if one is not opaque. */
export function contrast(one: string, other: string): number | undefined {
  const [a, b] = [luminance(one), luminance(other)];
  if (a === undefined || b === undefined) return undefined;
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Solids on a dark background need this contrast ratio to it. */
const LEAST_ON_DARK = 3;

/** A colour "#rrggbb", mixed with white until it can be told from a dark background; other colours as they are. */
export function lightened(colour: string, background: string): string {
  const [of, own] = [luminance(background), parts(colour)];
  if (of === undefined || of > 0.2 || !own) return colour;
  let seen = colour;
  for (let white = 0; white < 1 && (contrast(seen, background) ?? LEAST_ON_DARK) < LEAST_ON_DARK; white += 0.05)
    seen = `#${own.map((part) => Math.round(part + (255 - part) * white).toString(16).padStart(2, "0")).join("")}`;
  return seen;
}
