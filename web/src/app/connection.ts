// Shows "offline" while the service does not respond, and polls until it does. The mechanism on the page needs no
// service and keeps working.
import { serviceTexts } from "./texts";

/** First and longest interval of polling an unreachable service [ms]. */
const WAIT_FIRST = 1000;
const WAIT_MOST = 15000;
/** Interval of polling while the page is visible, so that an outage is known before the next run [ms]. */
const WATCH = 10000;
/** Duration of the message that the service responds again [ms]. */
const RECOVERED_MS = 4000;

export class Connection {
  private offline = false;
  private timer = 0;

  /** Shows the state in `host`. `ping` returns true if the service responds; `onReturn` is called when it responds
   * again. */
  constructor(
    private readonly host: HTMLElement,
    private readonly ping: () => Promise<boolean>,
    private readonly onReturn: () => void,
  ) {
    // The browser only knows its own network: a service on this machine may still respond.
    addEventListener("offline", () => void this.check(WAIT_FIRST));
    addEventListener("online", () => void this.check(WAIT_FIRST));
    const look = (): void => {
      if (document.visibilityState === "visible" && !this.offline) void this.check(WAIT_FIRST);
    };
    setInterval(look, WATCH);
    document.addEventListener("visibilitychange", look);
  }

  /** Handles a request without a response. */
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
