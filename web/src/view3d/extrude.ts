// Converts a planar mechanism to a spatial one with the thickness of sheet metal, seen along z.
import type { Vector } from "../drawing/geometry";
import { reachOf } from "../drawing/model_bounds";
import { GROUND, type Axis, type Scene, type SceneJoint } from "../drawing/scene";
import type { Shape } from "../drawing/shapes";
import { gripAt } from "../interaction/picking";
import { Motion } from "../results/motion";

/** Thickness of a sheet, and distance between layers, as fractions of the mechanism's extent. */
const [THICKNESS, LAYER] = [0.03, 0.008];
const LAYERS = 3;
/** Half the width of the support of a ground point, as a fraction of the extent. */
const FOOT = 0.03;

const Z: Vector = [0, 0, 1];

/** Embeds the motion in the plane z = 0. */
function inSpace({ times, centres, turns, points, stride }: Motion): Motion {
  const lifted = (flat: Float64Array): Float64Array => {
    const out = new Float64Array((flat.length / 2) * 3);
    flat.forEach((value, i) => (out[Math.floor(i / 2) * 3 + (i % 2)] = value));
    return out;
  };
  const parameters = new Float64Array(turns.length * 4);
  turns.forEach((angle, i) => parameters.set([Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)], 4 * i));
  return new Motion(times, 3, lifted(centres), parameters, lifted(points), stride);
}

/** Converts a shape to a sheet; `z`: its middle. */
function sheet(shape: Shape, z: number, thickness: number): Shape {
  const up = ([x = 0, y = 0]: Vector, height = z): Vector => [x, y, height];
  const { colour } = shape;
  if (shape.type === "circle") {
    const points = [up(shape.at, z - thickness / 2), up(shape.at, z + thickness / 2)];
    return { type: "cylinder", points, radius: shape.radius, colour };
  }
  if (shape.type === "polygon") {
    const points = shape.points.map((point) => up(point, z - thickness / 2));
    return { type: "prism", points, way: [0, 0, thickness], colour };
  }
  return { ...shape, points: shape.points.map((point) => up(point)) };
}

/** Returns the discs and cams of a body as shapes. */
function ownShapes(scene: Scene, motion: Motion, body: number): Shape[] {
  const local = (point: number): Vector => gripAt(body, motion.point(point), motion).local;
  const discs = scene.rounds.filter((round) => round.body === body && !round.ring);
  const cams = scene.curves.filter(({ carrier, closed }) => carrier === body && closed);
  return [
    ...discs.map(({ at, radius }): Shape => ({ type: "circle", at: local(at), radius })),
    ...cams.map(({ from, outline }): Shape => {
      const [x0 = 0, y0 = 0] = local(from);
      return { type: "polygon", points: outline.map(([x = 0, y = 0]) => [x0 + x, y0 + y]) };
    }),
  ];
}

/** Returns the supports of the ground's points: triangles with their tops at the points. */
function feet({ supports }: Scene, motion: Motion, size: number): Shape[] {
  return supports.map((support): Shape => {
    const [x = 0, y = 0] = motion.point(support);
    return { type: "polygon", points: [[x, y], [x - size, y - 1.5 * size], [x + size, y - 1.5 * size]] };
  });
}

/** Converts a joint: planar rotations are about z. */
function jointInSpace(joint: SceneJoint): SceneJoint {
  const body = joint.bodies.find((each) => each !== GROUND) ?? GROUND;
  const axes = joint.axes.map(({ body: carrier, vector: [x = 0, y = 0] }) => ({ body: carrier, vector: [x, y, 0] }));
  return { ...joint, axes: joint.symbol === "pin" || axes.length === 0 ? [{ body, vector: Z }] : axes };
}

/** Converts a planar scene and its motion. */
export function extruded(scene: Scene, motion: Motion): { scene: Scene; motion: Motion } {
  const moved = inSpace(motion);
  const { extent } = reachOf({ ...scene, dimension: 3 }, moved);
  const sheets = (shapes: Shape[], layer: number): Shape[] =>
    shapes.map((shape) => sheet(shape, ((layer % LAYERS) - 1) * LAYER * extent, THICKNESS * extent));
  const bodies = scene.bodies.map((body, i) => ({
    ...body,
    shapes: sheets([...body.shapes, ...ownShapes(scene, motion, i)], i),
  }));
  const flat = { supports: [], rails: [], rounds: [], curves: [], ropes: [], gears: [], beams: [], view: undefined };
  const ground = [...scene.groundShapes, ...ownShapes(scene, motion, GROUND), ...feet(scene, motion, FOOT * extent)];
  const groundShapes = sheets(ground, 0);
  const floors = scene.floors.map((floor) => ({ ...floor, normal: [...floor.normal, 0] }));
  const planes = scene.planes.map(({ at, normal, ...plane }) => ({ ...plane, at: [...at, 0], normal: [...normal, 0] }));
  const joints = scene.joints.map(jointInSpace);
  const along = ({ body, vector }: Axis): Axis => ({ body, vector: [...vector, 0] });
  const edges = scene.edges.map(({ at, axis }) => ({ at, axis: along(axis) }));
  const solid = { bodies, groundShapes, floors, planes, edges, joints };
  return { scene: { ...scene, dimension: 3, ...solid, ...flat }, motion: moved };
}
