// Whether what a step of a lesson asks for is done: each kind of condition, decided when something has happened.
import { readArray } from "../app/api";
import { elementsOf } from "../document/elements";
import type { Happening } from "../interaction/mechanism_events";
import { isSelected } from "../interaction/selection";
import type { Condition, Within } from "./lesson";
import { parameterOf, wrapped, type Observer } from "./observer";

type Of<K extends Condition["is"]> = Extract<Condition, { is: K }>;

type Deciders = {
  [K in Condition["is"]]: (condition: Of<K>, happening: Happening, seen: Observer) => boolean | Promise<boolean>;
};

function isWithin(document: string | undefined, { name, least = -Infinity, most = Infinity }: Within): boolean {
  const value = document === undefined ? undefined : parameterOf(document, name);
  return value !== undefined && value >= least && value <= most;
}

async function hasRun({ parameter, least }: Of<"ran">, happening: Happening): Promise<boolean> {
  if (happening.what !== "ran") return false;
  const { job, document } = happening.outcome;
  if (job.status !== "succeeded" || (parameter && !isWithin(document, parameter))) return false;
  if (!least) return true;
  const { data } = await readArray(job.id, least.sensor, 1);
  return data.length > 0 && data.every((value) => value > least.above);
}

const DECIDERS: Deciders = {
  turned: ({ body, degrees }, { what }, seen) => what === "pulled" && seen.turned(body) >= degrees,
  aligned: ({ bodies: [one, other], degrees }, { what }, seen) => {
    // Bodies that lie on one line, in the same sense or not.
    const between = wrapped(2 * (seen.angle(one) - seen.angle(other))) / 2;
    return what === "pulled" && Math.abs(between) <= degrees;
  },
  played: ({ seconds }, { what }, seen) => what === "played" && seen.time >= seconds,
  passed: ({ body, angle, degrees }, happening, seen) => {
    const known = happening.what === "played" && happening.standing.readings.reactions !== undefined;
    return known && Math.abs(wrapped(seen.angle(body) - angle)) <= degrees;
  },
  shown: ({ reading }, happening) => "standing" in happening && happening.standing.readings[reading] !== undefined,
  selected: ({ kind, name }, happening, { standing }) => {
    const elements = happening.what === "selected" && standing ? elementsOf(standing.document) : undefined;
    const element = elements?.find((each) => each.kind === kind && each.name === name);
    return element !== undefined && isSelected(kind, element.index);
  },
  parameter: ({ within }, { what }, { standing }) => what === "opened" && isWithin(standing?.document, within),
  redundant: ({ most }, { what }, { standing }) =>
    what === "opened" && standing !== undefined && standing.opened.redundant.length <= most,
  failed: (_, { what }) => what === "failed",
  checked: (_, { what }) => what === "checked",
  ran: hasRun,
};

/** Whether what has just happened fulfils a condition. */
export async function isDone(condition: Condition, happening: Happening, seen: Observer): Promise<boolean> {
  const decide = DECIDERS[condition.is] as (
    condition: Condition,
    happening: Happening,
    seen: Observer,
  ) => boolean | Promise<boolean>;
  return decide(condition, happening, seen);
}
