// Plane geometry of what is drawn.

/** Two coordinates, in metres or pixels. */
export type Pair = [number, number];

/** The convex hull, counter-clockwise (Andrew's monotone chain). */
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

/** The step of a grid whose lines are at least `least` apart: 1, 2 or 5 times a power of ten. */
export function gridStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((step) => step * power >= least) ?? 10) * power;
}
