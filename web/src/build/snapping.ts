// Snaps positions to points, to crossings and middles of bars, to bars, to lines through the last position, and to nodes
// of the grid.
import { cssColour } from "../app/dom";
import type { Camera } from "../drawing/camera";
import { dot, gridStep, minus, plus, unit, type Pair } from "../drawing/geometry";
import { disc, line } from "../drawing/strokes";
import { barsAt, bodiesAt, nearestPoint, type View } from "../interaction/picking";

/** Minimum distance of the grid's nodes [pixels]. */
const NODES = 14;
/** Distance at which a position snaps to a line through the last one [pixels]. */
const ALONG = 8;
/** A node within this distance of a bar's line counts as being on the bar [pixels]. */
const ON_LINE = 1;
/** Resolution of the written coordinates, as a fraction of a pixel. */
const PIXEL_SHARE = 1e-4;

export interface Snap {
  place: Pair;
  /** The kind of snapping; undefined if the position is that of the pointer. */
  at?: "point" | "crossing" | "middle" | "rim" | "body" | "grid";
  /** The line through the last position to which it snapped. */
  along?: "horizontal" | "vertical";
}

export function snapStep({ scale }: Camera): number {
  return gridStep(NODES / scale);
}

/** Rounds coordinates to digits that are visible in the drawing. */
export function rounded(place: number[], { scale }: Camera): Pair {
  const digits = Math.min(Math.max(Math.ceil(Math.log10(scale / PIXEL_SHARE)), 0), 12);
  const [x, y] = place.map((value) => Number(value.toFixed(digits)) + 0) as Pair;
  return [x, y];
}

type Bar = [Pair, Pair];

/** Returns where two bars cross; undefined if they do not. */
function crossingOf([a, b]: Bar, [c, d]: Bar): Pair | undefined {
  const [u, v, w] = [minus(b, a), minus(d, c), minus(c, a)] as [Pair, Pair, Pair];
  const area = u[0] * v[1] - u[1] * v[0];
  const [s, t] = [(w[0] * v[1] - w[1] * v[0]) / area, (w[0] * u[1] - w[1] * u[0]) / area];
  return s >= 0 && s <= 1 && t >= 0 && t <= 1 ? (plus(a, u, s) as Pair) : undefined;
}

/** Returns the positions of the bars near a pixel to which it can snap: where two of them cross, and the middle of
 * each. */
function placesOfBars(bars: Bar[]): Snap[] {
  const crossings = bars.flatMap((one, i) => bars.slice(i + 1).map((other) => crossingOf(one, other)));
  const middles = bars.map(([a, b]) => plus(a, minus(b, a), 0.5) as Pair);
  return [
    ...crossings.flatMap((place): Snap[] => (place ? [{ place, at: "crossing" }] : [])),
    ...middles.map((place): Snap => ({ place, at: "middle" })),
  ];
}

/** Returns the position on a body for a pixel on it: on the line of a bar. */
function onBody(place: Pair, [bar]: Bar[]): Pair {
  const along = bar && unit(minus(bar[1], bar[0]));
  return along ? (plus(bar[0], along, dot(minus(place, bar[0]), along)) as Pair) : place;
}

/** Returns the position nearest to `place` for which a circle about `centre` touches a drawn wheel; undefined if none is
 * within `reach` pixels. */
function touching(place: Pair, centre: Pair, reach: number, { scene, motion, camera }: View): Pair | undefined {
  const way = unit(minus(place, centre));
  const radii = scene.bodies.flatMap(({ shapes }, body) =>
    shapes.flatMap((shape) =>
      shape.type === "circle" ? Math.hypot(...minus(motion.place(body, shape.at), centre)) - shape.radius : [],
    ),
  );
  const drawn = Math.hypot(...minus(place, centre));
  const radius = radii.find((each) => each > 0 && Math.abs(each - drawn) * camera.scale < reach);
  return way && radius !== undefined ? (plus(centre, way, radius) as Pair) : undefined;
}

/** Returns the snapped position of a pixel. `last`: the previous position; `more`: positions that count as points;
 * `free`: no snapping; `round`: the position is on the rim of a circle about the last one. */
export function snap(
  pixel: Pair,
  view: View,
  { last, more, reach, free, round }: { last?: Pair; more: Pair[]; reach: number; free: boolean; round: boolean },
): Snap {
  const { camera, motion } = view;
  const place = camera.place(pixel, [0, 0]) as Pair;
  if (free) return { place: rounded(place, camera) };
  const touched = round && last && touching(place, last, reach, view);
  if (touched) return { place: touched, at: "rim" };
  const seen = camera.toScreen.bind(camera);
  const point = nearestPoint(pixel, reach, view, () => true);
  if (point !== undefined) return { place: rounded(motion.point(point), camera), at: "point" };
  const own = more.find((each) => {
    const [x, y] = seen(each);
    return Math.hypot(x - pixel[0], y - pixel[1]) < reach;
  });
  if (own) return { place: own, at: "point" };
  const bars = view.scene.bodies.flatMap((_, body) => barsAt(pixel, reach, body, view) as Bar[]);
  const special = placesOfBars(bars).find((each) => Math.hypot(...minus(seen(each.place), pixel)) < reach);
  if (special) return { ...special, place: rounded(special.place, camera) };
  const step = snapStep(camera);
  const node = place.map((x) => Math.round(x / step) * step) as Pair;
  const [dx, dy] = last ? seen(last).map((x, i) => Math.abs(x - (pixel[i] as number))) as Pair : [Infinity, Infinity];
  const along = (place: Pair, along: Snap["along"]): Snap => ({ place: rounded(place, camera), at: "grid", along });
  if (last && dy < ALONG && dy <= dx) return along([node[0], last[1]], "horizontal");
  if (last && dx < ALONG) return along([last[0], node[1]], "vertical");
  // The node may be beside the body under the pointer.
  const here = bodiesAt(pixel, reach, view);
  const isBeside = here.length > 0 && !bodiesAt(seen(node), ON_LINE, view).some((body) => here.includes(body));
  if (isBeside) return { place: rounded(onBody(place, bars), camera), at: "body" };
  return { place: rounded(node, camera), at: "grid" };
}

/** Draws the nodes of the grid. */
export function drawNodes(context: CanvasRenderingContext2D, camera: Camera): void {
  const { x, y } = camera.seen;
  const step = snapStep(camera);
  context.fillStyle = cssColour("--grid-zero");
  for (let i = Math.ceil(x[0] / step); i * step <= x[1]; i++)
    for (let j = Math.ceil(y[0] / step); j * step <= y[1]; j++) {
      const [px, py] = camera.toScreen([i * step, j * step]);
      context.fillRect(px - 0.75, py - 0.75, 1.5, 1.5);
    }
}

/** Draws the snapped position and its coordinates. */
export function drawSnap(context: CanvasRenderingContext2D, camera: Camera, { place, at, along }: Snap): void {
  const pixel = camera.toScreen(place);
  const [x, y] = pixel;
  const [width, height] = camera.corner;
  context.strokeStyle = context.fillStyle = cssColour("--accent");
  context.lineWidth = 1;
  context.setLineDash([4, 4]);
  if (along === "horizontal") line(context, [0, y], [width, y]);
  if (along === "vertical") line(context, [x, 0], [x, height]);
  context.setLineDash([]);
  context.lineWidth = 2;
  const named = at && at !== "grid" && at !== "body";
  if (named) {
    disc(context, pixel, 9);
    context.stroke();
  } else {
    line(context, [x - 7, y], [x + 7, y]);
    line(context, [x, y - 7], [x, y + 7]);
  }
  context.font = "12px system-ui, sans-serif";
  context.textAlign = x > width - 110 ? "right" : "left";
  const shown = place.map((value) => Number(value.toPrecision(4)));
  const text = `${named ? `${at} ` : ""}${shown.join(", ")}`;
  const [left, bottom] = [x + (x > width - 110 ? -12 : 12), y < 24 ? y + 22 : y - 10];
  context.lineWidth = 4;
  context.strokeStyle = cssColour("--field");
  context.strokeText(text, left, bottom);
  context.fillText(text, left, bottom);
  context.textAlign = "left";
}

/** Writes below the pointer which element the position would create. */
export function drawPreview(context: CanvasRenderingContext2D, camera: Camera, place: Pair, text: string): void {
  const [x, y] = camera.toScreen(place);
  const [width, height] = camera.corner;
  context.font = "13px system-ui, sans-serif";
  const half = context.measureText(text).width / 2;
  const left = Math.min(Math.max(x - half, 4), Math.max(width - 2 * half - 4, 4));
  const bottom = y > height - 40 ? y - 26 : y + 30;
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = cssColour("--field");
  context.strokeText(text, left, bottom);
  context.fillStyle = cssColour("--text");
  context.fillText(text, left, bottom);
}
