// Reads quantities for the drawing from the solver's session, in addition to positions.
import type { Exports, ModuleMemory } from "./solver_memory";

export type Reading = "mass centre" | "velocities" | "accelerations" | "forces" | "instant centres";

/** Rates of the points in the order of the scene, and of the mass centres [count x dimension]. */
export interface Rates {
  points: Float64Array;
  centres: Float64Array;
}

/** The requested quantities that are known. */
export interface Readings {
  massCentre?: Float64Array;
  velocities?: Rates;
  /** True if the velocities are those of the motion that dragging makes, scaled so that the largest is 1 m/s. */
  unitMotion?: boolean;
  /** Only while the mechanism plays. */
  accelerations?: Rates;
  /** Reactions of joints on their second bodies: forces, then torques. Only while the mechanism plays. */
  reactions?: Float64Array;
  /** Forces of the force elements on their second or only bodies. Only while the mechanism plays. */
  forces?: Float64Array;
  /** [bodies x 2]; NaN for bodies without an instant centre. */
  instantCentres?: Float64Array;
}

/** Number of elements of each kind. */
export interface Counts {
  dimension: 2 | 3;
  bodies: number;
  points: number;
  joints: number;
  forces: number;
}

const OF_MOTION: Reading[] = ["velocities", "accelerations", "forces", "instant centres"];

/** Reads the quantities. `playing`: of the simulated motion rather than of the motion that dragging makes. */
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
