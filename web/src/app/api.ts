// The calls of the REST interface that the page makes. Paths are relative to the page, so that it works behind a
// prefix, too.
import { Schema, type SchemaNode } from "../document/schema";
import { parseNpy, type NumberArray } from "../results/npy";
import { serviceTexts } from "./texts";
import { requestToken, token } from "./token";

const BASE = "api/v1";

/** One mistake of a document. */
export interface ValidationError {
  pointer: string;
  detail: string;
  /** Address of the manual's page about what is concerned. */
  help?: string;
}

/** A problem document (RFC 9457). */
export interface Problem {
  title: string;
  status: number;
  detail?: string;
  line?: number;
  column?: number;
  errors?: ValidationError[];
}

export type JobStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled";

export interface Job {
  id: string;
  status: JobStatus;
  progress?: { t?: number | null; fraction?: number; evaluations?: number };
  created?: string;
  started?: string | null;
  finished?: string | null;
  model_name?: string | null;
  /** What its client calls it. */
  name?: string | null;
  /** Words to find it by. */
  tags?: string[];
  analysis?: Record<string, unknown> | null;
  report?: Record<string, unknown> | null;
  error?: Record<string, unknown> | null;
}

export interface ArrayInfo {
  name: string;
  shape: number[];
  labels: string[];
  unit?: string | null;
  /** Of each column. */
  units?: (string | null)[];
  description?: string | null;
  /** Its rows are not reporting times. */
  timeless: boolean;
}

/** A point, or a unit vector, in the axes of a body; body 0 is the ground. */
export interface ModelPlace {
  name: string;
  body: number;
  at: number[];
}

/** A curve as points about a point of its body, in the body's axes. */
export interface ModelCurve {
  point: number;
  closed: boolean;
  /** It has no further points. */
  whole: boolean;
  /** Its parameter at the points of one that is not closed. */
  first?: number;
  step?: number;
  outline: number[][];
}

/** A joint, force element or shape, with those of its fields that a drawing needs. References are numbers of points and
 * vectors. */
/** How a joint is drawn, as its class in the solver says. */
export type JointSymbol =
  | "dot"
  | "none"
  | "pin"
  | "ball"
  | "slider"
  | "barrel"
  | "screw"
  | "cross"
  | "plate"
  | "block"
  | "rod";

export interface ModelElement {
  type: string;
  name?: string;
  /** References; of a polygon its corners. */
  points?: number[] | number[][];
  point?: number;
  body?: number;
  vectors?: number[];
  line?: number[];
  plane?: number[];
  curve?: ModelCurve[];
  radius?: number;
  ratio?: number;
  at?: number[];
  from?: number[];
  to?: number[];
  width?: number;
  height?: number;
  angle?: number;
  color?: string;
  size?: number[];
  axis?: number[];
  teeth?: number;
  module?: number;
  triangles?: [number, number, number][];
  /** Of a joint: how it is drawn. */
  symbol?: JointSymbol;
}

/** A model as it is drawn, all numbers evaluated. */
export interface ModelScene {
  dimension: 2 | 3;
  /** The ground, then the bodies of the document. */
  bodies: { name: string; shapes: ModelElement[] }[];
  /** In the order of the array rP. */
  points: ModelPlace[];
  vectors: ModelPlace[];
  joints: ModelElement[];
  forces: ModelElement[];
  view: { x?: [number, number]; y?: [number, number]; z?: [number, number] };
}

export interface Example {
  name: string;
  title?: string;
  description?: string | null;
  space?: string | null;
  analysis?: { type?: string; t_start?: number; t_end?: number } | null;
  /** The types of its joints and force elements. */
  elements: string[];
}

/** Any answer that is not a success, and a server that cannot be reached (status 0). */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

let onSilence: () => void = () => undefined;

/** Has `listener` called whenever a request gets no answer at all. */
export function whenSilent(listener: () => void): void {
  onSilence = listener;
}

/** Whether the service answers, whatever it says. */
export async function answers(): Promise<boolean> {
  return fetch("healthz", { cache: "no-store" }).then(({ ok }) => ok, () => false);
}

/** A request with the token that there is; where the service does not take it, with another one. */
async function sendWithToken(address: string, init?: RequestInit): Promise<Response> {
  for (;;) {
    const sent = token();
    const headers = { ...(init?.headers as Record<string, string>), ...(sent && { Authorization: `Bearer ${sent}` }) };
    const response = await fetch(address, { ...init, headers });
    if (response.status !== 401 || !(await requestToken(sent))) return response;
  }
}

async function send(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await sendWithToken(`${BASE}/${path}`, init);
  } catch {
    if (!init?.signal?.aborted) onSilence();
    throw new ApiError({ title: serviceTexts.noResponse, status: 0 });
  }
  if (response.ok) return response;
  let problem: Problem = { title: response.statusText || `HTTP ${response.status}`, status: response.status };
  if (response.headers.get("Content-Type")?.startsWith("application/problem+json"))
    problem = { ...problem, ...((await response.json()) as Partial<Problem>) };
  for (const mistake of problem.errors ?? [])
    if (mistake.help !== undefined) mistake.help = new URL(mistake.help, response.url).href;
  throw new ApiError(problem);
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await send(path, init)).json()) as T;
}

function post(document: string): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: document };
}

function jobPath(id: string): string {
  return `jobs/${encodeURIComponent(id)}`;
}

/** The events of a job as they come (text/event-stream); null where there will be none. */
export async function openEvents(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
  const response = await send(`${jobPath(id)}/events`, { signal });
  return response.status === 200 ? response.body : null;
}

/** The documents that come with the program: models, and studies of models. */
export function listExamples(): Promise<{ examples: Example[]; studies: Example[] }> {
  return json("examples");
}

/** The text of an example's document, laid out as in its file. */
export async function exampleText(name: string): Promise<string> {
  return (await send(`examples/${encodeURIComponent(name)}`)).text();
}

/** What the service understood of a document. */
export function validate(document: string): Promise<Record<string, unknown>> {
  return json("validate", post(document));
}

/** How a document's model is drawn. */
export async function sceneOf(document: string): Promise<ModelScene> {
  return (await json<{ scene: ModelScene }>("validate?scene=true", post(document))).scene;
}

let schema: Promise<Schema | undefined> | undefined;

/** The schema of models, fetched once; undefined while it cannot be had. */
export function modelSchema(): Promise<Schema | undefined> {
  schema ??= json<SchemaNode>("schemas/model.schema.json").then(
    (root) => new Schema(root),
    () => (schema = undefined),
  );
  return schema;
}

export function submitJob(document: string): Promise<Job> {
  return json("jobs", post(document));
}

export function getJob(id: string): Promise<Job> {
  return json(jobPath(id));
}

/** Which jobs are wanted: those with the text `q` in their names or tags, those with a tag; "": all. */
export interface JobFilter {
  q: string;
  tag: string;
}

export interface JobPage {
  jobs: Job[];
  next?: string | null;
}

export function listJobs(limit: number, filter: JobFilter, cursor = ""): Promise<JobPage> {
  const wanted = Object.entries({ ...filter, cursor }).filter(([, value]) => value !== "");
  return json(`jobs?${new URLSearchParams([["limit", String(limit)], ...wanted])}`);
}

/** Gives a job another name (null: none) and other tags. */
export function changeJob(id: string, change: { name: string | null; tags: string[] }): Promise<Job> {
  const headers = { "Content-Type": "application/merge-patch+json" };
  return json(jobPath(id), { method: "PATCH", headers, body: JSON.stringify(change) });
}

export async function cancelJob(id: string): Promise<void> {
  await send(`${jobPath(id)}/cancel`, { method: "POST" });
}

export async function deleteJob(id: string): Promise<void> {
  await send(jobPath(id), { method: "DELETE" });
}

/** The document of a job as it was sent. */
export async function jobDocument(id: string): Promise<string> {
  return (await send(`${jobPath(id)}/model`)).text();
}

/** One run of a study. */
export interface StudyRun {
  run: number;
  /** 0: it succeeded; -1: it was not made. */
  status: number;
  parameters: Record<string, number>;
  outputs: Record<string, number | null>;
  failure: { code: string; detail: string; first: number } | null;
}

export function getRun(id: string, run: number): Promise<StudyRun> {
  return json(`${jobPath(id)}/runs/${run}`);
}

/** The document of one run of a study, with the values of that run. */
export async function runDocument(id: string, run: number): Promise<string> {
  return (await send(`${jobPath(id)}/runs/${run}/model`)).text();
}

export async function listArrays(id: string): Promise<ArrayInfo[]> {
  return (await json<{ arrays: ArrayInfo[] }>(`${jobPath(id)}/results`)).arrays;
}

/** Every `stride`-th row of an array, or of one of its columns; with `times` [s] only rows from one to the other. */
export async function readArray(
  id: string,
  name: string,
  stride: number,
  column?: string,
  times: readonly [number, number] = [-Infinity, Infinity],
): Promise<NumberArray> {
  const query = new URLSearchParams({ format: "npy", stride: String(stride) });
  if (column !== undefined) query.set("columns", column);
  if (Number.isFinite(times[0])) query.set("from", String(times[0]));
  if (Number.isFinite(times[1])) query.set("to", String(times[1]));
  const response = await send(`${jobPath(id)}/results/${encodeURIComponent(name)}?${query}`);
  return parseNpy(await response.arrayBuffer());
}

/** Every `stride`-th row of an array of a study, from number `first` up to `end`, which is not among them. */
export async function readRows(
  id: string,
  name: string,
  [first, end]: readonly [number, number],
  stride: number,
): Promise<NumberArray> {
  const query = new URLSearchParams({ format: "npy", rows: `${first}:${end}`, stride: String(stride) });
  return parseNpy(await (await send(`${jobPath(id)}/results/${name}?${query}`)).arrayBuffer());
}

/** What is at one of the `links`, for a service that asks for a token: a browser's own request has none. */
export async function fetchLink(link: string): Promise<Blob> {
  return (await send(link.slice(BASE.length + 1))).blob();
}

/** Addresses for links, relative to the page. */
export const links = {
  document: (id: string): string => `${BASE}/${jobPath(id)}/model`,
  archive: (id: string, kind: string): string => `${BASE}/${jobPath(id)}/results.${kind}`,
  array: (id: string, name: string, format: string): string =>
    `${BASE}/${jobPath(id)}/results/${encodeURIComponent(name)}?format=${format}`,
  certificate: (id: string): string => `${BASE}/${jobPath(id)}/certificate?format=html`,
  jobs: `${BASE}/jobs`,
};
