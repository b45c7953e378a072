// The solver in the page (web/src/solver/solver.ts, wasm/) compared with the daemon: every shipped model gives the same
// arrays except for rounding, and every validation error the same message.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startAll } from "./daemon.mjs";
import { runJob } from "./waiting.mjs";

const { buildSync } = createRequire(new URL("../../web/package.json", import.meta.url))("esbuild");

/** Allowed difference relative to an array's largest value: the module uses another C library, whose mathematical
 * functions differ in the last bits. */
const TOLERANCE = 1e-12;
/** Residuals and constant values below this are zero except for rounding. */
const ROUNDING = 1e-11;
/** Models whose motions magnify rounding errors: by impacts of some 30 us among rows of 10 ms; Cam by the times at
 * which the curvature of the cam jumps; PistonEngine by the jump of its gas force at the dead centres, where the last
 * digit of the time changes the speed by 5e-14. */
const MAGNIFIED = {
  "BouncingBall.json": 1e-3,
  "Cam.json": 1e-9,
  "PistonEngine.json": 1e-10,
  "Rod.json": 1e-7,
  "Rod2.json": 1e-7,
  "Rod_bc.json": 1e-6,
};
/** Models that need a method which the module does not contain: CVODE's bdf. */
const FOR_THE_SERVER = ["CB_bc.json", "FlexibleBeam.json", "Governor.json"];

let all, base, page;

/** Bundles the client of the solver; the page has no separate file for it. */
function bundle() {
  const root = fileURLToPath(new URL("../../web/src/", import.meta.url));
  const contents = 'export { Solver } from "./solver/solver"; export { parseNpy } from "./results/npy";';
  const stdin = { contents, resolveDir: root, loader: "ts" };
  return buildSync({ stdin, bundle: true, format: "esm", write: false }).outputFiles[0].text;
}

before(async () => {
  all = await startAll();
  base = all.base;
  page = await all.browser.newPage();
  await page.route("**/solver.js", (route) => route.fulfill({ contentType: "text/javascript", body: bundle() }));
  await page.goto(base);
  await page.evaluate(async () => {
    const { Solver, parseNpy } = await import("/solver.js");
    Object.assign(window, { solver: new Solver(), Solver, parseNpy });
  });
  await page.unrouteAll(); // Firefox asks for each request meanwhile
});

after(() => all?.end());

/** Runs a test that needs the module. */
function testSolver(name, body) {
  test(name, async (context) => (all.missing ? context.skip(all.missing) : body(context)));
}

const post = (path, body) =>
  fetch(`${base}/api/v1/${path}`, { method: "POST", body, headers: { "Content-Type": "application/json" } });

/** Runs a document in the page and compares it with the arrays of a job. Returns for each array the largest
 * difference, its largest value, and whether all numbers are equal to the bit. */
function compareInPage(text, id) {
  return page.evaluate(
    async ([text, id]) => {
      const run = await window.solver.run(text);
      if (!run.outcome) return run;
      const { arrays } = await (await fetch(`/api/v1/jobs/${id}/results`)).json();
      const described = (list) => JSON.stringify(list.map(({ data, ...info }) => info));
      const compare = async ({ name, data }) => {
        const address = `/api/v1/jobs/${id}/results/${encodeURIComponent(name)}?format=npy`;
        const other = window.parseNpy(await (await fetch(address)).arrayBuffer()).data;
        const array = { name, equal: true, largest: 0, difference: data.length === other.length ? 0 : Infinity };
        other.forEach((value, i) => {
          array.largest = Math.max(array.largest, Math.abs(value) || 0);
          if (Object.is(value, data[i])) return;
          const difference = Math.abs(value - data[i]);
          array.equal = false;
          array.difference = Number.isNaN(difference) ? Infinity : Math.max(array.difference, difference);
        });
        return array;
      };
      const compared = await Promise.all(run.arrays.map(compare));
      return { outcome: run.outcome, sameList: described(arrays) === described(run.arrays), compared };
    },
    [text, id],
  );
}

const models = (await readdir("models")).filter((name) => name.endsWith(".json")).sort();

testSolver("every shipped model gives the service's arrays", async (context) => {
  const server = [];
  const seconds = { page: 0, service: 0 };
  let equal = 0;
  let worst = { relative: 0 };
  for (const name of models) {
    const text = await readFile(join("models", name), "utf8");
    const job = await runJob(base, text);
    assert.equal(job.status, "succeeded", `${name}: ${JSON.stringify(job.error)}`);
    const result = await compareInPage(text, job.id);
    if (result.needsServer) {
      server.push(name);
      continue;
    }
    assert.equal(result.outcome.status, "succeeded", `${name}: ${JSON.stringify(result.outcome.error)}`);
    assert.ok(result.sameList, `${name}: other arrays`);
    for (const array of result.compared) {
      const allowed = Math.max((MAGNIFIED[name] ?? TOLERANCE) * array.largest, ROUNDING);
      assert.ok(array.difference <= allowed, `${name}: ${JSON.stringify(array)}`);
      const relative = array.difference > ROUNDING ? array.difference / array.largest : 0;
      if (!(name in MAGNIFIED) && relative > worst.relative) worst = { name, array: array.name, relative };
    }
    if (result.compared.every((array) => array.equal)) equal++;
    seconds.page += result.outcome.report.wall_seconds;
    seconds.service += job.report.wall_seconds;
  }
  assert.deepEqual(server, FOR_THE_SERVER);
  context.diagnostic(`${models.length} models: ${equal} equal bit by bit, ${server.length} for the service`);
  context.diagnostic(`they ran for ${seconds.page.toFixed(2)} s there, ${seconds.service.toFixed(2)} s in the service`);
  context.diagnostic(`largest difference, except for those that magnify rounding: ${JSON.stringify(worst)}`);
});

/** Returns residuals without the places of those that are rounding errors. */
function aboveRounding({ where, ...residuals }) {
  const kept = Object.entries(where).filter(([level]) => residuals[level] > ROUNDING);
  return { ...residuals, where: Object.fromEntries(kept) };
}

/** Returns an answer without times, addresses and rounding, which differ; links are relative to the page. */
function lasting({ instance, wall_seconds, errors, residuals, ...rest }) {
  const fromThePage = ({ help, ...mistake }) => ({ ...mistake, help: help?.replace("../../", "") });
  return { ...rest, errors: errors?.map(fromThePage), residuals: residuals && aboveRounding(residuals) };
}

/** Fails if two answers differ by more than rounding. */
function expectAlike(page, service, place) {
  if (typeof service === "number" && typeof page === "number") {
    const allowed = Math.max(TOLERANCE * Math.abs(service), ROUNDING);
    assert.ok(Math.abs(page - service) <= allowed, `${place}: ${page}, not ${service}`);
  } else if (service !== null && page !== null && typeof service === "object" && typeof page === "object") {
    assert.deepEqual(Object.keys(page), Object.keys(service), place);
    for (const key of Object.keys(service)) expectAlike(page[key], service[key], `${place}/${key}`);
  } else {
    assert.deepEqual(page, service, place);
  }
}

async function expectSameAnswer(text, place) {
  const answer = await post("validate?scene=true", text);
  const result = await page.evaluate((text) => window.solver.validate(text, true), text);
  assert.equal(answer.status, result.problem?.status ?? 200, place);
  expectAlike(lasting(result.problem ?? result.report), lasting(await answer.json()), place);
}

testSolver("every shipped model is understood as the service does", async () => {
  for (const name of models) await expectSameAnswer(await readFile(join("models", name), "utf8"), name);
});

testSolver("errors have the service's messages", async () => {
  const corpus = "tests/fuzz/corpus/document";
  for (const name of await readdir(corpus))
    if (name !== "not-utf8.json") await expectSameAnswer(await readFile(join(corpus, name), "utf8"), name);
  const fourBar = await readFile("models/FourBar.json", "utf8");
  const wrong = {
    nothing: "",
    "no JSON": "{\n  \"space\": planar\n}",
    "a null character": '{"name": "\\u0000"}',
    "beyond ASCII": '{"größe": 1, "space": "plänar"}',
    deep: "[".repeat(3000),
    "deep enough": "[".repeat(2000) + "]".repeat(2000),
    misspelt: fourBar.replace('"mass"', '"mas"').replace('"revolute"', '"revolut"'),
    "cannot be assembled": fourBar.replace('"C":["d",0]', '"C":[99,0]').replace('"C": ["d", 0]', '"C": [99, 0]'),
    "an expression": fourBar.replace(/"mass": *[0-9.]+/, '"mass": "1 +"'),
  };
  for (const [place, text] of Object.entries(wrong)) await expectSameAnswer(text, place);
});

testSolver("a worker is soon there", async (context) => {
  const text = await readFile("models/FourBar.json", "utf8");
  const milliseconds = await page.evaluate(async (text) => {
    const start = performance.now();
    const solver = new window.Solver();
    await solver.validate(text);
    const first = performance.now();
    await solver.validate(text);
    const times = [first - start, performance.now() - first];
    solver.stop();
    return times;
  }, text);
  const [first, second] = milliseconds.map((time) => time.toFixed(1));
  context.diagnostic(`from its start to the first answer ${first} ms, the next one after ${second} ms`);
});

testSolver("a document is assembled into one row of positions", async () => {
  const text = await readFile("models/FourBar.json", "utf8");
  const run = await page.evaluate((text) => window.solver.assemble(text), text);
  assert.equal(run.outcome.report.analysis, "assembly");
  const points = run.arrays.find(({ name }) => name === "rP");
  assert.equal(points.shape[0], 1);
});

testSolver("a running call is stopped, and the next one is answered", async () => {
  const text = await readFile("models/FourBar.json", "utf8");
  const document = JSON.parse(text);
  document.analysis = { ...document.analysis, t_end: 1e6, dt: 1e3 };
  const reason = await page.evaluate(async ([long, text]) => {
    const run = window.solver.run(long).then(() => "it ended", String);
    setTimeout(() => window.solver.stop(new Error("enough")), 200);
    return [await run, "report" in (await window.solver.validate(text))];
  }, [JSON.stringify(document), text]);
  assert.deepEqual(reason, ["Error: enough", true]);
});

testSolver("only the solver's worker may compile WebAssembly", async () => {
  const module = await fetch(`${base}/mbs.wasm`);
  assert.equal(module.headers.get("content-type"), "application/wasm");
  assert.equal(module.headers.get("content-encoding"), "gzip");
  const policy = async (path) => (await fetch(base + path)).headers.get("content-security-policy");
  assert.match(await policy("/solver-worker.js"), /script-src 'self' 'wasm-unsafe-eval'/);
  for (const path of ["/", "/app.js", "/mbs.wasm"]) assert.doesNotMatch(await policy(path), /wasm/, path);
  const refused = await page.evaluate(async () => {
    const bytes = await (await fetch("/mbs.wasm")).arrayBuffer();
    return WebAssembly.compile(bytes).then(() => "compiled", String);
  });
  assert.match(refused, /Content Security Policy|CSP/);
});
