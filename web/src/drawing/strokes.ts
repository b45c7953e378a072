// Draws small symbols on a canvas, in pixels.
import { cssColour } from "../app/dom";
import { contrast } from "./colours";
import type { Pair } from "./geometry";
import type { Mark } from "./scene";

/** Minimum contrast of a line against the background. */
const LEAST_CONTRAST = 2;

export function path(context: CanvasRenderingContext2D, pixels: Pair[], closed: boolean): void {
  context.beginPath();
  pixels.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  if (closed) context.closePath();
}

export function line(context: CanvasRenderingContext2D, ...pixels: Pair[]): void {
  path(context, pixels, false);
  context.stroke();
}

export function disc(context: CanvasRenderingContext2D, [x, y]: Pair, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** Returns true if two pixels are drawn as one. */
export function coincide(one: Pair, other: Pair): boolean {
  return Math.hypot(one[0] - other[0], one[1] - other[1]) < 1;
}

/** Radii of the border of a pin and of its inside [pixels]. */
const PIN = [4.75, 3.25] as const;

/** Draws a pin: a disc of the colour of strokes with one of the colour of fills in it. Without a graphics card the
 * browser fills two discs faster than it strokes a circle. */
export function drawPin(context: CanvasRenderingContext2D, at: Pair): void {
  const { fillStyle } = context;
  PIN.forEach((radius, i) => {
    context.fillStyle = i === 0 ? context.strokeStyle : fillStyle;
    disc(context, at, radius);
    context.fill();
  });
}

export function fillAndStroke(context: CanvasRenderingContext2D): void {
  context.globalAlpha = 0.3;
  context.fill();
  context.globalAlpha = 1;
  strokeVisibly(context);
}

/** Strokes the current path, with a border if its colour has too little contrast with the background. */
export function strokeVisibly(context: CanvasRenderingContext2D): void {
  const { strokeStyle, lineWidth } = context;
  if ((contrast(String(strokeStyle), cssColour("--field")) ?? LEAST_CONTRAST) < LEAST_CONTRAST) {
    context.strokeStyle = cssColour("--faint");
    context.lineWidth = lineWidth + 2;
    context.stroke();
    Object.assign(context, { strokeStyle, lineWidth });
  }
  context.stroke();
}

export function drawSpring(context: CanvasRenderingContext2D, a: Pair, b: Pair): void {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const coils = 12;
  const straight = Math.min(12, length * 0.15);
  const pixels: Pair[] = [a];
  for (let i = 0; i <= coils; i++) {
    const along = straight + ((length - 2 * straight) * i) / coils;
    const across = i === 0 || i === coils ? 0 : i % 2 === 0 ? -6 : 6;
    pixels.push([a[0] + ux * along - uy * across, a[1] + uy * along + ux * across]);
  }
  context.strokeStyle = cssColour("--spring");
  context.lineWidth = 1.5;
  line(context, ...pixels, b);
}

/** Draws the ground below or above a point, with a border of the background, so that it is visible over bodies. */
export function drawSupport(context: CanvasRenderingContext2D, [x, y]: Pair, above: boolean): void {
  const sign = above ? -1 : 1;
  path(context, [[x, y], [x - 8, y + sign * 12], [x + 8, y + sign * 12]], true);
  for (let i = -8; i <= 8; i += 4) {
    context.moveTo(x + i, y + sign * 12);
    context.lineTo(x + i - sign * 4, y + sign * 17);
  }
  context.fillStyle = context.strokeStyle = cssColour("--field");
  context.lineWidth = 4.5;
  context.fill();
  context.stroke();
  context.strokeStyle = cssColour("--faint");
  context.lineWidth = 1.5;
  context.stroke();
}

/** Half the width between the two lines of a guide [pixels]. */
const GUIDE = 10;

/** Draws the two lines of a guide on both sides of a bar, with the ground outside. */
export function drawGuide(context: CanvasRenderingContext2D, from: Pair, to: Pair): void {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const [x, y] = [(GUIDE * (from[1] - to[1])) / length, (GUIDE * (to[0] - from[0])) / length];
  for (const side of [-1, 1]) {
    const ends = [from, to].map(([u, v]): Pair => [u + side * x, v + side * y]) as [Pair, Pair];
    line(context, ...ends);
    hatch(context, ends, side);
  }
}

/** Draws the ground below both ends of a rail that is fixed to it. */
export function drawRailGround(context: CanvasRenderingContext2D, from: Pair, to: Pair): void {
  // Below is to the right of a line that runs to the left on the screen.
  hatch(context, [from, to], to[0] < from[0] ? -1 : 1);
}

/** Draws short lines at both ends of a line of the ground; `side`: 1 to the right of its direction, -1 to the left. */
function hatch(context: CanvasRenderingContext2D, [from, to]: [Pair, Pair], side: number): void {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const [x, y] = [(side * (to[0] - from[0])) / length, (side * (to[1] - from[1])) / length];
  for (const [end, inward] of [[from, side], [to, -side]] as const)
    for (let i = 2; i <= 14; i += 4) {
      const at: Pair = [end[0] + inward * i * x, end[1] + inward * i * y];
      line(context, at, [at[0] - 4 * x - 5 * y, at[1] - 4 * y + 5 * x]);
    }
}

/** Radius of the symbol of a motor, and its distance from the joint to the left and upwards [pixels]. */
const [MOTOR, ASIDE] = [9, 15];
/** A torsion spring: radii of its ends [pixels], turns, and straight pieces of a turn. */
const [INNER, OUTER, TURNS, PIECES] = [5, 14, 2.25, 24];

/** Draws a torsion spring around a joint, or a motor beside it. */
function drawRound(context: CanvasRenderingContext2D, kind: "motor" | "coil", [x, y]: Pair): void {
  if (kind === "coil") {
    context.strokeStyle = cssColour("--spring");
    const at = (i: number): Pair => {
      const [angle, part] = [(2 * Math.PI * i) / PIECES, i / (TURNS * PIECES)];
      const radius = INNER + (OUTER - INNER) * part;
      return [x + radius * Math.cos(angle), y - radius * Math.sin(angle)];
    };
    return line(context, ...Array.from({ length: TURNS * PIECES + 1 }, (_, i) => at(i)));
  }
  const centre: Pair = [x - ASIDE, y - ASIDE];
  disc(context, centre, MOTOR);
  context.fillStyle = cssColour("--card");
  context.fill();
  context.stroke();
  context.fillStyle = cssColour("--text");
  context.font = "bold 12px system-ui, sans-serif";
  [context.textAlign, context.textBaseline] = ["center", "middle"];
  context.fillText("M", ...centre);
  [context.textAlign, context.textBaseline] = ["left", "alphabetic"];
}

/** Draws the symbol of a force element at a joint: an arrow in the direction that is free, teeth, two stops with a gap,
 * a motor, or a torsion spring. */
export function drawMark(context: CanvasRenderingContext2D, kind: Mark["kind"], [x, y]: Pair): void {
  context.strokeStyle = cssColour("--text");
  context.lineWidth = 1.5;
  if (kind === "motor" || kind === "coil") return drawRound(context, kind, [x, y]);
  const at = (dx: number, dy: number): Pair => [x + dx, y - dy];
  if (kind === "clutch") {
    context.beginPath();
    context.arc(x, y, 10, 0, -Math.PI / 2, true);
    context.stroke();
    line(context, at(4, 14), at(0, 10), at(4, 6));
  } else if (kind === "ratchet") {
    line(context, at(6, 8), at(6, 13), at(11, 8), at(11, 13), at(16, 8), at(16, 13), at(21, 8));
  } else {
    line(context, at(6, 8), at(6, 15));
    line(context, at(14, 8), at(14, 15));
    line(context, at(9, 11.5), at(11, 11.5));
  }
}
