// The page of a certificate in a real browser: its content in light and dark colours, on a phone and printed. The
// certificate in the page equals that of the API.
import assert from "node:assert/strict";
import { findings, loadAxe } from "./axe.mjs";
import { base, page, testPage } from "./browser.mjs";
import { runJob } from "./waiting.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true };

const get = async (path) => (await fetch(`${base}/api/v1/${path}`)).json();

/** Runs an example and opens the certificate of the job. */
async function examined(name) {
  const model = await get(`examples/${name}`);
  model.analysis = { ...model.analysis, t_end: 0.2, certify: true };
  return (await runJob(base, model)).id;
}

async function open(id) {
  await page.goto(`${base}/api/v1/jobs/${id}/certificate?format=html`);
  return JSON.parse(await page.textContent("#certificate"));
}

for (const colorScheme of ["light", "dark"]) {
  testPage(`the page of a certificate lists what verifies a result, in the ${colorScheme}`, { colorScheme }, async () => {
    const id = await examined("SC");
    const certificate = await open(id);
    assert.deepEqual(certificate, await get(`jobs/${id}/certificate?format=json`));
    assert.equal(certificate.verdict.level, "trusted");
    const verdict = await page.textContent(".verdict");
    assert.ok(verdict.includes(certificate.verdict.text), verdict);
    const rows = await page.locator("tr").allTextContents();
    for (const { check, finding } of certificate.checks)
      assert.ok(rows.some((row) => row.includes(check) && row.includes(finding)), `${check}: ${finding}`);
    const reactions = certificate.checks.find(({ check }) => check === "reactions");
    assert.ok(rows.some((row) => row.includes("reactions") && row.includes(`${reactions.digits} digits`)));
    await loadAxe();
    assert.deepEqual(await findings(), []);
  });
}

testPage("on a phone and on paper nothing of a certificate is cut off", PHONE, async () => {
  await open(await examined("SC"));
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok((await overflow()) <= 0, `${await overflow()} pixels`);
  await page.emulateMedia({ media: "print" });
  assert.ok((await overflow()) <= 0, `${await overflow()} pixels on paper`);
  assert.equal(await page.isVisible(".verdict"), true);
});
