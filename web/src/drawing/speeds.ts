// Chooses the speed of playing a motion, so that it lasts some seconds, whether it took milliseconds or hours.

/** Preferred duration of playing a whole motion [s]. */
const WHOLE_SECONDS = 7;

/** The offered speeds cover at least these powers of ten: 0.01 to 100. */
const DECADES = [-2, 2] as const;

/** Returns the exponents of the powers of ten around a speed, for speeds of 1, 2 and 5. */
function decadeOf(speed: number): number {
  return Math.floor(Math.log10(speed) + 1e-9);
}

/** Returns the default speed of a motion of `duration` [s]: 1, 2 or 5 times a power of ten. */
export function defaultSpeed(duration: number): number {
  const wanted = duration / WHOLE_SECONDS;
  if (!(wanted > 0) || !Number.isFinite(wanted)) return 1;
  const decade = decadeOf(wanted);
  const near = [1, 2, 5, 10].map((step) => Number(`${step}e${decade}`));
  const distance = (speed: number): number => Math.abs(Math.log(speed / wanted));
  return near.reduce((best, speed) => (distance(speed) < distance(best) ? speed : best));
}

/** Returns the speeds to offer for a default speed. */
export function speedsAround(speed: number): number[] {
  const [first, last] = [Math.min(DECADES[0], decadeOf(speed) - 1), Math.max(DECADES[1], decadeOf(speed) + 1)];
  const decades = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return decades.flatMap((decade) => (decade === last ? [1] : [1, 2, 5]).map((step) => Number(`${step}e${decade}`)));
}
