// Compares schemas/openapi.json with the daemon: calls each operation and checks that status, headers and body of the
// responses follow the document, and that every header in the document occurs.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import { createConfig, lint } from "@redocly/openapi-core";
import addFormats from "ajv-formats";
import Ajv2020 from "ajv/dist/2020.js";

import { endless, newToken, pendulum, request, startDaemon } from "./daemon.mjs";

// Headers that HTTP itself adds, or that OpenAPI describes elsewhere (the type of a body).
const OF_HTTP = ["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"];
// Errors that every call may return without naming them: the response `default`.
const OF_EVERY_CALL = [405, 406, 408, 414, 415, 417, 429, 431];
const FILES = ["/results.npz", "/results.mat", "/results.h5", "/results.csv.zip"];

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
  const fine = validator.validate({ $ref: reference }, json(answer));
  assert.ok(fine, `${what}: ${validator.errorsText(validator.errors?.slice(0, 5))}\n${answer.body.subarray(0, 500)}`);
}

/** Calls an operation of the document, of the daemon or of the one `at` an address, and compares the answer, which has
 * the status or one of these, with what the document says of it. */
async function call(method, target, expected, options = {}) {
  const path = target.split("?")[0];
  const template = templateOf(path);
  assert.ok(template, `no path of openapi.json is ${path}`);
  const key = method === "HEAD" ? "get" : method.toLowerCase();
  const operation = document.paths[template][key] ?? document.paths[template].get ?? document.paths[template].post;
  if (document.paths[template][key]) called.add(operation.operationId);
  const answer = await request(options.at ?? daemon.address, method, target, options);
  const { status } = answer;
  const what = `${method} ${target}: ${status}`;
  assert.ok([expected].flat().includes(status), `${what}, not ${expected} ${answer.body.subarray(0, 500)}`);
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
    await call("GET", target, 304, { ...options, headers });
  }
  return answer;
}

/** The body of an answer as it was before gzip. */
const plain = (answer) => (answer.headers["content-encoding"] === "gzip" ? gunzipSync(answer.body) : answer.body);
const json = (answer) => JSON.parse(plain(answer));
/** The path of a job from the answer that has its place, which may be relative to the call. */
function placeOf(answer) {
  const place = new URL(answer.headers.location, `${daemon.address}/api/v1/jobs`).pathname;
  assert.equal(place, `/api/v1/jobs/${json(answer).id}`);
  return place;
}
/** A daemon of the test's own. */
async function another(context, ...options) {
  const service = await startDaemon("--workers=1", ...options);
  context.after(() => service.stop());
  return service;
}
const waiting = (seconds) => ({ headers: { Prefer: `wait=${seconds}` } });

test("the document has no errors, neither in its file nor in the response", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const file = fileURLToPath(new URL("../../schemas/openapi.json", import.meta.url));
  const mistakes = await lint({ ref: file, config });
  const served = await lint({ ref: `${daemon.address}/api/v1/openapi.json`, config });
  const lines = [...mistakes, ...served].map((found) => `${found.ruleId} ${found.location[0]?.pointer}: ${found.message}`);
  assert.deepEqual(lines, []);
});

test("the service about itself", async () => {
  for (const path of ["/", "/healthz", "/readyz", "/metrics", "/api/v1", "/api/v1/openapi.json"]) await get(path);
  await get("/api/v1/schemas/model.schema.json");
  await call("GET", "/api/v1/schemas/nothing.json", 404);
  const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await call("GET", "/healthz", 200, { headers: { "X-Request-Id": "1", traceparent: trace } });
});

test("every example is a model, and is understood", async () => {
  const { examples } = json(await get("/api/v1/examples"));
  for (const { name } of examples) {
    const model = json(await call("GET", `/api/v1/examples/${name}`, 200));
    await call("POST", "/api/v1/validate?scene=true", 200, { body: model });
    await call("POST", "/api/v1/equations?mathml=true", 200, { body: { model, sparse: true } });
  }
  await call("HEAD", `/api/v1/examples/${examples[0].name}`, 200);
  const SP = json(await call("GET", "/api/v1/examples/SP", 200));
  const claim = { B: [["u_1", 0], [0, null], ["u_1", "d_{2,2}"], ["0 +", [["1"]]]], mfile: "Bd = Pints(1);" };
  for (const show of ["all", "slip", "verdict"])
    await call("POST", "/api/v1/check", 200, { body: { model: SP, claim, show } });
  await call("POST", "/api/v1/check", 422, { body: { model: SP, claim: { K: [] } } });
  await call("GET", "/api/v1/examples/nothing", 404);
  await call("POST", "/api/v1/validate", 422, { body: { ...pendulum(1), bodies: [{ name: "bob", mass: -1 }] } });
});

test("models of other programs", async () => {
  const robot = await readFile("tests/reference/imports/urdf_arm/in/arm.urdf", "utf8");
  await call("POST", "/api/v1/import?format=urdf&partial=true", 200, { body: robot });
  await call("POST", "/api/v1/import", 400, { body: "<!DOCTYPE robot><robot/>" });
  await call("POST", "/api/v1/import?format=urdf", 422, { body: "<robot/>" });
  const model = json(await call("GET", "/api/v1/examples/SP", 200));
  await call("POST", "/api/v1/export/fmu", 200, { body: { model, fmi: "3.0", outputs: ["pin.q"] } });
  await call("POST", "/api/v1/export/fmu", 422, { body: { model, outputs: ["pin.w"] } });
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
  await get(`${job}/model.fmu?fmi=3.0`);
  const { arrays } = json(await get(`${job}/results`));
  for (const { name } of arrays) {
    for (const format of ["json", "csv", "npy"]) await get(`${job}/results/${name}?format=${format}`);
  }
  await get(`${job}/results/uT?from=0.2&to=0.5&stride=2&columns=pin.q`, { headers: { Accept: "text/csv" } });
  for (const file of [...FILES, "/results.glb?from=0&stride=2"]) await get(job + file);
  await call("GET", `${job}/results.glb?stride=0`, 400);
  for (const format of ["json", "html", "text"]) await get(`${job}/certificate?format=${format}`);
  await call("GET", `${job}/certificate?format=pdf`, 400);
  const tagged = await get(`${job}/certificate`, { headers: { Accept: "text/html" } });
  await call("GET", `${job}/certificate`, 304, {
    headers: { Accept: "text/html", "If-None-Match": tagged.headers.etag },
  });
  await call("GET", `${job}/results/uT`, 406, { headers: { Accept: "image/png" } });
  await call("GET", `${job}/results/uTT`, 404);
  await call("POST", `${job}/cancel`, 200);
  await call("DELETE", job, 204);
  for (const path of ["", "/model", "/model.fmu", "/certificate", "/results", "/results/uT", "/results.glb", ...FILES]) await call("GET", job + path, 404);
  await call("DELETE", job, 404);
  await call("POST", `${job}/cancel`, 404);
});

test("a job that is certified", async () => {
  const model = pendulum(1);
  const body = { model, analysis: { ...model.analysis, certify: true } };
  const job = placeOf(await call("POST", "/api/v1/jobs", 200, { body, ...waiting(50) }));
  await get(job);
  const certificate = json(await get(`${job}/certificate`));
  assert.equal(certificate.verdict.level, "trusted");
  const study = { runs: 2, outputs: [{ name: "end", of: "t" }] };
  const { errors } = json(await call("POST", "/api/v1/jobs", 422, { body: { ...body, study } }));
  assert.ok(errors.some((error) => error.pointer === "/analysis/certify"), JSON.stringify(errors));
});

test("a study and its runs", async () => {
  const model = { ...pendulum(1), parameters: { g: 9.81 }, gravity: [0, "-g"] };
  const analysis = model.analysis;
  const study = { vary: [{ parameter: "g", values: [9, "x"] }], outputs: [{ name: "end", of: "t" }] };
  await call("POST", "/api/v1/jobs", 422, { body: { model, analysis, study } });
  study.vary[0].values[1] = 10;
  const job = placeOf(await call("POST", "/api/v1/jobs", 200, { body: { model, analysis, study }, ...waiting(50) }));
  for (const format of ["json", "csv", "npy"]) await get(`${job}/results/outputs?rows=1:&format=${format}`);
  await call("GET", `${job}/results/outputs?rows=1`, 400);
  assert.equal(json(await get(`${job}/runs/1`)).parameters.g, 10);
  assert.equal(json(await get(`${job}/runs/1/model`)).model.parameters.g, 10);
  for (const path of ["/runs/2", "/runs/2/model"]) await call("GET", job + path, 404);
});

test("a job that fails, one that is stopped, and a full queue", async () => {
  const wind = { name: "wind", type: "force", body: "bob", value: ["1/(t - 0.5)", 0] };
  const failed = json(await call("POST", "/api/v1/jobs", 200, { body: pendulum(1, { forces: [wind] }), ...waiting(50) }));
  assert.equal(failed.status, "failed");
  // The one worker has the first job before the others are sent: they wait, and are all that may.
  const endlessly = (status) => call("POST", "/api/v1/jobs", status, { body: endless() });
  const jobs = [placeOf(await endlessly(202))];
  while (json(await call("GET", jobs[0], 200, waiting(0.1))).status === "queued");
  for (let place = 0; place < 2; place++) jobs.push(placeOf(await endlessly(202)));
  await endlessly(503);
  for (const path of ["/results", "/results/uT", ...FILES]) await call("GET", jobs.at(-1) + path, 409);
  // Rows of a running job.
  while ((await request(daemon.address, "GET", `${jobs[0]}/results`)).status === 409);
  for (const path of ["/results", "/results/uT", "/results/uT?format=npy", ...FILES]) {
    const { headers } = await call("GET", jobs[0] + path, 200);
    assert.deepEqual([headers["mbsd-complete"], headers.etag], ["false", undefined], path);
  }
  await call("POST", `${jobs[0]}/cancel`, [202, 200]); // its worker may have stopped it by then
  await call("POST", `${jobs.at(-1)}/cancel`, 200);
  await call("POST", "/api/v1/jobs", 202, { body: endless(), ...waiting(0.1) });
  for (const job of jobs) await call("DELETE", job, 204);
});

test("refusals", async () => {
  await call("POST", "/api/v1/jobs", 400, { body: "{" });
  await call("POST", "/api/v1/jobs", 422, { body: {} });
  await call("POST", "/api/v1/jobs", 403, { body: pendulum(1), headers: { Origin: "http://elsewhere.example" } });
  await call("POST", "/api/v1/jobs", 413, { body: " ", headers: { "Content-Length": 17 << 20 } });
  await call("POST", "/api/v1/jobs", 415, { body: pendulum(1), headers: { "Content-Encoding": "gzip" } });
  await call("POST", "/api/v1/validate", 415, { body: pendulum(1), headers: { "Content-Encoding": "gzip" } });
  await call("POST", "/api/v1/validate", 415, { body: pendulum(1), headers: { "Content-Type": "text/plain" } });
  await call("PUT", "/api/v1/jobs", 405, { body: "{}" });
  await call("POST", "/healthz", 405);
  await call("GET", "/healthz", 406, { headers: { "Accept-Encoding": "br, identity;q=0" } });
  await call("GET", `/healthz?${"x".repeat(20_000)}`, 414);
  await call("GET", "/healthz", 417, { headers: { Expect: "a miracle" } });
  for (const path of Object.keys(document.paths).filter((path) => document.paths[path].get)) {
    const target = path.replace("{id}", "x").replace("{name}", "x");
    if (path !== "/") await call("GET", `${target}?nonsense=1`, 400);
    await call("GET", target, 403, { headers: { Host: "elsewhere.example", "User-Agent": "Mozilla/5.0" } });
  }
});

test("jobs have names and tags, by which they are found", async () => {
  const body = { model: pendulum(1), name: "first swing", tags: ["class 7", "swing"], keep: true };
  const made = json(await call("POST", "/api/v1/jobs", 200, { body, ...waiting(50) }));
  assert.deepEqual([made.name, made.tags, made.keep], [body.name, body.tags, true]);
  assert.match(made.content_hash, /^[0-9a-f]{64}$/);
  const job = `/api/v1/jobs/${made.id}`;
  const since = encodeURIComponent(made.created);
  const found = ["status=succeeded", "model_name=pendulum", `since=${since}`, "q=FIRST", "tag=class+7"];
  const lost = ["status=cancelled", "model_name=crank", "since=2999-01-01T00:00:00Z", "q=second", "tag=class"];
  const listed = async (query) => json(await get(`/api/v1/jobs?${query}`)).jobs.some(({ id }) => id === made.id);
  for (const query of [...found, found.join("&")]) assert.ok(await listed(query), query);
  for (const query of [...lost, `${found[0]}&${lost[3]}`]) assert.ok(!(await listed(query)), query);
  for (const query of ["since=soon", "status=done", "limit=0"]) await call("GET", `/api/v1/jobs?${query}`, 400);

  const patch = (type) => ({ headers: { "Content-Type": type } });
  const merge = patch("application/merge-patch+json");
  const renamed = json(await call("PATCH", job, 200, { body: { name: "swing", tags: [] }, ...merge }));
  assert.deepEqual([renamed.name, renamed.tags, renamed.keep], ["swing", [], true]);
  const bare = json(await call("PATCH", job, 200, { body: { name: null, keep: false } }));
  assert.deepEqual([bare.name, bare.tags, bare.keep], [null, [], false]);
  assert.deepEqual(json(await get(job)), bare);
  await call("PATCH", job, 415, { body: {}, ...patch("text/plain") });
  await call("PATCH", job, 415, { body: {}, headers: { ...merge.headers, "Content-Encoding": "gzip" } });
  await call("PATCH", job, 422, { body: { status: "succeeded", name: 1 } });
  await call("PATCH", job, 400, { body: "{" });
  await call("PATCH", job, 413, { body: { name: "x".repeat(1 << 17) } });
  await call("PATCH", job, 403, { body: {}, headers: { Origin: "http://elsewhere.example" } });
  await call("PATCH", "/api/v1/jobs/nothing", 404, { body: { keep: true } });
  await call("POST", "/api/v1/jobs", 422, { body: { ...body, name: "", tags: ["a", "a"] } });
});

test("an equal job is found again, and a key makes one job", async () => {
  const model = pendulum(1, { name: "once" });
  const headers = { Prefer: "wait=50", "Idempotency-Key": "of this test" };
  const first = await call("POST", "/api/v1/jobs", 200, { body: model, headers });
  assert.equal(first.headers["idempotency-replayed"], undefined);
  const again = await call("POST", "/api/v1/jobs", 200, { body: model, headers });
  assert.deepEqual([again.headers["idempotency-replayed"], placeOf(again)], ["true", placeOf(first)]);
  const later = await call("POST", "/api/v1/jobs", 202, { body: model, headers: { "Idempotency-Key": "of this test" } });
  assert.deepEqual([later.headers["idempotency-replayed"], placeOf(later)], ["true", placeOf(first)]);
  await call("POST", "/api/v1/jobs", 422, { body: pendulum(2), headers });
  await call("POST", "/api/v1/jobs", 400, { body: model, headers: { "Idempotency-Key": "x".repeat(256) } });
  const reused = await call("POST", "/api/v1/jobs", 200, { body: { model, reuse: true } });
  assert.deepEqual([json(reused).reused, placeOf(reused)], [true, placeOf(first)]);
});

test("behind a proxy places have its prefix", async () => {
  const headers = { Prefer: "wait=50", "X-Forwarded-Prefix": "/simulation" };
  const posted = await call("POST", "/api/v1/jobs", 200, { body: pendulum(1), headers });
  const { id, links } = json(posted);
  assert.equal(posted.headers.location, `/simulation/api/v1/jobs/${id}`);
  assert.equal(links.results, `/simulation/api/v1/jobs/${id}/results`);
});

test("bodies come in parts, and texts in gzip", async () => {
  const sensors = [{ name: "late", value: "log(0.55 - t)" }];
  const posted = await call("POST", "/api/v1/jobs", 200, { body: pendulum(1, { sensors }), ...waiting(50) });
  const job = placeOf(posted);
  const { report } = json(posted);
  assert.equal(report.non_finite[0].array, "late");
  assert.equal(json(await get(`${job}/results`)).checksum, report.results_checksum);
  assert.equal(json(await get(`${job}/results/late`)).non_finite, report.non_finite[0].count);

  const files = ["/results/uT?format=npy", "/results.npz", "/results.mat", "/results.h5"].map((part) => job + part);
  for (const path of [...files, "/"]) {
    const whole = await get(path);
    const checksum = path === "/" ? undefined : report.results_checksum;
    assert.deepEqual([whole.headers["accept-ranges"], whole.headers["mbsd-results-checksum"]], ["bytes", checksum]);
    const size = whole.body.length;
    assert.equal(whole.headers["content-length"], `${size}`, path);
    for (const [range, first, end] of [["5-14", 5, 15], [`${size - 3}-`, size - 3, size], ["-7", size - 7, size]]) {
      const headers = { Range: `bytes=${range}`, "If-Range": whole.headers.etag };
      const part = await call("GET", path, 206, { headers });
      assert.equal(part.headers["content-range"], `bytes ${first}-${end - 1}/${size}`);
      assert.ok(part.body.equals(whole.body.subarray(first, end)), `${path}: ${range}`);
    }
    const beyond = await call("GET", path, 416, { headers: { Range: `bytes=${size}-` } });
    assert.equal(beyond.headers["content-range"], `bytes */${size}`);
    const other = await call("GET", path, 200, { headers: { Range: "bytes=0-1", "If-Range": '"another"' } });
    assert.equal(other.body.length, size);
  }
  for (const path of [`${job}/results.csv.zip`, `${job}/results/uT`]) {
    const whole = await call("GET", path, 200, { headers: { Range: "bytes=0-9" } });
    assert.equal(whole.headers["accept-ranges"], "none", path);
  }

  const headers = { "Accept-Encoding": "gzip" };
  for (const path of ["/", "/api/v1/openapi.json", job, `${job}/results`, `${job}/results/uT?format=csv`]) {
    const bare = await call("GET", path, 200);
    const packed = await get(path, { headers });
    assert.equal(packed.headers["content-encoding"], "gzip", path);
    assert.match(packed.headers.vary, /Accept-Encoding$/);
    assert.equal(packed.headers.etag, bare.headers.etag && `W/${bare.headers.etag}`);
    assert.ok(plain(packed).equals(bare.body), path);
  }
});

test("who has no token, or one of a lesser right", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "mbsd-openapi-"));
  context.after(() => rm(folder, { recursive: true }));
  const [reader, runner, admin] = await Promise.all(["read", "run", "admin"].map((right) => newToken(right, right)));
  const file = join(folder, "tokens");
  await writeFile(file, `${reader.line}\n${runner.line}\n${admin.line}\n`, { mode: 0o600 });
  const { address: at } = await another(context, `--token-file=${file}`);
  for (const [path, operations] of Object.entries(document.paths)) {
    const target = path.replace("{id}", "x").replace("/schemas/{name}", "/schemas/model.schema.json").replace("{name}", "x");
    for (const method of Object.keys(operations).filter((key) => operations[key].operationId)) {
      const open = operations[method].security?.length === 0;
      const answer = await call(method.toUpperCase(), target, open ? 200 : 401, { at });
      assert.equal(answer.headers["www-authenticate"], open ? undefined : 'Bearer realm="mbsd"');
    }
  }
  const unknown = await call("GET", "/api/v1/jobs", 401, { at, headers: { Authorization: "Bearer nonsense" } });
  assert.match(unknown.headers["www-authenticate"], /error="invalid_token"/);
  await get("/api/v1/jobs", { at, headers: reader.bearer });
  const scope = (answer) => answer.headers["www-authenticate"].replace(/.*scope=/, "");
  const body = pendulum(1);
  assert.equal(scope(await call("POST", "/api/v1/jobs", 403, { at, body, headers: reader.bearer })), '"run"');
  const mine = placeOf(await call("POST", "/api/v1/jobs", 202, { at, body, headers: runner.bearer }));
  const other = placeOf(await call("POST", "/api/v1/jobs", 202, { at, body, headers: admin.bearer }));
  assert.equal(scope(await call("DELETE", other, 403, { at, headers: runner.bearer })), '"admin"');
  await call("DELETE", mine, 204, { at, headers: runner.bearer });
  await call("DELETE", other, 204, { at, headers: admin.bearer });
});

test("a client with too many jobs, or connections", async (context) => {
  const few = await another(context, "--client-queue=1");
  // The one worker has the first job before the second is sent: that one waits, and is all that may.
  const endlessly = (status) => call("POST", "/api/v1/jobs", status, { at: few.address, body: endless() });
  const first = placeOf(await endlessly(202));
  while (json(await call("GET", first, 200, { at: few.address, ...waiting(0.1) })).status === "queued");
  await endlessly(202);
  const { limit, maximum, used } = json(await endlessly(429));
  assert.deepEqual([limit, maximum, used], ["client-queue", 1, 1]);
  const usage = json(await get("/api/v1/usage", { at: few.address }));
  assert.deepEqual(usage.limits[0], { name: "client-queue", maximum: 1, used: 1 });

  const lone = await another(context, "--client-connections=1");
  const held = net.connect(new URL(lone.address).port, "127.0.0.1");
  context.after(() => held.destroy());
  held.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => held.once("data", resolve));
  await call("GET", "/healthz", 429, { at: lone.address });
});

test("a data folder that goes is named, and nothing is changed meanwhile", async (context) => {
  const { address: at, folder } = await another(context);
  const body = pendulum(1);
  const job = placeOf(await call("POST", "/api/v1/jobs", 200, { at, body, ...waiting(50) }));
  await get("/readyz", { at });
  await rename(join(folder, "data"), join(folder, "away"));
  while ((await request(at, "GET", "/readyz")).status === 200);
  assert.match(json(await call("GET", "/readyz", 503, { at })).detail, /the data folder/);
  await call("POST", "/api/v1/jobs", 503, { at, body });
  await call("PATCH", job, 503, { at, body: { keep: true } });
  await call("POST", `${job}/cancel`, 503, { at });
  await call("DELETE", job, 503, { at });
  await get(`${job}/results.npz`, { at });
});

test("a disk that is nearly full", async (context) => {
  const roomy = await another(context);
  const body = pendulum(1);
  const job = placeOf(await call("POST", "/api/v1/jobs", 200, { at: roomy.address, body, ...waiting(50) }));
  await roomy.stop({ keep: true });
  const full = await another(context, `--data=${join(roomy.folder, "data")}`, "--disk-reserve=900T");
  const { address: at } = full;
  assert.match(json(await call("GET", "/readyz", 503, { at })).detail, /disk/);
  await call("POST", "/api/v1/jobs", 507, { at, body });
  await get(`${job}/results.npz`, { at });
  for (const file of ["/results.mat", "/results.h5"]) await call("GET", job + file, 507, { at });
  await call("DELETE", job, 204, { at });
});

test("what is written may not be taken", () => {
  for (const [path, operations] of Object.entries(document.paths).filter(([path]) => path.startsWith("/api/v1/jobs"))) {
    for (const [method, { responses }] of Object.entries(operations)) {
      if (!["post", "patch", "delete"].includes(method)) continue;
      for (const status of ["500", "503", "507"]) assert.ok(responses[status], `${method} ${path} lacks ${status}`);
    }
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
