// Measures how long the page draws a frame of many bodies, planar and spatial, in a real browser. Times depend on the
// machine and are printed; the test checks the number of calls of drawing functions.
import assert from "node:assert/strict";
import { page, testPage } from "./browser.mjs";
import { quantile } from "./daemon.mjs";
import { replaceText } from "./editor.mjs";
import { watchWorker } from "./worker.mjs";

const DESK = { viewport: { width: 1440, height: 900 } };

/** Returns a chain of `count` links with shapes. */
function chain(count) {
  const space = "planar";
  const names = Array.from({ length: count }, (_, i) => `link${i}`);
  const ends = (i) => [i === 0 ? "ground.O" : `link${i - 1}.B`, `link${i}.A`];
  return {
    name: `Chain of ${count}`,
    space,
    gravity: [0, -9.81],
    ground: { points: { O: [0, 0] } },
    bodies: names.map((name, i) => ({
      name, mass: 1, inertia: 0.01, points: { A: [-0.05, 0], B: [0.05, 0] },
      ...(i % 2 === 0 && { shapes: [{ type: "rectangle", width: 0.1, height: 0.03 }] }),
    })),
    joints: names.map((name, i) => ({
      name: `pin${i}`, type: "revolute", points: ends(i), initial: { position: i === 0 ? 0.5 : 0.01 },
    })),
    analysis: { type: "dynamics", t_end: 1, dt: 0.01 },
  };
}

/** Returns `count` flying balls with shapes. */
function swarm(count) {
  const side = Math.ceil(Math.cbrt(count));
  return {
    name: `Swarm of ${count}`,
    space: "spatial",
    gravity: [0, 0, -9.81],
    bodies: Array.from({ length: count }, (_, i) => ({
      name: `ball${i}`, mass: 1, inertia: [0.01, 0.01, 0.01],
      shapes: [{ type: "circle", at: [0, 0, 0], radius: 0.05 }],
      initial: {
        position: [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)].map((k) => 0.3 * k),
        velocity: [0.1 * (i % 7), 0, 2], angular_velocity: [1, 0.1 * (i % 5), 0],
      },
    })),
    analysis: { type: "dynamics", t_end: 1, dt: 0.01 },
  };
}

async function open(document) {
  await page.addInitScript(watchWorker);
  await page.addInitScript(countCalls);
  await page.reload();
  await page.waitForFunction(() => window.seen.opened > 0);
  await page.click("#text-tab");
  const opened = await page.evaluate(() => window.seen.opened);
  await replaceText(page, JSON.stringify(document));
  await page.waitForFunction((before) => window.seen.opened > before, opened);
  await page.click("#fit");
}

/** Counts the calls of the browser's drawing functions in `window.drawCalls`. WebGL calls that fill triangles are
 * counted but not executed, because software rendering would dominate the time. */
function countCalls() {
  window.drawCalls = 0;
  const count = (type, wanted, made) => {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype)))
      if (typeof value === "function" && wanted.test(name))
        type.prototype[name] = function (...input) {
          window.drawCalls++;
          return made ? value.apply(this, input) : undefined;
        };
  };
  count(CanvasRenderingContext2D, /^(fill|stroke|lineTo|arc|rect|drawImage)/, true);
  count(WebGL2RenderingContext, /^draw(Elements|Arrays)/, false);
}

/** Runs the document, plays its motion, prints the durations of frames, and returns the number of calls of drawing
 * functions in each [1]. */
async function play(context, what) {
  await page.click("#run");
  await page.waitForSelector("#run-badge.succeeded");
  await page.waitForSelector("#result.ended.moving:not(.live)");
  await page.selectOption("#speed", { index: 0 });
  if ((await page.textContent("#play")) === "Play") await page.click("#play");
  await page.evaluate(() => {
    window.began = performance.now();
    window.seen.frames = [];
    window.drawCalls = 0;
  });
  await page.waitForFunction(() => window.seen.frames.length > 100);
  const [frames, time, calls] = await page.evaluate(() => {
    return [window.seen.frames, performance.now() - window.began, window.drawCalls];
  });
  const [half, most] = [0.5, 0.95].map((part) => quantile(frames, part).toFixed(1));
  const rate = ((1000 * frames.length) / time).toFixed(0);
  context.diagnostic(`${what}: drawn in ${half} ms (p50), ${most} ms (p95), ${rate} frames a second`);
  return calls / frames.length;
}

/** Plays a model with `count` bodies and one with twice as many. Checks that the calls of a frame grow at most in
 * proportion to the bodies. */
async function compare(context, model, count, what) {
  const calls = [];
  for (const bodies of [count, 2 * count]) {
    await open(model(bodies));
    calls.push(await play(context, `${bodies} ${what}`));
  }
  context.diagnostic(`calls a frame: ${calls.map((each) => each.toFixed(1)).join(", ")}`);
  assert.ok(calls[0] > 0, "something is drawn");
  assert.ok(calls[1] < 2.5 * calls[0], `${calls[1]} calls a frame for twice the bodies of ${calls[0]} calls`);
}

testPage("a hundred links are drawn with work in proportion", DESK, (context) => compare(context, chain, 50, "links"));

testPage("five hundred bodies in space are drawn with work in proportion", DESK, (context) =>
  compare(context, swarm, 250, "bodies"));
