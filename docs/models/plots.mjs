// Draws the plots of each model's own run, OUT/runs/NAME/own, into OUT/NAME.plots. OUT/NAME.json is the model.
//
// usage: node docs/models/plots.mjs BUNDLE OUT
// BUNDLE is web/src/manual/plots.ts, bundled.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [bundle, out] = process.argv.slice(2);
const runs = join(out, "runs");
const { plotsOf } = await import(pathToFileURL(resolve(bundle)));
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

for (const name of readdirSync(runs)) {
  const own = join(runs, name, "own");
  if (!existsSync(own)) continue;
  const sensors = (read(join(out, `${name}.json`)).sensors ?? []).map((sensor) => sensor.name);
  const wanted = ["T", "theta", "energy", "Lam", ...sensors].filter((array) => existsSync(join(own, `${array}.json`)));
  const arrays = new Map(wanted.map((array) => [array, read(join(own, `${array}.json`))]));
  writeFileSync(join(out, `${name}.plots`), plotsOf(arrays, sensors));
}
