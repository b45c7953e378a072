// Follows one job: its state and progress while it runs, its error, and its outcome.
import { ApiError, cancelJob, getJob, jobDocument, listArrays, type ArrayInfo, type Job } from "../app/api";
import { byId, h } from "../app/dom";
import { errorText, formatNumber, words } from "../app/format";
import { JobEvents } from "../app/job_events";
import { runTexts } from "../app/texts";
import { jobTitle, showStatus } from "./jobs";
import { reportView } from "./report";

const POLL_FIRST_MS = 150;
const POLL_MOST_MS = 1000;
const PAGE_TITLE = document.title;

/** A running job that has rows. */
export interface Running {
  id: string;
  document: string;
}

/** The outcome of a finished job. */
export interface Outcome {
  job: Job;
  document: string;
  arrays: ArrayInfo[];
}

function hasEnded(job: Job): boolean {
  return job.status !== "queued" && job.status !== "running";
}

/** Returns true if a restart of the service may have caused the error, so that another attempt can succeed. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.problem.status === 0 || error.problem.status >= 500);
}

/** Returns the progress of a job, or its run time if it has ended. */
function factsOf({ progress, report }: Job): string {
  const count = (evaluations: unknown): string => runTexts.evaluations(Number(evaluations));
  if (typeof report?.wall_seconds === "number")
    return runTexts.ended(count(report.evaluations), report.wall_seconds);
  // A study stays at its start.
  const time = progress?.t ? `t = ${formatNumber(progress.t, 5)} s` : "";
  const work = progress?.evaluations ? count(progress.evaluations) : "";
  return [time, work].filter(Boolean).join(" · ");
}

export class Run {
  private readonly title = byId("run-title", HTMLHeadingElement);
  private readonly badge = byId("run-badge", HTMLSpanElement);
  private readonly facts = byId("run-facts", HTMLSpanElement);
  private readonly bar = byId("run-progress", HTMLProgressElement);
  private readonly cancelButton = byId("cancel", HTMLButtonElement);
  private readonly error = byId("run-error", HTMLDivElement);
  private readonly report = byId("report", HTMLDivElement);
  /** The id of the shown job. It changes as soon as the user chooses another one. */
  private current = "";
  private document: string | undefined;
  private restTitle = PAGE_TITLE;
  private events: JobEvents | undefined;

  /** Calls `onDocument` with the document of the shown job, or with undefined if the job does not exist; `onEnd`
   * when the job has ended, or at once if it ended before; `onRows` when there are more rows. */
  constructor(
    private readonly onDocument: (document: string | undefined) => void,
    private readonly onEnd: (outcome: Outcome) => Promise<void>,
    private readonly onRows: (running: Running) => void,
  ) {
    this.cancelButton.addEventListener("click", () => void this.cancel());
  }

  get id(): string {
    return this.current;
  }

  /** Shows a job and follows it until it ends. */
  async follow(id: string): Promise<void> {
    this.clear();
    this.current = id;
    void this.loadDocument(id);
    let job: Job | undefined;
    const runs = (): boolean => this.current === id && job !== undefined && !hasEnded(job);
    const events = new JobEvents(
      id,
      (progress) => {
        if (runs()) this.showJob((job = { ...(job as Job), status: "running", progress }));
      },
      () => {
        if (runs()) this.reportRows(id);
      },
    );
    this.events = events;
    for (let wait = POLL_FIRST_MS; this.current === id; wait = Math.min(wait * 1.3, POLL_MOST_MS)) {
      try {
        job = await getJob(id);
        if (this.current !== id) break;
        this.showJob(job);
        if (hasEnded(job)) {
          events.close();
          return await this.finish(job);
        }
      } catch (error) {
        if (this.current !== id) break;
        this.showError({ detail: errorText(error) });
        if (!isPassing(error)) break;
      }
      await events.change(wait);
    }
    events.close();
  }

  /** Shows no job. */
  clear(): void {
    this.current = "";
    this.document = undefined;
    this.events?.close();
    this.title.textContent = runTexts.result;
    this.badge.className = this.badge.textContent = this.facts.textContent = "";
    this.bar.hidden = this.cancelButton.hidden = this.error.hidden = true;
    this.report.replaceChildren();
    document.title = this.restTitle;
  }

  /** Sets the name of the document for the page's title while no job is shown. */
  setTitle(name: string): void {
    this.restTitle = name === "" ? PAGE_TITLE : `${name} – mbsd`;
    if (this.current === "") document.title = this.restTitle;
  }

  /** Shows the new name of a job. */
  rename(job: Job): void {
    if (job.id === this.current) this.title.textContent = jobTitle(job);
  }

  private async loadDocument(id: string): Promise<void> {
    const document = await jobDocument(id).catch(() => undefined);
    if (this.current !== id) return;
    this.document = document;
    this.onDocument(document);
  }

  private reportRows(id: string): void {
    if (this.document !== undefined) this.onRows({ id, document: this.document });
  }

  private async finish(job: Job): Promise<void> {
    const [document, arrays] = await Promise.all([jobDocument(job.id), this.arraysOf(job.id)]);
    if (this.current === job.id) await this.onEnd({ job, document, arrays });
  }

  /** Returns the arrays of a job; empty if it was cancelled before there were any. */
  private async arraysOf(id: string): Promise<ArrayInfo[]> {
    try {
      return await listArrays(id);
    } catch (error) {
      if (error instanceof ApiError && (error.problem.status === 404 || error.problem.status === 409)) return [];
      throw error;
    }
  }

  private showJob(job: Job): void {
    this.title.textContent = jobTitle(job);
    // Setting the text again would make screen readers read it again.
    if (this.badge.textContent !== job.status) showStatus(this.badge, job.status);
    this.facts.textContent = factsOf(job);
    const percent = job.status === "running" ? ` ${Math.floor(100 * (job.progress?.fraction ?? 0))} %` : "";
    document.title = `${job.status}${percent} – ${jobTitle(job)} – mbsd`;
    this.bar.hidden = this.cancelButton.hidden = hasEnded(job);
    this.bar.value = job.progress?.fraction ?? 0;
    this.error.hidden = true;
    if (job.error) this.showError(job.error);
    if (job.report) this.report.replaceChildren(...reportView(job.id, job.report));
  }

  private showError(error: Record<string, unknown>): void {
    const { code, detail, ...rest } = error;
    const facts = Object.entries(rest).flatMap(([name, value]) => {
      if (typeof value === "number") return [`${name} = ${formatNumber(value)}${name === "t" ? " s" : ""}`];
      return typeof value === "string" && value !== "" ? [`${words(name)}: ${value}`] : [];
    });
    this.error.replaceChildren(h("p", { className: "bad" }, typeof code === "string" ? words(code) : runTexts.error));
    if (typeof detail === "string") this.error.append(h("p", {}, detail));
    if (typeof code === "string")
      this.error.append(h("p", {}, h("a", { href: `docs/failures.html#${code}`, target: "_blank" }, runTexts.help)));
    if (facts.length > 0) this.error.append(h("p", { className: "faint" }, facts.join(" · ")));
    this.error.hidden = false;
  }

  private async cancel(): Promise<void> {
    try {
      await cancelJob(this.current);
    } catch (error) {
      this.showError({ detail: errorText(error) });
    }
  }
}
