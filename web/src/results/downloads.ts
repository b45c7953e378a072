// Links to all files of a job, and the commands that download them without a browser.
import { fetchLink, links, type ArrayInfo, type Job } from "../app/api";
import { byId, h } from "../app/dom";
import { downloadTexts } from "../app/texts";
import { token } from "../app/token";

const FORMATS = ["csv", "json", "npy"];
// Archives of all arrays, with their names.
const ARCHIVES = { npz: "NPZ", mat: "MAT", h5: "HDF5", "csv.zip": "CSV" };

/** Saves content as a file. */
export function save(content: Blob, file: string): void {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may not have started the download
}

/** Downloads a file by script: a service that requires a token rejects a plain link. */
async function download(href: string, file: string): Promise<void> {
  save(await fetchLink(href), file);
}

function link(text: string, href: string, file: string): HTMLAnchorElement {
  const anchor = h("a", { href, download: file }, text);
  anchor.addEventListener("click", (event) => {
    if (!token()) return;
    event.preventDefault();
    download(href, file).catch((error: unknown) => (anchor.title = String(error)));
  });
  return anchor;
}

function arrayRow(id: string, array: ArrayInfo): HTMLTableRowElement {
  const formats = FORMATS.flatMap((format) => [
    link(format.toUpperCase(), links.array(id, array.name, format), `${array.name}.${format}`),
    " ",
  ]);
  return h(
    "tr",
    {},
    h("td", {}, h("code", {}, array.name)),
    h("td", {}, array.shape.join(" × ")),
    h("td", {}, array.unit ?? ""),
    h("td", {}, array.description ?? ""),
    h("td", { className: "formats" }, ...formats),
  );
}

/** Creates a command with a button that copies it. */
function command(text: string): HTMLElement {
  const code = h("code", {}, text);
  const copy = h("button", { type: "button" }, downloadTexts.copy);
  copy.addEventListener("click", () => {
    // Browsers allow access to the clipboard only on secure origins; elsewhere the text is selected for copying.
    if (navigator.clipboard) void navigator.clipboard.writeText(text).then(() => (copy.textContent = downloadTexts.copied));
    else getSelection()?.selectAllChildren(code);
  });
  return h("div", { className: "command" }, code, copy);
}

/** Returns the link to the certificate, a page for printing; empty for studies, which have none. */
function certificate(job: Job, arrays: ArrayInfo[]): HTMLAnchorElement[] {
  const names = arrays.map((array) => array.name);
  if (["parameters", "outputs", "status"].every((name) => names.includes(name))) return [];
  return [link(downloadTexts.certificate, links.certificate(job.id), "certificate.html")];
}

/** Fills the section of downloads for a finished job. */
export function showDownloads(job: Job, arrays: ArrayInfo[]): void {
  const address = (path: string): string => new URL(path, document.baseURI).href;
  const curl = token() ? "curl -H \"Authorization: Bearer $TOKEN\"" : "curl";
  const file = `${job.model_name || "model"}.json`;
  byId("download-all", HTMLParagraphElement).replaceChildren(
    downloadTexts.all,
    ...Object.entries(ARCHIVES).map(([kind, name]) => link(name, links.archive(job.id, kind), `results.${kind}`)),
    link(downloadTexts.document, links.document(job.id), file),
    ...certificate(job, arrays),
  );
  byId("array-list", HTMLTableSectionElement).replaceChildren(...arrays.map((array) => arrayRow(job.id, array)));
  byId("commands", HTMLDivElement).replaceChildren(
    command(`${curl} -o model.json ${address(links.document(job.id))}`),
    command(`${curl} -H 'Prefer: wait=60' --json @model.json ${address(links.jobs)}`),
    command(`${curl} -o results.npz ${address(links.archive(job.id, "npz"))}`),
  );
}
