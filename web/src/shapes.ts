// The shapes of a body as what is drawn of them. In space a circle is a ball, a rectangle lies across z.
import type { ModelElement } from "./api";
import { plus, rotate, type Vector } from "./geometry";

export type Shape = { colour?: string } & (
  | { type: "circle"; radius: number; at: Vector }
  | { type: "line" | "polygon"; points: Vector[] }
);

function rectangle({ at = [], width = 0, height = 0, angle = 0 }: ModelElement): Vector[] {
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const;
  return corners.map(([i, j]) => {
    const [x, y] = rotate([angle], [(i * width) / 2, (j * height) / 2]) as [number, number];
    return plus(at, [x, y, 0]);
  });
}

/** Undefined for a shape that the page does not know. */
function readShape(shape: ModelElement): Shape | undefined {
  const { type, color: colour, radius = 0, at = [], from = [], to = [] } = shape;
  switch (type) {
    case "rectangle":
      return { type: "polygon", points: rectangle(shape), colour };
    case "circle":
      return { type, radius, at, colour };
    case "line":
      return { type, points: [from, to], colour };
    case "polygon":
      return { type, points: shape.points as Vector[], colour };
    default:
      return undefined;
  }
}

export function readShapes(shapes: ModelElement[]): Shape[] {
  return shapes.map(readShape).filter((shape) => shape !== undefined);
}
