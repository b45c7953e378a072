// The page's editor in tests.

/** Puts a text in the place of the one in the editor, which is shown, as who pastes it: a text that is typed at once
 * takes Chromium a minute for some thousand lines. Firefox has names of its own for what such an event carries. */
export async function replaceText(page, text) {
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+a");
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const content = document.querySelector("#editor").shadowRoot.querySelector(".cm-content");
    const inFirefox = { dataType: "text/plain", data: pasted };
    content.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, ...inFirefox, bubbles: true, cancelable: true }),
    );
  }, text);
}

/** The text as far as the editor shows it. */
export function shownText(page) {
  return page.evaluate(() => {
    const lines = document.querySelector("#editor").shadowRoot?.querySelectorAll(".cm-line") ?? [];
    return [...lines].map((line) => line.textContent).join("\n");
  });
}
