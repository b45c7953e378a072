// The page in Debian's Firefox, with a real path of the mouse: drawing, dragging, changes by text and slider, running,
// plots, saved files, spatial models with WebGL and without, and the manual. Prints times since navigation and of
// frames. Everything independent of the browser is tested with Chromium.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { base, downloads, page, testPage, type, waitForStatus, withoutSolids } from "./browser.mjs";
import { quantile } from "./daemon.mjs";
import { FOUR_BAR, viewOf } from "./drawing.mjs";
import { eventually } from "./waiting.mjs";

const pixels = () => page.$eval("#canvas", (canvas) => canvas.toDataURL());
const frame = () => page.evaluate(() => new Promise(requestAnimationFrame));
const drawingChanges = (from) =>
  page.waitForFunction((before) => document.querySelector("#canvas").toDataURL() !== before, from);

async function openExample(name, bodies) {
  await page.waitForSelector(`#example option[value="${name}"]`, { state: "attached" });
  await page.selectOption("#example", name);
  await page.click("#tree-tab");
  await page.waitForSelector(`#tree button:has-text("${bodies}")`);
  await page.waitForSelector("#result.live");
  await frame();
}

/** Records when each frame begins, until the function that it defines in the page is called. */
function noteFrames() {
  const times = [];
  let going = true;
  const note = (time) => {
    times.push(time);
    if (going) requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
  window.framesNoted = () => {
    going = false;
    return times.slice(1).map((time, i) => time - times[i]);
  };
}

testPage("the mechanism is there, and follows the mouse", {}, async (context) => {
  await page.goto("about:blank");
  const start = performance.now();
  await page.goto(base);
  await page.waitForSelector("#result.live");
  const [there, inPage] = [performance.now() - start, await page.evaluate(() => performance.now())];
  context.diagnostic(`from the navigation to the first assembly ${there.toFixed(0)} ms, in the page ${inPage.toFixed(0)}`);
  await openExample("FourBar", "crank");
  assert.match(await page.textContent("#freedoms"), /^\d+ degrees? of freedom/);

  await frame();
  const still = await pixels();
  const place = await viewOf(page, FOUR_BAR);
  const pin = (angle) => place([0.3 * Math.cos(angle), 0.3 * Math.sin(angle)]);
  await page.mouse.move(...pin(1));
  await page.mouse.down();
  await page.evaluate(noteFrames);
  for (let n = 1; n <= 60; n++) await page.mouse.move(...pin(1 + (2 * Math.PI * n) / 90));
  const frames = await page.evaluate(() => window.framesNoted());
  await drawingChanges(still);
  const held = await pixels();
  await page.mouse.up();
  await drawingChanges(held); // the line to the pointer is gone
  const [half, most] = [0.5, 0.95].map((part) => quantile(frames, part).toFixed(1));
  context.diagnostic(`while it is dragged ${frames.length} frames, p50 ${half} ms, p95 ${most} ms`);
  assert.ok(frames.length > 0);

  await page.focus("#canvas");
  await page.keyboard.press("Escape");
  await page.mouse.move(10, 10);
  await page.waitForFunction((before) => document.querySelector("#canvas").toDataURL() === before, still);
});

testPage("the text, a slider and Play change the mechanism", {}, async () => {
  await openExample("FourBar", "crank");
  const text = await readFile("models/FourBar.json", "utf8");
  await page.click("#text-tab");
  await type(text.replace('"mass": 2', '"mass": -2'));
  await page.waitForSelector(".validation-error");
  assert.match(await page.textContent(".validation-error"), /-2/);
  await type(text);
  await page.waitForFunction(() => !document.querySelector(".validation-error"));
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("x");
  await page.waitForSelector(".validation-error");
  await page.keyboard.press("Backspace");
  await page.waitForFunction(() => !document.querySelector(".validation-error"));

  const before = await pixels();
  const { x, y, width, height } = await page.locator('.slider input[type="range"]').first().boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.55 * width, y + height / 2, { steps: 6 });
  await drawingChanges(before);
  await page.mouse.up();
  const value = await page.inputValue('.slider input[type="number"]');
  await page.waitForFunction(
    (wanted) => document.querySelector("#editor").shadowRoot.querySelector(".cm-content").textContent.includes(wanted),
    `"a": ${value}`,
  );

  const turned = await pixels();
  await page.click("#play-on");
  await drawingChanges(turned);
  await page.click("#play-on");
  assert.equal(await page.textContent("#play-on"), "Play");
});

testPage("a run is shown and plotted", {}, async () => {
  await openExample("SC", "crank");
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.waitForSelector("#result.moving:not(.live)");
  await page.waitForSelector("#plot .u-over");
  const { x, y, width, height } = await page.locator("#plot .u-over").first().boundingBox();
  await page.click("#play");
  const first = await page.inputValue("#time");
  await page.mouse.click(x + 0.25 * width, y + height / 2);
  await page.waitForFunction((before) => document.querySelector("#time").value !== before, first);
  await page.click("#report-tab");
  await page.waitForSelector("#report dl");
});

const files = () => readdir(downloads).catch(() => []);

/** Returns name and content of the file that a click on a button saves. Firefox does not report files that a page
 * creates, so the test looks for the file. */
async function saved(selector) {
  const before = await files();
  await page.click(selector);
  return eventually(async () => {
    const news = (await files()).filter((name) => !before.includes(name));
    assert.ok(news.length === 1 && !news[0].endsWith(".part"), `${news}`);
    const content = await readFile(join(downloads, news[0]));
    assert.ok(content.length > 0, `${news} is there`);
    return { name: news[0], content };
  });
}

testPage("the drawing is saved as PNG, SVG, glTF and WebM, plots as PNG, SVG and CSV", {}, async () => {
  await openExample("FourBar", "crank");
  await page.click(".menu > summary");
  const png = await saved("#save-png");
  assert.equal(png.name, "mechanism.png");
  assert.equal(png.content.toString("latin1", 1, 4), "PNG");
  assert.ok(png.content.readUInt32BE(16) > 300, "as wide as the drawing");
  const paths = async (selector) => {
    const { name, content } = await saved(selector);
    assert.match(name, /\.svg$/);
    return page.evaluate((text) => {
      const read = new DOMParser().parseFromString(text, "image/svg+xml");
      return read.querySelector("parsererror") ? -1 : read.querySelectorAll("path").length;
    }, content.toString());
  };
  assert.ok((await paths("#save-svg")) > 10, "the drawing as lines");
  assert.equal((await saved("#save-gltf")).content.toString("latin1", 0, 4), "glTF");

  await page.click("#record");
  await page.click(".menu > summary");
  await page.click("#play-on");
  for (let i = 0; i < 60; i++) await frame();
  await page.click(".menu > summary");
  const video = await saved("#record");
  assert.equal(video.name, "mechanism.webm");
  assert.equal(video.content.readUInt32BE(0), 0x1a45dfa3); // EBML
  assert.ok(video.content.length > 1000, `${video.content.length} bytes`);
  await page.click(".menu > summary");
  await page.click("#play-on");

  await page.click("#run");
  await waitForStatus("succeeded");
  await page.waitForSelector("#plot .u-over");
  assert.equal((await saved("#plot-png")).content.toString("latin1", 1, 4), "PNG");
  assert.ok((await paths("#plot-svg")) > 0, "the plots as lines");
  const csv = await saved("#plot-csv");
  assert.match(csv.name, /\.csv$/);
  const [head, ...rows] = csv.content.toString().trim().split("\r\n");
  assert.match(head, /^t \[s\],/);
  assert.ok(rows.length > 10 && rows.every((row) => row.split(",").every((cell) => Number.isFinite(Number(cell)))));
});

async function lookFromAbove() {
  const aslant = await pixels();
  await page.selectOption("#direction", "Top");
  await drawingChanges(aslant);
}

const hasWebGL = () => page.evaluate(() => !!document.createElement("canvas").getContext("webgl2"));
const loadsOfSolids = () =>
  page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/space-")).length);

testPage("a mechanism in space is drawn", {}, async (context) => {
  const solids = await hasWebGL();
  context.diagnostic(solids ? "with WebGL, as solids" : "there is no WebGL: as lines");
  await openExample("McPherson", "strut");
  if (solids)
    await page.waitForFunction(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes("/space-")));
  await lookFromAbove();
});

testPage("a mechanism in space is drawn as lines without WebGL", {}, async () => {
  await page.addInitScript(withoutSolids);
  await page.reload();
  assert.ok(!(await hasWebGL()));
  await openExample("McPherson", "strut");
  await lookFromAbove();
  assert.equal(await loadsOfSolids(), 0);
});

testPage("the manual is led to", {}, async () => {
  await page.click('nav a[href="docs/"]');
  await page.waitForURL("**/docs/**");
  await page.waitForSelector("h1");
});
