// Accessibility: axe-core finds no violation of the WCAG 2.2 (levels A and AA) and of its own best practices, in each
// view, in light and dark colours, on a wide window and on a phone: each window in one of them, at night in both.
import assert from "node:assert/strict";
import { findings, loadAxe } from "./axe.mjs";
import { openExample, page, testPage, type, waitForStatus } from "./browser.mjs";
import { frameOf } from "./waiting.mjs";

const WINDOWS = {
  "on a wide window": { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  "on a phone": { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" },
};
const AT_NIGHT = process.env.MBS_NIGHTLY === "1";

/** The views, each with the steps from the previous one. */
const VIEWS = {
  "at first": () => page.click("#tree-tab"),
  "with an element selected": () => page.click("#tree .elements button >> nth=1"),
  "with the settings": () => page.click('#tree button:text-is("Ground")'),
  "with the editor": () => page.click("#text-tab"),
  "with the gallery": async () => {
    await page.click("#gallery-tab");
    await page.waitForSelector("#gallery .card");
  },
  "with dimensions": async () => {
    await page.click("#build-on");
    await page.click("#tree-tab");
    await page.click("#tree .elements button >> nth=0");
    await page.waitForSelector("#dimensions button");
  },
  "with the tools that draw": async () => {
    await page.click('#build button:text-is("Contact")');
    await page.click('#build button:text-is("Photo")');
  },
  "with a question": async () => {
    await page.click('#properties button:text-is("Delete")');
    await page.waitForSelector("dialog[open]");
  },
  "without it": async () => {
    await page.click('dialog button:text-is("Cancel")');
    await page.click("#build-on");
  },
  "with mistakes": async () => {
    await page.click("#text-tab");
    await type('{ "space": "planar", "bodies": [{ "name": "b", "mass": -1 }] }');
    await page.waitForSelector(".validation-error");
  },
  "with a result": async () => {
    await openExample("FourBar");
    await page.waitForFunction(() => !document.querySelector(".validation-error"));
    await page.click("#run");
    await page.waitForSelector("#plot .u-over");
  },
  "with the report": async () => {
    await page.click("#report-tab");
    for (const summary of await page.locator("#report-panel > div > details > summary, #downloads > summary").all())
      await summary.click();
  },
  "with the runs": () => page.click("#jobs-tab"),
  "with a run that is named": () => page.click('#job-list button:text-is("Rename")'),
  "with equations": async () => {
    await page.click("#equations-tab");
    await page.click('.equation-steps button:text-matches("^2 ")');
    await page.waitForSelector("#equations [role=grid]");
  },
  "with equations of accelerations": async () => {
    await page.click('.equation-steps button:text-matches("^5 ")');
    await page.waitForSelector('#equations [role=grid][aria-label="rhsA"]');
  },
  "with modes": async () => {
    await page.selectOption("#example", "SP_modes");
    await page.waitForFunction(() => document.querySelector("#editor").shadowRoot?.textContent.includes("modes"));
    await page.click("#run");
    await page.waitForSelector("#modes input:checked");
  },
  "with a study that is to be made": async () => {
    await page.selectOption("#example", "FourBar");
    await page.click("#numbers-tab");
    await page.click("#study-maker > summary");
    await page.waitForSelector("#study-maker fieldset[aria-label=Output]");
    await page.check("#study-maker .study-vary input >> nth=1");
    await page.click('#study-maker button:text-is("Add output")');
    await page.click("#study-maker details summary");
  },
  "with the runs of a study": async () => {
    await page.click('#study-maker button:text-is("Run study")');
    await page.waitForSelector(".study-counts:not(:empty)");
    await page.click(".study-ranges summary");
    await page.click(".study-head button[aria-label^='Go to the next run']");
    await page.waitForSelector(".study-chosen dl > div");
  },
  "with a histogram": () => page.click("#study-histogram-tab"),
  "with a surface": () => page.click("#study-surface-tab"),
  "with a fit that is to be made": async () => {
    await page.selectOption("#example", "FourBar_lengths");
    await page.click("#numbers-tab");
    await page.waitForSelector("#study-maker fieldset[aria-label='Measured quantity']");
  },
  "with a fit": async () => {
    await page.click('#study-maker button:text-is("Fit")');
    await page.waitForSelector(".study-best");
    await page.click("#study-fit-tab");
  },
  "with an optimization that is to be made": async () => {
    await page.selectOption("#example", "FourBar_path");
    await page.waitForSelector("#study-maker fieldset[aria-label='Constraint']");
  },
  "with an optimization": async () => {
    await page.click('#study-maker button:text-is("Optimize")');
    await page.waitForSelector(".study-best");
    await page.click("#study-progress-tab");
  },
  "with the report of an optimization": async () => {
    await page.click("#report-tab");
    await page.waitForSelector("#study .study-best");
  },
  "with what was understood": async () => {
    await page.click("#check");
    await page.waitForSelector("#findings .good");
  },
  "with a job that failed": async () => {
    const failing = { type: "dynamics", t_end: 1, dt: 0.1, limits: { max_evaluations: 5 } };
    const text = await page.evaluate(async () => (await fetch("api/v1/examples/FourBar")).text());
    await type(JSON.stringify({ ...JSON.parse(text), analysis: failing }));
    await page.click("#run");
    await waitForStatus("failed");
  },
};

for (const [where, options] of Object.entries(WINDOWS))
  for (const colorScheme of AT_NIGHT ? ["light", "dark"] : [options.colorScheme])
    testPage(`nothing is found ${where} in the ${colorScheme}`, { ...options, colorScheme, reducedMotion: "reduce" }, async () => {
      await page.waitForSelector("#result.live");
      await loadAxe();
      const found = [];
      for (const [name, come] of Object.entries(VIEWS)) {
        await come();
        for (let i = 0; i < 6; i++) await frameOf(page);
        found.push(...(await findings()).map((finding) => `${name}: ${finding}`));
      }
      assert.deepEqual(found, []);
    });
