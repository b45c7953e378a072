// What the service tells of a job as it happens. Where its events do not come through (a proxy in between, a service
// that restarts), and while nobody looks at the page, whoever waits for a change is to ask from time to time.
import { openEvents, type Job } from "./api";

/** An event of a stream: its name, and its data as JSON. */
interface ServerEvent {
  name: string;
  data: string;
}

/** The events of a body in text/event-stream, of which the service writes each field on one line. */
async function* read(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + decoder.decode(value, { stream: true })).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(event)?.[1];
      const name = field("event");
      if (name) yield { name, data: field("data") ?? "" };
    }
  }
}

export class JobEvents {
  private stream = new AbortController();
  private open = false;
  private changed = false;
  private wake: (() => void) | undefined;

  /** `onProgress` is called with how far the job has come, `onRows` when there are more rows to be read. */
  constructor(
    private readonly id: string,
    private readonly onProgress: (progress: NonNullable<Job["progress"]>) => void,
    private readonly onRows: () => void,
  ) {
    document.addEventListener("visibilitychange", this.attend);
    this.attend();
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.attend);
    this.stream.abort();
    this.open = false;
    this.notify();
  }

  /** Waits for a change of the job's status; where nobody would tell, so many milliseconds at most. */
  async change(milliseconds: number): Promise<void> {
    if (!this.changed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (!this.open) setTimeout(resolve, milliseconds);
      });
    }
    this.changed = false;
  }

  /** A browser has few connections to a server: a page that nobody sees leaves them to the others. */
  private readonly attend = (): void => {
    this.stream.abort();
    this.open = false;
    this.stream = new AbortController();
    if (document.hidden) this.notify();
    else void this.follow(this.stream.signal);
  };

  private notify(): void {
    this.changed = true;
    this.wake?.();
  }

  /** Passes on what comes, until the stream ends or is not wanted any more. */
  private async follow(signal: AbortSignal): Promise<void> {
    try {
      const body = await openEvents(this.id, signal);
      this.open = body !== null;
      for await (const { name, data } of body ? read(body) : []) {
        if (name === "progress") this.onProgress(JSON.parse(data) as object);
        else if (name === "rows") this.onRows();
        else this.notify();
      }
    } catch {
      // The job is asked for from now on.
    }
    if (signal.aborted) return;
    this.open = false;
    this.notify();
  }
}
