// Opens the files of a user: a document as it is, a model of another program after the service has converted it.
import { ApiError, importModel, type ImportNote, type Imported, type ImportPlace, type Problem } from "../app/api";
import { h } from "../app/dom";
import { countOf, errorText } from "../app/format";
import { importTexts } from "../app/texts";
import { documentJson } from "./json_text";
import { archiveOf, isArchive, isDocument, type SourceFile } from "./source_files";

export interface ImportPage {
  /** Opens a document with the name of its file. */
  open(document: string, name: string): void;
  /** Shows elements below the document, instead of those shown before. */
  show(...elements: HTMLElement[]): void;
  /** Shows the value at a pointer of the document. */
  goTo(pointer: string): void;
}

/** Opens a document, or converts and opens a model of another program. Without files nothing happens. */
export async function openFiles(files: SourceFile[] | Promise<SourceFile[]>, page: ImportPage): Promise<void> {
  try {
    const [first, ...others] = await files;
    if (!first) return;
    if (others.length === 0 && (await isDocument(first.file))) page.open(await first.file.text(), first.file.name);
    else await convertFiles([first, ...others], page);
  } catch (error) {
    page.show(h("p", { className: "bad" }, errorText(error)));
  }
}

async function convertFiles(files: [SourceFile, ...SourceFile[]], page: ImportPage): Promise<void> {
  const [{ path, file }] = files;
  const folder = path.includes("/");
  const name = folder ? path.slice(0, path.indexOf("/")) : path;
  page.show(h("p", { className: "notice", role: "status" }, importTexts.converting(name)));
  if (folder || files.length > 1) await convert(await archiveOf(files), undefined, name, false, page);
  else await convert(file, (await isArchive(file)) ? undefined : name, name, false, page);
}

/** Converts a source and opens its document; `main` is the name of a single file. Rejects if there is no answer that
 * can be shown. */
async function convert(
  source: Blob,
  main: string | undefined,
  name: string,
  partial: boolean,
  page: ImportPage,
): Promise<void> {
  try {
    const imported = await importModel(source, main, partial);
    page.open(documentJson(imported.model), name);
    page.show(notesView(imported, page));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    page.show(...problemView(error.problem, () => void convert(source, main, name, true, page)));
  }
}

/** Returns the place of a note or error in the source: "arm.urdf:41"; "" if it is not known. */
function placeOf({ file, line, source }: ImportPlace): string {
  if (!file) return "";
  return line ? `${file}:${line}` : source ? `${file}${source}` : file;
}

function itemOf(level: string, place: ImportPlace, text: string): HTMLElement[] {
  return [
    h("span", { className: `badge ${level}` }, level),
    h("span", { className: "line" }, placeOf(place)),
    h("span", {}, text),
  ];
}

/** Returns a note; a click on it shows the value of the document that it is about. Without `page` there is no document. */
function noteItem(note: ImportNote, page?: ImportPage): HTMLElement {
  const { level, detail, count, pointer } = note;
  const parts = itemOf(level, note, count && count > 1 ? importTexts.times(detail, count) : detail);
  if (pointer === null || !page) return h("li", { className: "note" }, ...parts);
  const go = h("button", { type: "button", className: "note" }, ...parts);
  go.addEventListener("click", () => page.goTo(pointer));
  return h("li", {}, go);
}

function notesList(notes: ImportNote[], page?: ImportPage): HTMLElement {
  return h("ul", { className: "import-notes" }, ...notes.map((note) => noteItem(note, page)));
}

/** Returns the summary of a conversion and its notes. They stay while the user edits the document. */
function notesView({ format, notes, summary }: Imported, page: ImportPage): HTMLElement {
  const parts = [countOf(summary.bodies, "body", "bodies"), countOf(summary.joints, "joint")];
  if (summary.degrees_of_freedom !== null)
    parts.push(countOf(summary.degrees_of_freedom, "degree of freedom", "degrees of freedom"));
  const head = h("p", { role: "status" }, importTexts.imported(format, parts, countOf(notes.length, "note")));
  return h("div", { className: "notice import" }, head, notesList(notes, page));
}

/** Returns the reasons why a model cannot be converted, and the notes on its other parts. A button calls
 * `convertPart` if some parts can be left out. */
function problemView({ status, code, title, detail, errors, notes }: Problem, convertPart: () => void): HTMLElement[] {
  if (status === 0) return [h("p", { className: "bad" }, importTexts.offline)];
  const places = errors ?? [{ pointer: "", detail: detail ?? title }];
  const items = places.map((error) => h("li", { className: "note" }, ...itemOf("error", error, error.detail)));
  const elements: HTMLElement[] = [
    h("p", { className: "bad", role: "alert" }, title),
    h("ul", { className: "import-notes" }, ...items),
  ];
  if (code === "not_mapped") {
    const button = h("button", { type: "button", title: importTexts.partialTitle }, importTexts.partial);
    button.addEventListener("click", convertPart);
    elements.push(h("p", {}, button));
  }
  if (notes?.length) elements.push(notesList(notes));
  return elements;
}
