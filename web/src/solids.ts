// The solids of a spatial mechanism: bodies, and joints on them, as triangles with colours.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Matrix4,
  Quaternion,
  Shape as Outline,
  SphereGeometry,
  TubeGeometry,
  CatmullRomCurve3,
  Vector2,
  Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { across, cross, minus, plus, unit, type Vector } from "./geometry";
import type { Motion } from "./motion";
import { gripAt } from "./picking";
import { GROUND, type Floor, type Scene, type SceneJoint } from "./scene";
import type { Shape } from "./shapes";

/** Radius of a rod, as a part of the mechanism's extent. */
const ROD = 0.01;

const UP = new Vector3(0, 1, 0);

/** A solid in the axes of the body that carries it. */
export interface Solid {
  carrier: number;
  geometry: BufferGeometry;
}

/** The colours of a scene's solids; those of the bodies in their order. */
export interface Colours {
  bodies: string[];
  joint: string;
  ground: string;
}

/** Takes what a body carries. */
type Add = (carrier: number, geometry: BufferGeometry | undefined, colour: string) => void;

const toVector = (v: Vector): Vector3 => new Vector3(v[0], v[1], v[2]);

/** One colour for all of a geometry, and no more attributes than all have, so that they can be merged. */
function painted(geometry: BufferGeometry, colour: string): BufferGeometry {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  plain.deleteAttribute("uv");
  const { r, g, b } = new Color(colour);
  const count = plain.getAttribute("position").count;
  plain.setAttribute("color", new BufferAttribute(new Float32Array(count * 3).map((_, i) => [r, g, b][i % 3] ?? 0), 3));
  return plain;
}

/** Brings what is made about the origin along y to a place, along a direction. */
function placed(geometry: BufferGeometry, at: Vector, direction: Vector = [0, 1, 0]): BufferGeometry {
  const along = new Quaternion().setFromUnitVectors(UP, toVector(direction).normalize());
  return geometry.applyMatrix4(new Matrix4().compose(toVector(at), along, new Vector3(1, 1, 1)));
}

function ball(at: Vector, radius: number): BufferGeometry {
  return placed(new SphereGeometry(radius, 24, 16), at);
}

function rod(from: Vector, to: Vector, radius: number): BufferGeometry {
  const way = minus(to, from);
  const length = Math.hypot(...way);
  if (!(length > 0)) return ball(from, radius);
  return placed(new CapsuleGeometry(radius, length, 6, 14), plus(from, way, 0.5), way);
}

/** A plate of the corners' plane, `thickness` thick. */
function plate(corners: Vector[], thickness: number): BufferGeometry | undefined {
  const [origin = []] = corners;
  // Newell's normal: the sum of the edges' cross products.
  const normal = unit(
    corners
      .map((corner, i) => [minus(corner, origin), minus(corners[(i + 1) % corners.length] as Vector, origin)] as const)
      .reduce((sum, [a, b]) => plus(sum, cross(a, b)), [0, 0, 0]),
  );
  if (!normal) return undefined;
  const [u = [], v = []] = across(normal);
  const flat = (corner: Vector): Vector2 => {
    const way = toVector(minus(corner, origin));
    return new Vector2(way.dot(toVector(u)), way.dot(toVector(v)));
  };
  const geometry = new ExtrudeGeometry(new Outline(corners.map(flat)), { depth: thickness, bevelEnabled: false });
  geometry.translate(0, 0, -thickness / 2);
  const basis = new Matrix4().makeBasis(toVector(u), toVector(v), toVector(normal)).setPosition(toVector(origin));
  return geometry.applyMatrix4(basis);
}

function shapeSolid(shape: Shape, radius: number): BufferGeometry | undefined {
  if (shape.type === "circle") return ball(shape.at, shape.radius);
  if (shape.type === "polygon") return plate(shape.points, radius);
  const [from = [], to = []] = shape.points;
  return rod(from, to, radius);
}

/** What makes the solids of one mechanism, as it stands in `motion`. */
export class SolidMaker {
  private readonly radius: number;

  constructor(
    private readonly scene: Scene,
    private readonly motion: Motion,
    private readonly colours: Colours,
    private readonly extent: number,
  ) {
    this.radius = ROD * extent;
  }

  /** Of each body and of the ground what it carries, as one geometry. */
  solids(): Solid[] {
    const parts = new Map<number, BufferGeometry[]>();
    const add: Add = (carrier, geometry, colour) => {
      if (!geometry) return;
      parts.set(carrier, [...(parts.get(carrier) ?? []), painted(geometry, colour)]);
    };
    const { scene, colours } = this;
    for (const shape of scene.groundShapes) add(GROUND, shapeSolid(shape, this.radius), shape.colour ?? colours.ground);
    for (const support of scene.supports) add(GROUND, this.support(this.motion.point(support)), colours.ground);
    scene.bodies.forEach((_, body) => this.addBody(body, add));
    for (const { body, at, radius } of scene.rounds)
      add(body, ball(this.local(body, this.motion.point(at)), radius), colours.bodies[body] ?? colours.ground);
    for (const joint of scene.joints) {
      const carrier = joint.axis?.body ?? joint.bodies.find((body) => body !== GROUND) ?? GROUND;
      add(carrier, this.joint(joint, carrier), colours.joint);
    }
    return [...parts].flatMap(([carrier, geometries]) => {
      const geometry = mergeGeometries(geometries);
      geometries.forEach((part) => part.dispose());
      return geometry ? [{ carrier, geometry }] : [];
    });
  }

  /** What is stretched between two points, along y from 0 to 1: its width is the rod's. */
  link(): BufferGeometry {
    return new CylinderGeometry(this.radius, this.radius, 1, 14).translate(0, 0.5, 0);
  }

  spring(): BufferGeometry {
    const [coils, steps, wide] = [9, 24, 3 * this.radius];
    const places = Array.from({ length: coils * steps + 1 }, (_, i) => {
      const angle = (2 * Math.PI * i) / steps;
      return new Vector3(wide * Math.cos(angle), i / (coils * steps), wide * Math.sin(angle));
    });
    return new TubeGeometry(new CatmullRomCurve3(places), coils * steps, 0.5 * this.radius, 6);
  }

  /** A square of the plane that a floor is, in its carrier's axes. */
  floor({ carrier, from, normal }: Floor): BufferGeometry {
    const at = this.local(carrier, this.motion.point(from));
    return placed(new BoxGeometry(this.extent, this.radius / 8, this.extent), at, normal);
  }

  private local(body: number, place: Vector): Vector {
    return gripAt(body, place, this.motion).local;
  }

  private addBody(body: number, add: Add): void {
    const { shapes, points } = this.scene.bodies[body] as Scene["bodies"][number];
    const colour = this.colours.bodies[body] ?? this.colours.joint;
    const places = points.map((point) => this.local(body, this.motion.point(point)));
    for (const shape of shapes) add(body, shapeSolid(shape, this.radius), shape.colour ?? colour);
    for (const place of places) {
      add(body, ball(place, 1.4 * this.radius), colour);
      if (shapes.length === 0) add(body, rod([0, 0, 0], place, this.radius), colour);
    }
    if (shapes.length > 0 || places.some((place) => Math.hypot(...place) > this.radius)) return;
    add(body, new BoxGeometry(8 * this.radius, 5 * this.radius, 4 * this.radius), colour);
  }

  private support(at: Vector): BufferGeometry {
    const height = 5 * this.radius;
    return placed(new ConeGeometry(3 * this.radius, height, 4), plus(at, [0, 0, -height / 2]), [0, 0, 1]);
  }

  /** The symbol of a joint: what turns is round, about its axis if it has one; what slides is a box along it. */
  private joint({ type, points, axis }: SceneJoint, carrier: number): BufferGeometry | undefined {
    const [first] = points;
    if (first === undefined || type === "disc") return undefined;
    const at = this.local(carrier, this.motion.point(first));
    const { radius } = this;
    if (!axis) return ball(at, 2 * radius);
    if (type === "prismatic" || type === "translational" || type === "rigid")
      return placed(new BoxGeometry(4 * radius, 7 * radius, 4 * radius), at, axis.vector);
    const length = type === "cylindrical" ? 10 : 6;
    return placed(new CylinderGeometry(2 * radius, 2 * radius, length * radius, 20), at, axis.vector);
  }
}
