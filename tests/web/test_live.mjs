// The mechanism that can be dragged, in a real browser with real paths of the mouse and of fingers: drawn without a
// run, assembled while the text is edited, dragged, changed by sliders, played. Prints times of frames, distances of
// dragged points from the pointer, and residuals.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isComplaint, quantile, startAll } from "./daemon.mjs";
import { FOUR_BAR, viewOf } from "./drawing.mjs";
import { replaceText, shownText } from "./editor.mjs";
import { strandbeest } from "./strandbeest.mjs";
import { eventually, frameOf } from "./waiting.mjs";
import { answered, atRest, timeWorker, watchWorker } from "./worker.mjs";

/** Folder for pictures; none are saved without it. */
const PICTURES = process.env.MBS_PICTURES;

let all, page, complaints, validations;

before(async () => {
  all = await startAll();
  if (PICTURES) await mkdir(PICTURES, { recursive: true });
});

after(() => all?.end());

/** Runs a test on a separate page. Fails if the browser has complained at the end. */
function testLive(name, options, body) {
  test(name, async (context) => {
    if (all.missing) return context.skip(all.missing);
    const browsing = await all.browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    page = await browsing.newPage();
    [complaints, validations] = [[], 0];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (isComplaint(message)) complaints.push(message.text());
    });
    page.on("request", (request) => (validations += request.url().includes("/validate") ? 1 : 0));
    await page.addInitScript(watchWorker);
    await timeWorker(page);
    await page.goto(all.base);
    await page.click("#text-tab");
    try {
      await body(context);
      assert.deepEqual(complaints, []);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name.replaceAll(/\W+/g, "-")}.png`) });
    } finally {
      await browsing.close();
    }
  });
}

const modelText = (name) => readFile(`models/${name}.json`, "utf8");
const pixels = () => page.$eval("#canvas", (canvas) => canvas.toDataURL());
const frame = () => frameOf(page);
const seen = (key) => page.evaluate((key) => window.seen[key], key);

/** Replaces the editor's text; resolves when the mechanism is at rest. */
async function type(text) {
  const opened = await seen("opened");
  await replaceText(page, text);
  await page.waitForFunction((before) => window.seen.opened > before, opened);
}

async function openExample(name) {
  await page.waitForFunction(() => window.seen.opened > 0);
  const opened = await seen("opened");
  await page.selectOption("#example", name);
  await page.waitForFunction((before) => window.seen.opened > before, opened);
  await page.locator("#canvas").scrollIntoViewIfNeeded();
  await frame();
}

const editorText = () => shownText(page);

/** Returns the position of a point of a body, and the largest distance of the two points of a pin. */
function pointAndResidual(body, name) {
  return page.evaluate(
    ([body, name]) => {
      const { scene, numbers } = window.seen;
      const first = (scene.bodies.length - 1) * (scene.dimension === 2 ? 3 : 7);
      const size = scene.dimension;
      const place = (point) => [...numbers.subarray(first + size * point, first + size * (point + 1))];
      const apart = ([one, two]) => Math.hypot(...place(one).map((value, i) => value - place(two)[i]));
      const pins = scene.joints.filter(({ type }) => ["revolute", "spherical"].includes(type));
      const index = scene.bodies.findIndex((each) => each.name === body);
      const point = scene.points.findIndex((each) => each.body === index && each.name === name);
      return { place: place(point), residual: Math.max(0, ...pins.map(({ points }) => apart(points))) };
    },
    [body, name],
  );
}

/** Waits until a point of a planar body is within a distance [m] of a position; returns that distance and the
 * residual. */
function comes(body, name, [x, y], near) {
  return eventually(async () => {
    const { place, residual } = await pointAndResidual(body, name);
    const distance = Math.hypot(place[0] - x, place[1] - y);
    assert.ok(distance < near, `${body}.${name} is at ${place}, not at ${x}, ${y}`);
    return { distance, residual };
  });
}

const at = (radius, angle) => [radius * Math.cos(angle), radius * Math.sin(angle)];

async function tellTimes(context, what) {
  for (const [key, way] of [["trips", "from target to position"], ["spent", "of it in the worker"]]) {
    const times = await seen(key);
    const [half, most] = [0.5, 0.99].map((part) => quantile(times, part).toFixed(1));
    context.diagnostic(`${what}: ${times.length} frames, ${way} p50 ${half} ms, p99 ${most} ms`);
  }
}

testLive("the mechanism is there without a run", {}, async (context) => {
  await page.waitForSelector("#result.live");
  const sinceStart = await page.evaluate(() => performance.now());
  context.diagnostic(`from the start of the page to the drawing ${sinceStart.toFixed(0)} ms`);
  assert.match(await page.textContent("#freedoms"), /^\d+ degrees? of freedom/);
  assert.ok(await page.isVisible("#canvas"));
  const first = await pixels();
  await openExample("FourBar");
  await eventually(async () => assert.notEqual(await pixels(), first));
  assert.equal(validations, 0, "the service was asked");
});

testLive("validation errors are shown while the user types, and the last drawing stays", {}, async () => {
  await openExample("FourBar");
  const good = await pixels();
  const text = await modelText("FourBar");
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text.replace('"mass": 2', '"mass": -2'));
  await page.waitForSelector(".validation-error");
  assert.match(await page.textContent(".validation-error"), /-2/);
  assert.ok(await page.$eval("#canvas", (canvas) => canvas.classList.contains("dimmed")));
  assert.equal(await pixels(), good);
  await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.querySelector(".cm-lintRange-error"));

  await type(text);
  await page.waitForFunction(() => !document.querySelector(".validation-error"));
  assert.ok(!(await page.$eval("#canvas", (canvas) => canvas.classList.contains("dimmed"))));

  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text.replace('"d": 0.9', '"d": 9'));
  await page.waitForFunction(() => document.querySelector("#live-note").textContent.includes("assembl"));
  assert.ok(await page.$eval("#canvas", (canvas) => canvas.classList.contains("dimmed")));
  assert.equal(validations, 0, "the service was asked");
});

/** A four-bar whose driver prescribes a position in which it cannot be assembled. */
const UNREACHABLE = `{
  "name": "Lock up", "space": "planar", "parameters": {"speed": 6.283},
  "ground": {"points": {"A": [0, 0], "D": [1.2, 0]}},
  "bodies": [
    {"name": "left", "mass": 1, "inertia": 0.05, "points": {"A": [0, -0.35], "B": [0, 0.35]},
     "initial": {"position": [0.1, 0.33], "angle": -0.3}},
    {"name": "mid", "mass": 1, "inertia": 0.02, "points": {"B": [-0.2, 0], "C": [0.2, 0]}, "initial": {"position": [0.5, 0.66]}},
    {"name": "right", "mass": 1, "inertia": 0.05, "points": {"C": [0, 0.35], "D": [0, -0.35]},
     "initial": {"position": [1, 0.33], "angle": 0.6}}],
  "joints": [
    {"name": "a", "type": "revolute", "points": ["ground.A", "left.A"]},
    {"name": "b", "type": "revolute", "points": ["left.B", "mid.B"]},
    {"name": "c", "type": "revolute", "points": ["mid.C", "right.C"]},
    {"name": "d", "type": "revolute", "points": ["right.D", "ground.D"]}],
  "drivers": [{"name": "motor", "type": "joint", "joint": "a", "function": "-0.4376 + speed*t"}],
  "analysis": {"type": "kinematics", "t_end": 1, "dt": 0.01}
}`;

/** Opens a file with this text. */
const openFile = (text, name = "file.json") =>
  page.setInputFiles("#file", { name, mimeType: "application/json", buffer: Buffer.from(text) });

/** Records the texts of the drawing. */
function keepTexts() {
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
}

for (const example of ["PistonEngine", "FourBar"])
  testLive(`another document that cannot be assembled is drawn at its initial values, after ${example}`, {}, async () => {
    await page.addInitScript(keepTexts);
    await page.reload();
    await openExample(example);
    await page.click("#tree-tab");
    await page.locator("#tree .elements button").first().click();
    const old = await pixels();
    await openFile(UNREACHABLE);
    await page.waitForFunction(() => document.querySelector("#live-note").textContent.includes("initial values"));
    await page.waitForFunction(() => ["a", "b", "c", "d"].every((name) => window.texts.includes(`gap in ${name}`)));
    assert.notEqual(await pixels(), old);
    assert.ok(!(await page.$eval("#canvas", (canvas) => canvas.classList.contains("dimmed"))));
    assert.equal(await page.textContent("#freedoms"), "", "the messages about the old mechanism are gone");
    assert.equal(await page.textContent("#properties"), "", "so is the form of its element");
    assert.deepEqual(await page.locator("#parameters .slider code").allTextContents(), ["speed"]);
    const names = await page.locator("#tree .elements button").allTextContents();
    assert.deepEqual(names.slice(0, 3), ["left", "mid", "right"]);
    // The mechanism can be neither dragged nor played.
    const moved = await seen("moved");
    const box = await page.locator("#canvas").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 60, { steps: 5 });
    await page.mouse.up();
    await page.click("#play-on");
    await frame();
    assert.equal(await page.textContent("#play-on"), "Play");
    assert.equal(await seen("moved"), moved);
    // The mechanism is assembled as soon as that is possible.
    await page.click("#text-tab");
    await type(UNREACHABLE.replace("-0.4376", "-0.6"));
    await page.waitForFunction(() => document.querySelector("#freedoms").textContent.startsWith("0 degrees"));
    assert.equal(await page.textContent("#live-note"), "");
    await page.waitForFunction(() => !window.texts.some((text) => text.startsWith("gap")));
  });

testLive("nothing is shown of the mechanism before another document with errors", {}, async () => {
  await openExample("FourBar");
  await page.click("#tree-tab");
  for (const [text, told] of [[UNREACHABLE.replace('"mass": 1', '"mass": -1'), /error/], ["no JSON", /./]]) {
    await openFile(text);
    await eventually(async () => assert.match(await page.textContent("#findings"), told));
    await page.waitForFunction(() => {
      const canvas = document.querySelector("#canvas");
      const { width, height } = canvas;
      return canvas.toDataURL() === Object.assign(document.createElement("canvas"), { width, height }).toDataURL();
    });
    assert.equal(await page.textContent("#freedoms"), "");
    const names = await page.locator("#tree .elements button").allTextContents();
    assert.ok(!names.some((name) => name.includes("crank")), names.join());
  }
});

testLive("each stroke is answered", {}, async (context) => {
  await openExample("FourBar");
  const before = (await seen("edits")).length;
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowRight");
  for (const key of '"author": "who types it",') {
    const [text, count] = [await editorText(), (await seen("edits")).length];
    await page.keyboard.type(key);
    // Typing a bracket or quote that was inserted automatically does not insert it again.
    if ((await editorText()) !== text)
      await page.waitForFunction((before) => window.seen.edits.length > before, count);
  }
  const edits = (await seen("edits")).slice(before);
  assert.ok(edits.length > 10);
  const [half, most] = [0.5, 0.99].map((part) => quantile(edits, part).toFixed(1));
  context.diagnostic(`FourBar: ${edits.length} edits, from the text to its answer p50 ${half} ms, p99 ${most} ms`);
});

testLive("a crank pin is dragged round by the mouse, and Escape brings it back", {}, async (context) => {
  await openExample("FourBar");
  const start = await pixels();
  const place = await viewOf(page, FOUR_BAR);
  await page.mouse.move(...place(at(0.3, 1)));
  await page.mouse.down();
  let [farthest, residual] = [0, 0];
  for (let n = 1; n <= 120; n++) {
    const target = at(0.3, 1 + (2 * Math.PI * n) / 120);
    await page.mouse.move(...place(target));
    await frame();
    if (n % 10) continue;
    const now = await comes("crank", "B", target, 5e-3);
    farthest = Math.max(farthest, now.distance);
    residual = Math.max(residual, now.residual);
  }
  await tellTimes(context, "FourBar");
  context.diagnostic(`FourBar: the pin at most ${farthest.toExponential(1)} m from the pointer, pins ${residual} m apart`);
  assert.ok(residual < 1e-10);
  await page.mouse.move(...place([0.5, 0.5]));
  await frame();
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "dragging.png") });
  await atRest(page);
  const held = await pixels();
  await page.mouse.up();
  await eventually(async () => assert.notEqual(await pixels(), held, "the line to the pointer stays"));
  assert.notEqual(await pixels(), start);

  const opened = await seen("opened");
  await page.keyboard.press("Escape");
  await page.waitForFunction((before) => window.seen.opened > before, opened);
  await page.mouse.move(10, 10);
  await eventually(async () => assert.ok((await pixels()) === start, "the drawing is another one than at first"));
});

testLive("a mechanism that cannot move has a message with the reason", {}, async () => {
  await openExample("FourBar");
  const place = await viewOf(page, FOUR_BAR);
  await page.mouse.move(...place([0, 0]));
  await page.mouse.down();
  await page.mouse.move(...place([-0.2, 0.2]), { steps: 4 });
  await page.waitForFunction(() => document.querySelector("#live-note").textContent.includes("'crank' cannot move"));
  await page.mouse.up();
});

testLive("Play tells that nothing moves, and why a document cannot be played", {}, async () => {
  const resting = {
    name: "at rest",
    space: "planar",
    gravity: [0, -9.81],
    ground: { points: { O: [0, 0] } },
    bodies: [{ name: "bob", mass: 1, inertia: 0.1, points: { O: [0, 0.5] } }],
    joints: [{ name: "pin", type: "revolute", points: ["ground.O", "bob.O"] }],
    analysis: { type: "dynamics", t_end: 1, dt: 0.01 },
  };
  await type(JSON.stringify(resting));
  await page.click("#play-on");
  await page.waitForFunction(() => document.querySelector("#live-note").textContent.includes("in equilibrium"));
  assert.equal(await page.textContent("#play-on"), "Pause");
  // A second joint contradicts the first one.
  const joints = [...resting.joints, { name: "other", type: "revolute", points: ["ground.P", "bob.O"] }];
  await replaceText(page, JSON.stringify({ ...resting, ground: { points: { O: [0, 0], P: [1, 0] } }, joints }));
  await page.waitForFunction(() => document.querySelector("#live-note").textContent.includes("constraints"));
  const why = await page.textContent("#live-note");
  await page.click("#live-back");
  await page.click("#play-on");
  assert.equal(await page.textContent("#play-on"), "Play");
  await eventually(async () => assert.match(await page.textContent("#live-note"), new RegExp(why.slice(0, 20))));
});

testLive("outside the mechanism the view is moved as before", {}, async () => {
  await openExample("FourBar");
  const place = await viewOf(page, FOUR_BAR);
  await page.mouse.move(...place([-0.3, 0.7]));
  await page.mouse.down();
  await page.mouse.move(...place([-0.1, 0.5]), { steps: 4 });
  await page.mouse.up();
  assert.equal(await seen("moved"), 0);
});

testLive("a finger drags the mechanism", { hasTouch: true, viewport: { width: 390, height: 844 } }, async (context) => {
  await openExample("FourBar");
  const place = await viewOf(page, FOUR_BAR);
  const client = await page.context().newCDPSession(page);
  const touch = (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  const point = (angle) => place(at(0.3, angle)).map(Math.round);
  const [x, y] = point(1);
  const scrolled = await page.evaluate(() => scrollY);
  await touch("touchStart", [{ x, y }]);
  for (let n = 1; n <= 40; n++) {
    const [x, y] = point(1 + n / 20);
    await touch("touchMove", [{ x, y }]);
    await frame();
  }
  await comes("crank", "B", at(0.3, 3), 0.02);
  await touch("touchEnd", []);
  assert.equal(await page.evaluate(() => scrollY), scrolled, "the page was scrolled");
  await tellTimes(context, "FourBar by touch");
});

testLive("a walking linkage of 73 bodies follows the mouse", {}, async (context) => {
  await page.waitForFunction(() => window.seen.opened > 0);
  const document = JSON.parse(strandbeest(12));
  const view = { x: [-1.3, 1.3], y: [-1, 0.6] };
  await type(JSON.stringify({ ...document, view }));
  await page.click("#fit");
  const place = await viewOf(page, view);
  await page.mouse.move(...place(at(0.15, 0)));
  await page.mouse.down();
  await frame();
  const before = await page.evaluate(() => [window.seen.frames.length, window.seen.moved]);
  for (let n = 1; n <= 120; n++) {
    await page.mouse.move(...place(at(0.15, (2 * Math.PI * n) / 120)));
    await frame();
    if (n % 4 === 0) await answered(page); // of targets that come faster only the newest is
  }
  const after = await page.evaluate(() => [window.seen.frames.length, window.seen.moved]);
  await page.mouse.up();
  const [drawn, moved] = after.map((count, i) => count - before[i]);
  assert.ok(drawn < 1.5 * moved, `${drawn} frames are drawn for ${moved} positions`);
  const { residual } = await pointAndResidual("crank", "P1");
  await tellTimes(context, "Strandbeest");
  context.diagnostic(`Strandbeest: pins ${residual.toExponential(1)} m apart`);
  assert.ok(residual < 1e-10 && (await seen("moved")) > 20);
});

testLive("a mechanism in space is dragged in the plane of the view", {}, async () => {
  await openExample("DoubleSphericalPendulum");
  const box = await page.locator("#canvas").boundingBox();
  const before = await page.evaluate(() => [...window.seen.numbers]);
  // Searches a position where the cursor shows that a body is there.
  for (let row = 1; row < 12 && (await seen("moved")) === 0; row++)
    for (let column = 1; column < 16 && (await seen("moved")) === 0; column++) {
      const [x, y] = [box.x + (box.width * column) / 16, box.y + (box.height * row) / 12];
      await page.mouse.move(x, y);
      if (!(await page.$eval("#canvas", (canvas) => canvas.classList.contains("over-body")))) continue;
      await page.mouse.down();
      await page.mouse.move(x + 30, y - 20, { steps: 5 });
      await answered(page);
      await page.mouse.up();
    }
  assert.ok((await seen("moved")) > 0 && (await seen("scene")).dimension === 3);
  assert.notDeepEqual(await page.evaluate(() => [...window.seen.numbers]), before);
  assert.ok((await pointAndResidual("", "")).residual < 1e-10);
});

testLive("a slider changes the mechanism immediately, and the text when it is released", {}, async () => {
  await openExample("FourBar");
  const text = await editorText();
  const before = await pixels();
  const slider = page.locator('.slider input[type="range"]').first();
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.55, box.y + box.height / 2, { steps: 6 });
  await eventually(async () => assert.notEqual(await pixels(), before));
  assert.equal(await editorText(), text, "the text changed before the slider was let go");
  await page.mouse.up();
  const value = await page.inputValue('.slider input[type="number"]');
  assert.ok(Number(value) > 0.3 && Number(value) < 0.5, value);
  await eventually(async () => assert.equal(await editorText(), text.replace('"a": 0.3', `"a": ${value}`)));
  assert.equal(await page.inputValue("#example"), "");

  // The keys work while the slider has the focus, and in the editor.
  const changed = await editorText();
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.equal(await editorText(), text));
  await page.keyboard.press("Control+Shift+Z");
  await eventually(async () => assert.equal(await editorText(), changed));
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.equal(await editorText(), text));
  await page.waitForFunction(() => document.querySelector('.slider input[type="number"]').value === "0.3");

  await page.locator('.slider input[type="number"]').first().fill("0.25");
  await page.keyboard.press("Enter");
  await eventually(async () => assert.equal(await editorText(), text.replace('"a": 0.3', '"a": 0.25')));
});

testLive("a simulation plays as slowly or as fast as chosen", {}, async () => {
  await openExample("FourBar");
  await page.selectOption("#live-speed", { label: "0.01×" });
  const before = await seen("moved");
  await page.click("#play-on");
  await page.waitForFunction((moved) => window.seen.moved > moved + 10, before);
  const [time, steps] = await page.evaluate((moved) => [window.seen.time, window.seen.moved - moved], before);
  // At the speed 1 a step has at most 0.05 s.
  assert.ok(time > 0 && time < 1.001 * 0.01 * 0.05 * steps, `${time} s in ${steps} steps`);
  await page.selectOption("#live-speed", { label: "10×" });
  await page.waitForFunction(() => window.seen.time > 1);
  await page.click("#play-on");
});

testLive("a parameter is shown in another unit, and the text keeps its own", {}, async () => {
  await openExample("FourBar");
  const [field, unit] = ['input[type="number"]', "select"].map((tag) => page.locator(`.slider ${tag}`).first());
  const shows = (value) =>
    page.waitForFunction((value) => document.querySelector('.slider input[type="number"]').title === value, value);
  await shows("0.3");
  for (const [word, value] of [["mm", "300"], ["deg", "17.1887338539"], ["rpm", "2.86478897565"], ["", "0.3"], ["mm", "300"]]) {
    await unit.selectOption(word);
    await shows(value);
  }
  await field.fill("250");
  await field.press("Enter");
  await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.textContent.includes('"a": 0.25,'));
  await shows("250");
  await unit.selectOption("deg");
  await field.fill("30");
  await field.press("Enter");
  await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.textContent.includes(`"a": ${Math.PI / 6}`.slice(0, 18)));
  await shows("30");
  await page.reload();
  await page.waitForSelector(".slider select");
  await eventually(async () =>
    assert.equal(await page.locator(".slider select").first().inputValue(), "deg", "it is remembered"));
});

testLive("a slider beyond the possible values shows a message", {}, async () => {
  await openExample("FourBar");
  const slider = page.locator('.slider input[type="range"]').nth(3);
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 6 });
  await page.waitForFunction(() => document.querySelector("#live-note").textContent.includes("assembl"));
  await page.mouse.up();
});

testLive("the motion continues from the position of the mechanism", {}, async (context) => {
  await openExample("FourBar");
  await page.click("#play-on");
  await page.waitForFunction(() => window.seen.time > 0.5);
  await tellTimes(context, "FourBar plays");
  await page.focus("#canvas");
  await page.keyboard.press("Space");
  assert.equal(await page.textContent("#play-on"), "Play");
  await atRest(page);
});

testLive("a result's motion and the mechanism take turns", {}, async () => {
  await openExample("FourBar");
  assert.ok(!(await page.isVisible("#by-hand")));
  await page.click("#run");
  await page.waitForSelector("#result.moving:not(.live)");
  await page.click("#by-hand");
  await page.waitForSelector("#result.live");
  assert.ok(!(await page.isVisible("#time")));
  await page.click("#by-hand");
  await page.waitForSelector("#result:not(.live)");
  assert.ok(await page.isVisible("#time"));
});

testLive("without the solver the service is asked", {}, async () => {
  await page.route("**/mbs.wasm", (route) => route.abort());
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText('{ "space": "planar" }');
  await page.waitForSelector(".validation-error");
  await eventually(async () => assert.ok(validations > 0 && !(await page.isVisible("#canvas"))));
  complaints = complaints.filter((text) => !/ERR_FAILED|422/.test(text));
});

/** A pendulum with numeric points, with the view of FourBar. */
const SWING = `{
  "name": "swing", "space": "planar", "gravity": [0, -9.81],
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [{"name": "bob", "mass": 1, "inertia": 0.02, "points": {"A": [-0.25, 0], "B": [0.25, 0]},
    "initial": {"position": [0.25, 0]}}],
  "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.A"]}],
  "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.01},
  "view": {"x": [-0.4, 1.2], "y": [-0.4, 0.9]}
}`;

/** Returns the place of the drawing in the window, and the positions of the grid's numbers. */
const layout = () =>
  page.evaluate(() => {
    const { x, y, width, height } = document.querySelector("#canvas").getBoundingClientRect();
    return JSON.stringify({ x, y, width, height, grid: window.grid });
  });

/** Records where the drawing has written its numbers. */
function keepGrid() {
  const { fillText, setTransform } = CanvasRenderingContext2D.prototype;
  window.grid = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    if (this.canvas.id === "canvas") window.grid.push([text, ...place.map(Math.round)]);
    fillText.call(this, text, ...place);
  };
  CanvasRenderingContext2D.prototype.setTransform = function (...matrix) {
    if (this.canvas.id === "canvas") window.grid = [];
    setTransform.apply(this, matrix);
  };
}

for (const viewport of [{ width: 1280, height: 720 }, { width: 1920, height: 1080 }, { width: 800, height: 900 }]) {
  const name = `${viewport.width} x ${viewport.height}`;
  testLive(`a note does not move the drawing below a held mouse, ${name}`, { viewport }, async () => {
    await page.addInitScript(keepGrid);
    await page.reload();
    await openExample("FourBar");
    await frame();
    const place = await viewOf(page, FOUR_BAR);
    const before = await layout();
    await page.mouse.move(...place([0, 0]));
    await page.mouse.down();
    await page.mouse.move(...place([0.2, 0.1]), { steps: 5 });
    await page.waitForFunction(() => document.querySelector("#live-note").textContent.includes("cannot move"));
    await frame();
    assert.equal(await layout(), before);
    await page.mouse.up();
    await frame();
    assert.equal(await layout(), before);
  });

  testLive(`plots that come do not move the drawing, ${name}`, { viewport }, async () => {
    await page.addInitScript(keepGrid);
    await page.reload();
    await openExample("FourBar");
    await openFile(SWING);
    await page.waitForFunction(() => window.seen.scene.bodies.length === 2);
    await page.click('[data-toggle="edit"]');
    await page.locator("#canvas").scrollIntoViewIfNeeded();
    await frame();
    const place = await viewOf(page, FOUR_BAR);
    const before = await layout();
    await page.mouse.move(...place([0.5, 0]));
    await page.mouse.down();
    await page.mouse.move(...place([0.55, 0.03]), { steps: 5 });
    await frame();
    assert.equal(await layout(), before, "while the button is down");
    await page.mouse.up();
    await page.waitForSelector("#result.own");
    await page.waitForSelector("#plot .panel");
    await frame();
    assert.equal(await layout(), before, "after it was let go");
  });
}

/** A double rocker: neither link on the ground rotates fully. */
const DOUBLE_ROCKER = `{
  "name": "double rocker", "space": "planar",
  "ground": {"points": {"O": [0, 0], "C": [0.9, 0]}},
  "bodies": [
    {"name": "left", "mass": 1, "inertia": 0.05, "points": {"A": [-0.4, 0], "B": [0.4, 0]},
     "initial": {"position": [0.12, 0.38], "angle": 1.26}},
    {"name": "coupler", "mass": 1, "inertia": 0.01, "points": {"A": [-0.15, 0], "B": [0.15, 0]},
     "initial": {"position": [0.39, 0.7], "angle": -0.5}},
    {"name": "right", "mass": 1, "inertia": 0.05, "points": {"A": [-0.35, 0], "B": [0.35, 0]},
     "initial": {"position": [0.71, 0.3], "angle": -1.04}}],
  "joints": [
    {"name": "O", "type": "revolute", "points": ["ground.O", "left.A"]},
    {"name": "A", "type": "revolute", "points": ["left.B", "coupler.A"]},
    {"name": "B", "type": "revolute", "points": ["coupler.B", "right.A"]},
    {"name": "C", "type": "revolute", "points": ["right.B", "ground.C"]}],
  "view": {"x": [-0.4, 1.2], "y": [-0.4, 0.9]}
}`;

testLive("a double rocker waits at its limit until the mouse comes back", {}, async () => {
  await openExample("FourBar");
  await openFile(DOUBLE_ROCKER);
  await page.waitForFunction(() => window.seen.scene.bodies[1].name === "left");
  await frame();
  const place = await viewOf(page, FOUR_BAR);
  // The largest angle of the right link against the ground, with left link and coupler in line.
  const far = Math.acos((0.9 ** 2 + 0.7 ** 2 - 1.1 ** 2) / (2 * 0.9 * 0.7));
  const at = (angle) => [0.9 - 0.7 * Math.cos(angle), 0.7 * Math.sin(angle)];
  const { place: [x, y] } = await pointAndResidual("right", "A");
  const start = Math.atan2(y, 0.9 - x);
  const goTo = async (from, to) => {
    const steps = Math.ceil(Math.abs(to - from) / 0.05);
    for (let k = 1; k <= steps; k++) {
      await page.mouse.move(...place(at(from + ((to - from) * k) / steps)));
      await answered(page);
    }
    await atRest(page);
  };
  await page.mouse.move(...place(at(start)));
  await page.mouse.down();
  await goTo(start, far + 0.5);
  await comes("right", "A", at(far), 0.01);
  await goTo(far + 0.5, far + 4);
  await comes("right", "A", at(far), 0.01);
  await goTo(far + 4, start);
  await comes("right", "A", at(start), 0.01);
  await page.mouse.up();
});
