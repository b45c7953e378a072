// The save menu of the drawing: a picture, its lines, a video of the motion, and a 3-D model.
import { byId } from "../app/dom";
import { recordTexts } from "../app/texts";
import { save } from "../results/downloads";
import type { Motion } from "../results/motion";
import { recordVideo, savePng, saveSvg, type Draw } from "./pictures";
import type { Scene } from "./scene";

export class SaveMenu {
  private readonly record = byId("record", HTMLButtonElement);
  private stop?: () => void;

  /** `drawLines` draws the frame with lines only; `shown` returns the scene and motion. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawLines: Draw,
    private readonly shown: () => { scene: Scene; motion: Motion } | undefined,
  ) {
    byId("save-png", HTMLButtonElement).addEventListener("click", () => savePng(canvas, "mechanism.png"));
    byId("save-svg", HTMLButtonElement).addEventListener("click", () => this.saveLines());
    byId("save-gltf", HTMLButtonElement).addEventListener("click", () => void this.saveSolids());
    this.record.addEventListener("click", () => this.toggleRecord());
  }

  private saveLines(): void {
    const { clientWidth, clientHeight } = this.canvas;
    void saveSvg(this.drawLines, clientWidth, clientHeight, "mechanism.svg");
  }

  private async saveSolids(): Promise<void> {
    const shown = this.shown();
    if (!shown) return;
    const { gltfOf } = await import("../view3d/gltf");
    const bytes = await gltfOf(shown.scene, shown.motion);
    save(new Blob([bytes], { type: "model/gltf-binary" }), "mechanism.glb");
  }

  private toggleRecord(): void {
    if (this.stop) this.stop();
    this.stop = this.stop ? undefined : recordVideo(this.canvas, "mechanism.webm");
    this.record.textContent = this.stop ? recordTexts.stop : recordTexts.start;
  }
}
