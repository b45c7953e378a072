// The files that a user drops on the page or chooses: a document, or the files of a model of another program.
import { importTexts } from "../app/texts";

/** A file with its path in the dropped folder. */
export interface SourceFile {
  path: string;
  file: File;
}

/** Maximum number of files of a source; the service accepts no more. */
const MOST_FILES = 5000;
/** Size of a block of a tar archive [bytes]. */
const BLOCK = 512;
/** Maximum length of a path in a block [bytes]. */
const LONGEST_PATH = 100;

function entriesOf(folder: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => folder.readEntries(resolve, reject));
}

/** Adds the files of a folder, except hidden ones. */
async function collect(entry: FileSystemEntry, found: SourceFile[]): Promise<void> {
  if (entry.name.startsWith(".")) return;
  if (found.length >= MOST_FILES) throw new Error(importTexts.tooManyFiles(MOST_FILES));
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path: entry.fullPath.slice(1), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A call returns only a part of the entries, and none after the last part.
  for (let part = await entriesOf(reader); part.length > 0; part = await entriesOf(reader))
    for (const child of part) await collect(child, found);
}

async function collectAll(entries: (FileSystemEntry | null)[]): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  for (const entry of entries) if (entry) await collect(entry, found);
  return found;
}

/** Returns true if files are dragged that the page opens. Pictures are for the photograph below the drawing. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  const items = [...(dataTransfer?.items ?? [])];
  return items.some(({ kind }) => kind === "file") && !items.every(({ type }) => type.startsWith("image/"));
}

/** Accepts files and folders that are dropped anywhere on the page, also on the editor, which would insert their
 * text. */
export function acceptDrops(open: (files: Promise<SourceFile[]>) => void): void {
  const mark = (dropping: boolean): void => void document.documentElement.classList.toggle("dropping", dropping);
  const accept = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    mark(event.type === "dragover");
    // The entries are available only during the event.
    if (event.type === "drop" && event.dataTransfer)
      open(collectAll([...event.dataTransfer.items].map((item) => item.webkitGetAsEntry())));
  };
  addEventListener("dragover", accept, true);
  addEventListener("drop", accept, true);
  addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && mark(false), true);
}

/** Returns true if a file is a document. Models of simEngine2D are JSON, too, with names of their own. */
export async function isDocument(file: File): Promise<boolean> {
  if (/\.json$/i.test(file.name)) return true;
  return !/\.(adm|acf)$/i.test(file.name) && (await file.slice(0, BLOCK).text()).trimStart().startsWith("{");
}

/** Returns true if a file is an archive (zip or gzip). */
export async function isArchive(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return (first === 0x50 && second === 0x4b) || (first === 0x1f && second === 0x8b);
}

/** Returns the block before a file in a tar archive (POSIX ustar). */
function tarHeader({ path, file }: SourceFile): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, bytes: Uint8Array): void => block.set(bytes, at);
  const text = (written: string): Uint8Array => new TextEncoder().encode(written);
  const octal = (value: number, digits: number): Uint8Array => text(value.toString(8).padStart(digits, "0"));
  const name = text(path);
  if (name.length > LONGEST_PATH) throw new Error(importTexts.longPath(path));
  put(0, name);
  put(100, octal(0o644, 7));
  put(124, octal(file.size, 11));
  put(136, octal(0, 11));
  put(156, text("0"));
  put(257, text("ustar\0" + "00"));
  // The sum counts its own field as spaces.
  put(148, text(" ".repeat(8)));
  put(148, octal(block.reduce((sum, byte) => sum + byte, 0), 6));
  block[154] = 0;
  return block;
}

/** Returns a tar.gz archive of files. */
export function archiveOf(files: SourceFile[]): Promise<Blob> {
  const parts = files.flatMap((each) => [tarHeader(each), each.file, new Uint8Array(-each.file.size & (BLOCK - 1))]);
  const archive = new Blob([...parts, new Uint8Array(2 * BLOCK)]).stream();
  return new Response(archive.pipeThrough(new CompressionStream("gzip"))).blob();
}
