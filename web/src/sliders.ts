// A slider with a number field for each parameter of the document: the mechanism follows at once, and the text when it
// is let go.
import { h } from "./dom";
import { formatNumber } from "./format";
import { numberMembers, type NumberMember } from "./pointer";

/** A slider goes from a value divided by this to the value times this. */
const FACTOR = 5;
const DIGITS = 4;

/** The parameters of a document, bare or within "model", that are numbers. */
export function parametersOf(text: string): NumberMember[] {
  const bare = numberMembers(text, "parameters");
  return bare.length > 0 ? bare : numberMembers(text, "model", "parameters");
}

export interface SliderActions {
  /** The document in the editor. */
  text(): string;
  /** A slider is on its way; `document` has the value. */
  change(name: string, value: number, document: string): void;
  /** It was let go. */
  commit(place: NumberMember, value: number): void;
}

/** What a slider at s in [-1, 1] stands for: the base in the middle, in equal ratios to both sides; of 0 itself, s. */
export function valueAt(base: number, s: number): number {
  if (Math.abs(s) < 1e-9) return base;
  return Number((base === 0 ? s : base * FACTOR ** s).toPrecision(DIGITS));
}

function positionOf(base: number, value: number): number {
  return base === 0 ? value : Math.log(value / base) / Math.log(FACTOR);
}

class Slider {
  readonly row: HTMLLabelElement;
  private readonly range: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private base = NaN;
  private held = false;

  constructor(
    readonly name: string,
    private readonly actions: SliderActions,
  ) {
    this.range = h("input", { type: "range", min: "-1", max: "1", step: "0.005" });
    this.range.setAttribute("aria-label", name);
    this.field = h("input", { type: "number", step: "any" });
    this.field.setAttribute("aria-label", `${name}, its value`);
    this.row = h("label", { className: "slider" }, h("code", {}, name), this.range, this.field);
    this.range.addEventListener("input", () => this.follow());
    this.range.addEventListener("change", () => this.letGo(valueAt(this.base, Number(this.range.value))));
    this.field.addEventListener("change", () => this.letGo(Number(this.field.value)));
  }

  /** The document has this value. The range stays as long as it contains it. */
  show(value: number): void {
    if (this.held) return;
    const position = positionOf(this.base, value);
    if (!(Math.abs(position) <= 1)) this.base = value;
    this.range.value = String(positionOf(this.base, value) || 0);
    this.tell(value);
  }

  private tell(value: number): void {
    this.field.value = String(value);
    this.range.setAttribute("aria-valuetext", formatNumber(value, DIGITS));
  }

  private place(): NumberMember | undefined {
    return parametersOf(this.actions.text()).find(({ name }) => name === this.name);
  }

  private follow(): void {
    const place = this.place();
    if (!place) return;
    this.held = true;
    const value = valueAt(this.base, Number(this.range.value));
    this.tell(value);
    const text = this.actions.text();
    this.actions.change(this.name, value, text.slice(0, place.from) + String(value) + text.slice(place.to));
  }

  private letGo(value: number): void {
    this.held = false;
    const place = this.place();
    if (!place) return;
    if (Number.isFinite(value) && this.field.value !== "" && value !== place.value) this.actions.commit(place, value);
    else this.show(place.value);
  }
}

export class Sliders {
  private sliders: Slider[] = [];

  constructor(
    private readonly host: HTMLElement,
    private readonly actions: SliderActions,
  ) {}

  /** Shows the parameters of a document that has no mistakes of syntax. */
  show(text: string): void {
    const parameters = parametersOf(text);
    const names = (list: { name: string }[]): string => JSON.stringify(list.map(({ name }) => name));
    if (names(parameters) !== names(this.sliders)) {
      this.sliders = parameters.map(({ name }) => new Slider(name, this.actions));
      this.host.replaceChildren(...this.sliders.map(({ row }) => row));
    }
    parameters.forEach(({ value }, i) => this.sliders[i]?.show(value));
  }
}
