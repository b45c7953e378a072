// Follows an optimization or a fit: draws the mechanism with the best values so far, and at the end shows the result,
// whose values can be written into the document.
import { h } from "../app/dom";
import { searchTexts } from "../app/texts";
import type { StudySelection } from "./study_selection";
import { bestRows, type Objective } from "./objective";
import { searchResultView, type Found } from "./search_result";

export interface SearchActions {
  /** Sets the sliders and the drawing to these values, without changing the document. Returns false if the document
   * is of another model. */
  follow(parameters: Record<string, number>): boolean;
  /** Writes these values into the document, as one change. Returns false if it is of another model. */
  show(parameters: Record<string, number>): boolean;
}

export class Search {
  readonly element = h("div", { className: "study-found" });
  private readonly note = h("div");
  private readonly use = h("button", { type: "button", className: "primary", hidden: true }, searchTexts.use);
  private readonly answer = h("span", { className: "faint" });
  private best = -1;
  private ended = false;

  constructor(
    private readonly selection: StudySelection,
    private readonly objective: Objective,
    private readonly actions: SearchActions,
  ) {
    this.note.setAttribute("role", "status");
    this.answer.setAttribute("role", "status");
    this.element.append(this.note, h("div", { className: "tools" }, this.use, this.answer));
    selection.onChange((change) => {
      if (change === "rows") this.showBest();
    });
  }

  /** Shows the best trial after new trials. */
  private showBest(): void {
    if (this.ended) return;
    const { runs } = this.selection;
    const best = bestRows(runs).at(-1) ?? -1;
    if (best < 0 || best === this.best) return;
    this.best = best;
    const objective = runs.column("objective")?.values[best] as number;
    this.note.textContent = searchTexts.best(runs.number(best), objective);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.follow(runs.values(best));
  }

  private follow(parameters: Record<string, number>): void {
    const seen = this.actions.follow(parameters);
    const text = seen ? searchTexts.drawn : searchTexts.otherDrawn;
    if (this.answer.textContent !== text) this.answer.textContent = text;
  }

  end(found: Found | undefined): void {
    this.ended = true;
    if (!found) return;
    this.note.replaceChildren(...searchResultView(found, this.objective));
    const { best } = found;
    if (!best) return;
    this.follow(best.parameters);
    this.use.hidden = false;
    this.use.onclick = () => {
      const taken = this.actions.show(best.parameters);
      this.answer.textContent = taken ? searchTexts.used : searchTexts.otherUsed;
    };
  }
}
