// Optimizations and fits in a real browser: their progress, their results in words, and writing the best values into
// the document.
import assert from "node:assert/strict";
import { base, openExample, page, testPage, type, waitForStatus } from "./browser.mjs";
import { eventually, runJob } from "./waiting.mjs";

const DESK = { reducedMotion: "reduce", viewport: { width: 1440, height: 900 } };
const MOVING = { ...DESK, reducedMotion: "no-preference" };

const json = async (path) => (await fetch(`${base}/api/v1/${path}`)).json();
const value = (name) => page.inputValue(`#parameters input[aria-label="${name}, value"]`);
/** Returns the value with all digits; the field shows six. */
const exactValue = (name) => page.getAttribute(`#parameters input[aria-label="${name}, value"]`, "title");
const found = () => page.textContent(".study-found");

/** Returns the visible lines of the document. */
const written = () =>
  page.evaluate(() => {
    const lines = document.querySelector("#editor").shadowRoot.querySelectorAll(".cm-line");
    return [...lines].map((line) => line.textContent).join("\n");
  });

/** Runs the document in the editor to its end. */
async function run(status = "succeeded") {
  await page.click("#run");
  await page.waitForFunction(() => location.hash.startsWith("#job="));
  await waitForStatus(status);
  await page.waitForSelector(".study-found p");
  const id = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("job"));
  return json(`jobs/${id}`);
}

testPage("a fit shows its values with their deviations, and its data with the model's", DESK, async () => {
  await openExample("FourBar_lengths");
  const { report } = await run();
  const { best, covariance, evaluations, failed } = report.study;
  await eventually(async () => assert.match(await found(), /Converged/));
  const cells = await page.locator(".study-best > div").first().locator("dt, dd").allTextContents();
  assert.equal(cells[0], "a");
  const [shown, deviation] = cells[1].split(" ± ").map(Number);
  assert.ok(Math.abs(shown - best.parameters.a) < Math.sqrt(covariance[0][0]) / 10, cells[1]);
  assert.ok(Math.abs(deviation / Math.sqrt(covariance[0][0]) - 1) < 0.05, cells[1]);
  const counts = failed > 0 ? `${evaluations} trials, ${failed} failed` : `${evaluations} trials`;
  assert.equal(await page.textContent(".study-counts"), counts);

  // The fit diagram shows one quantity at a time.
  await page.click("#study-fit-tab");
  await eventually(async () =>
    assert.match(await page.getAttribute("#study-fit .diagram", "aria-label"), /^coupler\.P\.x: 41 data and the model/),
  );
  await page.selectOption("#study-fit select", { label: "coupler.P.y" });
  assert.match(await page.getAttribute("#study-fit .diagram", "aria-label"), /^coupler\.P\.y: 41/);

  // The report has no statistics, and the same result in words.
  await page.click("#report-tab");
  const said = new RegExp(`^${counts}.*Converged`, "s");
  await eventually(async () => assert.match(await page.textContent("#study"), said));
  assert.doesNotMatch(await page.textContent("#study"), /Mean ± sd/);
});

testPage("the best values come into the document as one change", DESK, async () => {
  await openExample("SC_balance");
  assert.equal(await value("mc"), "0.5");
  const { report } = await run();
  const { mc } = report.study.best.parameters;
  // The sliders have the best values, the document does not.
  await eventually(async () => assert.equal(Number(await exactValue("mc")), mc));
  assert.match(await written(), /"mc": 0\.5/);
  await page.click('button:text-is("Use the best values")');
  await eventually(async () => assert.ok((await written()).includes(`"mc": ${mc}`)));
  await page.click("#editor");
  await page.keyboard.press("Control+z");
  await eventually(async () => assert.match(await written(), /"mc": 0\.5/));
  await eventually(async () => assert.equal(await value("mc"), "0.5"));
});

testPage("a trial is chosen in the course of the objective", DESK, async () => {
  await openExample("FourBar_path");
  const { report } = await run();
  const { best, evaluations } = report.study;
  const box = page.locator("#study-progress .diagram");
  const ofBest = new RegExp(`trial ${best.index}\\b`);
  await eventually(async () => assert.match(await box.getAttribute("aria-label"), ofBest));
  assert.ok(await page.isChecked("#study-progress input[type=checkbox]"), "over decades equal ratios show more");
  const { width } = await box.boundingBox();
  const [left, right] = [58 + 4, width - 2 - 14 - 4];
  await box.click({ position: { x: 1 + left + ((right - left) * best.index) / (evaluations - 1), y: 60 } });
  await page.waitForFunction(
    (number) => document.querySelector('#study-view input[min="0"]').value === String(number),
    best.index,
  );
  await box.focus();
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(
    (number) => document.querySelector('#study-view input[min="0"]').value === String(number),
    best.index - 1,
  );
});

testPage("the mechanism moves while it improves", MOVING, async () => {
  // A search of all bounds, which takes long.
  const document = await json("examples/FourBar_path");
  document.study.optimize.method = "global";
  document.study.runs = 1000000;
  await type(JSON.stringify(document, null, 2));
  await page.waitForSelector('#parameters input[aria-label="px, value"]');
  await page.evaluate(() => {
    window.followed = new Set();
    const field = document.querySelector('#parameters input[aria-label="px, value"]');
    const look = () => {
      if (document.querySelector("#run-badge.running")) window.followed.add(field.value);
      requestAnimationFrame(look);
    };
    look();
  });
  await page.click("#run");
  await page.waitForFunction(() => window.followed.size > 3);
  assert.match(await page.textContent("#run-badge"), /running/);
  await eventually(async () => assert.match(await found(), /Best so far: trial \d+.*the document is unchanged/s));
  await page.click("#cancel");
  await waitForStatus("cancelled");
  await eventually(async () => assert.match(await found(), /Stopped after \d+ trials, before convergence/));
  assert.notEqual(await value("px"), "0.5");
  // The mechanism has the document's own values again after the job is closed; the document was never changed.
  await page.evaluate(() => (location.hash = ""));
  await eventually(async () => assert.equal(await value("px"), "0.5"));
});

testPage("constraints that no trial satisfies, and parameters that data do not determine, are reported", DESK, async () => {
  const document = await json("examples/SC_balance");
  const show = async (study, status) => {
    const job = await runJob(base, { ...document, study });
    assert.equal(job.status, status, JSON.stringify(job));
    await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
    await waitForStatus(status);
    await page.waitForSelector(".study-found p");
  };
  const { study } = document;
  await show({ ...study, optimize: { ...study.optimize, subject_to: ["x <= 1"] } }, "failed");
  const nothing = /No trial satisfied the constraints\. The best trial violates/;
  await eventually(async () => assert.match(await found(), nothing));
  const data = [{ of: "force_x", t: [0.01, 0.02, 0.03], values: [10, 5, -20] }];
  const both = [{ parameter: "mc", bounds: [0.1, 3] }, { parameter: "rc", bounds: [0.01, 0.2] }];
  await show({ vary: both, fit: { data } }, "succeeded");
  await eventually(async () => assert.match(await found(), /cannot distinguish these parameters|at its bound/));
});

/** Opens the study form, filled with the document's study. */
async function openMaker(name) {
  await openExample(name);
  await page.click("#study-maker > summary");
  await page.waitForSelector("#study-maker form");
}

const asJson = async () => JSON.parse(await page.textContent("#study-maker pre")).study;

testPage("the form shows the study of each example unchanged", DESK, async () => {
  const { studies } = await json("examples");
  for (const [i, { name }] of studies.entries()) {
    if (i === 0) await openMaker(name);
    else await openExample(name);
    const { study } = await json(`examples/${name}`);
    await eventually(async () => assert.deepEqual(await asJson(), study, name));
  }
});

testPage("an optimization is created in the form, and its errors are shown where they are", DESK, async () => {
  await openMaker("FourBar");
  await page.waitForSelector("#study-maker fieldset[aria-label=Output]");
  const form = page.locator("#study-maker");
  const crank = form.getByRole("group", { name: "Vary a" });
  await form.getByLabel("Purpose").selectOption("optimize");
  assert.match(await form.getByLabel("objective").inputValue(), /^\w+$/, "an expression can name the output");
  await form.getByLabel("name", { exact: true }).fill("reach");
  await form.getByLabel("objective").fill("-reach");
  await crank.getByLabel("from").fill("0.2");
  await crank.getByLabel("to").fill("0.35");
  await form.getByRole("button", { name: "Add constraint" }).click();
  await form.getByLabel("constraint", { exact: true }).fill("reach <=");
  await form.getByRole("button", { name: "Optimize" }).click();
  await eventually(async () =>
    assert.equal(await form.getByLabel("constraint", { exact: true }).getAttribute("aria-invalid"), "true"),
  );
  await form.getByLabel("constraint", { exact: true }).fill("a <= 0.3");
  await form.getByRole("button", { name: "Optimize" }).click();
  await waitForStatus("succeeded");
  await eventually(async () => assert.match(await found(), /Converged/));
  const id = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("job"));
  const { report } = await json(`jobs/${id}`);
  assert.ok(Math.abs(report.study.best.parameters.a - 0.3) < 1e-6, JSON.stringify(report.study.best));
});

testPage("a fit is made of pasted data", DESK, async () => {
  await openMaker("FourBar_lengths");
  const form = page.locator("#study-maker");
  const { study } = await json("examples/FourBar_lengths");
  const [{ t, values }] = study.fit.data;
  const quantity = form.getByRole("group", { name: "Measured quantity" });
  assert.equal(await quantity.count(), 2);
  await quantity.nth(1).getByRole("button").click();
  // A pasted table with a header.
  const lines = t.map((instant, i) => `${instant};${values[i]}`);
  await quantity.getByRole("textbox").last().fill(["time;x", ...lines].join("\n"));
  assert.deepEqual((await asJson()).fit, { data: [study.fit.data[0]] });
  await quantity.getByLabel("sigma").fill("-1");
  await form.getByRole("button", { name: "Fit", exact: true }).click();
  await eventually(async () => assert.equal(await quantity.getByLabel("sigma").getAttribute("aria-invalid"), "true"));
  await quantity.getByLabel("sigma").fill("0.001");
  await form.getByRole("button", { name: "Fit", exact: true }).click();
  await waitForStatus("succeeded");
  await eventually(async () => assert.match(await found(), /Converged|cannot distinguish/));
});
