// The web page of a service that requires a token: it asks the user once, stores the token for the tab, and uses it for
// downloads. The daemon is MBSD, else build/release/mbsd.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { newToken } from "../openapi/daemon.mjs";
import { startAll } from "./daemon.mjs";

let folder, all, base, token;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "mbs-web-"));
  const { bearer, line } = await newToken("anna", "run");
  token = bearer.Authorization.replace("Bearer ", "");
  await writeFile(join(folder, "tokens"), `${line}\n`, { mode: 0o600 });
  all = await startAll(`--token-file=${join(folder, "tokens")}`);
  base = all.base;
});

after(async () => {
  await all?.end();
  await rm(folder, { recursive: true, force: true });
});

test("the page asks for a token, once, and says when it is wrong", async () => {
  const context = await all.browser.newContext({ acceptDownloads: true });
  const page = await context.newPage();
  await page.goto(base);
  const dialog = page.locator("dialog");
  await dialog.getByText("This service requires a token").waitFor();
  assert.equal(await dialog.count(), 1);
  await page.fill("#token", "wrong");
  await page.click("dialog button[type=submit]");
  await dialog.getByText("This token is unknown").waitFor();
  await page.fill("#token", token);
  await page.click("dialog button[type=submit]");
  await page.locator("#example option", { hasText: "SC" }).first().waitFor({ state: "attached" });
  assert.equal(await dialog.count(), 0);
  await page.click("#run");
  await page.locator("#run-badge", { hasText: "succeeded" }).waitFor();

  // A plain link would get status 401.
  await page.click("#report-tab");
  await page.getByText("Downloads").click();
  const link = page.locator('#download-all a:text-is("NPZ")');
  const waiting = page.waitForEvent("download");
  await link.click();
  const download = await waiting;
  assert.equal(download.suggestedFilename(), "results.npz");
  assert.equal((await readFile(await download.path())).subarray(0, 2).toString(), "PK");
  assert.match(await page.locator("#commands").innerText(), /Authorization: Bearer \$TOKEN/);

  // The tab stores the token; another tab has none.
  await page.reload();
  await page.locator("#example option", { hasText: "SC" }).first().waitFor({ state: "attached" });
  assert.equal(await dialog.count(), 0);
  const other = await context.newPage();
  await other.goto(base);
  await other.locator("dialog").waitFor();
  await other.click("dialog button[type=button]");
  await other.locator("dialog").waitFor({ state: "detached" });
  await context.close();
});
