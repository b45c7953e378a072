// Planar and spatial geometry for the drawing.

/** Two coordinates [m or pixels]. */
export type Pair = [number, number];

/** Two components, or three in space. */
export type Vector = number[];

export function dot(a: Vector, b: Vector): number {
  return a.reduce((sum, component, i) => sum + component * (b[i] as number), 0);
}

/** Returns a + factor b. */
export function plus(a: Vector, b: Vector, factor = 1): Vector {
  return a.map((component, i) => component + factor * (b[i] as number));
}

export function minus(a: Vector, b: Vector): Vector {
  return plus(a, b, -1);
}

export function cross(a: Vector, b: Vector): Vector {
  const [ax, ay, az] = a as [number, number, number];
  const [bx, by, bz] = b as [number, number, number];
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}

export function scaled(a: Vector, factor: number): Vector {
  return a.map((component) => factor * component);
}

/** Returns the unit vector; undefined for a zero vector. */
export function unit(a: Vector): Vector | undefined {
  const length = Math.hypot(...a);
  return length > 0 && Number.isFinite(length) ? scaled(a, 1 / length) : undefined;
}

/** Returns unit vectors perpendicular to a direction: one in the plane (rotated by +90 degrees), two in space. */
export function across(direction: Vector): Vector[] {
  const [x, y] = direction as Pair;
  if (direction.length === 2) return [[-y, x]];
  const sizes = direction.map(Math.abs);
  const least = sizes.indexOf(Math.min(...sizes));
  const first = unit(cross(direction, [0, 1, 2].map((i) => (i === least ? 1 : 0)))) ?? [1, 0, 0];
  return [first, unit(cross(direction, first)) ?? [0, 1, 0]];
}

/** The orientation of a body: its angle in the plane, its Euler parameters in space. */
export type Turn = number[];

/** Rotates a vector from the axes of a body to global axes. */
export function rotate(turn: Turn, vector: Vector): Vector {
  if (turn.length === 1) {
    const [c, s] = [Math.cos(turn[0] as number), Math.sin(turn[0] as number)];
    const [x, y] = vector as Pair;
    return [c * x - s * y, s * x + c * y];
  }
  const [e0, ...e] = turn as [number, number, number, number];
  const size = e0 * e0 + dot(e, e);
  if (!(size > 0)) return vector;
  // v + 2 e x (e x v + e0 v), for parameters of any norm.
  const inner = plus(cross(e, vector), vector, e0);
  return plus(vector, cross(e, inner), 2 / size);
}

/** Returns the inverse rotation. */
export function inverse(turn: Turn): Turn {
  return turn.length === 1 ? scaled(turn, -1) : [turn[0] as number, ...scaled(turn.slice(1), -1)];
}

/** Returns the rotation of a rotation vector, or of an angle in the plane. */
export function turnOf(rotation: Vector): Turn {
  if (rotation.length === 1) return rotation;
  const angle = Math.hypot(...rotation);
  const share = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), ...scaled(rotation, share)];
}

/** Returns the rotation that applies the second, then the first, about global axes. */
export function compose(first: Turn, second: Turn): Turn {
  if (first.length === 1) return plus(first, second);
  const [a0, ...a] = first as [number, number, number, number];
  const [b0, ...b] = second as [number, number, number, number];
  return [a0 * b0 - dot(a, b), ...plus(plus(scaled(a, b0), b, a0), cross(a, b))];
}

/** Returns the convex hull, counter-clockwise (Andrew's monotone chain). */
export function convexHull(points: Pair[]): Pair[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const chain = (ordered: Pair[]): Pair[] => {
    const hull: Pair[] = [];
    for (const point of ordered) {
      for (let last = hull.length - 1; last >= 1; last = hull.length - 1) {
        const [a, b] = [hull[last - 1] as Pair, hull[last] as Pair];
        if ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0) break;
        hull.pop();
      }
      hull.push(point);
    }
    return hull.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

/** Returns the step of a grid whose lines are at least `least` apart: 1, 2 or 5 times a power of ten. */
export function gridStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((step) => step * power >= least) ?? 10) * power;
}
