// What tests with a real browser (Chromium) and the real daemon (MBSD, else build/release/mbsd) share: both of them, and
// a page for each test. What is left when a test fails (screenshots, the daemon's log) is in a folder that is named at
// the end.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isComplaint, startAll } from "./daemon.mjs";
import { replaceText } from "./editor.mjs";
import { frameOf } from "./waiting.mjs";

/** A job that pages may ask for without a complaint. */
export const UNKNOWN_JOB = "00000000-0000-7000-8000-000000000000";

let all, complaints;
/** The daemon's address, the folder of the browser's downloads, and the page of the test that runs. */
export let base, downloads, page;
let failed = false;

before(async () => {
  all = await startAll();
  ({ base, downloads } = all);
});

after(async () => {
  await all?.end({ keep: failed });
  if (failed) console.error(`what is left of the failed tests is in ${all.folder}`);
});

/** Opens the page; whatever the browser complains of is kept. */
async function openPage(options) {
  const context = await all.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  page = await context.newPage();
  complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // A browser counts a refused document or a job not found as an error; here it is what was asked for.
    const { url } = message.location();
    const expected = /status of (400|422)/.test(message.text()) ? url.includes("/api/v1/") : url.includes(UNKNOWN_JOB);
    // Tests may take the network away.
    const offline = message.text().includes("ERR_INTERNET_DISCONNECTED");
    // Chromium complains of the icon of a page that is left while it loads.
    const icon = `${url} ${message.text()}`.includes("/icon.svg");
    // A program may be built without the solver for the page.
    const noSolver = url.endsWith("/mbs.wasm") && /status of 404/.test(message.text());
    if (isComplaint(message) && !expected && !offline && !icon && !noSolver) complaints.push(message.text());
  });
  await page.goto(base);
  await page.click("#text-tab");
}

/** A script for a page that is to be opened: it has no WebGL, so that what is in space is drawn as lines. A browser that
 * draws solids by its processor takes a second for a frame of them. */
export function withoutSolids() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind === "webgl2" ? null : getContext.call(this, kind, ...more);
  };
}

/** A test on a page of its own, of which the browser must have nothing to complain in the end. */
export function testPage(name, options, body) {
  test(name, async (context) => {
    await openPage(options);
    try {
      await body(context);
      assert.deepEqual(complaints, []);
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      await page.screenshot({ path: join(all.folder, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
      await page.context().close();
    }
  });
}

/** Replaces the editor's text, when there is one. */
export async function type(text) {
  await page.waitForFunction(
    () => document.querySelector("#editor").shadowRoot?.querySelector(".cm-content")?.textContent,
  );
  await replaceText(page, text);
}

/** Waits until the job that is shown has this status. */
export async function waitForStatus(status) {
  await page.waitForSelector(`#run-badge.${status}`);
}

/** Chooses an example; resolves when its mechanism is drawn in the place of the one before. */
export async function openExample(name) {
  await page.waitForSelector(`#example option[value="${name}"]`, { state: "attached" });
  await page.waitForSelector("#result.live");
  // What is told of the freedoms is told of each mechanism anew, be it the same.
  await page.evaluate(() => {
    window.drawnAnew = false;
    const freedoms = document.querySelector("#freedoms");
    new MutationObserver((_, observer) => {
      observer.disconnect();
      window.drawnAnew = true;
    }).observe(freedoms, { childList: true });
  });
  await page.selectOption("#example", name);
  await page.waitForFunction(() => window.drawnAnew);
  await frameOf(page);
}
