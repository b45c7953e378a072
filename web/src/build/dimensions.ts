// Lengths, angles and radii of the selected body, written at the drawing. A click on one turns it into a field; the new
// number changes the point or shape of the body, and the mechanism follows.
import { byId, h } from "../app/dom";
import { formatNumber } from "../app/format";
import { dimensionTexts } from "../app/texts";
import { modelIn } from "../document/elements";
import { asFields, asList } from "../document/fields";
import { changed, difference, pointerTo, valueChange, tokensOf, type Change } from "../document/pointer";
import { pointMove } from "../document/point_moves";
import { across, dot, minus, plus, rotate, scaled, unit, type Pair } from "../drawing/geometry";
import type { Player } from "../drawing/animation";
import type { View } from "../interaction/picking";
import { onSelection, selected } from "../interaction/selection";
import { remassed } from "./remass";
import { mean } from "./synthesis";

const DEGREE = Math.PI / 180;
/** Distance of a number from what it measures [pixels]. */
const ASIDE = 22;
/** Bodies with more points show no dimensions. */
const MOST = 9;

/** A number at the drawing. */
interface Dimension {
  label: string;
  value: number;
  unit: string;
  pixel: Pair;
  /** Returns the text with another value. */
  set(text: string, value: number): string;
}

export interface DimensionActions {
  text(): string;
  change(change: Change): void;
  /** Returns true while dimensions are shown. */
  isOn(): boolean;
}

/** A point of the body: its name, its coordinates in the body's axes, its pixel. */
interface Corner {
  name: string;
  at: Pair;
  pixel: Pair;
}

/** Returns the text with other coordinates of a point. */
function moved(text: string, holder: string, name: string, to: number[]): string {
  return changed(text, pointMove(text, holder, name, to.map((x) => String(Number(x.toFixed(9)) + 0))));
}

/** What the text says about a body: coordinates of its points by name, and its circles with their indices. */
interface Numbers {
  text: string;
  body: number;
  holder: string;
  points: Map<string, Pair>;
  circles: { index: number; radius: number; at: Pair }[];
}

function numbersOf(text: string, body: number): Numbers {
  const { model = {}, prefix = "" } = modelIn(text) ?? {};
  const fields = asFields(asList(model.bodies)[body]);
  const isPair = (value: unknown): value is Pair => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
  const points = Object.entries(asFields(fields.points)).filter((entry): entry is [string, Pair] => isPair(entry[1]));
  const circles = asList(fields.shapes).flatMap((value, index) => {
    const { type, radius, at = [0, 0] } = asFields(value);
    return type === "circle" && typeof radius === "number" && isPair(at) ? [{ index, radius, at }] : [];
  });
  return { text, body, holder: `${prefix}/bodies/${body}`, points: new Map(points), circles };
}

function cornersOf({ body, points }: Numbers, { scene, motion, camera }: View): Corner[] {
  return (scene.bodies[body]?.points ?? []).flatMap((point) => {
    const name = scene.points[point]?.name ?? "";
    const at = points.get(name);
    return at ? [{ name, at, pixel: camera.toScreen(camera.flatten(motion.point(point))) }] : [];
  });
}

/** Returns the length between two points; it is written on the side away from `centre`. */
function lengthOf(holder: string, a: Corner, b: Corner, centre: Pair): Dimension[] {
  const way = minus(b.at, a.at);
  const direction = unit(way);
  const seen = unit(minus(b.pixel, a.pixel));
  if (!direction || !seen) return [];
  const [middle, side] = [scaled(plus(a.pixel, b.pixel), 0.5), across(seen)[0] as Pair];
  const pixel = plus(middle, side, dot(side, minus(middle, centre)) < 0 ? -ASIDE : ASIDE) as Pair;
  const set = (text: string, value: number): string => moved(text, holder, b.name, plus(a.at, direction, value));
  return [{ label: dimensionTexts.length(a.name, b.name), value: Math.hypot(...way), unit: "m", pixel, set }];
}

/** Returns the angle at b between a and c. */
function angleOf(holder: string, a: Corner, b: Corner, c: Corner): Dimension[] {
  const [back, on] = [minus(a.at, b.at), minus(c.at, b.at)] as [Pair, Pair];
  const signed = Math.atan2(back[0] * on[1] - back[1] * on[0], back[0] * on[0] + back[1] * on[1]);
  const [one, other] = [unit(minus(a.pixel, b.pixel)), unit(minus(c.pixel, b.pixel))];
  if (!one || !other) return [];
  const pixel = plus(b.pixel, unit(plus(one, other)) ?? (across(one)[0] as Pair), -1.2 * ASIDE) as Pair;
  const set = (text: string, value: number): string => {
    const turn = (signed < 0 ? -1 : 1) * value * DEGREE - signed;
    return moved(text, holder, c.name, plus(b.at, rotate([turn], on)));
  };
  return [{ label: dimensionTexts.angle(b.name), value: Math.abs(signed) / DEGREE, unit: "\u00b0", pixel, set }];
}

function radiiOf({ body, holder, circles }: Numbers, { motion, camera }: View): Dimension[] {
  return circles.map(({ index, radius, at }) => {
    const [x, y] = camera.toScreen(camera.flatten(motion.place(body, at)));
    const set = (text: string, value: number): string => {
      const change = valueChange(text, tokensOf(pointerTo(holder, "shapes", String(index), "radius")), String(value));
      return change ? changed(text, [change]) : text;
    };
    const pixel: Pair = [x, y - radius * camera.scale - ASIDE / 2];
    return { label: dimensionTexts.radius, value: radius, unit: "m", pixel, set };
  });
}

function dimensionsOf(numbers: Numbers, view: View): Dimension[] {
  const { holder } = numbers;
  const corners = cornersOf(numbers, view);
  if (corners.length > MOST) return [];
  const next = (i: number): Corner => corners[(i + 1) % corners.length] as Corner;
  const centre = mean(corners.map(({ pixel }) => pixel));
  const sides = corners.length > 2 ? corners : corners.slice(0, -1);
  const lengths = sides.flatMap((corner, i) => lengthOf(holder, corner, next(i), centre));
  const middles = corners.length > 2 ? corners : [];
  const angles = middles.flatMap((corner, i) => angleOf(holder, corner, next(i), next(i + 1)));
  return [...lengths, ...angles, ...radiiOf(numbers, view)];
}

export class Dimensions {
  private readonly host = h("div", { id: "dimensions", role: "group" });
  private readonly canvas = byId("canvas", HTMLCanvasElement);
  private shown: Dimension[] = [];
  private body = -1;
  private numbers: Numbers | undefined;
  /** The field in which the user types; undefined if there is none. */
  private field: HTMLInputElement | undefined;

  constructor(
    private readonly player: Player,
    private readonly actions: DimensionActions,
  ) {
    this.host.setAttribute("aria-label", dimensionTexts.title);
    this.canvas.after(this.host);
    player.addLayer((_, view) => this.show(view));
    onSelection(() => this.close());
  }

  private show(view: View): void {
    const element = selected();
    const on = element?.kind === "bodies" && view.scene.dimension === 2 && this.actions.isOn();
    this.body = on ? element.index : -1;
    this.shown = on ? dimensionsOf(this.numbersOf(element.index), view) : [];
    if (this.field) return;
    const same = this.host.children.length === this.shown.length;
    if (!same) this.host.replaceChildren(...this.shown.map((_, i) => this.button(i)));
    this.shown.forEach(({ label, value, unit, pixel: [x, y] }, i) => {
      const button = this.host.children[i] as HTMLButtonElement;
      const text = `${formatNumber(value, 4)}${unit === "m" ? " m" : unit}`;
      if (button.textContent !== text) button.textContent = text;
      button.setAttribute("aria-label", `${label}: ${text}`);
      button.title = dimensionTexts.change(label);
      const [left, top] = [this.canvas.offsetLeft + x, this.canvas.offsetTop + y];
      button.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px) translate(-50%, -50%)`;
    });
  }

  /** Reads the text only if it has changed, because the drawing asks for each frame. */
  private numbersOf(body: number): Numbers {
    const text = this.actions.text();
    if (this.numbers?.text !== text || this.numbers.body !== body) this.numbers = numbersOf(text, body);
    return this.numbers;
  }

  private button(i: number): HTMLButtonElement {
    const button = h("button", { type: "button" });
    button.addEventListener("click", () => this.edit(i, button));
    return button;
  }

  private edit(i: number, button: HTMLButtonElement): void {
    const dimension = this.shown[i];
    if (!dimension || this.field) return;
    const { body } = this;
    const field = h("input", { type: "text", inputMode: "decimal", value: formatNumber(dimension.value, 6) });
    field.setAttribute("aria-label", dimension.label);
    field.style.transform = button.style.transform;
    this.field = field;
    button.replaceWith(field);
    field.select();
    field.addEventListener("blur", () => this.close());
    field.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.close();
      if (key !== "Enter") return;
      const value = Number(field.value.replace(",", "."));
      this.close();
      if (!(value > 0)) return;
      const before = this.actions.text();
      const after = remassed(before, dimension.set(before, value), body);
      if (after !== before) this.actions.change(difference(before, after));
    });
  }

  private close(): void {
    this.field = undefined;
    this.host.replaceChildren();
    this.player.redraw();
  }
}
