// The data of a lesson, which the player (player.ts) shows.
import type { Kind } from "../interaction/selection";

/** A condition that the user must fulfil. */
export type Condition =
  /** A body was rotated by dragging, by this angle since the start of the step. */
  | { is: "turned"; body: string; degrees: number }
  /** Two bodies were dragged onto one line. */
  | { is: "aligned"; bodies: [string, string]; degrees: number }
  /** The mechanism has been playing for this time since the start of the step. */
  | { is: "played"; seconds: number }
  /** The mechanism plays through an angle of a body, with the forces shown. */
  | { is: "passed"; body: string; angle: number; degrees: number }
  /** The drawing shows a quantity that the solver computes. */
  | { is: "shown"; reading: "instantCentres" | "reactions" }
  | { is: "selected"; kind: Kind; name: string }
  | { is: "parameter"; within: Within }
  | { is: "redundant"; most: number }
  | { is: "failed" }
  | { is: "checked" }
  /** A run has succeeded, with a parameter within bounds and a sensor always above a value. */
  | { is: "ran"; parameter?: Within; least?: { sensor: string; above: number } };

/** A parameter with its lower and upper bound. */
export interface Within {
  name: string;
  least?: number;
  most?: number;
}

/** A step. Its texts may contain `code`, and numbers of the mechanism as {freedoms} or {angle:crank} (facts.ts). */
export interface Step {
  question: string;
  /** The instruction. */
  task: string;
  /** Conditions that must all be fulfilled, in any order. */
  done: Condition[];
  /** The observation afterwards. */
  seen: string;
  theory: string;
  /** A page of the manual. */
  link: { text: string; page: string };
  /** True if the step starts with the original document of the lesson. */
  reset?: boolean;
  /** The element that is selected in the drawing. */
  ring?: { kind: Kind; name: string };
  /** A selector of the controls of the page that are marked. */
  control?: string;
}

export interface Lesson {
  title: string;
  /** The example of the lesson, or its document. */
  mechanism: { example: string } | { document: object };
  steps: Step[];
  /** Suggestion after the last step. */
  next: string;
}
