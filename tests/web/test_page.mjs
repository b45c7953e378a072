// The web page in a real browser: from an example through check and run to the animation, the plots and the downloads;
// also validation errors, failures and cancelled jobs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { base, openExample, page, testPage, type, UNKNOWN_JOB, waitForStatus } from "./browser.mjs";
import { replaceText } from "./editor.mjs";
import { eventually, frameOf, runJob } from "./waiting.mjs";

const example = JSON.parse(await readFile(new URL("../../models/SC.json", import.meta.url), "utf8"));

/** Returns a changed document of the example, with one field a line. */
function variant(change) {
  const document = structuredClone(example);
  change(document);
  return JSON.stringify(document, null, 2);
}

function lineOf(text, part) {
  return text.slice(0, text.indexOf(part)).split("\n").length;
}

function canvasPixels() {
  return page.$eval("#canvas", (canvas) => canvas.toDataURL());
}

/** Waits until an element's text matches. */
const says = (selector, words) => eventually(async () => assert.match(await page.textContent(selector), words));

/** Waits until the drawing changes. */
const drawnOtherThan = (before) => eventually(async () => assert.ok((await canvasPixels()) !== before, "nothing moved"));

testPage("an example is offered and checked", {}, async () => {
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  assert.ok((await page.locator("#example option").count()) > 5);
  await page.click("#check");
  await page.waitForSelector("#findings .good");
  const understood = await page.textContent("#findings");
  for (const body of example.bodies) assert.ok(understood.includes(body.name), understood);
  assert.match(understood, /Degrees of freedom/);
});

testPage("every error is shown at its line", {}, async () => {
  const text = variant((document) => {
    document.joints[0].points[0] = "ground.nowhere";
    document.bodies[0].mass = -123;
  });
  await type(text);
  await page.click("#check");
  await page.waitForSelector(".validation-error");
  const mistakes = await page.locator(".validation-error").allTextContents();
  for (const part of ["ground.nowhere", "-123"]) {
    const line = `line ${lineOf(text, part)}`;
    assert.ok(mistakes.some((mistake) => mistake.startsWith(line)), `${line} in ${mistakes.join(" | ")}`);
  }
  const help = await page.locator("li:has-text('/joints/0/points/0') a").getAttribute("href");
  assert.match(help, /docs\/joint-[a-z-]+\.html$/);
  await page.click(".validation-error:has-text('/joints/0/points/0')");
  await page.waitForFunction(() => document.activeElement.id === "editor");
  await says("#editor .cm-activeLine", /ground\.nowhere/);
  await page.locator("#editor .cm-lint-marker-error").first().waitFor({ state: "attached" });
});

testPage("malformed JSON is shown at its line", {}, async () => {
  const text = variant(() => {}).replace(",\n", "\n");
  await type(text);
  await page.click("#run");
  await page.waitForSelector(".validation-error");
  assert.match(await page.textContent(".validation-error"), /^line [23]/);
});

testPage("a run is animated, plotted and downloaded", {}, async () => {
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.waitForSelector("#result.moving");
  await says("#report", /Evaluations/);
  await says("#job-list", /succeeded/);

  await page.waitForFunction(() => document.querySelector("#play").textContent === "Pause");
  await drawnOtherThan(await canvasPixels());
  await page.click("#play");
  const stopped = await canvasPixels();
  await page.locator("#time").fill("0");
  await drawnOtherThan(stopped);
  assert.equal(await page.textContent("#clock"), "0.000 s");

  await page.selectOption("#plot-array", "energy");
  await page.selectOption("#plot-column", { index: 1 });
  await page.click("#plot-form button[type=submit]");
  await page.waitForSelector("#series tr:has-text('energy')");
  await says("#series tr:has-text('energy') output", /\d J/);
  for (const [column, unit] of [["rail.q", "m"], ["O.q", "rad"]]) {
    await page.selectOption("#plot-array", "theta");
    await page.selectOption("#plot-column", column);
    await page.click("#plot-form button[type=submit]");
    const chip = `#series tr:has-text('theta: ${column}')`;
    await page.waitForSelector(chip);
    await says(`${chip} output`, new RegExp(`\\d ${unit}$`));
  }
  const box = await page.locator("#plot .u-over").first().boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await eventually(async () => {
    const time = Number(await page.inputValue("#time"));
    assert.ok(Math.abs(time - example.analysis.t_end / 2) < 0.1 * example.analysis.t_end, `seeked to ${time}`);
  });

  await page.click("#report-tab");
  await page.click("summary:has-text('Downloads')");
  const download = async (selector) => {
    const [started] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    return readFile(await started.path());
  };
  const csv = (await download("#array-list tr:has-text('theta') >> nth=0 >> text=CSV")).toString();
  assert.match(csv, /^"?t"?,/);
  const begins = { NPZ: "PK", MAT: "MATLAB 5.0", HDF5: "\x89HDF", CSV: "PK" };
  for (const [name, begin] of Object.entries(begins)) {
    const file = await download(`#download-all a:text-is("${name}")`);
    assert.equal(file.subarray(0, begin.length).toString("latin1"), begin, name);
  }
  await says("#commands", /curl -H 'Prefer: wait=60' --json @model\.json http/);

  await page.reload();
  await page.waitForSelector("#result.moving");
  await page.click("#jobs-tab");
  await page.click(`#job-list tr:has(a[href="${new URL(page.url()).hash}"]) button:text("Delete")`);
  await page.waitForSelector("#result.empty");
});

/** Submits a variant of the example without the page; resolves with its job. */
async function submit(change) {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body: variant(change) })).json();
}

testPage("runs are named, tagged, searched and found by a tag", {}, async () => {
  const { id } = await submit((document) => (document.name = "First of two"));
  await submit((document) => (document.name = "Second of two"));
  await page.goto(`${base}#job=${id}`);
  await page.click("#jobs-tab");
  await page.fill("#job-query", "of two");
  await page.waitForFunction(() => document.querySelectorAll("#job-list tr").length === 2);
  const first = page.locator("#job-list tr", { hasText: "First" });
  await first.getByText("Rename", { exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("Kept for the report");
  await page.getByLabel("Tags", { exact: true }).fill("chapter 3, good,good");
  await page.keyboard.press("Enter");
  await page.waitForSelector('#job-list a:text-is("Kept for the report")');
  await says("#run-title", /^Kept for the report$/);
  // The focus stays in the row.
  await page.waitForFunction(() => document.activeElement.textContent === "Rename");
  const listed = page.waitForResponse((response) => response.url().includes("/jobs?"));
  await page.evaluate(() => document.querySelector("#job-search").requestSubmit());
  await listed;
  for (let i = 0; i < 3; i++) await frameOf(page);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Rename", "and after a refresh");
  await page.fill("#job-query", "");
  await page.click('#job-list button:text-is("good")');
  await page.waitForFunction(() => document.querySelectorAll("#job-list tr").length === 1);
  await says("#job-list", /Kept for the report.*First of two/);
  await page.fill("#job-query", "nothing of the kind");
  await page.waitForSelector("#job-list :text('No runs')");
  await page.fill("#job-query", "");
  await page.click("#job-tag");
  await page.waitForFunction(() => document.querySelectorAll("#job-list tr").length > 1);
});

testPage("the report begins with a few facts", {}, async () => {
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.click("#report-tab");
  await page.waitForSelector("#report dl");
  const facts = await eventually(async () => {
    const found = await page.locator("#report > dl > div").allTextContents();
    assert.equal(found.length, 5, found.join(" | "));
    return found;
  });
  assert.match(facts[0], /^Degrees of freedom1$/);
  assert.match(facts[2], /^Largest residual.*e-\d+ in position$/);
  assert.ok(!(await page.isVisible("#report h4")));
  await page.click("#report summary");
  await page.waitForSelector("#report h4 >> nth=0");
});

testPage("the report of an equilibrium begins with the position of rest", {}, async () => {
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  await page.selectOption("#example", "FourBar_equilibrium");
  await page.waitForFunction(() => document.querySelector("#example").value === "FourBar_equilibrium");
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.click("#report-tab");
  await page.locator("#report > h3", { hasText: "Equilibrium position" }).waitFor();
  assert.match(await page.locator("#report > dl > div").first().textContent(), /^Stableyes$/);
  const heads = await page.locator("#report table").first().locator("th").allTextContents();
  assert.deepEqual(heads, ["Name", "At the start", "At rest"]);
});

testPage("a result of another document than the editor's is marked", {}, async () => {
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  const other = page.locator("#run-other", { hasText: "before the change" });
  await page.click("#run");
  await waitForStatus("succeeded");
  assert.equal(await other.count(), 0);
  await type(JSON.stringify(JSON.parse(await readFile(new URL("../../models/SC.json", import.meta.url), "utf8"))));
  assert.equal(await other.count(), 0, "another layout is no other document");
  await type(variant((document) => (document.bodies[0].mass = 7)));
  await other.waitFor();
  await page.click("#edit");
  await other.waitFor({ state: "detached" });
});

testPage("a service that does not respond is reported, and polled until it does", {}, async () => {
  await page.waitForSelector("#result.live");
  const told = (text) => page.waitForFunction((wanted) => document.querySelector("#connection").textContent.includes(wanted), text);
  await page.context().setOffline(true);
  await told("does not respond");
  await page.click("#run");
  await page.waitForSelector("#findings .bad");
  // The mechanism needs no service: it still moves after requests have failed.
  await page.click("#play-on");
  await page.waitForEvent("requestfailed");
  await drawnOtherThan(await canvasPixels());
  assert.equal(await page.textContent("#play-on"), "Pause");
  await submit((document) => (document.name = "Sent meanwhile"));
  await page.context().setOffline(false);
  await told("responds again");
  await page.waitForFunction(() => document.querySelector("#job-list").textContent.includes("Sent meanwhile"));
  await page.waitForFunction(() => document.querySelector("#connection").textContent === "");
});

testPage("a linearization lists its modes and moves the one chosen", {}, async () => {
  await openExample("SP_modes");
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.waitForSelector("#modes input:checked");
  assert.ok(!(await page.isVisible("#plot-form")) && !(await page.isVisible("#plot")), "nothing to plot over time");
  await says("#modes tbody tr >> nth=0", /1.*± 1\.65.* i0\.262.*/);
  await says("#values", /tip height.*-0\.8 m/);
  await page.waitForFunction(() => document.querySelector("#play").textContent === "Pause");
  await drawnOtherThan(await canvasPixels());
  await page.click("#play");
  await page.locator("#time").fill("0");
  const ofFirst = await canvasPixels();
  await page.check("#modes tr:nth-child(2) input");
  await page.waitForFunction(() => document.querySelector("#play").textContent === "Pause");
  await page.click("#play");
  await page.locator("#time").fill("0");
  await drawnOtherThan(ofFirst);
  await page.check("#modes tr:last-child input");
  await page.waitForSelector("#play", { state: "hidden" }); // a state does not move
});

testPage("an equilibrium shows its picture and the values of its sensors", {}, async () => {
  await openExample("FourBar_equilibrium");
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.waitForSelector("#values td");
  await says("#values", /spring force59\.137\d* N/);
  await page.waitForSelector("#canvas");
  await page.waitForSelector("#play", { state: "hidden" });
  assert.ok(!(await page.isVisible("#plot-form")));
});

testPage("a failed job shows what failed and keeps its results", {}, async () => {
  await type(variant((document) => (document.analysis.limits = { max_evaluations: 200 })));
  await page.keyboard.press("Control+Enter");
  await waitForStatus("failed");
  await says("#run-error", /Too many evaluations/);
  assert.equal(await page.getAttribute("#run-error a", "href"), "docs/failures.html#too_many_evaluations");
  await page.waitForSelector("#result.moving");
});

testPage("a long job shows its progress and is cancelled", {}, async () => {
  const long = { type: "dynamics", t_end: 1e7, dt: 100 };
  await type(variant((document) => (document.analysis = long)));
  await page.click("#run");
  await waitForStatus("running");
  await page.waitForFunction(() => document.querySelector("#run-progress").value > 0);
  await page.waitForFunction(() => /^running \d+ %/.test(document.title));
  await page.click("#cancel");
  await waitForStatus("cancelled");
  await page.waitForFunction(() => document.title.startsWith("cancelled"));
});

/** Runs a long job and cancels it after some changes of its display. Resolves with the numbers of requests for the
 * job and for its events. */
async function watchJob() {
  const asked = { job: 0, events: 0 };
  page.on("request", (request) => {
    const match = /\/jobs\/[-\w]+(\/events)?$/.exec(request.url());
    if (match && request.method() === "GET") asked[match[1] ? "events" : "job"]++;
  });
  await type(variant((document) => (document.analysis = { type: "dynamics", t_end: 1e7, dt: 100 })));
  await page.click("#run");
  await waitForStatus("running");
  for (let changes = 0, shown = ""; changes < 8; changes++) {
    await page.waitForFunction((last) => document.querySelector("#run-facts").textContent !== last, shown);
    shown = await page.textContent("#run-facts");
  }
  const before = { ...asked };
  await page.click("#cancel");
  await waitForStatus("cancelled");
  return before;
}

testPage("a job is followed by its events", {}, async () => {
  const asked = await watchJob();
  assert.equal(asked.events, 1);
  assert.ok(asked.job <= 4, `asked ${asked.job} times`);
});

testPage("a job is asked for where its events do not come through", {}, async () => {
  await page.route("**/events", (route) => route.fulfill({ status: 204 }));
  const asked = await watchJob();
  assert.ok(asked.job > 4, `asked ${asked.job} times`);
});

/** Returns the rendered part of the editor's text, which for a long document is only a part. */
function shownText() {
  return page.$eval("#editor", (host) => host.shadowRoot.querySelector(".cm-content").textContent);
}

async function waitForText(part) {
  await page.waitForFunction(
    (wanted) => document.querySelector("#editor").shadowRoot?.querySelector(".cm-content")?.textContent.includes(wanted),
    part,
  );
}

testPage("an edited document is kept, and one change brings it back", {}, async () => {
  await waitForText("space");
  await type('{ "name": "my draft" }');
  await page.reload();
  await waitForText("my draft");
  await says("#findings", /edited last/);

  await page.selectOption("#example", "FourBar");
  await waitForText("planar");
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+z");
  await waitForText("my draft");
  assert.equal(await shownText(), '{ "name": "my draft" }');

  await page.reload();
  await page.click("#findings button");
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  await waitForText("space");
  assert.ok(!(await shownText()).includes("my draft"));
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
});

testPage("an example that is opened before the list of examples arrives is chosen in the list", {}, async () => {
  await waitForText("space");
  await type('{ "name": "my draft" }');
  let arrive;
  const held = new Promise((resolve) => (arrive = resolve));
  await page.route("**/api/v1/examples", async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await waitForText("my draft");
  await page.click("#findings button");
  await waitForText("space");
  assert.equal(await page.locator('#example option[value="SC"]').count(), 0, "the list has not arrived");
  arrive();
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
});

for (const [action, text, act] of [
  ["another document was opened", "New mechanism", () => page.click("#new")],
  ["the user began to type", "my own", () => replaceText(page, '{ "name": "my own" }')],
]) {
  testPage(`an example that arrives after ${action} is dropped`, {}, async () => {
    let arrive;
    const held = new Promise((resolve) => (arrive = resolve));
    await page.route("**/api/v1/examples/*", async (route) => {
      await held;
      await route.continue();
    });
    const [asked] = await Promise.all([page.waitForRequest("**/api/v1/examples/*"), page.reload()]);
    await page.click("#text-tab");
    await act();
    await waitForText(text);
    const answered = page.waitForResponse(asked.url());
    arrive();
    await (await answered).finished();
    for (let i = 0; i < 5; i++) await frameOf(page);
    assert.ok((await shownText()).includes(text));
  });
}

testPage("the link of a job opens its document immediately, although there is a draft", {}, async () => {
  const long = { name: "A long run", analysis: { type: "dynamics", t_end: 1e7, dt: 100 } };
  const body = variant((document) => Object.assign(document, long));
  const headers = { "Content-Type": "application/json" };
  const { id } = await (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body })).json();
  await waitForText("space");
  await type('{ "name": "my draft" }');
  await page.goto("about:blank");
  await page.goto(`${base}#job=${id}`);
  await waitForText("A long run");
  await waitForStatus("running");
  await page.click("#findings button");
  await waitForText("my draft");
  await page.click("#edit");
  await waitForText("A long run");
  await page.click("#cancel");
  await waitForStatus("cancelled");
});

testPage("a service that is gone is noticed without a request of the user", {}, async () => {
  await page.waitForSelector("#result.live");
  await page.route("**/healthz", (route) => route.abort("internetdisconnected"));
  await says("#connection", /Offline/);
  await page.unroute("**/healthz");
  await says("#connection", /responds again/);
});

testPage("address, title, reload, back and forward agree with what is shown", {}, async () => {
  const hash = () => page.evaluate(() => location.hash);
  /** Checks what the page shows: a part of the document, the name of the file or model, and the job of the result. */
  const shows = async (part, title, job) => {
    await waitForText(part);
    await page.waitForFunction((title) => document.title.includes(title), title);
    await eventually(async () => assert.equal(await page.locator("#result.ended").count(), job ? 1 : 0, part));
    if (job) await eventually(async () => assert.equal(await hash(), `#job=${job}`));
    else assert.ok(!(await hash()).startsWith("#job="), await hash());
  };
  await waitForText("space");
  await page.selectOption("#example", "TP");
  await shows('"name": "Triple pendulum"', "Triple pendulum");
  assert.equal(await hash(), "#example=TP");
  await page.click("#run");
  await waitForStatus("succeeded");
  const job = (await hash()).slice("#job=".length);
  await shows('"name": "Triple pendulum"', "succeeded – Triple pendulum", job);
  // An edit next to the result has a separate history entry.
  await type('{ "name": "edited", "space": "planar" }');
  await shows('"name": "edited"', "succeeded – Triple pendulum", job);
  await says("#run-other", /before the change/);
  await page.selectOption("#example", "FourBar");
  await shows('"Four-bar"', "Four-bar");
  await page.click("#new");
  await shows("New mechanism", "New mechanism");
  const buffer = Buffer.from('{ "name": "of a file", "space": "planar" }');
  await page.setInputFiles("#file", { name: "truss.json", mimeType: "application/json", buffer });
  await shows("of a file", "truss.json");

  const steps = [
    () => shows("New mechanism", "New mechanism"),
    () => shows('"Four-bar"', "Four-bar"),
    () => shows('"name": "edited"', "succeeded – Triple pendulum", job),
    () => shows('"name": "Triple pendulum"', "succeeded – Triple pendulum", job),
    () => shows('"name": "Triple pendulum"', "Triple pendulum"),
  ];
  for (const step of steps) {
    await page.goBack();
    await step();
  }
  for (const step of steps.slice(0, -1).reverse()) {
    await page.goForward();
    await step();
    await page.reload();
    await page.click("#text-tab");
    await step();
  }
  await page.goForward();
  await shows("of a file", "truss.json");
  await page.reload();
  await page.click("#text-tab");
  await shows("of a file", "truss.json");
});

testPage("the link of an unknown job is reported and leaves a document to work on", {}, async () => {
  await page.goto("about:blank");
  await page.goto(`${base}#job=${UNKNOWN_JOB}`);
  await page.waitForSelector("#run-error:visible");
  await waitForText("space");
});

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" };

const NARROW = { viewport: { width: 900, height: 800 } };

testPage("long names and many units fit a small page", NARROW, async () => {
  const long = "a_name_without_blanks".repeat(4);
  const sensors = ["m", "m/s", "N", "J"].map((unit, i) => ({ name: long + i, value: "slider.x", unit }));
  await type(variant((document) => Object.assign(document, { name: long, sensors })));
  await page.click("#run");
  await page.waitForSelector("#series tr");
  assert.ok((await page.locator("#example").boundingBox()).width > 150, "the choice of examples can be read");
  const { x, width } = await page.locator("#run").boundingBox();
  assert.ok(x + width <= 900);
  for (const { name } of sensors.slice(1)) {
    await page.selectOption("#plot-array", name);
    await page.click("#plot-form button[type=submit]");
    await page.waitForSelector(`#series tr:has-text('${name}')`);
  }
  await page.waitForFunction(() => document.querySelectorAll("#plot .panel").length === 4); // one for each unit
  const overflowing = () => {
    const rightOf = (element) => element.getBoundingClientRect().right;
    return [...document.querySelectorAll("h2, #series tr, #job-list td")]
      .filter((element) => rightOf(element) > rightOf(element.closest("section")))
      .map((element) => element.textContent);
  };
  await eventually(async () => assert.deepEqual(await page.evaluate(overflowing), []));
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
});

testPage("the page fits a phone and the dark", PHONE, async () => {
  await page.waitForFunction(() => document.querySelector("#example").value === "SC");
  await page.tap("#run");
  await page.waitForSelector("#result.moving");
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
});

test("the page gets a strict content security policy", async () => {
  const policy = (await fetch(base)).headers.get("Content-Security-Policy") ?? "";
  assert.match(policy, /script-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
});

testPage("a study is described in its report", {}, async () => {
  const text = await readFile("models/FourBar.json", "utf8");
  const { id } = await runJob(base, {
    model: JSON.parse(text),
    analysis: { type: "dynamics", t_end: 1, dt: 0.1 },
    study: { vary: [{ parameter: "a", values: [0.2, 0.3, 9] }], outputs: [{ name: "crank at the end", of: "crank angle" }] },
  });
  await page.goto(`${base}/#job=${id}`);
  await page.click("#report-tab");
  await page.waitForSelector('#report:has-text("3 of 3, 1 failed")');
  const report = await page.textContent("#report");
  assert.match(report, /crank at the end/);
  assert.match(report, /not_assembled|contradiction/);
});
