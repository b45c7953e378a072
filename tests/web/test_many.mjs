// Mechanisms of 500 bodies in a real browser: counts the GPU calls of a frame, and prints the time of the page's
// script. The calls are counted but not executed, because rendering is by software here.
import assert from "node:assert/strict";
import { base, page, testPage, waitForStatus } from "./browser.mjs";
import { runJob } from "./waiting.mjs";

const CHAINS = 25;
const LINKS = 20;
/** Maximum number of calls: geometries of bodies and joints, the ground, and their shadows. */
const MOST_CALLS = 20;

/** Returns falling chains of links, side by side. */
function chains(space) {
  const point = (...at) => (space === "planar" ? at.slice(0, 2) : at);
  const solid = space === "planar" ? { type: "rectangle", width: 0.4, height: 0.1 } : { type: "box", size: [0.4, 0.1, 0.1] };
  const inertia = space === "planar" ? 0.02 : [0.01, 0.02, 0.02];
  const vectors = space === "planar" ? {} : { vectors: { w: [0, 0, 1] } };
  const bodies = [];
  const joints = [];
  const points = {};
  for (let chain = 0; chain < CHAINS; chain++) {
    points[`P${chain}`] = point(0, 0.5 * chain, chain % 5);
    for (let link = 0; link < LINKS; link++) {
      const name = `b${chain}_${link}`;
      const before = link > 0 ? `b${chain}_${link - 1}` : "ground";
      bodies.push({ name, mass: 1, inertia, points: { A: point(-0.2, 0, 0), B: point(0.2, 0, 0) }, ...vectors, shapes: [solid] });
      joints.push({
        name: `j${chain}_${link}`,
        type: "revolute",
        points: [link > 0 ? `${before}.B` : `ground.P${chain}`, `${name}.A`],
        ...(space === "planar" ? {} : { vectors: [`${before}.w`, `${name}.w`] }),
      });
    }
  }
  const integrator = { rtol: 1e-4, atol: 1e-6 };
  const analysis = { type: "dynamics", t_end: 1, dt: 0.02, integrator, outputs: ["theta", "r", "p", "rP"] };
  return { name: `${space} chains`, space, gravity: point(0, -9.81, 0), ground: { points, ...vectors }, bodies, joints, analysis };
}

/** Counts the calls of each frame, and measures its script. */
function watchFrames() {
  window.frames = [];
  let calls = 0;
  for (const call of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"])
    WebGL2RenderingContext.prototype[call] = () => calls++;
  const { requestAnimationFrame } = window;
  window.requestAnimationFrame = (frame) =>
    requestAnimationFrame((time) => {
      const before = calls;
      const began = performance.now();
      frame(time);
      window.frames.push({ calls: calls - before, milliseconds: performance.now() - began });
    });
}

for (const space of ["spatial", "planar"])
  testPage(`500 bodies, ${space}`, { viewport: { width: 1440, height: 900 } }, async () => {
    await page.addInitScript(watchFrames);
    await page.reload();
    const job = await runJob(base, chains(space));
    assert.equal(job.status, "succeeded", JSON.stringify(job.error ?? job));
    await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
    await waitForStatus("succeeded");
    await page.waitForSelector("#result.moving");
    await page.waitForFunction(() => window.frames.length > 30);
    await page.evaluate(() => (window.frames = []));
    await page.waitForFunction(() => window.frames.length > 120);
    const frames = await page.evaluate(() => window.frames);
    const times = frames.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const share = (q) => times[Math.floor(q * (times.length - 1))].toFixed(1);
    const most = Math.max(...frames.map(({ calls }) => calls));
    console.log(`# ${space}: ${most} calls a frame, script ${share(0.5)} ms, of one in a hundred ${share(0.99)} ms`);
    assert.ok(most <= MOST_CALLS, `${most} calls a frame`);
    assert.equal(most > 0, space === "spatial", "solids are drawn by WebGL");
  });
