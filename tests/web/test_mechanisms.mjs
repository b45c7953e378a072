// The mechanisms of a first course, each built with the mouse from an empty page, as a stranger does who reads only what
// the page shows. Counts presses of the mouse: at most 25 for each. Nothing may be refused on the way.
import assert from "node:assert/strict";
import { base, page, picture, testPage } from "./browser.mjs";
import { viewOf } from "./drawing.mjs";
import { eventually } from "./waiting.mjs";
import { watchWorker } from "./worker.mjs";

const NOTEBOOK = { viewport: { width: 1280, height: 720 } };
const VIEW = { x: [-1, 1], y: [-0.6, 0.6] };
const MOST_PRESSES = 25;

let place, presses;

async function press(selector) {
  presses++;
  await page.click(selector);
}

const tool = (name) => press(`#build button:text-is("${name}")`);
const kind = (name) => press(`#build-kinds button:text-is("${name}")`);

/** Presses the mouse on a place of the drawing, and releases it at another one if there is one. */
async function mouse(from, to = from) {
  presses++;
  await page.mouse.move(...place(from), { steps: 3 });
  await page.mouse.down();
  if (to !== from) await page.mouse.move(...place(to), { steps: 6 });
  await page.mouse.up();
  assert.equal(await page.getAttribute("#build-note", "class"), "faint", await page.textContent("#build-note"));
}

const model = () => page.evaluate(() => {
  dispatchEvent(new Event("pagehide"));
  return JSON.parse(localStorage.getItem("mbsd.draft") ?? "{}");
});

/** Waits until the document has these numbers of elements. */
function has(counts) {
  return eventually(async () => {
    const found = await model();
    const lengths = Object.fromEntries(Object.keys(counts).map((list) => [list, found[list]?.length ?? 0]));
    const note = `${await page.textContent("#build-note")} ${await page.textContent("#live-state")}`;
    assert.deepEqual(lengths, counts, note);
  });
}

/** The mechanisms: how each is built, its elements and degrees of freedom then, and the number of a body that moves. */
const MECHANISMS = {
  "slider-crank": {
    freedoms: 0,
    elements: { bodies: 3, joints: 4, drivers: 1 },
    moving: 3,
    async build() {
      await tool("Link");
      await mouse([-0.6, 0], [-0.5, 0.2]);
      await mouse([-0.5, 0.2], [0.2, 0]);
      await tool("Pin");
      await mouse([-0.6, 0]);
      await mouse([-0.5, 0.2]);
      await tool("Slider");
      await kind("Block on a rail");
      await mouse([0.2, 0], [0.5, 0]);
      await tool("Driver");
      await mouse([-0.6, 0]);
    },
  },
  "scissor lift": {
    freedoms: 0,
    elements: { bodies: 3, joints: 5, drivers: 1 },
    moving: 3,
    async build() {
      await tool("Link");
      await mouse([-0.4, -0.3], [0.4, 0.1]);
      await mouse([0.4, -0.3], [-0.4, 0.1]);
      await mouse([-0.4, 0.1], [0.6, 0.1]);
      await tool("Pin");
      await mouse([0, -0.1]);
      await mouse([-0.4, -0.3]);
      await mouse([-0.4, 0.1]);
      await tool("Slider");
      await kind("Pin in a slot");
      // Towards the other foot: outwards the lift locks flat after 0.2 s.
      await mouse([0.4, -0.3], [0.1, -0.3]);
      await mouse([0.4, 0.1], [0.6, 0.1]);
      await tool("Driver");
      await mouse([0.4, -0.3]);
    },
    // The platform stays level.
    check: async () => assert.ok(Math.abs((await page.evaluate(() => window.seen.numbers[8])) % (2 * Math.PI)) < 1e-6),
  },
  "quick return": {
    freedoms: 0,
    elements: { bodies: 4, joints: 6, drivers: 1 },
    moving: 4,
    async build() {
      await tool("Link");
      await mouse([0, 0], [0.2, 0]);
      await mouse([0, -0.5], [0.3, 0.3]);
      await mouse([0.3, 0.3], [0.8, 0.4]);
      await tool("Pin");
      await mouse([0, 0]);
      await mouse([0, -0.5]);
      await mouse([0.3, 0.3]);
      await tool("Slider");
      await kind("Pin in a slot");
      // The slot is along the bar, although the pin is only near its axis.
      await mouse([0.2, 0]);
      await kind("Block on a rail");
      await mouse([0.8, 0.4], [1, 0.4]);
      await tool("Driver");
      await mouse([0, 0]);
    },
  },
  "four-bar with a coupler curve": {
    freedoms: 0,
    elements: { bodies: 3, joints: 4, drivers: 1 },
    moving: 3,
    async build() {
      await tool("Link");
      await mouse([-0.5, -0.2], [-0.5, 0]);
      await mouse([0.3, 0.3], [0.3, -0.2]);
      await tool("Plate");
      for (const corner of [[-0.5, 0], [0.3, 0.3], [-0.1, 0.5], [-0.5, 0]]) await mouse(corner);
      await tool("Pin");
      for (const at of [[-0.5, -0.2], [-0.5, 0], [0.3, 0.3], [0.3, -0.2]]) await mouse(at);
      await tool("Driver");
      await mouse([-0.5, -0.2]);
      await press('[data-toggle="trace"]');
      await tool("Select");
      await mouse([-0.1, 0.5]);
    },
  },
  "pendulum with a spring": {
    freedoms: 1,
    elements: { bodies: 1, joints: 1, forces: 1 },
    moving: 1,
    async build() {
      await tool("Link");
      await mouse([0, 0.3], [0.4, 0]);
      await tool("Pin");
      await mouse([0, 0.3]);
      await tool("Spring");
      await mouse([0.4, 0], [0.8, 0.3]);
    },
  },
  "gear train": {
    freedoms: 0,
    elements: { bodies: 3, joints: 5, drivers: 1 },
    moving: 3,
    async build() {
      await tool("Wheel");
      await mouse([-0.6, 0], [-0.4, 0]);
      await mouse([0, 0], [0.4, 0]);
      await mouse([0.6, 0], [0.8, 0]);
      await tool("Pin");
      for (const x of [-0.6, 0, 0.6]) await mouse([x, 0]);
      await tool("Gear");
      await mouse([-0.6, 0], [0, 0]);
      await mouse([0, 0], [0.6, 0]);
      await tool("Driver");
      await mouse([-0.6, 0]);
    },
  },
  "cam with a follower": {
    freedoms: 0,
    elements: { bodies: 2, joints: 3, drivers: 1 },
    moving: 2,
    async build() {
      await tool("Wheel");
      await mouse([0, -0.2], [0.2, -0.2]);
      await tool("Link");
      await mouse([0, 0.2], [0, 0.5]);
      await tool("Pin");
      await mouse([0, -0.2]);
      await tool("Slider");
      await kind("Straight guide");
      await mouse([0, 0.4]);
      await tool("Cam");
      await mouse([0, -0.2], [0, 0.2]);
      await tool("Driver");
      await mouse([0, -0.2]);
      // The cam takes the place of the drawn wheel.
      assert.deepEqual((await model()).bodies[0].shapes, []);
    },
  },
  "four-bar through three positions": {
    freedoms: 0,
    elements: { bodies: 3, joints: 4, drivers: 1 },
    moving: 2,
    async build() {
      await tool("Four-bar");
      await kind("Through 3 positions");
      await mouse([-0.4, 0.2], [-0.1, 0.3]);
      await mouse([-0.1, 0.4], [0.2, 0.35]);
      await mouse([0.3, 0.3], [0.6, 0.2]);
      await eventually(async () => assert.match(await page.textContent("#build-note"), /passes the three positions/));
      // All positions are at the same distances from the fixed pivots.
      const { ground, bodies } = await model();
      const [o, c] = [ground.points.A, ground.points.B];
      const lengths = ground.shapes.map(({ from, to }) => [[from, o], [to, c]].map(([[x, y], [u, v]]) => Math.hypot(x - u, y - v)));
      for (const [one, other] of lengths)
        assert.ok(Math.abs(one - lengths[0][0]) < 1e-3 && Math.abs(other - lengths[0][1]) < 1e-3, JSON.stringify(lengths));
      assert.equal(bodies.length, 3);
    },
  },
  "four-bar along a path": {
    freedoms: 0,
    elements: {},
    moving: 1,
    async build() {
      await tool("Four-bar");
      await kind("Along a path");
      const path = Array.from({ length: 6 }, (_, i) => [0.3 * Math.cos((i * Math.PI) / 3), 0.15 * Math.sin((i * Math.PI) / 3)]);
      for (const at of [...path, path[0]]) await mouse(at);
      await page.waitForSelector('#study-maker button:text-is("Optimize")');
      assert.equal((await model()).study.outputs.length, 6);
    },
    /** Optimizes the linkage: it comes closer, stays in the size of the path, and remains in view above the result. */
    async check() {
      await press('#study-maker button:text-is("Optimize")');
      await page.waitForSelector('.study-found button:text-is("Use the best values")');
      const id = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("job"));
      const json = async (path) => (await fetch(`${base}/api/v1/jobs/${id}${path}`)).json();
      const { best, stopped } = (await json("")).report.study;
      assert.notEqual(stopped, "limit");
      const [start] = (await json("/results/objective")).data.flat();
      assert.ok(best.objective < start, `${best.objective} after ${start}`);
      const { crank, coupler, rocker, frame } = best.parameters;
      assert.ok(Math.max(crank, coupler, rocker, frame) < 3 * 1.5 * 0.3);
      const boxOf = (selector) => page.locator(selector).boundingBox();
      await eventually(async () => {
        const [result, canvas, found] = await Promise.all(["#result", "#canvas", ".study-found"].map(boxOf));
        assert.ok(canvas.height >= 280, `${canvas.height} pixels`);
        assert.ok(found.y >= canvas.y + canvas.height && found.y + found.height <= result.y + result.height);
        const names = await page.$$eval(".axis-name", (all) =>
          all.map(({ textContent, scrollWidth, clientWidth }) => [textContent, scrollWidth - clientWidth]));
        assert.deepEqual(names.slice(0, 3).map(([name]) => name), ["pivot_x", "pivot_y", "tilt"]);
        assert.deepEqual(names.filter(([, beyond]) => beyond > 1), []);
        const isCut = (all) => all.map((each) => each.scrollWidth > each.clientWidth);
        assert.ok(!(await page.$$eval(".slider code", isCut)).includes(true));
      });
      // The drawing shows the path of the coupler point, and the whole linkage: no colour reaches its edge.
      assert.equal(await page.getAttribute('#drawing-tools [data-toggle="trace"]', "aria-pressed"), "true");
      await eventually(async () => assert.equal(await page.$eval("#canvas", colouredAtEdge), 0));
    },
  },
  "four-bar along a drawn curve": {
    freedoms: 0,
    elements: {},
    moving: 1,
    async build() {
      await tool("Four-bar");
      await kind("Along a path");
      await draw(Array.from({ length: 40 }, (_, i) => [0.3 * Math.cos((i * Math.PI) / 20), 0.15 * Math.sin((i * Math.PI) / 20)]));
      await page.waitForSelector('#study-maker button:text-is("Optimize")');
      assert.equal((await model()).study.outputs.length, 8);
      // Its button is within reach, and the drawing shows the mechanism.
      const [button, drawer] = await Promise.all(['#study-maker button:text-is("Optimize")', "#drawer"].map((each) => page.locator(each).boundingBox()));
      assert.ok(button.y + button.height <= drawer.y + drawer.height);
      assert.equal(await page.getAttribute('#build button:text-is("Select")', "aria-pressed"), "true");
    },
  },
};

/** Returns the number of coloured pixels at the edge of a drawing. */
function colouredAtEdge(canvas) {
  const { width, height } = canvas;
  const copy = Object.assign(document.createElement("canvas"), { width, height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const sides = [[0, 0, width, 1], [0, height - 1, width, 1], [0, 0, 1, height], [width - 1, 0, 1, height]];
  const isColoured = (data, i) => Math.abs(data[i] - data[i + 2]) > 40;
  return sides.reduce((sum, side) => {
    const { data } = context.getImageData(...side);
    return sum + data.filter((_, i) => i % 4 === 0 && isColoured(data, i)).length;
  }, 0);
}

/** Draws a curve through places without releasing the mouse. */
async function draw([first, ...places]) {
  presses++;
  await page.mouse.move(...place(first), { steps: 3 });
  await page.mouse.down();
  for (const at of places) await page.mouse.move(...place(at));
  await page.mouse.up();
}

/** Builds a mechanism from an empty page, and checks its elements, its degrees of freedom and its motion. */
async function buildAndPlay({ freedoms, elements, moving, build, check }) {
  presses = 0;
  await press("#new");
  await page.waitForSelector('#build button:text-is("Contact")');
  await page.waitForFunction(() => document.querySelector("#freedoms").textContent.startsWith("There is no body yet"));
  place = await viewOf(page, VIEW);
  await build();
  await has(elements);
  const degrees = `${freedoms} degree${freedoms === 1 ? "" : "s"} of freedom`;
  await page.waitForFunction((text) => document.querySelector("#freedoms").textContent.startsWith(text), degrees);
  const document = JSON.stringify(await model());
  const headers = { "Content-Type": "application/json" };
  const { ok } = await fetch(`${base}/api/v1/validate`, { method: "POST", headers, body: document });
  assert.ok(ok, document);
  const seen = () => page.evaluate(() => [[...window.seen.numbers], document.querySelector("#live-note").textContent]);
  const [before] = await seen();
  await press("#play-on");
  const at = 3 * (moving - 1);
  const note = await eventually(async () => {
    const [now, said] = await seen();
    assert.ok([0, 1, 2].some((i) => Math.abs(now[at + i] - before[at + i]) > 0.02), `body ${moving} moves`);
    return said;
  });
  assert.equal(note, "");
  await check?.();
  assert.ok(presses <= MOST_PRESSES, `${presses} presses`);
}

testPage("the mechanisms of a first course are built with the mouse", NOTEBOOK, async (context) => {
  await page.addInitScript(watchWorker);
  await page.reload();
  await page.waitForFunction(() => window.seen.opened > 0);
  for (const [name, mechanism] of Object.entries(MECHANISMS))
    await context.test(name, async (part) => {
      await buildAndPlay(mechanism);
      await picture(`mechanisms-${name.replaceAll(" ", "-")}`);
      part.diagnostic(`${presses} presses`);
    });
});
