// What the drawing shows beside the mechanism, each with a button that is remembered.
import { byId, h } from "../app/dom";
import { displayTexts } from "../app/texts";

export type DisplayOption = keyof typeof displayTexts;

const KEY = "mbsd.drawing";

/** What was on at the last visit, where the browser remembers it. */
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

  /** Fills the tools of the drawing; `onChange` is called when one is switched. */
  constructor(private readonly onChange: (toggle: DisplayOption) => void) {
    const before = remembered();
    const names = Object.keys(displayTexts) as DisplayOption[];
    // Points are edited when the user says so, not at the next visit.
    for (const name of names) if (before.has(name) && name !== "edit") this.on.add(name);
    byId("drawing-tools", HTMLDivElement).replaceChildren(...names.map((name) => this.button(name)));
  }

  has(toggle: DisplayOption): boolean {
    return this.on.has(toggle);
  }

  /** Says in a button's title when there is what it shows; undefined: always. */
  explain(toggle: DisplayOption, when: string | undefined): void {
    const [, title] = displayTexts[toggle];
    const button = this.buttons.get(toggle);
    if (button) button.title = when === undefined ? title : `${title}; ${when}`;
  }

  private button(name: DisplayOption): HTMLButtonElement {
    const [text, title] = displayTexts[name];
    const button = h("button", { type: "button", title, ariaPressed: String(this.has(name)) }, text);
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
      // They are as they are until the page is left.
    }
  }
}
