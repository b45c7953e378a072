// Studies in a real browser: what their report shows of all runs, and the way to the document of one.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { base, page, testPage, waitForStatus } from "./browser.mjs";
import { eventually } from "./waiting.mjs";

const model = JSON.parse(await readFile("models/FourBar.json", "utf8"));
const DESK = { reducedMotion: "reduce", viewport: { width: 1440, height: 900 } };

/** Runs a study of the crank's length to its end, and opens it. */
async function showStudy(to, status = "succeeded") {
  const study = {
    vary: [{ parameter: "a", from: 0.2, to, count: 5 }],
    outputs: [{ name: "reach", of: "rocker angle", take: "max" }, { name: "<b>when", of: "rocker angle", take: "time_of_max" }],
  };
  const body = JSON.stringify({ model, analysis: { type: "dynamics", t_end: 1, dt: 0.1 }, study });
  const headers = { "Content-Type": "application/json", Prefer: "wait=60" };
  const job = await (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body })).json();
  assert.equal(job.status, status, JSON.stringify(job.error ?? job));
  await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
  await waitForStatus(status);
  await page.click("#report-tab");
  await page.waitForSelector("#study table");
  return job;
}

const cells = (row) => page.locator(`#study table >> nth=0 >> tbody tr >> nth=${row} >> td`).allTextContents();

testPage("the report of a study has its statistics, and leads to single runs", DESK, async () => {
  const job = await showStudy(0.4);
  const { statistics } = job.report.study;
  assert.equal(await page.textContent("#study > p"), "5 runs");
  assert.deepEqual(await page.locator("#study tbody th").allTextContents(), ["reach [rad]", "<b>when [s]"]);
  const [mean, least, greatest] = await cells(0);
  assert.equal(Number(mean.split(" ± ")[0]), Number(statistics[0].mean.toPrecision(4)));
  assert.equal(Number(mean.split(" ± ")[1]), Number(statistics[0].sd.toPrecision(4)));
  assert.equal(least, `${Number(statistics[0].min.toPrecision(4))} run ${statistics[0].argmin}`);
  assert.equal(greatest, `${Number(statistics[0].max.toPrecision(4))} run ${statistics[0].argmax}`);
  assert.doesNotMatch(await page.textContent("#report > dl"), /Degrees of freedom/);
  assert.ok(!(await page.isVisible("#plots")), "nothing is plotted over time");

  await page.click("summary:has-text('Downloads')");
  const row = page.locator("#array-list tr", { hasText: "outputs of each run" });
  const [file] = await Promise.all([page.waitForEvent("download"), row.getByText("CSV", { exact: true }).click()]);
  assert.match(await readFile(await file.path(), "utf8"), /reach/);

  const run = statistics[0].argmax;
  await page.click(`#study button:text-is("run ${run}") >> nth=0`);
  const value = String(0.2 + (run * 0.2) / 4);
  await page.click("#numbers-tab");
  await page.waitForFunction(
    (value) => Math.abs(Number(document.querySelector("#parameters input:not([type=range])")?.value) - value) < 1e-9,
    Number(value),
  );
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.waitForSelector("#result.moving #plot .u-over");
});

testPage("runs that failed are told by kinds", DESK, async () => {
  const job = await showStudy(3);
  const { failed, failures } = job.report.study;
  assert.ok(failed > 0);
  assert.equal(await page.textContent("#study > p.bad"), `5 runs, ${failed} failed`);
  const told = page.locator("#study table >> nth=1 >> tbody tr");
  assert.equal(await told.count(), failures.length);
  const first = await told.first().textContent();
  assert.ok(first.includes(`run ${failures[0].first}`) && first.includes(failures[0].detail), first);
  assert.equal(await told.first().locator("a").getAttribute("href"), `docs/failures.html#${failures[0].code}`);
});

testPage("a study of which all runs failed says so", DESK, async () => {
  const study = { vary: [{ parameter: "a", values: [5, 6] }], outputs: [{ name: "reach", of: "rocker angle" }] };
  const body = JSON.stringify({ model, study });
  const headers = { "Content-Type": "application/json", Prefer: "wait=60" };
  const job = await (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body })).json();
  assert.equal(job.status, "failed", JSON.stringify(job));
  await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
  await waitForStatus("failed");
  await page.click("#report-tab");
  await page.waitForSelector("#study p.bad");
  assert.deepEqual(await cells(0), ["–", "–", "–"]);
  await eventually(async () => assert.match(await page.textContent("#run-error"), /all runs failed/i));
});
