// Writes the solids of a mechanism and their motion as a binary glTF file, with one animated node for each body.
import {
  AnimationClip,
  Color,
  Group,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  QuaternionKeyframeTrack,
  VectorKeyframeTrack,
  type KeyframeTrack,
  type Object3D,
} from "three";
import { GLTFExporter } from "three/addons/exporters/GLTFExporter.js";
import { cssColour } from "../app/dom";
import { reachOf } from "../drawing/model_bounds";
import { poseOf, stretchOf, type Placement } from "../drawing/poses";
import { GROUND, rodsOf, type Scene } from "../drawing/scene";
import type { Motion } from "../results/motion";
import { extruded } from "./extrude";
import { coloursOf, SEE_THROUGH, SolidMaker, type Solid } from "./solids";

/** An animated node, and its placement in the current frame of the motion. */
interface Moved {
  node: Object3D;
  placement: () => Placement;
  /** True if its scale changes as well. */
  stretches: boolean;
}

/** Returns a function that creates one material for each colour. */
function paints(): (colour: string) => MeshStandardMaterial {
  const known = new Map<string, MeshStandardMaterial>();
  return (colour) => {
    const paint =
      known.get(colour) ?? new MeshStandardMaterial({ color: new Color(colour), roughness: 0.55, metalness: 0.15 });
    known.set(colour, paint);
    return paint;
  };
}

/** Adds the nodes of bodies and links below `root`; returns the animated ones. */
function addNodes(root: Object3D, scene: Scene, motion: Motion): Moved[] {
  const maker = new SolidMaker(scene, motion, coloursOf(scene), reachOf(scene, motion).extent);
  const paint = paints();
  const node = (name: string): Group => {
    const group = new Group();
    group.name = name;
    root.add(group);
    return group;
  };
  const ground = node("ground");
  const bodies = scene.bodies.map(({ name }) => node(name));
  const add = ({ carrier, form, place }: Solid, material: MeshStandardMaterial, name = ""): void => {
    // There is no texture, so texture coordinates are not needed.
    const mesh = new Mesh(form.deleteAttribute("uv"), material);
    place.decompose(mesh.position, mesh.quaternion, mesh.scale);
    mesh.name = name;
    (carrier === GROUND ? ground : (bodies[carrier] as Group)).add(mesh);
  };
  for (const solid of maker.solids()) add(solid, paint(solid.colour));
  for (const solid of maker.floors())
    add(solid, new MeshStandardMaterial({ color: new Color(solid.colour), ...SEE_THROUGH }), "floor");
  const moved = bodies.map((body, i): Moved => ({ node: body, placement: () => poseOf(i, motion), stretches: false }));
  const link = (pairs: number[][], form: Mesh["geometry"], name: string): void => {
    for (const ends of pairs) {
      const between = node(name);
      between.add(new Mesh(form.deleteAttribute("uv"), paint(cssColour("--spring"))));
      moved.push({ node: between, placement: () => stretchOf(ends, motion), stretches: true });
    }
  };
  link(scene.springs, maker.spring(), "spring");
  link(rodsOf(scene), maker.link(), "rod");
  const beams = scene.beams.map(({ points }) => points);
  link(beams, maker.link(), "beam");
  return moved;
}

/** Returns the animation of all nodes; undefined if there is none. The nodes stay at their start. */
function clipOf(moved: Moved[], motion: Motion): AnimationClip | undefined {
  const rows = motion.times.length;
  const values = moved.map(() => ({
    at: new Float32Array(3 * rows),
    turn: new Float32Array(4 * rows),
    size: new Float32Array(3 * rows),
  }));
  const before = new Quaternion();
  let row = 0;
  motion.visit(() => {
    moved.forEach(({ placement }, i) => {
      const { at, turn, size } = placement();
      const into = values[i] as (typeof values)[number];
      // q and -q are the same rotation; the sign is chosen so that the interpolation is the short one.
      if (row > 0 && before.fromArray(into.turn, 4 * (row - 1)).dot(turn) < 0)
        turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
      at.toArray(into.at, 3 * row);
      turn.toArray(into.turn, 4 * row);
      size.toArray(into.size, 3 * row);
    });
    row++;
  });
  moved.forEach(({ node }, i) => {
    const { at, turn, size } = values[i] as (typeof values)[number];
    node.position.fromArray(at);
    node.quaternion.fromArray(turn);
    node.scale.fromArray(size);
  });
  if (rows < 2) return undefined;
  // Times in glTF must not be negative.
  const times = new Float32Array(motion.times.map((time) => time - motion.start));
  const extents = moved.flatMap(({ node, stretches }, i): KeyframeTrack[] => {
    const { at, turn, size } = values[i] as (typeof values)[number];
    const grown = stretches ? [new VectorKeyframeTrack(`${node.uuid}.scale`, times, size)] : [];
    return [
      new VectorKeyframeTrack(`${node.uuid}.position`, times, at),
      new QuaternionKeyframeTrack(`${node.uuid}.quaternion`, times, turn),
      ...grown,
    ];
  });
  return new AnimationClip("motion", -1, extents);
}

/** Returns a mechanism and its motion as a .glb file, with y as the vertical axis as glTF requires. */
export async function gltfOf(scene: Scene, motion: Motion): Promise<ArrayBuffer> {
  const solid = scene.dimension === 2 ? extruded(scene, motion) : { scene, motion };
  const root = new Group();
  root.name = "mechanism";
  if (scene.dimension === 3) root.rotation.x = -Math.PI / 2;
  const clip = clipOf(addNodes(root, solid.scene, solid.motion), solid.motion);
  const options = { binary: true, trs: true, onlyVisible: false, animations: clip ? [clip] : [] };
  return (await new GLTFExporter().parseAsync(root, options)) as ArrayBuffer;
}
