// Spatial mechanisms as solids, by three.js: drawn on a canvas of their own, which the drawing puts below its lines.
// Loaded only for a model in space.
import {
  AmbientLight,
  Color,
  DirectionalLight,
  GridHelper,
  Group,
  MathUtils,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  OrthographicCamera,
  PerspectiveCamera,
  PCFShadowMap,
  PlaneGeometry,
  Scene as Stage,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { NEAREST, type Camera } from "./camera";
import { cssColour, paletteColour } from "./dom";
import { gridStep, minus, type Vector } from "./geometry";
import type { Motion } from "./motion";
import { GROUND, type Scene } from "./scene";
import { reachOf, type Reach } from "./reach";
import { SolidMaker } from "./solids";

/** What is seen is nearer than this many extents from the middle. */
const DEPTH = 50;
const SHADOW_PIXELS = 1024;

/** Joints that keep two points at a distance. */
const RODS = ["rod", "revolute-spherical"];
const SEE_THROUGH = { transparent: true, opacity: 0.25, depthWrite: false };

/** Two points that a spring or rod joins, and what is stretched between them. */
interface Link {
  ends: number[];
  object: Object3D;
}

function unitVector(axis: number): Vector {
  return [0, 1, 2].map((i) => (i === axis ? 1 : 0));
}

export class Space {
  private readonly renderer: WebGLRenderer;
  private readonly afar = new OrthographicCamera();
  private readonly near = new PerspectiveCamera();
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private stage = new Stage();
  private carriers: { body: number; object: Object3D }[] = [];
  private links: Link[] = [];
  private reach: Reach = { middle: [0, 0, 0], extent: 1 };

  constructor(canvas: HTMLCanvasElement, context: WebGL2RenderingContext) {
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
  }

  /** Builds the solids of a mechanism, as it stands in `motion`. */
  show(scene: Scene, motion: Motion): void {
    this.clear();
    this.reach = reachOf(scene, motion);
    const colours = {
      bodies: scene.bodies.map((_, body) => paletteColour(body)),
      joint: cssColour("--faint"),
      ground: cssColour("--faint"),
    };
    const maker = new SolidMaker(scene, motion, colours, this.reach.extent);
    const coloured = new MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0.15 });
    for (const { carrier, geometry } of maker.solids()) this.carry(carrier, new Mesh(geometry, coloured));
    const clear = new MeshStandardMaterial({ color: colours.ground, ...SEE_THROUGH });
    for (const floor of scene.floors) this.carry(floor.carrier, new Mesh(maker.floor(floor), clear));
    const spring = new MeshStandardMaterial({ color: cssColour("--spring"), roughness: 0.4, metalness: 0.5 });
    if (scene.springs.length > 0) this.link(scene.springs, new Mesh(maker.spring(), spring));
    const rods = scene.joints.filter(({ type, points }) => RODS.includes(type) && points.length > 1);
    if (rods.length > 0) this.link(rods.map(({ points }) => points), new Mesh(maker.link(), spring));
    this.addLight();
    this.addGround(this.lowest(scene, motion));
  }

  /** Draws the frame that `motion` stands at as `camera` sees it, into `width` x `height` pixels of the page. */
  draw(motion: Motion, camera: Camera, width: number, height: number): HTMLCanvasElement {
    for (const { body, object } of this.carriers) {
      object.position.fromArray(motion.centre(body));
      const [e0 = 1, e1 = 0, e2 = 0, e3 = 0] = motion.turn(body);
      object.quaternion.set(e1, e2, e3, e0).normalize();
    }
    for (const { ends, object } of this.links) {
      const [from, to] = ends.map((point) => motion.point(point)) as [Vector, Vector];
      const way = new Vector3(...(minus(to, from) as [number, number, number]));
      object.position.fromArray(from);
      object.scale.y = Math.max(way.length(), Number.MIN_VALUE);
      object.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way.normalize());
    }
    this.renderer.setPixelRatio(devicePixelRatio);
    this.renderer.setSize(width, height, false);
    this.renderer.render(this.stage, this.look(camera, width, height));
    return this.renderer.domElement;
  }

  /** Sees what `camera` sees. */
  private look(camera: Camera, width: number, height: number): OrthographicCamera | PerspectiveCamera {
    const { middle, extent } = this.reach;
    const target = camera.place([width / 2, height / 2], camera.eye?.middle ?? middle);
    const away = [0, 1, 2].map((axis) => camera.depth(unitVector(axis)));
    const up = [0, 1, 2].map((axis) => camera.project(unitVector(axis))[1]);
    const [halfWidth, halfHeight] = [width / 2 / camera.scale, height / 2 / camera.scale];
    const distance = camera.eye?.distance ?? DEPTH * extent;
    const eye = camera.eye ? this.near : this.afar;
    Object.assign(this.afar, { left: -halfWidth, right: halfWidth, top: halfHeight, bottom: -halfHeight });
    Object.assign(this.near, { aspect: width / height, fov: 2 * MathUtils.radToDeg(Math.atan(halfHeight / distance)) });
    Object.assign(eye, { near: camera.eye ? distance / NEAREST : 0, far: distance + DEPTH * extent });
    eye.position.fromArray(target).addScaledVector(new Vector3().fromArray(away), -distance);
    eye.up.fromArray(up);
    eye.lookAt(new Vector3().fromArray(target));
    eye.updateProjectionMatrix();
    return eye;
  }

  private carry(body: number, mesh: Mesh): void {
    mesh.castShadow = mesh.receiveShadow = true;
    const object = new Group().add(mesh);
    this.stage.add(object);
    if (body !== GROUND) this.carriers.push({ body, object });
  }

  private link(pairs: number[][], mesh: Mesh): void {
    for (const ends of pairs) {
      const object = mesh.clone();
      object.castShadow = true;
      this.stage.add(object);
      this.links.push({ ends, object });
    }
  }

  private addLight(): void {
    const { sun } = this;
    const { middle, extent } = this.reach;
    this.stage.add(new AmbientLight(0xffffff, 1.1), sun, sun.target);
    sun.target.position.fromArray(middle);
    sun.position.fromArray(middle).add(new Vector3(-1, -1.6, 3).multiplyScalar(extent));
    const { camera } = sun.shadow;
    Object.assign(camera, { left: -extent, right: extent, top: extent, bottom: -extent, near: 0, far: 8 * extent });
    camera.updateProjectionMatrix();
  }

  private lowest(scene: Scene, motion: Motion): number {
    let least = this.reach.middle[2] as number;
    motion.visit(() => {
      scene.bodies.forEach((_, body) => (least = Math.min(least, motion.centre(body)[2] ?? least)));
      for (let i = 2; i < motion.frame.points.length; i += 3) least = Math.min(least, motion.frame.points[i] as number);
    });
    return least;
  }

  /** A grid below everything, and the shadows on it. */
  private addGround(z: number): void {
    const { extent, middle } = this.reach;
    const step = gridStep(extent / 8);
    const cells = 2 * Math.ceil(extent / step);
    const colour = new Color(cssColour("--grid-zero"));
    const ground = new Group();
    ground.position.set(middle[0] as number, middle[1] as number, z - 0.06 * extent);
    const shadows = new Mesh(new PlaneGeometry(20 * extent, 20 * extent), new ShadowMaterial(SEE_THROUGH));
    shadows.receiveShadow = true;
    ground.add(new GridHelper(cells * step, cells, colour, colour).rotateX(Math.PI / 2), shadows);
    this.stage.add(ground);
  }

  private clear(): void {
    this.stage.traverse((object) => {
      if (object instanceof Mesh || object instanceof GridHelper) object.geometry.dispose();
    });
    this.stage = new Stage();
    this.carriers = [];
    this.links = [];
  }
}
