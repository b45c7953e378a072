// Models in space as solids, what the drawing is saved as, and links that hold a model.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { base, page, testPage, type } from "./browser.mjs";

async function openExample(name) {
  await page.waitForSelector(`#example option[value="${name}"]`, { state: "attached" });
  await page.selectOption("#example", name);
  await page.waitForFunction(() => document.querySelector("#freedoms").textContent !== "");
}

/** How many pixels of the drawing differ from its background by more than the grid's lines do. */
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

/** How often the part of the page that draws solids was fetched. */
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
  await openExample("FourBar");
  assert.equal(await loads(), 0);
  assert.equal(await page.isVisible("#perspective"), false);
  await openExample("McPherson");
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => name.includes("/space-")));
  assert.equal(await loads(), 1);
  await page.waitForTimeout(500);
  const aslant = await inkOf();
  assert.ok(aslant > 2000, `${aslant} pixels`);
  await page.selectOption("#direction", "Top");
  assert.notEqual(await inkOf(), aslant);
  await page.selectOption("#direction", "Aslant");
  assert.equal(await inkOf(), aslant);
  await page.check("#perspective");
  assert.notEqual(await inkOf(), aslant);
});

testPage("what is seen in perspective is pulled where it is seen", {}, async () => {
  await openExample("Top");
  await page.check("#perspective");
  const box = await page.locator("#canvas").boundingBox();
  // The top's rim, found by where the pointer says that a body is.
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
  await page.waitForTimeout(300);
  await page.mouse.up();
  assert.notEqual(await inkOf(), before);
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
  await page.waitForTimeout(1000);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#record")]);
  const video = readFileSync(await download.path());
  assert.equal(video.readUInt32BE(0), 0x1a45dfa3); // EBML
  assert.ok(video.length > 1000, `${video.length} bytes`);
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
  assert.match(await other.textContent("#findings"), /part of the link may be missing/);
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
