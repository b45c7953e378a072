// The lessons in a real browser: each is done from start to end with mouse and keys. No step counts as done too early,
// and its texts contain the numbers of the mechanism.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { findings, loadAxe } from "./axe.mjs";
import { base, page, picture, testPage, withoutSolids } from "./browser.mjs";
import { FOUR_BAR, viewOf } from "./drawing.mjs";
import { replaceText, shownText } from "./editor.mjs";
import { eventually, frameOf } from "./waiting.mjs";
import { answered, atRest, watchWorker } from "./worker.mjs";

const DESK = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const SLIDER_CRANK = { x: [-0.3, 0.5], y: [-0.4, 0.4] };
const CAM = { x: [-2, 2], y: [-2, 3] };
const PENDULUM = { x: [-1, 1], y: [-1.1, 1.1] };

const frame = () => frameOf(page);
const told = () => page.textContent(".lesson-response");
const title = () => page.textContent("#lesson-title");

/** Opens a lesson by a link. */
async function begin(id) {
  await page.addInitScript(watchWorker);
  await page.addInitScript(withoutSolids);
  await page.goto(`${base}/#lesson=${id}`);
  await page.reload();
  await onStep(1);
}

/** Waits until a step is shown and its mechanism is assembled; checks that nothing of it is done. */
async function onStep(number) {
  await page.waitForFunction((at) => document.querySelector("#lesson-title")?.textContent.includes(` ${at} of `), number);
  await page.waitForFunction(() => document.querySelector("#lesson")?.ariaBusy === "false");
  await frame();
  assert.equal(await told(), "", "done before it began");
}

/** Returns the text that appears when the step is done. */
async function done() {
  await page.waitForSelector(".lesson-response .good");
  assert.doesNotMatch(await told(), /[{}]|NaN|undefined|–\s?(m|N|s|°)/);
  return told();
}

/** Goes to the next step. */
async function next(number) {
  await page.click('#lesson button:text-is("Next")');
  await onStep(number);
}

/** Drags along a path of [0, 1] in parts, up to the part `until`. */
async function drag(place, path, until = 1) {
  await page.mouse.move(...place(path(0)));
  await page.mouse.down();
  for (let n = 1; n <= 40 * until; n++) {
    await page.mouse.move(...place(path(n / 40)));
    await frame();
    await answered(page); // of targets that come faster only the newest is
  }
  await atRest(page);
  await page.mouse.up();
  await frame();
}

const circle = (radius, from, to, [x, y] = [0, 0]) => (part) => {
  const angle = ((from + part * (to - from)) * Math.PI) / 180;
  return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
};

/** Returns the mass centre and the angle of a planar body. */
const poseOf = (body) => page.evaluate((name) => {
  const { scene, numbers } = window.seen;
  const index = scene.bodies.findIndex((each) => each.name === name) - 1;
  return [...numbers.subarray(3 * index, 3 * index + 3)];
}, body);

async function setParameter(name, value) {
  await page.fill(`#parameters [aria-label="${name}, value"]`, String(value));
  await page.keyboard.press("Enter");
}

/** Runs the document, and waits until its result is shown. */
async function run() {
  const before = await page.evaluate(() => location.hash);
  await page.click("#run");
  await page.waitForFunction((before) => location.hash !== before, before);
  await frame();
  await page.waitForSelector("#run-badge.succeeded");
  await page.waitForSelector("#by-hand:not([hidden])");
}

async function openJson() {
  await page.click("#text-tab");
  await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.querySelector(".cm-content"));
}

async function conclude(following) {
  await page.click('#lesson button:text-is("Next")');
  await page.waitForFunction(() => document.querySelector("#lesson-title").textContent.endsWith("done"));
  await eventually(async () =>
    assert.equal((await page.locator(".lesson-response a").allTextContents()).join(), following));
}

testPage("the pendulum's lesson", DESK, async () => {
  await begin("pendulum");
  const place = await viewOf(page, PENDULUM);
  await picture("lesson-pendulum-begun");
  const path = circle(1, -60, 40);
  await drag(place, path, 0.3);
  assert.equal(await told(), "", "30 degrees are no 60");
  await drag(place, circle(1, -30, 60));
  assert.match(await done(), /1 degree of freedom/);
  await picture("lesson-pendulum-done");

  await next(2);
  assert.ok(Math.abs((await poseOf("rod"))[2] - Math.PI / 6) < 1e-9, "it is at 30 degrees again");
  await page.click("#play-on");
  await page.waitForFunction(() => window.seen.time > 1);
  assert.equal(await told(), "");
  const swing = /between (-?\d+)° and (-?\d+)°/.exec(await done());
  assert.ok(Math.abs(Number(swing[1]) + 30) <= 2 && Math.abs(Number(swing[2]) - 30) <= 2, swing[0]);

  await next(3);
  // It goes on swinging, with its forces not shown.
  await page.waitForFunction((before) => window.seen.time > before + 0.5, await page.evaluate(() => window.seen.time));
  assert.equal(await told(), "");
  await page.click('[data-toggle="forces"]');
  const force = Number(/with ([\d.]+) N/.exec(await done())[1]);
  assert.ok(force > 22 && force <= 23.6, `${force} N; 23.56 at the lowest place`);

  await next(4);
  await run();
  assert.equal(await told(), "", "it was run as light as it was");
  await setParameter("m", 5);
  await run();
  assert.match(await done(), /m = 5 kg .* 1\.67 s\. With/);
  await picture("lesson-pendulum-run");

  await next(5);
  await setParameter("L", 0.5);
  assert.equal(await told(), "");
  await run();
  assert.match(await done(), /L = 0\.5 m it takes 1\.18 s/);
  await conclude("Next lesson: Slider-crank and its cut");
});

testPage("the slider-crank's lesson", DESK, async () => {
  await begin("slider-crank");
  const place = await viewOf(page, SLIDER_CRANK);
  await drag(place, circle(0.12, 38.9, 70));
  assert.equal(await told(), "");
  await drag(place, circle(0.12, 70, 130));
  assert.match(await done(), /1 degree of freedom\. The crank is at 1\d\d°, the slider at x = 0\.\d+ m/);

  await next(2);
  await page.click("#tree-tab");
  await page.click('#tree button:has-text("A revolute")');
  await frame();
  assert.equal(await told(), "", "A is not the one");
  await page.click('#tree button:has-text("B revolute")');
  assert.match(await done(), /B, where .* 2 rows: 3 − 2 = 1/);

  await next(3);
  await page.click("#check");
  assert.match(await done(), /4 corrections moved the crank from 65\.0° to 38\.9°\. The gap in B is then [\d.e-]+ m/);
  await picture("lesson-slider-crank-checked");

  await next(4);
  await page.click('[data-toggle="forces"]');
  await frame();
  assert.equal(await told(), "");
  await page.click("#play-on");
  assert.match(await done(), /B now pushes the slider with \(-?[\d.]+, -?[\d.]+\) N/);
  await conclude("Next lesson: Four-bar and its Jacobian");
});

testPage("the four-bar's lesson", DESK, async () => {
  await page.evaluate(() => localStorage.setItem("mbsd.drawing", "instant-centres"));
  await begin("four-bar");
  // The plots of a run in the browser would take room from the drawing at any time.
  await page.$eval("#outcome", (plots) => (plots.style.display = "none"));
  const place = await viewOf(page, FOUR_BAR);
  await drag(place, circle(0.3, 57.3, 140));
  assert.equal(await told(), "");
  await drag(place, circle(0.3, 140, 260));
  assert.match(await done(), /8 rows, 0 of them redundant: 9 − 8 = 1\. 1 degree of freedom, .* turned the crank by \d+°/);

  await next(2);
  await frame();
  assert.equal(await told(), "", "they are switched on already");
  await page.click('[data-toggle="instant-centres"]');
  const centre = /about (\((-?[\d.]+), (-?[\d.]+)\) m|a point far away)/.exec(await done());
  if (centre[2]) {
    const [x, y, angle] = await poseOf("crank");
    const across = Number(centre[3]) * Math.cos(angle) - Number(centre[2]) * Math.sin(angle);
    assert.ok(Math.abs(across) < 0.05 * Math.max(1, Math.hypot(Number(centre[2]), Number(centre[3]))), "on the crank's line");
    assert.ok(Math.hypot(x, y) > 0.14);
  }
  await picture("lesson-four-bar-centres");

  await next(3);
  const rocker = async () => {
    const [x, y] = await poseOf("rocker");
    return [2 * x - 0.9, 2 * y];
  };
  const from = await rocker();
  await drag(place, (part) => [from[0] + 0.05 * part, from[1]]);
  assert.equal(await told(), "");
  const again = await rocker();
  await drag(place, (part) => [again[0] + part * (1.7 - again[0]), again[1] + part * (0.1 - again[1])]);
  assert.match(await done(), /It stops at -?\d+° where crank and coupler lie on one line/);
  await picture("lesson-four-bar-dead-point");

  await next(4);
  await setParameter("a", 0.5);
  await frame();
  await setParameter("a", 0.7);
  await page.waitForFunction(() => Math.abs(Math.hypot(window.seen.numbers[0], window.seen.numbers[1]) - 0.35) < 1e-6);
  await frame();
  assert.equal(await told(), "", "the crank was not dragged");
  const [x, y] = await poseOf("crank");
  const angle = (Math.atan2(y, x) * 180) / Math.PI;
  await drag(place, circle(0.7, angle, angle - 50));
  assert.match(await done(), /With a = 0\.7 m every bar/);
  await conclude("Next lesson: Cam and follower");
});

testPage("the cam's lesson", DESK, async () => {
  await begin("cam");
  const place = await viewOf(page, CAM);
  await drag(place, circle(0.8, -40, 0));
  assert.equal(await told(), "");
  await drag(place, circle(0.8, 0, 60));
  assert.match(await done(), /None: 0 degrees of freedom, 1 without drivers.* by \d+°/);

  await next(2);
  await page.click("#play-on");
  await page.waitForFunction(() => window.seen.time > 0.5);
  assert.equal(await told(), "");
  const [, least, greatest] = /between ([\d.]+) and ([\d.]+) m/.exec(await done());
  assert.ok(Math.abs(least - 1.25) < 0.01 && greatest > 1.7 && greatest <= 1.75, `${least} to ${greatest}`);

  await next(3);
  await run();
  assert.match(await done(), /from -63\.3 to 171 N/);

  await next(4);
  await eventually(async () =>
    assert.equal(await page.inputValue('#properties label:has-text("Function") :is(input, textarea)'), "2*pi*t"));
  await run();
  assert.equal(await told(), "", "it still lifts off");
  await page.fill('#properties label:has-text("Function") :is(input, textarea)', "0.6*pi*t");
  await page.keyboard.press("Enter");
  await run();
  assert.match(await done(), /Now from 3\.23 to 24\.3 N/);
  await picture("lesson-cam-slow");
  await conclude("Next lesson: A door with one hinge too many");
});

testPage("the door's lesson, and what is remembered of it", DESK, async () => {
  await begin("door");
  const box = await page.locator("#canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let n = 1; n <= 60; n++) {
    await page.mouse.move(x - 6 * n, y + n);
    await frame();
    await answered(page);
    if (n === 1) assert.equal(await told(), "");
  }
  await page.mouse.up();
  assert.match(await done(), /1 degree of freedom\. 5 rows are redundant: high\.x, high\.y/);
  await picture("lesson-door");

  await next(2);
  await run();
  assert.match(await done(), /low carries 97\.6 N and high carries 97\.6 N.* of low and high are not unique/);

  await next(3);
  const opened = await page.evaluate(() => window.seen.opened);
  await page.fill('#properties label:has-text("Name") input', "below");
  await page.keyboard.press("Enter");
  await page.waitForFunction((before) => window.seen.opened > before, opened);
  await frame();
  assert.equal(await told(), "", "another name is no other joint");
  await page.selectOption('#properties label:has-text("Type") select', "cylindrical");
  assert.match(await done(), /4 rows are still redundant: below\./);

  await next(4);
  await openJson();
  const text = await readFile("models/Door.json", "utf8");
  await replaceText(page, text.replace("[0, 0, 1.7]", "[0, 0, 1.7000]"));
  await frame();
  assert.equal(await told(), "");
  await replaceText(page, text.replace("[0, 0, 1.7]", "[0.05, 0, 1.7]"));
  assert.match(await done(), /contradict/);
  await picture("lesson-door-contradiction");
  await conclude("");

  await page.click('#lesson [aria-label="End the lesson"]');
  await page.waitForSelector("#lesson", { state: "detached" });
  await page.click("#gallery-tab");
  await eventually(async () =>
    assert.match(await page.textContent('.lessons li:has-text("door")'), /4 steps done/));
  await page.click('.lessons a:has-text("door")');
  await onStep(1);
});

testPage("a lesson continues where it was left, by the keys, before anything moves", DESK, async () => {
  let solver;
  const begun = new Promise((resolve) => (solver = resolve));
  await page.route("**/mbs.wasm", (route) => begun.then(() => route.continue()));
  await page.reload();
  await page.evaluate(() => localStorage.setItem("mbsd.lessons", '{"four-bar":2}'));
  await page.click("#gallery-tab");
  await page.focus('.lessons a:has-text("Four-bar")');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "lesson-title");
  solver();
  await onStep(3);
  assert.equal(await page.evaluate(() => document.activeElement.id), "lesson-title");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "canvas" && location.hash === "");
});

testPage("who leaves a lesson has the own document back, as it was edited", DESK, async () => {
  await openJson();
  const own = '{\n  "name": "Of my own",\n  "space": "planar",\n  "parameters": {"length": 0.3}\n}';
  await replaceText(page, own);
  const kept = () => page.evaluate(() => {
    dispatchEvent(new Event("pagehide"));
    return localStorage.getItem("mbsd.draft");
  });
  assert.equal(await kept(), own);
  await begin("pendulum");
  await setParameter("L", 0.7);
  await page.waitForFunction(() => document.querySelector('[aria-label="L, value"]').value === "0.7");
  assert.equal(await kept(), own, "the lesson's document took the place of the draft");
  await page.click('#lesson button[aria-label="End the lesson"]');
  await page.waitForFunction(() => /Of my own/.test(document.querySelector("#editor").shadowRoot?.textContent));
  assert.equal(await shownText(page), own);
  assert.equal(await kept(), own);
});

testPage("on a phone the card is below the mechanism, and axe finds nothing in it", PHONE, async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => localStorage.removeItem("mbsd.lessons"));
    await begin("pendulum");
    const [canvas, card] = [await page.locator("#canvas").boundingBox(), await page.locator("#lesson").boundingBox()];
    assert.ok(card.y >= canvas.y + canvas.height, "the card covers the mechanism");
    await page.locator("#stage").scrollIntoViewIfNeeded();
    await page.click("#play-on");
    await page.click('#lesson button:text-is("Next")');
    await page.waitForFunction(() => document.querySelector("#lesson-title").textContent.includes(" 2 of "));
    await page.waitForFunction(() => document.querySelector("#lesson").ariaBusy === "false");
    await loadAxe();
    assert.deepEqual(await findings(), []);
    await picture(`lesson-phone-${colorScheme}`);
  }
});
