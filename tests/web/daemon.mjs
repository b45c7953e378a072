// What tests of the page in a browser start with: the daemon (MBSD, else build/release/mbsd) on a free port, and
// Chromium.
import { createRequire } from "node:module";
import { startDaemon } from "../openapi/daemon.mjs";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
FLAGS.push("--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader");

/** Resolves with the daemon's address and folder (its log is in there), a browser, why the solver's module is missing
 * (false: it is there), and what ends all of it, with `keep` but for the folder. Options are the daemon's. */
export async function startAll(...options) {
  const { address: base, folder, stop } = await startDaemon(...options);
  const missing = (await fetch(`${base}/mbs.wasm`)).status !== 200 && "the program was built without mbs.wasm";
  if (missing && process.env.CI) throw new Error(missing);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const end = async (how) => {
    await browser.close();
    await stop(how);
  };
  return { base, folder, browser, missing, end };
}

/** Whether the browser complains in a message of its console; not of solids that are drawn by software, as here. */
export function isComplaint(message) {
  return ["error", "warning"].includes(message.type()) && !/GL Driver Message .*Performance/.test(message.text());
}

/** Of a list of numbers, that which `part` of them do not exceed. */
export function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))];
}
