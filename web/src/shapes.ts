// The drawing hints of a body: its `shapes`, in its axes. In space a circle is a ball, a rectangle lies across z.
import { asFields, asList, asNumber, asVector, type Parameters } from "./fields";
import { plus, rotate, type Vector } from "./geometry";

export type Shape = { colour?: string } & (
  | { type: "circle"; radius: number; at: Vector }
  | { type: "line" | "polygon"; points: Vector[] }
);

function rectangle(at: Vector, width: number, height: number, angle: number): Vector[] {
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const;
  return corners.map(([i, j]) => {
    const [x, y] = rotate([angle], [(i * width) / 2, (j * height) / 2]) as [number, number];
    return plus(at, [x, y, 0]);
  });
}

/** A shape of the document; undefined where it is not one, since hints must not keep a motion from being seen. */
function readShape(value: unknown, dimension: number, parameters?: Parameters): Shape | undefined {
  const fields = asFields(value);
  const colour = typeof fields.color === "string" ? fields.color : undefined;
  const number = (name: string): number | undefined => asNumber(fields[name], parameters);
  const vector = (item: unknown): Vector | undefined => asVector(item, dimension, parameters);
  const at = vector(fields.at) ?? new Array<number>(dimension).fill(0);
  switch (fields.type) {
    case "rectangle": {
      const [width, height] = [number("width"), number("height")];
      if (width === undefined || height === undefined) return undefined;
      return { type: "polygon", points: rectangle(at, width, height, number("angle") ?? 0), colour };
    }
    case "circle": {
      const radius = number("radius");
      return radius === undefined || radius < 0 ? undefined : { type: "circle", radius, at, colour };
    }
    case "line": {
      const [from, to] = [vector(fields.from), vector(fields.to)];
      return from && to && { type: "line", points: [from, to], colour };
    }
    case "polygon": {
      const points = asList(fields.points).map(vector);
      const whole = points.length >= 2 && points.every((point) => point !== undefined);
      return whole ? { type: "polygon", points: points as Vector[], colour } : undefined;
    }
    default:
      return undefined;
  }
}

export function readShapes(value: unknown, dimension: number, parameters?: Parameters): Shape[] {
  return asList(value)
    .map((shape) => readShape(shape, dimension, parameters))
    .filter((shape) => shape !== undefined);
}
