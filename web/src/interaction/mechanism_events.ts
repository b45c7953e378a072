// Events of the mechanism and of the page. Lessons use them to detect what the user has done.
import type { Pose } from "../drawing/pose";
import type { Scene } from "../drawing/scene";
import type { Outcome } from "../results/run";
import type { Readings } from "../solver/solver_readings";
import type { Failure, Opened } from "../solver/solver_session";

/** The state of a document's mechanism. The pose is updated in place when the mechanism moves. */
export interface MechanismState {
  opened: Opened;
  scene: Scene;
  pose: Pose;
  readings: Readings;
  /** Time of the motion [s]. */
  time: number;
  document: string;
}

/** The kind of change: assembled, dragged, advanced in time, or read at an unchanged position. */
export type MechanismChange = "opened" | "pulled" | "played" | "read";

export type MechanismEvent =
  | { what: MechanismChange; mechanism: MechanismState }
  /** The document cannot be assembled. */
  | { what: "failed"; failure: Failure }
  /** Check found no errors in the document. */
  | { what: "checked" }
  /** The selection has changed. */
  | { what: "selected" }
  /** A job has finished and its result is shown. */
  | { what: "ran"; outcome: Outcome };

type Listener = (event: MechanismEvent) => void;

const listeners = new Set<Listener>();

export function emitEvent(event: MechanismEvent): void {
  for (const listener of listeners) listener(event);
}

/** Calls `listener` for all future events; returns a function that unsubscribes it. */
export function onMechanismEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
