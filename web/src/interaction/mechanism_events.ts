// What happens to the mechanism, told to whoever asks: lessons see by it what was done.
import type { Pose } from "../drawing/pose";
import type { Scene } from "../drawing/scene";
import type { Outcome } from "../results/run";
import type { Readings } from "../solver/solver_readings";
import type { Failure, Opened } from "../solver/solver_session";

/** Where the mechanism of a document stands. The pose is written anew as it moves. */
export interface MechanismState {
  opened: Opened;
  scene: Scene;
  pose: Pose;
  readings: Readings;
  /** Of its motion [s]. */
  time: number;
  document: string;
}

/** It was assembled, pulled by hand, has moved on by itself, or stands where it stood and more of it is known. */
export type MechanismChange = "opened" | "pulled" | "played" | "read";

export type MechanismEvent =
  | { what: MechanismChange; mechanism: MechanismState }
  /** The document does not assemble. */
  | { what: "failed"; failure: Failure }
  /** Its document was checked, and has no mistakes. */
  | { what: "checked" }
  /** Another element is selected, or none. */
  | { what: "selected" }
  /** A job has ended, and its result is shown. */
  | { what: "ran"; outcome: Outcome };

type Listener = (event: MechanismEvent) => void;

const listeners = new Set<Listener>();

export function emitEvent(event: MechanismEvent): void {
  for (const listener of listeners) listener(event);
}

/** Has `listener` called with what happens from now on; returns what ends that. */
export function onMechanismEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
