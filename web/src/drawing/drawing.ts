// Draws one frame of a scene on a canvas: grid, ground, floors, rails, bodies, springs and joints.
import { cssColour, paletteColour } from "../app/dom";
import { formatNumber } from "../app/format";
import type { Motion } from "../results/motion";
import type { Bounds, Camera } from "./camera";
import { curvePlaces } from "./curves";
import { markPlaces } from "./force_places";
import { Gearing } from "./gearing";
import { convexHull, dot, gridStep, minus, plus, type Pair, type Vector } from "./geometry";
import { outlineOf } from "./outlines";
import {
  camsOf,
  GROUND,
  marksOf,
  type Axis,
  type Beam,
  type Curve,
  type Edge,
  type Floor,
  type Plane,
  type Rail,
  type Rope,
  type Round,
  type Scene,
  type SceneJoint,
} from "./scene";
import {
  centreOfRound,
  findExtents,
  floorDirections,
  includeShapes,
  isAbove,
  railDirection,
  widenExtents,
  type SceneExtents,
} from "./scene_extents";
import { edgesOf, isRoundShape, ring, type Shape } from "./shapes";
import { pathOutline } from "./strands";
import { coincide, disc, drawGuide, drawMark, drawPin, drawRailGround, drawSpring, drawSupport, fillAndStroke, line, path, strokeVisibly } from "./strokes";

/** Thickness of a body that is drawn from its points [pixels]. */
const BODY_WIDTH = 11;

/** Thickness of the shortest bars, and of longer ones as a fraction of their length; the border of a bar on both sides
 * [pixels], and the opacity of its inside. */
const THINNEST = 5;
const BAR_SHARE = 0.15;
const BORDER = 3;
const BAR_OPACITY = 0.45;

/** Height of the buttons at the top of the drawing, below which no number of the vertical axis is [pixels]. */
const BUTTONS = 44;

/** Half the length and half the height of the block of a slider, and of a slot [pixels]. */
const SLIDER = [9, 5.5] as const;

/** Half the size of a body without shapes and without distinct points, and the length of the axes of a spatial body
 * [pixels]. */
const BLOCK = [16, 10, 7] as const;
const TRIAD = 22;

/** The bounds of a curve are computed from every CURVE_SKIP-th point. */
const CURVE_SKIP = 6;

/** Number of straight pieces in the drawing of a beam, and the radius of the ring of a bushing [pixels]. */
const BEAM_PIECES = 16;
const RING = 8;

/** The dashes of pitch circles (ISO 128: a long-dashed dotted line) [pixels]. */
const PITCH_LINE = [9, 3, 2, 3];

/** Half the length of the edge of a blade, and its width [pixels]. */
const BLADE = [12, 3] as const;

const AXIS_COLOURS = ["--bad", "--good", "--accent"];

/** Additional layers: below everything in a planar drawing, and behind the moving bodies. */
export interface Beside {
  under?: ((context: CanvasRenderingContext2D, camera: Camera) => void) | undefined;
  behind?: { draw(context: CanvasRenderingContext2D): void } | undefined;
}

export class Painter {
  private readonly extents: SceneExtents;
  /** Discs, balls and gears. */
  private readonly rounds: Round[];
  private readonly gearing: Gearing;
  /** The points that the symbols of joints cover. */
  private readonly underPins: ReadonlySet<number>;
  /** The supports that are above their bodies at the first drawing. */
  private readonly hanging: ReadonlySet<number>;
  /** The bounds of the motion for these view angles. */
  private known?: { angles: string; bounds: Bounds };

  constructor(
    private readonly scene: Scene,
    private readonly motion: Motion,
    private readonly camera: Camera,
  ) {
    this.extents = findExtents(scene, motion);
    this.hanging = new Set(scene.supports.filter((point) => isAbove(point, scene, motion)));
    const { meshes } = this.extents;
    this.gearing = new Gearing(scene, meshes, motion);
    this.rounds = [...scene.rounds, ...meshes.flatMap(({ gears, rounds }) => (gears.radii ? [] : rounds))];
    this.underPins = new Set(scene.joints.filter(({ symbol }) => symbol !== "slider").flatMap(marksOf));
  }

  /** Extends rails, floors and planes to what the current frame of `motion` needs, which has changed. */
  follow(): void {
    this.known = undefined;
    widenExtents(this.extents, this.scene, this.motion);
  }

  /** Returns the initially visible part of the view's plane: the document's own view if nothing ever leaves it, else
   * everything. */
  bounds(): Bounds {
    const { view } = this.scene;
    const { angles } = this.camera;
    if (this.known?.angles !== angles) {
      const moving = view && this.covered(false);
      const within = (range: Pair, around: Pair): boolean => range[0] >= around[0] && range[1] <= around[1];
      const fits = view && moving && within(moving.x, view.x) && within(moving.y, view.y);
      this.known = { angles, bounds: fits ? view : this.covered(true) };
    }
    return this.known.bounds;
  }

  /** Returns the bounds of the motion, with or without the shapes of the ground. */
  private covered(withGround: boolean): Bounds {
    const bounds: Bounds = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    const include = (place: Vector, radius = 0): void => {
      const [x, y] = this.camera.project(place);
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      bounds.x = [Math.min(bounds.x[0], x - radius), Math.max(bounds.x[1], x + radius)];
      bounds.y = [Math.min(bounds.y[0], y - radius), Math.max(bounds.y[1], y + radius)];
    };
    const { bodies, curves, floors, planes, groundShapes, dimension } = this.scene;
    const points = this.motion.frame.points.length / dimension;
    const sparse = curves.map((curve) => ({ ...curve, outline: curve.outline.filter((_, i) => i % CURVE_SKIP === 0) }));
    if (withGround) includeShapes(groundShapes, GROUND, this.motion, include);
    this.motion.visit(() => {
      bodies.forEach(({ shapes }, body) => {
        include(this.motion.centre(body));
        includeShapes(shapes, body, this.motion, include);
      });
      for (let point = 0; point < points; point++) include(this.motion.point(point));
      for (const round of this.rounds) include(centreOfRound(round, this.motion), round.radius);
      for (const curve of sparse) curvePlaces(curve, this.motion).forEach((place) => include(place));
      if (dimension === 2) return;
      floors.forEach((_, i) => this.floorCorners(i).forEach((corner) => include(corner)));
      planes.forEach((_, i) => this.planeCorners(i).forEach((corner) => include(corner)));
    });
    if (bounds.x[0] > bounds.x[1]) return this.scene.view ?? { x: [-1, 1], y: [-1, 1] };
    return bounds;
  }

  /** Draws the current frame into a canvas of `width` x `height` CSS pixels, with additional layers. */
  draw(
    context: CanvasRenderingContext2D,
    width: number,
    height: number,
    { under, behind }: Beside = {},
  ): void {
    context.fillStyle = cssColour("--field");
    context.fillRect(0, 0, width, height);
    if (this.scene.dimension === 2) under?.(context, this.camera);
    context.lineJoin = context.lineCap = "round";
    const { scene } = this;
    if (scene.dimension === 2) this.drawGrid(context, width, height);
    else this.drawAxes(context, height);
    context.lineWidth = 2;
    const { gears, others } = this.gearing.of(GROUND);
    for (const shape of [...gears, ...others]) this.drawShape(context, shape, GROUND, cssColour("--faint"));
    scene.floors.forEach((floor, index) => this.drawFloor(context, floor, this.floorCorners(index)));
    scene.planes.forEach((plane, index) => this.drawFloor(context, plane, this.planeCorners(index)));
    this.drawRails(context);
    behind?.draw(context);
    this.drawMechanism(context);
  }

  /** Draws the moving parts, and the supports over them. */
  drawMechanism(context: CanvasRenderingContext2D): void {
    const { scene } = this;
    context.lineJoin = context.lineCap = "round";
    scene.bodies.forEach((_, index) => this.drawBody(context, index));
    for (const round of this.rounds) this.drawRound(context, round);
    for (const edge of scene.edges) this.drawEdge(context, edge);
    for (const curve of scene.curves) this.drawCurve(context, curve);
    for (const [a, b] of scene.springs) drawSpring(context, this.point(a), this.point(b));
    this.drawElastic(context);
    for (const rope of scene.ropes) this.drawRope(context, rope);
    for (const point of scene.supports) drawSupport(context, this.point(point), this.hanging.has(point));
    for (const joint of scene.joints) this.drawJoint(context, joint);
    this.drawMarks(context);
  }

  /** Draws the lines over a picture of the frame's solids, which has the size of the canvas. */
  drawOver(solids: HTMLCanvasElement, context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = cssColour("--field");
    context.fillRect(0, 0, width, height);
    context.drawImage(solids, 0, 0, width, height);
    this.drawAxes(context, height);
    this.drawRails(context);
    for (const curve of this.scene.curves) this.drawCurve(context, curve);
    this.drawMarks(context);
    this.drawElastic(context);
    for (const rope of this.scene.ropes) this.drawRope(context, rope);
  }

  private pixel(place: Vector): Pair {
    return this.camera.toScreen(this.camera.flatten(place));
  }

  private point(index: number): Pair {
    return this.pixel(this.motion.point(index));
  }

  /** Returns the ends of a line through a position, `pixels` to both sides along a direction in space. */
  private dash(place: Vector, direction: Vector, pixels: number): [Pair, Pair] {
    const half = pixels / this.camera.scale;
    return [this.pixel(plus(place, direction, -half)), this.pixel(plus(place, direction, half))];
  }

  private drawGrid(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { x, y } = this.camera.seen;
    const step = gridStep(60 / this.camera.scale);
    context.lineWidth = 1;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = cssColour("--faint");
    const gridLine = (from: Pair, to: Pair, atZero: boolean): void => {
      context.strokeStyle = cssColour(atZero ? "--grid-zero" : "--grid");
      line(context, from, to);
    };
    const columns: [string, number][] = [];
    for (let i = Math.ceil(x[0] / step); i * step <= x[1]; i++) {
      const px = Math.round(this.camera.toScreen([i * step, 0])[0]) + 0.5;
      gridLine([px, 0], [px, height], i === 0);
      columns.push([formatNumber(i * step), px]);
    }
    context.textAlign = "left";
    for (let i = Math.ceil(y[0] / step); i * step <= y[1]; i++) {
      const py = Math.round(this.camera.toScreen([0, i * step])[1]) + 0.5;
      gridLine([0, py], [width, py], i === 0);
      if (py > BUTTONS && py < height - 20) context.fillText(formatNumber(i * step), 4, py - 3);
    }
    // Numbers come after all lines, so that no line looks like a minus sign. Numbers that the edge would cut are
    // omitted.
    context.textAlign = "center";
    for (const [text, px] of columns) {
      const half = context.measureText(text).width / 2 + 2;
      if (px > half && px < width - half) this.writeOver(context, text, px, height - 5);
    }
  }

  /** Writes a number of the grid with a background, so that no line runs through it. */
  private writeOver(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
    [context.strokeStyle, context.lineWidth] = [cssColour("--field"), 3];
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
    context.lineWidth = 1;
  }

  /** Draws the directions of the global axes of a spatial model in a corner. */
  private drawAxes(context: CanvasRenderingContext2D, height: number): void {
    const origin: Pair = [36, height - 36];
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.lineWidth = 1.5;
    context.strokeStyle = context.fillStyle = cssColour("--faint");
    ["x", "y", "z"].forEach((name, axis) => {
      const [x, y] = this.camera.flatten([0, 1, 2].map((i) => (i === axis ? 26 : 0)));
      const end: Pair = [origin[0] + x, origin[1] - y];
      line(context, origin, end);
      context.fillText(name, end[0] + 3, end[1] - 3);
    });
  }

  private drawShape(context: CanvasRenderingContext2D, shape: Shape, body: number, colour: string): void {
    // A canvas ignores invalid colours, so the colour of the body remains.
    context.strokeStyle = context.fillStyle = colour;
    if (shape.colour) context.strokeStyle = context.fillStyle = shape.colour;
    if (shape.type === "circle") {
      this.drawBall(context, body, this.motion.place(body, shape.at), shape.radius);
      return;
    }
    path(context, outlineOf(shape, body, this.motion, this.camera), shape.type !== "line");
    if (shape.type === "line") strokeVisibly(context);
    else fillAndStroke(context);
    const width = context.lineWidth;
    context.lineWidth = 1;
    for (const edge of edgesOf(shape)) line(context, ...edge.map((place) => this.pixel(this.motion.place(body, place))));
    context.lineWidth = width;
  }

  /** Draws a disc with a spoke, in space a ball with two great circles, so that rolling is visible. */
  private drawBall(context: CanvasRenderingContext2D, body: number, centre: Vector, radius: number): void {
    disc(context, this.pixel(centre), radius * this.camera.scale);
    fillAndStroke(context);
    if (this.scene.dimension === 2) {
      line(context, this.pixel(centre), this.pixel(plus(centre, this.motion.rotate(body, [radius, 0]))));
      return;
    }
    const width = context.lineWidth;
    context.lineWidth = 1;
    const [x, y, z] = this.bodyAxes(body, radius) as [Vector, Vector, Vector];
    for (const [a, b] of [[x, y], [x, z]] as const) {
      const ring = Array.from({ length: 49 }, (_, i) => (i * Math.PI) / 24).map((angle) =>
        plus(a.map((component) => component * Math.cos(angle)), b, Math.sin(angle)),
      );
      for (let i = 1; i < ring.length; i++) {
        const [from, to] = [ring[i - 1] as Vector, ring[i] as Vector];
        if (this.camera.depth(from) + this.camera.depth(to) < 0)
          line(context, this.pixel(plus(centre, from)), this.pixel(plus(centre, to)));
      }
    }
    context.lineWidth = width;
  }

  private bodyAxes(body: number, length: number): Vector[] {
    const size = this.scene.dimension;
    const axes = Array.from({ length: size }, (_, k) => Array.from({ length: size }, (_, i) => (i === k ? length : 0)));
    return axes.map((axis) => this.motion.rotate(body, axis));
  }

  private isOfBars(shapes: Shape[]): boolean {
    return this.scene.dimension === 2 && shapes.length > 0 && shapes.every(({ type }) => type === "line");
  }

  /** Draws the bars of a planar body with their thickness: a border and a pale inside. Short bars are thinner. */
  private drawBars(context: CanvasRenderingContext2D, shapes: Shape[], index: number, colour: string): void {
    const bars = shapes.map((shape) => ({ shape, pixels: outlineOf(shape, index, this.motion, this.camera) }));
    const lengths = bars.flatMap(({ pixels }) => pixels.slice(1).map((to, i) => Math.hypot(...minus(to, pixels[i] as Pair))));
    const width = Math.min(Math.max(Math.max(...lengths) * BAR_SHARE, THINNEST), BODY_WIDTH);
    const stroke = (lineWidth: number, alpha: number, background?: string): void => {
      for (const { shape, pixels } of bars) {
        context.strokeStyle = colour;
        if (shape.colour) context.strokeStyle = shape.colour;
        if (background !== undefined) context.strokeStyle = background;
        context.lineWidth = lineWidth;
        context.globalAlpha = alpha;
        path(context, pixels, false);
        if (alpha === 1 && background === undefined) strokeVisibly(context);
        else context.stroke();
      }
      context.globalAlpha = 1;
    };
    stroke(width, 1);
    stroke(width - BORDER, 1, cssColour("--field"));
    stroke(width - BORDER, BAR_OPACITY);
  }

  private drawBody(context: CanvasRenderingContext2D, index: number): void {
    const body = this.scene.bodies[index];
    if (!body) return;
    const colour = paletteColour(index);
    const centre = this.pixel(this.motion.centre(index));
    const points = body.points.map((point) => this.point(point));
    if (this.scene.dimension === 3) {
      // Points may lie outside the shapes.
      context.strokeStyle = colour;
      context.lineWidth = 1;
      for (const point of points) line(context, centre, point);
    }
    const { gears, others } = this.gearing.of(index);
    context.lineWidth = 1.5;
    for (const gear of gears) this.drawShape(context, gear, index, colour);
    context.lineWidth = body.shapes.every(({ type }) => type === "line") ? 5 : 2;
    if (this.isOfBars(others)) this.drawBars(context, others, index, colour);
    else if (body.shapes.length > 0) for (const shape of others) this.drawShape(context, shape, index, colour);
    else this.drawHull(context, [centre, ...points], index, colour);
    context.fillStyle = colour;
    points.forEach((pixel, i) => {
      if (this.underPins.has(body.points[i] as number)) return;
      disc(context, pixel, 2.5);
      context.fill();
    });
    if (this.scene.dimension === 3) this.drawTriad(context, index);
    context.fillStyle = cssColour("--text");
    disc(context, centre, 2);
    context.fill();
  }

  /** Draws the axes of a spatial body at its mass centre, which show its rotation even if its shapes do not. */
  private drawTriad(context: CanvasRenderingContext2D, index: number): void {
    const centre = this.motion.centre(index);
    context.lineWidth = 1.5;
    this.bodyAxes(index, TRIAD / this.camera.scale).forEach((axis, k) => {
      context.strokeStyle = cssColour(AXIS_COLOURS[k] as string);
      line(context, this.pixel(centre), this.pixel(plus(centre, axis)));
    });
  }

  /** Draws a body without shapes: the hull of its mass centre and points, or a block if they coincide. */
  private drawHull(context: CanvasRenderingContext2D, pixels: Pair[], index: number, colour: string): void {
    context.strokeStyle = context.fillStyle = colour;
    const [first] = pixels as [Pair];
    if (pixels.every((pixel) => coincide(pixel, first))) {
      const isCam = camsOf(this.scene, index).length > 0;
      if (!isCam && !this.rounds.some(({ body }) => body === index)) this.drawBlock(context, index);
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

  /** Draws a small rectangle or box at the mass centre, rotated with the body. */
  private drawBlock(context: CanvasRenderingContext2D, index: number): void {
    const axes = this.bodyAxes(index, 1 / this.camera.scale);
    let corners: Vector[] = [this.motion.centre(index)];
    axes.forEach((axis, k) => {
      const half = BLOCK[k] as number;
      corners = corners.flatMap((corner) => [plus(corner, axis, -half), plus(corner, axis, half)]);
    });
    const pixels = corners.map((corner) => this.pixel(corner));
    context.lineWidth = 1.5;
    path(context, convexHull(pixels), true);
    fillAndStroke(context);
    if (axes.length === 2) return;
    // An edge joins two corners whose numbers differ in one bit.
    for (let i = 0; i < pixels.length; i++)
      for (const bit of [1, 2, 4]) if (i & bit) line(context, pixels[i] as Pair, pixels[i - bit] as Pair);
  }

  /** Draws a wheel in space with a spoke, so that rolling is visible. A wheel over shapes is an outline. */
  private drawWheel(context: CanvasRenderingContext2D, round: Round, axis: Vector, bare: boolean): void {
    const { body, radius } = round;
    const centre = centreOfRound(round, this.motion);
    const rim = ring([0, 0, 0], axis, radius).map((place) => this.pixel(plus(centre, this.motion.rotate(body, place))));
    path(context, rim, true);
    if (bare) fillAndStroke(context);
    else context.stroke();
    line(context, this.pixel(centre), rim[0] as Pair);
  }

  /** Draws beams and bushings. */
  private drawElastic(context: CanvasRenderingContext2D): void {
    context.strokeStyle = cssColour("--spring");
    context.lineWidth = 3;
    for (const beam of this.scene.beams) line(context, ...this.bent(beam));
    for (const point of this.scene.bushings) {
      disc(context, this.point(point), RING);
      context.stroke();
    }
  }

  /** Returns points of a beam: a cubic curve with the directions of its ends. */
  private bent({ points: [first, second], axes }: Beam): Pair[] {
    const [from, to] = [this.motion.point(first), this.motion.point(second)];
    const length = Math.hypot(...minus(to, from));
    const [start, end] = axes.map(({ body, vector }) => this.motion.rotate(body, vector)) as [Vector, Vector];
    return Array.from({ length: BEAM_PIECES + 1 }, (_, i) => {
      const s = i / BEAM_PIECES;
      const place = plus(plus(from, minus(to, from), s * s * (3 - 2 * s)), start, length * s * (1 - s) ** 2);
      return this.pixel(plus(place, end, -length * s * s * (1 - s)));
    });
  }

  private drawEdge(context: CanvasRenderingContext2D, { at, axis }: Edge): void {
    const direction = this.motion.rotate(axis.body, axis.vector);
    const [half, width] = BLADE;
    context.strokeStyle = cssColour("--text");
    context.lineWidth = width;
    line(context, ...this.dash(this.motion.point(at), direction, half / (Math.hypot(...direction) || 1)));
  }

  /** Draws the outline of the disc, wheel or ball of a joint or contact over the shapes of the body, or the pitch
   * circle of a gear. */
  private drawRound(context: CanvasRenderingContext2D, round: Round): void {
    const { body, at, radius, axis, ring: hollow = false, toothed = false } = round;
    const shapes = this.scene.bodies[body]?.shapes ?? [];
    const bare = !hollow && !toothed && shapes.every((shape) => !isRoundShape(shape));
    context.strokeStyle = context.fillStyle = bare ? paletteColour(Math.max(body, 0)) : cssColour("--text");
    context.lineWidth = 1.5;
    if (axis) {
      this.drawWheel(context, round, axis, bare);
      return;
    }
    if (bare) {
      this.drawBall(context, body, this.motion.point(at), radius);
      return;
    }
    if (toothed) {
      context.strokeStyle = cssColour("--faint");
      context.lineWidth = 1;
      context.setLineDash(PITCH_LINE);
    }
    disc(context, this.point(at), radius * this.camera.scale);
    context.stroke();
    context.setLineDash([]);
  }

  private drawCurve(context: CanvasRenderingContext2D, curve: Curve): void {
    const { carrier, closed, solid } = curve;
    context.strokeStyle = context.fillStyle = carrier === GROUND ? cssColour("--faint") : paletteColour(carrier);
    context.lineWidth = 1.5;
    path(context, curvePlaces(curve, this.motion).map((place) => this.pixel(place)), closed);
    // A body with other shapes than bars already shows its cam.
    const shapes = this.scene.bodies[carrier]?.shapes ?? [];
    if (solid && shapes.every(({ type }) => type === "line")) fillAndStroke(context);
    else context.stroke();
  }

  /** Draws the strands and wraps of a belt or rope. */
  private drawRope(context: CanvasRenderingContext2D, { stops, closed }: Rope): void {
    const places = stops.map(({ point, radius }) => ({ at: this.motion.point(point), radius }));
    context.strokeStyle = cssColour("--text");
    context.lineWidth = 1.5;
    line(context, ...pathOutline(places, closed).map((place) => this.pixel(place)));
  }

  private drawRails(context: CanvasRenderingContext2D): void {
    this.scene.rails.forEach((rail, index) => this.drawRail(context, rail, this.extents.rails[index] as Pair));
  }

  /** Draws the line along which a slider or pin moves, over the range of the whole motion. */
  private drawRail(context: CanvasRenderingContext2D, rail: Rail, [least, most]: Pair): void {
    const direction = railDirection(rail, this.motion);
    if (!direction) return;
    const [from, to] = [this.motion.point(rail.from), this.motion.point(rail.to)];
    // The line goes through the moving point; a slot may pass it at a distance.
    const start = plus(to, direction, -dot(direction, minus(to, from)));
    const spare = 30 / this.camera.scale;
    context.strokeStyle = cssColour("--faint");
    context.lineWidth = 1.5;
    context.setLineDash(rail.fixed ? [] : [5, 5]);
    const ends = [least - spare, most + spare].map((at) => this.pixel(plus(start, direction, at))) as [Pair, Pair];
    const body = this.scene.bodies[this.scene.points[rail.to]?.body ?? GROUND];
    if (rail.fixed && rail.straight && body && this.isOfBars(body.shapes)) return drawGuide(context, ...ends);
    line(context, ...ends);
    context.setLineDash([]);
    if (rail.fixed && this.scene.dimension === 2) drawRailGround(context, ...ends);
  }

  /** Returns the ends of a planar floor, or the corners of a spatial one, over the range of the whole motion. */
  private floorCorners(index: number): Vector[] {
    const floor = this.scene.floors[index] as Floor;
    return this.cornersAlong(floor, this.motion.point(floor.from), this.extents.floors[index] ?? [], 1.5 * floor.radius);
  }

  private planeCorners(index: number): Vector[] {
    const plane = this.scene.planes[index] as Plane;
    return this.cornersAlong(plane, this.motion.place(plane.carrier, plane.at), this.extents.planes[index] ?? [], 0);
  }

  /** Returns the ends or corners of the part of a floor or plane that is drawn: its intervals from `origin`, widened by
   * at least `least`. */
  private cornersAlong(floor: Floor | Plane, origin: Vector, ranges: Pair[], least: number): Vector[] {
    const sides = floorDirections(floor).map((direction) => this.motion.rotate(floor.carrier, direction));
    const spans = ranges.map(([first, last]) => last - first);
    const spare = Math.max(least, 0.1 * Math.max(...spans)) || 0.1;
    const at = (...offsets: number[]): Vector =>
      offsets.reduce((place, offset, k) => plus(place, sides[k] as Vector, offset), origin);
    const [[a, b], [c, d]] = [ranges[0] ?? [NaN, NaN], ranges[1] ?? [NaN, NaN]];
    if (sides.length === 0 || !(a <= b)) return [];
    if (sides.length === 1) return [at(a - spare), at(b + spare)];
    const [left, right, near, far] = [a - spare, b + spare, c - spare, d + spare];
    return [at(left, near), at(right, near), at(right, far), at(left, far)];
  }

  private drawFloor(context: CanvasRenderingContext2D, { carrier, colour }: Partial<Plane>, corners: Vector[]): void {
    const pixels = corners.map((corner) => this.pixel(corner));
    if (pixels.length === 0) return;
    context.strokeStyle = context.fillStyle = cssColour("--faint");
    if (colour) context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash(carrier === GROUND ? [] : [5, 5]);
    path(context, pixels, true);
    context.globalAlpha = 0.12;
    if (pixels.length > 2) context.fill();
    context.globalAlpha = 1;
    context.stroke();
    context.setLineDash([]);
  }

  private drawJoint(context: CanvasRenderingContext2D, joint: SceneJoint): void {
    const { symbol, points, axes: [axis] } = joint;
    const pixels = marksOf(joint).map((point) => this.point(point));
    context.strokeStyle = cssColour("--text");
    context.fillStyle = cssColour("--card");
    context.lineWidth = 1.5;
    const [first, second] = pixels;
    if (symbol === "none") return;
    if (symbol === "rod" && first && second) line(context, first, second);
    // The axis of a hinge in space shows how it rotates.
    if (symbol === "pin" && axis?.vector.length === 3 && points[0] !== undefined) {
      const direction = this.motion.rotate(axis.body, axis.vector);
      line(context, ...this.dash(this.motion.point(points[0]), direction, 14 / (Math.hypot(...direction) || 1)));
    }
    const slides = symbol === "slider" || joint.type === "revolute-translational";
    // The points of an assembled joint coincide: its symbol is drawn once.
    const places = pixels.filter((pixel, i) => i === 0 || !coincide(pixel, first as Pair));
    for (const [x, y] of places) {
      if (slides && axis?.vector.length === 2) this.drawSlider(context, [x, y], axis);
      if (symbol === "slider") continue;
      if (symbol !== "block") {
        drawPin(context, [x, y]);
        continue;
      }
      context.beginPath();
      context.rect(x - 3.5, y - 3.5, 7, 7);
      context.fill();
      context.stroke();
    }
  }

  /** Draws the block of a slider along its direction, as in ISO 3952. */
  private drawSlider(context: CanvasRenderingContext2D, [x, y]: Pair, { body, vector }: Axis): void {
    const [u, v] = this.motion.rotate(body, vector) as Pair;
    const size = Math.hypot(u, v) || 1;
    const [half, height] = SLIDER.map((part) => part / size) as Pair;
    const corner = (i: number, j: number): Pair => [x + i * half * u - j * height * v, y - i * half * v - j * height * u];
    path(context, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], true);
    context.fill();
    context.stroke();
  }

  /** Draws the symbols of force elements at their joints. */
  private drawMarks(context: CanvasRenderingContext2D): void {
    for (const mark of this.scene.marks)
      for (const place of markPlaces(mark, this.scene, this.motion)) drawMark(context, mark.kind, this.pixel(place));
  }
}
