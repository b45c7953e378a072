// The list of jobs, with a search by name and tag. Names and tags can be edited here.
import { changeJob, deleteJob, listJobs, type Job } from "../app/api";
import { byId, h } from "../app/dom";
import { errorText } from "../app/format";
import { jobTexts } from "../app/texts";

const PAGE = 20;
/** Pause in typing after which the list is searched [ms]. */
const SEARCH_DELAY_MS = 250;

/** Returns the address of a job on this page. */
export function jobFragment(id: string): string {
  return `#job=${encodeURIComponent(id)}`;
}

/** Shows the state of a job as a coloured badge in an element; returns the element. */
export function showStatus(element: HTMLElement, status: Job["status"]): HTMLElement {
  return Object.assign(element, { className: `badge ${status}`, textContent: status });
}

function timeText(created: string | undefined): string {
  const date = new Date(created ?? NaN);
  if (Number.isNaN(date.getTime())) return "";
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString() : date.toLocaleString();
}

/** Returns the title of a job: the name that its client gave it, else that of its model. */
export function jobTitle({ name, model_name }: Job): string {
  return name || model_name || jobTexts.nameless;
}

/** Returns the tags of a text, which are separated by commas. */
export function tagsOf(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

export class JobList {
  private readonly body = byId("job-list", HTMLTableSectionElement);
  private readonly more = byId("more-jobs", HTMLButtonElement);
  private readonly query = byId("job-query", HTMLInputElement);
  private readonly tagButton = byId("job-tag", HTMLButtonElement);
  private tag = "";
  private next = "";
  private timer = 0;
  /** Number of requests so far, by which late answers are recognized. */
  private request = 0;

  /** Calls `onDeleted` with the id of a job that the user deleted, and `onRenamed` with a job whose name or tags
   * changed. */
  constructor(
    private readonly onDeleted: (id: string) => void,
    private readonly onRenamed: (job: Job) => void,
  ) {
    byId("job-search", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.refresh();
    });
    this.query.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.refresh(), SEARCH_DELAY_MS);
    });
    this.tagButton.addEventListener("click", () => this.choose(""));
    this.more.addEventListener("click", () => void this.load(this.next));
  }

  async refresh(): Promise<void> {
    await this.load("");
  }

  /** True while the user edits a row, which must not be replaced. */
  private get isEditing(): boolean {
    return this.body.querySelector("form") !== null;
  }

  /** Shows the jobs with a tag; "" shows all jobs. */
  private choose(tag: string): void {
    this.tag = tag;
    this.tagButton.textContent = `${tag} ×`;
    this.tagButton.hidden = tag === "";
    void this.refresh();
  }

  private async load(cursor: string): Promise<void> {
    const request = ++this.request;
    try {
      const page = await listJobs(PAGE, { q: this.query.value.trim(), tag: this.tag }, cursor);
      if (request !== this.request || this.isEditing) return;
      const rows = page.jobs.map((job) => this.row(job));
      if (cursor !== "") this.body.append(...rows);
      else this.replace(rows.length > 0 ? rows : [line(jobTexts.none, "faint")]);
      this.next = page.next ?? "";
      this.more.hidden = this.next === "";
    } catch (error) {
      if (request === this.request) this.body.replaceChildren(line(errorText(error)));
    }
  }

  /** Replaces all rows. The same control of the same job keeps the focus. */
  private replace(rows: HTMLTableRowElement[]): void {
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    const job = focused?.closest("tr")?.dataset.job;
    this.body.replaceChildren(...rows);
    const controls = rows.find(({ dataset }) => dataset.job === job)?.querySelectorAll<HTMLElement>("a, button") ?? [];
    if (focused) [...controls].find(({ textContent }) => textContent === focused.textContent)?.focus();
  }

  private row(job: Job): HTMLTableRowElement {
    const title = jobTitle(job);
    const change = h("button", { type: "button", ariaLabel: jobTexts.renameOf(title) }, jobTexts.rename);
    const remove = h("button", { type: "button", ariaLabel: jobTexts.deleteOf(title) }, jobTexts.delete);
    const facts = [timeText(job.created), ...(job.name && job.model_name ? [job.model_name] : [])];
    const tags = (job.tags ?? []).map((tag) => {
      const button = h("button", { type: "button", className: "tag", title: jobTexts.withTag(tag) }, tag);
      button.addEventListener("click", () => this.choose(tag));
      return button;
    });
    const row = h(
      "tr",
      {},
      h(
        "td",
        {},
        h("a", { href: jobFragment(job.id) }, title),
        h("div", { className: "faint" }, facts.join(" · ")),
        ...(tags.length > 0 ? [h("div", { className: "tools" }, ...tags)] : []),
      ),
      h("td", {}, showStatus(h("span"), job.status), h("div", { className: "group" }, change, remove)),
    );
    row.dataset.job = job.id;
    change.addEventListener("click", () => this.edit(job, row));
    remove.addEventListener("click", () => void this.remove(job.id));
    return row;
  }

  /** Replaces the row of a job by a form for its name and tags. */
  private edit(job: Job, row: HTMLTableRowElement): void {
    const name = h("input", { type: "text", maxLength: 200, value: job.name ?? "", placeholder: job.model_name ?? "" });
    const tags = h("input", { type: "text", value: (job.tags ?? []).join(", "), placeholder: jobTexts.tagsHint });
    const cancel = h("button", { type: "button" }, jobTexts.cancel);
    const error = h("p", { className: "bad" });
    error.setAttribute("role", "alert");
    const form = h(
      "form",
      { className: "job-form" },
      h("label", {}, jobTexts.name, name),
      h("label", {}, jobTexts.tags, tags),
      h("div", { className: "group" }, h("button", { type: "submit", className: "primary" }, jobTexts.save), cancel),
      error,
    );
    const editing = h("tr", {}, h("td", { colSpan: 2 }, form));
    const close = (shown: HTMLTableRowElement): void => {
      editing.replaceWith(shown);
      shown.querySelector<HTMLElement>("button:not(.tag)")?.focus();
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      changeJob(job.id, { name: name.value.trim() || null, tags: tagsOf(tags.value) }).then(
        (changed) => {
          close(this.row(changed));
          this.onRenamed(changed);
        },
        (problem: unknown) => (error.textContent = errorText(problem)),
      );
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close(row);
    });
    cancel.addEventListener("click", () => close(row));
    row.replaceWith(editing);
    name.focus();
  }

  private async remove(id: string): Promise<void> {
    try {
      await deleteJob(id);
      this.onDeleted(id);
      await this.refresh();
    } catch (error) {
      this.body.prepend(line(errorText(error)));
    }
  }
}

/** Creates a row with a text. */
function line(text: string, className = "bad"): HTMLTableRowElement {
  return h("tr", {}, h("td", { colSpan: 2, className }, text));
}
