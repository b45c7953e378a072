// How fast a motion is played: so that all of it takes some seconds, whether it lasts milliseconds or hours.

/** What a whole motion should take [s]. */
const WHOLE_SECONDS = 7;

/** Of the speeds that are offered, at least these: 0.01 to 100. */
const DECADES = [-2, 2] as const;

/** The powers of ten of the speeds 1, 2 and 5 around one. */
function decadeOf(speed: number): number {
  return Math.floor(Math.log10(speed) + 1e-9);
}

/** The speed of a motion that lasts `duration` [s]: 1, 2 or 5 times a power of ten. */
export function defaultSpeed(duration: number): number {
  const wanted = duration / WHOLE_SECONDS;
  if (!(wanted > 0) || !Number.isFinite(wanted)) return 1;
  const decade = decadeOf(wanted);
  const near = [1, 2, 5, 10].map((step) => Number(`${step}e${decade}`));
  const distance = (speed: number): number => Math.abs(Math.log(speed / wanted));
  return near.reduce((best, speed) => (distance(speed) < distance(best) ? speed : best));
}

/** The speeds offered beside a default one. */
export function speedsAround(speed: number): number[] {
  const [first, last] = [Math.min(DECADES[0], decadeOf(speed) - 1), Math.max(DECADES[1], decadeOf(speed) + 1)];
  const decades = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return decades.flatMap((decade) => (decade === last ? [1] : [1, 2, 5]).map((step) => Number(`${step}e${decade}`)));
}
