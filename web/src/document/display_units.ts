// Units for displaying parameters. The solver in the browser knows the unit words: it assembles a mechanism whose
// initial values are one of each unit, and returns them in SI units.
import type { Solver } from "../solver/solver";

/** Unit words, each with the field of a joint's initial values that accepts it, and the type of that joint. */
const WORDS = {
  mm: ["position", "translational"],
  cm: ["position", "translational"],
  deg: ["position", "revolute"],
  rev: ["position", "revolute"],
  "mm/s": ["velocity", "translational"],
  "km/h": ["velocity", "translational"],
  "deg/s": ["velocity", "revolute"],
  rpm: ["velocity", "revolute"],
} as const;

export type UnitWord = keyof typeof WORDS;

export const UNIT_WORDS = Object.keys(WORDS) as UnitWord[];

const KEY = "mbsd.units";

/** Returns a mechanism with one body for each unit word, whose joint starts at one of that unit. */
function document(): string {
  const at = { points: { O: [0, 0] }, vectors: { u: [1, 0] } };
  const names = UNIT_WORDS.map((_, i) => `body${i}`);
  const joint = (word: UnitWord, i: number): object => {
    const [field, type] = WORDS[word];
    const vectors = type === "translational" && { vectors: ["ground.u", `body${i}.u`] };
    const points = ["ground.O", `body${i}.O`];
    return { name: `joint${i}`, type, points, ...vectors, initial: { [field]: `1 ${word}` } };
  };
  return JSON.stringify({
    space: "planar",
    ground: at,
    bodies: names.map((name) => ({ name, mass: 1, inertia: 1, ...at })),
    joints: UNIT_WORDS.map(joint),
    analysis: { type: "assembly" },
  });
}

export class DisplayUnits {
  private loading: Promise<Map<string, number>> | undefined;

  constructor(private readonly solver: Solver) {}

  /** Returns the SI value of one unit. Rejects with a SolverError if the browser has no solver. */
  async factor(word: UnitWord): Promise<number> {
    this.loading ??= this.load();
    this.loading.catch(() => (this.loading = undefined));
    return (await this.loading).get(word) ?? NaN;
  }

  /** Returns the unit in which the user displayed a parameter last; "" for the unit of the document. */
  chosen(parameter: string): UnitWord | "" {
    const word = this.remembered()[parameter];
    return UNIT_WORDS.find((known) => known === word) ?? "";
  }

  choose(parameter: string, word: string): void {
    const { [parameter]: _, ...others } = this.remembered();
    try {
      localStorage.setItem(KEY, JSON.stringify(word === "" ? others : { ...others, [parameter]: word }));
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
  }

  private remembered(): Record<string, unknown> {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    } catch {
      return {};
    }
  }

  private async load(): Promise<Map<string, number>> {
    const run = await this.solver.assemble(document());
    const arrays = "arrays" in run ? run.arrays : [];
    const columns = (wanted: string): Float64Array =>
      arrays.find(({ name }) => name === wanted)?.data ?? new Float64Array(0);
    const [positions, velocities] = [columns("theta"), columns("theta_d")];
    const factors = UNIT_WORDS.map((word, i) => (WORDS[word][0] === "position" ? positions : velocities)[i] ?? NaN);
    return new Map(UNIT_WORDS.map((word, i) => [word, factors[i] as number]));
  }
}
