// Draws the element of the equations under the pointer: a vector as an arrow, an axis, a body, or the path of a block
// in the tree.
import { cssColour } from "../app/dom";
import { drawArrow } from "../drawing/arrows";
import type { Pair, Vector } from "../drawing/geometry";
import { outlineBody } from "../drawing/highlight";
import { disc } from "../drawing/strokes";
import type { View } from "../interaction/picking";
import type { EquationSymbol, Place, Value } from "./types";

/** Bodies and joints by name. */
export interface Path {
  bodies: string[];
  joints: string[];
}

/** Length of the arrow of an axis or a force [pixels]. */
const AXIS = 70;
const HEAD = 12;

function placeOf({ body, at }: Place, { motion }: View): Vector {
  return motion.place(body - 1, at);
}

export class Marks {
  symbol: { is: EquationSymbol; value: Value } | undefined;
  path: Path | undefined;

  draw(context: CanvasRenderingContext2D, view: View): void {
    context.save();
    context.lineCap = context.lineJoin = "round";
    if (this.path) this.drawPath(context, view, this.path);
    if (this.symbol) this.drawSymbol(context, view, this.symbol.is, this.symbol.value);
    context.restore();
  }

  private drawPath(context: CanvasRenderingContext2D, view: View, { bodies, joints }: Path): void {
    const { scene } = view;
    context.strokeStyle = cssColour("--warn");
    context.lineWidth = 10;
    context.globalAlpha = 0.4;
    scene.bodies.forEach(({ name }, index) => {
      if (bodies.includes(name)) outlineBody(context, index, view);
    });
    context.globalAlpha = 1;
    context.lineWidth = 4;
    for (const { name, points } of scene.joints)
      if (joints.includes(name)) for (const point of points) this.ring(context, view, view.motion.point(point));
  }

  private drawSymbol(context: CanvasRenderingContext2D, view: View, symbol: EquationSymbol, value: Value): void {
    const { from, to } = symbol;
    if (!from) return;
    const { camera } = view;
    const begin = placeOf(from, view);
    const pixel = (place: Vector): Pair => camera.toScreen(camera.flatten(place));
    const start = pixel(begin);
    if (to) {
      const [x, y] = pixel(placeOf(to, view));
      return this.arrow(context, start, [x - start[0], y - start[1]]);
    }
    const components = Array.isArray(value) && value.length === view.scene.dimension ? value : undefined;
    const length = components ? Math.hypot(...components.map(Number)) : 0;
    if (components && symbol.kind === "vector" && length > 0) {
      const [x, y] = camera.project(components.map((each) => Number(each) / length));
      return this.arrow(context, start, [x * AXIS, -y * AXIS]);
    }
    context.strokeStyle = cssColour("--warn");
    context.lineWidth = 10;
    context.globalAlpha = 0.4;
    if (from.body > 0) outlineBody(context, from.body - 1, view);
    context.globalAlpha = 1;
    context.lineWidth = 4;
    this.ring(context, view, begin);
  }

  private arrow(context: CanvasRenderingContext2D, from: Pair, along: Pair): void {
    for (const [colour, width] of [["--field", 8], ["--warn", 4]] as const) {
      context.strokeStyle = context.fillStyle = cssColour(colour);
      context.lineWidth = width;
      drawArrow(context, from, along, HEAD + width);
    }
  }

  private ring(context: CanvasRenderingContext2D, { camera }: View, place: Vector): void {
    disc(context, camera.toScreen(camera.flatten(place)), 10);
    context.stroke();
  }
}
