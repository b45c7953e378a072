// Draws one frame of a scene on a canvas: grid, ground, rails, bodies, springs and joints.
import type { Bounds, Camera } from "./camera";
import { cssColour, paletteColour } from "./dom";
import { formatNumber } from "./format";
import { convexHull, gridStep, type Pair } from "./geometry";
import type { Frame, Motion } from "./motion";
import type { Scene, SceneJoint } from "./scene";
import { corners, type Shape } from "./shapes";

/** Thickness of a body that is drawn from its points, in pixels. */
const BODY_WIDTH = 11;

function path(context: CanvasRenderingContext2D, pixels: Pair[], closed: boolean): void {
  context.beginPath();
  pixels.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  if (closed) context.closePath();
}

function disc(context: CanvasRenderingContext2D, [x, y]: Pair, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

export class Painter {
  /** For each joint, the largest distance of its points in the whole motion: the reach of a rail. */
  private readonly reach: number[];

  constructor(
    private readonly scene: Scene,
    private readonly motion: Motion,
    private readonly camera: Camera,
  ) {
    this.reach = scene.joints.map((joint) => this.reachOf(joint));
  }

  private reachOf({ points: [a, b] }: SceneJoint): number {
    if (a === undefined || b === undefined) return 0;
    const { points, dimension, times, frame } = this.motion;
    let reach = 0;
    for (let row = 0; row < times.length; row++) {
      let square = 0;
      for (let i = 0; i < dimension; i++) {
        const offset = row * frame.points.length + i;
        square += ((points[offset + b * dimension] as number) - (points[offset + a * dimension] as number)) ** 2;
      }
      reach = Math.max(reach, Math.sqrt(square) || 0);
    }
    return reach;
  }

  /** What the motion covers, in the plane of the view: the document's own view if it has one. */
  bounds(): Bounds {
    if (this.scene.view) return this.scene.view;
    const bounds: Bounds = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    const include = ([x, y]: Pair, radius = 0): void => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      bounds.x = [Math.min(bounds.x[0], x - radius), Math.max(bounds.x[1], x + radius)];
      bounds.y = [Math.min(bounds.y[0], y - radius), Math.max(bounds.y[1], y + radius)];
    };
    const { dimension, centres, points, frame } = this.motion;
    const sizes = this.scene.bodies.map(({ shapes }) =>
      Math.max(0, ...shapes.flatMap(corners).map(([x, y]) => Math.hypot(x, y))),
    );
    for (let i = 0; i < centres.length; i += dimension)
      include(this.camera.flatten(centres, i, dimension), sizes[(i % frame.centres.length) / dimension]);
    for (let i = 0; i < points.length; i += dimension) include(this.camera.flatten(points, i, dimension));
    for (const corner of this.scene.groundShapes.flatMap(corners)) include(corner);
    if (bounds.x[0] > bounds.x[1]) return { x: [-1, 1], y: [-1, 1] };
    return bounds;
  }

  /** Draws the frame that `motion` stands at into a canvas of `width` x `height` CSS pixels. */
  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.clearRect(0, 0, width, height);
    context.lineJoin = context.lineCap = "round";
    if (this.scene.dimension === 2) this.drawGrid(context, width, height);
    else this.drawAxes(context);
    const frame = this.motion.frame;
    context.lineWidth = 2;
    for (const shape of this.scene.groundShapes) this.drawShape(context, shape, [0, 0], 0, cssColour("--faint"));
    this.scene.joints.forEach((joint, index) => this.drawRail(context, frame, joint, this.reach[index] as number));
    this.scene.supports.forEach((point) => this.drawSupport(context, this.point(frame, point)));
    this.scene.bodies.forEach((_, index) => this.drawBody(context, frame, index));
    for (const [a, b] of this.scene.springs) this.drawSpring(context, this.point(frame, a), this.point(frame, b));
    for (const joint of this.scene.joints) this.drawJoint(context, frame, joint);
  }

  private point(frame: Frame, index: number): Pair {
    const { dimension } = this.motion;
    return this.camera.toScreen(this.camera.flatten(frame.points, index * dimension, dimension));
  }

  private centre(frame: Frame, body: number): Pair {
    const { dimension } = this.motion;
    return this.camera.toScreen(this.camera.flatten(frame.centres, body * dimension, dimension));
  }

  private drawGrid(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { x, y } = this.camera.seen;
    const step = gridStep(60 / this.camera.scale);
    context.lineWidth = 1;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = cssColour("--faint");
    const line = (from: Pair, to: Pair, atZero: boolean): void => {
      context.strokeStyle = cssColour(atZero ? "--grid-zero" : "--grid");
      path(context, [from, to], false);
      context.stroke();
    };
    context.textAlign = "center";
    for (let i = Math.ceil(x[0] / step); i * step <= x[1]; i++) {
      const px = Math.round(this.camera.toScreen([i * step, 0])[0]) + 0.5;
      line([px, 0], [px, height], i === 0);
      context.fillText(formatNumber(i * step), px, height - 5);
    }
    context.textAlign = "left";
    for (let i = Math.ceil(y[0] / step); i * step <= y[1]; i++) {
      const py = Math.round(this.camera.toScreen([0, i * step])[1]) + 0.5;
      line([0, py], [width, py], i === 0);
      if (py < height - 20) context.fillText(formatNumber(i * step), 4, py - 3);
    }
  }

  /** The global axes of a spatial model. */
  private drawAxes(context: CanvasRenderingContext2D): void {
    const origin = this.camera.toScreen([0, 0]);
    const length = 50 / this.camera.scale;
    context.font = "12px system-ui, sans-serif";
    context.lineWidth = 1.5;
    context.strokeStyle = context.fillStyle = cssColour("--faint");
    ["x", "y", "z"].forEach((name, axis) => {
      const tip = [0, 0, 0].map((_, i) => (i === axis ? length : 0));
      const end = this.camera.toScreen(this.camera.flatten(tip, 0, 3));
      path(context, [origin, end], false);
      context.stroke();
      context.fillText(name, end[0] + 4, end[1] - 4);
    });
  }

  private drawShape(
    context: CanvasRenderingContext2D,
    shape: Shape,
    origin: Pair,
    angle: number,
    colour: string,
  ): void {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const toPixel = ([x, y]: Pair): Pair =>
      this.camera.toScreen([origin[0] + c * x - s * y, origin[1] + s * x + c * y]);
    // A canvas ignores a colour that it does not understand, so the body's own colour stays.
    context.strokeStyle = context.fillStyle = colour;
    if (shape.colour) context.strokeStyle = context.fillStyle = shape.colour;
    if (shape.type === "circle") {
      const centre = toPixel(shape.at);
      disc(context, centre, shape.radius * this.camera.scale);
      this.fillAndStroke(context);
      // A spoke, so that a rolling disc is seen to roll.
      path(context, [centre, toPixel([shape.at[0] + shape.radius, shape.at[1]])], false);
      context.stroke();
      return;
    }
    path(context, corners(shape).map(toPixel), shape.type !== "line");
    if (shape.type === "line") context.stroke();
    else this.fillAndStroke(context);
  }

  private fillAndStroke(context: CanvasRenderingContext2D): void {
    context.globalAlpha = 0.3;
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
  }

  private drawBody(context: CanvasRenderingContext2D, frame: Frame, index: number): void {
    const body = this.scene.bodies[index];
    if (!body) return;
    const colour = paletteColour(index);
    const centre = this.centre(frame, index);
    const angle = frame.angles[index] ?? 0;
    context.lineWidth = body.shapes.every(({ type }) => type === "line") ? 5 : 2;
    if (body.shapes.length > 0) {
      const origin = this.camera.flatten(frame.centres, index * this.motion.dimension, this.motion.dimension);
      for (const shape of body.shapes) this.drawShape(context, shape, origin, angle, colour);
    } else {
      this.drawHull(context, [centre, ...body.points.map((point) => this.point(frame, point))], angle, colour);
    }
    context.fillStyle = cssColour("--text");
    disc(context, centre, 2);
    context.fill();
  }

  /** A body without shapes: the hull of its mass centre and points; a block where all of them coincide. */
  private drawHull(context: CanvasRenderingContext2D, pixels: Pair[], angle: number, colour: string): void {
    context.strokeStyle = context.fillStyle = colour;
    const [first] = pixels as [Pair];
    if (pixels.every(([x, y]) => Math.hypot(x - first[0], y - first[1]) < 1)) {
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const corner = (i: number, j: number): Pair => [
        first[0] + c * i * 16 + s * j * 10,
        first[1] - s * i * 16 + c * j * 10,
      ];
      path(context, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], true);
      this.fillAndStroke(context);
      return;
    }
    path(context, convexHull(pixels), true);
    context.globalAlpha = 0.35;
    context.lineWidth = BODY_WIDTH;
    context.fill();
    context.stroke();
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.stroke();
  }

  private drawSpring(context: CanvasRenderingContext2D, a: Pair, b: Pair): void {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length = Math.hypot(dx, dy) || 1;
    const [ux, uy] = [dx / length, dy / length];
    const coils = 12;
    const straight = Math.min(12, length * 0.15);
    const pixels: Pair[] = [a];
    for (let i = 0; i <= coils; i++) {
      const along = straight + ((length - 2 * straight) * i) / coils;
      const across = i === 0 || i === coils ? 0 : i % 2 === 0 ? -6 : 6;
      pixels.push([a[0] + ux * along - uy * across, a[1] + uy * along + ux * across]);
    }
    pixels.push(b);
    context.strokeStyle = cssColour("--spring");
    context.lineWidth = 1.5;
    path(context, pixels, false);
    context.stroke();
  }

  private drawSupport(context: CanvasRenderingContext2D, [x, y]: Pair): void {
    context.strokeStyle = cssColour("--faint");
    context.lineWidth = 1.5;
    path(context, [[x, y], [x - 8, y + 12], [x + 8, y + 12]], true);
    context.stroke();
    for (let i = -8; i <= 8; i += 4) {
      path(context, [[x + i, y + 12], [x + i - 4, y + 17]], false);
      context.stroke();
    }
  }

  /** The line that a slider or pin runs along. */
  private drawRail(context: CanvasRenderingContext2D, frame: Frame, joint: SceneJoint, reach: number): void {
    const sliding = ["translational", "prismatic", "cylindrical", "revolute-translational"];
    if (!sliding.includes(joint.type) || joint.points.length < 2) return;
    const [first, second] = joint.points.map((point) => this.point(frame, point)) as [Pair, Pair];
    const [from, to] = joint.swapped ? [second, first] : [first, second];
    let [ux, uy] = [to[0] - from[0], to[1] - from[1]];
    if (joint.direction) {
      const angle = joint.carrier < 0 ? 0 : (frame.angles[joint.carrier] ?? 0);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const [x, y] = joint.direction;
      [ux, uy] = [c * x - s * y, -(s * x + c * y)];
    }
    const length = Math.hypot(ux, uy);
    if (length === 0) return;
    const half = (reach * this.camera.scale + 30) / length;
    context.strokeStyle = cssColour("--faint");
    context.lineWidth = 1.5;
    context.setLineDash(joint.carrier < 0 ? [] : [5, 5]);
    path(context, [[from[0] - ux * half, from[1] - uy * half], [from[0] + ux * half, from[1] + uy * half]], false);
    context.stroke();
    context.setLineDash([]);
  }

  private drawJoint(context: CanvasRenderingContext2D, frame: Frame, joint: SceneJoint): void {
    const pixels = joint.points.map((point) => this.point(frame, point));
    context.strokeStyle = cssColour("--text");
    context.fillStyle = cssColour("--card");
    context.lineWidth = 1.5;
    const [first, second] = pixels;
    if ((joint.type === "rod" || joint.type === "revolute-spherical") && first && second) {
      path(context, [first, second], false);
      context.stroke();
    }
    if (joint.type === "disc") {
      if (!second || joint.radius === undefined) return;
      disc(context, second, joint.radius * this.camera.scale);
      context.stroke();
      return;
    }
    for (const [x, y] of pixels) {
      if (joint.type === "translational" || joint.type === "prismatic" || joint.type === "rigid") {
        context.beginPath();
        context.rect(x - 3.5, y - 3.5, 7, 7);
      } else {
        disc(context, [x, y], 4);
      }
      context.fill();
      context.stroke();
    }
  }
}
