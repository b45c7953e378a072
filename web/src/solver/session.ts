// The session as the page uses it: one command at a time goes to the worker, and of those that wait only the newest.
import { SolverHung, type Solver } from "./solver";
import type { Command, SessionReply } from "./solver_session";

/** A document that takes longer than this to be assembled is not for a page, and what takes longer to move hangs [ms]. */
const LONGEST = 10000;

interface Waiting {
  command: Command;
  resolve(reply: SessionReply | undefined): void;
  reject(error: unknown): void;
}

/** Whether a command makes another mechanism of what is moved. */
function isOpening({ call }: Command): boolean {
  return call === "open" || call === "set";
}

/** Whether a command can wait until nothing else is to be done. */
function isAside({ call }: Command): boolean {
  return call === "read" || call === "trace";
}

export class Session {
  private busy = false;
  private next: Waiting | undefined;

  constructor(private readonly solver: Solver) {}

  /** Does a command as soon as the worker has answered the one before; undefined where a newer one took its place, where
   * it would move what is to be opened anew, or where it only reads and there is something else to be done. Rejected with
   * a SolverError. */
  send(command: Command): Promise<SessionReply | undefined> {
    return new Promise((resolve, reject) => {
      const userDocument = isAside(command) && this.busy;
      const dropped = userDocument || (this.next && !isOpening(command) && isOpening(this.next.command));
      if (dropped) return resolve(undefined);
      this.next?.resolve(undefined);
      this.next = { command, resolve, reject };
      if (!this.busy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let turn = this.next; turn; turn = this.next) {
      this.next = undefined;
      const watch = setTimeout(() => this.solver.stop(new SolverHung()), LONGEST);
      await this.solver.session(turn.command).then(turn.resolve, turn.reject);
      clearTimeout(watch);
    }
    this.busy = false;
  }
}
