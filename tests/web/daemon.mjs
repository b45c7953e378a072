// What tests of the page in a browser start with: the daemon (MBSD, else build/release/mbsd) on a free port, and
// Chromium.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

const PROGRAM = process.env.MBSD ?? "build/release/mbsd";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
FLAGS.push("--disable-component-update", "--disable-sync");

/** Resolves with the daemon's address, a browser, why the solver's module is missing (false: it is there), and what
 * ends all of it. */
export async function startAll() {
  const folder = await mkdtemp(join(tmpdir(), "mbs-page-"));
  const values = ["--port", "0", "--data", join(folder, "data")];
  const daemon = spawn(PROGRAM, values, { stdio: ["ignore", "pipe", "inherit"] });
  const base = await new Promise((resolve, reject) => {
    let printed = "";
    daemon.stdout.on("data", (text) => {
      printed += text;
      const address = /listening on (http:\S+)/.exec(printed);
      if (address) resolve(address[1]);
    });
    daemon.on("error", reject);
    daemon.on("exit", (code) => reject(new Error(`${PROGRAM} ended with ${code}`)));
  });
  const missing = (await fetch(`${base}/mbs.wasm`)).status !== 200 && "the program was built without mbs.wasm";
  if (missing && process.env.CI) throw new Error(missing);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const end = async () => {
    await browser.close();
    if (daemon.exitCode === null) {
      daemon.kill("SIGTERM");
      await once(daemon, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  return { base, browser, missing, end };
}

/** Of a list of numbers, that which `part` of them do not exceed. */
export function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))];
}
