// The drawing hints of a body: its `shapes`, in its axes.
import { asFields, asList, asNumber, asPair } from "./fields";
import type { Pair } from "./geometry";

export type Shape = { colour?: string } & (
  | { type: "rectangle"; width: number; height: number; at: Pair; angle: number }
  | { type: "circle"; radius: number; at: Pair }
  | { type: "line"; from: Pair; to: Pair }
  | { type: "polygon"; points: Pair[] }
);

/** A shape of the document; undefined where it is not one, since hints must not keep a motion from being seen. */
function readShape(value: unknown): Shape | undefined {
  const fields = asFields(value);
  const colour = typeof fields.color === "string" ? fields.color : undefined;
  const at = asPair(fields.at) ?? [0, 0];
  switch (fields.type) {
    case "rectangle": {
      const [width, height] = [asNumber(fields.width), asNumber(fields.height)];
      if (width === undefined || height === undefined) return undefined;
      return { type: "rectangle", width, height, at, angle: asNumber(fields.angle) ?? 0, colour };
    }
    case "circle": {
      const radius = asNumber(fields.radius);
      return radius === undefined || radius < 0 ? undefined : { type: "circle", radius, at, colour };
    }
    case "line": {
      const [from, to] = [asPair(fields.from), asPair(fields.to)];
      return from && to && { type: "line", from, to, colour };
    }
    case "polygon": {
      const points = asList(fields.points).map(asPair);
      const whole = points.length >= 2 && points.every((point) => point !== undefined);
      return whole ? { type: "polygon", points: points as Pair[], colour } : undefined;
    }
    default:
      return undefined;
  }
}

export function readShapes(value: unknown): Shape[] {
  return asList(value)
    .map(readShape)
    .filter((shape) => shape !== undefined);
}

/** The vertices of a shape in its body's axes; a circle as the ends of its bounding box. */
export function corners(shape: Shape): Pair[] {
  switch (shape.type) {
    case "rectangle": {
      const [c, s] = [Math.cos(shape.angle), Math.sin(shape.angle)];
      return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i, j]) => {
        const [x, y] = [((i as number) * shape.width) / 2, ((j as number) * shape.height) / 2];
        return [shape.at[0] + c * x - s * y, shape.at[1] + s * x + c * y];
      });
    }
    case "circle":
      return [-1, 1].map((side) => [shape.at[0] + side * shape.radius, shape.at[1] + side * shape.radius]);
    case "line":
      return [shape.from, shape.to];
    case "polygon":
      return shape.points;
  }
}
