// The tree of a document: its bodies, joints, drivers, forces, functions, variables, inputs, states, signals, sampled
// values, events and sensors, one of which can be selected. A list below it adds those that the drawing has no tool for.
import { h } from "../app/dom";
import { words } from "../app/format";
import { additionTexts, settingTexts } from "../app/texts";
import { isAmongSelected, isSelected, KINDS, onSelection, select, selected, SETTINGS, toggleSelected } from "../interaction/selection";
import { modelSchema } from "../app/api";
import { ADDITIONS, spatialAdditions, type Addition } from "./additions";
import { elementsOf, modelIn, settingsOf, titleOf, type Element } from "./elements";

export class Tree {
  private elements: Element[] = [];
  private buttons: HTMLButtonElement[] = [];
  private offered: Addition[] = [];
  private readonly settings = h("div", { className: "tools", role: "group" });
  private readonly additions = h("select", { title: additionTexts.title });

  /** Calls `onShown` with the selected element whenever it or its fields change, and `onAdd` with a chosen
   * addition. */
  constructor(
    private readonly host: HTMLElement,
    private readonly onShown: (element: Element | undefined) => void,
    onAdd: (addition: Addition) => void,
  ) {
    this.additions.setAttribute("aria-label", additionTexts.title);
    this.offer(ADDITIONS);
    this.additions.addEventListener("change", () => {
      const chosen = this.offered[Number(this.additions.value)];
      this.additions.value = "";
      if (chosen) onAdd(chosen);
    });
    this.settings.setAttribute("aria-label", settingTexts.title);
    host.append(this.settings, this.additions);
    host.addEventListener("keydown", (event) => this.onKey(event));
    onSelection(() => this.mark());
  }

  private offer(additions: Addition[]): void {
    if (additions.length === this.offered.length) return;
    this.offered = additions;
    const options = additions.map(({ title }, i) => h("option", { value: String(i) }, title));
    this.additions.replaceChildren(h("option", { value: "" }, additionTexts.add), ...options);
  }

  /** Offers joints, forces and drivers in a document in space, which has no drawing tools. */
  private async offerFor(document: string): Promise<void> {
    const inSpace = modelIn(document)?.model.space === "spatial";
    const schema = inSpace ? await modelSchema() : undefined;
    const [body, ...others] = ADDITIONS as [Addition, ...Addition[]];
    this.offer(schema ? [body, ...spatialAdditions(schema), ...others] : ADDITIONS);
  }

  /** Shows the elements of a document. If the text is not JSON, keeps the previous elements, or shows none for
   * another document (`reset`). */
  show(document: string, reset = false): void {
    const listedElements = elementsOf(document) ?? (reset ? [] : undefined);
    if (!listedElements) return;
    void this.offerFor(document);
    const elements = [...settingsOf(document), ...listedElements];
    const listed = (list: Element[]): string => JSON.stringify(list.map(({ kind, name, type }) => [kind, name, type]));
    const same = listed(elements) === listed(this.elements);
    this.elements = elements;
    if (same) return this.onShown(this.selected);
    this.buttons = elements.map((element) => this.button(element));
    const group = (kind: string): HTMLElement[] => {
      const buttons = this.buttons.filter((_, i) => elements[i]?.kind === kind);
      if (buttons.length === 0) return [];
      const heading = h("h3", {}, `${words(kind)} `, h("span", { className: "faint" }, String(buttons.length)));
      return [heading, h("ul", { className: "elements" }, ...buttons.map((button) => h("li", {}, button)))];
    };
    this.settings.replaceChildren(...this.buttons.slice(0, SETTINGS.length));
    this.host.replaceChildren(this.settings, ...KINDS.flatMap(group), this.additions);
    if (selected() && !this.selected) select(undefined);
    else this.mark();
  }

  get selected(): Element | undefined {
    return this.elements.find(({ kind, index }) => isSelected(kind, index));
  }

  private button(element: Element): HTMLButtonElement {
    const setting = element.kind === "settings" ? SETTINGS[element.index] : undefined;
    const button = h("button", { type: "button" }, titleOf(element));
    if (setting) button.title = settingTexts[setting][1];
    if (element.name && element.type) button.append(" ", h("span", { className: "faint" }, element.type));
    const { kind, index } = element;
    button.addEventListener("click", ({ shiftKey, ctrlKey, metaKey }) => {
      if (shiftKey || ctrlKey || metaKey) toggleSelected({ kind, index });
      else select(isSelected(kind, index) ? undefined : { kind, index });
    });
    return button;
  }

  private mark(): void {
    const chosen = this.selected;
    this.buttons.forEach((button, i) => {
      const element = this.elements[i];
      button.setAttribute("aria-pressed", String(element !== undefined && isAmongSelected(element.kind, element.index)));
      if (element === chosen) button.scrollIntoView({ block: "nearest" });
    });
    this.onShown(chosen);
  }

  /** Moves the focus to the next or previous element with the arrow keys. */
  private onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const now = this.buttons.indexOf(event.target as HTMLButtonElement);
    const next = step === undefined || now < 0 ? undefined : this.buttons[now + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
}
