// Common parts of the tests in this folder: the real daemon (MBSD, else build/release/mbsd) and requests to it.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const PROGRAM = process.env.MBSD ?? "build/release/mbsd";

/** Starts a daemon on a free port: its address, and stop(), which leaves nothing behind, or with `keep`
 * its folder until the next. */
export async function startDaemon(...options) {
  const folder = await mkdtemp(join(tmpdir(), "mbsd-openapi-"));
  const daemon = spawn(PROGRAM, ["--port=0", `--data=${join(folder, "data")}`, "--disk-reserve=1M", ...options]);
  daemon.stderr.pipe(createWriteStream(join(folder, "mbsd.log")));
  const address = await new Promise((resolve, reject) => {
    let printed = "";
    daemon.stdout.on("data", (text) => {
      printed += text;
      const found = /listening on (http:\S+)/.exec(printed);
      if (found) resolve(found[1]);
    });
    daemon.on("error", reject);
    daemon.on("exit", (code) => reject(new Error(`${PROGRAM} ended with ${code}`)));
  });
  async function stop({ keep = false } = {}) {
    if (daemon.exitCode === null) {
      daemon.kill("SIGTERM");
      daemon.kill("SIGINT"); // the second signal skips the grace time of jobs
      await once(daemon, "exit");
    }
    if (!keep) await rm(folder, { recursive: true, force: true });
  }
  return { address, folder, stop };
}

/** A new token of a right, and its line for --token-file. */
export async function newToken(name, right) {
  const { stdout, stderr } = await promisify(execFile)(PROGRAM, ["--new-token", name, right]);
  const [, token] = /: (\S+)/.exec(stderr);
  return { bearer: { Authorization: `Bearer ${token}` }, line: stdout.trim() };
}

/** A request: status, headers (names in small letters) and body of its answer. A `stream` ends with its first piece. */
export function request(address, method, path, { body, headers = {}, stream = false } = {}) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const sent = text === undefined ? headers : { "Content-Type": "application/json", ...headers };
    const asked = http.request(address + path, { method, headers: sent, agent: false }, (answer) => {
      const pieces = [];
      const finish = () => {
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(pieces) });
        asked.destroy();
      };
      if (method === "HEAD") finish();
      answer.on("data", (piece) => {
        pieces.push(piece);
        if (stream) finish();
      });
      answer.on("end", finish);
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(text);
  });
}

/** A planar pendulum that falls for t_end seconds. */
export function pendulum(t_end, more = {}) {
  return {
    name: "pendulum",
    space: "planar",
    gravity: [0, -9.81],
    ground: { points: { O: [0, 0] } },
    bodies: [{ name: "bob", mass: 1, inertia: 0.1, points: { a: [-0.5, 0] } }],
    joints: [{ name: "pin", type: "revolute", points: ["ground.O", "bob.a"] }],
    analysis: { type: "dynamics", t_end, dt: Math.max(0.1, t_end / 1e4) },
    ...more,
  };
}

/** A job that takes longer than any test waits. */
export const endless = () =>
  pendulum(1e5, { analysis: { type: "dynamics", t_end: 1e5, dt: 1, integrator: { rtol: 1e-12, atol: 1e-12 } } });
