// The rows of the form that makes a study: of parameters that vary, and of outputs.
import { h } from "../dom";
import type { Span } from "../sliders";
import { choiceField, offer, textField, type Labelled } from "./fields";
import { isCounted, type Output, type Varied } from "./request";

const COUNT = "5";

export class VariedRow {
  readonly element: HTMLElement;
  private readonly check = h("input", { type: "checkbox" });
  private readonly from: Labelled<HTMLInputElement>;
  private readonly to: Labelled<HTMLInputElement>;
  private readonly count = textField("count", COUNT);
  private readonly spread = choiceField("spread", ["linear", "log"], "linear");
  private readonly fields: HTMLElement;
  private readonly title: HTMLElement;
  /** What the slider had when the ends were taken from it. */
  private taken: Span;

  constructor(span: Span) {
    this.taken = span;
    [this.from, this.to] = [textField("from", String(span.low)), textField("to", String(span.high))];
    const parts = [this.from, this.to, this.count, this.spread].map(({ label }) => label);
    this.fields = h("div", { className: "study-fields", hidden: true }, ...parts);
    this.title = h("code");
    this.check.addEventListener("change", () => (this.fields.hidden = !this.check.checked));
    this.element = h("fieldset", {}, h("label", { className: "study-vary" }, this.check, this.title), this.fields);
    this.element.setAttribute("aria-label", `${span.name} varies`);
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

  /** The slider's range is another one, or in another unit: so are ends that were not changed. */
  take(span: Span): void {
    const { taken } = this;
    this.title.textContent = span.word ? `${span.name} [${span.word}]` : span.name;
    const untouched = this.from.control.value === String(taken.low) && this.to.control.value === String(taken.high);
    if (untouched || span.word !== taken.word) {
      this.from.control.value = String(span.low);
      this.to.control.value = String(span.high);
    }
    this.taken = span;
  }

  /** Which fields there are follows from the design. */
  suit(design: string): void {
    const counted = isCounted(design);
    this.count.label.hidden = !counted;
    offer(this.spread, counted ? ["linear", "log"] : ["uniform", "normal"]);
    const words = this.spread.control.value === "normal" ? ["mean", "sd"] : ["from", "to"];
    [this.from, this.to].forEach(({ label }, i) => label.firstElementChild?.replaceChildren(words[i] ?? ""));
  }

  get asked(): Varied {
    const { from, to, count, spread } = this;
    const [first, last] = [from.control.value, to.control.value];
    const { name, factor } = this.taken;
    return { name, from: first, to: last, count: count.control.value, spread: spread.control.value, factor };
  }

  /** Where a mistake of a member is told, as ["uniform", "1"]. */
  place([field, item]: string[]): HTMLElement {
    const named: Record<string, HTMLElement> = { from: this.from.label, to: this.to.label, count: this.count.label };
    if (item === "1") return this.to.label;
    if (field === "uniform" || field === "normal") return this.from.label;
    return named[field ?? ""] ?? this.fields;
  }
}

/** What is offered for an output. */
export interface Offered {
  takes: string[];
  directions: string[];
  /** The id of a list of sensors. */
  list: string;
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
  private named = false;

  constructor([of, take]: readonly [string, string], { takes, directions, list }: Offered, onRemove: () => void) {
    this.of = textField("of", of);
    this.take = choiceField("take", takes, take);
    this.name = textField("name", "");
    this.direction = choiceField("direction", directions, "either");
    for (const { control } of [this.of, this.when]) control.setAttribute("list", list);
    const remove = h("button", { type: "button" }, "Remove");
    remove.setAttribute("aria-label", "Remove this output");
    remove.addEventListener("click", onRemove);
    const all = [this.of, this.take, this.instant, this.at, this.when, this.direction, this.count, this.name];
    this.element = h("fieldset", {}, h("div", { className: "study-fields" }, ...all.map(({ label }) => label), remove));
    this.element.setAttribute("aria-label", "Output");
    this.name.control.addEventListener("input", () => (this.named = this.name.control.value !== ""));
    this.element.addEventListener("input", () => this.suit());
    this.suit();
  }

  /** Which fields there are follows from what is taken; a name that nobody gave follows, too. */
  private suit(): void {
    const at = this.take.control.value === "at";
    const zero = at && this.instant.control.value !== "time";
    this.instant.label.hidden = !at;
    this.at.label.hidden = !at || zero;
    for (const { label } of [this.when, this.direction, this.count]) label.hidden = !zero;
    const take = this.take.control.value.replaceAll("_", " ");
    if (!this.named) this.name.control.value = `${this.of.control.value} ${take}`.trim();
  }

  get asked(): Output {
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

  /** Where a mistake of a member is told. */
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
