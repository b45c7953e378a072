// What the service tells of a job as it happens. Where its events do not come through (a proxy in between, a service
// that restarts), and while nobody looks at the page, whoever waits for a change is to ask from time to time.
import { jobEventsPath, type Job } from "./api";

const CHANGES = ["queued", "started", "done", "removed", "missed"];

export class JobEvents {
  private source: EventSource | undefined;
  private changed = false;
  private wake: (() => void) | undefined;

  /** `onProgress` is called with how far the job has come. */
  constructor(
    private readonly id: string,
    private readonly onProgress: (progress: NonNullable<Job["progress"]>) => void,
  ) {
    document.addEventListener("visibilitychange", this.attend);
    this.attend();
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.attend);
    this.source?.close();
    this.tell();
  }

  /** Waits for a change of the job's status; where nobody would tell, so many milliseconds at most. */
  async change(milliseconds: number): Promise<void> {
    if (!this.changed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (this.source?.readyState !== EventSource.OPEN) setTimeout(resolve, milliseconds);
      });
    }
    this.changed = false;
  }

  /** A browser has few connections to a server: a page that nobody sees leaves them to the others. */
  private readonly attend = (): void => {
    this.source?.close();
    this.source = undefined;
    if (document.hidden) {
      this.tell();
      return;
    }
    const source = new EventSource(jobEventsPath(this.id));
    for (const name of CHANGES) source.addEventListener(name, this.tell);
    source.addEventListener("error", this.tell);
    source.addEventListener("done", () => source.close());
    source.addEventListener("progress", ({ data }) => this.onProgress(JSON.parse(String(data)) as object));
    this.source = source;
  };

  private readonly tell = (): void => {
    this.changed = true;
    this.wake?.();
  };
}
