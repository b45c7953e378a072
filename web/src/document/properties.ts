// The form of the selected element, generated from the schema. A change in the form changes only that field in the
// text.
import { modelSchema } from "../app/api";
import { h } from "../app/dom";
import { errorText, words } from "../app/format";
import { formTexts } from "../app/texts";
import { fieldsIn } from "../build/classes";
import { readCsv } from "./csv_table";
import { holderOf, modelIn, titleOf, type Element } from "./elements";
import { namesAt } from "./expression_names";
import { changed, difference, memberChange, tokensOf, type Change } from "./pointer";
import { isExpression, typeText, type Field, type Schema, type SchemaNode } from "./schema";

/** Actions of the form on the document. */
export interface Form {
  /** Returns the current document. */
  text(): string;
  change(change: Change): void;
  /** Shows the element in the text. */
  goTo(pointer: string): void;
  /** Removes the element from the document. */
  remove(element: Element): void;
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

function choice(values: string[], value: unknown, preset: unknown): HTMLSelectElement {
  const none = preset === undefined ? "–" : `– (${String(preset)})`;
  const options = values.map((text) => h("option", { value: text }, text));
  const select = h("select", {}, h("option", { value: "" }, none), ...options);
  select.value = textOf(value);
  return select;
}

function input(value: unknown, preset: unknown): HTMLInputElement {
  const placeholder = preset === undefined ? "" : JSON.stringify(preset);
  return h("input", { type: "text", value: textOf(value), placeholder, spellcheck: false, autocomplete: "off" });
}

type Control = HTMLInputElement | HTMLSelectElement;

function controlOf({ schema, required }: Field, value: unknown): Control {
  const values = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : undefined);
  const control = values ? choice(values, value, schema.default) : input(value, schema.default);
  control.required = required;
  return control;
}

/** The list from which a field of an expression completes the name at its end. */
const NAMES = "expression-names";

export class Properties {
  private readonly names = h("datalist", { id: NAMES });
  private element: Element | undefined;
  private controls = new Map<string, Control>();
  /** The pointer and fields for which the form was created; other fields need a new form. */
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
    const schema = element && (await modelSchema());
    if (this.element !== element) return;
    if (!element) return this.clear();
    const fields = this.fieldsOf(element, schema);
    const made = JSON.stringify([element.pointer, fields.map(({ name, schema }) => [name, schema])]);
    if (made !== this.made) this.make(element, fields);
    this.made = made;
    // The element at this pointer may have changed, or may have another name.
    this.title.textContent = titleOf(element);
    for (const [name, control] of this.controls) control.value = textOf(element.fields[name]);
  }

  private clear(): void {
    this.made = "";
    this.host.replaceChildren();
  }

  private fieldsOf(element: Element, schema: Schema | undefined): Field[] {
    const { kind, fields } = element;
    const document: unknown = JSON.parse(this.form.text());
    const path = tokensOf(holderOf(element));
    const all = schema?.fields(path, document) ?? [];
    const known = schema ? fieldsIn(modelIn(this.form.text())?.model.space, all, schema, kind, fields) : all;
    const others = Object.keys(fields).filter((name) => !known.some((field) => field.name === name));
    const nodeOf = (name: string): SchemaNode => schema?.at([...path, name], document)[0] ?? {};
    return [...known, ...others.map((name) => ({ name, schema: nodeOf(name), required: false }))];
  }

  private make(element: Element, fields: Field[]): void {
    const show = h("button", { type: "button" }, formTexts.show);
    show.addEventListener("click", () => this.form.goTo(element.pointer));
    const remove = h("button", { type: "button" }, formTexts.delete);
    remove.addEventListener("click", () => this.element && this.form.remove(this.element));
    this.controls.clear();
    const rows = fields.map((field) => this.row(element, field));
    const csv = element.kind === "functions" && element.type === "table" ? [this.csvButton()] : [];
    const buttons = h("span", { className: "group" }, ...csv, show, remove);
    const heading = h("div", { className: "heading" }, this.title, buttons);
    this.host.replaceChildren(heading, this.note, h("div", { className: "form" }, ...rows), this.names);
    this.note.textContent = "";
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
  private offerNames(control: HTMLInputElement, element: Element, { name, schema }: Field): void {
    const offer = (): void => {
      const path = [...tokensOf(holderOf(element)), name];
      const { typed, names } = namesAt(control.value, path, JSON.parse(this.form.text()), schema.description);
      const before = control.value.slice(0, control.value.length - typed);
      const options = names.map(({ word, detail, written = word }) => h("option", { value: before + written }, detail));
      this.names.replaceChildren(...options);
    };
    control.setAttribute("list", NAMES);
    control.addEventListener("focus", offer);
    control.addEventListener("input", offer);
  }

  private row(element: Element, field: Field): HTMLElement {
    const { name, schema } = field;
    const control = controlOf(field, element.fields[name]);
    this.controls.set(name, control);
    if (isExpression(schema) && control instanceof HTMLInputElement) this.offerNames(control, element, field);
    control.addEventListener("change", () => {
      const text = control.value;
      const value = schema.enum && text ? JSON.stringify(text) : jsonOf(text);
      const change = memberChange(this.form.text(), holderOf(element), name, value);
      if (change) this.form.change(change);
    });
    const help = schema.description ?? typeText(schema);
    return h("label", { title: typeText(schema) }, h("span", {}, words(name)), control, h("small", {}, help));
  }
}
