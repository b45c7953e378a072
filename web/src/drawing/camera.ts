// Maps the model's coordinates to pixels: the plane is panned and zoomed; a spatial model is rotated first.
import type { Pair, Vector } from "./geometry";

export interface Bounds {
  x: Pair;
  y: Pair;
}

/** The plane that is drawn in its true size, and the distance of the eye in front of it [m]. */
export interface Eye {
  middle: Vector;
  distance: number;
}

/** The view directions of a spatial model, as angles. */
export const DIRECTIONS = {
  Aslant: [-0.6, 0.35],
  Front: [0, 0],
  Right: [-Math.PI / 2, 0],
  Top: [0, Math.PI / 2],
} as const;

/** Maximum enlargement of what is close to the eye. */
export const NEAREST = 10;

export class Camera {
  /** Scale [pixels/m]. */
  scale = 100;
  /** The point around which the view rotates. */
  pivot: Vector = [0, 0, 0];
  /** The eye of the perspective; undefined for a parallel projection. */
  eye: Eye | undefined;
  private centre: Pair = [0, 0];
  private size: Pair = [1, 1];
  /** Angle of the view of a spatial model, whose z axis is up. */
  private yaw: number = DIRECTIONS.Aslant[0];
  private pitch: number = DIRECTIONS.Aslant[1];

  resize(width: number, height: number): void {
    this.size = [width, height];
  }

  /** The lower right corner of the picture [pixels]. */
  get corner(): Pair {
    return [...this.size];
  }

  /** Projects a position onto the plane of the view [m]. */
  flatten(place: Vector): Pair {
    const [x, y] = this.project(place);
    if (!this.eye || place.length < 3) return [x, y];
    const larger = this.enlargement(this.eye, this.depth(place));
    return [this.centre[0] + larger * (x - this.centre[0]), this.centre[1] + larger * (y - this.centre[1])];
  }

  /** Returns the enlargement of what is `depth` behind the plane that is drawn in its true size. */
  private enlargement({ middle, distance }: Eye, depth: number): number {
    return distance / Math.max(distance + depth - this.depth(middle), distance / NEAREST);
  }

  /** Projects a position onto the plane of the view without perspective [m]. */
  project([x = NaN, y = NaN, z]: Vector): Pair {
    if (z === undefined) return [x, y];
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return [cy * x - sy * y, sp * (sy * x + cy * y) + cp * z];
  }

  /** The view angles as a text, which is used as a key. */
  get angles(): string {
    return `${this.yaw} ${this.pitch}`;
  }

  /** Returns the distance of a spatial position behind the plane of the view; negative in front of it. */
  depth([x = NaN, y = NaN, z = NaN]: Vector): number {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return cp * (sy * x + cy * y) - sp * z;
  }

  /** Converts a position in the plane of the view to pixels. */
  toScreen([x, y]: Pair): Pair {
    return [
      this.size[0] / 2 + (x - this.centre[0]) * this.scale,
      this.size[1] / 2 - (y - this.centre[1]) * this.scale,
    ];
  }

  /** Converts a pixel to a position; in space at the same depth as `near`. */
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

  /** The visible part of the plane. */
  get seen(): Bounds {
    const [halfWidth, halfHeight] = [this.size[0] / 2 / this.scale, this.size[1] / 2 / this.scale];
    const [x, y] = this.centre;
    return { x: [x - halfWidth, x + halfWidth], y: [y - halfHeight, y + halfHeight] };
  }

  /** Returns true if the bounds are completely visible. */
  shows({ x, y }: Bounds): boolean {
    const { seen } = this;
    const within = (range: Pair, around: Pair): boolean => range[0] >= around[0] && range[1] <= around[1];
    return within(x, seen.x) && within(y, seen.y);
  }

  /** Makes the bounds visible, with `margin` pixels around. */
  fit({ x, y }: Bounds, margin: number): void {
    this.centre = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
    const [width, height] = [x[1] - x[0], y[1] - y[0]];
    const scale = Math.min((this.size[0] - 2 * margin) / width, (this.size[1] - 2 * margin) / height);
    this.scale = Number.isFinite(scale) && scale > 0 ? scale : 100;
  }

  /** Zooms out until the bounds are visible, with `margin` pixels around. Returns false if they already are. */
  widen({ x, y }: Bounds, margin: number): boolean {
    const spare = margin / this.scale;
    const wanted: Bounds = { x: [x[0] - spare, x[1] + spare], y: [y[0] - spare, y[1] + spare] };
    if (this.shows(wanted)) return false;
    const { seen } = this;
    const union = (one: Pair, other: Pair): Pair => [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
    this.fit({ x: union(seen.x, wanted.x), y: union(seen.y, wanted.y) }, 0);
    return true;
  }

  /** Zooms by a factor. The position at the pixel (px, py) stays fixed. */
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

  /** Rotates the view about the pivot, which stays at its pixel. */
  turn(dx: number, dy: number): void {
    const [x, y] = this.project(this.pivot);
    this.yaw += dx * 0.01;
    this.pitch = Math.min(Math.max(this.pitch + dy * 0.01, -Math.PI / 2), Math.PI / 2);
    const [nextX, nextY] = this.project(this.pivot);
    this.centre = [this.centre[0] + nextX - x, this.centre[1] + nextY - y];
  }
}
