// The recorded arrays of a run, as quantities for drawing its motion. Nothing is computed from them except the
// directions of forces along a line and of tyres.
import type { ArrayInfo } from "../app/api";
import { overlayTexts } from "../app/texts";
import type { Motion } from "../results/motion";
import type { ReadArray } from "../results/recording";
import type { Rates, Reading, Readings } from "../solver/solver_readings";
import { forcePlaces, PULLING, tyreDirections } from "./force_places";
import { minus, plus, scaled, unit, type Vector } from "./geometry";
import type { Scene, SceneForce } from "./scene";

/** The arrays of a quantity: those of points and mass centres, or of joints and force elements. */
const ARRAYS: Partial<Record<Reading, [string, string]>> = {
  velocities: ["rPd", "rd"],
  accelerations: ["rPdd", "rdd"],
  forces: ["reactions", "forces"],
};

/** Quantities that no array contains. */
const NEVER: Partial<Record<Reading, string>> = {
  "mass centre": overlayTexts.noCommonCentre,
  "instant centres": overlayTexts.noInstantCentres,
};

export class Recorded {
  private readonly read = new Map<string, Promise<Float64Array>>();
  private readonly known = new Map<string, Float64Array>();

  constructor(
    readonly scene: Scene,
    readonly motion: Motion,
    private readonly readArray: ReadArray,
    private readonly arrays: ArrayInfo[],
  ) {}

  /** Returns why the run lacks a quantity; undefined if it has it. */
  lacks(reading: Reading): string | undefined {
    const names = ARRAYS[reading];
    if (!names) return NEVER[reading];
    if (!names.every((name) => this.info(name))) return overlayTexts.notComputed;
    const contacts = this.scene.forces.some(({ type, floor }) => type === "contact" && !floor);
    return reading === "forces" && contacts ? overlayTexts.noContacts : undefined;
  }

  /** Reads the arrays of some quantities. */
  async load(wanted: Reading[]): Promise<void> {
    const names = wanted.flatMap((reading) => ARRAYS[reading] ?? []).filter((name) => this.info(name));
    await Promise.all(names.map(async (name) => this.known.set(name, await this.array(name))));
  }

  /** Returns time, coordinates and velocities of the row nearest to the current time of the motion; undefined if the
   * run does not contain them. */
  async state(): Promise<{ t: number; q: number[]; v: number[] } | undefined> {
    if (!this.info("theta") || !this.info("theta_d")) return undefined;
    const [q, v] = await Promise.all([this.array("theta"), this.array("theta_d")]);
    const { nearestRow, times } = this.motion;
    const row = (data: Float64Array): number[] => {
      const width = data.length / times.length;
      return [...data.subarray(nearestRow * width, (nearestRow + 1) * width)];
    };
    return { t: times[nearestRow] ?? 0, q: row(q), v: row(v) };
  }

  /** Returns the known quantities at the current time of the motion. */
  at(wanted: Reading[]): Readings {
    const wants = (reading: Reading): boolean => wanted.includes(reading);
    const readings: Readings = { unitMotion: false };
    if (wants("velocities")) readings.velocities = this.rates("velocities");
    if (wants("accelerations")) readings.accelerations = this.rates("accelerations");
    if (wants("forces")) {
      readings.reactions = this.row("reactions");
      readings.forces = this.forces();
    }
    return readings;
  }

  private info(name: string): ArrayInfo | undefined {
    return this.arrays.find((array) => array.name === name);
  }

  private array(name: string): Promise<Float64Array> {
    let reading = this.read.get(name);
    if (reading) return reading;
    // An array without columns, such as the forces of a mechanism without force elements.
    if (this.info(name)?.shape.includes(0)) reading = Promise.resolve(new Float64Array(0));
    else reading = this.readArray(name, this.motion.stride).then(({ data }) => data);
    reading.catch(() => this.read.delete(name));
    this.read.set(name, reading);
    return reading;
  }

  private row(name: string): Float64Array | undefined {
    const data = this.known.get(name);
    return data && this.motion.rowOf(data);
  }

  private rates(reading: Reading): Rates | undefined {
    const [points, centres] = (ARRAYS[reading] ?? []).map((name) => this.row(name));
    return points && centres && { points, centres };
  }

  /** Returns the force of each element on its second body: the recorded components, that along the line of a spring or
   * of an attraction, or those along and across the heading of a tyre. */
  private forces(): Float64Array | undefined {
    const row = this.row("forces");
    const labels = this.info("forces")?.labels ?? [];
    const { scene, motion } = this;
    const value = ({ name }: SceneForce, word: string): number => row?.[labels.indexOf(`${name}.${word}`)] ?? 0;
    const vector = (force: SceneForce): Vector => {
      const components = ["fx", "fy", "fz"].slice(0, scene.dimension).map((word) => value(force, word));
      const [first, second] = forcePlaces(force, scene, motion);
      const directions = tyreDirections(force, motion);
      if (directions) {
        const [heading, left] = directions;
        return plus(scaled(heading, value(force, "longitudinal")), left, value(force, "lateral"));
      }
      if (!PULLING.includes(force.type) || !first || !second) return components;
      const line = unit(minus(first, second));
      return line ? scaled(line, value(force, "force")) : components;
    };
    return row && Float64Array.from(scene.forces.flatMap(vector));
  }
}
