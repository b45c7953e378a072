// Display options of the drawing in a real browser with real paths of the mouse: names, selection, mass centres,
// curves, arrows, instant centres, and dragging points of the text. Prints times of frames.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { page, picture, testPage } from "./browser.mjs";
import { quantile } from "./daemon.mjs";
import { FOUR_BAR, viewOf } from "./drawing.mjs";
import { replaceText, shownText } from "./editor.mjs";
import { strandbeest } from "./strandbeest.mjs";
import { eventually, frameOf } from "./waiting.mjs";
import { answered, atRest, watchWorker } from "./worker.mjs";

const DESK = { viewport: { width: 1440, height: 900 } };
const DARK = { ...DESK, colorScheme: "dark" };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

async function start() {
  await page.addInitScript(watchWorker);
  await page.reload();
  await page.waitForFunction(() => window.seen.opened > 0);
}

const seen = (key) => page.evaluate((key) => window.seen[key], key);
const pixels = () => page.$eval("#canvas", (canvas) => canvas.toDataURL());
const frame = () => frameOf(page);
const toggle = (name) => page.click(`[data-toggle="${name}"]`);
const chosen = () => page.$$eval('#tree [aria-pressed="true"]', (list) => list.map((button) => button.textContent));

/** Waits until the drawing fulfils a condition. */
const until = (condition, what) => eventually(async () => assert.ok(await condition(), `did not happen: ${what}`));

/** Waits until these elements are selected in the tree. */
const areChosen = (...wanted) =>
  eventually(async () => {
    const found = await chosen();
    assert.equal(found.length, wanted.length, found.join());
    wanted.forEach((words, i) => assert.match(found[i], words));
  });

async function openExample(name) {
  const opened = await seen("opened");
  await page.selectOption("#example", name);
  await page.waitForFunction((before) => window.seen.opened > before, opened);
  await frame();
}

/** Opens a text in the editor. */
async function openText(text) {
  const opened = await seen("opened");
  await page.click("#text-tab");
  await replaceText(page, text);
  await page.waitForFunction((before) => window.seen.opened > before, opened);
  await page.click("#fit");
  await frame();
}

const editorText = () => shownText(page);

/** Returns the position of a mass centre. */
const centreOf = (body) => page.evaluate((body) => [...window.seen.numbers.subarray(3 * body, 3 * body + 2)], body);

/** Returns the position of a point, by the names of its body and of the point. */
const pointOf = (body, name) => page.evaluate(([body, name]) => {
  const { scene, numbers } = window.seen;
  const index = scene.bodies.findIndex((each) => each.name === body);
  const point = scene.points.findIndex((each) => each.body === index && each.name === name);
  const first = 3 * (scene.bodies.length - 1) + 2 * point;
  return [...numbers.subarray(first, first + 2)];
}, [body, name]);

const crankPin = (angle) => [0.3 * Math.cos(angle), 0.3 * Math.sin(angle)];

async function drag(place, from, to, steps) {
  await page.mouse.move(...place(from));
  await page.mouse.down();
  for (let n = 1; n <= steps; n++) {
    await page.mouse.move(...place(to(n / steps)));
    await frame();
    await answered(page); // of targets that come faster only the newest is
  }
}

testPage("a click selects, a drag does not", DESK, async () => {
  await start();
  await openExample("FourBar");
  const plain = await pixels();
  await toggle("labels");
  await until(async () => (await pixels()) !== plain, "labels are drawn");
  const named = await pixels();
  const place = await viewOf(page, FOUR_BAR);
  await page.mouse.click(...place(await centreOf(1)));
  await areChosen(/^coupler$/);
  await until(async () => (await pixels()) !== named, "the coupler is marked");
  await page.click("#text-tab");
  await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.querySelector(".cm-selectionBackground"));
  await picture("selected");

  const before = await centreOf(1);
  await page.mouse.click(...place(crankPin(1)));
  await areChosen(/^A revolute/);
  assert.deepEqual(await centreOf(1), before, "a click dragged");
  await drag(place, crankPin(1), (part) => crankPin(1 + part), 20);
  await page.mouse.up();
  await until(async () => String(await centreOf(1)) !== String(before), "the coupler moves");
  await areChosen(/^A revolute/);
  await page.mouse.click(...place([-0.35, 0.85]));
  await areChosen();
});

testPage("another click at the same place selects what is there, too, one after the other", DESK, async () => {
  await start();
  await openExample("FourBar");
  const place = await viewOf(page, FOUR_BAR);
  const clicked = [];
  for (let i = 0; i < 4; i++) {
    await page.mouse.click(...place(crankPin(1)));
    clicked.push(...(await chosen()));
  }
  assert.equal(new Set(clicked.slice(0, 3)).size, 3, clicked.join());
  assert.match(clicked[0], /^A revolute/);
  assert.deepEqual(clicked.slice(1, 3).sort(), ["coupler", "crank"]);
  assert.equal(clicked[3], clicked[0], "and again from the first on");
});

testPage("Alt with a click, and Tab, go through what is below the pointer", DESK, async () => {
  await start();
  await openExample("FourBar");
  const place = await viewOf(page, FOUR_BAR);
  const pin = place(crankPin(1));
  const all = ["A revolute", "coupler", "crank"];
  const names = async () => (await chosen()).map((name) => all.find((each) => name.startsWith(each)));
  await page.keyboard.down("Alt");
  const clicked = [];
  for (const off of [0, 4, -4]) {
    // A position near the last click does not count as the same position.
    await page.mouse.click(pin[0] + off, pin[1]);
    clicked.push(...(await names()));
  }
  await page.keyboard.up("Alt");
  assert.deepEqual(clicked.toSorted(), all);

  await page.mouse.click(...place([-0.35, 0.85]));
  await areChosen();
  await page.mouse.move(...pin);
  const focused = () => page.evaluate(() => document.activeElement.id);
  const gone = [];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("Tab");
    gone.push(...(await names()));
  }
  assert.deepEqual(gone, clicked);
  await page.keyboard.press("Shift+Tab");
  assert.deepEqual(await names(), [gone[1]], "back");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "canvas");
  await page.keyboard.press("Tab");
  assert.notEqual(await focused(), "canvas", "behind the last one Tab leaves the drawing");
  await page.focus("#canvas");
  await page.mouse.move(5, 5);
  await page.keyboard.press("Tab");
  assert.notEqual(await focused(), "canvas", "and where the pointer is elsewhere");
});

testPage("buttons are remembered, except for the one that edits", DESK, async () => {
  await start();
  await toggle("labels");
  await toggle("edit");
  await page.reload();
  await eventually(async () =>
    assert.deepEqual(await page.locator('#drawing-tools [aria-pressed="true"]').allTextContents(), ["Labels"]));
});

for (const [name, options] of Object.entries({ light: DESK, dark: DARK }))
  testPage(`a point that is dragged stays on its predicted curve, ${name}`, options, async () => {
    await start();
    await openExample("FourBar");
    await toggle("mass-centres");
    await toggle("trace");
    const place = await viewOf(page, FOUR_BAR);
    await page.mouse.click(...place(await centreOf(1)));
    await page.waitForFunction(() => window.seen.curve?.over);
    const curve = await page.evaluate(() => ({ ...window.seen.curve, places: [...window.seen.curve.places] }));
    assert.ok(curve.closed && curve.places.length > 300);
    let worst = 0;
    await drag(place, crankPin(1), (part) => crankPin(1 + 6 * part), 60);
    for (const part of [0, 0.3, 0.7]) {
      await page.mouse.move(...place(crankPin(1 + 6 * (1 - part))));
      await atRest(page);
      const [x, y] = await centreOf(1);
      const distances = curve.places.map((px, i) => (i % 2 ? Infinity : Math.hypot(px - x, curve.places[i + 1] - y)));
      worst = Math.max(worst, Math.min(...distances));
    }
    await picture(`curve-${name}`);
    await page.mouse.up();
    assert.ok(worst < 0.01, `${worst} m from the curve`);
  });

testPage("the curve of the traced point is saved as a table", DESK, async () => {
  await start();
  await openExample("FourBar");
  const menu = page.locator("#transport summary", { hasText: "Save" });
  await menu.click();
  assert.ok(await page.isDisabled("#save-curve"), "no point is traced");
  await menu.click();
  await toggle("trace");
  const place = await viewOf(page, FOUR_BAR);
  await page.mouse.click(...place(await centreOf(1)));
  await page.waitForFunction(() => window.seen.curve?.over);
  await frame();
  const places = await page.evaluate(() => [...window.seen.curve.places]);
  await menu.click();
  await page.waitForSelector("#save-curve:enabled");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("#save-curve")]);
  const [head, ...rows] = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  assert.equal(head, "x [m],y [m]");
  assert.deepEqual(rows.flatMap((row) => row.split(",").map(Number)), places);
});

testPage("velocities of a hand are ratios, those of a motion in its units, with its forces", DESK, async () => {
  await start();
  await openExample("FourBar");
  const plain = await pixels();
  for (const name of ["velocities", "accelerations", "forces", "instant-centres"]) await toggle(name);
  await page.waitForFunction(() => window.seen.readings?.instantCentres);
  await until(async () => (await pixels()) !== plain, "arrows are drawn");
  const fastest = () => page.evaluate(() => {
    const { points } = window.seen.readings.velocities;
    return Math.max(...Array.from({ length: points.length / 2 }, (_, i) => Math.hypot(points[2 * i], points[2 * i + 1])));
  });
  assert.ok(Math.abs((await fastest()) - 1) < 1e-9);
  assert.equal((await seen("readings")).reactions, undefined);
  await picture("unit-motion");
  await page.click("#play-on");
  await page.waitForFunction(() => window.seen.time > 0.4);
  const { unitMotion, reactions, accelerations } = await seen("readings");
  assert.ok(unitMotion === false && Math.abs((await fastest()) - 1) > 1e-3);
  assert.ok(Object.values(reactions).length === 12 && Object.values(accelerations.points).some((x) => Math.abs(x) > 1));
  await picture("playing");
  await page.click("#play-on");
});

testPage("degrees of freedom are shown with redundant constraints", DESK, async () => {
  await start();
  await openExample("Bricard");
  assert.match(await page.textContent("#freedoms"), /^1 degree of freedom, 1 redundant constraint \(P\d/);
  await openExample("FourBar");
  assert.equal(await page.textContent("#freedoms"), "1 degree of freedom");
});

/** A four-bar with numeric points and unusual layout. */
const NUMBERS = `{
  "name": "four-bar",   "space": "planar",
  "ground": { "points": { "O": [0,0], "C": [0.9,   0] } },
  "bodies": [
    {"name": "crank", "mass": 1, "inertia": 0.01, "points": { "A": [-0.15, 0], "B": [ 1.5e-1, 0 ] },
     "initial": {"position": [0.081, 0.1262], "angle": 1}},
    {"name": "coupler", "mass": 1, "inertia": 0.01, "points": {"A": [-0.4, 0], "B": [0.4, 0], "P": [0, 0.2]},
     "initial": {"position": [0.4949, 0.4743], "angle": 0.5881}},
    {"name": "rocker", "mass": 1, "inertia": 0.01, "points": {"A": [-0.35, 0], "B": ["0.7/2", 0]},
     "initial": {"position": [0.8638, 0.3481], "angle": -1.4673}}],
  "joints": [
    {"name": "O", "type": "revolute", "points": ["ground.O", "crank.A"]},
    {"name": "A", "type": "revolute", "points": ["crank.B", "coupler.A"]},
    {"name": "B", "type": "revolute", "points": ["coupler.B", "rocker.A"]},
    {"name": "C", "type": "revolute", "points": ["rocker.B", "ground.C"]}],
  "view": {"x": [-0.4, 1.2], "y": [-0.4, 0.9]}
}`;

/** Returns the text without its numbers. */
const layoutOf = (text) => text.replaceAll(/-?\d[-+.\de]*/g, "#");

testPage("a point that is moved changes its numbers, and one step takes them back", DESK, async () => {
  await start();
  await openText(NUMBERS);
  await toggle("edit"); // which gives the drawing the height that it keeps
  const place = await viewOf(page, FOUR_BAR);
  const before = await pointOf("crank", "B");
  const [coupler, rocker] = [await centreOf(1), await centreOf(2)];
  const goal = [before[0] - 0.1, before[1] + 0.12];
  await drag(place, before, (part) => before.map((x, i) => x + part * (goal[i] - x)), 20);
  await until(async () => (await editorText()) !== NUMBERS, "the text follows");
  assert.equal(layoutOf(await editorText()), layoutOf(NUMBERS), "more than numbers changed");
  await picture("moving-a-point");
  await page.mouse.up();
  await atRest(page);
  await eventually(async () => {
    for (const [body, name] of [["crank", "B"], ["coupler", "A"]]) {
      const [x, y] = await pointOf(body, name);
      assert.ok(Math.hypot(x - goal[0], y - goal[1]) < 4e-3, `${body}.${name} is at ${x}, ${y}`);
    }
  });
  const still = [await centreOf(1), await centreOf(2)].map(([x, y], i) => Math.hypot(x - [coupler, rocker][i][0], y - [coupler, rocker][i][1]));
  assert.ok(Math.max(...still) < 1e-3, "the other bodies moved");
  const changed = (await editorText()).split("\n").filter((line, i) => line !== NUMBERS.split("\n")[i]);
  assert.equal(changed.length, 2);

  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.equal(await editorText(), NUMBERS));
  await page.keyboard.press("Control+y");
  await until(async () => (await editorText()) !== NUMBERS, "the change is made again");
  assert.equal(layoutOf(await editorText()), layoutOf(NUMBERS));
});

testPage("a point that is an expression has a message", DESK, async () => {
  await start();
  await openText(NUMBERS);
  await toggle("edit"); // which gives the drawing the height that it keeps
  const place = await viewOf(page, FOUR_BAR);
  await drag(place, [0.9, 0], (part) => [0.9 + 0.1 * part, 0], 5);
  await page.mouse.up();
  await eventually(async () =>
    assert.match(await page.textContent("#live-note"), /^Point 'B' of 'rocker' is defined by expressions/));
  assert.equal(await editorText(), NUMBERS);
});

testPage("on a phone the buttons are in one row, and a finger selects", PHONE, async () => {
  await start();
  await openExample("FourBar");
  for (const name of ["labels", "mass-centres", "velocities"]) await toggle(name);
  const place = await viewOf(page, FOUR_BAR);
  const scrolled = await page.evaluate(() => scrollY);
  await page.touchscreen.tap(...place(await centreOf(2)));
  await areChosen(/^rocker$/);
  assert.equal(await page.evaluate(() => scrollY), scrolled, "the page was scrolled");
  const tops = await page.$$eval("#drawing-tools button", (list) => list.map((button) => button.offsetTop));
  assert.equal(new Set(tops).size, 1);
  await picture("phone");
});

testPage("twelve legs are drawn with all that there is within a frame", DESK, async (context) => {
  await start();
  await openText(strandbeest(12));
  for (const name of ["labels", "mass-centres", "trace", "velocities", "instant-centres"]) await toggle(name);
  const [x, y] = await pointOf("crank", "P1");
  // The drawing is fitted to its bounds.
  const all = await page.evaluate(() => {
    const { scene, numbers } = window.seen;
    const [xs, ys] = [[], []];
    const first = 3 * (scene.bodies.length - 1);
    for (let i = 0; i < numbers.length; i += i < first ? 3 : 2) {
      xs.push(numbers[i]);
      ys.push(numbers[i + 1]);
    }
    return { x: [Math.min(...xs), Math.max(...xs)], y: [Math.min(...ys), Math.max(...ys)] };
  });
  const place = await viewOf(page, all);
  await page.mouse.click(...place(await pointOf("lower1", "C")));
  await page.evaluate(() => Object.assign(window.seen, { trips: [], frames: [] }));
  await drag(place, [x, y], (part) => [0.15 * Math.cos(2 * Math.PI * part), 0.15 * Math.sin(2 * Math.PI * part)], 80);
  const turned = await pointOf("crank", "P1");
  await page.mouse.up();
  await picture("twelve-legs");
  const dragged = [await seen("frames"), await seen("trips")];
  await page.evaluate(() => Object.assign(window.seen, { trips: [], frames: [] }));
  for (const name of ["accelerations", "forces"]) await toggle(name);
  await page.click("#play-on");
  await page.waitForFunction(() => window.seen.time > 1);
  await page.click("#play-on");
  await picture("twelve-legs-playing");
  const tell = (what, [frames, trips]) => {
    const of = (times) => [0.5, 0.99].map((part) => quantile(times, part).toFixed(1)).join(" and ");
    context.diagnostic(`${what}: ${frames.length} frames drawn in ${of(frames)} ms (p50, p99); answers in ${of(trips)} ms`);
  };
  tell("dragged", dragged);
  tell("played", [await seen("frames"), await seen("trips")]);
  assert.ok(Math.hypot(turned[0] - 0.15, turned[1]) < 0.02 && dragged[1].length > 40);
});

testPage("an empty trace shows what it waits for", DESK, async () => {
  await page.addInitScript(() => {
    const { fillText, setTransform } = CanvasRenderingContext2D.prototype;
    window.texts = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      window.texts.push(text);
      fillText.call(this, text, ...rest);
    };
    CanvasRenderingContext2D.prototype.setTransform = function (...matrix) {
      window.texts = [];
      setTransform.apply(this, matrix);
    };
  });
  await start();
  await openExample("FourBar");
  await toggle("trace");
  await page.waitForFunction(() => window.texts.some((text) => text.startsWith("Trace: click")));
  const place = await viewOf(page, FOUR_BAR);
  const point = await page.evaluate(() => {
    const { scene, numbers } = window.seen;
    const first = 3 * (scene.bodies.length - 1);
    const index = scene.points.findIndex(({ body, name }) => scene.bodies[body].name === "crank" && name === "B");
    return [...numbers.subarray(first + 2 * index, first + 2 * index + 2)];
  });
  await page.mouse.move(...place(point));
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => !window.texts.some((text) => text.startsWith("Trace: click")));
});
