// The table below the plots: each curve with its value at the cursor, and its minimum and maximum in the visible range.
import { byId, h, paletteColour } from "../app/dom";
import { formatNumber } from "../app/format";
import { plotTexts } from "../app/texts";
import type { Range } from "./decimate";

/** One curve of the table. */
export interface Reading {
  title: string;
  unit: string;
  /** Index of its colour in the palette. */
  colour: number;
  remove: () => void;
}

/** The values of a curve at the cursor; undefined if there are none. */
export interface ReadingValues {
  now: number | undefined;
  /** The value of the pinned run. */
  pinned: number | undefined;
}

interface Row {
  unit: string;
  /** The largest magnitude of the curve in the visible range; 0 if it is not known. */
  largest: number;
  now: HTMLOutputElement;
  pinned: HTMLOutputElement;
  least: HTMLTableCellElement;
  greatest: HTMLTableCellElement;
}

export class ValueTable {
  private readonly table = byId("series", HTMLTableElement);
  private readonly place = quiet();
  private rows: Row[] = [];

  /** Creates the table; `pinned` is the name of the pinned run. */
  show(readings: Reading[], pinned: string | undefined): void {
    this.rows = [];
    this.table.hidden = readings.length === 0;
    const titles = [plotTexts.least, plotTexts.greatest].map((text) => h("th", { scope: "col" }, text));
    const ghost = pinned === undefined ? [] : [h("th", { scope: "col", title: pinned }, plotTexts.pinnedColumn)];
    const last = h("td", {}, h("span", { className: "hidden" }, plotTexts.remove));
    const head = h("tr", {}, h("th", { scope: "col" }, plotTexts.curve), h("th", { scope: "col" }, plotTexts.at, this.place), ...ghost);
    head.append(...titles, last);
    this.table.tHead?.replaceChildren(head);
    this.table.tBodies[0]?.replaceChildren(...readings.map((reading) => this.row(reading, pinned !== undefined)));
  }

  /** Writes the values of all curves at a place of the abscissa. */
  write(place: string, values: ReadingValues[]): void {
    this.place.value = place;
    values.forEach(({ now, pinned }, i) => {
      const row = this.rows[i];
      if (!row) return;
      row.now.value = valueText(now, row);
      row.pinned.value = valueText(pinned, row);
    });
  }

  /** Writes the limits of all curves. */
  writeLimits(limits: (Range | undefined)[]): void {
    limits.forEach((range, i) => {
      const row = this.rows[i];
      if (!row) return;
      row.largest = Math.max(0, ...(range ?? []).map(Math.abs));
      row.least.textContent = valueText(range?.[0], { ...row, unit: "" });
      row.greatest.textContent = valueText(range?.[1], { ...row, unit: "" });
    });
  }

  private row({ title, unit, colour, remove }: Reading, pinned: boolean): HTMLTableRowElement {
    const row = { unit, largest: 0, now: quiet(), pinned: quiet(), least: h("td"), greatest: h("td") };
    this.rows.push(row);
    const swatch = h("span", { className: "swatch" });
    swatch.style.backgroundColor = paletteColour(colour);
    const button = h("button", { type: "button", ariaLabel: plotTexts.removeOf(title) }, "×");
    button.addEventListener("click", remove);
    const name = h("th", { scope: "row" }, swatch, title);
    const ghost = pinned ? [h("td", {}, row.pinned)] : [];
    return h("tr", {}, name, h("td", {}, row.now), ...ghost, row.least, row.greatest, h("td", {}, button));
  }
}

/** Creates an output that screen readers do not announce, because it changes in every frame. */
function quiet(): HTMLOutputElement {
  return h("output", { ariaLive: "off" });
}

/** Values below this fraction of the largest value of a curve are rounding errors. */
const NOISE = 1e-12;

/** Formats a value of a curve; a rounding error is 0. */
function valueText(value: number | undefined, { unit, largest }: Row): string {
  if (value === undefined) return "";
  const text = formatNumber(Math.abs(value) < NOISE * largest ? 0 : value, 5);
  return unit ? `${text} ${unit}` : text;
}
