// The gallery in a real browser: cards with pictures that move while hovered or focused, and the search by words and
// tags.
import assert from "node:assert/strict";
import { base, page, testPage } from "./browser.mjs";
import { eventually, frameOf } from "./waiting.mjs";

const card = (title) => page.locator("#gallery .card", { has: page.locator(`button:text-is("${title}")`) });
const pixels = (title) => card(title).locator("canvas").evaluate((canvas) => canvas.toDataURL());

/** Waits until a picture changes. */
const changes = (title, before) =>
  eventually(async () => assert.ok((await pixels(title)) !== before, `${title} does not move`));

/** Waits until a picture stays equal for some frames. */
async function stands(title) {
  await eventually(async () => {
    const before = await pixels(title);
    for (let i = 0; i < 6; i++) await frameOf(page);
    assert.ok((await pixels(title)) === before, `${title} moves`);
  });
}

/** Height of a canvas before it is drawn [pixels]. */
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
  await stands("Four-bar");
  const still = await pixels("Four-bar");
  await card("Four-bar").hover();
  await changes("Four-bar", still);
  await page.mouse.move(700, 5);
  await stands("Four-bar");

  await card("Gears").getByRole("button").focus();
  await stands("Four-bar");
  await changes("Gears", await pixels("Gears")); // the focus lets it move, too
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#example").value === "Gears");
});

testPage("who asks for reduced motion sees still pictures", { reducedMotion: "reduce" }, async () => {
  await openGallery("Four-bar");
  const still = await pixels("Four-bar");
  await card("Four-bar").hover();
  for (let i = 0; i < 20; i++) await frameOf(page);
  assert.ok((await pixels("Four-bar")) === still, "it moves");
});

testPage("every model of the gallery that can be seen gets a picture", {}, async () => {
  const { examples, studies } = await (await fetch(`${base}/api/v1/examples`)).json();
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
  assert.equal(await page.locator("#gallery .card").count(), examples.length + studies.length);
  assert.ok((await without()).length > 5, "those that are far away are not drawn yet");
  for (const each of await page.locator("#gallery .card").all()) await each.scrollIntoViewIfNeeded();
  await eventually(async () => assert.deepEqual(await without(), []));
});

testPage("models are found by words and by tags", {}, async () => {
  await openGallery("Four-bar");
  const shown = () => page.locator("#gallery .card:visible h3").allTextContents();
  const shows = (wanted) => eventually(async () => assert.deepEqual(await shown(), wanted));
  await page.fill("#gallery input", "gradient of nothing");
  await shows([]);
  await page.fill("#gallery input", "Sliding MODES");
  await shows(["Sliding pendulum, modes"]);
  assert.equal(await page.textContent('#gallery [role="status"]'), "1 model");
  await page.fill("#gallery input", "");
  await page.selectOption("#gallery select", "gear");
  await eventually(async () => {
    const titles = await shown();
    assert.ok(titles.includes("Gears") && !titles.includes("Four-bar"), titles.join());
  });
  await page.selectOption("#gallery select", "");
  await eventually(async () => assert.ok((await shown()).includes("Four-bar")));
});

testPage("a card leads to the page of its model", {}, async () => {
  await openGallery("Four-bar");
  const link = card("Four-bar").getByRole("link", { name: "Results and equations of Four-bar" });
  await link.click();
  await page.waitForURL("**/docs/models/FourBar.html");
  assert.equal(await page.textContent("h1"), "Four-bar");
  assert.equal(await page.locator(".plot svg").first().getAttribute("role"), "img");
});
