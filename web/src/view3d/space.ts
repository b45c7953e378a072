// Draws spatial mechanisms as solids with three.js, on a separate canvas below the lines of the drawing. Loaded only
// for spatial models.
import {
  AmbientLight,
  type BufferGeometry,
  Color,
  DirectionalLight,
  GridHelper,
  Group,
  InstancedMesh,
  MathUtils,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  OrthographicCamera,
  PerspectiveCamera,
  PCFShadowMap,
  PlaneGeometry,
  Scene as Stage,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { lightened } from "../drawing/colours";
import { cssColour } from "../app/dom";
import { NEAREST, type Camera } from "../drawing/camera";
import { gridStep, type Vector } from "../drawing/geometry";
import { PALENESS, type Course } from "../drawing/ghost";
import { reachOf, type Reach } from "../drawing/model_bounds";
import { matrixOf, poseOf, stretchOf } from "../drawing/poses";
import { GROUND, rodsOf, type Scene } from "../drawing/scene";
import { reachOfShape, type Shape } from "../drawing/shapes";
import type { Motion } from "../results/motion";
import { Instances } from "./instances";
import { coloursOf, SEE_THROUGH, type Solid, SolidMaker } from "./solids";

/** Everything visible is within this many extents of the centre. */
const DEPTH = 50;
const SHADOW_PIXELS = 2048;

/** Pairs of points that springs or rods connect, and the mesh between them. */
interface Links {
  pairs: number[][];
  mesh: InstancedMesh;
}

/** The meshes that follow a motion. */
interface Moving {
  bodies: number;
  motion: Motion;
  instances: Instances[];
  links: Links[];
}

function unitVector(axis: number): Vector {
  return [0, 1, 2].map((i) => (i === axis ? 1 : 0));
}

/** The solids in colours that are seen on the drawing's background. */
function visibleSolids(maker: SolidMaker): Solid[] {
  const field = cssColour("--field");
  return maker.solids().map((solid) => ({ ...solid, colour: lightened(solid.colour, field) }));
}

export class Space {
  private readonly renderer: WebGLRenderer;
  private readonly afar = new OrthographicCamera();
  private readonly near = new PerspectiveCamera();
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private stage = new Stage();
  /** The meshes of the shown motion and of a pinned run's. */
  private moving: Moving[] = [];
  private size = "";
  private reach: Reach = { middle: [0, 0, 0], extent: 1 };

  constructor(canvas: HTMLCanvasElement, context: WebGL2RenderingContext) {
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
  }

  /** Creates the solids of a mechanism at the current frame of `motion`, and those of a pinned run. */
  show(scene: Scene, motion: Motion, pinned: Course | undefined): void {
    this.clear();
    this.reach = reachOf(scene, motion);
    const maker = new SolidMaker(scene, motion, coloursOf(scene), this.reach.extent);
    const shown = this.follower(scene, motion);
    this.carry(shown, new Instances(visibleSolids(maker), new MeshStandardMaterial({ roughness: 0.55, metalness: 0.15 })));
    this.carry(shown, new Instances(maker.floors(), new MeshStandardMaterial(SEE_THROUGH)));
    const steel = new MeshStandardMaterial({ color: cssColour("--spring"), roughness: 0.4, metalness: 0.5 });
    this.link(shown, scene.springs, maker.spring(), steel);
    this.link(shown, rodsOf(scene), maker.link(), steel);
    if (pinned) this.addGhost(pinned);
    this.addLight();
    this.addGround(this.lowest(scene, motion));
  }

  /** Adds the solids of a pinned run: transparent and without shadows. */
  private addGhost({ scene, motion }: Course): void {
    const maker = new SolidMaker(scene, motion, coloursOf(scene), this.reach.extent);
    const ghost = this.follower(scene, motion);
    const pale = { transparent: true, opacity: PALENESS, depthWrite: false };
    const solids = visibleSolids(maker).filter(({ carrier }) => carrier !== GROUND);
    this.carry(ghost, new Instances(solids, new MeshStandardMaterial({ roughness: 0.55, ...pale })));
    const steel = new MeshStandardMaterial({ color: cssColour("--spring"), ...pale });
    this.link(ghost, scene.springs, maker.spring(), steel);
    this.link(ghost, rodsOf(scene), maker.link(), steel);
    for (const mesh of [...ghost.instances.flatMap(({ meshes }) => meshes), ...ghost.links.map(({ mesh }) => mesh)])
      mesh.castShadow = mesh.receiveShadow = false;
  }

  private follower(scene: Scene, motion: Motion): Moving {
    const moving = { bodies: scene.bodies.length, motion, instances: [], links: [] };
    this.moving.push(moving);
    return moving;
  }

  /** Draws the current frames as `camera` sees them, into `width` x `height` CSS pixels. */
  draw(camera: Camera, width: number, height: number): HTMLCanvasElement {
    this.moving.forEach((moving) => this.follow(moving));
    this.resize(width, height);
    this.renderer.render(this.stage, this.look(camera, width, height));
    return this.renderer.domElement;
  }

  /** Resizes the canvas only if necessary, because that allocates its memory again. */
  private resize(width: number, height: number): void {
    const size = `${width} ${height} ${devicePixelRatio}`;
    if (size === this.size) return;
    this.size = size;
    this.renderer.setPixelRatio(devicePixelRatio);
    this.renderer.setSize(width, height, false);
  }

  /** Returns the camera of three.js that corresponds to `camera`. */
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

  /** Moves all meshes to the current frame of the motion. */
  private follow({ bodies: count, motion, instances: all, links }: Moving): void {
    const bodies = Array.from({ length: count }, (_, body) => matrixOf(poseOf(body, motion)));
    const still = new Matrix4();
    for (const instances of all)
      instances.follow((carrier) => (carrier === GROUND ? still : (bodies[carrier] as Matrix4)));
    for (const { pairs, mesh } of links) {
      pairs.forEach((ends, i) => mesh.setMatrixAt(i, matrixOf(stretchOf(ends, motion))));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private carry(moving: Moving, instances: Instances): void {
    moving.instances.push(instances);
    for (const mesh of instances.meshes) this.stage.add(mesh);
  }

  private link(moving: Moving, pairs: number[][], form: BufferGeometry, material: MeshStandardMaterial): void {
    if (pairs.length === 0) return;
    const mesh = new InstancedMesh(form, material, pairs.length);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    this.stage.add(mesh);
    moving.links.push({ pairs, mesh });
  }

  private addLight(): void {
    const { sun } = this;
    const { middle, extent } = this.reach;
    this.stage.add(new AmbientLight(0xffffff, 1.1), sun, sun.target);
    sun.target.position.fromArray(middle);
    sun.position.fromArray(middle).add(new Vector3(-1, -1.6, 3).multiplyScalar(extent));
    const { camera } = sun.shadow;
    const far = 2 * extent;
    Object.assign(camera, { left: -far, right: far, top: far, bottom: -far, near: 0, far: 5 * far });
    camera.updateProjectionMatrix();
  }

  /** Returns the lowest position of the motion. */
  private lowest(scene: Scene, motion: Motion): number {
    let least = this.reach.middle[2] as number;
    const include = (height = least): void => {
      if (height < least) least = height;
    };
    const shapesOf = (shapes: Shape[]): ReturnType<typeof reachOfShape>[] => shapes.map(reachOfShape);
    const bodies = scene.bodies.map(({ shapes }) => shapesOf(shapes));
    for (const { places, swell } of shapesOf(scene.groundShapes))
      for (const place of places) include((place[2] as number) - swell);
    motion.visit(() => {
      for (let i = 2; i < motion.frame.points.length; i += 3) include(motion.frame.points[i]);
      bodies.forEach((reaches, body) => {
        include(motion.centre(body)[2]);
        for (const { places, swell } of reaches)
          for (const place of places) include((motion.place(body, place)[2] as number) - swell);
      });
    });
    return least;
  }

  /** Adds a grid below the mechanism, which receives its shadows. */
  private addGround(z: number): void {
    const { extent, middle } = this.reach;
    const step = gridStep(extent / 8);
    const cells = 2 * Math.ceil(extent / step);
    const colour = new Color(cssColour("--grid-zero"));
    const ground = new Group();
    ground.position.set(middle[0] as number, middle[1] as number, z - 0.02 * extent);
    const shadows = new Mesh(new PlaneGeometry(20 * extent, 20 * extent), new ShadowMaterial(SEE_THROUGH));
    shadows.receiveShadow = true;
    ground.add(new GridHelper(cells * step, cells, colour, colour).rotateX(Math.PI / 2), shadows);
    this.stage.add(ground);
  }

  private clear(): void {
    this.stage.traverse((object) => {
      if (object instanceof Mesh || object instanceof GridHelper) object.geometry.dispose();
      if (object instanceof InstancedMesh) object.dispose();
    });
    this.stage = new Stage();
    this.moving = [];
  }
}
