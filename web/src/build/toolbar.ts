// A toolbar of buttons, at most one of which is chosen. It is a single stop of the Tab key; the arrow keys move within
// it.
import { h } from "../app/dom";
import { iconOf } from "../app/icons";

export class Toolbar {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[] = [];

  constructor(label: string) {
    this.element = h("div", { className: "tools", role: "toolbar" });
    this.element.setAttribute("aria-label", label);
    this.element.addEventListener("keydown", (event) => this.onKey(event));
  }

  add(text: string, title: string, act: () => void): HTMLButtonElement {
    const icon = iconOf(text);
    const label = icon ? [icon, text] : [text];
    const tip = icon ? `${text}: ${title}` : title;
    const button = h("button", { type: "button", title: tip, tabIndex: this.buttons.length === 0 ? 0 : -1 }, ...label);
    button.addEventListener("click", () => {
      this.stop(button);
      act();
    });
    this.buttons.push(button);
    this.element.append(button);
    return button;
  }

  /** Inserts a button before another one in the order of keys, and before `what` in the page. */
  place(button: HTMLButtonElement, before: HTMLButtonElement, what: HTMLElement): void {
    what.before(button);
    this.buttons.splice(this.buttons.indexOf(button), 1);
    this.buttons.splice(this.buttons.indexOf(before), 0, button);
  }

  /** Makes a button the stop of the Tab key. */
  private stop(chosen: HTMLButtonElement): void {
    for (const button of this.buttons) button.tabIndex = button === chosen ? 0 : -1;
  }

  private onKey(event: KeyboardEvent): void {
    const now = this.buttons.indexOf(event.target as HTMLButtonElement);
    const last = this.buttons.length - 1;
    const keys: Record<string, number> = {
      ArrowRight: now + 1,
      ArrowDown: now + 1,
      ArrowLeft: now - 1,
      ArrowUp: now - 1,
      Home: 0,
      End: last,
    };
    const wanted = keys[event.key];
    if (now < 0 || wanted === undefined) return;
    event.preventDefault();
    const next = this.buttons[(wanted + last + 1) % (last + 1)] as HTMLButtonElement;
    this.stop(next);
    next.focus();
  }
}
