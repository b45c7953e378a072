// Checks whether a condition of a lesson's step is fulfilled, after each event of the mechanism.
import { readArray } from "../app/api";
import { elementsOf } from "../document/elements";
import type { MechanismEvent } from "../interaction/mechanism_events";
import { isSelected } from "../interaction/selection";
import type { Condition, Within } from "./lesson";
import { parameterOf, wrapped, type Observer } from "./observer";

type Of<K extends Condition["is"]> = Extract<Condition, { is: K }>;

type Deciders = {
  [K in Condition["is"]]: (condition: Of<K>, event: MechanismEvent, seen: Observer) => boolean | Promise<boolean>;
};

function isWithin(document: string | undefined, { name, least = -Infinity, most = Infinity }: Within): boolean {
  const value = document === undefined ? undefined : parameterOf(document, name);
  return value !== undefined && value >= least && value <= most;
}

async function hasRun({ parameter, least }: Of<"ran">, event: MechanismEvent): Promise<boolean> {
  if (event.what !== "ran") return false;
  const { job, document } = event.outcome;
  if (job.status !== "succeeded" || (parameter && !isWithin(document, parameter))) return false;
  if (!least) return true;
  const { data } = await readArray(job.id, least.sensor, 1);
  return data.length > 0 && data.every((value) => value > least.above);
}

const DECIDERS: Deciders = {
  turned: ({ body, degrees }, { what }, seen) => what === "pulled" && seen.turned(body) >= degrees,
  aligned: ({ bodies: [one, other], degrees }, { what }, seen) => {
    // Bodies on one line may point in the same or in opposite directions.
    const between = wrapped(2 * (seen.angle(one) - seen.angle(other))) / 2;
    return what === "pulled" && Math.abs(between) <= degrees;
  },
  played: ({ seconds }, { what }, seen) => what === "played" && seen.time >= seconds,
  passed: ({ body, angle, degrees }, event, seen) => {
    const known = event.what === "played" && event.mechanism.readings.reactions !== undefined;
    return known && Math.abs(wrapped(seen.angle(body) - angle)) <= degrees;
  },
  shown: ({ reading }, event) => "mechanism" in event && event.mechanism.readings[reading] !== undefined,
  selected: ({ kind, name }, event, { mechanism }) => {
    const elements = event.what === "selected" && mechanism ? elementsOf(mechanism.document) : undefined;
    const element = elements?.find((each) => each.kind === kind && each.name === name);
    return element !== undefined && isSelected(kind, element.index);
  },
  parameter: ({ within }, { what }, { mechanism }) => what === "opened" && isWithin(mechanism?.document, within),
  redundant: ({ most }, { what }, { mechanism }) =>
    what === "opened" && mechanism !== undefined && mechanism.opened.redundant.length <= most,
  failed: (_, { what }) => what === "failed",
  checked: (_, { what }) => what === "checked",
  ran: hasRun,
};

/** Returns true if an event fulfils a condition. */
export async function isDone(condition: Condition, event: MechanismEvent, seen: Observer): Promise<boolean> {
  const decide = DECIDERS[condition.is] as (
    condition: Condition,
    event: MechanismEvent,
    seen: Observer,
  ) => boolean | Promise<boolean>;
  return decide(condition, event, seen);
}
