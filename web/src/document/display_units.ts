// Units that parameters are shown in. What one of them is in SI the solver in the page says, which knows their words:
// of a mechanism that begins at one of each.
import type { Solver } from "../solver/solver";

/** The words, with the field of a joint's start that takes them, and whether that slides or turns. */
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

/** A mechanism with a body for each word, whose joint begins at one of it. */
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

  /** How many of the unit of SI one is. Rejected with a SolverError where there is no solver in the page. */
  async factor(word: UnitWord): Promise<number> {
    this.loading ??= this.load();
    this.loading.catch(() => (this.loading = undefined));
    return (await this.loading).get(word) ?? NaN;
  }

  /** The unit that a parameter was shown in last; "" for that of the document. */
  chosen(parameter: string): UnitWord | "" {
    const word = this.remembered()[parameter];
    return UNIT_WORDS.find((known) => known === word) ?? "";
  }

  choose(parameter: string, word: string): void {
    const { [parameter]: _, ...others } = this.remembered();
    try {
      localStorage.setItem(KEY, JSON.stringify(word === "" ? others : { ...others, [parameter]: word }));
    } catch {
      // It is shown so until the page is left.
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
