// The buttons that show or hide additions to the drawing. The browser stores which ones are on.
import { byId, h } from "../app/dom";
import { iconOf } from "../app/icons";
import { displayTexts } from "../app/texts";

export type DisplayOption = keyof typeof displayTexts;

const KEY = "mbsd.drawing";
/** Options that no visit starts with: editing points, and the trace, which needs a point of the mechanism. */
const PASSING: DisplayOption[] = ["edit", "trace"];

/** Returns the options that were on at the last visit; empty if the browser stores nothing. */
function remembered(): Set<string> {
  try {
    return new Set((localStorage.getItem(KEY) ?? "").split(" "));
  } catch {
    return new Set();
  }
}

export class DisplayOptions {
  private readonly on = new Set<DisplayOption>();
  private readonly buttons = new Map<DisplayOption, HTMLButtonElement>();

  /** Creates the buttons of the drawing. Calls `onChange` when the user switches one. */
  constructor(private readonly onChange: (toggle: DisplayOption) => void) {
    const before = remembered();
    const names = Object.keys(displayTexts) as DisplayOption[];
    for (const name of names) if (before.has(name) && !PASSING.includes(name)) this.on.add(name);
    byId("drawing-tools", HTMLDivElement).replaceChildren(...names.map((name) => this.button(name)));
  }

  has(toggle: DisplayOption): boolean {
    return this.on.has(toggle);
  }

  /** Sets why an option currently shows nothing in the title of its button; undefined restores the normal title. */
  explain(toggle: DisplayOption, when: string | undefined): void {
    const [, title] = displayTexts[toggle];
    const button = this.buttons.get(toggle);
    if (button) button.title = when === undefined ? title : `${title}; ${when}`;
  }

  /** Shows an addition to the drawing until the next visit. */
  switchOn(name: DisplayOption): void {
    this.on.add(name);
    (this.buttons.get(name) as HTMLButtonElement).ariaPressed = "true";
    this.onChange(name);
  }

  /** Hides an addition to the drawing, because it belongs to another mechanism. */
  switchOff(name: DisplayOption): void {
    this.on.delete(name);
    const button = this.buttons.get(name);
    if (button) button.ariaPressed = "false";
  }

  private button(name: DisplayOption): HTMLButtonElement {
    const [text, title] = displayTexts[name];
    const icon = iconOf(text);
    const label = icon ? [icon, text] : [text];
    const button = h("button", { type: "button", title, ariaPressed: String(this.has(name)) }, ...label);
    button.dataset.toggle = name;
    this.buttons.set(name, button);
    button.addEventListener("click", () => {
      if (!this.on.delete(name)) this.on.add(name);
      button.ariaPressed = String(this.has(name));
      this.remember();
      this.onChange(name);
    });
    return button;
  }

  private remember(): void {
    try {
      localStorage.setItem(KEY, [...this.on].join(" "));
    } catch {
      // Without storage the options last until the page is closed.
    }
  }
}
