// Cuts the teeth of the gears of a planar model whose shapes have none, such as wheels and racks between joints with
// teeth. Gears in mesh have one module, and a tooth of one is in a gap of the other.
import type { Motion } from "../results/motion";
import { dot, inverse, minus, plus, rotate, unit, type Pair, type Vector } from "./geometry";
import type { Round, Scene } from "./scene";
import type { Mesh } from "./scene_extents";
import { planarGear, rackOutline, reachOfShape, type Shape, type Teeth } from "./shapes";

/** Least and greatest number of teeth of the smaller of two gears whose document gives no numbers. */
const [FEWEST, MOST] = [12, 24];

/** The shapes of a body: added gears and racks, and its own except the discs and bars that they replace. */
interface Parts {
  gears: Shape[];
  others: Shape[];
}

/** Returns the number of teeth of a gear with which one that is `ratio` times as large has most nearly a whole number
 * of teeth. */
function bestCount(ratio: number): number {
  const error = (count: number): number => Math.round(1e6 * Math.abs(count * ratio - Math.round(count * ratio)));
  const counts = Array.from({ length: MOST - FEWEST + 1 }, (_, i) => FEWEST + i);
  return counts.reduce((best, count) => (error(count) < error(best) ? count : best));
}

export class Gearing {
  /** The parts of the ground and of the bodies. */
  private readonly parts: Parts[];

  /** Cuts the gears at the current frame of `motion`. */
  constructor(
    { bodies, groundShapes }: Scene,
    meshes: Mesh[],
    private readonly motion: Motion,
  ) {
    this.parts = [groundShapes, ...bodies.map(({ shapes }) => shapes)].map((others) => ({ gears: [], others }));
    // The gears of a train get the module of those with which they mesh.
    for (let open = meshes.filter(({ rounds }) => rounds.length > 0); open.length > 0; ) {
      const next = open.find(({ rounds }) => rounds.some((round) => this.teethOf(round))) ?? (open[0] as Mesh);
      if (next.gears.rack) this.cutRack(next);
      else this.cutPair(next);
      open = open.filter((mesh) => mesh !== next);
    }
  }

  of(body: number): Parts {
    return this.parts[body + 1] ?? { gears: [], others: [] };
  }

  /** Returns the position of a point in the axes of a body, relative to its mass centre. */
  private local(body: number, point: number): Vector {
    return rotate(inverse(this.motion.turn(body)), minus(this.motion.point(point), this.motion.centre(body)));
  }

  private angleOf(body: number): number {
    return this.motion.turn(body)[0] as number;
  }

  /** Returns the teeth that a body has at a pitch circle. */
  private teethOf({ body, at, radius }: Round): Teeth | undefined {
    const { gears, others } = this.of(body);
    const centre = this.local(body, at);
    const near = (teeth: Teeth): boolean =>
      Math.hypot(...minus(teeth.at, centre), (teeth.count * teeth.module) / 2 - radius) < teeth.module;
    return [...gears, ...others].flatMap((shape) => (shape.type === "polygon" && shape.teeth) || []).find(near);
  }

  /** Adds a gear or rack in place of a shape. It gets the colour of that shape, else of the body's first one. */
  private replace(body: number, gear: Shape, replaced: (shape: Shape) => boolean): void {
    const parts = this.of(body);
    parts.gears.push({ ...gear, colour: (parts.others.find(replaced) ?? parts.others[0])?.colour });
    parts.others = parts.others.filter((shape) => !replaced(shape));
  }

  /** Adds a gear, which replaces a disc whose rim is among its teeth. */
  private add({ body, at, radius }: Round, count: number, angle: number, inner: boolean): Teeth {
    const centre = this.local(body, at);
    const teeth: Teeth = { at: centre, count, module: (2 * radius) / count, angle: angle || 0, inner };
    const isDisc = (shape: Shape): boolean =>
      shape.type === "circle" && Math.hypot(...minus(shape.at, centre), shape.radius - radius) < teeth.module;
    this.replace(body, planarGear(teeth), isDisc);
    return teeth;
  }

  /** Cuts two gears, or the second one so that it meshes with the teeth of the first. */
  private cutPair({ gears: { internal, module }, rounds }: Mesh): void {
    const known = rounds.find((round) => this.teethOf(round)) ?? rounds[0];
    const other = rounds.find((round) => round !== known);
    if (!known || !other || this.teethOf(other)) return;
    const [least, most] = [Math.min(known.radius, other.radius), Math.max(known.radius, other.radius)];
    const size = this.teethOf(known)?.module ?? module ?? (2 * least) / bestCount(most / least);
    const isRing = (round: Round): boolean => internal && round.radius === most;
    const count = (round: Round): number => Math.max(Math.round((2 * round.radius) / size), 3);
    const teeth = this.teethOf(known) ?? this.add(known, count(known), 0, isRing(known));
    const [x, y] = minus(this.motion.point(other.at), this.motion.point(known.at)) as Pair;
    // The directions from the centres to the contact.
    const towards = Math.atan2(y, x) + (isRing(other) ? Math.PI : 0);
    const back = internal ? towards : towards + Math.PI;
    const passed = ((towards - this.angleOf(known.body) - teeth.angle) * teeth.count) / (2 * Math.PI);
    const turned = ((internal ? 0.5 - passed : passed - 0.5) * 2 * Math.PI) / count(other);
    this.add(other, count(other), back + turned - this.angleOf(other.body), isRing(other));
  }

  /** Cuts a pinion and a rack, which replaces bars along its pitch line. The rack is as long as the shapes of its body,
   * without shapes as a turn of the pinion. */
  private cutRack({ gears: { points, bodies, rack, module }, rounds: [pinion] }: Mesh): void {
    const along = rack && unit(rack.vector);
    if (!along || !pinion) return;
    const { radius } = pinion;
    const count = Math.max(Math.round((2 * radius) / (module ?? (2 * radius) / FEWEST)), 3);
    const teeth = this.teethOf(pinion) ?? this.add(pinion, count, 0, false);
    const [, body] = bodies;
    const origin = this.local(body, points[1]);
    const offset = minus(this.local(body, points[0]), origin);
    // The frame of the rack: x along it, y towards the pinion.
    const [ux = 0, uy = 0] = along;
    const side = Math.sign(dot([-uy, ux], offset)) || 1;
    const contact = dot(along, offset);
    const down = Math.atan2(-side * ux, side * uy) + this.angleOf(body);
    const pitch = (2 * Math.PI * radius) / teeth.count;
    const passed = ((down - this.angleOf(pinion.body) - teeth.angle) * teeth.count) / (2 * Math.PI);
    const reach = this.reachAlong(body, origin, along);
    const range: Pair = reach[1] - reach[0] > pitch ? reach : [contact - Math.PI * radius, contact + Math.PI * radius];
    const outline = rackOutline(pitch / Math.PI, contact + side * (0.5 - passed) * pitch, range);
    const placed = outline.map(([x = 0, y = 0]) => plus(plus(origin, along, x), [-uy, ux], side * y));
    const isBar = ({ type, points: ends }: Shape & { points?: Vector[] }): boolean =>
      type === "line" && (ends ?? []).every((end) => Math.abs(dot([-uy, ux], minus(end, origin))) < pitch / Math.PI);
    this.replace(body, { type: "polygon", points: placed }, isBar);
  }

  /** Returns the interval of the shapes of a body along a direction, from a position in its axes. */
  private reachAlong(body: number, origin: Vector, along: Vector): Pair {
    const ends = this.of(body).others.map(reachOfShape).flatMap(({ places, swell }) =>
      places.flatMap((place) => [-swell, swell].map((end) => dot(along, minus(place, origin)) + end)),
    );
    return [Math.min(...ends), Math.max(...ends)];
  }
}
