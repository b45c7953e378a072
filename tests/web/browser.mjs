// Shared by the tests with a real browser (Chromium) and the real daemon (MBSD, else build/release/mbsd): starts both,
// and opens a page for each test. If a test fails, screenshots and the daemon's log stay in a folder whose path is
// printed at the end.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isComplaint, startAll } from "./daemon.mjs";
import { replaceText } from "./editor.mjs";
import { frameOf } from "./waiting.mjs";

/** Folder for pictures; none are saved without it. */
export const PICTURES = process.env.MBS_PICTURES;

/** The id of a job that does not exist; requests for it are no complaints. */
export const UNKNOWN_JOB = "00000000-0000-7000-8000-000000000000";

let all, complaints;
/** The daemon's address, the folder of the browser's downloads, and the page of the current test. */
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

/** Saves a picture of the page. */
export async function picture(name) {
  if (!PICTURES) return;
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Opens the page and records the browser's complaints. */
async function openPage(options) {
  const context = await all.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  page = await context.newPage();
  complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // The browser reports rejected documents and missing jobs as errors; the tests cause them deliberately.
    const { url } = message.location();
    const expected = /status of (400|422)/.test(message.text()) ? url.includes("/api/v1/") : url.includes(UNKNOWN_JOB);
    // Tests may disconnect the network.
    const offline = message.text().includes("ERR_INTERNET_DISCONNECTED");
    // Chromium complains about the icon of a page that is left while it loads.
    const icon = `${url} ${message.text()}`.includes("/icon.svg");
    // The program may have been built without the solver for the page.
    const noSolver = url.endsWith("/mbs.wasm") && /status of 404/.test(message.text());
    if (isComplaint(message) && !expected && !offline && !icon && !noSolver) complaints.push(message.text());
  });
  await page.goto(base);
  await page.click("#text-tab");
}

/** Disables WebGL in a page before it is loaded, so that spatial models are drawn as lines. Software rendering takes
 * a second for a frame of solids. */
export function withoutSolids() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind === "webgl2" ? null : getContext.call(this, kind, ...more);
  };
}

/** Runs a test on a separate page. Fails if the browser has complained at the end. */
export function testPage(name, options, body) {
  test(name, async (context) => {
    await openPage(options);
    try {
      await body(context);
      assert.deepEqual(complaints, []);
    } catch (error) {
      failed = true;
      await page.screenshot({ path: join(all.folder, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
      throw error;
    } finally {
      // A request that a route still fetches would fail after the test.
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.context().close();
    }
  });
}

/** Replaces the text of the editor, after it has been loaded. */
export async function type(text) {
  await page.waitForFunction(
    () => document.querySelector("#editor").shadowRoot?.querySelector(".cm-content")?.textContent,
  );
  await replaceText(page, text);
}

/** Waits until the shown job has this status. */
export async function waitForStatus(status) {
  await page.waitForSelector(`#run-badge.${status}`);
}

/** Opens an example; resolves when its mechanism is drawn. */
export async function openExample(name) {
  await page.waitForSelector(`#example option[value="${name}"]`, { state: "attached" });
  await page.waitForSelector("#result.live");
  // Clears the text, because another mechanism may have the same degrees of freedom.
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
