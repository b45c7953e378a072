// Spatial models as solids, saved files of the drawing, and links that contain a model.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { base, openExample, page, testPage, type, waitForStatus } from "./browser.mjs";
import { eventually, frameOf } from "./waiting.mjs";

/** Imports a module of three.js, in the version of the page. */
const three = (path) => import(`../../web/node_modules/three/${path}.js`);

/** Counts in `window.solids` how often solids are drawn, starting with the next load. */
async function noteSolids() {
  await page.addInitScript(() => {
    window.solids = 0;
    const { drawImage } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.drawImage = function (...values) {
      if (this.canvas.id === "canvas") window.solids++;
      return drawImage.apply(this, values);
    };
  });
  await page.reload();
}

/** Waits until the number of drawn pixels fulfils a condition; returns it. */
const ink = (holds) =>
  eventually(async () => {
    const pixels = await inkOf();
    assert.ok(holds(pixels), `${pixels} pixels`);
    return pixels;
  });

/** Runs the document until its motion is shown. */
async function run() {
  await page.click("#run");
  await waitForStatus("succeeded");
  await page.waitForSelector("#result.moving:not(.live)");
}

/** Returns the number of pixels that differ from the background by more than the grid's lines. */
function inkOf() {
  return page.evaluate(() => {
    const canvas = document.querySelector("#canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 150) count++;
    return count;
  });
}

/** Returns how often the module that draws solids was fetched. */
const loads = () =>
  page.evaluate(() =>
    performance.getEntriesByType("resource").filter(({ name }) => name.includes("/space-")).length);

async function saved(selector) {
  await page.click(".menu > summary");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  await page.click(".menu > summary");
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

testPage("solids are drawn of a model in space alone", {}, async () => {
  await noteSolids();
  await openExample("FourBar");
  assert.equal(await loads(), 0);
  assert.equal(await page.isVisible("#perspective"), false);
  await openExample("McPherson");
  await page.waitForFunction(() => window.solids > 0);
  assert.equal(await loads(), 1);
  const aslant = await ink((pixels) => pixels > 2000);
  await page.selectOption("#direction", "Top");
  await ink((pixels) => pixels !== aslant);
  await page.selectOption("#direction", "Aslant");
  await ink((pixels) => pixels === aslant);
  await page.check("#perspective");
  await ink((pixels) => pixels !== aslant);
});

testPage("a mechanism in perspective is dragged where it is seen", {}, async () => {
  await noteSolids();
  await openExample("Top");
  await page.waitForFunction(() => window.solids > 0);
  await page.check("#perspective");
  await frameOf(page);
  const box = await page.locator("#canvas").boundingBox();
  // The rim of the top, found by the cursor over a body.
  let at;
  for (let y = 40; y < box.height && !at; y += 6)
    for (let x = 40; x < box.width && !at; x += 12) {
      await page.mouse.move(box.x + x, box.y + y);
      if (await page.evaluate(() => document.querySelector("#canvas").classList.contains("over-body"))) at = [x, y + 8];
    }
  assert.ok(at, "a body is under the pointer somewhere");
  const before = await inkOf();
  await page.mouse.move(box.x + at[0], box.y + at[1]);
  await page.mouse.down();
  await page.mouse.move(box.x + at[0] + 60, box.y + at[1] + 30, { steps: 8 });
  await ink((pixels) => pixels !== before);
  await page.mouse.up();
  await ink((pixels) => pixels !== before);
});

testPage("the drawing is saved as PNG, SVG and WebM", {}, async () => {
  await openExample("FourBar");
  const png = await saved("#save-png");
  assert.equal(png.name, "mechanism.png");
  assert.deepEqual([...png.bytes.subarray(1, 4)], [...Buffer.from("PNG")]);
  const svg = await saved("#save-svg");
  const shapes = await page.evaluate((text) => {
    const read = new DOMParser().parseFromString(text, "image/svg+xml");
    return read.querySelector("parsererror") ? -1 : read.querySelectorAll("path").length;
  }, svg.bytes.toString());
  assert.ok(shapes > 10, `${shapes} paths`);
  assert.match(svg.bytes.toString(), /<text[^>]*font-size="11px"[^>]*>0.5<\/text>/);
  await page.click(".menu > summary");
  await page.click("#record");
  await page.click("#play-on");
  for (let i = 0; i < 60; i++) await frameOf(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#record")]);
  const video = readFileSync(await download.path());
  assert.equal(video.readUInt32BE(0), 0x1a45dfa3); // EBML
  assert.ok(video.length > 1000, `${video.length} bytes`);
});

/** Returns the link that contains a model. */
async function linkTo(model) {
  const packed = new Blob([JSON.stringify(model)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return `#model=${Buffer.from(await new Response(packed).arrayBuffer()).toString("base64url")}`;
}

/** Reads an array of the shown job. */
async function arrayOf(name) {
  const id = await page.evaluate(async () => {
    const { jobs } = await (await fetch("api/v1/jobs?limit=1")).json();
    return jobs[0].id;
  });
  return (await fetch(`${base}/api/v1/jobs/${id}/results/${name}`)).json();
}

/** Loads a .glb file and moves it to a time. */
async function loadGltf(bytes) {
  const { AnimationMixer, Vector3 } = await three("build/three.module");
  const { GLTFLoader } = await three("examples/jsm/loaders/GLTFLoader");
  const { scene, animations } = await new GLTFLoader().parseAsync(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
  const mixer = new AnimationMixer(scene);
  for (const clip of animations) mixer.clipAction(clip).play();
  return {
    animations,
    scene,
    seek: (t) => {
      mixer.setTime(t);
      scene.updateMatrixWorld(true);
    },
    /** Returns the position of a point of a body. */
    place: (body, at = [0, 0, 0]) => scene.getObjectByName(body).localToWorld(new Vector3(...at)).toArray(),
  };
}

const close = (a, b, message) => a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) < 1e-5, `${message}: ${a}, ${b}`));

testPage("a motion in space is saved as glTF", { reducedMotion: "reduce" }, async () => {
  await openExample("SliderCrank3D");
  await run();
  const { name, bytes } = await saved("#save-gltf");
  assert.equal(name, "mechanism.glb");
  assert.equal(bytes.toString("latin1", 0, 4), "glTF");
  const file = await loadGltf(bytes);
  assert.equal(file.animations[0].duration, 2);
  const { data: times } = await arrayOf("T");
  const { data: centres } = await arrayOf("r");
  const { data: points, labels } = await arrayOf("rP");
  for (const row of [0, 77, 200]) {
    file.seek(Math.min(times[row], 2 - 1e-9));
    // The file's vertical axis is y, the model's z.
    const raised = ([x, y, z]) => [x, z, -y];
    ["crank", "rod", "slider"].forEach((body, i) => close(file.place(body), raised(centres[row][i]), `${body}, row ${row}`));
    const crank = points[row][labels.flat().findIndex((label) => /crank.B/.test(label)) / 3 | 0];
    close(file.place("crank", [0, 0, 0.08]), raised(crank), `crank.B, row ${row}`);
  }
});

testPage("a planar motion is saved as glTF, with the thickness of sheets", { reducedMotion: "reduce" }, async () => {
  await openExample("Gears");
  await run();
  const { bytes } = await saved("#save-gltf");
  const file = await loadGltf(bytes);
  const { data: turns } = await arrayOf("p");
  const { Box3, Vector3 } = await three("build/three.module");
  for (const row of [0, 50, 150]) {
    file.seek(row * 0.02);
    const angle = [turns[row]].flat(2)[0];
    close(file.place("pinion", [0.1, 0, 0]), [0.1 * Math.cos(angle), 0.1 * Math.sin(angle), 0], `row ${row}`);
  }
  const size = new Box3().setFromObject(file.scene.getObjectByName("wheel")).getSize(new Vector3()).toArray();
  assert.ok(size[2] > 0.003 && size[2] < 0.05 && size[0] > 0.4, `${size}`);
});

/** A ball that falls onto a floor at y = -0.5, next to a pendulum. */
const OVER_A_FLOOR = {
  name: "Over a floor",
  space: "planar",
  gravity: [0, -9.81],
  ground: { points: { O: [0, 0], floor: [0.5, -0.5] }, vectors: { along: [1, 0] } },
  bodies: [
    { name: "bob", mass: 1, inertia: 0.1, points: { O: [0, 0.4] } },
    { name: "ball", mass: 1, inertia: 0.1, points: { C: [0, 0] }, initial: { position: [1, 0] } },
  ],
  joints: [{ name: "pin", type: "revolute", points: ["ground.O", "bob.O"], initial: { position: 0.3 } }],
  forces: [{ name: "floor", type: "contact", point: "ball.C", radius: 0.1, line: ["ground.floor", "ground.along"],
    stiffness: 1e4, restitution: 0.5 }],
  analysis: { type: "dynamics", t_end: 1, dt: 0.01 },
};

testPage("floors, and what holds the ground's points, are in glTF files", { reducedMotion: "reduce" }, async () => {
  const { Box3 } = await three("build/three.module");
  const boxOf = async (document) => {
    await page.goto(`${base}/${await linkTo(document)}`);
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#freedoms").textContent !== "");
    const { scene } = await loadGltf((await saved("#save-gltf")).bytes);
    scene.updateMatrixWorld(true);
    const floor = scene.getObjectByName("floor");
    assert.equal(floor.parent.name, "ground");
    assert.ok(floor.material.transparent);
    const feet = floor.parent.children.filter((child) => child !== floor);
    return [new Box3().setFromObject(floor), feet.map((foot) => new Box3().setFromObject(foot))];
  };
  const [floor, feet] = await boxOf(OVER_A_FLOOR);
  assert.ok(floor.max.y < -0.49 && floor.min.y > -0.51 && floor.max.x - floor.min.x > 0.5, JSON.stringify(floor));
  assert.equal(feet.length, 1, "the pin's");
  assert.ok(Math.abs(feet[0].max.y) < 1e-6 && feet[0].min.y < -0.02, JSON.stringify(feet[0]));
  const ball = JSON.parse(readFileSync("models/BouncingBall.json", "utf8"));
  const [tilted] = await boxOf(ball); // by 5 degrees about the file's z axis
  const [wide, high] = [tilted.max.x - tilted.min.x, tilted.max.y - tilted.min.y];
  assert.ok(Math.abs(high / wide - Math.tan((5 * Math.PI) / 180)) < 0.02, `${wide} x ${high}`);
});

/** Returns a spatial body with some shapes. */
const bodyOf = (...shapes) => ({
  name: "Solids", space: "spatial",
  bodies: [{ name: "body", mass: 1, inertia: [1, 1, 1], shapes }],
  analysis: { type: "dynamics", t_end: 1, dt: 0.1 },
});

const SOLIDS = [
  { type: "box", size: [1, 0.5, 0.2], at: [-2, 0, 0], axis: [1, 0, 0], angle: 0.3 },
  { type: "cylinder", from: [-1, 0, -0.5], to: [-1, 0, 0.5], radius: 0.3 },
  { type: "sphere", radius: 0.4 },
  { type: "capsule", from: [1, 0, -0.5], to: [1, 0, 0.5], radius: 0.2 },
  { type: "gear", teeth: 12, module: 0.08, width: 0.2, at: [2, 0, 0], axis: [0, 1, 0] },
  {
    type: "mesh", points: [[3, 0, 0], [3.8, 0, 0], [3, 0.8, 0], [3, 0, 0.8]],
    triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
  },
];

testPage("each solid is drawn as one, and as lines", { reducedMotion: "reduce" }, async () => {
  const bare = await (async () => {
    await page.goto(`${base}/${await linkTo(bodyOf({ type: "line", from: [-3, 0, 0], to: [4, 0, 0] }))}`);
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#freedoms").textContent !== "");
    return (await saved("#save-svg")).bytes.toString().match(/<path/g).length;
  })();
  for (const solid of SOLIDS) {
    await page.goto(`${base}/${await linkTo(bodyOf({ type: "line", from: [-3, 0, 0], to: [4, 0, 0] }, solid))}`);
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#freedoms").textContent !== "");
    const lines = (await saved("#save-svg")).bytes.toString().match(/<path/g).length;
    assert.ok(lines > bare, `${solid.type}: ${lines} paths, without it ${bare}`);
    const { bytes } = await saved("#save-gltf");
    const file = await loadGltf(bytes);
    const { Box3 } = await three("build/three.module");
    const box = new Box3();
    let forms = 0;
    file.scene.getObjectByName("body").traverse((object) => {
      if (!object.isMesh) return;
      forms++;
      box.expandByObject(object);
    });
    assert.ok(forms > 3, `${solid.type}: a rod is three forms`);
    assert.ok(box.max.y > 0.09, `${solid.type} is thicker than the rod`);
  }
});

/** Returns pendulums in rows with different initial positions. */
function fence(count) {
  const all = Array.from({ length: count }, (_, i) => i);
  const links = [{ type: "capsule", from: [0, 0, 0.5], to: [0, 0, -0.5], radius: 0.03 }];
  return {
    name: "Fence", space: "spatial", gravity: [0, 0, -9.81],
    ground: {
      points: Object.fromEntries(all.map((i) => [`P${i}`, [(i % 50) * 0.2, Math.floor(i / 50) * 1.5, 0]])),
      vectors: { y: [0, 1, 0] },
    },
    bodies: all.map((i) => ({
      name: `b${i}`, mass: 1, inertia: [0.1, 0.1, 0.01], points: { A: [0, 0, 0.5] }, vectors: { y: [0, 1, 0] },
      initial: { orientation: { axis: [0, 1, 0], angle: 0.002 * i } },
      shapes: [...links, { type: "sphere", at: [0, 0, -0.5], radius: 0.08 }],
    })),
    joints: all.map((i) => ({
      name: `j${i}`, type: "revolute", points: [`ground.P${i}`, `b${i}.A`], vectors: ["ground.y", `b${i}.y`],
    })),
    analysis: { type: "dynamics", t_end: 1, dt: 0.1 },
  };
}

// Measures the page's script for a frame, without the software rendering.
testPage("what a frame of 500 bodies costs", { reducedMotion: "reduce" }, async () => {
  await page.goto(`${base}/${await linkTo(fence(500))}`);
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#freedoms").textContent.includes("500"));
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => name.includes("/space-")));
  await page.focus("#canvas");
  const turn = async () => {
    await page.keyboard.press("ArrowLeft");
    await page.evaluate(() => new Promise(requestAnimationFrame));
  };
  for (let i = 0; i < 3; i++) await turn();
  const profiler = await page.context().newCDPSession(page);
  await profiler.send("Profiler.enable");
  await profiler.send("Profiler.start");
  const frames = 8;
  for (let i = 0; i < frames; i++) await turn();
  const { profile } = await profiler.send("Profiler.stop");
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const others = ["drawImage", "(program)", "(idle)"];
  const spent = profile.samples.reduce(
    (sum, id, i) => sum + (others.includes(names.get(id)) ? 0 : Math.max(0, profile.timeDeltas[i])), 0);
  const each = spent / 1000 / frames;
  console.log(`500 bodies: ${each.toFixed(2)} ms of the page's own for a frame`);
  assert.ok(each > 0.2, "something was measured");
});

testPage("a link holds the model", { permissions: ["clipboard-read", "clipboard-write"] }, async () => {
  await openExample("SC");
  const text = await page.evaluate(async (address) => (await fetch(address)).text(), `${base}/api/v1/examples/SC`);
  const changed = text.replace(/"name": *"[^"]*"/, '"name": "Ein Gefüge – linked"');
  await type(changed);
  await page.click(".menu > summary");
  await page.click("#copy-link");
  await page.waitForSelector("#findings [role=status]");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  console.log(`a model of ${changed.length} characters is a link of ${link.length}`);
  await page.evaluate(() => localStorage.clear());
  const other = await page.context().newPage();
  await other.goto(link);
  await other.click("#text-tab");
  await other.waitForFunction(() =>
    document.querySelector("#editor").shadowRoot?.querySelector(".cm-content")?.textContent.includes("Ein Gefüge – linked"));
  await other.goto(`${base}/#model=${link.split("model=")[1].slice(0, 40)}`);
  await other.waitForSelector("#findings .bad");
  await other.waitForSelector("#findings:has-text('part of the link may be missing')");
});

testPage("a link's mechanism is a part of another page, which the page itself is not", {}, async () => {
  const link = await page.evaluate(async () => {
    const packed = new Blob([JSON.stringify({
      name: "Part", space: "planar", gravity: [0, -9.81], ground: { points: { O: [0, 0] } },
      bodies: [{ name: "rod", mass: 1, inertia: 0.1, points: { A: [-0.5, 0] } }],
      joints: [{ name: "pin", type: "revolute", points: ["ground.O", "rod.A"] }],
      analysis: { type: "dynamics", t_end: 1, dt: 0.01 },
    })]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  });
  const other = await page.context().newPage();
  await other.setViewportSize({ width: 900, height: 700 });
  const frame = `<iframe width="800" height="500" src="${base}/?embed#model=${link}"></iframe>`;
  const slides = createServer((request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<h1>Slides</h1>${frame}`);
  });
  await new Promise((listening) => slides.listen(0, "127.0.0.1", listening));
  await other.goto(`http://127.0.0.1:${slides.address().port}/`);
  const part = other.frameLocator("iframe");
  await part.locator("#freedoms", { hasText: "1 degree of freedom" }).waitFor();
  assert.ok(await part.locator("#canvas").isVisible());
  for (const hidden of ["#run", "#model", "#drawer", "#save-png"])
    assert.equal(await part.locator(hidden).isVisible(), false, hidden);
  assert.equal(await part.locator("#whole-page").getAttribute("href"), `/#model=${link}`);
  if (process.env.PICTURES) await other.screenshot({ path: `${process.env.PICTURES}/embedded.png` });
  const policies = await Promise.all(["/", "/?embed"].map(async (path) =>
    (await fetch(base + path)).headers.get("content-security-policy").match(/frame-ancestors ([^;]*)/)[1]));
  assert.deepEqual(policies, ["'none'", "*"]);
  slides.close();
});

testPage("an embedded page whose link is cut reports it, and shows no other mechanism", {}, async () => {
  await page.goto("about:blank");
  await page.goto(`${base}/?embed#model=abc`);
  await page.waitForSelector("#result-hint:has-text('cannot be read')");
  assert.equal(await page.isVisible("#canvas"), false);
});
