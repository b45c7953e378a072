// The session in the solver's module: a mechanism that is opened, pulled, driven, given other numbers and played.
import type { ModelScene, Problem } from "../app/api";
import type { Exports, ModuleMemory } from "./solver_memory";
import { read, type Counts, type Reading, type Readings } from "./solver_readings";
import { Sweep, type Traced, type TracedCurve } from "./sweep";

/** Why a mechanism was not assembled or moved; as of a job. */
export interface Failure {
  code: string;
  detail: string;
  t: number | null;
  element: string | null;
  pointer: string | null;
}

/** Where a mechanism stands. */
export interface Position {
  /** Of the bodies [x, y, angle], in space [x, y, z, four Euler parameters]; then the points as a scene counts them. */
  numbers: Float64Array;
  time: number;
  readings: Readings;
}

/** A mechanism, and how it is drawn. */
export interface Opened extends Position {
  scene: ModelScene;
  /** With drivers counted as constraints, and without drivers. */
  freedoms: number;
  mobility: number;
  /** Labels of constraints that others imply. */
  redundant: string[];
}

export interface Moved extends Position {
  /** Of a pull: from the point to its target [m]. */
  distance: number;
}

/** What is asked of a session, with what is to be read of it where it then stands. The last one that was opened stays
 * where a document fails. */
export type Command = { read?: Reading[] } & StudyRequest;

type StudyRequest =
  /** `carry`: it begins where the last one stands. */
  | { call: "open"; document: string; carry: boolean }
  /** Gives a parameter a value; `document` has it, too. */
  | { call: "set"; name: string; value: number; document: string }
  | { call: "drive"; name: string; value: number }
  /** Pulls a point, in the axes of its body from the mass centre; body 0 is the ground. */
  | { call: "pull"; body: number; point: number[]; target: number[] }
  | { call: "step"; dt: number }
  /** Nothing but what is to be read. */
  | { call: "read" }
  /** Goes on with the curve of a place. */
  | { call: "trace"; traced: Traced };

export type SessionReply =
  | { opened: Opened }
  | { moved: Moved }
  | { failure: Failure }
  | { problem: Problem }
  | { curve: TracedCurve };

type Move = Exclude<Command, { call: "open" | "set" | "trace" }>;

interface OpenAnswer {
  assembled: boolean;
  error: Failure;
  scene: ModelScene;
  degrees_of_freedom: number;
  mobility: number;
  redundant: string[];
}

type Triple = [number, number, number];

function triple([x = 0, y = 0, z = 0]: number[]): Triple {
  return [x, y, z];
}

export class SolverSession {
  /** Undefined: nothing was opened. */
  private counts?: Counts;
  private wanted: Reading[] = [];
  /** The last command that moved it was a step of the motion. */
  private playing = false;
  private tour?: Sweep;

  constructor(
    private readonly calls: Exports,
    private readonly memory: ModuleMemory,
  ) {}

  do(command: Command): SessionReply {
    this.wanted = command.read ?? [];
    if (command.call === "open") return this.open(command.document, command.carry);
    if (!this.counts) throw new Error("no mechanism is open");
    if (command.call === "trace") return this.trace(command.traced, this.counts);
    if (command.call === "set") return this.set(command.name, command.value, command.document);
    return this.move(command);
  }

  private open(document: string, carry: boolean): SessionReply {
    const status = this.memory.withText(document, (place, size) => this.calls.open(place, size, carry ? 1 : 0));
    const answer = this.memory.answer();
    if (status !== 200) return { problem: answer as Problem };
    const { assembled, error, scene, degrees_of_freedom: freedoms, mobility, redundant } = answer as OpenAnswer;
    if (!assembled) return { failure: error };
    const { dimension, bodies, points, joints, forces } = scene;
    this.counts = {
      dimension,
      bodies: bodies.length - 1,
      points: points.length,
      joints: joints.length,
      forces: forces.length,
    };
    this.playing = false;
    this.tour = undefined;
    return { opened: { scene, freedoms, mobility, redundant, ...this.position() } };
  }

  /** The document is opened anew from there on, because shapes have their numbers of it; where the value changes the
   * structure of the model, that alone is done. */
  private set(name: string, value: number, document: string): SessionReply {
    const done = this.memory.withText(name, (place, size) => this.calls.set(place, size, value));
    if (!done) {
      const failure = this.memory.answer() as Failure;
      if (failure.code === "not_assembled" || failure.code === "contradiction") return { failure };
    }
    return this.open(document, true);
  }

  private trace(traced: Traced, counts: Counts): SessionReply {
    this.tour ??= new Sweep(this.calls, this.memory, counts);
    this.tour.goOn();
    return { curve: this.tour.curve(traced) };
  }

  private move(command: Move): SessionReply {
    if (!this.moves(command)) return { failure: this.memory.answer() as Failure };
    if (command.call !== "read") this.playing = command.call === "step";
    return { moved: { ...this.position(), distance: this.calls.distance() } };
  }

  private moves(command: Move): boolean {
    if (command.call === "read") return true;
    if (command.call === "step") return this.calls.step(command.dt) !== 0;
    if (command.call === "pull")
      return this.calls.pull(command.body, ...triple(command.point), ...triple(command.target)) !== 0;
    return this.memory.withText(command.name, (place, size) => this.calls.drive(place, size, command.value)) !== 0;
  }

  private position(): Position {
    const counts = this.counts as Counts;
    const { dimension } = counts;
    const [bodies, points] = [counts.bodies * (dimension === 2 ? 3 : 7), counts.points * dimension];
    const numbers = new Float64Array(bodies + points);
    numbers.set(this.memory.numbers(this.calls.poses(), bodies));
    numbers.set(this.memory.numbers(this.calls.points(0), points), bodies);
    const readings = read(this.wanted, this.playing, this.calls, this.memory, counts);
    return { numbers, time: this.calls.time(), readings };
  }
}
