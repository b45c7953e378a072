// Plots in a real browser: positions of what uPlot draws, and the rows that are read of long results.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { base, page, testPage, waitForStatus } from "./browser.mjs";
import { quantile } from "./daemon.mjs";
import { eventually, frameOf, runJob } from "./waiting.mjs";

/** Page settings that stop the animation. */
const STILL = { reducedMotion: "reduce", viewport: { width: 1440, height: 1000 } };

/** Returns a pendulum with sensors and rows at intervals of `dt`. */
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

/** Runs a document and opens its job. */
async function show(document) {
  const job = await runJob(base, document);
  assert.equal(job.status, "succeeded", JSON.stringify(job.error ?? job));
  await page.goto("about:blank");
  await page.goto(`${base}#job=${job.id}`);
  await waitForStatus("succeeded");
  await page.waitForSelector("#plot .u-over");
  // The layout of the panels takes some frames.
  for (let i = 0; i < 3; i++) await frameOf(page);
  return job;
}

/** Records what the plots draw from now on: texts with their horizontal pixels, and points of paths. */
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

testPage("numbers on axes are whole, curves are not stairs", STILL, async () => {
  await noteDrawing();
  const sensors = [{ name: "stress", value: "-1.6e8 + 1e7*sin(t)", unit: "Pa" }];
  await show(pendulum(sensors));
  const { texts, points } = await eventually(async () => {
    const drawn = await page.evaluate(() => window.drawn);
    assert.ok(drawn.texts.some(({ text }) => text === "-160000000"), drawn.texts.map(({ text }) => text).join(" "));
    return drawn;
  });
  const label = texts.find(({ turned }) => turned);
  for (const { text, from, to, turned, width } of texts)
    assert.ok(from >= (turned ? 0 : label.to) && to <= width, `${text}: from ${from} to ${to} of ${width} pixels`);
  const between = points.filter(([, y]) => Math.abs(y - Math.round(y)) > 0.01);
  assert.ok(between.length > 0.9 * points.length, `${between.length} of ${points.length} between whole pixels`);
});

/** Returns the texts in the table's row of a curve: value, minimum, maximum. */
async function readings(title) {
  const cells = await page.locator(`#series tbody tr:has(th:text-is("${title}")) td`).allTextContents();
  return cells.slice(0, -1);
}

function number(text) {
  return Number.parseFloat(text);
}

/** Adds a column, or all columns of an array. */
async function add(array, column) {
  const before = await page.locator("#series tbody tr").count();
  await page.selectOption("#plot-array", array);
  if (column) await page.selectOption("#plot-column", column);
  await page.click("#plot-form button[type=submit]");
  await page.waitForFunction((count) => document.querySelectorAll("#series tbody tr").length > count, before);
}

testPage("each unit has a panel, all of them one cursor and one table", STILL, async () => {
  const sensors = [["ramp", "2*t", "m"], ["fall", "-t", "N"], ["rise", "t + 1", "m"]];
  await show(pendulum(sensors.map(([name, value, unit]) => ({ name, value, unit }))));
  await add("fall");
  await add("rise");
  const panels = page.locator("#plot .panel");
  assert.equal(await panels.count(), 2);
  const { x, y, width, height } = await eventually(async () => {
    const boxes = await Promise.all([0, 1].map((i) => panels.nth(i).locator(".u-over").boundingBox()));
    assert.ok(Math.abs(boxes[0].x - boxes[1].x) < 1 && Math.abs(boxes[0].width - boxes[1].width) < 1, "one below the other");
    return boxes[0];
  });
  await page.mouse.move(x + 0.75 * width, y + height / 2);
  await page.waitForFunction(() => /^(2\.9|3)/.test(document.querySelector("#series thead output").value));
  const t = await eventually(async () => {
    const shown = number(await page.textContent("#series thead output"));
    assert.ok(Math.abs(shown - 3) < 0.03, `the cursor is at ${shown} s`);
    return shown;
  });
  for (const [title, value, unit] of [["ramp", 2 * t, "m"], ["fall", -t, "N"], ["rise", t + 1, "m"]]) {
    const [now] = await readings(title);
    assert.ok(Math.abs(number(now) - value) < 1e-3 && now.endsWith(` ${unit}`), `${title}: ${now}`);
  }
  assert.deepEqual((await readings("fall")).slice(1).map(number), [-4, 0], "least and greatest");
  await eventually(async () => {
    const lines = await panels.locator(".u-cursor-x").evaluateAll((all) => all.map((line) => line.style.transform));
    assert.ok(Math.abs(number(/\((.*?)px/.exec(lines[1])[1]) - 0.75 * width) < 2, lines.join(" "));
  });
  await page.locator("#time").fill("1");
  await page.mouse.move(x, y - 200);
  await page.waitForFunction(() => document.querySelector("#series thead output").value === "1 s");
  await page.click('#series button[aria-label="Remove fall"]');
  assert.equal(await panels.count(), 1);

  await page.focus("#plot");
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  await eventually(async () => {
    const [, least, greatest] = (await readings("ramp")).map(number);
    assert.ok(Math.abs(least - 1) < 0.1 && Math.abs(greatest - 5) < 0.1, `from ${least} to ${greatest}`);
    assert.ok(Math.abs(Number(await page.inputValue("#time")) - 1.02) < 1e-6);
  });
});

/** Selects a part of the first panel with the mouse, between fractions of its width. */
async function select(from, to) {
  const { x, y, width, height } = await page.locator("#plot .u-over").first().boundingBox();
  await page.mouse.move(x + from * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + ((from + to) / 2) * width, y + height / 2, { steps: 4 });
  await page.mouse.move(x + to * width, y + height / 2);
  await frameOf(page); // what is selected follows the pointer from frame to frame
  await page.mouse.up();
}

/** Returns the highest drawn point of the first panel, as a fraction of its height. */
function highest() {
  return page.$eval("#plot canvas", (canvas) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const blue = (i) => data[i + 3] > 100 && data[i + 2] > data[i] + 100; // the first colour of the palette
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) if (blue(4 * (y * width + x))) return 1 - y / height;
    return 0;
  });
}

testPage("a curve over another one is a path, on which a click chooses its instant", STILL, async () => {
  const sensors = [{ name: "cosine", value: "cos(t)", unit: "m" }, { name: "sine", value: "sin(t)", unit: "N" }];
  await show(pendulum(sensors, { t_end: 6.2 }));
  await add("sine");
  await page.selectOption("#plot-over", "cosine");
  assert.equal(await page.locator("#plot .panel").count(), 1);
  const { x, y, width, height } = await page.locator("#plot .u-over").boundingBox();
  await page.mouse.click(x + width / 2, y + 3); // where the sine is 1
  await eventually(async () => {
    const time = Number(await page.inputValue("#time"));
    assert.ok(Math.abs(time - Math.PI / 2) < 0.02, `${time}`);
    const dot = await page.locator(".plot-dot:visible").boundingBox();
    assert.ok(Math.abs(dot.x + 5 - x - width / 2) < 8 && dot.y + 5 < y + 0.1 * height, "the marker is there");
  });
  await page.click('#series button[aria-label="Remove cosine"]');
  assert.equal(await page.inputValue("#plot-over"), "time");
});

testPage("logarithmic ordinates show magnitudes", STILL, async () => {
  await noteDrawing();
  await show(pendulum([{ name: "decay", value: "-100*exp(-3*t)", unit: "N" }]));
  await page.evaluate(() => (window.drawn.texts = []));
  await page.check("#plot-log");
  await page.waitForFunction(() => window.drawn.texts.some(({ text }) => text === "|N|"));
  await eventually(async () => {
    const texts = await page.evaluate(() => window.drawn.texts.map(({ text }) => text));
    for (const power of ["0.01", "0.1", "1", "10", "100"]) assert.ok(texts.includes(power), `${power} in ${texts}`);
  });
});

testPage("a spectrum has the amplitude of a sine at its frequency", STILL, async () => {
  await show(pendulum([{ name: "hum", value: "4 + 3*sin(2*pi*12.5*t) + sin(2*pi*5*t)", unit: "N" }]));
  await page.selectOption("#plot-over", "frequency");
  const frequency = async () => number(await page.textContent("#series thead output"));
  await eventually(async () => assert.ok(Math.abs((await frequency()) - 12.5) < 0.2, "the greatest is chosen"));
  const [now, , greatest] = (await readings("hum")).map(number);
  assert.ok(Math.abs(now - 3) < 0.05 && now === greatest, `amplitude ${now}`);
  const { x, y, width, height } = await page.locator("#plot .u-over").boundingBox();
  // The initial plot shows only the frequencies with visible amplitudes, of 50 Hz.
  await page.mouse.click(x + width - 2, y + height / 2);
  await eventually(async () => {
    const last = await frequency();
    assert.ok(last > 12.6 && last < 25, `up to ${last} Hz is shown`);
  });
  await page.click("#plot-reset");
  await page.mouse.click(x + (5 / 50) * width, y + height / 2);
  await eventually(async () => {
    const [other] = (await readings("hum")).map(number);
    assert.ok(Math.abs((await frequency()) - 5) < 0.2 && Math.abs(other - 1) < 0.2, `${other} at ${await frequency()} Hz`);
  });
});

testPage("the curves of a pinned run stay, dashed, with those of the next run", STILL, async () => {
  await page.addInitScript(() => {
    window.dashes = 0;
    const { setLineDash } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.setLineDash = function (dash) {
      if (dash.length > 0 && this.canvas.id !== "canvas") window.dashes++;
      return setLineDash.call(this, dash);
    };
  });
  const ramp = (slope) => pendulum([{ name: "ramp", value: `${slope}*t`, unit: "m" }], { dt: 0.01 * slope });
  const next = await show(ramp(3));
  await show(ramp(2));
  await add("energy", "kinetic");
  assert.equal(await page.evaluate(() => window.dashes), 0);
  await page.click("#plot-pin");
  await page.evaluate((id) => (location.hash = `job=${id}`), next.id);
  await page.waitForSelector("#series thead th:text-is('Pinned')");
  await page.waitForFunction(() => window.dashes > 0);
  await page.waitForSelector("#result.moving:not(.live)");
  await page.locator("#time").fill("2");
  await eventually(async () =>
    assert.deepEqual((await readings("ramp")).slice(0, 2).map(number).map(Math.round), [6, 4]));
  const differing = await page.locator("#plot-differences tbody tr").allInnerTexts();
  assert.deepEqual(differing, ["/sensors/0/value\t3*t\t2*t", "/analysis/dt\t0.03\t0.02"]);
  assert.equal((await readings("energy: kinetic")).length, 4, "what was plotted is plotted again");
  await page.click("#plot-pin");
  assert.equal((await readings("ramp")).length, 3);
  assert.equal(await page.locator("#plot-differences tr").count(), 0);
});

testPage("a peak of one row in 100 000 is seen, and seen alone when looked at closely", STILL, async () => {
  const sensors = [{ name: "peak", value: "if(abs(t - 6.1803) < 3e-5, 7, sin(t))", unit: "N" }];
  await show(pendulum(sensors, { t_end: 10, dt: 1e-4 }));
  const [, , greatest] = await readings("peak");
  assert.equal(greatest, "7");
  await eventually(async () => {
    const height = await highest();
    assert.ok(height > 0.8, `the curve goes to ${height} of the height`);
  });
  await select(0.55, 0.68);
  await select(0.45, 0.6);
  await select(0.4, 0.6);
  await eventually(async () => {
    const [, least, most] = (await readings("peak")).map(number);
    assert.ok(most === 7 && least < -0.09, `from ${least} to ${most}`);
  });
  await page.dblclick("#plot .u-over");
  await eventually(async () =>
    assert.deepEqual((await readings("peak")).slice(1).map(number).map(Math.round), [-1, 7]));
});

testPage("the wheel zooms about the pointer, and moves what is shown, as a drag with Shift does", STILL, async () => {
  await show(pendulum([{ name: "ramp", value: "t", unit: "m" }], { t_end: 10, dt: 1e-3 }));
  /** Waits until this time interval is shown; the values of the ramp are the times. */
  const shows = (from, to) =>
    eventually(async () => {
      const [, least, greatest] = (await readings("ramp")).map(number);
      assert.ok(Math.abs(least - from) < 0.02 && Math.abs(greatest - to) < 0.02, `from ${least} to ${greatest}`);
    });
  await shows(0, 10);
  const { x, y, width, height } = await page.locator("#plot .u-over").first().boundingBox();
  await page.mouse.move(x + 0.25 * width, y + height / 2);
  await page.focus("#time");
  await page.mouse.wheel(0, -100); // the page's, not the plot's
  await frameOf(page);
  await shows(0, 10);
  await page.focus("#plot");
  const half = Math.log(2) / 0.0015;
  await page.mouse.wheel(0, -half);
  await shows(1.25, 6.25);
  await page.mouse.wheel(0.2 * width, 0);
  await shows(2.25, 7.25);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x + 0.45 * width, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await shows(1.25, 6.25);
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  await shows(3.75, 8.75);
  await page.mouse.wheel(5 * width, 0);
  await shows(5, 10); // it ends where the run does, and is as long as before
  await page.mouse.wheel(0, 2 * half);
  await shows(0, 10);
});

testPage("of more rows than are kept no peak is lost, and what is looked at closely is read whole", STILL, async () => {
  const sensors = [{ name: "peak", value: "if(abs(t - 3.7) < 3e-6, 7, sin(t))", unit: "N" }];
  await show(pendulum(sensors, { t_end: 6, dt: 1e-5 }));
  assert.equal((await readings("peak"))[2], "7");
  const noted = (words) => eventually(async () => assert.match(await page.textContent("#plot-note"), words));
  await noted(/minimum and maximum of each 4 rows/);
  await page.selectOption("#plot-over", "frequency");
  await noted(/plot over time and zoom in first/);
  await page.selectOption("#plot-over", "time");
  await select(0.6, 0.65);
  await page.waitForFunction(() => document.querySelector("#plot-note").textContent === "");
  await eventually(async () => {
    const [, least, greatest] = (await readings("peak")).map(number);
    assert.ok(greatest === 7 && Math.abs(least - Math.sin(3.9)) < 0.02, `from ${least} to ${greatest}`);
  });
  await page.selectOption("#plot-over", "frequency");
  await eventually(async () =>
    assert.ok(number(await page.textContent("#series thead output")) >= 0, "there is a spectrum of the part"));
});

/** Returns the file that a click on a button saves. */
async function saved(button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
}

testPage("what is plotted is saved as rows and as a picture", STILL, async () => {
  const job = await show(pendulum([{ name: "=ramp, of time", value: "t/3", unit: "m" }]));
  await add("energy", "kinetic");
  await page.click("#plot-pin");
  await show(pendulum([{ name: "=ramp, of time", value: "t/3", unit: "m" }]));
  await page.click("#plot-pin");
  await page.evaluate((id) => (location.hash = `job=${id}`), job.id);
  await page.waitForSelector("#series thead th:text-is('Pinned')");
  await select(0.25, 0.5);
  const { name, content } = await saved("#plot-csv");
  assert.equal(name, "Pendulum_with_sensors.csv");
  const [head, ...rows] = content.toString().trim().split("\r\n");
  assert.equal(head, 't [s],"\'=ramp, of time [m]","t [s], pinned","\'=ramp, of time [m], pinned"');
  const numbers = rows.map((row) => row.split(",").map(Number));
  assert.ok(Math.abs(numbers[0][0] - 1) < 0.03 && Math.abs(numbers.at(-1)[0] - 2) < 0.03 && rows.length > 90);
  for (const [t, ramp, other] of numbers) assert.ok(ramp === t / 3 && other === t, `${ramp} at ${t}`);

  const picture = await saved("#plot-png");
  assert.equal(picture.name, "Pendulum_with_sensors.png");
  assert.equal(picture.content.subarray(1, 4).toString(), "PNG");
  const [width, height] = [16, 20].map((at) => picture.content.readUInt32BE(at));
  const { width: shown, height: panels } = await page.locator("#plot").boundingBox();
  assert.ok(Math.abs(width - shown) < 2 && height > panels, `${width} x ${height} pixels`);

  const lines = await saved("#plot-svg");
  assert.equal(lines.name, "Pendulum_with_sensors.svg");
  const svg = await page.evaluate((text) => {
    const read = new DOMParser().parseFromString(text, "image/svg+xml");
    const paths = [...read.querySelectorAll("path")].filter((path) => path.getAttribute("d").split("L").length > 50);
    return {
      mistakes: read.querySelectorAll("parsererror").length,
      texts: [...read.querySelectorAll("text")].map((element) => element.textContent),
      curves: paths.map((path) => path.getAttribute("stroke-dasharray") ?? ""),
      clipped: paths.every((path) => path.closest("[clip-path]")),
    };
  }, lines.content.toString());
  assert.equal(svg.mistakes, 0);
  assert.deepEqual(svg.curves, ["", "5,4"], "the curve of the run, and that of the pinned one");
  assert.ok(svg.clipped);
  for (const text of ["1.4 s", "m", "=ramp, of time", "=ramp, of time (pinned)"])
    assert.ok(svg.texts.includes(text), `${text} in ${svg.texts}`);
  if (process.env.MBS_PICTURES) await writeFile(`${process.env.MBS_PICTURES}/plots.svg`, lines.content);
});

testPage("curves follow a slider, where a run is quick, until the result is shown again", STILL, async (context) => {
  if ((await fetch(`${base}/mbs.wasm`)).status !== 200) return context.skip("the program was built without mbs.wasm");
  // A run with few rows.
  const document = {
    ...pendulum([{ name: "ramp", value: "k*t", unit: "m" }], { dt: 0.5 }),
    parameters: { k: 2 },
  };
  await show(document);
  await page.locator("#time").fill("2");
  const value = async () => number((await readings("ramp"))[0]);
  await eventually(async () => assert.ok(Math.abs((await value()) - 4) < 1e-6));
  const slider = page.locator('.slider input[type="range"]');
  const { x, y, width, height } = await slider.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.7 * width, y + height / 2, { steps: 10 });
  await page.waitForFunction(() => {
    const k = Number(document.querySelector('.slider input[type="number"]').value);
    const shown = Number.parseFloat(document.querySelector("#series tbody output").value);
    return k > 2.2 && Math.abs(shown - 2 * k) < 1e-3;
  });
  await eventually(async () => assert.match(await page.textContent("#plot-note"), /slider values/));
  await page.mouse.up();
  await page.click("#by-hand"); // in the place of the page's own motion
  await page.waitForSelector("#result.live");
  await page.click("#by-hand");
  await page.locator("#time").fill("2");
  await page.waitForFunction(() => Math.abs(Number.parseFloat(document.querySelector("#series tbody output").value) - 4) < 1e-6);
  await eventually(async () => assert.equal(await page.textContent("#plot-note"), ""));
});

/** Repeats an action, once a frame. Returns the intervals between frames [ms], and the duration of the page's script
 * in frames that draw plots [ms]. */
async function measureFrames(times, act) {
  await page.evaluate(() => {
    const noted = (window.noted = { going: true, drawn: false, works: [], apart: [] });
    const { clearRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function (...area) {
      noted.drawn ||= this.canvas.id !== "canvas"; // that is the animation
      return clearRect.apply(this, area);
    };
    const ask = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) =>
      ask((now) => {
        const start = performance.now();
        draw(now);
        // uPlot draws in a microtask.
        queueMicrotask(() => {
          if (noted.drawn) noted.works.push(performance.now() - start);
          noted.drawn = false;
        });
      });
    let last = NaN;
    ask(function note(now) {
      if (last < now) noted.apart.push(now - last);
      last = now;
      if (noted.going) ask(note);
    });
  });
  for (let i = 0; i < times; i++) {
    await act(i);
    await frameOf(page);
  }
  const { works, apart } = await page.evaluate(() => Object.assign(window.noted, { going: false }));
  const told = (values) => [0.5, 0.95].map((part) => quantile(values, part).toFixed(1)).join(", ");
  const work = works.length > 0 ? `; ${works.length} drawn with ${told(works)} ms of work` : "";
  return `${apart.length} frames, p50, p95: ${told(apart)} ms apart${work}`;
}

testPage("20 curves of 100 000 rows follow the cursor, are zoomed into by the wheel and moved", STILL, async (context) => {
  const units = ["m", "N", "rad", "J"];
  const sensors = Array.from({ length: 20 }, (_, i) => {
    return { name: `s${i}`, value: `sin(${i + 1}*t) + 0.1*sin(${100 + i}*t)`, unit: units[i % 4] };
  });
  await show(pendulum(sensors, { t_end: 10, dt: 1e-4 }));
  for (const { name } of sensors.slice(1)) await add(name);
  const { x, y, width, height } = await page.locator("#plot .u-over").first().boundingBox();
  const tell = async (what, times, act) => context.diagnostic(`${what}: ${await measureFrames(times, act)}`);
  await tell("the cursor", 100, (i) => page.mouse.move(x + (0.1 + 0.004 * i) * width, y + height / 2));
  await page.focus("#plot");
  await tell("the wheel zooms", 120, (i) => page.mouse.wheel(0, i % 40 < 20 ? -100 : 100));
  await page.keyboard.press("0");
  for (let i = 0; i < 3; i++) await page.keyboard.press("+");
  await tell("the wheel moves", 60, (i) => page.mouse.wheel(i % 20 < 10 ? 20 : -20, 0));
  // Times depend on the machine, the drawing does not.
  await page.evaluate(() => {
    window.points = 0;
    const { lineTo } = Path2D.prototype;
    Path2D.prototype.lineTo = function () {
      window.points++;
      return lineTo.apply(this, arguments);
    };
  });
  await page.keyboard.press("+");
  await page.keyboard.press("0");
  const pixels = 20 * Math.ceil(width);
  await page.waitForFunction((least) => window.points > least, 2 * pixels);
  for (let i = 0; i < 5; i++) await frameOf(page);
  const points = await page.evaluate(() => window.points);
  assert.ok(points < 2 * (2 * pixels + 100), `${points} points on ${pixels} pixels, twice`);
});

testPage("of a run that has a determinant the sensors are plotted first", STILL, async () => {
  await show(JSON.parse(await readFile("models/McPherson.json", "utf8")));
  await eventually(async () => assert.match(await page.textContent("#series tbody th >> nth=0"), /toe/));
});
