// Tools that design a four-bar linkage: through three positions of its coupler, or along a path of a coupler point.
import { synthesisTexts } from "../app/texts";
import type { Fields } from "../document/fields";
import { documentJson } from "../document/json_text";
import { minus, plus, unit, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import { addBody } from "./bodies";
import { ofLine } from "./mass";
import { circleCentre, fourBarAlong, isOneBranch, mean, senseOf } from "./synthesis";
import { localPlace, Refusal, type Made, type Site, type Spot, type Tool } from "./tool";

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

function makeThroughPositions(spots: Spot[], site: Site): Made {
  const { draft, view } = site;
  const positions = positionsOf(spots);
  const [first] = positions as [[Pair, Pair]];
  const pivots = ([0, 1] as const).map((end) => circleCentre(positions.map((each) => each[end]) as [Pair, Pair, Pair]));
  const [o, c] = pivots;
  if (!o || !c) throw new Refusal(synthesisTexts.straight);
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
  for (const points of pins) draft.add("joints", { name: draft.freeName("pin"), type: "revolute", points });
  const note = isOneBranch(positions, c) ? synthesisTexts.passes : synthesisTexts.twoBranches;
  return { kind: "bodies", index: draft.list("bodies").length - 2, note, last: true };
}

const throughPositions: Tool = {
  ...synthesisTexts.positions,
  fewest: 6,
  most: 6,
  drag: "pairs",
  outline: "pairs",
  make: makeThroughPositions,
};

/** Returns a document whose optimization leads a coupler point along a path, at equal parts of a turn. It starts at the
 * best linkage of a search. Coordinates and lengths are bounded by the size of the path. */
function pathDocument(path: Pair[]): Fields {
  const start = fourBarAlong(path);
  const centre = mean(path);
  const size = Math.max(...path.map((at) => Math.hypot(...minus(at, centre))), start.d, start.b);
  const given = Object.fromEntries(Object.entries(start).map(([name, value]) => [name, rough(value)]));
  const loop = {
    bx: "d*cos(tilt) - a*cos(q0)",
    by: "d*sin(tilt) - a*sin(q0)",
    e: "sqrt(bx^2 + by^2)",
    u0: "atan2(by, bx) + acos((b^2 + e^2 - c^2)/(2*b*e))",
    v0: "atan2(a*sin(q0) + b*sin(u0) - d*sin(tilt), a*cos(q0) + b*cos(u0) - d*cos(tilt))",
  };
  const within = (name: string, low: number, high: number): object => ({ parameter: name, bounds: [low, high].map(rough) });
  const around = (by: number) => (name: string): object => within(name, Number(given[name]) - by, Number(given[name]) + by);
  const length = (name: string): object => within(name, 0.3 * Number(given[name]), 3 * Number(given[name]));
  const places = ["x", "y", "px", "py"].map(around(2 * size));
  const vary = [...places, ...["tilt", "q0"].map(around(Math.PI)), ...["a", "b", "c", "d"].map(length)];
  const slack = rough(start.a / 20);
  const bar = (name: string, end: string, more: Fields = {}): Fields => {
    return { name, mass: 1, inertia: 0.01, points: { A: [0, 0], B: [end, 0], ...more } };
  };
  const pin = (name: string, from: string, to: string, position?: string): Fields => {
    return { name, type: "revolute", points: [from, to], ...(position ? { initial: { position } } : { cut: true }) };
  };
  const marks = path.map((at) => ({ type: "circle", at: at.map(rough), radius: rough(size / 60), color: MARK }));
  const errors = path.map(([x, y], i) => ({
    name: `e${i + 1}`,
    of: `(coupler.P.x - (${rough(x)}))^2 + (coupler.P.y - (${rough(y)}))^2`,
    take: "at",
    at: rough(i / path.length),
  }));
  return {
    model: {
      name: synthesisTexts.path.title,
      space: "planar",
      parameters: { ...given, ...loop },
      ground: { points: { O: ["x", "y"], C: ["x + d*cos(tilt)", "y + d*sin(tilt)"] }, shapes: marks },
      bodies: [bar("crank", "a"), bar("coupler", "b", { P: ["px", "py"] }), bar("rocker", "c")],
      joints: [
        pin("O", "ground.O", "crank.A", "q0"),
        pin("A", "crank.B", "coupler.A", "u0 - q0"),
        pin("C", "ground.C", "rocker.A", "v0"),
        pin("B", "coupler.B", "rocker.B"),
      ],
      drivers: [{ name: "motor", type: "joint", joint: "O", function: `q0 ${senseOf(path) < 0 ? "-" : "+"} 2*pi*t` }],
    },
    analysis: { type: "kinematics", t_end: 1, dt: 0.02 },
    study: {
      vary,
      outputs: errors,
      optimize: {
        minimize: errors.map(({ name }) => name).join(" + "),
        subject_to: [`a + d <= b + c - ${slack}`, `a + b <= c + d - ${slack}`, `a + c <= b + d - ${slack}`],
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
    return { kind: "bodies", index: 1, note: synthesisTexts.optimize, study: true, last: true };
  },
};

/** The tool, which asks for one of its two kinds. */
export const fourBarTool: Tool = { ...throughPositions, ...synthesisTexts.tool, kinds: [throughPositions, alongPath] };
