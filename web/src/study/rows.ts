// The rows of the study form: varied parameters and outputs.
import { h } from "../app/dom";
import { studyFormTexts } from "../app/texts";
import type { Span } from "../interaction/parameter_sliders";
import { choiceField, offer, textField, type Labelled } from "./fields";
import { isCounted, itemsOf, type Output, type Varied } from "./request";

const COUNT = "5";
const COUNTED = ["linear", "log", "values"];
const DRAWN = ["uniform", "normal"];
/** Significant digits of converted numbers, without rounding errors of unit factors. */
const DIGITS = 12;

/** Multiplies the number of a text by a factor; other texts stay. */
function rescaled(text: string, factor: number): string {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? text : String(Number((number * factor).toPrecision(DIGITS)));
}

function rescaledList(list: string, factor: number): string {
  return itemsOf(list).map((each) => rescaled(each, factor)).join(", ");
}

export class VariedRow {
  readonly element: HTMLElement;
  private readonly check = h("input", { type: "checkbox" });
  private readonly from: Labelled<HTMLInputElement>;
  private readonly to: Labelled<HTMLInputElement>;
  private readonly count = textField("count", COUNT);
  private readonly spread = choiceField("spread", COUNTED, "linear");
  private readonly values = textField("values", "");
  private readonly start = textField("start", "");
  private readonly fields: HTMLElement;
  private readonly title: HTMLElement;
  /** The interval of the slider from which the ends were set. */
  private taken: Span;

  constructor(span: Span) {
    this.taken = span;
    [this.from, this.to] = [textField("from", String(span.low)), textField("to", String(span.high))];
    const parts = [this.from, this.to, this.start, this.values, this.count, this.spread].map(({ label }) => label);
    this.values.control.placeholder = "1, 2, 5";
    this.start.control.placeholder = studyFormTexts.fromDocument;
    this.fields = h("div", { className: "study-fields", hidden: true }, ...parts);
    this.title = h("code");
    this.check.addEventListener("change", () => (this.fields.hidden = !this.check.checked));
    this.element = h("fieldset", {}, h("label", { className: "study-vary" }, this.check, this.title), this.fields);
    this.element.setAttribute("aria-label", studyFormTexts.varies(span.name));
    this.take(span);
  }

  get name(): string {
    return this.taken.name;
  }

  get on(): boolean {
    return this.check.checked;
  }

  set on(on: boolean) {
    this.check.checked = on;
    this.fields.hidden = !on;
  }

  /** Adopts the slider's new interval or unit, unless the user has changed the ends. */
  take(span: Span): void {
    const { taken } = this;
    this.title.textContent = span.word ? `${span.name} [${span.word}]` : span.name;
    const untouched = this.from.control.value === String(taken.low) && this.to.control.value === String(taken.high);
    if (untouched || span.word !== taken.word) {
      this.from.control.value = String(span.low);
      this.to.control.value = String(span.high);
    }
    this.values.control.value = rescaledList(this.values.control.value, taken.factor / span.factor);
    this.start.control.value = rescaled(this.start.control.value, taken.factor / span.factor);
    this.taken = span;
  }

  /** Shows the fields that the design needs; `searches`: the fields of a search, which are bounds. */
  suit(design: string, searches: boolean): void {
    this.start.label.hidden = !searches;
    this.spread.label.hidden = searches;
    if (searches) return this.suitBounds();
    const counted = isCounted(design);
    offer(this.spread, counted ? COUNTED : DRAWN);
    const listed = this.spread.control.value === "values";
    this.count.label.hidden = !counted || listed;
    this.values.label.hidden = !listed;
    this.from.label.hidden = this.to.label.hidden = listed;
    const words = this.spread.control.value === "normal" ? ["mean", "sd"] : ["from", "to"];
    [this.from, this.to].forEach(({ label }, i) => label.firstElementChild?.replaceChildren(words[i] ?? ""));
  }

  private suitBounds(): void {
    this.count.label.hidden = this.values.label.hidden = true;
    this.from.label.hidden = this.to.label.hidden = false;
    this.from.label.firstElementChild?.replaceChildren("from");
    this.to.label.firstElementChild?.replaceChildren("to");
  }

  get input(): Varied {
    const all = [this.from, this.to, this.count, this.spread, this.values, this.start];
    const texts = all.map(({ control }) => control.value) as [string, string, string, string, string, string];
    const [from, to, count, spread, values, start] = texts;
    const { name, factor } = this.taken;
    return { name, from, to, count, spread, values, factor, start };
  }

  /** Fills the fields from a study with the same design as the form. */
  fill({ from, to, count, spread, values, factor, start }: Varied, design: string): void {
    const shown = factor / this.taken.factor;
    this.on = true;
    if (values === "") {
      this.from.control.value = rescaled(from, shown);
      this.to.control.value = rescaled(to, shown);
    } else this.values.control.value = rescaledList(values, shown);
    this.start.control.value = rescaled(start, shown);
    this.count.control.value = count || COUNT;
    offer(this.spread, isCounted(design) ? COUNTED : DRAWN);
    this.spread.control.value = spread;
  }

  /** Returns the element of a member, such as ["uniform", "1"], for its validation error. */
  place([field, item]: string[]): HTMLElement {
    const named: Record<string, HTMLElement> = { from: this.from.label, to: this.to.label, count: this.count.label };
    if (field === "values") return this.values.label;
    if (field === "start") return this.start.label;
    if (item === "1") return this.to.label;
    if (field === "bounds") return this.from.label;
    if (field === "uniform" || field === "normal") return this.from.label;
    return named[field ?? ""] ?? this.fields;
  }
}

/** The choices for an output. */
export interface Offered {
  takes: string[];
  directions: string[];
  /** Ids of the list of sensors, and of the list of their names in expressions. */
  list: string;
  zeros: string;
}

export class OutputRow {
  readonly element: HTMLElement;
  private readonly of: Labelled<HTMLInputElement>;
  private readonly take: Labelled<HTMLSelectElement>;
  private readonly name: Labelled<HTMLInputElement>;
  private readonly instant = choiceField("at", ["time", "zero of"], "time");
  private readonly at = textField("time [s]", "0");
  private readonly when = textField("zero of", "");
  private readonly direction: Labelled<HTMLSelectElement>;
  private readonly count = textField("number", "1");
  private readonly hint = h("small", { className: "study-hint", hidden: true });
  private named = false;
  /** True if expressions must be able to use the name. */
  private expressed = false;

  constructor([of, take]: readonly [string, string], { takes, directions, list, zeros }: Offered, onRemove: () => void) {
    this.of = textField("of", of);
    this.take = choiceField("take", takes, take);
    this.name = textField("name", "");
    this.direction = choiceField("direction", directions, "either");
    this.of.control.setAttribute("list", list);
    this.when.control.setAttribute("list", zeros);
    const remove = h("button", { type: "button" }, studyFormTexts.remove);
    remove.setAttribute("aria-label", studyFormTexts.removeOf("output"));
    remove.addEventListener("click", onRemove);
    const all = [this.of, this.take, this.instant, this.at, this.when, this.direction, this.count, this.name];
    this.element = h("fieldset", {}, h("div", { className: "study-fields" }, ...all.map(({ label }) => label), remove));
    this.hint.setAttribute("role", "status");
    this.when.label.after(this.hint);
    this.element.setAttribute("aria-label", studyFormTexts.output);
    this.name.control.addEventListener("input", () => (this.named = this.name.control.value !== ""));
    this.element.addEventListener("input", () => this.suit());
    this.suit();
  }

  /** Shows the fields that the reduction needs, and derives a name unless the user has entered one. */
  private suit(): void {
    const at = this.take.control.value === "at";
    const zero = at && this.instant.control.value !== "time";
    this.instant.label.hidden = !at;
    this.at.label.hidden = !at || zero;
    for (const { label } of [this.when, this.direction, this.count]) label.hidden = !zero;
    const take = this.take.control.value.replaceAll("_", " ");
    const name = `${this.of.control.value} ${take}`.trim();
    if (!this.named) this.name.control.value = this.expressed ? name.replace(/\W+/g, "_") : name;
  }

  /** Sets whether the derived name must be valid in expressions. */
  express(expressed: boolean): void {
    this.expressed = expressed;
    this.suit();
  }

  get input(): Output {
    const zero = this.instant.control.value !== "time";
    return {
      name: this.name.control.value,
      of: this.of.control.value,
      take: this.take.control.value,
      at: this.at.control.value,
      when: zero ? this.when.control.value : undefined,
      direction: this.direction.control.value,
      count: this.count.control.value,
    };
  }

  /** Fills the fields from a study. */
  fill({ name, of, take, at, when, direction, count }: Output): void {
    const set = ({ control }: Labelled, value: string): void => void (control.value = value);
    this.named = name !== "";
    set(this.of, of);
    set(this.take, take);
    set(this.instant, when === undefined ? "time" : "zero of");
    set(this.at, at);
    set(this.when, when ?? "");
    set(this.direction, direction);
    set(this.count, count);
    set(this.name, name);
    this.suit();
  }

  /** Shows below the expression how to write a sensor whose name expressions cannot use. */
  explain(written: (name: string) => string | undefined): void {
    const { value } = this.when.control;
    const text = written(value.trim());
    this.hint.hidden = text === undefined || this.when.label.hidden;
    this.hint.textContent = text === undefined ? "" : studyFormTexts.noName(value.trim(), text);
  }

  /** Returns the element of a member, for its validation error. */
  place([field = ""]: string[]): HTMLElement {
    const { of, take, name, at, when, direction, count } = this;
    const named: Record<string, Labelled> = { of, take, name, at, when, direction, count };
    const label = named[field]?.label;
    return label && !label.hidden ? label : this.take.label;
  }

  focus(): void {
    this.of.control.focus();
  }
}
