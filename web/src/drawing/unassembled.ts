// Draws a document whose mechanism cannot be assembled: bodies at their initial values, and gaps in the joints.
import type { ModelScene } from "../app/api";
import { cssColour } from "../app/dom";
import { liveTexts } from "../app/texts";
import { modelIn } from "../document/elements";
import { asFields, asList, type Fields } from "../document/fields";
import type { PointerHandler } from "../interaction/drag";
import type { View } from "../interaction/picking";
import { loadMotion, type Motion } from "../results/motion";
import { heldReader } from "../results/readers";
import type { Solver } from "../solver/solver";
import { dot, minus, plus, type Pair, type Vector } from "./geometry";
import { GROUND, readScene, type Scene, type SceneJoint } from "./scene";
import { railDirection } from "./scene_extents";
import { disc, line } from "./strokes";

/** Joints whose two points coincide; ON_A_LINE: joints whose second point is on a line through the first. */
const AT_ONE_PLACE = ["revolute", "rigid", "fixed", "spherical", "universal"];
const ON_A_LINE = ["translational", "prismatic", "cylindrical", "screw", "revolute-translational"];

/** Smaller gaps are not drawn [pixels]. */
const SEEN = 1;
const RING = 9;

export interface Unassembled {
  scene: Scene;
  motion: Motion;
  /** Names of joints whose line does not go through their first point. */
  offset: Set<string>;
}

/** The pointer handler of such a drawing, which has nothing to drag. */
export const NO_HANDLER: PointerHandler = {
  holds: false,
  isOver: () => false,
  press: () => false,
  move: () => undefined,
  release: () => undefined,
  draw: () => undefined,
};

/** Returns the body in a reference to a point. */
function bodyOf(reference: unknown): string {
  return String(reference).split(".")[0] ?? "";
}

/** Returns the joints that determine positions of bodies: those of a spanning tree that have initial values, or that
 * carry a body without initial values. */
function placingJoints(model: Fields): Fields[] {
  const placed = new Set(
    asList(model.bodies)
      .map(asFields)
      .filter(({ initial }) => "position" in asFields(initial))
      .map(({ name }) => String(name)),
  );
  const places = (joint: Fields): boolean =>
    "initial" in joint || asList(joint.points).map(bodyOf).some((body) => body !== "ground" && !placed.has(body));
  const reached = new Set(["ground"]);
  let waiting = asList(model.joints)
    .map(asFields)
    .filter((joint) => joint.cut !== true && AT_ONE_PLACE.concat(ON_A_LINE).includes(String(joint.type)));
  const tree: Fields[] = [];
  for (let grows = true; grows; ) {
    grows = false;
    waiting = waiting.filter((joint) => {
      const bodies = asList(joint.points).map(bodyOf);
      if (bodies.every((body) => !reached.has(body))) return true;
      if (bodies.some((body) => !reached.has(body))) tree.push(joint);
      for (const body of bodies) reached.add(body);
      grows = true;
      return false;
    });
  }
  return tree.filter(places);
}

/** Returns the document without everything that can prevent its assembly. */
function loosened(text: string): string | undefined {
  const model = modelIn(text)?.model;
  if (!model) return undefined;
  // The joints that are kept have no expressions of states, signals, variables and sampled values.
  const { analysis, study, forces, sensors, drivers, states, signals, variables, sampled, events, ...rest } = model;
  const { formulation } = asFields(analysis);
  const kept = formulation === undefined ? {} : { formulation };
  return JSON.stringify({ ...rest, joints: placingJoints(model), analysis: { ...kept, type: "assembly" } });
}

/** Computes the positions of the bodies from the initial values; undefined if they are not sufficient. */
export async function unassembled(solver: Solver, text: string): Promise<Unassembled | undefined> {
  const loose = loosened(text);
  const validation = await solver.validate(text, true);
  if (loose === undefined || "problem" in validation || !validation.report.scene) return undefined;
  const run = await solver.assemble(loose);
  const motion = "arrays" in run ? await loadMotion(heldReader(run.arrays), run.arrays, 1) : undefined;
  const joints = asList(modelIn(text)?.model.joints).map(asFields);
  const offset = new Set(joints.filter((joint) => "offset" in joint).map(({ name }) => String(name)));
  return motion && { scene: readScene(validation.report.scene as ModelScene), motion, offset };
}

/** Returns the ends of the gap in a joint; undefined if its type has none. */
function gapOf(joint: SceneJoint, { scene, motion, offset }: Unassembled): [Vector, Vector] | undefined {
  const [first, second] = joint.points;
  if (first === undefined || second === undefined) return undefined;
  const [from, to] = [motion.point(first), motion.point(second)];
  if (AT_ONE_PLACE.includes(joint.type)) return [from, to];
  if (!ON_A_LINE.includes(joint.type) || offset.has(joint.name)) return undefined;
  const rail = scene.rails.find((each) => each.from === first && each.to === second);
  const [axis] = joint.axes;
  const line = { from: first, to: second, axis, fixed: axis?.body === GROUND, straight: true, ...rail };
  const direction = axis && railDirection(line, motion);
  return direction && [plus(from, direction, dot(direction, minus(to, from))), to];
}

/** Draws the gaps: a dashed line between the two sides, with a ring at each end. */
export function drawGaps(context: CanvasRenderingContext2D, { camera }: View, mechanism: Unassembled): void {
  context.strokeStyle = context.fillStyle = cssColour("--bad");
  context.lineWidth = 2;
  context.font = "12px system-ui, sans-serif";
  for (const joint of mechanism.scene.joints) {
    const ends = gapOf(joint, mechanism)?.map((place) => camera.toScreen(camera.flatten(place))) as [Pair, Pair] | undefined;
    if (!ends || Math.hypot(...minus(ends[1], ends[0])) < SEEN) continue;
    context.setLineDash([5, 4]);
    line(context, ...ends);
    context.setLineDash([]);
    for (const end of ends) {
      disc(context, end, RING);
      context.stroke();
    }
    context.fillText(liveTexts.gap(joint.name || joint.type), ends[1][0] + RING + 3, ends[1][1] - RING);
  }
}
