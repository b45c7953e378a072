// Generates a TypeScript client from the openapi.json of the daemon, in a temporary folder: it compiles, reports type
// errors, and runs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import openapiTS, { astToString } from "openapi-typescript";

import { startDaemon } from "./daemon.mjs";

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const SETTINGS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: "ES2022",
  module: "ESNext",
  moduleResolution: "Bundler",
  lib: ["ES2022", "DOM", "DOM.Iterable"],
  types: [],
  skipLibCheck: true,
};

let daemon, folder;

before(async () => {
  daemon = await startDaemon("--workers=1");
  folder = await mkdtemp(join(daemon.folder, "client-"));
});

after(() => daemon?.stop());

test("a generated client compiles and runs", async () => {
  const served = new URL(`${daemon.address}/api/v1/openapi.json`);
  const types = await openapiTS(served, { defaultNonNullable: false }); // what has a default may be left out
  await writeFile(join(folder, "service.ts"), astToString(types));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: SETTINGS, include: ["*.ts"] }));
  await writeFile(join(folder, "node.d.ts"), "declare const process: { argv: string[] };\n");
  await copyFile(here("client.ts"), join(folder, "client.ts"));
  await symlink(here("node_modules"), join(folder, "node_modules"));
  const compiled = await run(process.execPath, [here("node_modules/typescript/bin/tsc"), "-p", folder]).catch((e) => e);
  assert.equal(compiled.stdout, "");
  const { stdout } = await run(process.execPath, [join(folder, "client.js"), daemon.address]);
  assert.equal(stdout, "the client has run\n");
});
