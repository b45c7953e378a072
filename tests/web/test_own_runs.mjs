// Automatic runs in the browser after edits, if they are quick.
import assert from "node:assert/strict";
import { base, page, testPage, type, waitForStatus } from "./browser.mjs";
import { eventually, runJob } from "./waiting.mjs";

/** Changes the worker of a solver before its own script runs: it never answers these calls for documents whose name
 * begins with "Hangs"; attempts at documents whose name begins with "Slow" wait for the page, and those at "Late" ones
 * end before their first step. */
function misbehave() {
  addEventListener("message", (event) => {
    const { command, call = command?.call, document = command?.document ?? "" } = event.data;
    const named = (name) => document.includes(`"name":"${name}`);
    if (named("Slow") && call === "attempt") {
      const request = new XMLHttpRequest();
      request.open("GET", "/slow", false);
      request.send();
    }
    if (named("Late") && call === "attempt") {
      event.stopImmediatePropagation();
      const answer = { status: 200, body: { status: "cancelled", report: null, error: null, fraction: 0 } };
      postMessage({ id: event.data.id, answer, arrays: [] });
    }
    while (named(`Hangs at ${call}`));
  });
}

/** Uses the changed worker in a page, whose clock may be set forward. */
async function misbehaving() {
  await page.clock.install();
  await page.route("**/solver-worker.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${misbehave})();\n${await response.text()}` });
  });
  await page.reload();
  await page.waitForSelector("#result.live");
  await page.click("#text-tab");
}

const STILL = { reducedMotion: "reduce", viewport: { width: 1440, height: 1000 } };

/** A run with more steps than the page computes in 0.2 s. */
const LONG = { analysis: { type: "dynamics", t_end: 20000, dt: 1 } };

/** Returns a pendulum with a sensor k*t, so that its plot identifies the document. */
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

/** Runs a test on a page that has the solver, with a document in its editor. */
function testOwn(name, body) {
  testPage(name, STILL, async (context) => {
    if ((await fetch(`${base}/mbs.wasm`)).status !== 200) return context.skip("the program was built without mbs.wasm");
    await body(context);
  });
}

/** Waits until the maximum of the sensor has this value. */
function greatest(value) {
  return page.waitForFunction((wanted) => {
    const shown = document.querySelectorAll("#series tbody td")[2]?.textContent ?? "";
    return Math.abs(Number.parseFloat(shown) - wanted) < 1e-6;
  }, value);
}

/** Sets the clock of the page forward until this text appears. */
const later = (element, pattern) => eventually(async () => {
  await page.clock.fastForward(4000);
  assert.match(await page.textContent(element), pattern);
});

const edit = (document) => type(JSON.stringify(document));
const note = (pattern) =>
  page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#own-note").textContent), pattern);

testOwn("an edit is run in the page: plots come, and the motion when it is asked for", async () => {
  await edit(pendulum());
  await greatest(8);
  await note("^Simulated in");
  await eventually(async () => assert.ok(await page.isVisible("#play-on"), "dragging continues"));
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement.id), "editor", "the focus stays"),
  );
  await page.click("#show-motion");
  await page.waitForSelector("#result:not(.live) #time");
  await page.locator("#time").fill("1.5");
  await edit(pendulum({ k: 3 }));
  await greatest(12);
  await eventually(async () => assert.equal(await page.inputValue("#time"), "1.5", "it is where it was stopped"));
  await eventually(async () => assert.equal(await page.textContent("#play"), "Play"));
  await eventually(async () => assert.ok(await page.isVisible("#time"), "the motion stays"));
  await edit(pendulum({ t_end: 1 }));
  await greatest(2);
  await eventually(async () => assert.equal(Number(await page.inputValue("#time")), 1, "at the end of a shorter one"));
  await page.click("#by-hand");
  await page.waitForSelector("#result.live");
  assert.equal((await (await fetch(`${base}/api/v1/jobs`)).json()).jobs.length, 0, "nothing is kept");
});

testOwn("the plots follow an edited mechanism until the user chooses curves", async () => {
  const rows = (...titles) => eventually(async () =>
    assert.deepEqual(await page.$$eval("#series tbody th", (cells) => cells.map((cell) => cell.textContent)), titles),
  );
  const chain = (count) => {
    const { bodies, joints, ...rest } = pendulum({ sensors: [] });
    const more = Array.from({ length: count - 1 }, (_, i) => `bob${i + 2}`);
    return {
      ...rest,
      bodies: [...bodies, ...more.map((name) => ({ ...bodies[0], name }))],
      joints: [...joints, ...more.map((name) => ({ name: `on ${name}`, type: "revolute", points: ["ground.O", `${name}.O`] }))],
    };
  };
  await edit(chain(1));
  await rows("theta: pin.q");
  await edit(chain(2));
  await rows("theta: pin.q", "theta: on bob2.q");
  await page.click("#series tbody tr:first-child button");
  await rows("theta: on bob2.q");
  await edit(chain(3));
  await page.waitForFunction(() => [...document.querySelectorAll("#plot-column option")].some(({ text }) => text.includes("bob3")));
  await rows("theta: on bob2.q");
});

testOwn("the plots follow the mechanism that plays, until it is dragged or edited", async () => {
  const instant = async () => Number.parseFloat((await page.textContent("#series thead output")) ?? "");
  await edit(pendulum());
  await greatest(8);
  await page.click("#play-on");
  await eventually(async () => assert.ok((await instant()) > 0.5, "the marker moves"));
  await page.click("#live-back");
  await eventually(async () => assert.equal(await instant(), 0));
  // The edited motion continues from the position of the one before, unlike its run.
  await page.click("#play-on");
  await eventually(async () => assert.ok((await instant()) > 0.3));
  await edit(pendulum({ k: 3 }));
  await greatest(12);
  const stays = await instant();
  await page.waitForTimeout(500);
  assert.equal(await instant(), stays);
});

testOwn("an error in the text leaves the last motion, marked, until it is corrected", async () => {
  await edit(pendulum());
  await greatest(8);
  await page.click("#show-motion");
  await edit({ ...pendulum(), gravity: "down" });
  await page.waitForSelector("#canvas.dimmed");
  await note("plots and motion show the previous document");
  await eventually(async () => assert.ok(await page.isVisible("#time")));
  await edit(pendulum({ k: 5 }));
  await greatest(20);
  await page.waitForSelector("#canvas:not(.dimmed)");
});

testOwn("a run that takes longer waits for Run, and the note gives its duration", async () => {
  await edit(pendulum(LONG));
  await note("^A run takes about [0-9.]+ s: press Run to start it");
  await eventually(async () => assert.ok(!(await page.isVisible("#plot"))));
  await edit(pendulum());
  await greatest(8);
  await edit(pendulum(LONG));
  await note("press Run to .*; plots and motion show the previous document");
  await greatest(8);
});

testOwn("a run that had no time for its first step says that it takes longer", async () => {
  await misbehaving();
  await edit(pendulum({ name: "Late" }));
  await note("^A run takes more than 0.2 s: press Run to start it$");
});

testOwn("a solver that loads slowly does not count as one that hangs", async () => {
  let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  await misbehaving();
  await page.route("**/mbs.wasm", async (route) => {
    await arrived;
    await route.continue();
  });
  await page.reload();
  await page.click("#text-tab");
  await edit(pendulum());
  await page.clock.fastForward(60000);
  arrive();
  await greatest(8);
  await note("^Simulated in");
  assert.equal(await page.textContent("#live-note"), "");
});

testOwn("runs of other documents are shown in place of a job's result, and that again", async () => {
  await edit(pendulum());
  const job = await runJob(base, pendulum());
  await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
  await waitForStatus("succeeded");
  await greatest(8);
  await eventually(async () => assert.equal(await page.textContent("#own-note"), ""));
  await page.locator("#time").fill("1.5");
  await edit(pendulum({ k: 3 }));
  await greatest(12);
  await note("^Simulated in");
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

testOwn("an edit during a run is run next, and the run before is not shown", async () => {
  let asked;
  const held = new Promise((resolve) => (asked = resolve));
  await page.route("**/slow", (route) => asked(route));
  await misbehaving();
  await edit(pendulum({ name: "Slow" }));
  const route = await held; // the run of this document continues
  await page.evaluate(() => {
    window.shown = [];
    const note = () => window.shown.push(document.querySelectorAll("#series tbody td")[2]?.textContent);
    new MutationObserver(note).observe(document.querySelector("#series"), { subtree: true, childList: true });
  });
  await edit(pendulum({ k: 3, gravity: "down" }));
  await page.waitForSelector("#canvas.dimmed"); // errors are shown meanwhile
  await edit(pendulum({ k: 3 }));
  await page.waitForSelector("#canvas:not(.dimmed)");
  const { x, y, width, height } = await page.locator('.slider input[type="range"]').boundingBox();
  assert.ok(width > 0 && height > 0 && x > 0 && y > 0, "what is edited can be used");
  await route.fulfill({ body: "" });
  await greatest(12);
  const shown = await page.evaluate(() => window.shown.filter(Boolean));
  assert.ok(shown.every((text) => !text.startsWith("8")), `${shown}: the run of the text before was shown`);
});

testOwn("a run whose solver hangs is ended, with a notice, and the next one has another solver", async () => {
  await misbehaving();
  await edit(pendulum({ name: "Hangs at attempt" }));
  await later("#own-note", /did not respond and was restarted: press Run to run the model/);
  await eventually(async () => assert.ok(await page.isVisible("#play-on"), "the mechanism is there"));
  await edit(pendulum({ k: 4 }));
  await greatest(16);
  await note("^Simulated in");
  await edit(pendulum({ name: "Hangs at attempt" }));
  await later("#own-note", /press Run to .*; plots and motion show the previous document/);
});

testOwn("a solver that hangs during an assembly or a drag is restarted, with a notice", async () => {
  await misbehaving();
  await edit(pendulum({ name: "Hangs at open" }));
  await later("#live-note", /did not respond and was restarted/);
  await edit(pendulum({ k: 4 }));
  await greatest(16);
  await eventually(async () => assert.equal(await page.textContent("#live-note"), ""));
  await eventually(async () => {
    if ((await page.textContent("#play-on")) === "Play") await page.click("#play-on"); // a motion that comes stops it
    assert.equal(await page.textContent("#play-on"), "Pause");
  });
  await page.click("#play-on");
  await edit(pendulum({ k: 5, name: "Hangs at set" }));
  await greatest(20);
  const { x, y, width, height } = await page.locator('.slider input[type="range"]').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.6 * width, y + height / 2, { steps: 3 });
  await page.mouse.up();
  await later("#live-note", /did not respond and was restarted/);
});
