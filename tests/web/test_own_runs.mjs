// Runs that start by themselves in the page, in a real browser: after edits, where they are quick.
import assert from "node:assert/strict";
import { base, page, testPage, type, waitForStatus } from "./browser.mjs";
import { eventually } from "./waiting.mjs";

const STILL = { reducedMotion: "reduce", viewport: { width: 1440, height: 1000 } };

/** A run of more steps than a page does in 0.2 s. */
const LONG = { analysis: { type: "dynamics", t_end: 20000, dt: 1 } };

/** A pendulum whose sensor is 2*t, so that each document is told by its plot. */
function pendulum({ k = 2, t_end = 4, ...rest } = {}) {
  return {
    name: "Pendulum",
    space: "planar",
    parameters: { k },
    gravity: [0, -9.81],
    ground: { points: { O: [0, 0] } },
    bodies: [{ name: "bob", mass: 1, inertia: 0.1, points: { O: [0, 1] } }],
    joints: [{ name: "pin", type: "revolute", points: ["ground.O", "bob.O"], initial: { position: 0.5 } }],
    sensors: [{ name: "ramp", value: "k*t", unit: "m" }],
    analysis: { type: "dynamics", t_end, dt: 0.01 },
    ...rest,
  };
}

/** A test on a page that has the solver, with a document typed into its editor. */
function testOwn(name, body) {
  testPage(name, STILL, async (context) => {
    if ((await fetch(`${base}/mbs.wasm`)).status !== 200) return context.skip("the program was built without mbs.wasm");
    await body(context);
  });
}

/** Waits until the greatest value of the sensor is this. */
function greatest(value) {
  return page.waitForFunction((wanted) => {
    const shown = document.querySelectorAll("#series tbody td")[2]?.textContent ?? "";
    return Math.abs(Number.parseFloat(shown) - wanted) < 1e-6;
  }, value);
}

const edit = (document) => type(JSON.stringify(document));
const note = (pattern) =>
  page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#own-note").textContent), pattern);

testOwn("an edit is run in the page: plots come, and the motion when it is asked for", async () => {
  await edit(pendulum());
  await greatest(8);
  await note("^Run in the page, not kept");
  await eventually(async () => assert.ok(await page.isVisible("#play-on"), "who moves by hand goes on to"));
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement.id), "editor", "the focus stays"),
  );
  await page.click("#show-motion");
  await page.waitForSelector("#result:not(.live) #time");
  await page.locator("#time").fill("1.5");
  await edit(pendulum({ k: 3 }));
  await greatest(12);
  await eventually(async () => assert.equal(await page.inputValue("#time"), "1.5", "it stands where it was stopped"));
  await eventually(async () => assert.equal(await page.textContent("#play"), "Play"));
  await eventually(async () => assert.ok(await page.isVisible("#time"), "the motion stays"));
  await edit(pendulum({ t_end: 1 }));
  await greatest(2);
  await eventually(async () => assert.equal(Number(await page.inputValue("#time")), 1, "at the end of a shorter one"));
  await page.click("#by-hand");
  await page.waitForSelector("#result.live");
  assert.equal((await (await fetch(`${base}/api/v1/jobs`)).json()).jobs.length, 0, "nothing is kept");
});

testOwn("a mistake in the text leaves the last motion, marked, until it is mended", async () => {
  await edit(pendulum());
  await greatest(8);
  await page.click("#show-motion");
  await edit({ ...pendulum(), gravity: "down" });
  await page.waitForSelector("#canvas.dimmed");
  await note("of the document before");
  await eventually(async () => assert.ok(await page.isVisible("#time")));
  await edit(pendulum({ k: 5 }));
  await greatest(20);
  await page.waitForSelector("#canvas:not(.dimmed)");
});

testOwn("what takes longer says how long, and waits for Run", async () => {
  await edit(pendulum(LONG));
  await note("^A run takes about [0-9.]+ s, and waits for Run");
  await eventually(async () => assert.ok(!(await page.isVisible("#plot"))));
  await edit(pendulum());
  await greatest(8);
  await edit(pendulum(LONG));
  await note("waits for Run; plots and motion are of the document before");
  await greatest(8);
});

testOwn("beside a job's result runs of other documents are shown, and that again", async () => {
  await edit(pendulum());
  const headers = { "Content-Type": "application/json", Prefer: "wait=60" };
  const body = JSON.stringify(pendulum());
  const job = await (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body })).json();
  await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
  await waitForStatus("succeeded");
  await greatest(8);
  await eventually(async () => assert.equal(await page.textContent("#own-note"), ""));
  await page.locator("#time").fill("1.5");
  await edit(pendulum({ k: 3 }));
  await greatest(12);
  await note("^Run in the page");
  await eventually(async () =>
    assert.equal(await page.inputValue("#time"), "1.5", "the motion takes the place of the result's"),
  );
  await edit(pendulum());
  await greatest(8);
  await eventually(async () =>
    assert.equal(await page.textContent("#own-note"), "", "the document of the job is not run again"),
  );
  await eventually(async () => assert.ok(await page.isVisible("#time")));
});
