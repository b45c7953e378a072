// Helpers of the tests for positions in the page's drawing.

/** The view of the example FourBar, as in its document. */
export const FOUR_BAR = { x: [-0.4, 1.2], y: [-0.4, 0.9] };

/** Returns a function from positions of a planar model to pixels of the window, for the initial view of a document. */
export async function viewOf(page, { x, y }) {
  const box = await page.locator("#canvas").boundingBox();
  const [width, height] = await page.$eval("#canvas", ({ clientWidth, clientHeight }) => [clientWidth, clientHeight]);
  const margin = Math.max(44, 0.18 * Math.min(width, height));
  const scale = Math.min((width - 2 * margin) / (x[1] - x[0]), (height - 2 * margin) / (y[1] - y[0]));
  return ([px, py]) => [
    box.x + 1 + width / 2 + (px - (x[0] + x[1]) / 2) * scale,
    box.y + 1 + height / 2 - (py - (y[0] + y[1]) / 2) * scale,
  ];
}
