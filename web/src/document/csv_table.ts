// Reads a table of two columns, x and y, from the text of a CSV file.
import { csvTexts } from "../app/texts";

export interface Table {
  x: number[];
  y: number[];
}

/** Reads a table. Columns are separated by commas, semicolons, tabs or spaces; empty lines, lines that begin with #, and
 * a first line of words are skipped. Throws an Error with the line number if a line is not two numbers, or x falls. */
export function readCsv(text: string): Table {
  const table: Table = { x: [], y: [] };
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  let heading = true;
  lines.forEach((line, i) => {
    const cells = line.trim().split(/\s*[,;\t]\s*|\s+/);
    if (cells.join("") === "" || line.startsWith("#")) return;
    const numbers = cells.map((cell) => (cell === "" ? NaN : Number(cell)));
    const isHeading = heading && numbers.every(Number.isNaN);
    heading = false;
    if (isHeading) return;
    const wrong = numbers.findIndex((number) => !Number.isFinite(number));
    if (wrong >= 0) throw new Error(csvTexts.noNumber(i + 1, cells[wrong] ?? ""));
    const [x, y] = numbers;
    if (x === undefined || y === undefined || numbers.length > 2) throw new Error(csvTexts.columns(i + 1, numbers.length));
    const before = table.x.at(-1) ?? -Infinity;
    if (x < before) throw new Error(csvTexts.falls(i + 1, x, before));
    table.x.push(x);
    table.y.push(y);
  });
  if (table.x.length < 2) throw new Error(csvTexts.short(table.x.length));
  return table;
}
