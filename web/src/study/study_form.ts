// The form that creates a study of the model in the editor: the varied parameters, by default over the intervals of
// their sliders, the outputs of each run, and the number of runs.
import { ApiError, modelSchema, submitJob, type ValidationError, type Problem } from "../app/api";
import { h } from "../app/dom";
import { countOf, errorText } from "../app/format";
import { studyFormTexts } from "../app/texts";
import { asFields, asList, type Fields } from "../document/fields";
import { tokensOf } from "../document/pointer";
import type { Schema } from "../document/schema";
import type { Span } from "../interaction/parameter_sliders";
import { choiceField, clearFieldErrors, showFieldError, textField } from "./fields";
import { studyFromDocument } from "./from_document";
import { DataFields, ObjectiveFields } from "./objective_form";
import { isCounted, requestOf, runsOf, studyOf, type StudyRequest, type Purpose } from "./request";
import { OutputRow, VariedRow, type Offered } from "./rows";

export interface StudyFormActions {
  /** Returns the document in the editor. */
  text(): string;
  /** Returns the intervals of its sliders. */
  spans(): Span[];
  /** Called when the service has accepted the study as a job. */
  submitted(id: string): void;
}

const SENSORS = "study-sensors";
const ZEROS = "study-zeros";
/** Used if the schema is not available. */
const DESIGNS = ["grid", "list", "random", "latin-hypercube", "sobol"];

const PURPOSES: Purpose[] = ["runs", "optimize", "fit"];

/** Names that expressions can use (solver/core/expression/parser.c). */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface Sensor {
  name: string;
  /** The sensor in an expression: its name, or the expression that it measures. */
  written: string;
}

function documentOf(text: string): Fields {
  try {
    return asFields(JSON.parse(text));
  } catch {
    return {};
  }
}

function sensorsOf(document: Fields): Sensor[] {
  return asList(asFields(document.model ?? document).sensors).flatMap((sensor) => {
    const { name, value } = asFields(sensor);
    if (typeof name !== "string") return [];
    return [{ name, written: NAME.test(name) ? name : String(value ?? "") }];
  });
}

export class StudyForm {
  private readonly form = h("form", { className: "study-maker", noValidate: true });
  private readonly purpose = choiceField(studyFormTexts.purpose, PURPOSES, "runs");
  private readonly objective = new ObjectiveFields(() => this.change());
  private readonly data = new DataFields(SENSORS, () => this.change());
  private readonly most = textField(studyFormTexts.most, "");
  private readonly design = choiceField(studyFormTexts.design, DESIGNS, "grid");
  private readonly runs = textField("runs", "100");
  private readonly seed = textField("seed", "1");
  private readonly varied = h("div", { className: "study-rows" });
  private readonly kept = h("div", { className: "study-rows" });
  private readonly sensors = h("datalist", { id: SENSORS });
  private readonly zeros = h("datalist", { id: ZEROS });
  private readonly count = h("output");
  private readonly submit = h("button", { type: "submit", className: "primary" }, studyFormTexts.submit.runs);
  private readonly others = h("ul", { className: "validation-errors" });
  private readonly json = h("code");
  private rows: VariedRow[] = [];
  private outputs: OutputRow[] = [];
  private offered: Offered = { takes: ["final"], directions: ["either"], list: SENSORS, zeros: ZEROS };
  private known: Sensor[] = [];
  /** The document's study with which the form was filled. */
  private filled = "";

  constructor(
    host: HTMLElement,
    private readonly actions: StudyFormActions,
  ) {
    const add = h("button", { type: "button" }, studyFormTexts.addOutput);
    add.addEventListener("click", () => this.addOutput("max").focus());
    const copy = h("button", { type: "button" }, studyFormTexts.copy);
    copy.addEventListener("click", () => void this.copy(copy));
    const heading = (text: string): HTMLElement => h("h4", {}, text);
    const drawn = [this.design.label, this.runs.label, this.seed.label, this.most.label];
    const design = h("div", { className: "study-fields" }, ...drawn);
    this.most.control.placeholder = "500";
    const purpose = h("div", { className: "study-fields" }, this.purpose.label);
    const written = h("details", {}, h("summary", {}, studyFormTexts.json), h("pre", { tabIndex: 0 }, this.json), copy);
    const end = h("div", { className: "tools study-end" }, this.submit, this.count);
    this.form.append(purpose, heading(studyFormTexts.varied), this.varied, design);
    this.form.append(heading(studyFormTexts.kept), this.kept, add, this.objective.element, this.data.element);
    const alert = h("div", {}, this.others);
    alert.setAttribute("role", "alert");
    this.form.append(this.sensors, this.zeros, end, alert, written);
    this.form.addEventListener("input", () => this.change());
    this.purpose.control.addEventListener("change", () => this.beginPurpose());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
    host.append(this.form);
  }

  /** Loads the choices from the schema. Starts with the document's study, else with an output and the first
   * parameter. */
  async begin(): Promise<void> {
    const schema = await modelSchema();
    this.useSchema(schema);
    this.refresh();
    if (this.filled !== "") return;
    const [first] = this.rows;
    if (first) first.on = true;
    this.addOutput("max");
  }

  private useSchema(schema: Schema | undefined): void {
    const words = (name: string, field: string, otherwise: string[]): string[] =>
      schema?.field(name, field)?.enum ?? otherwise;
    const { takes, directions } = this.offered;
    const [all, ways] = [words("output", "take", takes), words("output", "direction", directions)];
    this.offered = { takes: all, directions: ways, list: SENSORS, zeros: ZEROS };
    const designs = words("study", "design", DESIGNS).map((each) => h("option", { value: each }, each));
    this.design.control.replaceChildren(...designs);
  }

  /** Updates the form to the current document and the intervals of its sliders. */
  refresh(): void {
    const document = documentOf(this.actions.text());
    const own = studyFromDocument(document);
    this.showRows(this.actions.spans(), own?.vary.map(({ name }) => name) ?? []);
    this.known = sensorsOf(document);
    const names = [...this.known.map(({ name }) => name), "t"];
    this.sensors.replaceChildren(...names.map((value) => h("option", { value })));
    this.zeros.replaceChildren(...this.known.map(({ name, written }) => h("option", { value: written, label: name })));
    const text = own ? JSON.stringify(own) : "";
    if (own && text !== this.filled) this.fill(own);
    this.filled = text;
    this.change();
  }

  /** Shows a row for each slider, and for each other varied parameter, which the document defines by an expression. */
  private showRows(spans: Span[], names: string[]): void {
    const others = names.filter((name) => !spans.some((span) => span.name === name));
    const all = [...spans, ...others.map((name): Span => ({ name, low: 0, high: 1, word: "", factor: 1 }))];
    this.rows = all.map((span) => this.rows.find(({ name }) => name === span.name) ?? new VariedRow(span));
    this.rows.forEach((row, i) => row.take(all[i] as Span));
    const elements = this.rows.map(({ element }) => element);
    const same = elements.length === this.varied.querySelectorAll(":scope > fieldset").length;
    if (!same || elements.some((element) => element.parentNode !== this.varied)) this.varied.replaceChildren(...elements);
  }

  private fill({ purpose, objective, data, fitMethod, most, vary, design, runs, seed, outputs }: StudyRequest): void {
    this.purpose.control.value = purpose;
    this.objective.fill(objective);
    this.data.fill(data, fitMethod);
    this.most.control.value = most;
    this.design.control.value = design;
    this.runs.control.value = runs || this.runs.control.value;
    this.seed.control.value = seed;
    for (const row of this.rows) {
      const varied = vary.find(({ name }) => name === row.name);
      row.on = varied !== undefined;
      if (varied) row.fill(varied, design);
    }
    this.outputs = [];
    this.kept.replaceChildren();
    for (const output of outputs) this.addOutput(output.take).fill(output);
  }

  private addOutput(take: string): OutputRow {
    const used = this.outputs.map(({ input }) => input.of);
    const sensors = this.known.map(({ name }) => name);
    const of = sensors.find((name) => !used.includes(name)) ?? sensors[0] ?? "";
    const known = this.offered.takes.includes(take) ? take : "final";
    const row: OutputRow = new OutputRow([of, known], this.offered, () => {
      this.outputs = this.outputs.filter((each) => each !== row);
      row.element.remove();
      this.change();
    });
    row.express(this.purpose.control.value !== "runs");
    this.outputs.push(row);
    this.kept.append(row.element);
    this.change();
    return row;
  }

  private get input(): StudyRequest {
    const vary = this.rows.filter(({ on }) => on).map(({ input }) => input);
    const [design, runs, seed] = [this.design, this.runs, this.seed].map(({ control }) => control.value);
    const outputs = this.outputs.map(({ input }) => input);
    const [purpose, most] = [this.purpose.control.value as Purpose, this.most.control.value];
    const search = { purpose, objective: this.objective.input, data: this.data.input, fitMethod: this.data.method, most };
    return { ...search, vary, design: design ?? "", runs: runs ?? "", seed: seed ?? "", outputs };
  }

  private change(): void {
    const design = this.design.control.value;
    this.suitPurpose(this.purpose.control.value as Purpose);
    for (const row of this.rows) row.suit(design, this.purpose.control.value !== "runs");
    for (const output of this.outputs)
      output.explain((name) => this.known.find((each) => each.name === name && each.written !== name)?.written);
    const { input } = this;
    const runs = runsOf(input);
    const none = input.vary.length === 0 ? studyFormTexts.chooseVaried : "–";
    const number = Number.isFinite(runs) ? countOf(runs, "run") : none;
    this.count.textContent = input.purpose === "runs" ? number : "";
    this.json.textContent = JSON.stringify({ study: studyOf(input) }, null, 2);
  }

  /** Prepares the fields of a newly chosen purpose. */
  private beginPurpose(): void {
    const purpose = this.purpose.control.value;
    for (const output of this.outputs) output.express(purpose !== "runs");
    if (purpose === "optimize") this.objective.begin(this.outputs[0]?.input.name ?? "");
    if (purpose === "fit") this.data.begin();
    this.change();
  }

  /** Shows the fields that the purpose needs. */
  private suitPurpose(purpose: Purpose): void {
    const searches = purpose !== "runs";
    this.design.label.hidden = searches;
    this.most.label.hidden = !searches;
    this.runs.label.hidden = this.seed.label.hidden = searches || isCounted(this.design.control.value);
    this.objective.element.hidden = purpose !== "optimize";
    this.data.element.hidden = purpose !== "fit";
    this.submit.textContent = studyFormTexts.submit[purpose];
  }

  private async run(): Promise<void> {
    clearFieldErrors(this.form);
    this.others.replaceChildren();
    this.submit.disabled = true;
    try {
      const job = await submitJob(requestOf(this.actions.text(), studyOf(this.input)));
      this.actions.submitted(job.id);
    } catch (error) {
      this.showProblem(error instanceof ApiError ? error.problem : { title: errorText(error), status: 0 });
    } finally {
      this.submit.disabled = false;
    }
  }

  /** Shows each validation error beside its field; those of the model and all others below. */
  private showProblem(problem: Problem): void {
    const rest = (problem.errors ?? []).filter((validationError) => !this.place(validationError));
    if (!problem.errors) rest.push({ pointer: "", detail: problem.detail ?? problem.title });
    const text = ({ pointer, detail }: ValidationError): string => (pointer ? `${pointer}: ${detail}` : detail);
    const items = rest.map((validationError) => h("li", { className: "bad" }, text(validationError)));
    this.others.replaceChildren(...items);
    const first = this.form.querySelector<HTMLElement>("[aria-invalid]");
    first?.focus();
    (first ?? this.others).scrollIntoView({ block: "nearest" });
  }

  private place(validationError: ValidationError): boolean {
    const [root, list, item, ...rest] = tokensOf(validationError.pointer);
    if (root !== "study") return false;
    const member = item === undefined ? [] : [item, ...rest];
    const seeks: Record<string, () => HTMLElement> = {
      optimize: () => this.objective.place(member),
      fit: () => this.data.place(member),
    };
    if (list !== undefined && seeks[list]) {
      showFieldError(seeks[list](), validationError);
      return true;
    }
    const row = list === "vary" ? this.rows.filter(({ on }) => on)[Number(item)] : this.outputs[Number(item)];
    const [design, runs, seed] = [this.design, this.runs, this.seed].map(({ label }) => label);
    const most = this.most.label;
    const fields: Record<string, HTMLElement | undefined> = { design, runs: most.hidden ? runs : most, seed };
    const lists: Record<string, HTMLElement> = { vary: this.varied, outputs: this.kept };
    const place = (item !== undefined && row?.place(rest)) || fields[list ?? ""] || lists[list ?? ""];
    if (place) showFieldError(place, validationError);
    return place !== undefined;
  }

  private async copy(button: HTMLButtonElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.json.textContent ?? "");
      button.textContent = studyFormTexts.copied;
    } catch {
      // The browser denies access to the clipboard: the text is selected for copying.
      getSelection()?.selectAllChildren(this.json);
    }
  }
}
