// A slider with a number field for each parameter of the document. The mechanism follows while the slider moves; the
// text changes when it is released.
import { h } from "../app/dom";
import { formatNumber } from "../app/format";
import { sliderTexts } from "../app/texts";
import { UNIT_WORDS, type DisplayUnits } from "../document/display_units";
import { numberMembers, writtenOf, type NumberMember } from "../document/pointer";

/** A slider covers the interval from value / FACTOR to value * FACTOR. */
const FACTOR = 5;
const DIGITS = 4;
/** Significant digits that fit into a number field; a focused field shows all digits. */
const DIGITS_FIELD = 6;
/** Significant digits of values in another unit than the document's, and of values that are converted back for the
 * document. */
const DIGITS_SHOWN = 12;
const DIGITS_KEPT = 15;

/** Returns the parameters of a document, bare or in "model", that are numbers, with or without a unit. */
export function parametersOf(text: string): NumberMember[] {
  const bare = numberMembers(text, "parameters");
  return bare.length > 0 ? bare : numberMembers(text, "model", "parameters");
}

export interface SliderActions {
  /** Returns the document in the editor. */
  text(): string;
  /** Called while a slider moves; `document` contains the value. `value` is undefined if the document writes it with
   * a unit. */
  change(name: string, value: number | undefined, document: string): void;
  /** Called when the slider is released: `written` replaces the value in the text. */
  commit(place: NumberMember, written: string): void;
}

/** Rounds a value, to remove the rounding errors of unit factors. */
function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

/** Returns the value at slider position s in [-1, 1]: base * FACTOR^s; s itself if the base is 0. */
export function valueAt(base: number, s: number): number {
  if (Math.abs(s) < 1e-9) return base;
  return Number((base === 0 ? s : base * FACTOR ** s).toPrecision(DIGITS));
}

function positionOf(base: number, value: number): number {
  return base === 0 ? value : Math.log(value / base) / Math.log(FACTOR);
}

/** The interval of a slider. Its ends are strings if the document writes the parameter with a unit. */
export interface Span {
  name: string;
  low: number | string;
  high: number | string;
  word: string;
  factor: number;
}

class Slider {
  readonly row: HTMLLabelElement;
  private readonly range: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private readonly unit: HTMLSelectElement;
  private base = NaN;
  private held = false;
  /** The value in the document. */
  private value = NaN;
  /** The value in the displayed unit, with all digits. */
  private whole = "";
  /** The displayed unit in units of the document, and its word. */
  private factor = 1;
  private word = "";

  constructor(
    readonly name: string,
    /** The unit that the document writes after the number; the slider then shows that unit. */
    readonly ownUnit: string | undefined,
    private readonly actions: SliderActions,
    private readonly units: DisplayUnits,
  ) {
    this.range = h("input", { type: "range", min: "-1", max: "1", step: "0.005" });
    this.range.setAttribute("aria-label", name);
    this.field = h("input", { type: "number", step: "any" });
    this.field.setAttribute("aria-label", sliderTexts.value(name));
    const unit = (this.unit = h("select", { title: sliderTexts.choose }));
    unit.setAttribute("aria-label", sliderTexts.unit(name));
    unit.append(h("option", { value: "" }, "–"), ...UNIT_WORDS.map((word) => h("option", { value: word }, word)));
    unit.value = units.chosen(name);
    if (ownUnit !== undefined) {
      unit.replaceChildren(h("option", {}, ownUnit));
      unit.title = sliderTexts.fixed;
      unit.disabled = true;
      this.word = ownUnit;
    }
    this.row = h("label", { className: "slider" }, h("code", { title: name }, name), this.range, this.field, unit);
    unit.addEventListener("change", () => {
      units.choose(name, unit.value);
      void this.chooseUnit();
    });
    if (ownUnit === undefined && unit.value !== "") void this.chooseUnit();
    this.range.addEventListener("input", () => this.follow());
    this.range.addEventListener("change", () => this.commitValue(this.valueOfRange()));
    for (const change of ["focus", "blur"]) this.field.addEventListener(change, () => this.write());
    this.field.addEventListener("change", () => this.commitValue(this.kept(Number(this.field.value))));
  }

  /** Shows the value of the document. Keeps the interval as long as it contains the value. */
  show(value: number): void {
    if (this.held) return;
    const position = positionOf(this.base, value);
    if (!(Math.abs(position) <= 1)) this.base = value;
    this.range.value = String(positionOf(this.base, value) || 0);
    this.showValue(value);
  }

  private showValue(value: number): void {
    this.value = value;
    const shown = this.factor === 1 ? value : rounded(value / this.factor, DIGITS_SHOWN);
    this.whole = String(shown);
    this.field.title = this.whole;
    this.write();
    this.range.setAttribute("aria-valuetext", `${formatNumber(shown, DIGITS)} ${this.word}`.trimEnd());
  }

  private write(): void {
    const typing = document.activeElement === this.field;
    this.field.value = typing ? this.whole : String(rounded(Number(this.whole), DIGITS_FIELD));
  }

  private async chooseUnit(): Promise<void> {
    const word = this.units.chosen(this.name);
    const factor = word === "" ? 1 : await this.units.factor(word).catch(() => NaN);
    if (word !== this.units.chosen(this.name)) return;
    [this.factor, this.word] = factor > 0 ? [factor, word] : [1, ""];
    this.unit.value = this.word;
    this.showValue(this.value);
  }

  /** Converts a displayed number to the value for the document. */
  private kept(shown: number): number {
    return this.factor === 1 ? shown : rounded(shown * this.factor, DIGITS_KEPT);
  }

  /** Returns the value of the slider, rounded in the displayed unit. */
  private valueOfRange(): number {
    const value = valueAt(this.base, Number(this.range.value));
    return value === this.base ? value : this.kept(rounded(value / this.factor, DIGITS));
  }

  /** The ends of the interval in the displayed unit, the word of the unit, and its factor to the document's unit. */
  get span(): Span {
    const shown = (s: number): number => rounded(valueAt(this.base, s) / this.factor, DIGITS);
    const [low = 0, high = 0] = [shown(-1), shown(1)].sort((one, other) => one - other);
    if (this.ownUnit !== undefined) {
      const written = (end: number): string => `${end} ${this.ownUnit}`;
      return { name: this.name, low: written(low), high: written(high), word: "", factor: 1 };
    }
    return { name: this.name, low, high, word: this.word, factor: this.factor };
  }

  private place(): NumberMember | undefined {
    return parametersOf(this.actions.text()).find(({ name }) => name === this.name);
  }

  private follow(): void {
    const place = this.place();
    if (!place) return;
    this.held = true;
    const value = this.valueOfRange();
    this.showValue(value);
    const text = this.actions.text();
    const document = text.slice(0, place.from) + writtenOf(place, value) + text.slice(place.to);
    this.actions.change(this.name, place.unit === undefined ? value : undefined, document);
  }

  private commitValue(value: number): void {
    this.held = false;
    const place = this.place();
    if (!place) return;
    if (Number.isFinite(value) && this.field.value !== "" && value !== place.value)
      this.actions.commit(place, writtenOf(place, value));
    else this.show(place.value);
  }
}

export class ParameterSliders {
  private sliders: Slider[] = [];

  constructor(
    private readonly host: HTMLElement,
    private readonly units: DisplayUnits,
    private readonly actions: SliderActions,
  ) {}

  get spans(): Span[] {
    return this.sliders.map(({ span }) => span);
  }

  /** Shows the parameters of a document, which must be valid JSON. */
  show(text: string): void {
    const parameters = parametersOf(text);
    const had = this.sliders.map(({ name, ownUnit }) => [name, ownUnit]);
    if (JSON.stringify(parameters.map(({ name, unit }) => [name, unit])) !== JSON.stringify(had)) {
      this.sliders = parameters.map(({ name, unit }) => new Slider(name, unit, this.actions, this.units));
      this.host.replaceChildren(...this.sliders.map(({ row }) => row));
    }
    parameters.forEach(({ value }, i) => this.sliders[i]?.show(value));
  }
}
