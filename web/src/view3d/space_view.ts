// The view of a spatial model: direction, perspective, and solids if the browser can draw them.
import { byId, h, onColourScheme } from "../app/dom";
import { DIRECTIONS, type Camera } from "../drawing/camera";
import type { Course } from "../drawing/ghost";
import { reachOf } from "../drawing/model_bounds";
import type { Scene } from "../drawing/scene";
import type { Motion } from "../results/motion";
import type { Space } from "./space";

/** Distance of the eye with perspective, in extents of the mechanism. */
const EYE_DISTANCE = 2.5;

interface Shown {
  scene: Scene;
  motion: Motion;
  camera: Camera;
  /** The pinned run that is drawn transparently as well. */
  pinned?: Course | undefined;
}

export class SpaceView {
  private readonly direction = byId("direction", HTMLSelectElement);
  private readonly perspective = byId("perspective", HTMLInputElement);
  private shown?: Shown;
  private space?: Space;
  private asked = false;

  /** Calls `onDrawn` when the picture must be drawn again, and `onSeen` when the view direction has changed. */
  constructor(
    private readonly onDrawn: () => void,
    onSeen: () => void,
  ) {
    this.direction.append(...Object.keys(DIRECTIONS).map((name) => h("option", { value: name }, name)));
    this.direction.addEventListener("change", () => {
      this.shown?.camera.lookFrom(this.direction.value as keyof typeof DIRECTIONS);
      onSeen();
    });
    this.perspective.addEventListener("change", () => {
      this.setEye();
      onSeen();
    });
    onColourScheme(() => this.build());
  }

  /** Shows a spatial motion; undefined if the model is planar. */
  show(shown: Shown | undefined): void {
    const before = this.shown;
    this.shown = shown;
    // A longer part of the same motion has the same solids and the same eye.
    if (shown && before?.scene === shown.scene && before.pinned === shown.pinned && before.camera === shown.camera) return;
    this.setEye();
    this.build();
    if (shown) void this.load();
  }

  /** Returns a picture of the solids. Returns undefined for planar models, until three.js is loaded, and without
   * WebGL: then lines are drawn. */
  draw(width: number, height: number): HTMLCanvasElement | undefined {
    return this.shown && this.space?.draw(this.shown.camera, width, height);
  }

  private setEye(): void {
    if (!this.shown) return;
    const { scene, motion, camera } = this.shown;
    const { middle, extent } = reachOf(scene, motion);
    camera.pivot = middle;
    camera.eye = this.perspective.checked ? { middle, distance: EYE_DISTANCE * extent } : undefined;
  }

  private build(): void {
    if (this.shown) this.space?.show(this.shown.scene, this.shown.motion, this.shown.pinned);
  }

  private async load(): Promise<void> {
    if (this.asked) return;
    this.asked = true;
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", { alpha: true, antialias: true });
    if (!context) return;
    const { Space } = await import("./space");
    this.space = new Space(canvas, context);
    this.build();
    this.onDrawn();
  }
}
