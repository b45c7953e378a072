// The queue in front of the worker's session: it sends one command at a time, and keeps only the newest waiting
// command.
import type { Solver } from "./solver";
import type { Command, SessionReply } from "./solver_session";

/** Time limit of assembling a document or of moving it [ms]; beyond it the worker counts as hung. */
const LONGEST = 10000;

interface Waiting {
  command: Command;
  resolve(reply: SessionReply | undefined): void;
  reject(error: unknown): void;
}

/** Returns true if a command opens or changes the mechanism. */
function isOpening({ call }: Command): boolean {
  return call === "open" || call === "set";
}

/** Returns true if a command may wait until no other command is running. */
function isAside({ call }: Command): boolean {
  return call === "read" || call === "trace";
}

export class Session {
  private busy = false;
  private next: Waiting | undefined;

  constructor(private readonly solver: Solver) {}

  /** Sends a command as soon as the worker has answered the previous one. Resolves with undefined if a newer command
   * replaced it, if it would move a mechanism that a waiting command opens again, or if it only reads and another
   * command is running. Rejects with a SolverError. */
  send(command: Command): Promise<SessionReply | undefined> {
    return new Promise((resolve, reject) => {
      const skipped = isAside(command) && this.busy;
      const dropped = skipped || (this.next && !isOpening(command) && isOpening(this.next.command));
      if (dropped) return resolve(undefined);
      this.next?.resolve(undefined);
      this.next = { command, resolve, reject };
      if (!this.busy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let waiting = this.next; waiting; waiting = this.next) {
      this.next = undefined;
      const { command, resolve, reject } = waiting;
      await this.solver.within(LONGEST, () => this.solver.session(command)).then(resolve, reject);
    }
    this.busy = false;
  }
}
