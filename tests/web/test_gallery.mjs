// The gallery in a real browser: cards with pictures that move while they are looked at, found by words and tags.
import assert from "node:assert/strict";
import { base, page, testPage } from "./browser.mjs";

const card = (title) => page.locator("#gallery .card", { has: page.locator(`button:text-is("${title}")`) });
const pixels = (title) => card(title).locator("canvas").evaluate((canvas) => canvas.toDataURL());

/** A canvas has this height [pixels] until it is drawn. */
const UNDRAWN = 150;

/** Opens the gallery; resolves when a card has its picture. */
async function openGallery(title) {
  await page.waitForSelector("#result.live");
  await page.click("#gallery-tab");
  await card(title).scrollIntoViewIfNeeded();
  await page.waitForFunction(
    ([canvas, undrawn]) => canvas.height !== undrawn,
    [await card(title).locator("canvas").elementHandle(), UNDRAWN],
  );
}

testPage("a model of the gallery moves while it is looked at, and is opened by a click", {}, async () => {
  await openGallery("Four-bar");
  const still = await pixels("Four-bar");
  await page.waitForTimeout(200);
  assert.equal(await pixels("Four-bar"), still, "it moves before it is looked at");
  await card("Four-bar").hover();
  await page.waitForTimeout(600);
  const moved = await pixels("Four-bar");
  assert.notEqual(moved, still);
  await page.mouse.move(700, 5);
  await page.waitForTimeout(200);
  const stopped = await pixels("Four-bar");
  await page.waitForTimeout(200);
  assert.equal(await pixels("Four-bar"), stopped);

  await card("Gears").getByRole("button").focus();
  await page.waitForTimeout(300);
  const first = await pixels("Gears");
  await page.waitForTimeout(300);
  assert.notEqual(await pixels("Gears"), first, "the focus lets it move, too");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#example").value === "Gears");
});

testPage("who asks for reduced motion sees still pictures", { reducedMotion: "reduce" }, async () => {
  await openGallery("Four-bar");
  const still = await pixels("Four-bar");
  await card("Four-bar").hover();
  await page.waitForTimeout(400);
  assert.equal(await pixels("Four-bar"), still);
});

testPage("every model of the gallery that can be seen gets a picture", {}, async () => {
  const { examples } = await (await fetch(`${base}/api/v1/examples`)).json();
  await openGallery("Four-bar");
  const without = () =>
    page.$$eval(
      "#gallery .card",
      (cards, undrawn) =>
        cards
          .filter((card) => card.querySelector("canvas").height === undrawn)
          .map((card) => card.querySelector("h3").textContent),
      UNDRAWN,
    );
  assert.equal(await page.locator("#gallery .card").count(), examples.length);
  assert.ok((await without()).length > 5, "those that are far away are not drawn yet");
  for (const each of await page.locator("#gallery .card").all()) await each.scrollIntoViewIfNeeded();
  for (let tries = 0; tries < 20 && (await without()).length > 0; tries++) await page.waitForTimeout(250);
  assert.deepEqual(await without(), []);
});

testPage("models are found by words and by tags", {}, async () => {
  await openGallery("Four-bar");
  const shown = () => page.locator("#gallery .card:visible h3").allTextContents();
  await page.fill("#gallery input", "gradient of nothing");
  assert.deepEqual(await shown(), []);
  await page.fill("#gallery input", "Sliding MODES");
  assert.deepEqual(await shown(), ["Sliding pendulum, modes"]);
  assert.equal(await page.textContent('#gallery [role="status"]'), "1 model");
  await page.fill("#gallery input", "");
  await page.selectOption("#gallery select", "gear");
  assert.ok((await shown()).includes("Gears") && !(await shown()).includes("Four-bar"));
  await page.selectOption("#gallery select", "");
  assert.ok((await shown()).includes("Four-bar"));
});
