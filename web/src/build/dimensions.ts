// Lengths and angles of the selected body or joint, written at the drawing. A click on one turns it into a field; the
// new number changes the document, and the mechanism follows.
import { byId, h } from "../app/dom";
import { formatNumber } from "../app/format";
import { dimensionTexts } from "../app/texts";
import { difference, type Change } from "../document/pointer";
import type { Player } from "../drawing/animation";
import type { View } from "../interaction/picking";
import { onSelection, selected } from "../interaction/selection";
import { bodyDimensions, numbersOf, type Numbers } from "./body_dimensions";
import { jointDimensions } from "./joint_dimensions";
import type { Dimension } from "./measure";
import { remassed } from "./remass";

/** Minimum distance of a number from the edge of the drawing [pixels]. */
const EDGE = 30;

export interface DimensionActions {
  text(): string;
  change(change: Change): void;
  /** Returns true while dimensions are shown. */
  isOn(): boolean;
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
    const on = element && view.scene.dimension === 2 && this.actions.isOn();
    this.body = on && element.kind === "bodies" ? element.index : -1;
    this.shown = this.body >= 0 ? bodyDimensions(this.numbersOf(this.body), view) : [];
    if (on && element.kind === "joints") this.shown = jointDimensions(this.actions.text(), element.index, view);
    if (this.field) return;
    const same = this.host.children.length === this.shown.length;
    if (!same) this.host.replaceChildren(...this.shown.map((_, i) => this.button(i)));
    this.shown.forEach(({ label, value, unit, pixel: [x, y] }, i) => {
      const button = this.host.children[i] as HTMLButtonElement;
      const text = `${formatNumber(value, 4)}${unit === "m" ? " m" : unit}`;
      if (button.textContent !== text) button.textContent = text;
      button.setAttribute("aria-label", `${label}: ${text}`);
      button.title = dimensionTexts.change(label);
      const { offsetLeft, offsetTop, clientWidth, clientHeight } = this.canvas;
      const left = offsetLeft + Math.min(Math.max(x, EDGE), clientWidth - EDGE);
      const top = offsetTop + Math.min(Math.max(y, EDGE), clientHeight - EDGE);
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
      if (!(dimension.signed ? Number.isFinite(value) : value > 0)) return;
      const before = this.actions.text();
      const set = dimension.set(before, value);
      const after = body < 0 ? set : remassed(before, set, body);
      if (after !== before) this.actions.change(difference(before, after));
    });
  }

  private close(): void {
    this.field = undefined;
    this.host.replaceChildren();
    this.player.redraw();
  }
}
