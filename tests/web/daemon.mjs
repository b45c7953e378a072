// Starts the daemon (MBSD, else build/release/mbsd) on a free port and the browser that MBS_BROWSER names: chromium or
// firefox. Firefox may be missing.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startDaemon } from "../openapi/daemon.mjs";
import { LONGEST } from "./waiting.mjs";

const { chromium, firefox } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
FLAGS.push("--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader");

/** Options of each browser; both use software rendering. Debian's unpatched Firefox supports WebDriver BiDi. */
const BROWSERS = {
  chromium: [chromium, { executablePath: "/usr/bin/chromium-headless-shell", args: FLAGS }],
  firefox: [firefox, {
    executablePath: "/usr/bin/firefox-esr",
    channel: "moz-firefox",
    firefoxUserPrefs: { "webgl.force-enabled": true },
    env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: "1", MOZ_WEBGL_FORCE_EGL: "1" },
  }],
};

const [browserType, launching] = BROWSERS[process.env.MBS_BROWSER ?? "chromium"];

/** The exit code that ctest counts as a skipped test. */
const LEFT_OUT = 77;

// Chromium is required.
if (browserType === firefox && !existsSync(launching.executablePath)) {
  console.log(`${launching.executablePath} is not installed: nothing is tested in Firefox.`);
  process.exit(LEFT_OUT);
}

/** Slowdown of the main threads of Chromium's pages, for finding tests that do not wait for a condition. */
const SLOW = Number(process.env.MBS_TEST_SLOW ?? 1);

/** Sets long timeouts for the pages of a browser, and slows them down if requested. */
function bePatient(browser) {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(LONGEST);
    if (SLOW > 1 && browserType === chromium) slowDown(context);
    return context;
  };
}

function slowDown(context) {
  const newPage = context.newPage.bind(context);
  context.newPage = async () => {
    const page = await newPage();
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW });
    return page;
  };
}

/** Resolves with the daemon's address and folder (which contains its log), a browser, its folder of downloads, the
 * reason why the solver's module is missing (false if it is there), and a function that ends everything; with
 * `keep` the folder stays. Options are those of the daemon. */
export async function startAll(...options) {
  const { address: base, folder, stop } = await startDaemon(...options);
  const missing = (await fetch(`${base}/mbs.wasm`)).status !== 200 && "the program was built without mbs.wasm";
  if (missing && process.env.CI) throw new Error(missing);
  const downloads = join(folder, "downloads");
  const browser = await browserType.launch({ ...launching, downloadsPath: downloads, timeout: LONGEST });
  bePatient(browser);
  const end = async (how) => {
    await browser.close();
    await stop(how);
  };
  return { base, folder, browser, downloads, missing, end };
}

/** Returns true if a console message is a complaint. Warnings about software rendering are not. */
export function isComplaint(message) {
  return ["error", "warning"].includes(message.type()) && !/GL Driver Message .*Performance/.test(message.text());
}

/** Returns the quantile of a list of numbers. */
export function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))];
}
