// What axe-core finds in a page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { page } from "./browser.mjs";

const axe = createRequire(new URL("../../web/package.json", import.meta.url)).resolve("axe-core/axe.min.js");

/** The page's policy lets no script of another place in, and debuggers past it. */
export async function loadAxe() {
  await page.evaluate(await readFile(axe, "utf8"));
}

/** What axe-core finds in the page as it stands: a line for each element. */
export function findings() {
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
  });
}
