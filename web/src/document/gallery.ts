// The gallery: examples as cards, with a search by words and a choice by tags. The picture of a card moves while it is
// hovered or focused.
import { exampleText, type Example } from "../app/api";
import { h } from "../app/dom";
import { countOf } from "../app/format";
import { galleryTexts } from "../app/texts";
import { defaultSpeed } from "../drawing/speeds";
import { Thumbnails, type ThumbnailModel } from "../drawing/thumbnails";
import { lessonFragment, LESSONS } from "../lessons/list";
import { stepsDone } from "../lessons/progress";

/** Pictures are drawn when their card is this close to the visible area. */
const NEAR = "200px";

/** A group of tags in the list of tags. */
interface TagGroup {
  title: string;
  of: (example: Example) => string[];
}

const GROUPS: TagGroup[] = [
  { title: galleryTexts.space, of: ({ space }) => (space ? [space] : []) },
  { title: galleryTexts.analysis, of: ({ analysis }) => [analysis?.type ?? "dynamics"] },
  { title: galleryTexts.elements, of: ({ elements }) => elements },
];

/** Returns the tags of an example. */
export function tagsOfExample(example: Example): string[] {
  return GROUPS.flatMap(({ of }) => of(example));
}

/** Returns true if an example has a tag ("": any), and all words of a text in its name, title, description or tags. */
export function isFound(example: Example, text: string, tag: string): boolean {
  const tags = tagsOfExample(example);
  const { name, title = "", description } = example;
  const all = [name, title, description ?? "", ...tags].join(" ").toLowerCase();
  const words = text.toLowerCase().split(/\s+/);
  return (tag === "" || tags.includes(tag)) && words.every((word) => all.includes(word));
}

interface Card {
  example: Example;
  element: HTMLElement;
}

export class Gallery {
  private readonly thumbnails = new Thumbnails();
  private readonly query = h("input", { type: "search", className: "grow", placeholder: galleryTexts.words, ariaLabel: galleryTexts.search });
  private readonly tag: HTMLSelectElement;
  private readonly count = h("p", { className: "faint" });
  private readonly cards: Card[];
  private readonly studies: Card[];

  /** Shows the shipped models and studies in `host`. Calls `onOpen` with the name of the example that the user
   * opens. */
  constructor(
    host: HTMLElement,
    examples: Example[],
    studies: Example[],
    private readonly onOpen: (name: string) => void,
  ) {
    this.tag = tagChoice(examples);
    this.count.setAttribute("role", "status");
    const near = this.watchNearness(host);
    this.cards = examples.map((example) => this.card(example, near));
    this.studies = studies.map((study) => this.card(study, near, false));
    const list = (cards: Card[]): HTMLElement =>
      h("ul", { className: "cards" }, ...cards.map(({ element }) => element));
    const tools = h("div", { className: "tools" }, this.query, this.tag);
    const models = [h("h3", {}, galleryTexts.models), tools, this.count, list(this.cards)];
    host.replaceChildren(...lessonRow(), ...models, h("h3", {}, galleryTexts.studies), list(this.studies));
    this.query.addEventListener("input", () => this.filter());
    this.tag.addEventListener("change", () => this.filter());
    this.filter();
  }

  private filter(): void {
    for (const { example, element } of [...this.cards, ...this.studies])
      element.hidden = !isFound(example, this.query.value.trim(), this.tag.value);
    const found = this.cards.filter(({ element }) => !element.hidden).length;
    this.count.textContent = countOf(found, "model");
  }

  /** Returns a function that draws a picture when its canvas comes close to the visible area of `host` or the page. */
  private watchNearness(host: HTMLElement): (model: ThumbnailModel) => void {
    const models = new Map<Element, ThumbnailModel>();
    const observe = (entries: IntersectionObserverEntry[], observer: IntersectionObserver): void => {
      for (const { isIntersecting, target } of entries) {
        const model = models.get(target);
        if (!isIntersecting || !model) continue;
        observer.unobserve(target);
        this.thumbnails.show(model);
      }
    };
    const scrolls = getComputedStyle(host).overflowY === "auto";
    const observer = new IntersectionObserver(observe, { root: scrolls ? host : null, rootMargin: NEAR });
    return (model) => {
      models.set(model.canvas, model);
      observer.observe(model.canvas);
    };
  }

  /** Creates a card; `described` is true if the manual has a page on the example. */
  private card(example: Example, near: (model: ThumbnailModel) => void, described = true): Card {
    const { name, title, description, analysis } = example;
    const canvas = h("canvas", { ariaHidden: "true" });
    const { t_start: start = 0, t_end: end = 1 } = analysis ?? {};
    const model: ThumbnailModel = { canvas, document: () => exampleText(name), speed: defaultSpeed(end - start) };
    const open = h("button", { type: "button" }, title ?? name);
    open.addEventListener("click", () => this.onOpen(name));
    const tags = tagsOfExample(example).map((tag) => h("li", { className: "tag" }, tag));
    const more = h("a", { href: `docs/models/${name}.html`, ariaLabel: galleryTexts.moreOf(title ?? name) });
    more.textContent = galleryTexts.more;
    const text: HTMLElement[] = [h("h3", {}, open), h("p", {}, description ?? ""), h("ul", { className: "tools" }, ...tags)];
    if (described) text.push(more);
    const element = h("li", { className: "card" }, canvas, ...text);
    this.moveWhileLookedAt(element, model);
    near(model);
    return { example, element };
  }

  private moveWhileLookedAt(element: HTMLElement, model: ThumbnailModel): void {
    const play = (): void => {
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.thumbnails.play(model);
    };
    const stop = (): void => this.thumbnails.stop(model);
    element.addEventListener("pointerenter", play);
    element.addEventListener("pointerleave", stop);
    element.addEventListener("focusin", play);
    element.addEventListener("focusout", stop);
  }
}

/** Lists the lessons, each with the number of completed steps. */
function lessonRow(): HTMLElement[] {
  const items = LESSONS.map(({ id, title, about }) => {
    const done = stepsDone(id);
    const far = done > 0 ? galleryTexts.done(done) : "";
    return h("li", {}, h("a", { href: lessonFragment(id) }, h("strong", {}, title), h("span", {}, about + far)));
  });
  return [h("h3", {}, galleryTexts.lessons), h("ul", { className: "lessons" }, ...items)];
}

function tagChoice(examples: Example[]): HTMLSelectElement {
  const option = (tag: string): HTMLOptionElement => h("option", { value: tag }, tag);
  const groups = GROUPS.map(({ title, of }) => {
    const tags = [...new Set(examples.flatMap(of))].sort();
    return h("optgroup", { label: title }, ...tags.map(option));
  });
  return h("select", { ariaLabel: galleryTexts.tag }, h("option", { value: "" }, galleryTexts.allTags), ...groups);
}
