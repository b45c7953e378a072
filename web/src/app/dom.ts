// Helpers that create and find elements. Strings become text nodes, never markup.

/** Creates an element with properties and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Creates a box for a table that may be wider than the page. The keyboard can scroll it. */
export function scrollBox(table: HTMLTableElement): HTMLElement {
  return h("div", { className: "scroll", tabIndex: 0 }, table);
}

/** Returns the element of index.html with this id. Throws if it does not have the expected type. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`index.html has no ${type.name} with the id ${id}`);
  return element;
}

/** Cache of CSS colours: reading them from the browser is slow. */
const colours = new Map<string, string>();

/** Returns the value of a CSS custom property of the page, for drawing on a canvas. */
export function cssColour(name: string): string {
  const known = colours.get(name);
  if (known !== undefined) return known;
  const colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  colours.set(name, colour);
  return colour;
}

/** Returns colour number `index` of the page's palette, which repeats. */
export function paletteColour(index: number): string {
  return cssColour(`--series-${index % 8}`);
}

/** Calls `changed` when the system changes between the light and the dark colour scheme, until `until` is aborted. */
export function onColourScheme(changed: () => void, until?: AbortSignal): void {
  const listener = (): void => {
    colours.clear();
    changed();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener, { signal: until });
}
