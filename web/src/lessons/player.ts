// Shows a lesson as a card below the drawing, step by step, and detects when the task of a step is done.
import { byId, h } from "../app/dom";
import { lessonTexts } from "../app/texts";
import { elementsOf } from "../document/elements";
import type { Fields } from "../document/fields";
import { onMechanismEvent, type MechanismEvent, type MechanismState } from "../interaction/mechanism_events";
import { select } from "../interaction/selection";
import type { Outcome } from "../results/run";
import { isDone } from "./conditions";
import { fill } from "./facts";
import type { Lesson, Step } from "./lesson";
import { LESSONS, lessonFragment, type Entry } from "./list";
import { Observer } from "./observer";
import { keepProgress, stepsDone } from "./progress";

/** Actions of a lesson on the page. */
export interface LessonHost {
  /** Opens an example by its name, or a document by its text. Resolves with the text. */
  open(mechanism: { example: string } | { text: string }): Promise<string>;
  /** Shows the mechanism that can be dragged instead of a result. */
  moveByHand(): void;
  /** Called when the lesson has been closed. */
  ended(): void;
  /** Returns the validation report of the document. */
  validation(): Promise<Fields>;
}

/** Converts a text in which `code` is marked with backquotes. */
function prose(text: string): (Node | string)[] {
  return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

function button(text: string, press: () => void, className = ""): HTMLButtonElement {
  const made = h("button", { type: "button", className }, text);
  made.addEventListener("click", press);
  return made;
}

export class LessonPlayer {
  private readonly title = h("h2", { id: "lesson-title", tabIndex: -1 });
  private readonly question = h("div", { className: "lesson-question" });
  private readonly response = h("div", { className: "lesson-response" });
  private readonly back = button(lessonTexts.back, () => this.go(this.step - 1));
  private readonly next = button(lessonTexts.next, () => this.go(this.step + 1));
  private readonly card = h("section", { id: "lesson", className: "lesson" });
  private entry: Entry | undefined;
  private lesson: Lesson | undefined;
  private step = 0;
  private observer = new Observer();
  /** Conditions of the step that are not yet fulfilled. */
  private open: Step["done"] = [];
  private mechanism: MechanismState | undefined;
  private outcome: Outcome | undefined;
  private unsubscribe: (() => void) | undefined;

  constructor(private readonly host: LessonHost) {
    this.card.setAttribute("aria-labelledby", this.title.id);
    this.response.setAttribute("role", "status");
    const close = button("×", () => this.end());
    close.ariaLabel = lessonTexts.end;
    const reset = button(lessonTexts.restart, () => void (this.lesson && this.openMechanism(this.lesson)));
    reset.title = lessonTexts.restartTitle;
    const heading = h("div", { className: "heading" }, this.title, close);
    const texts = h("div", { className: "lesson-texts", tabIndex: 0, role: "group", ariaLabel: lessonTexts.card });
    texts.append(this.question, this.response);
    const tools = h("div", { className: "tools" }, reset, h("span", { className: "grow" }), this.back, this.next);
    this.card.append(heading, texts, tools);
    this.card.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.end();
    });
  }

  /** Opens a lesson at the first step that is not done, or at its start if all are done. */
  async start(entry: Entry): Promise<void> {
    const lesson = await entry.load();
    [this.entry, this.lesson, this.mechanism, this.outcome] = [entry, lesson, undefined, undefined];
    byId("canvas", HTMLCanvasElement).after(this.card);
    byId("result", HTMLElement).classList.add("taught");
    this.unsubscribe ??= onMechanismEvent((event) => void this.see(event));
    const done = stepsDone(entry.id);
    this.go(done < lesson.steps.length ? done : 0);
  }

  /** Removes the lesson from the page; the document stays in the editor. */
  close(): void {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    this.point(undefined);
    this.card.remove();
    byId("result", HTMLElement).classList.remove("taught");
  }

  private end(): void {
    this.close();
    if (location.hash.startsWith(lessonFragment(""))) history.replaceState(null, "", location.pathname);
    this.host.ended();
    byId("canvas", HTMLCanvasElement).focus();
  }

  /** Opens the mechanism of the lesson. Resolves when it is assembled. */
  private async openMechanism({ mechanism }: Lesson): Promise<void> {
    const text = await this.host.open(
      "example" in mechanism ? mechanism : { text: JSON.stringify(mechanism.document, undefined, 2) },
    );
    await new Promise<void>((resolve) => {
      const unsubscribe = onMechanismEvent((event) => {
        if (event.what !== "opened" || event.mechanism.document !== text) return;
        unsubscribe();
        resolve();
      });
    });
  }

  /** Shows a step, or after the last one a suggestion. */
  private go(to: number): void {
    const { lesson } = this;
    if (!lesson) return;
    this.step = to;
    const { steps } = lesson;
    const step = steps[to];
    this.title.textContent = `${lesson.title} · ${step ? lessonTexts.progress(to + 1, steps.length) : lessonTexts.ended}`;
    this.back.disabled = to === 0;
    this.next.hidden = !step;
    this.next.className = "";
    this.response.replaceChildren();
    this.open = [];
    if (step) void this.begin(lesson, step);
    else this.conclude(lesson);
    this.title.focus({ preventScroll: true });
    this.card.scrollIntoView({ block: "nearest" });
  }

  private async begin(lesson: Lesson, step: Step): Promise<void> {
    this.question.replaceChildren(
      h("p", { className: "question" }, ...prose(step.question)),
      h("p", { className: "task" }, ...prose(step.task)),
    );
    this.point(step.control);
    this.card.ariaBusy = "true";
    this.host.moveByHand();
    this.switchOff(step);
    if (step.reset || !this.mechanism) await this.openMechanism(lesson);
    if (lesson.steps[this.step] !== step || this.lesson !== lesson) return;
    this.observer = new Observer();
    if (this.mechanism) this.observer.see({ what: "read", mechanism: this.mechanism });
    this.open = [...step.done];
    this.ring(step);
    this.card.ariaBusy = "false";
  }

  /** Switches off the options that the task of the step is to switch on. */
  private switchOff({ control = "" }: Step): void {
    for (const toggle of document.querySelectorAll<HTMLButtonElement>("[data-toggle][aria-pressed='true']"))
      if (control !== "" && toggle.matches(control)) toggle.click();
  }

  private ring({ ring }: Step): void {
    const elements = elementsOf(this.mechanism?.document ?? "") ?? [];
    select(elements.find(({ kind, name }) => kind === ring?.kind && name === ring.name));
  }

  /** Marks the controls of the page that the step needs. */
  private point(selector: string | undefined): void {
    for (const marked of document.querySelectorAll(".to-use")) marked.classList.remove("to-use");
    for (const control of selector ? document.querySelectorAll(selector) : []) control.classList.add("to-use");
  }

  private async see(event: MechanismEvent): Promise<void> {
    if ("mechanism" in event) this.mechanism = event.mechanism;
    if (event.what === "ran") this.outcome = event.outcome;
    const { observer, open } = this;
    observer.see(event);
    for (const condition of [...open]) {
      if (!(await isDone(condition, event, observer)) || open !== this.open || !open.includes(condition)) continue;
      open.splice(open.indexOf(condition), 1);
      if (open.length === 0) await this.finish(event);
    }
  }

  private async finish(last: MechanismEvent): Promise<void> {
    const { lesson, entry, step: number, observer: seen, outcome } = this;
    const step = lesson?.steps[number];
    if (!step || !entry) return;
    keepProgress(entry.id, number + 1);
    const found = await fill(step.seen, { seen, last, outcome, validation: () => this.host.validation() });
    if (this.lesson !== lesson || this.step !== number) return;
    const link = h("a", { href: `docs/${step.link.page}`, target: "_blank", rel: "noopener" }, step.link.text);
    this.response.replaceChildren(
      h("p", {}, h("strong", { className: "good" }, lessonTexts.done), ...prose(found)),
      h("p", {}, ...prose(step.theory), " ", link),
    );
    this.point(undefined);
    this.next.className = "primary";
  }

  /** Shows the end of the lesson: a suggestion, and the next lesson. */
  private conclude(lesson: Lesson): void {
    this.point(undefined);
    this.question.replaceChildren(h("p", { className: "question" }, lessonTexts.tryNext), h("p", {}, ...prose(lesson.next)));
    const following = LESSONS[LESSONS.findIndex((entry) => entry === this.entry) + 1];
    if (!following) return;
    const link = h("a", { href: lessonFragment(following.id) }, lessonTexts.following(following.title));
    this.response.replaceChildren(h("p", {}, link), h("p", {}, following.about));
  }
}
