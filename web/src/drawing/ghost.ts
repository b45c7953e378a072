// Draws the motion of a pinned run as a pale copy, at the same time as the shown motion.
import type { Motion } from "../results/motion";
import type { Camera } from "./camera";
import { Painter } from "./drawing";
import type { Scene } from "./scene";

/** Opacity of the copy. */
export const PALENESS = 0.3;

/** The motion of a run. */
export interface Course {
  id: string;
  scene: Scene;
  motion: Motion;
}

/** Returns a context that draws into the given one with reduced opacity. */
function pale(context: CanvasRenderingContext2D): CanvasRenderingContext2D {
  return new Proxy(context, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (name === "globalAlpha") return (value as number) / PALENESS;
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
    set: (target, name, value) =>
      Reflect.set(target, name, name === "globalAlpha" ? (value as number) * PALENESS : (value as unknown), target),
  });
}

export class Ghost {
  private readonly painter: Painter;

  constructor(
    readonly course: Course,
    camera: Camera,
  ) {
    this.painter = new Painter(course.scene, course.motion, camera);
  }

  /** Moves the copy to a time; before its start and after its end it shows its first or last row. */
  seek(t: number): void {
    this.course.motion.seek(t);
  }

  draw(context: CanvasRenderingContext2D): void {
    const paler = pale(context);
    paler.globalAlpha = 1;
    this.painter.drawMechanism(paler);
    context.globalAlpha = 1;
  }
}
