// Numbers within the functions that the driver tool writes: a rotation at a constant speed, and an oscillation. A form
// shows them as fields.

/** The numbers of a function, in the units of the form. */
type Numbers = Record<string, number>;

export type MotionField = "speed" | "amplitude" | "frequency";

interface MotionForm {
  fields: MotionField[];
  /** Returns the numbers of a function; undefined if it has another form. */
  read(text: string): Numbers | undefined;
  write(numbers: Numbers): string;
}

const NUMBER = "[-+]?\\d+(?:\\.\\d*)?(?:e[-+]?\\d+)?";
const ROTATION = new RegExp(`^(?:(${NUMBER}) \\+ )?(?:(${NUMBER})\\*)?pi\\*t$`);
const OSCILLATION = new RegExp(`^(?:(${NUMBER}) \\+ )?(${NUMBER})\\*sin\\((?:(${NUMBER})\\*)?pi\\*t\\)$`);

/** A rotation by pi radians in a second [rpm]. */
const HALF_TURN = 30;

const rounded = (value: number): number => Number(value.toPrecision(12));
const sum = (start: number | undefined, motion: string): string => (start ? `${start} + ${motion}` : motion);

export const MOTIONS: MotionForm[] = [
  {
    fields: ["speed"],
    read(text) {
      const [whole, start = 0, factor = 1] = ROTATION.exec(text) ?? [];
      return whole === undefined ? undefined : { start: Number(start), speed: rounded(Number(factor) * HALF_TURN) };
    },
    write: ({ start, speed = 0 }) => sum(start, `${rounded(speed / HALF_TURN)}*pi*t`),
  },
  {
    fields: ["amplitude", "frequency"],
    read(text) {
      const [whole, start = 0, amplitude, factor = 1] = OSCILLATION.exec(text) ?? [];
      if (whole === undefined) return undefined;
      return { start: Number(start), amplitude: Number(amplitude), frequency: rounded(Number(factor) / 2) };
    },
    write: ({ start, amplitude = 0, frequency = 0 }) => sum(start, `${amplitude}*sin(${rounded(2 * frequency)}*pi*t)`),
  },
];

/** Returns a number of a function; undefined if the function has no such number. */
export function motionNumber(text: string, field: string): number | undefined {
  return MOTIONS.find(({ read }) => read(text))?.read(text)?.[field];
}

/** Returns a function whose values are larger by `by`. */
export function withMotionStart(text: string, by: number): string {
  const motion = MOTIONS.find(({ read }) => read(text));
  const numbers = motion?.read(text);
  return motion && numbers ? motion.write({ ...numbers, start: rounded((numbers.start ?? 0) + by) }) : `${rounded(by)} + ${text}`;
}

/** Returns a function with another number. */
export function withMotionNumber(text: string, field: string, value: number): string {
  const motion = MOTIONS.find(({ read }) => read(text));
  return motion ? motion.write({ ...motion.read(text), [field]: value }) : text;
}
