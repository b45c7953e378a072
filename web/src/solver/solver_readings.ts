// What is read of the solver's session for a drawing, beside where the mechanism stands.
import type { Exports, ModuleMemory } from "./solver_memory";

export type Reading = "mass centre" | "velocities" | "accelerations" | "forces" | "instant centres";

/** Of points as a scene counts them, and of mass centres: [count x dimension]. */
export interface Rates {
  points: Float64Array;
  centres: Float64Array;
}

/** What was asked for, as far as it is known. */
export interface Readings {
  massCentre?: Float64Array;
  velocities?: Rates;
  /** Velocities are those of the motion that the mechanism makes by hand, so fast that the fastest has 1 m/s. */
  unitMotion?: boolean;
  /** While it plays. */
  accelerations?: Rates;
  /** Of joints on their second bodies: force, then torque. While it plays. */
  reactions?: Float64Array;
  /** Of force elements on their second bodies, or their only ones. While it plays. */
  forces?: Float64Array;
  /** [bodies x 2]; NaN where there is none. */
  instantCentres?: Float64Array;
}

/** How many there are. */
export interface Counts {
  dimension: 2 | 3;
  bodies: number;
  points: number;
  joints: number;
  forces: number;
}

const OF_MOTION: Reading[] = ["velocities", "accelerations", "forces", "instant centres"];

/** `playing`: of the motion in hand, not of the one that it makes by hand. */
export function read(
  wanted: Reading[],
  playing: boolean,
  calls: Exports,
  memory: ModuleMemory,
  counts: Counts,
): Readings {
  const { dimension, bodies, points, joints, forces } = counts;
  const copy = (place: number, count: number): Float64Array | undefined =>
    place === 0 ? undefined : memory.numbers(place, count).slice();
  const rates = (level: number): Rates | undefined => {
    const ofPoints = copy(calls.points(level), dimension * points);
    const centres = copy(calls.centres(level), dimension * bodies);
    return ofPoints && centres && { points: ofPoints, centres };
  };
  const wants = (reading: Reading): boolean => wanted.includes(reading);
  const readings: Readings = {};
  if (wants("mass centre")) readings.massCentre = copy(calls.mass_centre(), dimension);
  if (!OF_MOTION.some(wants)) return readings;
  const known = playing ? calls.evaluate() : calls.take_unit_motion();
  if (known === 0) return readings;
  readings.unitMotion = !playing;
  if (wants("velocities")) readings.velocities = rates(1);
  if (wants("accelerations")) readings.accelerations = rates(2);
  if (wants("forces")) {
    readings.reactions = copy(calls.reactions(), joints * (dimension === 2 ? 3 : 6));
    readings.forces = copy(calls.forces(), forces * dimension);
  }
  if (wants("instant centres")) readings.instantCentres = copy(calls.instant_centres(), 2 * bodies);
  return readings;
}
