// Runs axe-core in a page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { page } from "./browser.mjs";

const axe = createRequire(new URL("../../web/package.json", import.meta.url)).resolve("axe-core/axe.min.js");

/** Loads axe-core. The page's Content-Security-Policy blocks other scripts, but not those of a debugger. */
export async function loadAxe() {
  await page.evaluate(await readFile(axe, "utf8"));
}

/** Returns the findings of axe-core in the current page, one line for each element. */
export function findings() {
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
  });
}
