// Helpers of the tests for the page's editor.

/** Replaces the text of the visible editor by pasting: typing takes Chromium a minute for some thousand lines.
 * Firefox uses other names for the data of such an event. */
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

/** Returns the visible part of the editor's text. */
export function shownText(page) {
  return page.evaluate(() => {
    const lines = document.querySelector("#editor").shadowRoot?.querySelectorAll(".cm-line") ?? [];
    return [...lines].map((line) => line.textContent).join("\n");
  });
}
