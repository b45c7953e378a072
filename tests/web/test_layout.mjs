// The page's layout in a real browser: on a wide window three panes that scroll separately, on a phone the drawing
// first; tabs, the tree of the document, keys. Prints the size and duration of the first view.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { base, openExample, page, testPage, type, waitForStatus } from "./browser.mjs";
import { eventually, runJob } from "./waiting.mjs";

const DESK = { viewport: { width: 1440, height: 900 } };
const NOTEBOOK = { viewport: { width: 1280, height: 720 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const box = (selector) => page.locator(selector).boundingBox();
const isChosen = (tab) => page.$eval(tab, (button) => button.getAttribute("aria-selected") === "true");

for (const [name, options] of Object.entries({ "1440 x 900": DESK, "1280 x 720": NOTEBOOK })) {
  testPage(`at ${name} nothing scrolls, the drawing has most of the height`, options, async () => {
    const { width, height } = options.viewport;
    await openExample("FourBar");
    for (const step of ["before", "after"]) {
      if (step === "after") {
        await page.click("#run");
        await page.waitForSelector("#plot .u-over");
      }
      await eventually(async () => {
        const canvas = await box("#canvas");
        assert.ok(canvas.height >= 0.55 * height - 0.5, `${step} a run the drawing has ${canvas.height} of ${height} pixels`);
        const [model, result, drawer] = await Promise.all(["#model", "#result", "#drawer"].map(box));
        assert.ok(model.x + model.width < result.x && result.x + result.width < drawer.x, "three panes side by side");
        assert.ok(drawer.x + drawer.width <= width && drawer.y + drawer.height <= height);
        const sizes = () => [document.documentElement, document.querySelector("#result")].map((element) =>
          [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight]);
        assert.deepEqual(await page.evaluate(sizes), [[0, 0], [0, 0]]);
      });
    }
    await eventually(async () => {
      const [transport, plot] = await Promise.all(["#transport", "#plot .u-over"].map(box));
      assert.ok(transport.y + transport.height <= plot.y && plot.height > 40 && plot.y + plot.height <= height);
    });
  });
}

testPage("at 1280 x 720 two plots are seen whole", NOTEBOOK, async () => {
  await openExample("FourBar");
  await page.click("#run");
  await page.waitForSelector("#plot .u-over");
  await page.click('#plot-form button:text-is("Add")');
  await eventually(async () => {
    const panels = await page.locator("#plot .panel").all();
    assert.equal(panels.length, 2);
    const [plot, last] = await Promise.all([box("#plot"), panels[1].boundingBox()]);
    assert.ok(last.y + last.height <= plot.y + plot.height + 1 && plot.y + plot.height <= NOTEBOOK.viewport.height);
  });
  const headings = await page.$$eval("#series thead th", (cells) => cells.map((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    const { left, right } = text.getBoundingClientRect();
    return [left, right];
  }));
  const gaps = headings.slice(1).map(([left], i) => left - headings[i][1]);
  assert.ok(gaps.length >= 3 && gaps.every((gap) => gap >= 8), `gaps between the headings of the table: ${gaps}`);
});

testPage("at 1280 x 720 a plot is seen whole beside the equations", NOTEBOOK, async () => {
  await openExample("FourBar");
  await page.click("#run");
  await page.waitForSelector("#plot .u-over");
  await page.click("#equations-tab");
  await page.waitForSelector("main.explaining");
  await eventually(async () => {
    const [plot, curve, result] = await Promise.all(["#plot", "#plot .u-over", "#result"].map(box));
    assert.ok(curve.height > 40 && curve.y + curve.height <= plot.y + plot.height + 1);
    assert.ok(plot.y + plot.height <= result.y + result.height + 1);
  });
});

for (const [name, options] of Object.entries({ "1440 x 900": DESK, "1280 x 720": NOTEBOOK }))
  testPage(`at ${name} the matrices of a four-bar in body coordinates do not scroll sideways`, options, async () => {
    const model = JSON.parse(await readFile("models/FourBar.json", "utf8"));
    await type(JSON.stringify({ ...model, analysis: { ...model.analysis, formulation: "body" } }));
    await page.click("#equations-tab");
    for (const step of ["4 D, C", "6 M, h"]) {
      await page.click(`.equation-steps button:text-is("${step}")`);
      await page.waitForFunction(() => document.querySelectorAll(".equation-frame th").length > 12);
      await eventually(async () => {
        const widths = await page.$$eval(".equation-frame", (all) => all.map((each) => [each.scrollWidth, each.clientWidth]));
        assert.equal(widths.length, 2);
        for (const [all, seen] of widths) assert.ok(all <= seen, `${step}: ${all} of ${seen} pixels`);
      });
    }
  });

testPage("at 1280 x 720 the diagrams of a study are seen whole, of an optimization its drawing and result", NOTEBOOK, async () => {
  const inside = (...selectors) =>
    eventually(async () => {
      const [result, ...all] = await Promise.all(["#result", ...selectors].map(box));
      for (const { y, height } of all)
        assert.ok(y >= result.y && y + height <= result.y + result.height, `${y} + ${height} of ${result.height} pixels`);
    });
  const model = JSON.parse(await readFile("models/FourBar.json", "utf8"));
  const study = { vary: [{ parameter: "a", from: 0.2, to: 0.4, count: 5 }], outputs: [{ name: "reach", of: "rocker angle" }] };
  const job = await runJob(base, { model, analysis: { type: "dynamics", t_end: 1, dt: 0.1 }, study });
  await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
  await waitForStatus("succeeded");
  await page.waitForSelector(".parallel canvas");
  await inside(".parallel", ".diagram:visible");
  const search = await runJob(base, await readFile("studies/SC_balance.json", "utf8"));
  await page.evaluate((id) => (location.hash = `job=${id}`), search.id);
  await page.waitForSelector(".study-best");
  await inside("#canvas", ".study-found", '.study-found button:text-is("Use the best values")');
  assert.ok((await box("#canvas")).height >= 280);
  await page.locator(".diagram:visible").scrollIntoViewIfNeeded();
  await inside(".diagram:visible");
});

testPage("on a phone the drawing comes first, and fingers hit what there is", PHONE, async () => {
  await openExample("FourBar");
  await page.tap("#run");
  await page.waitForSelector("#plot .u-over");
  await eventually(async () => {
    const [result, model, drawer] = await Promise.all(["#result", "#model", "#drawer"].map(box));
    assert.ok(result.y < model.y && model.y < drawer.y);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.viewport.width);
  });
  await page.tap("#gallery-tab");
  await page.waitForSelector("#gallery .card");
  for (const tab of ["#tree-tab", "#text-tab", "#gallery-tab", "#report-tab", "#jobs-tab", "#numbers-tab"]) {
    await page.tap(tab);
    if (tab === "#text-tab") await page.waitForSelector("#editor .cm-content");
    const { height } = await page.locator("#model").boundingBox();
    if (tab === "#text-tab") assert.ok(height < PHONE.viewport.height, "a long text scrolls in its editor");
    const small = await page.$$eval("button, select, summary, .button, [type=range], [type=number]", (all) =>
      all
        .map((element) => [element, element.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && (width < 43.5 || height < 43.5))
        .map(([element]) => element.outerHTML));
    assert.deepEqual(small, [], tab);
  }
});

testPage("tabs are chosen by keys, and again after a reload", DESK, async () => {
  await page.click("#tree-tab");
  await page.keyboard.press("ArrowRight");
  assert.ok(await isChosen("#text-tab"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "text-tab");
  await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.querySelector(".cm-content"));
  await page.keyboard.press("Home");
  assert.ok((await isChosen("#tree-tab")) && (await page.isVisible("#tree")) && !(await page.isVisible("#text")));
  await page.focus("#numbers-tab");
  await page.keyboard.press("End");
  assert.ok(await isChosen("#equations-tab"));
  await page.keyboard.press("ArrowLeft");
  assert.ok(await isChosen("#jobs-tab"));
  await page.reload();
  await eventually(async () => assert.ok((await isChosen("#jobs-tab")) && (await isChosen("#tree-tab"))));
});

testPage("an element of the tree is selected in the text, and its fields are listed", DESK, async () => {
  await openExample("FourBar");
  await page.click("#tree-tab");
  assert.deepEqual(await page.locator("#tree h3").allTextContents(), ["Bodies 3", "Joints 4", "Sensors 2"]);
  await page.focus('#tree button:has-text("crank")');
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await page.textContent('#tree [aria-pressed="true"]'), "coupler");
  await eventually(async () => assert.match(await page.textContent("#properties"), /coupler.*Mass.*Inertia/));
  const fields = await page.locator("#properties input").evaluateAll((all) => all.map(({ value }) => value));
  assert.ok(fields.includes("2") && fields.includes("2*b^2/12"), fields.join());
  await page.click("#properties button");
  assert.ok(await isChosen("#text-tab"));
  await page.waitForFunction(() => document.activeElement.id === "editor");
  await eventually(async () => {
    const selection = await page.evaluate(() => {
      const lines = [...document.querySelector("#editor").shadowRoot?.querySelectorAll(".cm-line")];
      const active = lines.findIndex((line) => line.classList.contains("cm-activeLine"));
      return lines.slice(active, active + 2).map((line) => line.textContent).join("");
    });
    assert.match(selection, /\{\s*"name": "coupler"/);
  });
});

testPage("what happens before the editor is there can be undone in it", DESK, async () => {
  await page.click("#tree-tab");
  await page.reload();
  await openExample("FourBar");
  const field = page.locator('.slider input[type="number"]').first();
  await field.fill("0.25");
  await page.keyboard.press("Enter");
  await page.click("#text-tab");
  const has = (text) =>
    page.waitForFunction(
      (wanted) =>
        document.querySelector("#editor").shadowRoot?.querySelector(".cm-content")?.textContent.includes(wanted),
      text,
    );
  await has('"a": 0.25');
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+z");
  await has('"a": 0.3,');
  // The sliders are updated after the text has been parsed.
  await page.waitForFunction(() => document.querySelector('.slider input[type="number"]').value === "0.3");
});

/** Records when the mechanism is drawn, and when it first moves [ms since navigation]. */
function noteTimes() {
  addEventListener("DOMContentLoaded", () => {
    const result = document.querySelector("#result");
    const pixels = () => document.querySelector("#canvas").toDataURL();
    new MutationObserver((_, observer) => {
      if (!result.classList.contains("live")) return;
      observer.disconnect();
      window.drawn = performance.now();
      const first = pixels();
      document.querySelector("#play-on").click();
      const look = () => {
        if (pixels() === first) requestAnimationFrame(look);
        else window.moved = performance.now();
      };
      requestAnimationFrame(look);
    }).observe(result, { attributeFilter: ["class"] });
  });
}

testPage("the first view is small and soon moves, and what comes later is not in it", DESK, async (context) => {
  await page.waitForSelector("#result.live");
  await page.click("#tree-tab");
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.setCacheDisabled", { cacheDisabled: true });
  const [names, sizes] = [new Map(), new Map()];
  client.on("Network.responseReceived", ({ requestId, response }) => names.set(requestId, new URL(response.url).pathname));
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
  await page.reload();
  await page.waitForSelector("#result.live");
  const [total, list] = [[...sizes.values()].reduce((sum, size) => sum + size, 0), [...names.values()].join(" ")];
  context.diagnostic(`the first view is ${(total / 1000).toFixed(1)} kB compressed without the solver: ${list}`);
  assert.ok(total < 200e3, `${total} bytes`);
  assert.doesNotMatch(list, /code_editor|plots|gallery/);
  const solver = await fetch(`${base}/mbs.wasm`, { headers: { "Accept-Encoding": "gzip" } });
  context.diagnostic(`the solver comes as ${solver.headers.get("Content-Length")} bytes`);

  await client.send("Network.setCacheDisabled", { cacheDisabled: false });
  await page.addInitScript(noteTimes);
  await page.reload();
  await page.reload();
  await page.waitForFunction(() => window.moved);
  const [drawn, moved] = await page.evaluate(() => [window.drawn, window.moved]);
  context.diagnostic(`warm, the mechanism is drawn after ${drawn.toFixed(0)} ms and moves after ${moved.toFixed(0)} ms`);
});

for (const viewport of [{ width: 1280, height: 720 }, { width: 1920, height: 1080 }])
  for (const colorScheme of ["light", "dark"])
    testPage(`nothing is cut off, ${viewport.width} ${colorScheme}`, { viewport, colorScheme }, async () => {
      const beyond = (selector) =>
        page.$$eval(selector, (elements) => elements.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
      const allFit = (selector) =>
        eventually(async () => {
          const found = await beyond(selector);
          assert.ok(found.length > 0 && found.every((pixels) => pixels <= 1), `${selector}: ${found} pixels too many`);
        });
      const rows = (selector) =>
        page.$$eval(selector, (buttons) => new Set(buttons.map((button) => button.getBoundingClientRect().top)).size);
      const inOneLine = (selector) => eventually(async () => assert.ok((await box(selector)).height < 48, selector));
      await openExample("FourBar_path");
      await page.click("#run");
      await page.waitForSelector("#run-badge.succeeded");
      await page.waitForSelector(".parallel .axis-name");
      await inOneLine(".study-head");
      assert.equal(await rows("#drawer-tabs button"), 1);
      assert.equal(await rows("#drawing-tools button"), 1);
      for (const selector of ["#numbers", ".slider", '.slider input[type="number"]', ".parallel", ".study-diagrams .tabs", "#result"])
        await allFit(selector);
      // The headings of narrow axes are slanted, and whole.
      await allFit(".axis-name");
      const frame = await box(".parallel");
      for (const heading of await page.locator(".axis-name").all()) {
        const { x, y, width, height } = await heading.boundingBox();
        assert.ok(x >= frame.x && x + width <= frame.x + frame.width, await heading.textContent());
        assert.ok(y >= frame.y && y + height <= frame.y + frame.height, await heading.textContent());
      }
      // A focused field shows all digits.
      const field = page.locator('.slider input[type="number"]').first();
      assert.ok((await field.inputValue()).length <= 8);
      await field.focus();
      assert.ok((await field.inputValue()).length > 8);
      await page.click("#report-tab");
      await allFit("#report-panel");
      await page.click("#numbers-tab");
      await page.click('.study-head button[aria-label^="Go to the next run"]');
      await page.waitForSelector(".study-head .run-of-study");
      await inOneLine(".study-head");
      await openExample("TP");
      await page.click("#run");
      await page.waitForSelector("#plot .u-over");
      await page.selectOption("#plot-over", "frequency");
      await page.waitForFunction(() => document.querySelector("#series thead").textContent.includes("Hz"));
      await allFit("#plot-columns .scroll");
      assert.ok((await box("#plot .u-over")).height > 40);
      await page.click("#equations-tab");
      await page.waitForSelector(".explaining #equations h3");
      await inOneLine("#transport");
    });
