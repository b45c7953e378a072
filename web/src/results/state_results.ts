// Shows the results of a single state: the values of its sensors, and the modes of a linearization.
import { readArray, type ArrayInfo } from "../app/api";
import { h, scrollBox } from "../app/dom";
import { formatNumber } from "../app/format";
import { modeTexts } from "../app/texts";
import type { Scene } from "../drawing/scene";
import { modeMotion, type ModeShape } from "./modes";
import type { Motion } from "./motion";

const DIGITS = 5;
/** A part of an eigenvalue, or a damping ratio, that is smaller than this fraction of its size is rounding error. */
const ROUNDING = 1e-9;
const NONE = new Float64Array(0);

/** One mode with its animation. */
interface Mode {
  real: number;
  imaginary: number;
  frequency: number;
  damping: number;
  /** The mode shape; absent in jobs of older services. */
  shape?: ModeShape;
}

function eigenvalueText({ real, imaginary }: Mode): string {
  if (imaginary === 0) return formatNumber(real, DIGITS);
  const sign = real === 0 ? "" : `${formatNumber(real, DIGITS)} `;
  return `${sign}± ${formatNumber(Math.abs(imaginary), DIGITS)} i`;
}

function tableOf(headings: string[], rows: HTMLTableRowElement[]): HTMLElement {
  const head = h("tr", {}, ...headings.map((name) => h("th", { scope: "col" }, name)));
  return scrollBox(h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
}

async function readModes(id: string, arrays: ArrayInfo[]): Promise<Mode[]> {
  const names = ["eigenvalues", "frequencies", "damping_ratios", "mode_shapes"];
  const has = (name: string): boolean => arrays.some((array) => array.name === name);
  if (!has("frequencies")) return [];
  const read = async (name: string): Promise<Float64Array> => (has(name) ? (await readArray(id, name, 1)).data : NONE);
  const [values = NONE, frequencies = NONE, ratios = NONE, shapes = NONE] = await Promise.all(names.map(read));
  const width = shapes.length / frequencies.length;
  // The conjugates are stored after the eigenvalues of the modes.
  return [...frequencies].map((frequency, k) => {
    const parts = [...values.subarray(2 * k, 2 * k + 2)];
    const rounded = (value: number, size: number): number => (Math.abs(value) < ROUNDING * size ? 0 : value);
    const [real = 0, imaginary = 0] = parts.map((part) => rounded(part, Math.hypot(...parts)));
    const shape = width > 0 ? shapes.slice(k * width, (k + 1) * width) : undefined;
    return { real, imaginary, frequency, damping: rounded(ratios[k] as number, 1), shape };
  });
}

/** Returns the values of a job with one row: a table of its sensors. */
export async function valuesView(id: string, arrays: ArrayInfo[]): Promise<HTMLElement[]> {
  const sensors = arrays.filter(({ name, shape, timeless }) => shape.length === 1 && !timeless && name !== "T");
  const values = await Promise.all(sensors.map(async ({ name }) => (await readArray(id, name, 1)).data[0] ?? NaN));
  const rows = sensors.map(({ name, unit, description }, i) =>
    h(
      "tr",
      { title: description ?? "" },
      h("td", {}, name),
      h("td", {}, `${formatNumber(values[i] as number, 7)} ${unit ?? ""}`),
    ),
  );
  return rows.length > 0 ? [tableOf([modeTexts.sensor, modeTexts.value], rows)] : [];
}

/** Returns a table of the modes of a linearization; empty if there are none. Calls `onChoose` with the motion of the
 * chosen mode, or with the state itself. */
export async function modesView(
  id: string,
  arrays: ArrayInfo[],
  scene: Scene,
  state: Motion,
  onChoose: (motion: Motion) => void,
): Promise<HTMLElement[]> {
  const modes = await readModes(id, arrays);
  if (modes.length === 0) return [];
  const choice = (label: string, motion: () => Motion): HTMLElement => {
    const radio = h("input", { type: "radio", name: "mode" });
    radio.addEventListener("change", () => onChoose(motion()));
    return h("label", {}, radio, ` ${label}`);
  };
  const rows = modes.map((mode, k) => {
    const { shape } = mode;
    const shown = shape ? choice(String(k + 1), () => modeMotion(scene, state, shape)) : String(k + 1);
    const numbers = [mode.frequency, mode.damping].map((value) => formatNumber(value, DIGITS));
    return h("tr", {}, ...[shown, eigenvalueText(mode), ...numbers].map((content) => h("td", {}, content)));
  });
  const rest = h("tr", {}, h("td", { colSpan: 4 }, choice(modeTexts.none, () => state)));
  const table = tableOf([modeTexts.mode, modeTexts.eigenvalue, modeTexts.frequency, modeTexts.damping], [...rows, rest]);
  return [h("h3", {}, modeTexts.modes), table, h("p", { className: "faint" }, modeTexts.note)];
}
