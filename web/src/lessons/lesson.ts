// What a lesson consists of: data alone, which the player (player.ts) shows.
import type { Kind } from "../interaction/selection";

/** What is done when a step is done. */
export type Condition =
  /** By hand a body was turned so far from where the step began. */
  | { is: "turned"; body: string; degrees: number }
  /** By hand two bodies were brought onto one line. */
  | { is: "aligned"; bodies: [string, string]; degrees: number }
  /** The mechanism has moved on by itself for so long since the step began. */
  | { is: "played"; seconds: number }
  /** It moves on by itself through an angle of a body, with the forces shown. */
  | { is: "passed"; body: string; angle: number; degrees: number }
  /** The drawing shows what is read of the solver for it. */
  | { is: "shown"; reading: "instantCentres" | "reactions" }
  | { is: "selected"; kind: Kind; name: string }
  | { is: "parameter"; within: Within }
  | { is: "redundant"; most: number }
  | { is: "failed" }
  | { is: "checked" }
  /** A run of a document with a parameter within bounds has succeeded, with a sensor never below a value. */
  | { is: "ran"; parameter?: Within; least?: { sensor: string; above: number } };

/** A parameter, and what it is at least and at most. */
export interface Within {
  name: string;
  least?: number;
  most?: number;
}

/** Texts may have `code`, and facts of the mechanism as {freedoms} or {angle:crank} (facts.ts). */
export interface Step {
  question: string;
  /** What is to be done. */
  task: string;
  /** All of it is done, in any order. */
  done: Condition[];
  /** What was seen then. */
  seen: string;
  theory: string;
  /** A page of the manual. */
  link: { text: string; page: string };
  /** It begins with the document of the lesson, as that has it. */
  reset?: boolean;
  /** The element that is marked in the drawing. */
  ring?: { kind: Kind; name: string };
  /** What of the page's controls is marked, as a selector. */
  control?: string;
}

export interface Lesson {
  title: string;
  /** The example that it is about, or the document itself. */
  mechanism: { example: string } | { document: object };
  steps: Step[];
  /** What to try next. */
  next: string;
}
