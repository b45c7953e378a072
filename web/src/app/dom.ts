// Small helpers to make and find elements. Text always goes in as text, never as markup.

/** Makes an element with properties and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A box for a table that may be wider than the page: it scrolls, by the keys, too. */
export function scrollBox(table: HTMLTableElement): HTMLElement {
  return h("div", { className: "scroll", tabIndex: 0 }, table);
}

/** The element of index.html with this id, checked to be of the type expected. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`index.html has no ${type.name} with the id ${id}`);
  return element;
}

/** Those that were asked for, because a browser takes its time to tell them. */
const colours = new Map<string, string>();

/** The value of a CSS custom property of the page, for what is drawn on a canvas. */
export function cssColour(name: string): string {
  const known = colours.get(name);
  if (known !== undefined) return known;
  const colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  colours.set(name, colour);
  return colour;
}

/** The colour number `index` of the page's palette, which repeats. */
export function paletteColour(index: number): string {
  return cssColour(`--series-${index % 8}`);
}

/** Calls back when the user's system changes between light and dark. */
export function onColourScheme(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours.clear();
    changed();
  });
}
