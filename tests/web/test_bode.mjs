// The Bode plot of a frequency response in a real browser: values at the resonance, colours, and its removal.
import assert from "node:assert/strict";
import { base, page, picture, testPage, waitForStatus } from "./browser.mjs";
import { eventually, runJob } from "./waiting.mjs";

const STILL = { reducedMotion: "reduce", viewport: { width: 1280, height: 720 } };

/** A mass m = 2 on a spring k = 50 and a damper c = 0.4, on which the force F acts. The response of its position is
 * 1 / (k - m w^2 + i c w): at the resonance of the undamped mass, w = 5, it is 1 / (2 i). */
const RESONANCE = 5 / (2 * Math.PI);
const OSCILLATOR = {
  name: "Oscillator",
  space: "planar",
  parameters: { F: 0 },
  ground: { points: { O: [0, 0], W: [-1, 0] }, vectors: { u: [1, 0] } },
  bodies: [{ name: "b", mass: 2, inertia: 0.1, points: { C: [0, 0] }, vectors: { u: [1, 0] } }],
  joints: [{ name: "rail", type: "translational", points: ["ground.O", "b.C"], vectors: ["ground.u", "b.u"] }],
  forces: [
    { name: "s", type: "spring-damper", points: ["ground.W", "b.C"], stiffness: 50, damping: 0.4, free_length: 1 },
    { name: "f", type: "force", body: "b", value: ["F", 0] },
  ],
  sensors: [{ name: "x", value: "b.x" }, { name: "v", value: "b.vx" }],
  analysis: {
    type: "frequency-response",
    input: "F",
    output: ["x", "v"],
    // The middle of 201 frequencies in equal ratios is the resonance.
    frequencies: { from: RESONANCE / 10, to: 10 * RESONANCE, count: 201, scale: "log" },
  },
};

/** Runs a document and opens its job. */
async function show(document) {
  const job = await runJob(base, document);
  assert.equal(job.status, "succeeded", JSON.stringify(job.error ?? job));
  await page.goto("about:blank");
  await page.goto(`${base}#job=${job.id}`);
  await waitForStatus("succeeded");
  await page.waitForFunction(() => document.querySelectorAll("#values .bode .u-over").length === 2);
}

/** Returns the numbers in the legends of both plots: frequency and one for each output. */
async function legends() {
  const plots = await page.$$eval("#values .bode .uplot", (all) =>
    all.map((plot) => [...plot.querySelectorAll(".u-value")].map(({ textContent }) => textContent)),
  );
  return plots.map((texts) => texts.map(Number));
}

/** Points at a frequency, as a fraction of the width of the axis, in the plot of amplitudes. */
async function pointAt(fraction) {
  const over = page.locator("#values .bode .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await over.boundingBox();
  await page.mouse.move(x + fraction * width, y + height / 2);
}

testPage("a frequency response has amplitudes and phases, which are read off at the resonance", STILL, async () => {
  await show(OSCILLATOR);
  assert.match(await page.textContent("#values h3"), /Frequency response/);
  await pointAt(0.5);
  await eventually(async () => {
    const [amplitudes, phases] = await legends();
    for (const frequency of [amplitudes[0], phases[0]])
      assert.ok(Math.abs(frequency - RESONANCE) < 1e-3, `${frequency}`);
    // The velocity i w x is 2.5 and in phase with the force.
    assert.deepEqual([amplitudes.slice(1), phases.slice(1).map(Math.round)], [[0.5, 2.5], [-90, 0]]);
  });
  await picture("bode-light");
  // Far above the resonance the mass alone counts: x = -1 / (m w^2).
  await pointAt(0.9999);
  await eventually(async () => {
    const [[frequency, x], [, phase]] = await legends();
    assert.ok(Math.abs(frequency - 10 * RESONANCE) < 0.01, `${frequency}`);
    assert.ok(Math.abs(x * 2 * 50 ** 2 - 1) < 0.02 && phase < -179 && phase >= -180, `${x} ${phase}`);
  });
});

testPage("the Bode plot follows the colours of the page, and leaves nothing behind", STILL, async () => {
  // Each plot of uPlot listens to this event of the window until it is destroyed.
  await page.addInitScript(() => {
    window.listening = new Set();
    const [add, remove] = [window.addEventListener, window.removeEventListener];
    window.addEventListener = function (type, listener, ...more) {
      if (type === "dppxchange") window.listening.add(listener);
      return add.call(this, type, listener, ...more);
    };
    window.removeEventListener = function (type, listener, ...more) {
      window.listening.delete(listener);
      return remove.call(this, type, listener, ...more);
    };
  });
  await show(OSCILLATOR);
  const colours = () => page.$$eval("#values .bode canvas", (all) => all.map((canvas) => canvas.toDataURL()));
  const listening = () => page.evaluate(() => window.listening.size);
  const [light, listeners] = [await colours(), await listening()];
  await page.emulateMedia({ colorScheme: "dark" });
  await eventually(async () => {
    const dark = await colours();
    assert.equal(dark.length, 2);
    dark.forEach((picture, i) => assert.notEqual(picture, light[i]));
  });
  await picture("bode-dark");
  assert.equal(await listening(), listeners);
  await page.click("#new");
  await page.waitForFunction(() => !document.querySelector("#values .bode"));
  assert.equal(await listening(), listeners - 2);
});
