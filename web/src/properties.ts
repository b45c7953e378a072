// The fields of the element that is selected, as the document has them.
import { h } from "./dom";
import { titleOf, type Element } from "./elements";
import { words } from "./format";

/** Text as it stands in the document, short enough for a table. */
function fieldText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The elements that show the fields of the selected element; `onEdit` is called when it is to be edited. */
export function propertiesView(element: Element, onEdit: () => void): HTMLElement[] {
  const edit = h("button", { type: "button" }, "Show in JSON");
  edit.addEventListener("click", onEdit);
  const fields = Object.entries(element.fields).filter(([name]) => name !== "name");
  const rows = fields.map(([name, value]) => h("div", {}, h("dt", {}, words(name)), h("dd", {}, fieldText(value))));
  return [h("div", { className: "heading" }, h("h3", {}, titleOf(element)), edit), h("dl", {}, ...rows)];
}
