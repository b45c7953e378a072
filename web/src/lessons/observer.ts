// Observes the mechanism since the start of a lesson's step.
import { compose, inverse, type Turn } from "../drawing/geometry";
import type { MechanismEvent, MechanismState } from "../interaction/mechanism_events";
import { parametersOf } from "../interaction/parameter_sliders";
import type { Motion } from "../results/motion";

const DEGREES = 180 / Math.PI;

/** The minimum and maximum of a quantity. */
export type Span = [number, number];

/** Returns the angle of a rotation in degrees; in space without sign, at most 180. */
export function angleOf(turn: Turn): number {
  if (turn.length === 1) return (turn[0] as number) * DEGREES;
  return 2 * Math.atan2(Math.hypot(...turn.slice(1)), Math.abs(turn[0] as number)) * DEGREES;
}

/** Returns an angle in degrees between -180 and 180. */
export function wrapped(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

export function parameterOf(document: string, name: string): number | undefined {
  return parametersOf(document).find((parameter) => parameter.name === name)?.value;
}

export class Observer {
  mechanism: MechanismState | undefined;
  private readonly first = new Map<string, Turn>();
  private readonly spans = new Map<string, Span>();
  private began: number | undefined;

  see(event: MechanismEvent): void {
    if (!("mechanism" in event)) return;
    const { mechanism, what } = event;
    this.mechanism = mechanism;
    if (what === "opened") {
      this.began = undefined;
      this.first.clear();
    }
    this.began ??= mechanism.time;
    for (const { name } of mechanism.scene.bodies) this.seeBody(name, mechanism.pose);
  }

  /** Returns the index of a body in a motion. */
  body(name: string): number {
    return this.mechanism?.scene.bodies.findIndex((body) => body.name === name) ?? -1;
  }

  /** Returns the angle by which a body has rotated since the step started or its mechanism was assembled [degrees]. */
  turned(name: string): number {
    const [first, pose] = [this.first.get(name), this.mechanism?.pose];
    return first && pose ? Math.abs(angleOf(compose(pose.turn(this.body(name)), inverse(first)))) : 0;
  }

  angle(name: string): number {
    return this.mechanism ? angleOf(this.mechanism.pose.turn(this.body(name))) : NaN;
  }

  /** Returns the range of the angle, x or y of a body since the start of the step. */
  span(what: "angle" | "x" | "y", name: string): Span {
    return this.spans.get(`${what} ${name}`) ?? [NaN, NaN];
  }

  /** Time of the motion since the start of the step [s]. */
  get time(): number {
    return this.mechanism ? this.mechanism.time - (this.began ?? 0) : 0;
  }

  /** Returns the force of a joint on its second body; undefined if it is not known. */
  force(joint: string): number[] | undefined {
    const { scene, readings } = this.mechanism ?? {};
    const index = scene?.joints.findIndex(({ name }) => name === joint) ?? -1;
    if (!scene || !readings?.reactions || index < 0) return undefined;
    const width = scene.dimension === 2 ? 3 : 6;
    return [...readings.reactions.subarray(index * width, index * width + scene.dimension)];
  }

  private seeBody(name: string, pose: Motion): void {
    const body = this.body(name);
    if (!this.first.has(name)) this.first.set(name, pose.turn(body));
    const [x = NaN, y = NaN] = pose.centre(body);
    const values = { angle: this.angle(name), x, y };
    for (const [what, value] of Object.entries(values)) {
      const [least, greatest] = this.spans.get(`${what} ${name}`) ?? [value, value];
      this.spans.set(`${what} ${name}`, [Math.min(least, value), Math.max(greatest, value)]);
    }
  }
}
