// Computes mass centre, mass and moment of inertia of what is drawn, as a homogeneous sheet or bar. They are the
// initial values of a new body.
import { dot, minus, plus, scaled, type Pair } from "../drawing/geometry";

/** Densities of bars [kg/m] and of sheets [kg/m^2]. */
export const PER_METRE = 1;
export const PER_AREA = 10;

/** Rounds a mass or moment of inertia for the document. */
export const significant = (value: number): number => Number(value.toPrecision(4));

export interface Mass {
  centre: Pair;
  mass: number;
  /** Moment of inertia about the mass centre. */
  inertia: number;
}

function squareOf(a: Pair): number {
  return dot(a, a);
}

/** Combines parts whose moments are about the origin; the result is about the common mass centre. */
function combined(parts: { mass: number; centre: Pair; aboutOrigin: number }[]): Mass {
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  const centre = parts.reduce((sum, part) => plus(sum, part.centre, part.mass / mass), [0, 0] as number[]) as Pair;
  const aboutOrigin = parts.reduce((sum, part) => sum + part.aboutOrigin, 0);
  return { mass, centre, inertia: aboutOrigin - mass * squareOf(centre) };
}

/** Returns the mass properties of bars between successive corners. */
export function ofLine(corners: Pair[]): Mass {
  const parts = corners.slice(1).map((to, i) => {
    const from = corners[i] as Pair;
    const mass = PER_METRE * Math.hypot(...minus(to, from));
    const centre = scaled(plus(from, to), 0.5) as Pair;
    return { mass, centre, aboutOrigin: mass * (squareOf(centre) + squareOf(minus(to, from) as Pair) / 12) };
  });
  return combined(parts);
}

/** Returns the mass properties of the sheet within corners: the sum over triangles from the first corner, with
 * negative areas for clockwise ones. */
export function ofPolygon(corners: Pair[]): Mass {
  const first = corners[0] as Pair;
  const parts = corners.slice(2).map((c, i) => {
    const [a, b] = [minus(corners[i + 1] as Pair, first), minus(c, first)] as [Pair, Pair];
    const mass = (PER_AREA * (a[0] * b[1] - a[1] * b[0])) / 2;
    const square = squareOf(a) + squareOf(b) + dot(a, b);
    return { mass, centre: scaled(plus(a, b), 1 / 3) as Pair, aboutOrigin: (mass * square) / 6 };
  });
  const { centre, mass, inertia } = combined(parts);
  const sign = mass < 0 ? -1 : 1;
  return { centre: plus(centre, first) as Pair, mass: sign * mass, inertia: sign * inertia };
}

export function ofCircle(centre: Pair, radius: number): Mass {
  const mass = PER_AREA * Math.PI * radius ** 2;
  return { centre, mass, inertia: (mass * radius ** 2) / 2 };
}
