// What the drawing is saved as: a picture as it is seen, its lines, and a video of its motion.
import { byId } from "./dom";
import { recordVideo, savePng, saveSvg, type Draw } from "./pictures";

export class SaveMenu {
  private readonly record = byId("record", HTMLButtonElement);
  private stop?: () => void;

  /** `drawLines` draws what `canvas` shows as lines alone. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawLines: Draw,
  ) {
    byId("save-png", HTMLButtonElement).addEventListener("click", () => savePng(canvas, "mechanism.png"));
    byId("save-svg", HTMLButtonElement).addEventListener("click", () => this.saveLines());
    this.record.addEventListener("click", () => this.toggleRecord());
  }

  private saveLines(): void {
    const { clientWidth, clientHeight } = this.canvas;
    void saveSvg(this.drawLines, clientWidth, clientHeight, "mechanism.svg");
  }

  private toggleRecord(): void {
    if (this.stop) this.stop();
    this.stop = this.stop ? undefined : recordVideo(this.canvas, "mechanism.webm");
    this.record.textContent = this.stop ? "Stop the recording" : "Record a video";
  }
}
