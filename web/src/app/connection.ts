// Whether the service answers: said where it does not, and asked again until it does. The mechanism of the page needs no
// service, so that work goes on meanwhile.
import { serviceTexts } from "./texts";

/** How long to wait before the service is asked again, at first and at most [ms]. */
const WAIT_FIRST = 1000;
const WAIT_MOST = 15000;
/** How often the service is asked while the page is looked at, so that its loss is known before the next run [ms]. */
const WATCH = 10000;
/** How long it is said that the service is back [ms]. */
const RECOVERED_MS = 4000;

export class Connection {
  private offline = false;
  private timer = 0;

  /** Says it in `host`; `ask` tells whether the service answers, `onReturn` is called when it does again. */
  constructor(
    private readonly host: HTMLElement,
    private readonly ping: () => Promise<boolean>,
    private readonly onReturn: () => void,
  ) {
    // The browser knows of its own network only: a service on this machine may answer all the same.
    addEventListener("offline", () => void this.check(WAIT_FIRST));
    addEventListener("online", () => void this.check(WAIT_FIRST));
    const look = (): void => {
      if (document.visibilityState === "visible" && !this.offline) void this.check(WAIT_FIRST);
    };
    setInterval(look, WATCH);
    document.addEventListener("visibilitychange", look);
  }

  /** A request got no answer. */
  lose(): void {
    if (this.offline) return;
    this.offline = true;
    this.host.classList.add("offline");
    this.host.textContent = serviceTexts.offline;
    this.checkLater(WAIT_FIRST);
  }

  private checkLater(wait: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(wait), wait);
  }

  private async check(wait: number): Promise<void> {
    if (!(await this.ping())) {
      this.lose();
      this.checkLater(Math.min(2 * wait, WAIT_MOST));
    } else if (this.offline) {
      this.return();
    }
  }

  private return(): void {
    clearTimeout(this.timer);
    this.offline = false;
    this.host.classList.remove("offline");
    this.host.textContent = serviceTexts.online;
    this.timer = window.setTimeout(() => (this.host.textContent = ""), RECOVERED_MS);
    this.onReturn();
  }
}
