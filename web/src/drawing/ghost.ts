// The motion of a pinned run beside the one that is shown: pale, and at the same time.
import type { Motion } from "../results/motion";
import type { Camera } from "./camera";
import { Painter } from "./drawing";
import type { Scene } from "./scene";

/** How much is seen of what is pale. */
export const PALENESS = 0.3;

/** The motion of a run. */
export interface Course {
  id: string;
  scene: Scene;
  motion: Motion;
}

/** A context in which all is pale that is drawn through this one. */
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

  /** Brings it to a time; before its start and behind its end it stands still there. */
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
