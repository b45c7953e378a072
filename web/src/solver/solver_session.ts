// The session of the solver's module: opens a mechanism, drags and drives it, sets parameters and advances it in time.
import type { ModelScene, Problem } from "../app/api";
import type { Exports, ModuleMemory } from "./solver_memory";
import { read, type Counts, type Reading, type Readings } from "./solver_readings";
import { Sweep, type Traced, type TracedCurve } from "./sweep";

/** The reason why a mechanism could not be assembled or moved, with the error fields of a job. */
export interface Failure {
  code: string;
  detail: string;
  t: number | null;
  element: string | null;
  pointer: string | null;
}

/** The position of a mechanism. */
export interface Position {
  /** Poses of the bodies [x, y, angle], in space [x, y, z, four Euler parameters]; then the points in the order of
   * the scene. */
  numbers: Float64Array;
  time: number;
  readings: Readings;
}

/** An assembled mechanism with its drawing data. */
export interface Opened extends Position {
  scene: ModelScene;
  /** Degrees of freedom of positions and of velocities with drivers as constraints; `mobility` is that of velocities
   * without drivers. */
  freedoms: number;
  velocityFreedoms: number;
  mobility: number;
  /** Labels of redundant constraints. */
  redundant: string[];
}

export interface Moved extends Position {
  /** After a drag: distance from the point to its target [m]. */
  distance: number;
}

/** A command, with the quantities to read at the resulting position. If a document fails to open, the previous
 * mechanism stays open. */
export type Command = { read?: Reading[] } & SessionRequest;

type SessionRequest =
  /** `carry`: starts at the position of the previous mechanism. */
  | { call: "open"; document: string; carry: boolean }
  /** Sets a parameter; `document` contains the value as well. */
  | { call: "set"; name: string; value: number; document: string }
  | { call: "drive"; name: string; value: number }
  /** Drags a point, given in its body's axes from the mass centre. Body 0 is the ground. */
  | { call: "pull"; body: number; point: number[]; target: number[] }
  | { call: "step"; dt: number }
  /** Only reads quantities. */
  | { call: "read" }
  /** Continues the curve of a point. */
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
  velocity_freedoms: number;
  mobility: number;
  redundant: string[];
}

type Triple = [number, number, number];

function triple([x = 0, y = 0, z = 0]: number[]): Triple {
  return [x, y, z];
}

export class SolverSession {
  /** Undefined if no mechanism is open. */
  private counts?: Counts;
  private wanted: Reading[] = [];
  /** True if the last command that moved the mechanism was a time step. */
  private playing = false;
  private sweep?: Sweep;

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
    const { assembled, error, scene, mobility, redundant } = answer as OpenAnswer;
    const { degrees_of_freedom: freedoms, velocity_freedoms: velocityFreedoms } = answer as OpenAnswer;
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
    this.sweep = undefined;
    return { opened: { scene, freedoms, velocityFreedoms, mobility, redundant, ...this.position() } };
  }

  /** Sets a parameter, then opens the document at the resulting position, because shapes depend on its numbers. If
   * the value changes the structure of the model, only opens the document. */
  private set(name: string, value: number, document: string): SessionReply {
    const done = this.memory.withText(name, (place, size) => this.calls.set(place, size, value));
    if (!done) {
      const failure = this.memory.answer() as Failure;
      if (failure.code === "not_assembled" || failure.code === "contradiction") return { failure };
    }
    return this.open(document, true);
  }

  private trace(traced: Traced, counts: Counts): SessionReply {
    this.sweep ??= new Sweep(this.calls, this.memory, counts);
    this.sweep.advance();
    return { curve: this.sweep.curve(traced) };
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
