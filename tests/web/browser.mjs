// What tests with a real browser (Chromium) and the real daemon (MBSD, else build/release/mbsd) share: both of them, and
// a page for each test. What is left when a test fails (screenshots, the daemon's log) is in a folder that is named at
// the end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

const PROGRAM = process.env.MBSD ?? "build/release/mbsd";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
FLAGS.push("--disable-component-update", "--disable-sync");

/** A job that pages may ask for without a complaint. */
export const UNKNOWN_JOB = "00000000-0000-7000-8000-000000000000";

let folder, daemon, browser, complaints;
/** The daemon's address, and the page of the test that runs. */
export let base, page;
let failed = false;

/** Starts the daemon on a free port; resolves with its address. */
function startDaemon() {
  daemon = spawn(PROGRAM, ["--port", "0", "--data", join(folder, "data")]);
  daemon.stderr.pipe(createWriteStream(join(folder, "mbsd.log")));
  return new Promise((resolve, reject) => {
    let printed = "";
    daemon.stdout.on("data", (text) => {
      printed += text;
      const address = /listening on (http:\S+)/.exec(printed);
      if (address) resolve(address[1]);
    });
    daemon.on("error", reject);
    daemon.on("exit", (code) => reject(new Error(`${PROGRAM} ended with ${code}`)));
  });
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "mbs-web-"));
  base = await startDaemon();
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
});

after(async () => {
  await browser?.close();
  if (daemon?.exitCode === null) {
    daemon.kill("SIGTERM");
    await once(daemon, "exit");
  }
  if (failed) console.error(`what is left of the failed tests is in ${folder}`);
  else await rm(folder, { recursive: true, force: true });
});

/** Opens the page; whatever the browser complains of is kept. */
async function openPage(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  page = await context.newPage();
  complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // A browser counts a refused document or a job not found as an error; here it is what was asked for.
    const { url } = message.location();
    const expected = /status of (400|422)/.test(message.text()) ? url.includes("/api/v1/") : url.includes(UNKNOWN_JOB);
    // Chromium complains of the icon of a page that is left while it loads.
    const icon = `${url} ${message.text()}`.includes("/icon.svg");
    // A program may be built without the solver for the page.
    const noSolver = url.endsWith("/mbs.wasm") && /status of 404/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !expected && !icon && !noSolver) complaints.push(message.text());
  });
  await page.goto(base);
}

/** A test on a page of its own, of which the browser must have nothing to complain in the end. */
export function testPage(name, options, body) {
  test(name, async () => {
    await openPage(options);
    try {
      await body();
      assert.deepEqual(complaints, []);
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      await page.screenshot({ path: join(folder, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
      await page.context().close();
    }
  });
}

/** Replaces the editor's text, when there is one. */
export async function type(text) {
  await page.waitForFunction(
    () => document.querySelector("#editor").shadowRoot?.querySelector(".cm-content")?.textContent,
  );
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Waits until the job that is shown has this status. */
export async function waitForStatus(status) {
  await page.waitForSelector(`#run-badge.${status}`, { timeout: 30000 });
}
