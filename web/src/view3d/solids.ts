// Creates the solids of a spatial mechanism: bodies and their joints, from a few shared geometries.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CatmullRomCurve3,
  ConeGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Matrix4,
  Quaternion,
  Shape as Outline,
  SphereGeometry,
  TubeGeometry,
  Vector2,
  Vector3,
} from "three";
import { cssColour, paletteColour } from "../app/dom";
import { across, cross, minus, plus, scaled, unit, type Pair, type Vector } from "../drawing/geometry";
import { GROUND, type Axis, type Floor, type Plane, type Round, type Scene, type SceneJoint } from "../drawing/scene";
import { centreOfRound, findExtents, floorDirections } from "../drawing/scene_extents";
import { isRoundShape, type Shape } from "../drawing/shapes";
import { gripAt } from "../interaction/picking";
import type { Motion } from "../results/motion";

/** Radius of a rod, as a fraction of the mechanism's extent. */
const ROD = 0.01;

/** With more bodies than this, round geometries have fewer corners. */
const FINE_BODIES = 60;

const UP = new Vector3(0, 1, 0);
const ALONG_Y: Vector = [0, 1, 0];
const ALONG_Z: Vector = [0, 0, 1];

/** A geometry placed on a carrier. */
export interface Solid {
  carrier: number;
  /** Equal solids share one geometry. */
  form: BufferGeometry;
  /** Transformation from the geometry to the axes of the carrier. */
  place: Matrix4;
  colour: string;
}

/** The colours of a scene's solids; `bodies` in the order of the bodies. */
export interface Colours {
  bodies: string[];
  joint: string;
  ground: string;
}

/** Returns the colours of the page's drawing. */
export function coloursOf(scene: Scene): Colours {
  const bodies = scene.bodies.map((_, body) => paletteColour(body));
  return { bodies, joint: cssColour("--faint"), ground: cssColour("--faint") };
}

/** Adds a geometry with a placement. */
type Add = (form: BufferGeometry, place: Matrix4) => void;

/** The material of floors and of shadows on them. */
export const SEE_THROUGH = { transparent: true, opacity: 0.25, depthWrite: false };

const toVector = (v: Vector): Vector3 => new Vector3(v[0], v[1], v[2]);

/** Returns the transformation that scales a geometry along x, y and z, rotates its y axis to a direction, and moves its
 * origin to a position. */
function placeAt(at: Vector, size: Vector, direction: Vector = ALONG_Y): Matrix4 {
  const along = new Quaternion().setFromUnitVectors(UP, toVector(direction).normalize());
  return new Matrix4().compose(toVector(at), along, toVector(size));
}

/** Returns Newell's normal of a polygon, the sum of the cross products of its edges. */
function normalOf(corners: Vector[]): Vector | undefined {
  const [origin = []] = corners;
  const edges = corners.map((corner, i) => [corner, corners[(i + 1) % corners.length] as Vector] as const);
  return unit(
    edges.reduce((sum, [a, b]) => plus(sum, cross(minus(a, origin), minus(b, origin))), [0, 0, 0]),
  );
}

/** Returns the solid between a plane outline and its copy displaced perpendicularly by `way`. */
function prismForm(corners: Vector[], way: Vector): BufferGeometry | undefined {
  const [origin = []] = corners;
  const normal = unit(way);
  if (!normal || !normalOf(corners)) return undefined;
  const [u = [], v = []] = across(normal);
  const flat = (corner: Vector): Vector2 => {
    const from = toVector(minus(corner, origin));
    return new Vector2(from.dot(toVector(u)), from.dot(toVector(v)));
  };
  const depth = Math.hypot(...way);
  const geometry = new ExtrudeGeometry(new Outline(corners.map(flat)), { depth, bevelEnabled: false });
  const basis = new Matrix4().makeBasis(toVector(u), toVector(v), toVector(normal)).setPosition(toVector(origin));
  return geometry.applyMatrix4(basis);
}

/** Returns a plate of a given thickness in the plane of its corners. */
function plateForm(corners: Vector[], thickness: number): BufferGeometry | undefined {
  const normal = normalOf(corners);
  if (!normal) return undefined;
  const below = corners.map((corner) => plus(corner, normal, -thickness / 2));
  return prismForm(below, scaled(normal, thickness));
}

/** Returns a mesh in which each triangle has its own corners, so that edges are visible. */
function meshForm({ points, triangles }: Extract<Shape, { type: "mesh" }>): BufferGeometry {
  const places = triangles.flatMap((corners) => corners.flatMap((corner) => points[corner] ?? [0, 0, 0]));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** Creates the solids of a mechanism at the current frame of `motion`. */
export class SolidMaker {
  private readonly radius: number;
  private readonly ball: BufferGeometry;
  /** A cylinder along y from -1/2 to 1/2. */
  private readonly bar: BufferGeometry;
  private readonly nut = new CylinderGeometry(1, 1, 1, 6);
  private readonly block = new BoxGeometry(1, 1, 1);
  private readonly foot = new ConeGeometry(1, 1, 4);
  /** The geometries that were created, one for equal shapes. */
  private readonly made = new Map<string, BufferGeometry | undefined>();

  constructor(
    private readonly scene: Scene,
    private readonly motion: Motion,
    private readonly colours: Colours,
    private readonly extent: number,
  ) {
    this.radius = ROD * extent;
    const fine = scene.bodies.length <= FINE_BODIES;
    this.ball = fine ? new SphereGeometry(1, 32, 20) : new SphereGeometry(1, 12, 8);
    this.bar = new CylinderGeometry(1, 1, 1, fine ? 32 : 12);
  }

  /** Returns the solids of each body and of the ground. */
  solids(): Solid[] {
    const found: Solid[] = [];
    const onto =
      (carrier: number, colour: string): Add =>
      (form, place) =>
        found.push({ carrier, form, place, colour });
    const { scene, colours } = this;
    for (const shape of scene.groundShapes) this.addShape(shape, onto(GROUND, shape.colour ?? colours.ground));
    for (const support of scene.supports) this.addSupport(this.motion.point(support), onto(GROUND, colours.ground));
    scene.bodies.forEach((_, body) => this.addBody(body, onto));
    for (const round of scene.rounds) this.addRound(round, onto(round.body, colours.bodies[round.body] ?? colours.ground));
    for (const { at, axis } of scene.edges)
      this.addEdge(this.local(axis.body, this.motion.point(at)), axis.vector, onto(axis.body, colours.joint));
    for (const joint of scene.joints) this.addJoint(joint, (carrier) => onto(carrier, colours.joint));
    return found;
  }

  /** Returns a link along y from 0 to 1, with the width of a rod. */
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

  /** Returns the parts of floors, half-spaces and planes of contacts that are drawn. */
  floors(): Solid[] {
    const { floors, planes } = this.scene;
    const along = planes.length > 0 ? findExtents(this.scene, this.motion).planes : [];
    return [...floors.map((floor) => this.floor(floor)), ...planes.map((plane, i) => this.plane(plane, along[i] ?? []))];
  }

  /** Returns a square in the plane of a floor, in its carrier's axes. */
  private floor({ carrier, from, normal }: Floor): Solid {
    const at = this.local(carrier, this.motion.point(from));
    const place = placeAt(at, [this.extent, this.radius / 8, this.extent], normal);
    return { carrier, form: this.block, place, colour: this.colours.ground };
  }

  /** Returns the part of a plane without end that is drawn, from its intervals. */
  private plane(plane: Plane, ranges: Pair[]): Solid {
    const { carrier, at, normal, colour = this.colours.ground } = plane;
    const up = unit(normal) ?? ALONG_Z;
    const [u = [], v = []] = floorDirections(plane);
    const [[a, b], [c, d]] = [ranges[0] ?? [0, 0], ranges[1] ?? [0, 0]];
    const spare = 0.2 * Math.max(b - a, d - c);
    const sides = [scaled(u, b - a + spare), scaled(up, this.radius / 8), scaled(cross(u, up), d - c + spare)] as const;
    const middle = plus(plus(at, u, (a + b) / 2), v, (c + d) / 2);
    const [x, y, z] = sides.map(toVector) as [Vector3, Vector3, Vector3];
    return { carrier, form: this.block, place: new Matrix4().makeBasis(x, y, z).setPosition(toVector(middle)), colour };
  }

  private local(body: number, place: Vector): Vector {
    return gripAt(body, place, this.motion).local;
  }

  private addBall(at: Vector, radius: number, add: Add): void {
    add(this.ball, placeAt(at, [radius, radius, radius]));
  }

  private addBar([from = [], to = []]: Vector[], radius: number, add: Add): void {
    const way = minus(to, from);
    const length = Math.hypot(...way);
    if (length > 0) add(this.bar, placeAt(plus(from, way, 0.5), [radius, length, radius], way));
  }

  /** Adds a cylinder around a position. */
  private addPin(at: Vector, direction: Vector, radius: number, length: number, add: Add): void {
    add(this.bar, placeAt(at, [radius, length, radius], direction));
  }

  /** Adds a rod with round ends through all points. */
  private addRod(points: Vector[], radius: number, add: Add): void {
    for (let i = 1; i < points.length; i++) this.addBar(points.slice(i - 1, i + 1), radius, add);
    for (const point of points) this.addBall(point, radius, add);
  }

  /** Adds the ball of a joint or contact, or its wheel unless the body has a round shape. */
  private addRound(round: Round, add: Add): void {
    const { body, radius, axis, ring } = round;
    const place = this.local(body, centreOfRound(round, this.motion));
    if (ring) return;
    if (!axis) this.addBall(place, radius, add);
    else if (!this.scene.bodies[body]?.shapes.some(isRoundShape)) this.addPin(place, axis, radius, 2 * this.radius, add);
  }

  /** Adds the edge of a blade. */
  private addEdge(at: Vector, direction: Vector, add: Add): void {
    const { radius: r } = this;
    add(this.block, placeAt(at, [0.6 * r, 14 * r, 2 * r], direction));
  }

  private addShape(shape: Shape, add: Add): void {
    switch (shape.type) {
      case "circle":
        return this.addBall(shape.at, shape.radius, add);
      case "line":
        return this.addRod(shape.points, this.radius, add);
      case "capsule":
        return this.addRod(shape.points, shape.radius, add);
      case "cylinder":
        return this.addBar(shape.points, shape.radius, add);
      default: {
        const form = this.formOf(shape);
        if (form) add(form, new Matrix4());
      }
    }
  }

  private formOf(shape: Extract<Shape, { type: "polygon" | "prism" | "mesh" }>): BufferGeometry | undefined {
    const key = JSON.stringify({ ...shape, colour: undefined });
    if (!this.made.has(key)) {
      const { type, points } = shape;
      if (type === "mesh") this.made.set(key, meshForm(shape));
      else this.made.set(key, type === "prism" ? prismForm(points, shape.way) : plateForm(points, this.radius));
    }
    return this.made.get(key);
  }

  private addBody(body: number, onto: (carrier: number, colour: string) => Add): void {
    const { shapes, points } = this.scene.bodies[body] as Scene["bodies"][number];
    const { radius } = this;
    const colour = this.colours.bodies[body] ?? this.colours.joint;
    const add = onto(body, colour);
    const places = points.map((point) => this.local(body, this.motion.point(point)));
    for (const shape of shapes) this.addShape(shape, shape.colour ? onto(body, shape.colour) : add);
    for (const place of places) {
      this.addBall(place, 1.4 * radius, add);
      if (shapes.length === 0) this.addRod([[0, 0, 0], place], radius, add);
    }
    if (shapes.length > 0 || places.some((place) => Math.hypot(...place) > radius)) return;
    add(this.block, placeAt([0, 0, 0], [8 * radius, 5 * radius, 4 * radius]));
  }

  private addSupport(at: Vector, add: Add): void {
    const height = 5 * this.radius;
    add(this.foot, placeAt(plus(at, [0, 0, -height / 2]), [3 * this.radius, height, 3 * this.radius], ALONG_Z));
  }

  /** Adds the solids of a joint at its first point along its axis: rotating parts are round, sliding parts have
   * edges. */
  private addJoint({ symbol, points, bodies, axes }: SceneJoint, onto: (carrier: number) => Add): void {
    const [first] = points;
    if (first === undefined) return;
    const { radius: r } = this;
    const carrier = axes[0]?.body ?? bodies.find((body) => body !== GROUND) ?? GROUND;
    const at = this.local(carrier, this.motion.point(first));
    const along = axes[0]?.vector ?? ALONG_Y;
    const add = onto(carrier);
    const bar = (radius: number, length: number): void => this.addPin(at, along, radius * r, length * r, add);
    const block = (...size: Vector): void => add(this.block, placeAt(at, scaled(size, r), along));
    const symbols: Record<SceneJoint["symbol"], () => void> = {
      none: () => undefined,
      dot: () => this.addBall(at, 2 * r, add),
      pin: () => [bar(2.2, 5), bar(1.2, 8)],
      ball: () => this.addBall(at, 2.6 * r, add),
      slider: () => block(4.4, 7, 4.4),
      barrel: () => [bar(2.2, 7), bar(1.2, 12)],
      screw: () => this.addScrew(at, along, add),
      cross: () => axes.forEach((axis) => this.addArm(axis, first, onto(axis.body))),
      plate: () => block(12, 0.8, 12),
      block: () => block(4.4, 4.4, 4.4),
      rod: () =>
        points.forEach((point, i) => {
          const body = bodies[i] as number;
          this.addBall(this.local(body, this.motion.point(point)), 2 * r, onto(body));
        }),
    };
    symbols[symbol]();
  }

  /** Adds a threaded rod through a nut. */
  private addScrew(at: Vector, along: Vector, add: Add): void {
    const { radius: r } = this;
    const direction = unit(along) ?? ALONG_Y;
    this.addPin(at, direction, r, 14 * r, add);
    for (let i = -6; i <= 6; i++) this.addPin(plus(at, direction, i * r), direction, 1.4 * r, 0.4 * r, add);
    add(this.nut, placeAt(at, [3 * r, 4 * r, 3 * r], direction));
  }

  /** Adds an arm of a cross, with its bearings at both ends. */
  private addArm({ body, vector }: Axis, point: number, add: Add): void {
    const { radius: r } = this;
    const at = this.local(body, this.motion.point(point));
    const direction = unit(vector) ?? ALONG_Y;
    this.addPin(at, direction, 1.2 * r, 8 * r, add);
    for (const side of [-1, 1])
      this.addPin(plus(at, direction, side * 3.4 * r), direction, 1.9 * r, 1.4 * r, add);
  }
}
