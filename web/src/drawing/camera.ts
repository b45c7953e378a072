// From the model's coordinates to pixels: a plane that is panned and zoomed, and in space turned before.
import type { Pair, Vector } from "./geometry";

export interface Bounds {
  x: Pair;
  y: Pair;
}

/** Where the plane is that is seen in its true size, and how far in front of it the eye is [m]. */
export interface Eye {
  middle: Vector;
  distance: number;
}

/** The directions that a model in space is seen in, as angles. */
export const DIRECTIONS = {
  Aslant: [-0.6, 0.35],
  Front: [0, 0],
  Right: [-Math.PI / 2, 0],
  Top: [0, Math.PI / 2],
} as const;

/** Nothing is seen larger than by this factor, however near it is to the eye. */
export const NEAREST = 10;

export class Camera {
  /** Pixels a metre. */
  scale = 100;
  /** What it turns about. */
  pivot: Vector = [0, 0, 0];
  /** With perspective; undefined: without. */
  eye: Eye | undefined;
  private centre: Pair = [0, 0];
  private size: Pair = [1, 1];
  /** Of the view of a spatial model, whose z axis is up. */
  private yaw: number = DIRECTIONS.Aslant[0];
  private pitch: number = DIRECTIONS.Aslant[1];

  resize(width: number, height: number): void {
    this.size = [width, height];
  }

  /** Pixels of the lower right corner of the picture. */
  get corner(): Pair {
    return [...this.size];
  }

  /** Where a position is seen in the plane of the view, in metres. */
  flatten(place: Vector): Pair {
    const [x, y] = this.project(place);
    if (!this.eye || place.length < 3) return [x, y];
    const larger = this.enlargement(this.eye, this.depth(place));
    return [this.centre[0] + larger * (x - this.centre[0]), this.centre[1] + larger * (y - this.centre[1])];
  }

  /** How much larger than in the plane that is seen in its true size something is seen so far behind. */
  private enlargement({ middle, distance }: Eye, depth: number): number {
    return distance / Math.max(distance + depth - this.depth(middle), distance / NEAREST);
  }

  /** A position in the plane of the view without perspective, in metres. */
  project([x = NaN, y = NaN, z]: Vector): Pair {
    if (z === undefined) return [x, y];
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return [cy * x - sy * y, sp * (sy * x + cy * y) + cp * z];
  }

  /** From where a spatial model is seen. */
  get angles(): string {
    return `${this.yaw} ${this.pitch}`;
  }

  /** How far a position in space is behind the plane of the view; negative in front. */
  depth([x = NaN, y = NaN, z = NaN]: Vector): number {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return cp * (sy * x + cy * y) - sp * z;
  }

  /** Pixels of a place in the plane of the view. */
  toScreen([x, y]: Pair): Pair {
    return [
      this.size[0] / 2 + (x - this.centre[0]) * this.scale,
      this.size[1] / 2 - (y - this.centre[1]) * this.scale,
    ];
  }

  /** The place at a pixel: in space as far behind the plane of the view as another place is. */
  place([px, py]: Pair, near: Vector): Vector {
    const spatial = near.length > 2;
    const scale = this.scale * (this.eye && spatial ? this.enlargement(this.eye, this.depth(near)) : 1);
    const across = this.centre[0] + (px - this.size[0] / 2) / scale;
    const up = this.centre[1] + (this.size[1] / 2 - py) / scale;
    if (!spatial) return [across, up];
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const depth = this.depth(near);
    const ahead = sp * up + cp * depth;
    return [cy * across + sy * ahead, cy * ahead - sy * across, cp * up - sp * depth];
  }

  /** The part of the plane that is seen. */
  get seen(): Bounds {
    const [halfWidth, halfHeight] = [this.size[0] / 2 / this.scale, this.size[1] / 2 / this.scale];
    const [x, y] = this.centre;
    return { x: [x - halfWidth, x + halfWidth], y: [y - halfHeight, y + halfHeight] };
  }

  /** Whether all of some bounds is seen. */
  shows({ x, y }: Bounds): boolean {
    const { seen } = this;
    const within = (range: Pair, around: Pair): boolean => range[0] >= around[0] && range[1] <= around[1];
    return within(x, seen.x) && within(y, seen.y);
  }

  /** Makes everything within the bounds visible, with `margin` pixels around. */
  fit({ x, y }: Bounds, margin: number): void {
    this.centre = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
    const [width, height] = [x[1] - x[0], y[1] - y[0]];
    const scale = Math.min((this.size[0] - 2 * margin) / width, (this.size[1] - 2 * margin) / height);
    this.scale = Number.isFinite(scale) && scale > 0 ? scale : 100;
  }

  /** Zooms by a factor, keeping the place at these pixels where it is. */
  zoom(factor: number, px = this.size[0] / 2, py = this.size[1] / 2): void {
    const [dx, dy] = [px - this.size[0] / 2, this.size[1] / 2 - py];
    const scale = Math.min(Math.max(this.scale * factor, 1e-6), 1e9);
    this.centre[0] += dx / this.scale - dx / scale;
    this.centre[1] += dy / this.scale - dy / scale;
    this.scale = scale;
  }

  pan(dx: number, dy: number): void {
    this.centre[0] -= dx / this.scale;
    this.centre[1] += dy / this.scale;
  }

  lookFrom(direction: keyof typeof DIRECTIONS): void {
    [this.yaw, this.pitch] = DIRECTIONS[direction];
  }

  /** Turns about the pivot, which stays where it is seen. */
  turn(dx: number, dy: number): void {
    const [x, y] = this.project(this.pivot);
    this.yaw += dx * 0.01;
    this.pitch = Math.min(Math.max(this.pitch + dy * 0.01, -Math.PI / 2), Math.PI / 2);
    const [nextX, nextY] = this.project(this.pivot);
    this.centre = [this.centre[0] + nextX - x, this.centre[1] + nextY - y];
  }
}
