// Draws many lines within one frame, which a canvas cannot stroke: sums up the coverage of each pixel. The colour of a
// pixel is that of its last line.
import { parts } from "../drawing/colours";
import type { FittedCanvas } from "./fitted_canvas";

export class Density {
  private readonly width: number;
  private readonly height: number;
  private readonly covered: Float32Array;
  private readonly colours: Uint8Array;

  constructor(private readonly sheet: FittedCanvas) {
    this.width = sheet.canvas.width;
    this.height = sheet.canvas.height;
    this.covered = new Float32Array(this.width * this.height);
    this.colours = new Uint8Array(this.covered.length);
  }

  /** Adds a line between two positions [CSS pixels], 1 CSS pixel wide, with x0 <= x1. */
  line(x0: number, y0: number, x1: number, y1: number, colour: number): void {
    const { ratio } = this.sheet;
    const [fromX, fromY, toX, toY] = [x0 * ratio, y0 * ratio, x1 * ratio, y1 * ratio];
    const thick = Math.max(1, Math.round(ratio));
    for (let k = 0; k < thick; k++) {
      const offset = k - (thick - 1) / 2;
      if (toX - fromX >= Math.abs(toY - fromY)) this.along(fromX, fromY + offset, toX, toY + offset, false, colour);
      else if (toY > fromY) this.along(fromY, fromX + offset, toY, toX + offset, true, colour);
      else this.along(toY, toX + offset, fromY, fromX + offset, true, colour);
    }
  }

  /** Steps along the longer axis, and divides each step between the two nearest pixels of the other axis. */
  private along(from: number, start: number, to: number, end: number, upright: boolean, colour: number): void {
    const { covered, colours, width, height } = this;
    const slope = (end - start) / (to - from || 1);
    const [step, across] = upright ? [width, 1] : [1, width];
    const last = Math.min(Math.round(to), (upright ? height : width) - 1);
    const most = (upright ? width : height) - 2;
    for (let i = Math.max(0, Math.round(from)); i < last; i++) {
      const place = start + (i - from) * slope - 0.5;
      const whole = Math.floor(place);
      if (whole < 0 || whole > most) continue;
      const near = i * step + whole * across;
      const far = near + across;
      const part = place - whole;
      covered[near] = (covered[near] as number) + 1 - part;
      covered[far] = (covered[far] as number) + part;
      colours[near] = colours[far] = colour;
    }
  }

  /** Paints all lines in these colours. A single line covers its pixels with `opacity`. */
  paint(colours: string[], opacity: number): void {
    const { covered, width, height } = this;
    const known = colours.map((colour) => parts(colour) ?? [0, 0, 0]);
    const image = this.sheet.context.createImageData(width, height);
    const { data } = image;
    for (let i = 0; i < covered.length; i++) {
      const part = covered[i] as number;
      if (part === 0) continue;
      const colour = known[this.colours[i] as number] as number[];
      for (let k = 0; k < 3; k++) data[4 * i + k] = colour[k] as number;
      data[4 * i + 3] = 255 * (part < 1 ? opacity * part : 1 - (1 - opacity) ** part);
    }
    this.sheet.context.putImageData(image, 0, 0);
  }
}
