// What tests of the page in a browser start with: the daemon (MBSD, else build/release/mbsd) on a free port, and the
// browser that MBS_BROWSER names: chromium, or firefox, which may not be there.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startDaemon } from "../openapi/daemon.mjs";
import { LONGEST } from "./waiting.mjs";

const { chromium, firefox } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
FLAGS.push("--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader");

/** How each browser is started; both draw by software. Debian's Firefox, which nobody patched, speaks WebDriver BiDi. */
const BROWSERS = {
  chromium: [chromium, { executablePath: "/usr/bin/chromium", args: FLAGS }],
  firefox: [firefox, {
    executablePath: "/usr/bin/firefox-esr",
    channel: "moz-firefox",
    firefoxUserPrefs: { "webgl.force-enabled": true },
    env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: "1", MOZ_WEBGL_FORCE_EGL: "1" },
  }],
};

const [browserType, launching] = BROWSERS[process.env.MBS_BROWSER ?? "chromium"];

/** What ctest takes for a test that was left out. */
const LEFT_OUT = 77;

// Chromium has to be there.
if (browserType === firefox && !existsSync(launching.executablePath)) {
  console.log(`${launching.executablePath} is not installed: nothing is tested in Firefox.`);
  process.exit(LEFT_OUT);
}

/** How many times slower than the machine the main threads of Chromium's pages are: a test that does not wait for what it
 * looks at fails then. */
const SLOW = Number(process.env.MBS_TEST_SLOW ?? 1);

/** Has the pages of a browser's contexts waited for as long as may be, and go slow where that is asked for. */
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

/** Resolves with the daemon's address and folder (its log is in there), a browser, the folder of its downloads, why the solver's module is missing
 * (false: it is there), and what ends all of it, with `keep` but for the folder. Options are the daemon's. */
export async function startAll(...options) {
  const { address: base, folder, stop } = await startDaemon(...options);
  const missing = (await fetch(`${base}/mbs.wasm`)).status !== 200 && "the program was built without mbs.wasm";
  if (missing && process.env.CI) throw new Error(missing);
  const downloads = join(folder, "downloads");
  const browser = await browserType.launch({ ...launching, downloadsPath: downloads });
  bePatient(browser);
  const end = async (how) => {
    await browser.close();
    await stop(how);
  };
  return { base, folder, browser, downloads, missing, end };
}

/** Whether the browser complains in a message of its console; not of solids that are drawn by software, as here. */
export function isComplaint(message) {
  return ["error", "warning"].includes(message.type()) && !/GL Driver Message .*Performance/.test(message.text());
}

/** Of a list of numbers, that which `part` of them do not exceed. */
export function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))];
}
