// The equations in a real browser: blocks, numbers at the shown time, marking under the pointer and by keys, copying,
// and the printed worksheet. Prints the time for opening a large model's equations.
import assert from "node:assert/strict";
import { join } from "node:path";
import { base, openExample, page, picture, PICTURES, testPage } from "./browser.mjs";
import { replaceText } from "./editor.mjs";
import { strandbeest } from "./strandbeest.mjs";
import { eventually, frameOf } from "./waiting.mjs";

const DESK = { viewport: { width: 1440, height: 900 } };
const DARK = { viewport: { width: 1280, height: 720 }, colorScheme: "dark" };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const goTo = (step) => page.click(`.equation-steps button:text-matches("^${step} ")`);
const cellAt = (matrix, row, column) =>
  `[role=grid][aria-label="${matrix}"] td[data-row="${row}"][data-column="${column}"]`;

/** Opens the equations at a step. */
async function openAt(step) {
  await page.click("#equations-tab");
  await page.waitForSelector(".equation-step h3");
  await goTo(step);
  await page.waitForFunction((step) => document.querySelector(".equation-step h3")?.textContent.startsWith(`${step} `), step);
}

/** Returns the symbols of each block, row by row, or its text if it has none. */
const blocksOf = (matrix) =>
  page.$$eval(`[role=grid][aria-label="${matrix}"] tbody tr`, (rows) =>
    rows.map((row) =>
      [...row.querySelectorAll("td")].map((cell) => {
        const symbols = [...cell.querySelectorAll("[data-symbol]")].map((each) => each.dataset.symbol);
        return symbols.length > 0 ? symbols.join(" ") : cell.querySelector("math")?.textContent ?? cell.textContent;
      }),
    ),
  );

/** Also asks the worker for the state of the last numbers, which the answer contains. */
function watchNumbers() {
  const { Worker } = window;
  window.Worker = class extends Worker {
    constructor(...values) {
      super(...values);
      this.addEventListener("message", ({ data }) => {
        const { body, status } = data.answer ?? {};
        if (status === 200 && body?.matrices && !Array.isArray(body.matrices)) window.numbers = body;
        if (status === 200 && body?.words) window.equations = body;
      });
    }
  };
}

/** Lets the drawing's pixels be read without a warning of the browser. */
function readPixels() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, more) {
    return getContext.call(this, kind, kind === "2d" ? { ...more, willReadFrequently: true } : more);
  };
}

/** Returns the number and extent of the pixels in the colour of the marked element. */
const lit = () =>
  page.$eval("#canvas", (canvas) => {
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--warn");
    probe.fillRect(0, 0, 1, 1);
    const wanted = probe.getImageData(0, 0, 1, 1).data;
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const found = { count: 0, x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    for (let i = 0; i < data.length; i += 4) {
      if (Math.abs(data[i] - wanted[0]) + Math.abs(data[i + 1] - wanted[1]) + Math.abs(data[i + 2] - wanted[2]) > 6) continue;
      const [x, y] = [(i / 4) % width, Math.floor(i / 4 / width)];
      found.count++;
      found.x = [Math.min(found.x[0], x), Math.max(found.x[1], x)];
      found.y = [Math.min(found.y[0], y), Math.max(found.y[1], y)];
    }
    return found;
  });

const litUntil = (check) =>
  eventually(async () => {
    const found = await lit();
    check(found);
    return found;
  });

testPage("the blocks of the slider-crank are those of the blackboard", DESK, async () => {
  await openExample("SC");
  await openAt(1);
  assert.match(await page.textContent(".equation-step"), /The revolute joint B between rod and slider is cut/);
  // Labels are formulas in sentences, too.
  assert.doesNotMatch((await page.locator(".equation-step p").allTextContents()).join(), /theta|_/);
  assert.ok((await page.locator(".equation-step p math").count()) >= 3);
  await picture("equations-1");
  await openAt(2);
  assert.deepEqual(await blocksOf("B"), [
    ["d_{1,1}", "0", "0"],
    ["1", "0", "0"],
    ["d_{2,1}", "d_{2,2}", "0"],
    ["1", "1", "0"],
    ["0", "0", "u_3"],
    ["0", "0", "0"],
  ]);
  await picture("equations-2");
  await openAt(4);
  assert.deepEqual(await blocksOf("C"), [["d_{*,1}", "d_{*,2}", "u_3"]]);
  await openAt(5);
  assert.deepEqual(await blocksOf("rhsA"), [["dot(d_{*,1}) dot(theta_1) dot(d_{*,2}) dot(theta_2)"]]);
  assert.doesNotMatch((await page.locator(".equation-symbols .faint").allTextContents()).join(), /_/);
  await openAt(6);
  await picture("equations-6");
  const M = await blocksOf("M");
  assert.equal(M[0][1], "m_2 d_{2,1} d_{2,2} J_2");
  assert.equal(M[0][2], "0");
  await openAt(7);
  assert.match(await page.textContent(".equation-step"), /M θ″ − Cᵀ λ = h.*C θ″ = rhsA/s);
});

testPage("what is pointed at lights up: a vector, a path, by the mouse and by the keys", DESK, async () => {
  await page.addInitScript(readPixels);
  await page.reload();
  await openExample("SC");
  await openAt(2);
  await page.mouse.move(5, 5);
  await litUntil(({ count }) => assert.equal(count, 0));
  const symbol = await page.locator(`${cellAt("B", 2, 0)} [data-symbol]`).boundingBox();
  await page.mouse.move(symbol.x - 60, symbol.y + 40);
  await page.mouse.move(symbol.x + symbol.width / 2, symbol.y + symbol.height / 2, { steps: 8 });
  // d_{2,1} leads from O to the mass centre of the rod, to the right; compared in pixels.
  const long = await litUntil(({ count }) => assert.ok(count > 100));
  await picture("equations-vector");
  const ratio = (long.y[1] - long.y[0]) / (long.x[1] - long.x[0]);
  assert.ok(long.x[1] - long.x[0] > 40 && ratio < 0.6, `an arrow to the right, slowly up: ${JSON.stringify(long)}`);
  // u_3 is the axis of the rail: a horizontal arrow.
  await page.hover(`${cellAt("B", 4, 2)} [data-symbol]`);
  const axis = await litUntil(({ count, x }) => assert.ok(count > 50 && x[0] > long.x[0] + 20));
  assert.ok(axis.y[1] - axis.y[0] < 30, `level: ${JSON.stringify(axis)}`);
  await page.mouse.move(5, 5);
  await litUntil(({ count }) => assert.equal(count, 0));

  // Keys: Tab reaches the first block, the arrow keys move on, and the joints of its path have rings.
  await page.focus('[role=grid] td[tabindex="0"]');
  const first = await litUntil(({ count }) => assert.ok(count > 50));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.row), "2");
  await litUntil(({ count, x }) => assert.ok(count > 50 && x[1] > first.x[1] + 20, "the path continues to the rod"));
  await picture("equations-path");
  await page.keyboard.press("Escape");
  await litUntil(({ count }) => assert.equal(count, 0));

  // Selecting a body marks its rows and columns.
  await page.click("#tree-tab");
  await page.click('#tree button:has-text("rod")');
  await eventually(async () => assert.equal(await page.locator("[role=grid] th.marked").count(), 3));
});

testPage("numbers follow the transport bar, and are those of the service", DESK, async () => {
  await page.addInitScript(watchNumbers);
  await page.reload();
  await openExample("SC");
  await openAt(4);
  await page.click("#run");
  await page.waitForSelector("#run-badge.succeeded");
  await page.waitForSelector("#stage:not(.still)");
  const id = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("job");
  if ((await page.textContent("#play")) === "Pause") await page.click("#play");
  const text = () => page.textContent('[role=grid][aria-label="C"]');
  const seen = new Set();
  for (const part of [0.2, 0.5, 0.9]) {
    await page.$eval("#time", (slider, part) => {
      slider.value = String(Number(slider.max) * part);
      slider.dispatchEvent(new Event("input"));
    }, part);
    await eventually(async () => {
      const { t } = await page.evaluate(() => window.numbers);
      const wanted = await page.$eval("#time", ({ value }) => Number(value));
      assert.ok(Math.abs(t - wanted) < 0.02, `${t} is not near ${wanted}`);
    });
    const numbers = await page.evaluate(() => window.numbers);
    const answer = await fetch(`${base}/api/v1/jobs/${id}/equations?t=${numbers.t}&only=C,D`);
    const wanted = await answer.json();
    assert.ok(Math.abs(wanted.t - numbers.t) < 1e-12);
    const own = numbers.matrices.C.flat(3), theirs = wanted.C.blocks.flat().flatMap(({ value }) => value.flat());
    assert.equal(own.length, theirs.length);
    own.forEach((value, i) => assert.ok(Math.abs(value - theirs[i]) < 1e-9, `${value} is not ${theirs[i]}`));
    seen.add(await text());
  }
  assert.equal(seen.size, 3, "the numbers on the screen changed");
});

testPage("numbers follow the hand", DESK, async () => {
  await openExample("FourBar");
  await openAt(4);
  await page.waitForSelector(".equation-number math");
  const before = await page.textContent('[role=grid][aria-label="C"]');
  await page.click("#play-on");
  await eventually(async () => assert.notEqual(await page.textContent('[role=grid][aria-label="C"]'), before));
  await page.click("#play-on");
  await picture("equations-playing");
});

testPage("matrices are copied as LaTeX", { ...DESK, permissions: ["clipboard-read", "clipboard-write"] }, async () => {
  await openExample("SC");
  await openAt(4);
  await page.click('button:has-text("Copy LaTeX of C")');
  await page.waitForSelector('.equation-done:text-is("Copied as LaTeX.")');
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  assert.match(await copied(), /^\\mathbf\{C\} = \\begin\{bmatrix\}\n\\breve\{\\mathbf\{d\}\}_\{\*,1\} & .* & -\\mathbf\{u\}_\{3\}\n/);
  await page.click('button:text-is("Copy all as LaTeX")');
  await eventually(async () => assert.match(await copied(), /\\documentclass/));
});

for (const name of ["SC", "McPherson"])
  testPage(`the equations of ${name} are a sheet to print`, DESK, async () => {
    await page.evaluate(() => (window.print = () => undefined));
    await openExample(name);
    await openAt(2);
    await page.click('.equation-actions button:text-is("Print")');
    await page.waitForSelector(".equation-sheet h2", { state: "attached" });
    await page.emulateMedia({ media: "print" });
    // The printable area of a landscape A4 page.
    await page.setViewportSize({ width: 1025, height: 700 });
    const wide = await page.$$eval(".equation-sheet table", (tables) =>
      tables.map((table) => table.getBoundingClientRect().right).filter((right) => right > 1032),
    );
    assert.deepEqual(wide, [], "no matrix is cut off");
    const pdf = await page.pdf({ preferCSSPageSize: true, path: PICTURES && join(PICTURES, `sheet-${name}.pdf`) });
    const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
    assert.ok(pages >= 2 && pages < 40, `${pages} pages`);
    await page.emulateMedia({ media: null });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator(".equation-sheet").count(), 0);
  });

testPage("of twelve equal legs the rows of one are shown", DESK, async (context) => {
  await page.addInitScript(watchNumbers);
  await page.reload();
  await page.waitForSelector("#result.live");
  await page.click("#text-tab");
  await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.querySelector(".cm-content"));
  await replaceText(page, strandbeest(12));
  await page.waitForFunction(() => document.querySelector("#freedoms").textContent.includes("1 degree"));
  await frameOf(page);
  for (const step of [2, 3, 4, 6, 7, 2]) {
    const start = await page.evaluate(() => performance.now());
    await openAt(step);
    const time = await page.evaluate((start) => performance.now() - start, start);
    context.diagnostic(`73 bodies, step ${step}: ${time.toFixed(0)} ms until it is shown`);
    await picture(`equations-strandbeest-${step}`);
  }
  const rows = await page.locator('[role=grid][aria-label="B"] tbody tr').count();
  assert.ok(rows < 40, `${rows} rows of 146`);
  assert.match(await page.textContent('[role=grid][aria-label="B"]'), /likewise .* and \d+ more/);
});

testPage("in the dark and in space", DARK, async () => {
  await openExample("RSSR_rod");
  await openAt(2);
  await page.hover(`${cellAt("B", 0, 0)} [data-symbol]`);
  await picture("equations-space");
  assert.equal((await blocksOf("B"))[0][0], "u_1 d_{1,1}");
  await openAt(4);
  await picture("equations-space-4");
});

testPage("on a phone", PHONE, async () => {
  await openExample("SC");
  await openAt(2);
  await page.tap(`${cellAt("B", 2, 0)} [data-symbol]`);
  await picture("equations-phone");
  await eventually(async () => assert.equal(await page.locator(".pointed").count() > 0, true));
});
