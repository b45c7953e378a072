// The fields of the study form, and the service's validation errors beside them.
import type { ValidationError } from "../app/api";
import { h } from "../app/dom";
import { manualLink } from "../document/validation_errors";

export type Control = HTMLInputElement | HTMLSelectElement;

export interface Labelled<C extends Control = Control> {
  control: C;
  label: HTMLLabelElement;
}

export function textField(label: string, value: string): Labelled<HTMLInputElement> {
  const control = h("input", { type: "text", value, spellcheck: false, autocomplete: "off" });
  return { control, label: h("label", {}, h("span", {}, label), control) };
}

export function choiceField(label: string, values: string[], value: string): Labelled<HTMLSelectElement> {
  const control = h("select", {}, ...values.map((each) => h("option", { value: each }, each.replaceAll("_", " "))));
  control.value = value;
  return { control, label: h("label", {}, h("span", {}, label), control) };
}

/** Lists other values; keeps the chosen one if it exists. */
export function offer({ control }: Labelled<HTMLSelectElement>, values: string[]): void {
  if (values.join() === [...control.options].map(({ value }) => value).join()) return;
  const before = control.value;
  control.replaceChildren(...values.map((each) => h("option", { value: each }, each)));
  control.value = values.includes(before) ? before : (values[0] ?? "");
}

let last = 0;

/** Shows a validation error after a control or a row of controls. */
export function showFieldError(place: HTMLElement, { detail, help }: ValidationError): void {
  const message = h("small", { className: "bad field-error", id: `field-error-${++last}` }, detail);
  if (help !== undefined) message.append(" ", manualLink(help));
  place.after(message);
  const control = place instanceof HTMLLabelElement ? place.control : undefined;
  control?.setAttribute("aria-invalid", "true");
  control?.setAttribute("aria-describedby", message.id);
}

export function clearFieldErrors(host: HTMLElement): void {
  for (const message of host.querySelectorAll(".field-error")) message.remove();
  for (const control of host.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.removeAttribute("aria-describedby");
  }
}
