// Plots in a real browser: what is drawn, measured where uPlot draws it; what is read of long results.
import assert from "node:assert/strict";
import { base, page, testPage, waitForStatus } from "./browser.mjs";

/** A pendulum with sensors, whose rows are `dt` apart. */
function pendulum(sensors, { t_end = 4, dt = 0.01 } = {}) {
  return {
    name: "Pendulum with sensors",
    space: "planar",
    gravity: [0, -9.81],
    ground: { points: { O: [0, 0] } },
    bodies: [{ name: "bob", mass: 1, inertia: 0.1, points: { O: [0, 1] } }],
    joints: [{ name: "pin", type: "revolute", points: ["ground.O", "bob.O"], initial: { position: 0.5 } }],
    sensors,
    analysis: { type: "dynamics", t_end, dt },
  };
}

/** Runs a document, and opens its job. */
async function show(document) {
  const headers = { "Content-Type": "application/json", Prefer: "wait=60" };
  const body = JSON.stringify(document);
  const job = await (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body })).json();
  assert.equal(job.status, "succeeded", JSON.stringify(job.error ?? job));
  await page.goto("about:blank");
  await page.goto(`${base}#job=${job.id}`);
  await waitForStatus("succeeded");
  await page.waitForSelector("#plot .u-over");
  await page.waitForTimeout(200);
  return job;
}

/** Notes from now on what plots draw: texts with the pixels between which they are (of the width), points of
 * paths. */
async function noteDrawing() {
  await page.addInitScript(() => {
    window.drawn = { texts: [], points: [] };
    const context = CanvasRenderingContext2D.prototype;
    const { fillText } = context;
    context.fillText = function (text, x, y) {
      const size = this.measureText(text);
      const { b, e } = this.getTransform(); // the label of an axis is turned by a right angle, to be read upwards
      const [from, to] = b === 0
        ? [e + x - size.actualBoundingBoxLeft, e + x + size.actualBoundingBoxRight]
        : [e - size.actualBoundingBoxAscent, e + size.actualBoundingBoxDescent];
      const noted = { text, from, to, turned: b !== 0, width: this.canvas.width };
      if (this.canvas.id !== "canvas") window.drawn.texts.push(noted); // that is the animation
      return fillText.apply(this, arguments);
    };
    const { lineTo } = Path2D.prototype;
    Path2D.prototype.lineTo = function (x, y) {
      window.drawn.points.push([x, y]);
      return lineTo.apply(this, arguments);
    };
  });
}

testPage("numbers on axes are whole, curves are not stairs", {}, async () => {
  await noteDrawing();
  const sensors = [{ name: "stress", value: "-1.6e8 + 1e7*sin(t)", unit: "Pa" }];
  await show(pendulum(sensors));
  const { texts, points } = await page.evaluate(() => window.drawn);
  assert.ok(texts.some(({ text }) => text === "-160000000"), texts.map(({ text }) => text).join(" "));
  const label = texts.find(({ turned }) => turned);
  for (const { text, from, to, turned, width } of texts)
    assert.ok(from >= (turned ? 0 : label.to) && to <= width, `${text}: from ${from} to ${to} of ${width} pixels`);
  const between = points.filter(([, y]) => Math.abs(y - Math.round(y)) > 0.01);
  assert.ok(between.length > 0.9 * points.length, `${between.length} of ${points.length} between whole pixels`);
});
