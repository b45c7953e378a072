// The form of the selected element, generated from the schema. A change in the form changes only that field in the
// text.
import { modelSchema } from "../app/api";
import { h } from "../app/dom";
import { errorText, formatNumber } from "../app/format";
import { formTexts } from "../app/texts";
import { readCsv } from "./csv_table";
import { holderOf, titleOf, type Element } from "./elements";
import { namesAt } from "./expression_names";
import { Planner, valueAt, type AbsentPlan, type GroupPlan, type Plan, type RowPlan, type ValuePlan } from "./form_plan";
import { jsonLine } from "./json_text";
import { motionNumber, MOTIONS, withMotionNumber } from "./motion_fields";
import { changed, difference, memberChange, tokensOf, valueChange, type Change } from "./pointer";
import { KINDS, SETTINGS } from "../interaction/selection";
import { isExpression, typeText, type Path, type Schema } from "./schema";

/** Actions of the form on the document. */
export interface Form {
  /** Returns the current document. */
  text(): string;
  change(change: Change): void;
  /** Shows the element in the text. */
  goTo(pointer: string): void;
  /** Removes the element from the document. */
  remove(element: Element): void;
  /** Returns a function with which a driver moves a joint from its drawn position; undefined if it is not drawn. */
  motionOf(joint: string): Promise<string | undefined>;
}

/** Converts the text of a field to JSON: a number or list as written, otherwise a string; undefined if empty. */
function jsonOf(text: string): string | undefined {
  const written = text.trim();
  if (written === "") return undefined;
  try {
    JSON.parse(written);
    return written;
  } catch {
    return JSON.stringify(text);
  }
}

/** Converts a value to the text of its field. A string that jsonOf() would read as another type keeps its quotes. */
function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" && jsonOf(value) === JSON.stringify(value) ? value : JSON.stringify(value);
}

type Control = HTMLInputElement | HTMLSelectElement;

function controlOf({ choices, schema: { default: preset }, required }: ValuePlan): Control {
  if (!choices) {
    const placeholder = preset === undefined ? "" : JSON.stringify(preset);
    return h("input", { type: "text", placeholder, required, spellcheck: false, autocomplete: "off" });
  }
  const none = preset === undefined ? "–" : `– (${String(preset)})`;
  const options = choices.map((text) => h("option", { value: text }, text));
  return h("select", { required }, h("option", { value: "" }, none), ...options);
}

/** The list from which a field of an expression completes the name at its end. */
const NAMES = "expression-names";

/** Fields of the model that are elements of the tree. */
const LISTS: string[] = [...KINDS, ...SETTINGS];

/** Fields that the document does not have are in a part that opens if a form has more than MANY fields, or if they are
 * rare. */
const MANY = 12;
const RARE = ["description", "inertia_check", "armature", "cut"];

export class Properties {
  private readonly names = h("datalist", { id: NAMES });
  private element: Element | undefined;
  private schema: Schema | undefined;
  /** The controls, each with a function that shows the value of the document. */
  private controls = new Map<string, { control: Control; show(document: unknown): void }>();
  /** The pointer and the structure for which the form was created; another structure needs a new form. */
  private made = "";
  private readonly title = h("h3");
  /** An error in a CSV file. */
  private readonly note = h("p", { className: "bad", role: "alert" });

  constructor(
    private readonly host: HTMLElement,
    private readonly form: Form,
  ) {}

  /** Shows an element with the fields of its class. Without the schema, shows only the fields that the element has. */
  async show(element: Element | undefined): Promise<void> {
    this.element = element;
    this.schema = element && (await modelSchema());
    if (this.element !== element) return;
    if (!element || !this.schema) return this.clear();
    const document: unknown = JSON.parse(this.form.text());
    const isList = ({ path }: Plan): boolean => LISTS.includes(path.at(-1) ?? "");
    const all = new Planner(this.schema, document).plans(tokensOf(holderOf(element)));
    // The lists of the model are in the tree.
    const plans = element.kind === "settings" && element.index === 0 ? all.filter((plan) => !isList(plan)) : all;
    const made = JSON.stringify([element.pointer, plans]);
    if (made !== this.made) this.make(element, plans);
    this.made = made;
    // The element at this pointer may have changed, or may have another name.
    this.title.textContent = titleOf(element);
    for (const { show } of this.controls.values()) show(document);
  }

  private clear(): void {
    this.made = "";
    this.host.replaceChildren();
  }

  private make(element: Element, plans: Plan[]): void {
    const focused = [...this.controls].find(([, { control }]) => control === document.activeElement)?.[0];
    this.controls.clear();
    const show = this.button(formTexts.show, () => this.form.goTo(element.pointer));
    const remove = this.button(formTexts.delete, () => this.element && this.form.remove(this.element));
    const csv = element.kind === "functions" && element.type === "table" ? [this.csvButton()] : [];
    const buttons = h("span", { className: "group" }, ...csv, show, ...(element.kind === "settings" ? [] : [remove]));
    const heading = h("div", { className: "heading" }, this.title, buttons);
    const isAbsent = (plan: Plan): boolean => plan.is === "absent" || (plan.is === "value" && this.isOptional(plan));
    const isRare = ({ path }: Plan): boolean => plans.length > MANY || RARE.includes(path.at(-1) ?? "");
    const more = plans.filter((plan) => isAbsent(plan) && isRare(plan));
    const rows = plans.filter((plan) => !more.includes(plan)).map((plan) => this.part(plan, 0));
    const rest = h("details", { className: "form" }, h("summary", {}, formTexts.more), ...more.map((plan) => this.part(plan, 0)));
    const form = h("div", { className: "form" }, ...rows, ...(more.length > 0 ? [rest] : []));
    this.host.replaceChildren(heading, this.note, form, this.names);
    this.note.textContent = "";
    if (focused !== undefined) this.controls.get(focused)?.control.focus();
  }

  private isOptional({ path, required }: ValuePlan): boolean {
    const name = path.at(-1) ?? "";
    return !required && name !== "type" && this.element !== undefined && !(name in this.element.fields);
  }

  private button(text: string, act: () => void): HTMLButtonElement {
    const button = h("button", { type: "button" }, text);
    button.addEventListener("click", act);
    return button;
  }

  private part(plan: Plan, depth: number): HTMLElement {
    switch (plan.is) {
      case "value":
        return this.value(plan, depth);
      case "row":
        return this.row(plan, depth);
      case "group":
        return this.group(plan, depth);
      case "absent":
        return this.absent(plan, depth);
    }
  }

  private value(plan: ValuePlan, depth: number): HTMLElement {
    const { label, help, schema } = plan;
    const title = [help, typeText(schema)].filter(Boolean).join("; ");
    const small = depth > 0 || help === "" ? [] : [h("small", {}, help)];
    return h("label", { title }, h("span", {}, label), this.control(plan), ...small);
  }

  private row({ path, label, help, cells, removable }: RowPlan, depth: number): HTMLElement {
    const controls = cells.map((cell) => {
      const control = this.control(cell);
      control.setAttribute("aria-label", cell.label);
      return control;
    });
    const remove = removable && depth > 0 ? [this.remove(path, label)] : [];
    const row = h("div", { className: "field", title: help }, h("span", {}, label));
    row.append(h("span", { className: "cells" }, ...controls, ...remove));
    if (depth === 0) row.append(h("small", {}, help));
    return row;
  }

  private group({ path, label, help, parts, removable, next }: GroupPlan, depth: number): HTMLElement {
    const remove = removable ? [this.remove(path, label)] : [];
    const legend = h("legend", { title: help }, label, ...remove);
    const group = h("fieldset", {}, legend, ...parts.map((part) => this.part(part, depth + 1)));
    if (!next) return group;
    const name = h("input", { type: "text", value: next.name, size: 6 });
    name.setAttribute("aria-label", formTexts.nameIn(label));
    const add = this.button(formTexts.add, () => this.add([...path, next.named ? name.value : next.name]));
    add.setAttribute("aria-label", formTexts.addTo(label));
    group.append(h("span", { className: "cells" }, ...(next.named ? [name] : []), add));
    return group;
  }

  private absent({ path, label, help }: AbsentPlan, depth: number): HTMLElement {
    const add = this.button(formTexts.add, () => this.add(path));
    add.setAttribute("aria-label", formTexts.addTo(label));
    const field = h("div", { className: "field", title: help }, h("span", {}, label), h("span", { className: "cells" }, add));
    if (depth === 0) field.append(h("small", {}, help));
    return field;
  }

  private remove(path: Path, label: string): HTMLButtonElement {
    const button = this.button("×", () => this.set(path, undefined));
    button.className = "remove";
    button.setAttribute("aria-label", formTexts.remove(label));
    return button;
  }

  private add(path: Path): void {
    const planner = this.schema && new Planner(this.schema, JSON.parse(this.form.text()));
    if (planner) this.set(path, jsonLine(planner.template(path)));
  }

  private set(path: Path, value: string | undefined): void {
    const change = valueChange(this.form.text(), path, value);
    if (change) this.form.change(change);
  }

  /** Sets the joint of a driver. A function that the driver tool has written becomes one that suits the joint. */
  private async driveJoint(path: Path, joint: string): Promise<void> {
    const within = [...path.slice(0, -1), "function"];
    const written = String(valueAt(JSON.parse(this.form.text()), within));
    const motion = MOTIONS.some(({ read }) => read(written)) ? await this.form.motionOf(joint) : undefined;
    const before = this.form.text();
    const write = (text: string, at: Path, value: string): string => {
      const change = valueChange(text, at, JSON.stringify(value));
      return change ? changed(text, [change]) : text;
    };
    const moved = write(before, path, joint);
    this.form.change(difference(before, motion === undefined ? moved : write(moved, within, motion)));
  }

  /** Creates the control of a value, which changes the text. */
  private control(plan: ValuePlan): Control {
    const { path, schema, choices, motion } = plan;
    const control = controlOf(plan);
    const valueIn = (document: unknown): unknown => {
      const value = valueAt(document, path);
      return motion === undefined ? value : motionNumber(String(value), motion);
    };
    // A focused field shows all digits.
    const show = (document: unknown): void => {
      const value = valueIn(document);
      const short = typeof value === "number" && control !== window.document.activeElement;
      control.value = short ? formatNumber(value) : textOf(value);
    };
    this.controls.set(`${path.join("/")} ${motion ?? ""}`, { control, show });
    for (const change of ["focus", "blur"]) control.addEventListener(change, () => show(JSON.parse(this.form.text())));
    if (isExpression(schema) && motion === undefined && control instanceof HTMLInputElement)
      this.offerNames(control, path, schema.description);
    control.addEventListener("change", () => {
      const document: unknown = JSON.parse(this.form.text());
      const { value: text } = control;
      if (motion !== undefined) {
        const number = Number(text);
        if (text === "" || !Number.isFinite(number)) return show(document);
        return this.set(path, JSON.stringify(withMotionNumber(String(valueAt(document, path)), motion, number)));
      }
      const isItem = Array.isArray(valueAt(document, path.slice(0, -1)));
      const value = choices && !["true", "false"].includes(text) && text ? JSON.stringify(text) : jsonOf(text);
      if (value === undefined && isItem) return show(document);
      if (path.at(-1) === "joint" && path.at(-3) === "drivers" && text) void this.driveJoint(path, text);
      else this.set(path, value);
    });
    return control;
  }

  /** Returns the button that fills a table from a CSV file. */
  private csvButton(): HTMLElement {
    const file = h("input", { type: "file", className: "hidden", accept: ".csv,.txt,text/csv,text/plain" });
    file.setAttribute("aria-label", formTexts.csvTitle);
    const button = h("button", { type: "button", title: formTexts.csvTitle }, formTexts.csv);
    button.addEventListener("click", () => file.click());
    file.addEventListener("change", () => void this.readTable(file));
    return h("span", {}, button, file);
  }

  private async readTable(file: HTMLInputElement): Promise<void> {
    const [chosen] = file.files ?? [];
    const { element } = this;
    if (!chosen || !element) return;
    // The same file can be chosen again after it was corrected.
    file.value = "";
    try {
      const { x, y } = readCsv(await chosen.text());
      const before = this.form.text();
      const write = (text: string, name: string, value: string | undefined): string => {
        const change = memberChange(text, element.pointer, name, value);
        return change ? changed(text, [change]) : text;
      };
      const written = write(write(before, "x", `[${x.join(", ")}]`), "y", `[${y.join(", ")}]`);
      this.form.change(difference(before, write(written, "z", undefined)));
      this.note.textContent = "";
    } catch (error) {
      this.note.textContent = `${chosen.name}: ${errorText(error)}`;
    }
  }

  /** Completes the name at the end of the expression in a field: each option is the whole text with that name. */
  private offerNames(control: HTMLInputElement, path: Path, description = ""): void {
    const offer = (): void => {
      const { typed, names } = namesAt(control.value, path, JSON.parse(this.form.text()), description);
      const before = control.value.slice(0, control.value.length - typed);
      const options = names.map(({ word, detail, written = word }) => h("option", { value: before + written }, detail));
      this.names.replaceChildren(...options);
    };
    control.setAttribute("list", NAMES);
    control.addEventListener("focus", offer);
    control.addEventListener("input", offer);
  }
}
