// A canvas with the size of its parent element, in device pixels.
import { h } from "../app/dom";

export const FONT = "11px system-ui, sans-serif";

export class FittedCanvas {
  readonly canvas = h("canvas");
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  ratio = 1;

  constructor(private readonly host: HTMLElement) {
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    this.context = context;
    host.append(this.canvas);
  }

  /** Adapts the size to the parent element and clears the canvas. */
  fit(): void {
    const { clientWidth, clientHeight } = this.host;
    const ratio = devicePixelRatio;
    if (clientWidth !== this.width || clientHeight !== this.height || ratio !== this.ratio) {
      [this.width, this.height, this.ratio] = [clientWidth, clientHeight, ratio];
      this.canvas.width = Math.round(clientWidth * ratio);
      this.canvas.height = Math.round(clientHeight * ratio);
    }
    this.clear();
  }

  clear(): void {
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
  }
}

/** Returns rows in a scattered order, which is always the same: what is drawn last covers what is below it. */
export function shuffled(rows: Uint32Array): Uint32Array {
  const { length } = rows;
  let step = Math.max(1, Math.round(length * 0.618));
  const common = (one: number, other: number): number => (other === 0 ? one : common(other, one % other));
  while (common(length, step) > 1) step++;
  return rows.map((_, i) => rows[(i * step) % length] as number);
}
