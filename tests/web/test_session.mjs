// The session of the page's solver (web/src/solver/session.ts, wasm/session.c) in a browser: dragging, changing
// parameters, playing, reopening. Prints distances of dragged points from their targets, residuals, and times of
// frames.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { quantile, startAll } from "./daemon.mjs";
import { strandbeest } from "./strandbeest.mjs";
import { timeWorker } from "./worker.mjs";

const { buildSync } = createRequire(new URL("../../web/package.json", import.meta.url))("esbuild");

let all, page;

/** Bundles the session as the page's script contains it. */
function bundle() {
  const root = fileURLToPath(new URL("../../web/src/", import.meta.url));
  const contents = 'export { Solver } from "./solver/solver"; export { Session } from "./solver/session";';
  const stdin = { contents, resolveDir: root, loader: "ts" };
  return buildSync({ stdin, bundle: true, format: "esm", write: false }).outputFiles[0].text;
}

before(async () => {
  all = await startAll();
  page = await all.browser.newPage();
  await timeWorker(page);
  await page.route("**/session.js", (route) => route.fulfill({ contentType: "text/javascript", body: bundle() }));
  // A response of the daemon without scripts.
  await page.goto(`${all.base}/licenses.txt`);
  await page.evaluate(async () => {
    const { Worker } = window;
    window.Worker = class extends Worker {
      constructor(...values) {
        super(...values);
        this.addEventListener("message", ({ data }) => (window.spent = data.spent));
      }
    };
    const { Solver, Session } = await import("/session.js");
    Object.assign(window, { Solver, Session, solver: new Solver() });
    window.session = new Session(window.solver);
  });
});

after(() => all?.end());

function testSession(name, body) {
  test(name, async (context) => (all.missing ? context.skip(all.missing) : body(context)));
}

const modelText = (name) => readFile(`models/${name}.json`, "utf8");

const send = (command) => page.evaluate((command) => window.session.send(command), command);

async function open(document, carry = false) {
  const reply = await send({ call: "open", document, carry });
  assert.ok(reply.opened, JSON.stringify(reply));
  return reply.opened;
}

/** Drags a point of a body along a list of targets, one a frame. Returns for each frame the time until its position
 * was available and the part in the worker [ms], and the distance of the point from its target and of the points of
 * each pin [m]. */
function drag(name, at, targets) {
  return page.evaluate(
    async ([name, at, targets]) => {
      const { opened } = await window.session.send({ call: "open", document: window.text, carry: false });
      const { scene } = opened;
      const body = scene.bodies.findIndex((body) => body.name === name);
      const poses = 3 * (scene.bodies.length - 1);
      const pins = scene.joints.filter(({ type }) => type === "revolute").map(({ points }) => points);
      const frames = [];
      for (const target of targets) {
        await new Promise(requestAnimationFrame);
        const start = performance.now();
        const reply = await window.session.send({ call: "pull", body, point: at, target });
        if (!reply.moved) return { reply };
        const time = performance.now() - start;
        const place = (point) => [...reply.moved.numbers.subarray(poses + 2 * point, poses + 2 * point + 2)];
        const apart = (one, two) => Math.hypot(one[0] - two[0], one[1] - two[1]);
        const residual = Math.max(...pins.map(([one, two]) => apart(place(one), place(two))));
        frames.push({ time, spent: window.spent, distance: reply.moved.distance, residual });
      }
      return { frames };
    },
    [name, at, targets],
  );
}

/** Returns positions on a circle about a centre, starting at an angle. */
function circle(centre, radius, first, count, turns = 1) {
  const angle = (n) => first + (2 * Math.PI * turns * n) / count;
  const at = (n) => [centre[0] + radius * Math.cos(angle(n)), centre[1] + radius * Math.sin(angle(n))];
  return Array.from({ length: count }, (_, n) => at(n));
}

function tell(context, name, frames) {
  const largest = (key) => Math.max(...frames.map((frame) => frame[key])).toExponential(1);
  for (const [key, way] of [["time", "from target to position"], ["spent", "of it in the worker"]]) {
    const times = frames.map((frame) => frame[key]);
    const [half, most] = [0.5, 0.99].map((part) => quantile(times, part).toFixed(1));
    context.diagnostic(`${name}: ${frames.length} frames, ${way} p50 ${half} ms, p99 ${most} ms`);
  }
  context.diagnostic(`${name}: at most ${largest("distance")} m from the target, pins ${largest("residual")} m apart`);
}

testSession("the crank pin of a four-bar is dragged round", async (context) => {
  await page.evaluate((text) => (window.text = text), await modelText("FourBar"));
  const { frames, reply } = await drag("crank", [0.15, 0], circle([0, 0], 0.3, 1, 240));
  assert.ok(frames, JSON.stringify(reply));
  tell(context, "FourBar", frames);
  for (const { distance, residual } of frames) assert.ok(distance < 1e-4 && residual < 1e-10);
});

testSession("a walking linkage of 73 bodies is dragged by its crank and by a foot", async (context) => {
  await page.evaluate((text) => (window.text = text), strandbeest(12));
  const crank = await drag("crank", [0.15, 0], circle([0, 0], 0.15, 0, 240));
  assert.ok(crank.frames, JSON.stringify(crank.reply));
  tell(context, "Strandbeest, crank", crank.frames);
  for (const { distance, residual } of crank.frames) assert.ok(distance < 1e-3 && residual < 1e-10);
  const foot = await drag("lower1", [0, 0], circle([-0.35, -0.4], 0.1, 0, 240));
  assert.ok(foot.frames, JSON.stringify(foot.reply));
  tell(context, "Strandbeest, leg", foot.frames);
  for (const { residual } of foot.frames) assert.ok(residual < 1e-10);
});

testSession("every shipped model is opened, and what it says of freedoms is what a check says", async () => {
  for (const name of (await readdir("models")).filter((name) => name.endsWith(".json"))) {
    const text = await readFile(`models/${name}`, "utf8");
    const { freedoms, velocityFreedoms, mobility, numbers, scene } = await open(text);
    const { report } = await page.evaluate((text) => window.solver.validate(text), text);
    const counts = [report.degrees_of_freedom, report.velocity_freedoms, report.mobility];
    assert.deepEqual([freedoms, velocityFreedoms, mobility], counts, name);
    const size = scene.dimension === 2 ? 3 : 7;
    const count = size * (scene.bodies.length - 1) + scene.dimension * scene.points.length;
    assert.equal(Object.keys(numbers).length, count, name);
  }
});

testSession("a document that fails leaves the mechanism that is there", async () => {
  const text = await modelText("FourBar");
  await open(text);
  const pull = { call: "pull", body: 1, point: [0.15, 0], target: [0, 0.3] };
  const { moved } = await send(pull);
  const wrong = await send({ call: "open", document: text.replace('"mass": 1,', '"mass": -1,'), carry: true });
  assert.equal(wrong.problem.errors[0].pointer, "/bodies/0/mass");
  const apart = await send({ call: "open", document: text.replace('"d": 0.9', '"d": 9'), carry: true });
  assert.equal(apart.failure.code, "not_assembled");
  assert.deepEqual((await send(pull)).moved.numbers, moved.numbers);
  // The document with another number starts at the current position.
  const { numbers } = await open(text.replace('"c": 0.7', '"c": 0.71'), true);
  const angle = (list) => list[2];
  assert.ok(Math.abs(angle(numbers) - angle(moved.numbers)) < 0.1, `${angle(numbers)}, ${angle(moved.numbers)}`);
});

testSession("a mechanism that cannot move has a message with the reason", async () => {
  await open(await modelText("FourBar"));
  const { failure } = await send({ call: "pull", body: 1, point: [-0.15, 0], target: [1, 1] });
  assert.equal(failure.code, "lock_up");
  assert.match(failure.detail, /'crank' cannot move/);
});

testSession("parameters are set, drivers moved, and the motion continues", async () => {
  const text = await modelText("FourBar");
  const before = await open(text);
  const longer = text.replace('"a": 0.3', '"a": 0.35');
  const { opened } = await send({ call: "set", name: "a", value: 0.35, document: longer });
  assert.notDeepEqual(opened.numbers, before.numbers);
  const far = text.replace('"d": 0.9', '"d": 9');
  assert.equal((await send({ call: "set", name: "d", value: 9, document: far })).failure.code, "not_assembled");
  const { moved } = await send({ call: "step", dt: 0.1 });
  assert.ok(Math.abs(moved.time - 0.1) < 1e-12 && moved.numbers[2] !== opened.numbers[2]);
});

testSession("a motion that needs tiny steps ends a call after some seconds", async () => {
  // The rail of the follower is across its lift, so that a swing of the cam demands enormous speeds.
  const round = (at) => ({ mass: 1, inertia: 0.02, points: { A: [0, 0] }, initial: { position: at } });
  const document = {
    space: "planar",
    gravity: [0, -9.81],
    ground: { points: { A: [0, -0.3], B: [0, 0.25] }, vectors: { u: [1, 0] } },
    bodies: [
      { name: "cam", ...round([0, -0.3]) },
      { name: "bar", mass: 0.5, inertia: 0.01, points: { A: [0, -0.25], C: [0, 0] }, initial: { position: [0, 0.25] } },
      { name: "block", ...round([0, 0.25]), vectors: { u: [1, 0] } },
    ],
    joints: [
      {
        name: "touch",
        type: "cam-follower",
        points: ["cam.A", "bar.A"],
        curve: [{ polar: "0.18 + 0.045*cos(alpha - 1.570796)", start: 1.570796 }, { polar: 0.075, start: -1.570796 }],
      },
      { name: "pin", type: "revolute", points: ["ground.A", "cam.A"] },
      { name: "hinge", type: "revolute", points: ["bar.C", "block.A"] },
      { name: "rail", type: "translational", points: ["ground.B", "block.A"], vectors: ["ground.u", "block.u"] },
    ],
    drivers: [{ name: "motor", type: "joint", joint: "pin", function: "0.0125*sin(2*pi*t)" }],
    analysis: { type: "dynamics", t_end: 5, dt: 0.02 },
  };
  await open(JSON.stringify(document));
  const { failure } = await send({ call: "step", dt: 0.016 });
  assert.ok(["cancelled", "singular_position"].includes(failure.code), JSON.stringify(failure));
});

testSession("of several simultaneous drags only the newest is answered", async () => {
  await open(await modelText("FourBar"));
  const answered = await page.evaluate(async () => {
    const at = (n) => [0.3 * Math.cos(1 + n / 50), 0.3 * Math.sin(1 + n / 50)];
    const pull = (n) => window.session.send({ call: "pull", body: 1, point: [0.15, 0], target: at(n) });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => pull(n)));
    return replies.map((reply) => reply !== undefined);
  });
  assert.deepEqual(answered, [...Array.from({ length: 20 }, (_, n) => n === 0 || n === 19)]);
});
