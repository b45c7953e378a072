// The fields of the study form for a search: an objective with constraints, or measured data.
import { h } from "../app/dom";
import { studyFormTexts } from "../app/texts";
import { choiceField, textField, type Labelled } from "./fields";
import type { ObjectiveInput, Measurement } from "./request";

const METHODS = ["auto", "local", "global"];

function removeButton(what: string, onRemove: () => void): HTMLElement {
  const button = h("button", { type: "button" }, studyFormTexts.remove);
  button.setAttribute("aria-label", studyFormTexts.removeOf(what));
  button.addEventListener("click", onRemove);
  return button;
}

/** A list of rows that can be added and removed. */
class Rows<Row extends { element: HTMLElement }> {
  readonly element = h("div", { className: "study-rows" });
  list: Row[] = [];

  constructor(private readonly onChange: () => void) {}

  add(row: Row): void {
    this.list.push(row);
    this.element.append(row.element);
  }

  remove(row: Row): void {
    this.list = this.list.filter((each) => each !== row);
    row.element.remove();
    this.onChange();
  }

  clear(): void {
    this.list = [];
    this.element.replaceChildren();
  }
}

interface ConstraintRow extends Labelled<HTMLInputElement> {
  element: HTMLElement;
}

/** The objective and constraints of an optimization. */
export class ObjectiveFields {
  readonly element: HTMLElement;
  private readonly direction = choiceField("direction", ["minimize", "maximize"], "minimize");
  private readonly objective = textField("objective", "");
  private readonly method = choiceField("method", METHODS, "auto");
  private readonly rows: Rows<ConstraintRow>;

  constructor(private readonly onChange: () => void) {
    this.rows = new Rows(onChange);
    this.objective.control.placeholder = studyFormTexts.expression;
    const add = h("button", { type: "button" }, studyFormTexts.addConstraint);
    add.addEventListener("click", () => this.add("").focus());
    const labels = [this.direction, this.objective, this.method].map(({ label }) => label);
    const fields = h("div", { className: "study-fields" }, ...labels);
    this.element = h("div", { className: "study-rows" }, h("h4", {}, studyFormTexts.goal), fields, this.rows.element, add);
  }

  private add(text: string): HTMLInputElement {
    const field = textField("constraint", text);
    field.control.placeholder = "high - low >= 1";
    const element = h("fieldset", {}, h("div", { className: "study-fields" }, field.label));
    const row: ConstraintRow = { ...field, element };
    element.firstElementChild?.append(removeButton("constraint", () => this.rows.remove(row)));
    element.setAttribute("aria-label", studyFormTexts.constraint);
    this.rows.add(row);
    this.onChange();
    return field.control;
  }

  get input(): ObjectiveInput {
    return {
      direction: this.direction.control.value,
      objective: this.objective.control.value,
      constraints: this.rows.list.map(({ control }) => control.value),
      method: this.method.control.value,
    };
  }

  fill({ direction, objective, constraints, method }: ObjectiveInput): void {
    this.direction.control.value = direction;
    this.objective.control.value = objective;
    this.method.control.value = method;
    this.rows.clear();
    for (const text of constraints) this.add(text);
  }

  /** Sets the objective to an output, if it is empty. */
  begin(output: string): void {
    if (this.objective.control.value === "") this.objective.control.value = output;
  }

  /** Returns the element of a member, for its validation error. Empty constraints are not counted. */
  place([field, item]: string[]): HTMLElement {
    const written = this.rows.list.filter(({ control }) => control.value.trim() !== "");
    if (field === "subject_to") return written[Number(item)]?.label ?? this.rows.element;
    return field === "method" ? this.method.label : this.objective.label;
  }
}

class DataRow {
  readonly element: HTMLElement;
  private readonly of: Labelled<HTMLInputElement>;
  private readonly sigma = textField("sigma", "");
  private readonly rows = h("textarea", { rows: 4, spellcheck: false });
  private readonly rowsLabel: HTMLElement;

  constructor(list: string, onRemove: () => void) {
    this.of = textField("of", "");
    this.of.control.setAttribute("list", list);
    this.sigma.control.placeholder = "unknown";
    this.rows.placeholder = "t, value\n0.1, 2.5";
    this.rowsLabel = h("label", { className: "study-data" }, h("span", {}, studyFormTexts.rows), this.rows);
    const remove = removeButton("quantity", onRemove);
    const fields = h("div", { className: "study-fields" }, this.of.label, this.sigma.label, remove);
    this.element = h("fieldset", {}, fields, this.rowsLabel);
    this.element.setAttribute("aria-label", studyFormTexts.measured);
  }

  get input(): Measurement {
    return { of: this.of.control.value, rows: this.rows.value, sigma: this.sigma.control.value };
  }

  fill({ of, rows, sigma }: Measurement): void {
    this.of.control.value = of;
    this.rows.value = rows;
    this.sigma.control.value = sigma;
  }

  focus(): void {
    this.of.control.focus();
  }

  place([field]: string[]): HTMLElement {
    if (field === "of") return this.of.label;
    return field === "sigma" ? this.sigma.label : this.rowsLabel;
  }
}

/** The measured data of a fit. */
export class DataFields {
  readonly element: HTMLElement;
  private readonly methodField = choiceField("method", METHODS, "auto");
  private readonly rows: Rows<DataRow>;

  constructor(
    private readonly sensors: string,
    private readonly onChange: () => void,
  ) {
    this.rows = new Rows(onChange);
    const add = h("button", { type: "button" }, studyFormTexts.addMeasured);
    add.addEventListener("click", () => this.add().focus());
    const method = h("div", { className: "study-fields" }, this.methodField.label);
    this.element = h("div", { className: "study-rows" }, h("h4", {}, studyFormTexts.data), this.rows.element, add, method);
  }

  private add(): DataRow {
    const row: DataRow = new DataRow(this.sensors, () => this.rows.remove(row));
    this.rows.add(row);
    this.onChange();
    return row;
  }

  /** Adds a quantity if there is none: a fit needs at least one. */
  begin(): void {
    if (this.rows.list.length === 0) this.add();
  }

  get input(): Measurement[] {
    return this.rows.list.map(({ input }) => input);
  }

  get method(): string {
    return this.methodField.control.value;
  }

  fill(data: Measurement[], method: string): void {
    this.methodField.control.value = method;
    this.rows.clear();
    for (const each of data) this.add().fill(each);
  }

  place([list, item, ...rest]: string[]): HTMLElement {
    if (list === "method") return this.methodField.label;
    const row = list === "data" ? this.rows.list[Number(item)] : undefined;
    return row?.place(rest) ?? this.rows.element;
  }
}
