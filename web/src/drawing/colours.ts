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
