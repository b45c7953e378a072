// Subscribes to the events of a job. While the event stream is not available (a proxy, a restart of the service, a
// hidden page), change() returns after a time limit, so that the caller polls.
import { openEvents, type Job } from "./api";

/** An event of a stream: its name and its data as JSON. */
interface ServerEvent {
  name: string;
  data: string;
}

/** Yields the events of a text/event-stream body. The service writes each field on one line. */
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

  /** Calls `onProgress` with the progress of the job, and `onRows` when more rows can be read. */
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

  /** Waits for a change of the job's status; at most `milliseconds` if the stream is not open. */
  async change(milliseconds: number): Promise<void> {
    if (!this.changed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (!this.open) setTimeout(resolve, milliseconds);
      });
    }
    this.changed = false;
  }

  /** Closes the stream while the page is hidden, because a browser opens only a few connections to one server. */
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

  /** Dispatches events until the stream ends or is aborted. */
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
      // From now on the caller polls the job.
    }
    if (signal.aborted) return;
    this.open = false;
    this.notify();
  }
}
