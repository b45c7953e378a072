// Builds the page: src/ -> dist/ (index.html, app.js, app.css, solver-worker.js, icon.svg, licenses.txt). The program
// serves it at "/", and mbs.wasm with it where that was built (wasm/).
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";

const { outputFiles, metafile } = await build({
  entryPoints: { app: "src/main.ts", "solver-worker": "src/solver-worker.ts" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir: "dist",
  write: false, // what does not compile must not leave a new dist/
  metafile: true,
});

/** The licences of the packages that went into app.js, which ask for their text to go along. */
async function licenses() {
  const packages = Object.keys(metafile.inputs).map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  const texts = [...new Set(packages.filter(Boolean))]
    .sort()
    .map(async (name) => `${name}\n\n${await readFile(`node_modules/${name}/LICENSE`, "utf8")}`);
  return (await Promise.all(texts)).join("\n\n");
}

const licenseTexts = await licenses();
await rm("dist", { recursive: true, force: true });
await mkdir("dist");
for (const { path, contents } of outputFiles) await writeFile(path, contents);
for (const file of ["index.html", "icon.svg"]) await cp(`src/${file}`, `dist/${file}`);
for (const file of ["mbs.wasm", "mbs.licenses.txt"])
  if (existsSync(`../build/wasm/${file}`)) await cp(`../build/wasm/${file}`, `dist/${file}`);
await writeFile("dist/licenses.txt", licenseTexts);
