// A photograph below the drawing, for tracing a mechanism. It is not sent to the service.
import { h } from "../app/dom";
import { photoTexts } from "../app/texts";
import type { Camera } from "../drawing/camera";
import { minus, type Pair } from "../drawing/geometry";
import type { Gesture } from "./tool";

/** Initial size of the photograph, as a fraction of the visible area. */
const PART = 0.8;

interface Photo {
  image: ImageBitmap;
  /** Position of its upper left corner [m]. */
  corner: Pair;
  /** Scale [m per pixel of the photograph]. */
  scale: number;
}

export interface UnderlayActions {
  redraw(): void;
  showNote(text: string, bad?: boolean): void;
  /** Lets the user choose two positions in the drawing, without snapping. */
  choose(gesture: Gesture, act: (places: Pair[]) => void): void;
  camera(): Camera | undefined;
}

export class Underlay {
  /** The row of its controls. */
  readonly element: HTMLElement;
  private photo: Photo | undefined;
  private readonly opacity = h("input", { type: "range", min: "0.1", max: "1", step: "0.05", value: "0.5" });
  private readonly length = h("input", { type: "text", inputMode: "decimal", value: "1", size: 5 });
  private readonly file = h("input", { type: "file", accept: "image/*", className: "hidden" });
  private readonly placing: HTMLElement;

  constructor(private readonly actions: UnderlayActions) {
    this.opacity.addEventListener("input", () => actions.redraw());
    this.file.addEventListener("change", () => {
      const file = this.file.files?.[0];
      this.file.value = "";
      if (file) void this.open(file);
    });
    const button = (text: string, title: string, act: () => void): HTMLButtonElement => {
      const made = h("button", { type: "button", title }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.placing = h(
      "span",
      { className: "tools", hidden: true },
      h("label", {}, photoTexts.opacity, this.opacity),
      h("label", {}, photoTexts.length, this.length),
      button(...photoTexts.scale, () => this.setScale()),
      button(...photoTexts.move, () => this.move()),
      button(...photoTexts.remove, () => this.remove()),
    );
    const choose = h("label", { className: "button" }, photoTexts.choose, this.file);
    this.element = h("div", { id: "underlay", className: "tools", role: "group" }, choose, this.placing);
    this.element.setAttribute("aria-label", photoTexts.group);
    this.element.hidden = true;
  }

  /** Shows an image file in the middle of the visible area. */
  async open(file: Blob): Promise<void> {
    const camera = this.actions.camera();
    if (!camera) return;
    let image: ImageBitmap;
    try {
      image = await createImageBitmap(file);
    } catch {
      return this.actions.showNote(photoTexts.noImage, true);
    }
    const { x, y } = camera.seen;
    const scale = PART * Math.min((x[1] - x[0]) / image.width, (y[1] - y[0]) / image.height);
    const corner: Pair = [(x[0] + x[1] - image.width * scale) / 2, (y[0] + y[1] + image.height * scale) / 2];
    this.photo?.image.close();
    this.photo = { image, corner, scale };
    this.element.hidden = this.placing.hidden = false;
    this.actions.showNote(photoTexts.added);
    this.actions.redraw();
  }

  draw(context: CanvasRenderingContext2D, camera: Camera): void {
    if (!this.photo) return;
    const { image, corner, scale } = this.photo;
    const [x, y] = camera.toScreen(corner);
    const size = scale * camera.scale;
    context.globalAlpha = Number(this.opacity.value);
    context.drawImage(image, x, y, image.width * size, image.height * size);
    context.globalAlpha = 1;
  }

  /** Scales the photograph about the first of two positions, so that their distance is the length that the user
   * entered. */
  private setScale(): void {
    const length = Number(this.length.value);
    if (!(length > 0)) return this.actions.showNote(photoTexts.badLength, true);
    this.choose(photoTexts.clickTwo(length), ([from, to], photo) => {
      const factor = length / Math.hypot(...minus(to, from));
      if (!Number.isFinite(factor)) return;
      photo.scale *= factor;
      photo.corner = photo.corner.map((x, i) => (from[i] as number) + factor * (x - (from[i] as number))) as Pair;
      const width = Number((photo.image.width * photo.scale).toPrecision(3));
      this.actions.showNote(photoTexts.scaled(width));
    });
  }

  private move(): void {
    this.choose(photoTexts.drag, ([from, to], photo) => {
      photo.corner = photo.corner.map((x, i) => x + (to[i] as number) - (from[i] as number)) as Pair;
    });
  }

  private choose(hint: string, use: (places: [Pair, Pair], photo: Photo) => void): void {
    this.actions.choose({ hint, fewest: 2, most: 2, drag: "all", outline: "line" }, (places) => {
      if (this.photo) use(places as [Pair, Pair], this.photo);
      this.actions.redraw();
    });
  }

  private remove(): void {
    this.photo?.image.close();
    this.photo = undefined;
    this.placing.hidden = true;
    this.actions.redraw();
  }
}
