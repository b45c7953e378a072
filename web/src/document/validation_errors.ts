// Shows the validation errors of a document: as a list, and as marks in the editor.
import { ApiError, type Problem } from "../app/api";
import { h } from "../app/dom";
import { countOf, errorText } from "../app/format";
import { pageTexts } from "../app/texts";
import type { Editor, Mark } from "./editor";
import { lineOf, placeFinder, placeOfLine } from "./pointer";

type PlacedError = Mark & { pointer: string; help?: string };

/** Returns the errors of a problem in the order of the text. */
function placedErrors(problem: Problem, text: string): PlacedError[] {
  if (problem.errors) {
    const placeOf = placeFinder(text);
    return problem.errors
      .map((validationError) => ({ ...validationError, ...placeOf(validationError.pointer) }))
      .sort((a, b) => a.from - b.from);
  }
  if (problem.line === undefined) return [];
  const place = placeOfLine(text, problem.line, problem.column ?? 1);
  return [{ ...place, pointer: "", detail: problem.detail ?? problem.title }];
}

/** Creates a link to a page of the manual, which opens in another tab. */
export function manualLink(address: string): HTMLAnchorElement {
  const link = h("a", { href: address, target: "_blank", rel: "noopener", className: "help" }, "?");
  link.title = pageTexts.moreInManual;
  link.setAttribute("aria-label", pageTexts.moreInManual);
  return link;
}

function item(mark: PlacedError, text: string, editor: Editor): HTMLLIElement {
  const go = h("button", { type: "button", className: "validation-error" });
  go.append(h("span", { className: "line" }, pageTexts.line(lineOf(text, mark.from))), h("span", {}, mark.detail));
  if (mark.pointer) go.append(h("code", {}, mark.pointer));
  go.addEventListener("click", () => editor.goTo(mark));
  const place = h("li", {}, go);
  if (mark.help !== undefined) place.append(manualLink(mark.help));
  return place;
}

/** Returns the elements that show an error. Marks its ranges in the editor, which must still contain `text`; with
 * `scroll`, scrolls to the first. */
export function showError(error: unknown, text: string, editor: Editor, scroll = true): HTMLElement[] {
  if (!(error instanceof ApiError)) return [h("p", { className: "bad" }, errorText(error))];
  const { problem } = error;
  const marks = placedErrors(problem, text);
  editor.mark(marks, scroll);
  const headline = problem.errors ? countOf(marks.length, "error") : problem.title;
  const elements: HTMLElement[] = [h("p", { className: "bad" }, headline)];
  if (marks.length === 0 && problem.detail) elements.push(h("p", {}, problem.detail));
  const items = marks.map((mark) => item(mark, text, editor));
  if (items.length > 0) elements.push(h("ul", { className: "validation-errors" }, ...items));
  return elements;
}
