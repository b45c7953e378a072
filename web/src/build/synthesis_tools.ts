// Tools that design a four-bar linkage: through three positions of its coupler, or along a path of a coupler point.
import { synthesisTexts } from "../app/texts";
import type { Fields } from "../document/fields";
import { documentJson } from "../document/json_text";
import { minus, plus, unit, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import { addBody } from "./bodies";
import { ofLine } from "./mass";
import { circleCentre, fourBarAlong, isOneBranch, radiusOf, senseOf, turningBars } from "./synthesis";
import { localPlace, Refusal, type Made, type Pick, type Site, type Spot, type Tool } from "./tool";

const MARK = "#c55a11";
const rough = (value: number): number => Number(value.toPrecision(4)) + 0;

/** Adds a bar between two positions. Returns its name. */
function addBar(site: Site, from: Pair, to: Pair): string {
  const bar = (locals: Pair[]): object[] => [{ type: "line", from: locals[0], to: locals[1] }];
  return site.draft.nameOf(addBody(site, ofLine([from, to]), [from, to], bar, "").index);
}

/** Returns the three positions of the coupler; its length is that of the first. */
function positionsOf(spots: Spot[]): [Pair, Pair][] {
  const ends = spots.map(({ place }) => place);
  const length = Math.hypot(...minus(ends[1] as Pair, ends[0] as Pair));
  return [0, 2, 4].map((i): [Pair, Pair] => {
    const [a, b] = [ends[i], ends[i + 1]] as [Pair, Pair];
    return [a, plus(a, unit(minus(b, a)) ?? [1, 0], length) as Pair];
  });
}

/** A motor at an end of a linkage, 0: the crank, 1: the rocker. */
interface Motor {
  end: number;
  turns: boolean;
  motion: string;
}

/** Returns the angles [rad] from the first place of an end about its pivot to each of its places, in a sense: 1
 * counterclockwise, -1 clockwise. */
function anglesFrom(pivot: Pair, path: Pair[], sense: number): number[] {
  const turn = 2 * Math.PI;
  const angles = path.map(([x, y]) => sense * Math.atan2(y - pivot[1], x - pivot[0]));
  return angles.map((angle) => (((angle - (angles[0] as number)) % turn) + turn) % turn);
}

/** Returns the motors that may lead a linkage through its positions: those that turn all the way round, in the order of
 * the positions, then those that swing as far as needed and back in 2 s, the smallest swing first. */
function motorsOf(pivots: Pair[], paths: Pair[][], turning: boolean[]): Motor[] {
  const turns = pivots.flatMap((pivot, end): Motor[] => {
    const [, second = 0, third = 0] = anglesFrom(pivot, paths[end] as Pair[], 1);
    return turning[end] ? [{ end, turns: true, motion: second < third ? "2*pi*t" : "-2*pi*t" }] : [];
  });
  const swings = pivots.flatMap((pivot, end) =>
    [1, -1].map((sense) => ({ end, angle: sense * Math.max(...anglesFrom(pivot, paths[end] as Pair[], sense)) })),
  );
  swings.sort((one, other) => Math.abs(one.angle) - Math.abs(other.angle));
  const swinging = ({ end, angle }: { end: number; angle: number }): Motor => {
    const half = rough(angle / 2);
    return { end, turns: false, motion: `${half} ${half < 0 ? "+" : "-"} ${Math.abs(half)}*cos(pi*t)` };
  };
  return [...turns, ...swings.map(swinging)];
}

function makeThroughPositions(spots: Spot[], site: Site, pick: Pick): Made {
  const { draft, view } = site;
  const positions = positionsOf(spots);
  const [first] = positions as [[Pair, Pair]];
  const paths = ([0, 1] as const).map((end) => positions.map((each) => each[end]) as [Pair, Pair, Pair]);
  const [o, c] = paths.map(circleCentre);
  if (!o || !c) throw new Refusal(synthesisTexts.straight);
  if (!isOneBranch(positions, c)) throw new Refusal(synthesisTexts.twoBranches);
  for (const [from, to] of positions)
    draft.addGroundShape({ type: "line", from: from.map(rough), to: to.map(rough), color: MARK });
  const crank = addBar(site, o, first[0]);
  const coupler = addBar(site, ...first);
  const rocker = addBar(site, first[1], c);
  const ground = [o, c].map((at) => draft.addPoint(GROUND, localPlace(GROUND, at, view))) as [string, string];
  const pins: [string, string][] = [
    [ground[0], `${crank}.A`],
    [`${crank}.B`, `${coupler}.A`],
    [`${coupler}.B`, `${rocker}.A`],
    [ground[1], `${rocker}.B`],
  ];
  const joints = pins.map((points) => draft.add("joints", { name: draft.freeName("pin"), type: "revolute", points }));
  const [a, b] = first;
  const lengths = [minus(a, o), minus(b, a), minus(c, b), minus(c, o)].map((way) => Math.hypot(...way));
  const turning = turningBars(lengths as [number, number, number, number]);
  const motor = motorsOf([o, c], paths, turning)[pick.swing];
  const end = [joints[0], joints[3]][motor?.end ?? 0] as number;
  if (!motor) return { kind: "joints", index: end, note: synthesisTexts.noMotor, last: true };
  const joint = draft.nameIn("joints", end);
  const driver = draft.freeName("driver");
  const index = draft.add("drivers", { name: driver, type: "joint", joint, function: motor.motion });
  draft.releaseJoints();
  const note = (motor.turns ? synthesisTexts.turns : synthesisTexts.swings)(driver, joint);
  const otherwise = { pick: { ...pick, swing: pick.swing + 1 }, note: "" };
  return { kind: "drivers", index, note, last: true, otherwise };
}

const throughPositions: Tool = {
  ...synthesisTexts.positions,
  fewest: 6,
  most: 6,
  drag: "pairs",
  outline: "pairs",
  make: makeThroughPositions,
};

/** Bounds of a length in the optimization: it changes at most by this factor. */
const STRETCH = 1.5;

/** Returns a document whose optimization leads a coupler point along a path, at equal parts of a turn. It starts at the
 * best linkage of a search, and stays near it: points within a radius of the path, angles within 1 rad. */
export function pathDocument(path: Pair[]): Fields {
  const start = fourBarAlong(path);
  const radius = radiusOf(path);
  const given = Object.fromEntries(Object.entries(start).map(([name, value]) => [name, rough(value)]));
  const loop = {
    bx: "frame*cos(tilt) - crank*cos(start)",
    by: "frame*sin(tilt) - crank*sin(start)",
    e: "sqrt(bx^2 + by^2)",
    u0: "atan2(by, bx) + acos((coupler^2 + e^2 - rocker^2)/(2*coupler*e))",
    v0: "atan2(coupler*sin(u0) - by, coupler*cos(u0) - bx)",
  };
  const within = (parameter: string, ...bounds: Pair): object => ({ parameter, bounds: bounds.map(rough) });
  const at = (name: string): number => Number(given[name]);
  const around = (by: number) => (name: string): object => within(name, at(name) - by, at(name) + by);
  const length = (name: string): object => within(name, at(name) / STRETCH, at(name) * STRETCH);
  const places = ["pivot_x", "pivot_y", "point_x", "point_y"].map(around(radius));
  const lengths = ["crank", "coupler", "rocker", "frame"].map(length);
  const vary = [...places, ...["tilt", "start"].map(around(1)), ...lengths];
  const slack = rough(start.crank / 20);
  // The length of each bar is the parameter of its name.
  const bar = (name: string, more: Fields = {}): Fields => {
    return { name, mass: 1, inertia: 0.01, points: { A: [0, 0], B: [name, 0], ...more } };
  };
  const pin = (name: string, from: string, to: string, position?: string): Fields => {
    return { name, type: "revolute", points: [from, to], ...(position ? { initial: { position } } : { cut: true }) };
  };
  const turning = `start ${senseOf(path) < 0 ? "-" : "+"} 2*pi*t`;
  const marks = path.map((at) => ({ type: "circle", at: at.map(rough), radius: rough(radius / 60), color: MARK }));
  const errors = path.map(([x, y], i) => ({
    name: `miss${i + 1}`,
    of: `(coupler.P.x - (${rough(x)}))^2 + (coupler.P.y - (${rough(y)}))^2`,
    take: "at",
    at: rough(i / path.length),
  }));
  return {
    model: {
      name: synthesisTexts.path.title,
      space: "planar",
      parameters: { ...given, ...loop },
      ground: {
        points: { O: ["pivot_x", "pivot_y"], C: ["pivot_x + frame*cos(tilt)", "pivot_y + frame*sin(tilt)"] },
        shapes: marks,
      },
      bodies: [bar("crank"), bar("coupler", { P: ["point_x", "point_y"] }), bar("rocker")],
      joints: [
        pin("O", "ground.O", "crank.A", "start"),
        pin("A", "crank.B", "coupler.A", "u0 - start"),
        pin("C", "ground.C", "rocker.A", "v0"),
        pin("B", "coupler.B", "rocker.B"),
      ],
      drivers: [{ name: "motor", type: "joint", joint: "O", function: turning }],
    },
    analysis: { type: "kinematics", t_end: 1, dt: 0.02 },
    study: {
      vary,
      outputs: errors,
      optimize: {
        minimize: errors.map(({ name }) => name).join(" + "),
        subject_to: [
          `crank + frame <= coupler + rocker - ${slack}`,
          `crank + coupler <= rocker + frame - ${slack}`,
          `crank + rocker <= coupler + frame - ${slack}`,
        ],
      },
    },
  };
}

const alongPath: Tool = {
  ...synthesisTexts.path,
  fewest: 4,
  most: Infinity,
  drag: "curve",
  outline: "polygon",
  make(spots, { draft }) {
    draft.replace(documentJson(pathDocument(spots.map(({ place }) => place))));
    return { kind: "bodies", index: 1, note: synthesisTexts.optimize, study: true, traced: "coupler.P", last: true };
  },
};

/** The tool, which asks for one of its two kinds. */
export const fourBarTool: Tool = { ...throughPositions, ...synthesisTexts.tool, kinds: [throughPositions, alongPath] };
