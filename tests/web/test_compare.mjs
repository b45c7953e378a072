// Comparison of runs in a real browser: the motion of a pinned run as a pale copy, arrows of finished runs, and the
// motion of a running job.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { base, page, picture, PICTURES, testPage, waitForStatus } from "./browser.mjs";
import { eventually, frameOf, runJob } from "./waiting.mjs";

/** Page settings that stop the animation. */
const STILL = { reducedMotion: "reduce", viewport: { width: 1440, height: 900 } };

/** Runs a document, which must succeed. */
async function succeed(document) {
  const job = await runJob(base, document);
  assert.equal(job.status, "succeeded", JSON.stringify(job.error ?? job));
  return job;
}

async function showJob({ id }) {
  await page.evaluate((id) => (location.hash = `job=${id}`), id);
  await waitForStatus("succeeded");
  await page.waitForSelector("#result.moving:not(.live) #plot .u-over");
}

const model = async (name) => JSON.parse(await readFile(`models/${name}.json`, "utf8"));
const pixels = () => page.$eval("#canvas", (canvas) => canvas.toDataURL());
const toggle = (name) => page.click(`[data-toggle="${name}"]`);

/** Waits until the drawing fulfils a condition. */
const until = (condition, what) => eventually(async () => assert.ok(await condition(), `did not happen: ${what}`));

/** Records the opacity of lines in the drawing. */
function noteAlphas() {
  window.alphas = new Map();
  const { stroke } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.stroke = function (...path) {
    const alpha = this.globalAlpha.toFixed(2);
    if (this.canvas.id === "canvas") window.alphas.set(alpha, (window.alphas.get(alpha) ?? 0) + 1);
    return stroke.apply(this, path);
  };
}

for (const name of ["FourBar", "RSSR_solid"])
  testPage(`the motion of a pinned run is a ghost in the drawing of another one, ${name}`, STILL, async () => {
    await page.addInitScript(noteAlphas);
    await page.reload();
    const document = await model(name);
    const first = await succeed(document);
    const turned = { ...document, gravity: document.gravity.map((g) => 0.3 * g) };
    const second = await succeed(turned);
    await showJob(first);
    await page.click("#plot-pin");
    await page.locator("#time").fill("1");
    const alone = await pixels();
    assert.equal(await page.evaluate(() => window.alphas.has("0.30")), false, "its own ghost is drawn");
    await showJob(second);
    await page.locator("#time").fill("1");
    await until(async () => (await pixels()) !== alone, "the other run is drawn");
    const both = await pixels();
    await picture(`ghost-${name}`);
    await page.click("#plot-pin");
    await until(async () => (await pixels()) !== both, "the ghost goes");
    const other = await pixels();
    assert.notEqual(other, alone);
    await page.evaluate(() => window.alphas.clear());
    // The pinned run also appears as a pale copy with another run.
    await page.click("#plot-pin");
    await showJob(first);
    await page.locator("#time").fill("1");
    await until(async () => (await pixels()) !== alone, "the ghost is drawn");
  });

testPage("a ghost has its rods, also without mass", STILL, async () => {
  await page.addInitScript(() => {
    Object.assign(window, { rods: 0, points: 0 });
    const keep = (name, work) => {
      const own = CanvasRenderingContext2D.prototype[name];
      CanvasRenderingContext2D.prototype[name] = function (...values) {
        work(this);
        return own.apply(this, values);
      };
    };
    keep("beginPath", () => (window.points = 0));
    keep("lineTo", () => window.points++);
    // Only a rod is drawn as a single pale line in the colour of the text.
    keep("stroke", (context) => {
      const text = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
      const pale = context.canvas.id === "canvas" && context.globalAlpha.toFixed(2) === "0.30";
      if (pale && window.points === 1 && context.strokeStyle === text) window.rods++;
    });
  });
  await page.reload();
  const document = await model("PendulumSpring_rod");
  await showJob(await succeed(document));
  await page.click("#plot-pin");
  await page.locator("#time").fill("1");
  assert.equal(await page.evaluate(() => window.rods), 0);
  await showJob(await succeed({ ...document, gravity: [0, -5] }));
  await page.locator("#time").fill("1");
  await until(() => page.evaluate(() => window.rods > 0), "the rod of the ghost is drawn");
  await picture("ghost-rod");
});

testPage("a ghost has the position of its run, and stays at its end", STILL, async () => {
  const slide = (speed, t_end) => ({
    name: "slide",
    space: "planar",
    ground: { points: { O: [0, 0] }, vectors: { u: [1, 0] } },
    bodies: [{
      name: "cart", mass: 1, inertia: 1, points: { P: [0, 0] }, vectors: { u: [1, 0] },
      shapes: [{ type: "circle", at: [0, 0], radius: 0.2, color: "#ff0000" }],
    }],
    joints: [{
      name: "rail", type: "translational", points: ["ground.O", "cart.P"], vectors: ["ground.u", "cart.u"],
      initial: { position: 0, velocity: speed },
    }],
    view: { x: [-1, 5], y: [-1, 1] },
    analysis: { type: "dynamics", t_end, dt: 0.01 },
  });
  await showJob(await succeed(slide(2, 1)));
  await page.click("#plot-pin");
  await showJob(await succeed(slide(1, 2)));
  /** Returns the centres of red runs of pixels along the middle of the canvas [m]. */
  const reds = () => page.evaluate(() => {
    const canvas = document.querySelector("#canvas");
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    // The row of pixels is above the rail, through the discs.
    const scale = Math.min((width - 88) / 6, (height - 88) / 2);
    const row = Math.round(height / 2 - 0.1 * scale);
    const found = [];
    let from = -1;
    for (let x = 0; x <= width; x++) {
      const i = 4 * (row * width + x);
      const red = x < width && data[i] > data[i + 1] + 10 && data[i] > data[i + 2] + 10;
      if (red && from < 0) from = x;
      if (!red && from >= 0) {
        if (x - from > 0.2 * scale) found.push(((from + x) / 2 - width / 2) / scale + 2);
        from = -1;
      }
    }
    return found;
  });
  for (const [t, places] of [[0.7, [0.7, 1.4]], [1.5, [1.5, 2]]]) {
    await page.locator("#time").fill(String(t));
    await eventually(async () => {
      const found = await reds();
      assert.ok(found.length === 2 && found.every((place, i) => Math.abs(place - places[i]) < 0.03), `at ${t} s: ${found}`);
    });
  }
});

testPage("arrows of a finished run are those of its arrays", STILL, async () => {
  await page.addInitScript(noteAlphas);
  const job = await succeed(await model("SP"));
  await showJob(job);
  await page.locator("#time").fill("1");
  let shown = await pixels();
  const read = [];
  page.on("request", (request) => read.push(/results\/(\w+)/.exec(request.url())?.[1]));
  for (const [name, array] of [["velocities", "rPd"], ["accelerations", "rPdd"], ["forces", "reactions"]]) {
    await toggle(name);
    await until(() => read.includes(array), `${array} is read`);
    await until(async () => (await pixels()) !== shown, `${name} are drawn`);
    shown = await pixels();
  }
  await picture("arrows-of-a-run");
  const title = () => page.getAttribute('[data-toggle="instant-centres"]', "title");
  await eventually(async () => assert.match(await title(), /runs do not record them/));
  await page.click("#by-hand");
  await eventually(async () => assert.doesNotMatch(await title(), /record/));
});

testPage("the button names what a run has not computed", STILL, async () => {
  const { sensors, ...document } = await model("FourBar_inverse");
  await showJob(await succeed({ ...document, analysis: { ...document.analysis, type: "kinematics" } }));
  const title = () => page.getAttribute('[data-toggle="forces"]', "title");
  await eventually(async () => assert.match(await title(), /this run has not computed them/));
  assert.doesNotMatch(await page.getAttribute('[data-toggle="velocities"]', "title"), /computed/);
});

/** A pendulum that the service computes for longer than the test takes. */
const LONG = {
  name: "long",
  space: "planar",
  gravity: [0, -9.81],
  ground: { points: { O: [0, 0] } },
  bodies: [{ name: "bob", mass: 1, inertia: 0.1, points: { O: [0, 1] } }],
  joints: [{ name: "pin", type: "revolute", points: ["ground.O", "bob.O"], initial: { position: 2.5 } }],
  analysis: { type: "dynamics", t_end: 1e7, dt: 20 },
};

/** Submits a job as another client, and opens it. */
async function openRunning(document) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify(document);
  const { id, ...rest } = await (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body })).json();
  assert.ok(id, JSON.stringify(rest));
  await page.evaluate((id) => (location.hash = `job=${id}`), id);
  return id;
}

const shownTime = () => page.$eval("#time", ({ value, max }) => ({ t: Number(value), end: Number(max) }));

const MOVING = { viewport: STILL.viewport };

testPage("the motion of a job is shown while it is computed, and unchanged when it has ended", MOVING, async () => {
  const id = await openRunning(LONG);
  await page.waitForSelector("#result.moving:not(.live):not(.ended)");
  const early = await shownTime();
  assert.ok(early.end > 0 && early.end < 1e7);
  await page.waitForFunction((end) => Number(document.querySelector("#time").max) > end, early.end);
  await page.waitForFunction((t) => Number(document.querySelector("#time").value) > t, early.t);
  assert.ok(await page.isVisible("#run-progress"), "with progress");
  await picture("while-it-runs");
  // The user has zoomed in.
  await page.click("#zoom-in");
  await page.click("#zoom-in");
  await page.evaluate(() => {
    window.scales = new Set();
    const { fillText } = CanvasRenderingContext2D.prototype;
    let line = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      if (this.canvas.id === "canvas" && this.textAlign === "center") line.push(`${text}@${Math.round(x)}`);
      return fillText.apply(this, arguments);
    };
    requestAnimationFrame(function note() {
      if (line.length > 0) window.scales.add(line.sort().filter((each, i) => line.indexOf(each) === i).join(" "));
      line = [];
      requestAnimationFrame(note);
    });
  });
  await page.waitForFunction(() => window.scales.size > 0);
  const before = await shownTime();
  // A run that ends early has all rows up to its end.
  await page.click("#play");
  const paused = await shownTime();
  assert.ok(paused.t >= before.t);
  await page.click("#cancel");
  await waitForStatus("cancelled");
  await page.waitForSelector("#result.ended #plot .u-over");
  await page.waitForFunction(() => !document.querySelector("#speed").hidden);
  const after = await shownTime();
  assert.ok(after.end >= before.end && after.t === paused.t, `from ${paused.t} to ${after.t}`);
  await frameOf(page);
  assert.equal(await page.evaluate(() => window.scales.size), 1, "the view jumped");
  const rows = await (await fetch(`${base}/api/v1/jobs/${id}/results`)).json();
  assert.ok(rows.complete);
});

testPage("a running job does not disturb dragging", STILL, async () => {
  await openRunning(LONG);
  await page.waitForSelector("#result.moving:not(.live):not(.ended)");
  await page.click("#by-hand");
  await page.waitForSelector("#result.live");
  await page.waitForResponse((response) => response.url().includes("/results/rP"));
  assert.equal(await page.locator("#result.live").count(), 1);
  await page.click("#by-hand");
  await page.waitForSelector("#result:not(.live)");
  await page.click("#cancel");
  await waitForStatus("cancelled");
  await page.waitForSelector("#result.ended");
  const { end } = await shownTime();
  assert.ok(end > 0 && end < 1e7);
});

testPage("the drawing as SVG has what is over it", STILL, async () => {
  await showJob(await succeed(await model("FourBar")));
  await page.click("#plot-pin");
  await showJob(await succeed({ ...(await model("FourBar")), gravity: [0, -5] }));
  await page.locator("#time").fill("1");
  const saved = async () => {
    await page.click(".menu > summary");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-svg")]);
    await page.click(".menu > summary");
    const text = await readFile(await download.path(), "utf8");
    return page.evaluate((text) => {
      const read = new DOMParser().parseFromString(text, "image/svg+xml");
      return {
        mistakes: read.querySelectorAll("parsererror").length,
        paths: read.querySelectorAll("path").length,
        pale: [...read.querySelectorAll("path")].filter((path) => path.getAttribute("stroke-opacity") === "0.3").length,
        texts: [...read.querySelectorAll("text")].map((element) => element.textContent),
        text,
      };
    }, text);
  };
  const plain = await eventually(async () => {
    const found = await saved();
    assert.ok(found.mistakes === 0 && found.pale > 5, `${found.pale} pale lines`);
    return found;
  });
  assert.equal(plain.texts.includes("coupler"), false);
  const before = await pixels();
  for (const name of ["labels", "velocities", "mass-centres"]) await toggle(name);
  await until(async () => (await pixels()) !== before, "overlays are drawn");
  await until(async () => (await saved()).texts.some((text) => / m\/s$/.test(text)), "arrows are drawn");
  const full = await saved();
  assert.ok(full.mistakes === 0 && full.paths > plain.paths + 8, `${full.paths} of ${plain.paths} paths`);
  assert.ok(full.texts.includes("coupler"));
  if (PICTURES) await writeFile(join(PICTURES, "drawing.svg"), full.text);
});

for (const outputs of [["theta"], ["T"], ["r"]])
  testPage(`a run that keeps only ${outputs} is shown without a motion, and plotted as far as it goes`, STILL, async () => {
    const document = await model("SC");
    const { id } = await succeed({ ...document, analysis: { ...document.analysis, outputs } });
    await page.evaluate((job) => (location.hash = `job=${job}`), id);
    await waitForStatus("succeeded");
    await page.waitForSelector("#result:not(.moving)");
    if (outputs[0] !== "T") return void (await page.waitForSelector("#plot .u-over"));
    await page.waitForLoadState("networkidle");
    assert.deepEqual(await page.$$("#plot .u-over"), [], "times alone are no plot");
  });
