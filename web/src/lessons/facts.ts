// Fills numbers of the mechanism into the texts of a lesson: {freedoms}, {angle:crank}, {least:pressing force}.
import { readArray } from "../app/api";
import { formatNumber } from "../app/format";
import { lessonTexts, liveTexts } from "../app/texts";
import { asFields, asList, type Fields } from "../document/fields";
import type { MechanismEvent } from "../interaction/mechanism_events";
import type { Outcome } from "../results/run";
import { parameterOf, wrapped, type Observer } from "./observer";

/** Sources of the numbers. */
export interface Sources {
  seen: Observer;
  /** The event that fulfilled the last condition. */
  last: MechanismEvent | undefined;
  /** The last finished run. */
  outcome: Outcome | undefined;
  /** Returns the validation report of the document. */
  validation(): Promise<Fields>;
}

type Fact = (sources: Sources, ...names: string[]) => string | Promise<string>;

const UNKNOWN = "–";

function written(value: number | undefined, digits = 3): string {
  return value === undefined || Number.isNaN(value) ? UNKNOWN : formatNumber(value, digits);
}

function degrees(value: number): string {
  return `${Math.round(value)}°`;
}

function vector(values: ArrayLike<number> | undefined): string {
  if (!values) return UNKNOWN;
  return `(${Array.from(values, (value) => formatNumber(Number(value.toFixed(2)), 4)).join(", ")})`;
}

async function column({ outcome }: Sources, array: string, name?: string): Promise<Float64Array> {
  return outcome ? (await readArray(outcome.job.id, array, 1, name)).data : new Float64Array(0);
}

/** Returns the time between two downward zero crossings of a sensor. */
async function period(sources: Sources, sensor: string): Promise<number> {
  const [times, values] = await Promise.all([column(sources, "T"), column(sources, sensor)]);
  const falls: number[] = [];
  values.forEach((value, i) => {
    const [before, t0, t1] = [values[i - 1] ?? 0, times[i - 1] ?? 0, times[i] ?? 0];
    if (before > 0 && value <= 0) falls.push(t0 + ((t1 - t0) * before) / (before - value));
  });
  return (falls[1] ?? NaN) - (falls[0] ?? NaN);
}

/** Returns an initial value in degrees, before or after its correction. */
async function initial({ validation }: Sources, when: string, coordinate: string): Promise<string> {
  const given = asFields((await validation()).initial_conditions);
  const coordinates = (list: string): unknown[] => asList(asFields(given[list]).coordinates);
  const value = Number(coordinates(when)[coordinates("labels").indexOf(coordinate)]) * (180 / Math.PI);
  return `${value.toFixed(1)}°`;
}

async function ofStart({ validation }: Sources, name: string): Promise<number> {
  return Number(asFields((await validation()).initial_conditions)[name]);
}

const FACTS: Record<string, Fact> = {
  freedoms: ({ seen }) => liveTexts.freedoms(seen.mechanism?.opened.freedoms ?? NaN),
  mobility: ({ seen }) => String(seen.mechanism?.opened.mobility),
  redundant: ({ seen }) => String(seen.mechanism?.opened.redundant.length),
  "redundant rows": ({ seen }) => (seen.mechanism?.opened.redundant ?? []).map((row) => `\`${row}\``).join(", "),
  time: ({ seen }) => seen.time.toFixed(1),
  angle: ({ seen }, body = "") => degrees(wrapped(seen.angle(body))),
  turned: ({ seen }, body = "") => degrees(seen.turned(body)),
  "least angle": ({ seen }, body = "") => degrees(seen.span("angle", body)[0]),
  "greatest angle": ({ seen }, body = "") => degrees(seen.span("angle", body)[1]),
  "least y": ({ seen }, body = "") => written(seen.span("y", body)[0]),
  "greatest y": ({ seen }, body = "") => written(seen.span("y", body)[1]),
  x: ({ seen }, body = "") => written(seen.mechanism?.pose.centre(seen.body(body))[0]),
  parameter: ({ seen }, name = "") => written(parameterOf(seen.mechanism?.document ?? "", name)),
  force: ({ seen }, joint = "") => written(Math.hypot(...(seen.force(joint) ?? [NaN]))),
  "force vector": ({ seen }, joint = "") => vector(seen.force(joint)),
  centre: ({ seen }, body = "") => {
    const at = 2 * seen.body(body);
    const centre = seen.mechanism?.readings.instantCentres?.subarray(at, at + 2);
    return centre?.some(Number.isNaN) ? lessonTexts.farAway : `${vector(centre)} m`;
  },
  rows: async ({ validation }) => String(asList((await validation()).rows).length),
  residual: async (sources) => `${written(await ofStart(sources, "position_residual"))} m`,
  iterations: async (sources) => written(await ofStart(sources, "iterations")),
  before: (sources, coordinate = "") => initial(sources, "before", coordinate),
  after: (sources, coordinate = "") => initial(sources, "after", coordinate),
  period: async (sources, sensor = "") => written(await period(sources, sensor)),
  least: async (sources, sensor = "") =>
    written((await column(sources, sensor)).reduce((a, b) => Math.min(a, b), Infinity)),
  greatest: async (sources, sensor = "") =>
    written((await column(sources, sensor)).reduce((a, b) => Math.max(a, b), -Infinity)),
  first: async (sources, array = "", name = "") => written((await column(sources, array, name))[0]),
  "not unique": ({ outcome }) =>
    asList(outcome?.job.report?.not_unique).map((name) => `\`${String(name)}\``).join(" and ") || "none",
  failure: ({ last }) => (last?.what === "failed" ? last.failure.detail : UNKNOWN),
};

/** Fills the numbers into a text; an unknown number becomes a dash. */
export async function fill(text: string, sources: Sources): Promise<string> {
  const parts = text.split(/\{([^}]*)\}/);
  const filled = parts.map(async (part, i) => {
    if (i % 2 === 0) return part;
    const [name = "", ...names] = part.split(":");
    try {
      return (await FACTS[name]?.(sources, ...names)) ?? UNKNOWN;
    } catch {
      return UNKNOWN;
    }
  });
  return (await Promise.all(filled)).join("");
}
