// The controls of the plots: adding columns, the horizontal axis, zooming, and the pinned run.
import { byId, h } from "../app/dom";
import { plotTexts } from "../app/texts";
import type { Column } from "../results/recording";
import type { Source } from "./plot_source";

/** Maximum number of columns of an array that can be added together. */
const COLUMNS_MOST = 24;

export interface PlotActions {
  add: (columns: Column[]) => void;
  /** Sets the horizontal axis: "time", "frequency", or the curve with this title; `logarithmic` applies to the
   * ordinates. */
  view: (over: string, logarithmic: boolean) => void;
  /** Shows a range `factor` times as long. */
  zoom: (factor: number) => void;
  whole: () => void;
  /** Moves the visible range by this fraction of its length. */
  move: (parts: number) => void;
  /** Moves the time by this fraction of the visible range. */
  step: (part: number) => void;
  pin: () => void;
  /** Saves the plotted rows or curves. */
  saveCsv: () => void;
  savePng: () => void;
  saveSvg: () => void;
}

/** Step of the arrow keys, as a fraction of the visible range. */
const KEY_STEP = 1 / 100;

/** Step of the arrow keys with Shift, which move the visible range. */
const KEY_MOVE = 1 / 10;

export class PlotControls {
  private readonly array = byId("plot-array", HTMLSelectElement);
  private readonly column = byId("plot-column", HTMLSelectElement);
  private readonly over = byId("plot-over", HTMLSelectElement);
  private readonly logarithmic = byId("plot-log", HTMLInputElement);
  private readonly pinButton = byId("plot-pin", HTMLButtonElement);
  private source: Source | undefined;

  constructor(private readonly actions: PlotActions) {
    this.array.addEventListener("change", () => this.listColumns());
    byId("plot-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      actions.add(this.chosen());
    });
    const view = (): void => actions.view(this.over.value, this.logarithmic.checked);
    this.over.addEventListener("change", view);
    this.logarithmic.addEventListener("change", view);
    byId("plot-out", HTMLButtonElement).addEventListener("click", () => actions.zoom(2));
    byId("plot-in", HTMLButtonElement).addEventListener("click", () => actions.zoom(1 / 2));
    byId("plot-reset", HTMLButtonElement).addEventListener("click", actions.whole);
    this.pinButton.addEventListener("click", actions.pin);
    byId("plot-csv", HTMLButtonElement).addEventListener("click", actions.saveCsv);
    byId("plot-png", HTMLButtonElement).addEventListener("click", actions.savePng);
    byId("plot-svg", HTMLButtonElement).addEventListener("click", actions.saveSvg);
    byId("plot", HTMLDivElement).addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Lists the columns of a run. */
  offer(source: Source | undefined): void {
    this.source = source;
    const options = (source?.arrays ?? []).map(({ name, description }) => {
      const [meaning] = (description ?? "").split(":");
      return h("option", { value: name, title: description ?? "" }, meaning ? `${meaning} (${name})` : name);
    });
    this.array.replaceChildren(...options);
    this.listColumns();
  }

  /** Lists the possible horizontal axes and shows the current one. */
  showView(titles: string[], over: string): void {
    const option = (value: string): HTMLOptionElement => h("option", { value }, value);
    this.over.replaceChildren(...["time", "frequency", ...titles].map(option));
    this.over.value = over;
    this.logarithmic.disabled = titles.includes(over);
  }

  /** Enables the pin button if there is a run to pin or unpin. Runs in the browser cannot be pinned. */
  offerPin(there: boolean): void {
    this.pinButton.disabled = !there;
  }

  /** Shows which run is pinned. */
  showPinned(name: string | undefined): void {
    this.pinButton.textContent = name === undefined ? plotTexts.pin : plotTexts.unpin;
    this.pinButton.title = name ?? plotTexts.pinTitle;
  }

  private listColumns(): void {
    const array = this.source?.arrays.find(({ name }) => name === this.array.value);
    const labels = array?.labels ?? [];
    const options = labels.map((label) => h("option", { value: label }, label));
    const all = labels.length > 1 && labels.length <= COLUMNS_MOST;
    this.column.replaceChildren(...options, ...(all ? [h("option", { value: "" }, plotTexts.allColumns(labels.length))] : []));
    this.array.title = array?.description ?? "";
  }

  private chosen(): Column[] {
    const labels = this.column.value ? [this.column.value] : [...this.column.options].map(({ value }) => value);
    return labels.flatMap((label) => this.source?.column(this.array.value, label) ?? []);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? this.actions.move(-KEY_MOVE) : this.actions.step(-KEY_STEP)),
      ArrowRight: () => (event.shiftKey ? this.actions.move(KEY_MOVE) : this.actions.step(KEY_STEP)),
      "+": () => this.actions.zoom(1 / 2),
      "-": () => this.actions.zoom(2),
      "0": this.actions.whole,
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
