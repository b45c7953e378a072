// The list of recent jobs.
import { deleteJob, listJobs, type Job } from "./api";
import { byId, h } from "./dom";
import { errorText } from "./format";

const PAGE = 10;

/** The address of a job on this page. */
export function jobFragment(id: string): string {
  return `#job=${encodeURIComponent(id)}`;
}

/** Makes an element a coloured word for the state of a job; returns it. */
export function showStatus(element: HTMLElement, status: Job["status"]): HTMLElement {
  return Object.assign(element, { className: `badge ${status}`, textContent: status });
}

function timeText(created: string | undefined): string {
  const date = new Date(created ?? NaN);
  if (Number.isNaN(date.getTime())) return "";
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString() : date.toLocaleString();
}

export class JobList {
  private readonly body = byId("job-list", HTMLTableSectionElement);
  private readonly more = byId("more-jobs", HTMLButtonElement);
  private next: string | undefined;

  /** `onDeleted` is called with the id of a job that the user removed. */
  constructor(private readonly onDeleted: (id: string) => void) {
    byId("refresh-jobs", HTMLButtonElement).addEventListener("click", () => void this.refresh());
    this.more.addEventListener("click", () => void this.load(this.next));
  }

  async refresh(): Promise<void> {
    await this.load(undefined);
  }

  private async load(cursor: string | undefined): Promise<void> {
    try {
      const page = await listJobs(PAGE, cursor);
      const rows = page.jobs.map((job) => this.row(job));
      if (cursor === undefined) this.body.replaceChildren(...rows);
      else this.body.append(...rows);
      this.next = page.next ?? undefined;
      this.more.hidden = !this.next;
    } catch (error) {
      this.body.replaceChildren(h("tr", {}, h("td", {}, errorText(error))));
    }
  }

  private row(job: Job): HTMLTableRowElement {
    const name = job.model_name || "without a name";
    const remove = h("button", { type: "button", ariaLabel: `Delete ${name}` }, "Delete");
    remove.addEventListener("click", () => void this.remove(job.id));
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        h("a", { href: jobFragment(job.id) }, name),
        h("div", { className: "faint time" }, timeText(job.created)),
      ),
      h("td", {}, showStatus(h("span"), job.status)),
      h("td", {}, remove),
    );
  }

  private async remove(id: string): Promise<void> {
    try {
      await deleteJob(id);
      this.onDeleted(id);
      await this.refresh();
    } catch (error) {
      this.body.prepend(h("tr", {}, h("td", { colSpan: 3, className: "bad" }, errorText(error))));
    }
  }
}
