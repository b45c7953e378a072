// The manual in a real browser: the page of each joint, driver, force and shape shows a valid mechanism with it, which
// can be dragged and played; the page of a model shows its plots in light and dark colours.
import assert from "node:assert/strict";
import { findings, loadAxe } from "./axe.mjs";
import { base, page, testPage, withoutSolids } from "./browser.mjs";
import { eventually } from "./waiting.mjs";

const ELEMENT = /^(joint|driver|force|shape)-[\w-]+\.html$/;

/** Returns the pages of elements that the manual's first page links to. */
async function elementPages() {
  await page.goto(`${base}/docs/`);
  const links = await page.$$eval("nav a", (list) => list.map((link) => link.getAttribute("href")));
  return links.filter((link) => ELEMENT.test(link));
}

/** Returns the frame of a page after its mechanism has been drawn. */
async function drawn(name) {
  await page.goto(`${base}/docs/${name}`);
  await page.locator("iframe").scrollIntoViewIfNeeded();
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await frame.waitForSelector("#result.live");
  return frame;
}

testPage("each element is drawn, and what has a place is marked", {}, async () => {
  await page.addInitScript(withoutSolids);
  const pages = await elementPages();
  assert.ok(pages.length > 30, `${pages.length} pages`);
  for (const name of pages) {
    const frame = await drawn(name);
    assert.match(await frame.textContent("#freedoms"), /freedom/, name);
    assert.equal(await frame.textContent("#live-note"), "", name);
    const named = /element=([^&]*)/.exec(new URL(frame.url()).hash)?.[1];
    await eventually(async () => {
      const selected = await frame.$$eval('#tree [aria-pressed="true"]', (list) => list.length);
      assert.equal(selected, named ? 1 : 0, `${name}: ${named}`);
      const colours = await frame.$eval("#canvas", (canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
      });
      assert.ok(colours > 10, `${name} is empty`);
    });
  }
});

testPage("the mechanism of a page plays, and its link leads to the whole page", {}, async () => {
  const frame = await drawn("joint-revolute-translational.html");
  const pixels = () => frame.$eval("#canvas", (canvas) => canvas.toDataURL());
  const still = await pixels();
  await frame.click("#play-on");
  await frame.waitForFunction(
    (before) => document.querySelector("#canvas").toDataURL() !== before,
    still,
  );
  await page.click("figcaption a");
  await page.waitForSelector("#result.live");
  await eventually(async () => assert.equal(await page.inputValue("#example"), "MP_B"));
  assert.equal(await page.textContent('#tree [aria-pressed="true"]'), "strut guide revolute-translational");
});

const SCHEMES = { light: "rgb(29, 111, 224)", dark: "rgb(110, 165, 255)" };

for (const [colorScheme, blue] of Object.entries(SCHEMES))
  for (const [where, viewport] of Object.entries({ desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }))
    testPage(`a model's page fits a ${where} in the ${colorScheme}, and is accessible`, { colorScheme, viewport }, async () => {
      await page.addInitScript(withoutSolids);
      await page.goto(`${base}/docs/models/FourBar.html`);
      await page.waitForSelector(".plot path.series-1");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
      const strokes = await page.$$eval(".plot path.series-0", (list) => list.map((path) => getComputedStyle(path).stroke));
      assert.ok(strokes.length > 3);
      assert.deepEqual([...new Set(strokes)], [blue]);
      const outside = await page.$$eval(".plot svg", (list) =>
        list.filter((svg) => {
          const box = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
          return texts.some(({ left, right }) => left < box.left - 1 || right > box.right + 1);
        }).length,
      );
      assert.equal(outside, 0, "numbers along an axis are cut off");
      await loadAxe();
      assert.deepEqual(await findings(), []);
    });

testPage("the list of models leads to each page, and each page back", {}, async () => {
  await page.goto(`${base}/docs/models.html`);
  await page.click('main a[href="models/SC.html"]');
  await page.waitForURL("**/docs/models/SC.html");
  assert.equal(await page.textContent("h1"), "Slider-crank");
  await page.click('nav a[aria-current="page"]');
  await page.waitForURL("**/docs/models.html");
});
