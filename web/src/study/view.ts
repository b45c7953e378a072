// The runs of a study in linked diagrams: a selection in one applies to all of them.
import { ApiError } from "../app/api";
import { h, onColourScheme } from "../app/dom";
import { countOf } from "../app/format";
import { Tabs } from "../app/tabs";
import { studyTexts } from "../app/texts";
import type { DisplayUnits } from "../document/display_units";
import { StudySelection } from "./study_selection";
import { ChosenRun, type RunActions } from "./chosen_run";
import { FitPlot } from "./fit_plot";
import { Histogram } from "./histogram";
import type { Objective } from "./objective";
import { Parallel } from "./parallel";
import { Progress } from "./progress";
import { Ranges } from "./ranges";
import { Response } from "./response";
import { StudyRuns } from "./runs";
import { Scatter } from "./scatter";
import { Search, type SearchActions } from "./search";
import type { Found } from "./search_result";

let schemeChanged: () => void = () => undefined;
onColourScheme(() => schemeChanged());

/** Creates a button of a tab list and its panel. */
function tabOf(name: string): [HTMLElement, HTMLElement] {
  const id = `study-${name.toLowerCase()}`;
  const tab = h("button", { type: "button", id: `${id}-tab` }, name);
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", id);
  const panel = h("div", { id });
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tab.id);
  return [tab, panel];
}

/** Returns the names of the diagrams. */
function diagramsOf(objective: Objective | undefined): string[] {
  const ofTrials = objective ? ["Progress", ...(objective.kind === "fit" ? ["Fit"] : [])] : [];
  return [...ofTrials, "Scatter", "Histogram", "Surface"];
}

export class StudyView {
  readonly id: string;
  private readonly runs: StudyRuns;
  private readonly selection: StudySelection;
  private readonly counts = h("p", { className: "study-counts" });
  private readonly all = h("button", { type: "button" }, studyTexts.clear);
  private readonly failed = h("input", { type: "checkbox", checked: true });
  private readonly failedLabel = h("label", { hidden: true }, this.failed, studyTexts.failedRuns);
  private readonly parallel: Parallel;
  private readonly scatter: Scatter;
  /** Undefined if the study is no search. */
  private readonly search: Search | undefined;
  private readonly fitted: FitPlot | undefined;
  private reading: Promise<void> | undefined;
  private more = false;

  /** Shows the study of a job with this document in `host`. */
  constructor(
    host: HTMLElement,
    id: string,
    document: string,
    units: DisplayUnits,
    actions: RunActions & SearchActions,
  ) {
    this.id = id;
    this.runs = new StudyRuns(id, document, units);
    const selection = (this.selection = new StudySelection(this.runs));
    this.counts.setAttribute("role", "status");
    this.all.title = studyTexts.clearTitle;
    this.all.addEventListener("click", () => selection.clear());
    this.failed.addEventListener("change", () => selection.showFailed(this.failed.checked));
    const lines = h("div", { className: "study-lines" });
    const chosen = new ChosenRun(selection, actions);
    const head = h("div", { className: "study-head tools" }, this.counts, this.all, this.failedLabel, chosen.tools);
    const { objective } = this.runs;
    const tabs = h("div", { className: "tabs", id: objective ? `${objective.kind}-tabs` : "study-tabs" });
    tabs.setAttribute("role", "tablist");
    tabs.setAttribute("aria-label", studyTexts.tabs);
    const places = new Map(diagramsOf(objective).map((name) => [name, tabOf(name)]));
    const panels = [...places.values()];
    const panel = (name: string): HTMLElement => places.get(name)?.[1] ?? h("div");
    tabs.append(...panels.map(([tab]) => tab));
    const diagrams = h("div", { className: "study-diagrams" }, tabs, ...panels.map(([, panel]) => panel));
    this.search = objective && new Search(selection, objective, actions);
    const found = this.search ? [this.search.element] : [];
    host.classList.toggle("optimizes", objective?.kind === "optimize");
    host.replaceChildren(h("h3", { className: "hidden" }, studyTexts.title), ...found, head, chosen.element, lines, diagrams);
    new Tabs(tabs);
    this.parallel = new Parallel(lines, selection);
    lines.append(new Ranges(selection).details);
    if (objective) new Progress(panel("Progress"), selection);
    this.fitted = objective?.kind === "fit" ? new FitPlot(panel("Fit"), id, objective) : undefined;
    this.scatter = new Scatter(panel("Scatter"), selection);
    new Histogram(panel("Histogram"), selection);
    new Response(panel("Surface"), selection);
    const walked = ["Progress", "Scatter", "Surface"].map(panel);
    for (const box of [lines, ...walked]) box.addEventListener("keydown", (event) => this.onKey(event, chosen));
    selection.onChange(() => this.updateNote());
    schemeChanged = () => {
      selection.colourBy(selection.colour);
      this.fitted?.redraw();
    };
  }

  /** Reads the new runs; may be called while others are read. */
  grow(): Promise<void> {
    this.more = true;
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  /** Called when the job has ended with this report. */
  async end(found: Found | undefined): Promise<void> {
    await this.grow();
    this.search?.end(found);
    await this.fitted?.end();
  }

  private async read(): Promise<void> {
    while (this.more) {
      this.more = false;
      try {
        if (await this.runs.grow()) this.selection.grown();
      } catch (error) {
        // There are no rows yet, the job was deleted, or the service is offline. Run reports such errors.
        if (!(error instanceof ApiError)) throw error;
      }
    }
  }

  private onKey(event: KeyboardEvent, chosen: ChosenRun): void {
    const directions: Record<string, -1 | 1> = { ArrowLeft: -1, ArrowRight: 1 };
    const direction = directions[event.key];
    const { target } = event;
    if (!direction || (target instanceof HTMLElement && ["INPUT", "SELECT"].includes(target.tagName))) return;
    event.preventDefault();
    chosen.step(direction);
  }

  private updateNote(): void {
    const { runs, selection } = this;
    const failed = runs.status.reduce((sum, status) => sum + +(status > 0), 0);
    const made = runs.status.reduce((sum, status) => sum + +(status >= 0), 0);
    const within = selection.ranges.size > 0 || !selection.withFailed ? `${selection.selected} of ` : "";
    const sample = runs.stride > 1 ? studyTexts.sample(runs.stride) : "";
    const notes = [this.parallel.note, this.scatter.note].filter((note) => note !== "");
    const count = countOf(made, runs.objective ? "trial" : "run");
    const text = `${within}${count}${failed > 0 ? `, ${failed} failed` : ""}${sample}`;
    this.counts.textContent = [text, ...notes].join("; ");
    this.all.disabled = selection.ranges.size === 0;
    this.failedLabel.hidden = failed === 0;
  }
}
