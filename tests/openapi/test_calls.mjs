// schemas/openapi.json against the daemon: each operation is called, and what comes back - status, headers, body - is
// what the document says; and the document says of no header that never came.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { createConfig, lint } from "@redocly/openapi-core";
import addFormats from "ajv-formats";
import Ajv2020 from "ajv/dist/2020.js";

import { endless, pendulum, request, startDaemon } from "./daemon.mjs";

// What HTTP itself adds, and what OpenAPI says elsewhere (the type of a body).
const OF_HTTP = ["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"];
// Refusals that every call may answer with, and none has to name: the response `default`.
const OF_EVERY_CALL = [405, 408, 414, 431];

let daemon, document, validator;
const called = new Set();
const seen = new Set(); // headers, in small letters

before(async () => {
  daemon = await startDaemon("--workers=1", "--queue=2");
  document = JSON.parse((await request(daemon.address, "GET", "/api/v1/openapi.json")).body);
  validator = new Ajv2020({ strict: false, allErrors: true });
  addFormats(validator);
  validator.addSchema(document, "openapi.json");
});

after(() => daemon?.stop());

/** Follows a reference within the document: the thing and its JSON pointer. */
function follow(thing, pointer) {
  while (thing.$ref) {
    pointer = thing.$ref.slice(1);
    thing = pointer.split("/").slice(1).reduce((at, key) => at[key.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  }
  return [thing, pointer];
}

/** The path of the document that a path of a request is of; those without {names} count first. */
function templateOf(path) {
  const templates = Object.keys(document.paths).sort((a, b) => a.split("{").length - b.split("{").length);
  return templates.find((t) => new RegExp(`^${t.replaceAll(".", "\\.").replace(/\{[^}]*\}/g, "[^/]+")}$`).test(path));
}

function checkHeaders(what, described, headers) {
  const known = new Map(Object.entries(described ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of Object.entries(headers)) {
    if (OF_HTTP.includes(name)) continue;
    assert.ok(known.has(name), `${what}: the header ${name}: ${value} is not in openapi.json`);
    seen.add(name);
    const [{ schema }] = follow(known.get(name), "");
    const given = schema.type === "integer" ? Number(value) : value;
    assert.ok(validator.validate(schema, given), `${what}: ${name}: ${value}: ${validator.errorsText()}`);
  }
}

function checkBody(what, response, pointer, answer, method) {
  const type = (answer.headers["content-type"] ?? "").split(";")[0];
  if (!response.content) {
    assert.equal(answer.body.length, 0, `${what} has a body`);
    return;
  }
  assert.ok(response.content[type], `${what}: the type ${type} is not in openapi.json`);
  if (method === "HEAD" || !type.endsWith("json") || !response.content[type].schema) return;
  const at = `${pointer}/content/${type.replaceAll("/", "~1")}/schema`;
  const reference = `openapi.json#${at.split("/").map(encodeURIComponent).join("/")}`;
  const fine = validator.validate({ $ref: reference }, JSON.parse(answer.body));
  assert.ok(fine, `${what}: ${validator.errorsText(validator.errors?.slice(0, 5))}\n${answer.body.subarray(0, 500)}`);
}

/** Calls an operation of the document, and compares the answer with what the document says of it. */
async function call(method, target, status, options = {}) {
  const path = target.split("?")[0];
  const template = templateOf(path);
  assert.ok(template, `no path of openapi.json is ${path}`);
  const key = method === "HEAD" ? "get" : method.toLowerCase();
  const operation = document.paths[template][key] ?? document.paths[template].get ?? document.paths[template].post;
  if (document.paths[template][key]) called.add(operation.operationId);
  const answer = await request(daemon.address, method, target, options);
  const what = `${method} ${target}: ${answer.status}`;
  assert.equal(answer.status, status, `${what} ${answer.body.subarray(0, 500)}`);
  const place = operation.responses[status] ? status : OF_EVERY_CALL.includes(status) && "default";
  assert.ok(operation.responses[place], `${what} is not in openapi.json`);
  const verb = Object.keys(document.paths[template]).find((name) => document.paths[template][name] === operation);
  const origin = `/paths/${template.replaceAll("/", "~1")}/${verb}/responses/${place}`;
  const [response, pointer] = follow(operation.responses[place], origin);
  checkHeaders(what, response.headers, answer.headers);
  checkBody(what, response, pointer, answer, method);
  return answer;
}

/** GET as call(), and the HEAD of it: the same without a body; and 304 where it has an ETag. */
async function get(target, options = {}) {
  const answer = await call("GET", target, 200, options);
  const head = await call("HEAD", target, 200, options);
  assert.equal(head.headers["content-type"], answer.headers["content-type"]);
  if (answer.headers.etag) {
    const headers = { ...options.headers, "If-None-Match": answer.headers.etag };
    await call("GET", target, 304, { headers });
  }
  return answer;
}

const json = (answer) => JSON.parse(answer.body);
/** The path of a job from the answer that has its place, which may be relative to the call. */
function placeOf(answer) {
  const place = new URL(answer.headers.location, `${daemon.address}/api/v1/jobs`).pathname;
  assert.equal(place, `/api/v1/jobs/${json(answer).id}`);
  return place;
}
const waiting = (seconds) => ({ headers: { Prefer: `wait=${seconds}` } });

test("the document has no mistakes, from a file and as it is served", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const file = fileURLToPath(new URL("../../schemas/openapi.json", import.meta.url));
  // The file has what every call has in one place, from which the build writes it out: there it is not used yet.
  const mistakes = (await lint({ ref: file, config })).filter((found) => found.ruleId !== "no-unused-components");
  const served = await lint({ ref: `${daemon.address}/api/v1/openapi.json`, config });
  const lines = [...mistakes, ...served].map((found) => `${found.ruleId} ${found.location[0]?.pointer}: ${found.message}`);
  assert.deepEqual(lines, []);
});

test("the service about itself", async () => {
  for (const path of ["/", "/healthz", "/readyz", "/metrics", "/api/v1", "/api/v1/openapi.json"]) await get(path);
  await get("/api/v1/schemas/model.schema.json");
  await call("GET", "/api/v1/schemas/nothing.json", 404);
});

test("every example is a model, and is understood", async () => {
  const { examples } = json(await get("/api/v1/examples"));
  for (const { name } of examples) {
    const model = json(await call("GET", `/api/v1/examples/${name}`, 200));
    await call("POST", "/api/v1/validate?scene=true", 200, { body: model });
  }
  await call("HEAD", `/api/v1/examples/${examples[0].name}`, 200);
  await call("GET", "/api/v1/examples/nothing", 404);
  await call("POST", "/api/v1/validate", 422, { body: { ...pendulum(1), bodies: [{ name: "bob", mass: -1 }] } });
});

test("reports and results of every analysis", async () => {
  const { examples } = json(await get("/api/v1/examples"));
  const kinds = new Map(examples.map((example) => [`${example.space} ${example.analysis?.type}`, example.name]));
  assert.ok(kinds.size >= 7, [...kinds.keys()].join());
  for (const name of kinds.values()) {
    const body = json(await call("GET", `/api/v1/examples/${name}`, 200));
    const posted = await call("POST", "/api/v1/jobs", 200, { body, ...waiting(50) });
    assert.equal(json(posted).status, "succeeded", name);
    await call("GET", `${placeOf(posted)}/results`, 200);
  }
});

test("a job from its model to its results", async () => {
  const posted = await call("POST", "/api/v1/jobs", 200, { body: pendulum(1), ...waiting(50) });
  const job = placeOf(posted);
  assert.equal(json(posted).status, "succeeded");
  await get(job);
  await call("GET", job, 200, waiting(1));
  await get("/api/v1/jobs?limit=1");
  await call("GET", `/api/v1/jobs?limit=1&cursor=${json(await get("/api/v1/jobs?limit=1")).next ?? ""}x`, 400);
  await get(`${job}/model`);
  const { arrays } = json(await get(`${job}/results`));
  for (const { name } of arrays) {
    for (const format of ["json", "csv", "npy"]) await get(`${job}/results/${name}?format=${format}`);
  }
  await get(`${job}/results/uT?from=0.2&to=0.5&stride=2&columns=pin.q`, { headers: { Accept: "text/csv" } });
  await get(`${job}/results.npz`);
  await call("GET", `${job}/results/uT`, 406, { headers: { Accept: "image/png" } });
  await call("GET", `${job}/results/uTT`, 404);
  await call("POST", `${job}/cancel`, 200);
  await call("DELETE", job, 204);
  for (const path of ["", "/model", "/results", "/results.npz", "/results/uT"]) await call("GET", job + path, 404);
  await call("DELETE", job, 404);
  await call("POST", `${job}/cancel`, 404);
});

test("a job that fails, one that is stopped, and a full queue", async () => {
  const wind = { name: "wind", type: "force", body: "bob", value: ["1/(t - 0.5)", 0] };
  const failed = json(await call("POST", "/api/v1/jobs", 200, { body: pendulum(1, { forces: [wind] }), ...waiting(50) }));
  assert.equal(failed.status, "failed");
  const jobs = [];
  for (let refused = false; !refused && jobs.length < 9; ) {
    const answer = await request(daemon.address, "POST", "/api/v1/jobs", { body: endless() });
    refused = answer.status !== 202;
    if (!refused) jobs.push(placeOf(answer));
  }
  await call("POST", "/api/v1/jobs", 503, { body: endless() });
  while (json(await call("GET", jobs[0], 200, waiting(0.1))).status === "queued");
  await call("GET", `${jobs[0]}/results`, 409);
  await call("GET", `${jobs.at(-1)}/results.npz`, 409);
  await call("POST", `${jobs[0]}/cancel`, 202);
  await call("POST", `${jobs.at(-1)}/cancel`, 200);
  await call("POST", "/api/v1/jobs", 202, { body: endless(), ...waiting(0.1) });
  for (const job of jobs) await call("DELETE", job, 204);
});

test("refusals", async () => {
  await call("POST", "/api/v1/jobs", 400, { body: "{" });
  await call("POST", "/api/v1/jobs", 422, { body: {} });
  await call("POST", "/api/v1/jobs", 403, { body: pendulum(1), headers: { Origin: "http://elsewhere.example" } });
  await call("POST", "/api/v1/jobs", 413, { body: " ", headers: { "Content-Length": 17 << 20 } });
  await call("PUT", "/api/v1/jobs", 405, { body: "{}" });
  await call("POST", "/healthz", 405);
  for (const path of Object.keys(document.paths).filter((path) => document.paths[path].get)) {
    const target = path.replace("{id}", "x").replace("{name}", "x");
    if (path !== "/") await call("GET", `${target}?nonsense=1`, 400);
    await call("GET", target, 403, { headers: { Host: "elsewhere.example", "User-Agent": "Mozilla/5.0" } });
  }
});

test("nothing of the document was left out", () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path).map((o) => o.operationId));
  const unused = operations.filter((name) => name && !called.has(name));
  assert.deepEqual(unused, [], "operations that no test here calls");
  const headers = Object.keys(document.components.headers).map((name) => name.toLowerCase());
  const unseen = headers.filter((name) => !seen.has(name));
  assert.deepEqual(unseen, [], "headers of openapi.json that never came: call what sends them here");
});
