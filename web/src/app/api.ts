// The REST calls of the page. Paths are relative to the page, so that it works behind a path prefix.
import { Schema, type SchemaNode } from "../document/schema";
import { parseNpy, type NumberArray } from "../results/npy";
import { serviceTexts } from "./texts";
import { requestToken, token } from "./token";

const BASE = "api/v1";

/** One validation error of a document. */
export interface ValidationError extends ImportPlace {
  pointer: string;
  detail: string;
  /** Address of the page of the manual on the element or field. */
  help?: string;
}

/** A place in the model of another program: a line, or a JSON pointer into a source in JSON. */
export interface ImportPlace {
  file?: string | null;
  line?: number | null;
  source?: string;
}

/** A note of a conversion: what is not the same in the document. */
export interface ImportNote extends ImportPlace {
  level: "mapped" | "changed" | "dropped";
  detail: string;
  /** JSON pointer into the document. */
  pointer: string | null;
  /** Number of equal notes. */
  count?: number;
}

/** A converted model of another program. */
export interface Imported {
  format: string;
  model: object;
  notes: ImportNote[];
  summary: { bodies: number; joints: number; degrees_of_freedom: number | null };
}

/** A problem document (RFC 9457). */
export interface Problem {
  title: string;
  status: number;
  /** Kind of the problem. */
  code?: string;
  detail?: string;
  line?: number;
  column?: number;
  errors?: ValidationError[];
  /** Notes of a conversion until its failure. */
  notes?: ImportNote[];
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
  /** Name that the client gave the job. */
  name?: string | null;
  /** Tags for searching. */
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
  /** The unit of each column. */
  units?: (string | null)[];
  description?: string | null;
  /** True if the rows do not belong to reporting times. */
  timeless: boolean;
}

/** A point, or a unit vector, in the axes of a body; body 0 is the ground. */
export interface ModelPlace {
  name: string;
  body: number;
  at: number[];
}

/** A curve: points relative to a point of its body, in the body's axes. */
export interface ModelCurve {
  point: number;
  closed: boolean;
  /** True if `outline` contains the whole curve. */
  whole: boolean;
  /** Curve parameter of the first point of an open curve. */
  first?: number;
  step?: number;
  outline: number[][];
}

/** An element of the path of a belt or rope: its centre and its radius, negative where the path runs clockwise. */
export interface ModelStop {
  point: number;
  radius: number;
}

/** The symbol of a joint, which its class in the solver defines. */
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

/** A joint, force element or shape, with the fields that a drawing needs. References are indices of points and vectors. */
export interface ModelElement {
  type: string;
  name?: string;
  /** Indices of points; for a polygon the coordinates of its corners. */
  points?: number[] | number[][];
  point?: number;
  body?: number;
  bodies?: number[];
  /** Indices of the joints on whose coordinates a force element acts. */
  joint?: number;
  joints?: number[];
  vectors?: number[];
  line?: number[];
  plane?: number[];
  /** The normal of a half-space. */
  normal?: number[];
  curve?: ModelCurve[];
  /** The path of a rope, and that of a belt. */
  path?: ModelStop[];
  pulleys?: ModelStop[];
  radius?: number;
  radii?: number[];
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
  teeth?: number | number[];
  module?: number;
  mesh?: "external" | "internal";
  triangles?: [number, number, number][];
  /** The symbol of a joint. */
  symbol?: JointSymbol;
}

/** The drawing data of a model, with all numbers evaluated. */
export interface ModelScene {
  dimension: 2 | 3;
  /** The ground, then the bodies in the order of the document. */
  bodies: { name: string; shapes: ModelElement[] }[];
  /** Points in the order of the columns of array rP. */
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
  /** The types of the joints and force elements. */
  elements: string[];
}

/** An unsuccessful response, or no response (status 0). */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

let noResponseListener: () => void = () => undefined;

/** Sets the listener for requests that get no response. */
export function onNoResponse(listener: () => void): void {
  noResponseListener = listener;
}

/** Returns true if the service responds. */
export async function answers(): Promise<boolean> {
  return fetch("healthz", { cache: "no-store" }).then(({ ok }) => ok, () => false);
}

/** Sends a request with the stored token. Asks the user for another token if the service rejects it. */
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
    if (!init?.signal?.aborted) noResponseListener();
    throw new ApiError({ title: serviceTexts.noResponse, status: 0 });
  }
  if (response.ok) return response;
  let problem: Problem = { title: response.statusText || `HTTP ${response.status}`, status: response.status };
  if (response.headers.get("Content-Type")?.startsWith("application/problem+json"))
    problem = { ...problem, ...((await response.json()) as Partial<Problem>) };
  for (const validationError of problem.errors ?? [])
    if (validationError.help !== undefined) validationError.help = new URL(validationError.help, response.url).href;
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

/** Opens the event stream of a job (text/event-stream). Returns null if no events will follow. */
export async function openEvents(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
  const response = await send(`${jobPath(id)}/events`, { signal });
  return response.status === 200 ? response.body : null;
}

/** Lists the shipped models, and the shipped studies of models. */
export function listExamples(): Promise<{ examples: Example[]; studies: Example[] }> {
  return json("examples");
}

/** Returns the text of an example's document, with its original layout. */
export async function exampleText(name: string): Promise<string> {
  return (await send(`examples/${encodeURIComponent(name)}`)).text();
}

/** Validates a document and returns what the service derived from it. */
export function validate(document: string): Promise<Record<string, unknown>> {
  return json("validate", post(document));
}

/** Converts a model of another program: a file, whose name is `main`, or an archive of its folder. With `partial`,
 * leaves out the parts that cannot be converted. */
export function importModel(source: Blob, main: string | undefined, partial: boolean): Promise<Imported> {
  const query = new URLSearchParams({ ...(main !== undefined && { main }), partial: String(partial) });
  const headers = { "Content-Type": "application/octet-stream" };
  return json(`import?${query}`, { method: "POST", headers, body: source });
}

/** Returns the drawing data of a document's model. */
export async function sceneOf(document: string): Promise<ModelScene> {
  return (await json<{ scene: ModelScene }>("validate?scene=true", post(document))).scene;
}

let schema: Promise<Schema | undefined> | undefined;

/** Returns the model schema, which is fetched once; undefined if it is not available. */
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

/** A job filter: `q` is a text in the names or tags, `tag` a whole tag; "" matches all jobs. */
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

/** Changes the name (null: none) and the tags of a job. */
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

/** Returns the document of a job as it was submitted. */
export async function jobDocument(id: string): Promise<string> {
  return (await send(`${jobPath(id)}/model`)).text();
}

/** One run of a study. */
export interface StudyRun {
  run: number;
  /** 0: the run succeeded; -1: it was not computed. */
  status: number;
  parameters: Record<string, number>;
  outputs: Record<string, number | null>;
  failure: { code: string; detail: string; first: number } | null;
}

export function getRun(id: string, run: number): Promise<StudyRun> {
  return json(`${jobPath(id)}/runs/${run}`);
}

/** Returns the document of one run of a study, with the parameter values of that run. */
export async function runDocument(id: string, run: number): Promise<string> {
  return (await send(`${jobPath(id)}/runs/${run}/model`)).text();
}

export async function listArrays(id: string): Promise<ArrayInfo[]> {
  return (await json<{ arrays: ArrayInfo[] }>(`${jobPath(id)}/results`)).arrays;
}

/** Reads every `stride`-th row of an array or of one of its columns; with `times` [s] only the rows in that
 * interval. */
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

/** Reads every `stride`-th row of a study's array from row `first` up to, not including, row `end`. */
export async function readRows(
  id: string,
  name: string,
  [first, end]: readonly [number, number],
  stride: number,
): Promise<NumberArray> {
  const query = new URLSearchParams({ format: "npy", rows: `${first}:${end}`, stride: String(stride) });
  return parseNpy(await (await send(`${jobPath(id)}/results/${name}?${query}`)).arrayBuffer());
}

/** Fetches one of the `links` with the token, which a plain download by the browser lacks. */
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
