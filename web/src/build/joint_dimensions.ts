// The angle at a pin, and the distances of a pin on the ground from the others. A new angle turns the second body about
// the pin, and the analysis holds the pin there; a new distance moves the point of the ground.
import { dimensionTexts } from "../app/texts";
import { modelIn } from "../document/elements";
import { asFields, asList, type Fields } from "../document/fields";
import { jsonLine } from "../document/json_text";
import { withMotionStart } from "../document/motion_fields";
import { changed, memberChange, pointerTo, valueChange } from "../document/pointer";
import { minus, plus, rotate, scaled, unit, type Pair, type Vector } from "../drawing/geometry";
import { GROUND, type SceneJoint } from "../drawing/scene";
import { gripAt, type Grip, type View } from "../interaction/picking";
import { beside, DEGREE, isPair, moved, type Dimension } from "./measure";

/** Pins of the ground at more places show no distances. */
const MOST = 4;

const exact = (value: number): number => Number(value.toFixed(9)) + 0;

/** Returns the angle in (-pi, pi] that differs by full turns. */
function wrapped(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}

/** Returns the direction from a point of a body to its farthest other point; the x axis for a body without one. */
function direction(point: number, { scene, motion }: View): Vector {
  const { body = GROUND } = scene.points[point] ?? {};
  if (body === GROUND) return [1, 0];
  const ways = (scene.bodies[body]?.points ?? []).map((other) => minus(motion.point(other), motion.point(point)));
  const longest = ways.reduce((best, way) => (Math.hypot(...way) > Math.hypot(...best) ? way : best), [0, 0]);
  return unit(longest) ?? rotate(motion.turn(body), [1, 0]);
}

/** The pose of a body that the text gives, which the assembly corrects; undefined if it is given by expressions. */
function givenPose(text: string, body: number): { initial: Fields; position: Pair; angle: number } | undefined {
  const initial = asFields(asFields(asList(modelIn(text)?.model.bodies)[body]).initial);
  const { position = [0, 0], angle = 0 } = initial;
  return isPair(position) && typeof angle === "number" ? { initial, position, angle } : undefined;
}

/** Returns by how much the assembly turned a body from the pose that the text gives. */
function turnOf(text: string, body: number, { motion }: View): number {
  return body === GROUND ? 0 : (motion.turn(body)[0] ?? 0) - (givenPose(text, body)?.angle ?? 0);
}

function written(text: string, pointer: string, name: string, value: unknown): string {
  const change = memberChange(text, pointer, name, jsonLine(value));
  return change ? changed(text, [change]) : text;
}

/** Returns the text with a body turned about one of its points. */
function turned(text: string, { body, local }: Grip, by: number): string {
  const given = givenPose(text, body);
  if (!given) return text;
  const { initial, position, angle } = given;
  const about = plus(position, rotate([angle], local));
  const place = plus(about, rotate([by], minus(position, about))).map(exact);
  const pointer = pointerTo(modelIn(text)?.prefix ?? "", "bodies", String(body));
  return written(text, pointer, "initial", { ...initial, position: place, angle: exact(wrapped(angle + by)) });
}

/** Returns the text in which the drivers of a body's pins start with the body turned by an angle. */
function redriven(text: string, body: number, by: number, joints: SceneJoint[]): string {
  const { model = {}, prefix = "" } = modelIn(text) ?? {};
  return asList(model.drivers).map(asFields).reduce((before: string, driver, i) => {
    const joint = joints.find(({ name }) => name !== "" && name === driver.joint);
    const side = joint?.type === "revolute" ? joint.bodies.indexOf(body) : -1;
    if (side < 0 || typeof driver.function !== "string") return before;
    const motion = withMotionStart(driver.function, side === 1 ? by : -by);
    return written(before, pointerTo(prefix, "drivers", String(i)), "function", motion);
  }, text);
}

/** Returns the angle at a pin. Where drivers move other joints, they determine the angle, so that it is not offered. */
function angleAt(text: string, joint: SceneJoint, view: View): Dimension[] {
  const drivers = asList(modelIn(text)?.model.drivers).map(asFields);
  const isDriven = drivers.some((driver) => driver.joint === joint.name);
  if (!isDriven && drivers.length > 0) return [];
  const bodyOf = (point: number): number => view.scene.points[point]?.body ?? GROUND;
  const [one, other] = [...joint.points].sort((a, b) => bodyOf(a) - bodyOf(b)) as Pair;
  const body = bodyOf(other);
  const ways = [one, other].map((point) => direction(point, view)) as [Vector, Vector];
  const [from, to] = ways.map(([x = 0, y = 0]) => Math.atan2(y, x)) as Pair;
  const value = wrapped(to - from);
  const [u, v] = unit(plus(...ways)) ?? rotate([Math.PI / 2], ways[0]);
  const place = view.motion.point(other);
  const pixel = beside(view.camera.toScreen(place as Pair), [u as number, -(v as number)]);
  const set = (before: string, degrees: number): string => {
    const by = wrapped(degrees * DEGREE - value);
    const corrected = turnOf(before, body, view) - turnOf(before, bodyOf(one), view);
    const after = turned(before, gripAt(body, place, view.motion), by + corrected);
    const hold = isDriven ? undefined : valueChange(after, ["analysis", "hold"], jsonLine([joint.name]));
    return hold ? changed(after, [hold]) : redriven(after, body, by, view.scene.joints);
  };
  return [{ label: dimensionTexts.joint(joint.name), value: value / DEGREE, unit: "\u00b0", pixel, signed: true, set }];
}

/** Returns the distances of a pin on the ground from the other pins there. */
function distancesOf(text: string, joint: SceneJoint, { scene, motion, camera }: View): Dimension[] {
  const { model = {}, prefix = "" } = modelIn(text) ?? {};
  const points = asFields(asFields(model.ground).points);
  const isOnGround = (point: number): boolean => scene.points[point]?.body === GROUND;
  const own = joint.points.find(isOnGround);
  if (own === undefined) return [];
  const others = [...new Set(scene.joints.flatMap((each) => each.points.filter(isOnGround)))].filter((point) => point !== own);
  const nameOf = (point: number): string => scene.points[point]?.name ?? "";
  const at = points[nameOf(own)];
  if (others.length >= MOST || !isPair(at)) return [];
  return others.flatMap((other): Dimension[] => {
    const way = minus(motion.point(own), motion.point(other));
    const along = unit(way);
    if (!along) return [];
    const middle = camera.toScreen(scaled(plus(motion.point(own), motion.point(other)), 0.5) as Pair);
    const below: Pair = [Math.abs(along[1] as number), Math.abs(along[0] as number)];
    const set = (before: string, value: number): string =>
      moved(before, pointerTo(prefix, "ground"), nameOf(own), plus(motion.point(other), along, value));
    const label = dimensionTexts.length(`ground.${nameOf(other)}`, `ground.${nameOf(own)}`);
    return [{ label, value: Math.hypot(...way), unit: "m", pixel: beside(middle, below), set }];
  });
}

/** Returns the angle at a pin of a planar model, and the distances of a pin on the ground from the others. */
export function jointDimensions(text: string, index: number, view: View): Dimension[] {
  const joint = view.scene.joints[index];
  if (joint?.type !== "revolute" || joint.name === "" || joint.points.length !== 2) return [];
  return [...angleAt(text, joint, view), ...distancesOf(text, joint, view)];
}
