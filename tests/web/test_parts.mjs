// Modules of the page that need no browser, such as JSON pointers, .npy files, scenes, and interpolation of motions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const { buildSync } = createRequire(new URL("../../web/package.json", import.meta.url))("esbuild");

/** Imports a TypeScript module of web/src; each `copy` is a separate instance with its own state. */
function part(name, copy = "") {
  const entry = fileURLToPath(new URL(`../../web/src/${name}.ts`, import.meta.url));
  const { outputFiles } = buildSync({ entryPoints: [entry], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}#${copy}`);
}

const { placeFinder, placeOfLine, lineOf, memberChange, numberMembers, numbersAt, pointerTo, changed } = await part("document/pointer");
const { measuredOf, writtenOf } = await part("document/pointer");
const { difference, itemAddition, itemRemoval } = await part("document/pointer");
const { parseNpy } = await part("results/npy");
const { edgesOf, readShapes } = await part("drawing/shapes");
const { SolidMaker } = await part("view3d/solids");
const { readScene } = await part("drawing/scene");
const { centreOfRound, findExtents, isAbove } = await part("drawing/scene_extents");
const { Gearing } = await part("drawing/gearing");
const { outlineBody } = await part("drawing/highlight");
const { Motion } = await part("results/motion");
const { Painter } = await part("drawing/drawing");
const { Camera } = await part("drawing/camera");
const { touchedPart } = await part("drawing/curves");
const { modeMotion } = await part("results/modes");
const { defaultSpeed, speedsAround } = await part("drawing/speeds");
const { contrast } = await part("drawing/colours");
const { unitOf } = await part("results/column_units");
const { bucketPlaces, bucketSize, nearestRow, rowsAround, rowsWithin } = await part("plots/decimate");
const { Pyramid } = await part("plots/pyramid");
const { limitsWithin, tableOf } = await part("plots/views");
const { Recording } = await part("results/recording");
const { spectrumOf } = await part("plots/spectrum");
const { csvText } = await part("plots/plot_files");
const { differencesOf } = await part("document/document_diff");
const { tickText } = await part("plots/axes");
const { valueAt } = await part("interaction/parameter_sliders");
const { Recorded } = await part("drawing/recorded");
const { markPlaces } = await part("drawing/force_places");
const { pick, pickElement, pickElements } = await part("interaction/picking");
const { Pose } = await part("drawing/pose");
const { isFound } = await part("document/gallery");
const { tagsOf } = await part("results/jobs");
const { documentJson } = await part("document/json_text");
const { elementsOf, titleOf } = await part("document/elements");
const { dependents, removal, REFERENCES } = await part("build/removal");
const { circleCentre, evenly, fourBarAlong, isOneBranch } = await part("build/synthesis");
const { remassed } = await part("build/remass");
const { typedPlace } = await part("build/typed_place");
const { motionNumber, withMotionNumber, withMotionStart } = await part("document/motion_fields");
const { readCsv } = await part("document/csv_table");
const { KINDS } = await part("interaction/selection");
const { FUNCTIONS, namesAt, OUTPUTS, QUANTITIES } = await part("document/expression_names");

test("a JSON pointer leads to its place", () => {
  const text = '{\n  "a": [1, {"b/c": "x", "d~e": [2]}],\n  "f": {\n    "g": 3\n  }\n}';
  const placeOf = placeFinder(text);
  const found = (pointer) => {
    const { from, to } = placeOf(pointer);
    return text.slice(from, to);
  };
  assert.equal(found("/a/0"), "1");
  assert.equal(found("/a/1/b~1c"), '"b/c": "x"');
  assert.equal(found("/a/1/d~0e/0"), "2");
  assert.equal(found("/f/g"), '"g": 3');
  assert.equal(found("/f"), '"f": {', "a long member is marked on its first line");
  assert.equal(found("/f/missing"), '"f": {', "a missing field is marked at its object");
  assert.equal(found("/a/7"), text.split("\n")[1].trim().slice(0, -1));
  assert.equal(found(""), "{");
  assert.deepEqual(placeFinder("")("/a"), { from: 0, to: 0 });
});

test("a member is changed, added and taken out, and nothing else is", () => {
  const text = '{"m": [{"a": 1,  "b": {"c": 2}, "d/e": 3}, {}]}';
  const after = (pointer, name, value) => {
    const change = memberChange(text, pointer, name, value);
    return change && changed(text, [change]);
  };
  assert.equal(after("/m/0", "b", "[5]"), '{"m": [{"a": 1,  "b": [5], "d/e": 3}, {}]}');
  assert.equal(after("/m/0", "f", '"x"'), '{"m": [{"a": 1,  "b": {"c": 2}, "d/e": 3, "f": "x"}, {}]}');
  assert.equal(after("/m/0", "a", undefined), '{"m": [{"b": {"c": 2}, "d/e": 3}, {}]}');
  assert.equal(after("/m/0", "b", undefined), '{"m": [{"a": 1, "d/e": 3}, {}]}');
  assert.equal(after("/m/0", "d/e", undefined), '{"m": [{"a": 1,  "b": {"c": 2}}, {}]}');
  assert.equal(after("/m/0/b", "c", undefined), '{"m": [{"a": 1,  "b": {}, "d/e": 3}, {}]}');
  assert.equal(after("/m/0", "none", undefined), undefined);
  assert.equal(after("/m/1", "a", "1"), '{"m": [{"a": 1,  "b": {"c": 2}, "d/e": 3}, { "a": 1 }]}');
  assert.equal(after("/m", "a", "1"), undefined);
});

test("a value is set at a path, whose objects are created", async () => {
  const { valueChange } = await part("document/pointer");
  const set = (text, path, value) => changed(text, [valueChange(text, path, value)]);
  assert.equal(set('{"a": [1, 2]}', ["a", "1"], "3"), '{"a": [1, 3]}');
  assert.equal(set('{"a": [1, 2]}', ["a", "2"], "3"), '{"a": [1, 2, 3]}');
  assert.equal(set('{"a": [1, 2]}', ["a", "0"], undefined), '{"a": [2]}');
  assert.equal(set('{"a": 1}', ["b", "c"], "2"), '{"a": 1, "b": { "c": 2 }}');
  assert.equal(valueChange('{"a": 1}', ["b", "c"], undefined), undefined);
});

test("an item is added and taken out, and nothing else is", () => {
  const text = '{\n  "m": [\n    {"a": 1},\n    2\n  ],\n  "n": [ ]\n}';
  const after = (change) => change && changed(text, [change]);
  assert.equal(after(itemAddition(text, "/m", "{\n  3\n}")), text.replace("2\n", "2,\n    {\n      3\n    }\n"));
  assert.equal(after(itemAddition(text, "/n", "[\n3]")), text.replace("[ ]", "[\n    [\n    3]\n  ]"));
  assert.equal(after(itemAddition(text, "/m/0", "3")), undefined);
  assert.equal(after(itemRemoval(text, "/m/0")), text.replace('{"a": 1},\n    ', ""));
  assert.equal(after(itemRemoval(text, "/m/1")), text.replace(",\n    2", ""));
  assert.equal(after(itemRemoval(text, "/n/0")), undefined);
  const [one, other] = ["abcabc", "abcabcabc"];
  assert.equal(changed(one, [difference(one, other)]), other);
  assert.deepEqual(difference("same", "same"), { from: 4, to: 4, insert: "" });
});

test("a line and column lead to their place", () => {
  const text = "ab\ncde\n";
  assert.deepEqual(placeOfLine(text, 2, 3), { from: 5, to: 6 });
  assert.deepEqual(placeOfLine(text, 1, 9), { from: 2, to: 2 });
  assert.deepEqual(placeOfLine(text, 9, 1), { from: 7, to: 7 });
  assert.equal(lineOf(text, 5), 2);
});

/** Returns an .npy file as NumPy 2 writes it. */
function npy(description, values) {
  const header = description.padEnd(117) + "\n";
  const data = Buffer.from(new Float64Array(values).buffer);
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
  return new Uint8Array(Buffer.concat([start, Buffer.from(header), data])).buffer;
}

test("an .npy file is read", () => {
  const array = parseNpy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", [1, 2, 3, 4, NaN, 6]));
  assert.deepEqual(array.shape, [2, 3]);
  assert.deepEqual([...array.data], [1, 2, 3, 4, NaN, 6]);
  assert.deepEqual(parseNpy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", [5])).shape, [1]);
  assert.throws(() => parseNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", [5])));
  assert.throws(() => parseNpy(new ArrayBuffer(4)));
});

/** Returns the drawing data of a document with plain numbers as the service does: names become indices. */
function modelScene(document, dimension = document.space === "spatial" ? 3 : 2) {
  const bodies = [{ name: "ground", ...document.ground }, ...document.bodies];
  const places = (kind) =>
    bodies.flatMap((body, number) =>
      Object.entries(body[kind] ?? {}).map(([name, at]) => ({ name, body: number, at, full: `${body.name}.${name}` })),
    );
  const [points, vectors] = [places("points"), places("vectors")];
  const point = (name) => points.findIndex(({ full }) => full === name);
  const vector = (name) => vectors.findIndex(({ full }) => full === name);
  const line = (value) => value && [point(value[0]), vector(value[1])];
  const joint = (name) => document.joints.findIndex((each) => each.name === name);
  const element = (given) => ({
    ...given,
    bodies: given.bodies?.map((name) => bodies.findIndex((body) => body.name === name)),
    joint: given.joint && joint(given.joint),
    points: given.points?.map(point),
    vectors: given.vectors?.map(vector),
    point: given.point && point(given.point),
    line: line(given.line),
    plane: line(given.plane),
    curve: given.curve?.map((curve) => ({ ...curve, point: point(curve.point) })),
  });
  return {
    dimension,
    bodies: bodies.map(({ name, shapes = [] }) => ({ name, shapes })),
    points,
    vectors,
    joints: (document.joints ?? []).map(element),
    forces: (document.forces ?? []).map(element),
    view: document.view ?? {},
  };
}

test("shapes are outlines; those that the page does not know are left out", () => {
  const circle = { type: "circle", radius: 1, at: [0, 0], color: "red" };
  const block = { type: "rectangle", width: 2, height: 4, at: [1, 0], angle: 0 };
  const [red, outline, ...rest] = readShapes([circle, block, { type: "star" }]);
  assert.deepEqual(red, { type: "circle", radius: 1, at: [0, 0], colour: "red" });
  assert.deepEqual(outline.points, [[0, -2], [2, -2], [2, 2], [0, 2]]);
  assert.deepEqual(rest, []);
  const [inSpace] = readShapes([{ ...block, at: [1, 0, 3] }]);
  assert.deepEqual(inSpace.points[0], [0, -2, 3]);
});

test("an arc is a line along its circle, and a half-space is no outline", () => {
  const arc = { type: "arc", radius: 2, at: [1, 0], from: 0, to: Math.PI / 2, side: "inside" };
  const [line, ...rest] = readShapes([arc, { type: "half-space", normal: [0, 0, 1] }]);
  assert.deepEqual([line.type, rest], ["line", []]);
  for (const [x, y] of line.points) assert.ok(Math.abs(Math.hypot(x - 1, y) - 2) < 1e-12);
  assert.ok(Math.hypot(line.points[0][0] - 3, line.points[0][1]) < 1e-12);
  assert.ok(Math.hypot(line.points.at(-1)[0] - 1, line.points.at(-1)[1] - 2) < 1e-12);
});

test("solids are read with their places, axes and turns", () => {
  const at = [1, 2, 3];
  const [ball, capsule, box, mesh] = readShapes([
    { type: "sphere", radius: 2, at },
    { type: "capsule", radius: 0.1, from: [0, 0, 0], to: [1, 0, 0], color: "red" },
    { type: "box", size: [2, 4, 6], at, axis: [2, 0, 0], angle: Math.PI / 2 },
    { type: "mesh", points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]] },
  ]);
  assert.deepEqual(ball, { type: "circle", radius: 2, at, colour: undefined });
  assert.equal(capsule.colour, "red");
  assert.deepEqual(capsule.points, [[0, 0, 0], [1, 0, 0]]);
  // Rotation about x: y goes to z, z to -y.
  const near = (a, b) => a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) < 1e-12, `${a}, ${b}`));
  near(box.way, [0, -6, 0]);
  near(box.points[0], [0, 2 + 3, 3 - 2]);
  near(box.points[2], [2, 5, 5]);
  assert.deepEqual(mesh.triangles, [[0, 1, 2]]);
  assert.equal(edgesOf(box).length, 6);
  assert.equal(edgesOf(mesh).length, 1);
});

test("a gear has teeth of its module", () => {
  const [flat] = readShapes([{ type: "gear", teeth: 20, module: 0.01, at: [0, 0], angle: 0 }]);
  const radii = flat.points.map((place) => Math.hypot(...place));
  assert.equal(flat.points.length, 80);
  assert.ok(Math.abs(Math.max(...radii) - 0.11) < 1e-12, "half the pitch diameter and a module");
  assert.ok(Math.abs(Math.min(...radii) - 0.0875) < 1e-12);
  // Tooth and gap have equal widths at the pitch circle.
  const [[x0, y0], [x1, y1]] = flat.points;
  const half = Math.abs(y0 + ((0.1 - x0) / (x1 - x0)) * (y1 - y0));
  assert.ok(Math.abs(half / ((0.01 * Math.PI) / 4) - 1) < 0.03, `${half}`);
  // The outline of a gear with few teeth is monotonic in angle.
  for (const teeth of [3, 5, 8]) {
    const [few] = readShapes([{ type: "gear", teeth, module: 1, at: [0, 0], angle: 0 }]);
    const angles = few.points.map(([x, y]) => Math.atan2(y, x));
    angles.forEach((angle, i) => {
      const next = angles[(i + 1) % angles.length];
      assert.ok(((next - angle + 3 * Math.PI) % (2 * Math.PI)) - Math.PI > 0, `${teeth} teeth, corner ${i}`);
    });
  }
  const [solid] = readShapes([{ type: "gear", teeth: 9, module: 1, width: 2, at: [0, 0, 1], axis: [0, 3, 0], angle: 0 }]);
  assert.equal(solid.type, "prism");
  solid.points.forEach(([, y]) => assert.ok(Math.abs(y + 1) < 1e-12));
  solid.way.forEach((value, i) => assert.ok(Math.abs(value - [0, 2, 0][i]) < 1e-12));
});

test("a view is widened only as far as something that left it needs", () => {
  const camera = new Camera();
  camera.resize(400, 200);
  camera.fit({ x: [-1, 1], y: [-0.5, 0.5] }, 0);
  assert.equal(camera.widen({ x: [-0.5, 0.5], y: [-0.4, 0.4] }, 10), false);
  assert.equal(camera.scale, 200);
  assert.equal(camera.widen({ x: [-0.5, 0.5], y: [-1.45, 0] }, 10), true);
  // 10 pixels were 0.05 m: the view reaches from -1.5 to 0.5.
  assert.deepEqual(camera.seen, { x: [-2, 2], y: [-1.5, 0.5] });
  assert.equal(camera.widen({ x: [-0.5, 0.5], y: [-1.4, 0] }, 10), false);
});

test("what is thick is picked where it is thick", () => {
  const model = modelScene({
    space: "planar",
    bodies: [{ name: "a", shapes: [{ type: "capsule", radius: 0.2, from: [-1, 0], to: [1, 0] }] }],
  });
  const motion = new Motion(new Float64Array([0]), 2, new Float64Array([0, 0]), new Float64Array([0]), new Float64Array(0));
  const camera = new Camera();
  camera.resize(400, 400);
  const view = { scene: readScene(model), motion, camera };
  const at = (x, y) => pick(camera.toScreen([x, y]), 1, view)?.body;
  assert.equal(at(0.5, 0.18), 0);
  assert.equal(at(1.15, 0), 0);
  assert.equal(at(0.5, 0.25), undefined);
  assert.equal(at(1.19, 0.19), undefined, "ends are round");
});

test("joints are drawn as their classes say, on the bodies that carry them", () => {
  const points = [{ name: "P", body: 1, at: [0, 0, 0] }, { name: "Q", body: 2, at: [0, 0, 0] }];
  const vectors = [{ name: "u", body: 1, at: [1, 0, 0] }, { name: "v", body: 2, at: [0, 1, 0] }];
  const bodies = ["ground", "a", "b"].map((name) => ({ name, shapes: [] }));
  const empty = { dimension: 3, bodies, points: [], vectors: [], joints: [], forces: [], view: {} };
  const motion = new Motion(
    new Float64Array([0]), 3, new Float64Array(6), new Float64Array([1, 0, 0, 0, 1, 0, 0, 0]), new Float64Array(6));
  const carriers = (symbol) => {
    const joint = { type: "x", symbol, points: [0, 1], vectors: [0, 1] };
    const scene = readScene({ ...empty, points, vectors, joints: [joint] });
    const colours = { bodies: ["#000", "#000"], joint: "#00f", ground: "#000" };
    return new SolidMaker(scene, motion, colours, 1).solids().filter(({ colour }) => colour === "#00f");
  };
  const count = (symbol) => carriers(symbol).length;
  assert.equal(count("none"), 0);
  for (const one of ["dot", "ball", "slider", "plate", "block"]) assert.equal(count(one), 1, one);
  assert.equal(count("pin"), 2);
  assert.ok(count("screw") > 10);
  assert.deepEqual([...new Set(carriers("cross").map(({ carrier }) => carrier))], [0, 1], "an arm on each body");
  assert.deepEqual(carriers("rod").map(({ carrier }) => carrier), [0, 1]);
  // A pin lies along its axis.
  const [pin] = carriers("pin");
  const [, , , , x, y, z] = pin.place.elements;
  assert.ok(Math.abs(x) > 0.01 && Math.hypot(y, z) < 1e-9, `${[x, y, z]}`);
});

test("solids that are alike share their form", () => {
  const gear = { type: "gear", teeth: 9, module: 1, width: 2, at: [0, 0, 0], angle: 0 };
  const bodies = ["a", "b", "c"].map((name, i) => ({ name, shapes: [{ ...gear, teeth: 9 + (i > 1), color: `#00${i}` }] }));
  const scene = readScene({
    dimension: 3, bodies: [{ name: "ground", shapes: [] }, ...bodies], points: [], vectors: [], joints: [], forces: [], view: {},
  });
  const turns = new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  const motion = new Motion(new Float64Array([0]), 3, new Float64Array(9), turns, new Float64Array(0));
  const colours = { bodies: ["#000", "#000", "#000"], joint: "#00f", ground: "#000" };
  const solids = new SolidMaker(scene, motion, colours, 1).solids();
  assert.deepEqual(solids.map(({ colour }) => colour), ["#000", "#001", "#002"]);
  assert.equal(new Set(solids.map(({ form }) => form)).size, 2);
});

test("what is seen turns about the middle of the mechanism", () => {
  const camera = new Camera();
  camera.resize(400, 300);
  camera.pivot = [10, -4, 3];
  const before = camera.toScreen(camera.flatten(camera.pivot));
  const aside = camera.toScreen(camera.flatten([11, -4, 3]));
  camera.turn(70, -25);
  const after = camera.toScreen(camera.flatten(camera.pivot));
  before.forEach((value, i) => assert.ok(Math.abs(value - after[i]) < 1e-9, `${before}, ${after}`));
  assert.notDeepEqual(camera.toScreen(camera.flatten([11, -4, 3])), aside);
});

test("a scene has beams with the directions of their ends, and the rings of bushings", () => {
  const document = {
    ground: { points: { O: [0, 0] }, vectors: { x: [1, 0] } },
    bodies: [{ name: "a", points: { A: [0, 0] }, vectors: { x: [0, 1] } }],
    forces: [
      { type: "beam", points: ["ground.O", "a.A"], vectors: ["ground.x", "a.x"] },
      { type: "bushing", points: ["ground.O", "a.A"] },
    ],
  };
  const scene = readScene(modelScene(document));
  assert.deepEqual(scene.beams, [{ points: [0, 1], axes: [{ body: -1, vector: [1, 0] }, { body: 0, vector: [0, 1] }] }]);
  assert.deepEqual(scene.bushings, [1]);
});

test("a scene ties bodies, springs and rails to the points", () => {
  const document = {
    ground: { points: { O: [0, 0], unused: [1, 1] }, vectors: { u: [0, 1] } },
    bodies: [{ name: "a", points: { A: [0, 0] }, vectors: { u: [0, 1] } }, { name: "ab", points: { B: [1, 0] } }],
    joints: [{ type: "translational", points: ["a.A", "ground.O"], vectors: ["a.u", "ground.u"] }],
    forces: [{ type: "spring-damper", points: ["a.A", "ab.B"] }],
    view: { x: [-1, 1], y: [0, 2] },
  };
  const scene = readScene(modelScene(document));
  // the ground's point is the place of the rail: the rail has hatches at its ends, the point has no support
  assert.deepEqual(scene.supports, []);
  assert.deepEqual(scene.bodies.map(({ points }) => points), [[2], [3]]);
  assert.deepEqual(scene.springs, [[2, 3]]);
  assert.deepEqual(scene.view, document.view);
  const [rail] = scene.rails;
  assert.deepEqual(rail, { from: 0, to: 2, axis: { body: 0, vector: [0, 1] }, fixed: true, straight: true });
});

test("the ground is drawn above what hangs, and below the rest", () => {
  // The ground's point comes first; bodies begin at (0, y).
  const at = (y, dimension = 2) => {
    const spatial = dimension === 3;
    const place = spatial ? [0, y, 0] : [0, y];
    const document = {
      ...(spatial && { space: "spatial" }),
      ground: { points: { O: [0, 0, 0].slice(0, dimension) } },
      bodies: [{ name: "bob", points: { A: place.map((x) => -x) } }],
      joints: [{ type: spatial ? "spherical" : "revolute", points: ["ground.O", "bob.A"] }],
    };
    const turn = spatial ? [1, 0, 0, 0] : [0];
    const numbers = Float64Array.from([...place, ...turn, ...new Array(2 * dimension).fill(0)]);
    return isAbove(0, readScene(modelScene(document)), new Pose(dimension, 1, numbers));
  };
  assert.equal(at(-1), true);
  assert.equal(at(1), false);
  assert.equal(at(-1, 3), false, "in space y is not up");
});

test("motion is interpolated between rows", () => {
  const none = new Float64Array(0);
  const [times, centres, angles] = [[0, 1, 3], [0, 0, 2, 4, 6, 0], [0, 1, 5]].map((row) => Float64Array.from(row));
  const motion = new Motion(times, 2, centres, angles, none);
  const at = (t) => [...motion.seek(t).centres, ...motion.seek(t).turns];
  assert.deepEqual(at(0.5), [1, 2, 0.5]);
  assert.deepEqual(at(2), [4, 2, 3]);
  assert.deepEqual(at(9), [6, 0, 5]);
  assert.equal(motion.frame.t, 3);
});

test("a whole motion is played in some seconds", () => {
  for (const duration of [1e-3, 0.02, 0.5, 1, 2, 4, 7, 20, 3600, 1e7]) {
    const speed = defaultSpeed(duration);
    const seconds = duration / speed;
    assert.ok(seconds > 4.4 && seconds < 11.2, `${duration} s take ${seconds} s`);
    assert.ok(speedsAround(speed).includes(speed));
  }
  for (const duration of [0, NaN, Infinity]) assert.equal(defaultSpeed(duration), 1);
  const offered = speedsAround(1);
  assert.deepEqual([offered[0], offered[3], offered.at(-1)], [0.01, 0.1, 100]);
});

test("a column of an array of several units has its own, or none", () => {
  const told = { name: "theta", unit: "m or rad", labels: ["pin.q", "rail.q", "ball.q1"], units: ["rad", "m", ""] };
  assert.deepEqual(told.labels.map((label) => unitOf(told, label)), ["rad", "m", ""]);
  const alike = { name: "T", unit: "s", labels: ["T"] };
  assert.equal(unitOf(alike, "T"), "s");
});

test("numbers on an axis are distinct", () => {
  assert.equal(tickText(160000000, 1e7), "160000000");
  assert.deepEqual([1000.00001, 1000.00002].map((tick) => tickText(tick, 1e-5)), ["1000.00001", "1000.00002"]);
  assert.equal(tickText(0.30000000000000004, 0.1), "0.3");
});

test("buckets keep the extremes of their rows, in their order", () => {
  const values = Float64Array.of(1, 5, 2, 0, -3, -1, NaN, NaN, NaN, 4);
  const rows = { first: 0, end: 10 };
  const extremes = (...which) => Pyramid.of(values).extremes(...which);
  assert.deepEqual(extremes(rows, 3), [1, 5, 0, -3, null, null, 4, 4]);
  assert.deepEqual(extremes({ first: 5, end: 8 }, 1), [-1, null, null]);
  assert.deepEqual(extremes({ first: 1, end: 5 }, 3), [5, 2, 0, -3], "buckets stay where they are");
  const places = Float64Array.from(values, (_, i) => i);
  assert.deepEqual(bucketPlaces(places, rows, 3), [0, 2, 3, 5, 6, 8, 9, 9]);
  assert.deepEqual(rowsAround(places, [2.5, 4]), { first: 2, end: 6 });
  assert.deepEqual(rowsAround(places, [-9, 99]), rows);
  assert.deepEqual(rowsWithin(places, [2.5, 4]), { first: 3, end: 5 });
  assert.deepEqual(rowsWithin(places, [2.2, 2.4]), { first: 3, end: 3 });
  assert.deepEqual([-1, 3.4, 3.6, 99].map((place) => nearestRow(places, place)), [0, 3, 4, 9]);
});

/** A reproducible random sequence. */
function* noise(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Returns the minimum and maximum of the finite values by comparing all of them; infinite if there are none. */
function bruteLimits(values) {
  const found = [Infinity, -Infinity];
  for (const value of values)
    if (Number.isFinite(value)) [found[0], found[1]] = [Math.min(found[0], value), Math.max(found[1], value)];
  return found;
}

test("a pyramid returns the extremes of any rows, in their order", () => {
  const random = noise(7);
  const next = (most) => Math.floor(random.next().value * most);
  for (const count of [0, 1, 7, 8, 9, 64, 1000, 4097]) {
    // The data contain many equal and some non-finite values.
    const values = Float64Array.from({ length: count }, () => [NaN, Infinity, -Infinity, next(9), next(9), next(1e9)][next(6)]);
    const pyramid = Pyramid.of(values);
    for (let i = 0; i < 300; i++) {
      const first = next(count + 1);
      const end = first + next(count - first + 1);
      const [least, greatest] = bruteLimits(values.subarray(first, end));
      assert.deepEqual(pyramid.limits({ first, end }), least <= greatest ? [least, greatest] : undefined);
      const size = 2 + next(count);
      const wanted = [];
      for (let row = first; row < end; row = Math.ceil((row + 1) / size) * size) {
        const rows = values.subarray(row, Math.min(Math.ceil((row + 1) / size) * size, end));
        const both = bruteLimits(rows);
        if (both[0] > both[1]) wanted.push(null, null);
        else wanted.push(...(rows.indexOf(both[0]) < rows.indexOf(both[1]) ? both : both.reverse()));
      }
      assert.deepEqual(pyramid.extremes({ first, end }, size), wanted, `${count} rows, from ${first} to ${end} by ${size}`);
    }
  }
});

test("in each column of pixels a curve goes as far as its rows do", () => {
  const random = noise(3);
  const places = Float64Array.from({ length: 100000 }, (_, i) => i / 1e4);
  const values = places.map((t) => Math.sin(3 * t) + (random.next().value < 1e-3 ? 10 * random.next().value : 0));
  const course = { places, values };
  for (const [range, pixels] of [[[0, 10], 900], [[1.2345, 7.1], 1111], [[2, 2.9], 700], [[4.2, 4.2803], 640]]) {
    const size = bucketSize(rowsAround(places, range), pixels);
    const wide = (range[1] - range[0]) / pixels;
    assert.ok(size <= Math.ceil(1.13 * Math.ceil(wide * 1e4 + 1)), `${size} rows for ${wide * 1e4}`);
    const [xs, ys] = tableOf([[course]], range, pixels);
    assert.ok(xs.length <= 2 * (pixels + 2), `${xs.length} points on ${pixels} pixels`);
    const drawn = (from, to) => bruteLimits(ys.filter((_, i) => xs[i] >= from && xs[i] <= to));
    const rows = (from, to) => bruteLimits(values.filter((_, i) => places[i] >= from && places[i] <= to));
    for (let column = 3; column < pixels - 3; column++) {
      const [from, to] = [column, column + 1].map((pixel) => range[0] + pixel * wide);
      const [least, greatest] = rows(from, to);
      const near = drawn(from - 1.5 * wide, to + 1.5 * wide);
      assert.ok(near[0] <= least && near[1] >= greatest, `a peak of column ${column} is lost`);
      const around = rows(from - 1.5 * wide, to + 1.5 * wide);
      const inside = drawn(from, to);
      assert.ok(inside[0] >= around[0] && inside[1] <= around[1], `a peak next to column ${column}`);
    }
    assert.deepEqual(limitsWithin(course, range), rows(...range));
  }
});

test("columns of different lengths as CSV", () => {
  const columns = [{ head: "t [s]", values: [0, 0.1, 2e-30] }, { head: '=1+1, "x"', values: [NaN, -Infinity] }];
  assert.equal(csvText(columns), 't [s],"\'=1+1, ""x"""\r\n0,nan\r\n0.1,-inf\r\n2e-30,\r\n');
});

test("documents differ value by value", () => {
  const one = { parameters: { a: 0.3, "b/c": 1 }, bodies: [{ name: "x", at: [0, 1] }] };
  const other = { bodies: [{ name: "x", at: [0, 2] }], parameters: { a: 0.3 }, tag: null };
  assert.deepEqual(differencesOf(JSON.stringify(one), JSON.stringify(other)), [
    { pointer: "/parameters/b~1c", one: "1", other: "" },
    { pointer: "/bodies/0/at/1", one: "1", other: "2" },
    { pointer: "/tag", one: "", other: "null" },
  ]);
});

test("the spectrum of a sine is its amplitude, for any number of rows and any mean", () => {
  for (const rows of [1000, 1024, 5001]) {
    const times = Float64Array.from({ length: rows }, (_, row) => 2 + (10 * row) / (rows - 1));
    const values = times.map((t) => 7 + 0.25 * Math.sin(2 * Math.PI * 20 * t));
    const { frequencies, amplitudes } = spectrumOf(times, values, { first: 0, end: rows });
    const greatest = amplitudes.indexOf(Math.max(...amplitudes));
    assert.ok(Math.abs(frequencies[greatest] - 20) < 0.1, `${frequencies[greatest]} Hz`);
    assert.ok(Math.abs(amplitudes[greatest] - 0.25) < 0.01, `${amplitudes[greatest]}`);
    assert.ok(amplitudes[0] < 1e-3, "without the mean");
  }
  assert.equal(spectrumOf(Float64Array.of(1, 2), Float64Array.of(1, 2), { first: 0, end: 2 }).frequencies.length, 0);
});

test("of a long result the extremes are kept, and all rows of a part", async () => {
  const rows = 10000;
  const columns = { T: (row) => row / 1000, peak: (row) => (row === 7777 ? 100 : Math.sin(row)) };
  const asked = [];
  const read = (name, stride, _, [from, to] = [-Infinity, Infinity]) => {
    const within = Array.from({ length: rows }, (_, row) => row).filter((row) => row / 1000 >= from && row / 1000 <= to);
    const chosen = within.filter((_, i) => i % stride === 0);
    asked.push(chosen.length);
    return Promise.resolve({ shape: [chosen.length], data: Float64Array.from(chosen, columns[name]) });
  };
  const column = { array: "peak", label: undefined, title: "peak", unit: "" };
  const whole = await Recording.open(read, rows, 1000, 2500);
  await whole.load(column);
  assert.equal(whole.bucket, 20);
  assert.ok(Math.max(...asked) <= 2501, `at most one chunk for each request: ${asked}`);
  assert.equal(whole.times.length, whole.values(column).length);
  assert.ok(whole.times.length <= 1010, `${whole.times.length} values`);
  assert.deepEqual([whole.times[0], whole.times.at(-1)], [0, 9.999]);
  const row = whole.values(column).indexOf(100);
  assert.ok(Math.abs(whole.times[row] - 7.777) < 0.021, "the peak is in its bucket");
  assert.equal(await whole.part([0, 9]), undefined, "too much for all rows");
  const part = await whole.part([7.7, 7.8]);
  await part.load(column);
  assert.equal(part.bucket, 1);
  assert.ok(part.times[0] <= 7.7 && part.times.at(-1) >= 7.8 && part.times.length < 150);
  assert.equal(part.times[part.values(column).indexOf(100)], 7.777);
});

// ---- drawing, on a canvas that records calls ---------------------------------------------------------------------

Object.assign(globalThis, { document: {}, getComputedStyle: () => ({ getPropertyValue: (name) => name }) });

/** Returns a canvas context that records in `places` all pixels through which something was drawn, with the radius
 * of circles. */
function notebook() {
  const places = [];
  const note = (x, y, radius = 0) => places.push([x, y, radius]);
  const none = () => {};
  const measureText = (text) => ({ width: 6 * text.length });
  const texts = { fillText: none, strokeText: none, fillRect: none, setLineDash: none, measureText };
  const strokes = { beginPath: none, closePath: none, fill: none, stroke: none, rect: none };
  return { ...texts, ...strokes, places, moveTo: note, lineTo: note, arc: note };
}

const SIZE = [600, 400];

/** Returns a painter of a document with this motion, with its camera fitted to it. */
function painterOf(document, { times, dimension, centres, turns, places }) {
  const scene = readScene(modelScene(document, dimension));
  const arrays = [times, centres, turns, places].map((rows) => Float64Array.from(rows.flat(9)));
  const motion = new Motion(arrays[0], dimension, ...arrays.slice(1));
  const camera = new Camera();
  const painter = new Painter(scene, motion, camera);
  camera.resize(...SIZE);
  camera.fit(painter.bounds(), 40);
  const draw = (t) => {
    motion.seek(t);
    const context = notebook();
    painter.draw(context, ...SIZE);
    return context.places;
  };
  return { scene, motion, camera, painter, draw };
}

/** Returns the spatial frame of a body that is rotated by an angle about z. */
function aboutZ(angle) {
  return [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
}

function nearTo(actual, expected, message, error = 1e-9) {
  assert.equal(actual.length, expected.length, message);
  actual.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < error, `${message}: ${actual}`));
}

test("a body in space is turned by its Euler parameters, the short way between two rows", () => {
  const turns = Float64Array.from([...aboutZ(0), ...aboutZ(Math.PI / 2).map((component) => -component)]);
  const motion = new Motion(Float64Array.of(0, 1), 3, Float64Array.of(1, 2, 3, 1, 2, 3), turns, new Float64Array(0));
  motion.seek(1);
  nearTo(motion.place(0, [1, 0, 5]), [1, 3, 8], "at the end");
  motion.seek(0.5);
  nearTo(motion.rotate(0, [1, 0, 0]), [Math.SQRT1_2, Math.SQRT1_2, 0], "half way");
});

const SPINNER = {
  space: "spatial",
  bodies: [{ name: "a", shapes: [{ type: "line", from: [0, 0, 0], to: [2, 0, 0] }] }],
  view: { x: [-0.1, 0.1], y: [-0.1, 0.1], z: [-0.1, 0.1] },
};
const SPIN = {
  times: [0, 1, 2],
  dimension: 3,
  centres: [[0, 0, 0], [0, 0, 0], [0, 0, 9]],
  turns: [aboutZ(0), aboutZ(1), aboutZ(3)],
  places: [],
};

test("a spatial body's shapes are drawn, turn, and fit the canvas at every instant", () => {
  const { scene, draw } = painterOf(SPINNER, SPIN);
  assert.equal(scene.bodies[0].shapes.length, 1);
  assert.notDeepEqual(draw(0), draw(1));
  for (const t of SPIN.times)
    for (const [x, y] of draw(t)) assert.ok(x >= 0 && x <= SIZE[0] && y >= 0 && y <= SIZE[1], `${x}, ${y} at ${t}`);
});

test("the rotation of a spatial body with only its mass centre is visible", () => {
  const { draw } = painterOf({ ...SPINNER, bodies: [{ name: "a" }] }, SPIN);
  assert.notDeepEqual(draw(0), draw(1));
});

test("a spatial rail lies along its axis", () => {
  const document = {
    ground: { points: { O: [0, 0, 0] }, vectors: { u: [0, 0, 1] } },
    bodies: [{ name: "a", points: { A: [0, 0, 0] }, vectors: { u: [0, 0, 1] } }],
    joints: [{ type: "prismatic", points: ["a.A", "ground.O"], vectors: ["a.u", "ground.u"] }],
  };
  const centres = [[0, 0, 1], [0, 0, 3]];
  const places = centres.map((centre) => [[0, 0, 0], centre]);
  const motion = { times: [0, 1], dimension: 3, centres, turns: [aboutZ(0), aboutZ(0)], places };
  const { scene, camera, draw } = painterOf(document, motion);
  assert.deepEqual(scene.rails[0].axis, { body: 0, vector: [0, 0, 1] });
  const [x, y] = camera.toScreen(camera.flatten([0, 0, 3]));
  const end = draw(0).find(([px, py]) => Math.abs(px - x) < 1e-6 && Math.abs(py - y + 30 * Math.cos(0.35)) < 1e-6);
  assert.ok(end, "the rail ends 30 pixels beyond the slider's last place");
});

const BALL = {
  ground: { points: { O: [0, 0, 0] }, vectors: { n: [0, 0, 1] } },
  bodies: [{ name: "ball", points: { C: [0, 0, 0] } }],
  forces: [{ name: "floor", type: "contact", point: "ball.C", radius: 0.5, plane: ["ground.O", "ground.n"] }],
};

/** Returns a motion of a ball's centre, the only point except that of the ground. */
function rolling(centres) {
  const places = centres.map((centre) => [[0, 0, 0], centre]);
  return { times: centres.map((_, t) => t), dimension: 3, centres, turns: centres.map(() => aboutZ(0)), places };
}

test("a ball and its plane are drawn, and fit the canvas", () => {
  const { scene, camera, draw } = painterOf(BALL, rolling([[0, 0, 2], [4, 1, 0.5]]));
  assert.deepEqual(scene.rounds, [{ body: 0, at: 1, radius: 0.5 }]);
  assert.deepEqual(scene.floors[0].normal, [0, 0, 1]);
  for (const t of [0, 1]) {
    const places = draw(t);
    assert.ok(places.some(([, , radius]) => Math.abs(radius - 0.5 * camera.scale) < 1e-9));
    for (const [x, y, radius] of places) assert.ok(x >= radius && x + radius <= SIZE[0] && y + radius <= SIZE[1]);
  }
  const corner = camera.toScreen(camera.flatten([-0.75, -0.75, 0]));
  assert.ok(draw(0).some(([x, y]) => Math.hypot(x - corner[0], y - corner[1]) < 1e-6), "the plane's corner");
});

/** Returns true if something was drawn through a position. */
function passes(places, camera, place) {
  const [x, y] = camera.toScreen(place);
  return places.some(([px, py]) => Math.hypot(px - x, py - y) < 1e-6);
}

test("the slot of a pin is on the first body, at its distance, and turns with it", () => {
  const document = {
    ground: { points: { O: [0.5, 2] } },
    bodies: [{ name: "a", points: { A: [0, 0] }, vectors: { u: [1, 0] } }],
    joints: [{ type: "revolute-translational", points: ["a.A", "ground.O"], vectors: ["a.u"], offset: 2 }],
  };
  // The slot is rotated by a quarter turn: it is vertical, and 2 to the left of A.
  const centres = [[0, 0], [2.5, 1]];
  const places = centres.map((centre) => [[0.5, 2], centre]);
  const motion = { times: [0, 1], dimension: 2, centres, turns: [0, Math.PI / 2], places };
  const { camera, draw } = painterOf(document, motion);
  const spare = 30 / camera.scale;
  assert.ok(passes(draw(0), camera, [-spare, 2]) && passes(draw(0), camera, [1 + spare, 2]), "at the start");
  assert.ok(passes(draw(1), camera, [0.5, 1 - spare]) && passes(draw(1), camera, [0.5, 2 + spare]), "at the end");
});

const SQUARE = [[1, 0], [0, 1], [-1, 0], [0, -1]];

test("the curve of a point-follower is drawn on its second body", () => {
  const curve = { point: "a.A", closed: true, whole: true, outline: SQUARE };
  const document = {
    bodies: [{ name: "pin", points: { P: [0, 0] } }, { name: "a", points: { A: [0, 0] } }],
    joints: [{ type: "point-follower", points: ["pin.P", "a.A"], curve: [curve] }],
  };
  const centres = [[[1, 0], [0, 0]], [[2, 3], [2, 2]]];
  const motion = { times: [0, 1], dimension: 2, centres, turns: [[0, 0], [0, Math.PI / 4]], places: centres };
  const { camera, draw } = painterOf(document, motion);
  assert.ok(passes(draw(0), camera, [0, -1]));
  assert.ok(passes(draw(1), camera, [2 - Math.SQRT1_2, 2 - Math.SQRT1_2]) && !passes(draw(1), camera, [2, 1]));
  for (const [x, y] of draw(1).slice(-8)) assert.ok(x > 0 && x < SIZE[0] && y > 0 && y < SIZE[1]);
});

test("a curve without ends is drawn as far as it is touched, one with ends wholly except for gaps", () => {
  const outline = Array.from({ length: 101 }, (_, i) => (i === 55 ? [null, null] : [i - 50, 0]));
  const slot = { point: "a.A", closed: false, first: -5, step: 0.1, outline };
  const document = {
    bodies: [{ name: "pin", points: { P: [0, 0] } }, { name: "a", points: { A: [0, 0] } }],
    joints: [{ name: "s", type: "point-follower", points: ["pin.P", "a.A"] }],
  };
  const curveOf = (whole) => {
    document.joints[0].curve = [{ ...slot, whole }];
    return readScene(modelScene(document)).curves[0];
  };
  assert.equal(curveOf(true).outline.length, 100);
  assert.equal(curveOf(false).endless.label, "s.alpha1");
  const part = touchedPart(curveOf(false), Float64Array.of(0, 1, 0.5)).map(([x]) => x);
  assert.ok(part[0] <= 0 && part[0] > -4 && part.at(-1) >= 10 && part.at(-1) < 14 && !part.includes(null), `${part}`);
  assert.equal(touchedPart(curveOf(true), Float64Array.of(0)).length, 100);
});

test("pitch circles of gears touch", () => {
  const document = {
    bodies: [{ name: "a", points: { A: [0, 0] } }, { name: "b", points: { B: [0, 0] } }],
    joints: [{ type: "gear", points: ["a.A", "b.B"], ratio: -0.5 }],
  };
  const centres = [[[0, 0], [6, 0]], [[0, 0], [6, 0]]];
  const motion = { times: [0, 1], dimension: 2, centres, turns: [[0, 0], [1, -0.5]], places: centres };
  const { camera, draw } = painterOf(document, motion);
  const radii = draw(0).map(([, , radius]) => radius / camera.scale);
  for (const radius of [2, 4]) assert.ok(radii.some((other) => Math.abs(radius - other) < 1e-9), `${radius}`);
});

test("gears with teeth have their pitch circles, a planet of two meshes one", () => {
  const flat = readScene(modelScene({
    bodies: [{ name: "sun", points: { O: [0, 0] } }, { name: "planet", points: { C: [0, 0] } }, { name: "rack", points: { P: [0, 0] } }],
    joints: [
      { type: "gear-pair", points: ["sun.O", "planet.C"], teeth: [30, 20], module: 0.002 },
      { type: "gear-pair", points: ["ground.O", "planet.C"], radii: [0.07, 0.02], mesh: "internal" },
      { type: "rack-and-pinion", points: ["sun.O", "rack.P"], teeth: 10, module: 0.004 },
    ],
    ground: { points: { O: [0, 0] } },
  }));
  assert.deepEqual(flat.rounds, [
    { body: 0, at: 1, radius: 0.03, toothed: true },
    { body: 1, at: 2, radius: 0.02, toothed: true },
    { body: -1, at: 0, radius: 0.07, toothed: true, ring: true },
    { body: 0, at: 1, radius: 0.02, toothed: true },
  ]);
});

/** Returns a painter of bodies with joints between teeth, whose bodies are at `centres` and turn by `turns`, and the
 * shapes of its gears. Body i has a point P at its mass centre and a vector x; `shapes` are those of the bodies. */
function gearsOf(joints, centres, turns, shapes = []) {
  const parts = { points: { P: [0, 0] }, vectors: { x: [1, 0] } };
  const bodies = centres.map((_, i) => ({ name: `b${i}`, ...parts, shapes: shapes[i] ?? [] }));
  const rows = turns.map(() => centres);
  const motion = { times: turns.map((_, t) => t), dimension: 2, centres: rows, turns, places: rows };
  const painted = painterOf({ bodies, joints }, motion);
  const shapesOf = new Gearing(painted.scene, findExtents(painted.scene, painted.motion).meshes, painted.motion);
  return { ...painted, parts: (body) => shapesOf.of(body) };
}

/** Returns the middles of the tips of a gear's or rack's teeth; `skip`: the number of corners before the teeth. */
function tipsOf({ motion, parts }, body, skip = 0) {
  const [{ points, teeth }] = parts(body).gears;
  const flanks = teeth ? points.slice(0, 4 * teeth.count) : points.slice(skip, -3);
  const corners = flanks.map((point) => motion.place(body, point));
  return corners.flatMap((corner, i) => (i % 4 === 1 ? [corner.map((x, k) => (x + corners[i + 1][k]) / 2)] : []));
}

/** Checks that the tooth of the second gear nearest to the contact, at x on the x axis, is half a pitch from the
 * nearest tooth of the first one. */
function assertMesh(gears, [first, second], x, pitch) {
  for (const t of [0, 1, 0.37]) {
    gears.motion.seek(t);
    const nearest = (body, to) => tipsOf(gears, body, 1)
      .filter((tip) => Math.abs(tip[0] - x) < pitch)
      .map((tip) => tip[1])
      .reduce((best, y) => (Math.abs(y - to) < Math.abs(best - to) ? y : best));
    const tooth = nearest(second, 0);
    const offset = Math.abs(nearest(first, tooth) - tooth) / pitch;
    assert.ok(Math.abs(offset - 0.5) < 0.2, `t = ${t}: ${offset} of the pitch`);
  }
}

test("wheels with a gear have teeth of one module in the gaps of each other, while they turn", () => {
  const wheels = [2, 4].map((radius) => [{ type: "circle", radius, at: [0, 0], color: "red" }]);
  const joint = { type: "gear", points: ["b0.P", "b1.P"], ratio: -0.5 };
  const gears = gearsOf([joint], [[0, 0], [6, 0]], [[0.1, 0.2], [1.1, -0.3]], wheels);
  const [small, large] = [0, 1].map((body) => gears.parts(body));
  assert.deepEqual([small, large].map(({ gears: [gear], others }) => [gear.teeth.count, gear.colour, others.length]), [
    [12, "red", 0],
    [24, "red", 0],
  ]);
  assertMesh(gears, [0, 1], 2, (2 * Math.PI * 2) / 12);
  const beyond = gears.draw(0).filter(([x, y]) => {
    const [px, py] = gears.camera.toScreen([6, 0]);
    return Math.hypot(x - px, y - py) > 4.2 * gears.camera.scale && x > px;
  });
  assert.ok(beyond.length > 12, `${beyond.length} corners of teeth outside of the pitch circle`);
  // A ratio that no whole numbers of teeth have.
  const uneven = gearsOf([{ ...joint, ratio: -2 / 3.7 }], [[0, 0], [5.7, 0]], [[0, 0], [0, 0]]);
  const counts = [0, 1].map((body) => uneven.parts(body).gears[0].teeth.count);
  assert.deepEqual(counts, [20, 37]);
  assertMesh(uneven, [0, 1], 2, (2 * Math.PI * 2) / 20);
});

test("a ring has inner teeth, a train one module, a rack teeth along its body in place of the bar", () => {
  const ring = { type: "gear-pair", points: ["b0.P", "b1.P"], radii: [2, 5], mesh: "internal" };
  const inside = gearsOf([ring], [[3, 0], [0, 0]], [[0.3, 0], [1.3, 0.4]]);
  assert.equal(inside.parts(1).gears[0].teeth.count, 30);
  const radii = inside.parts(1).gears[0].points.map((point) => Math.hypot(...point));
  assert.ok(Math.abs(Math.min(...radii) - (5 - 1 / 3)) < 1e-9, "teeth to the centre");
  assert.ok(Math.max(...radii) > 5.5, "a rim outside");
  assertMesh(inside, [0, 1], 5, (2 * Math.PI * 2) / 12);

  // The last gear of the train has its own teeth.
  const joints = [
    { type: "gear-pair", points: ["b0.P", "b1.P"], radii: [1, 2] },
    { type: "gear-pair", points: ["b1.P", "b2.P"], radii: [2, 1.5] },
  ];
  const own = [[], [], [{ type: "gear", at: [0, 0], teeth: 30, module: 0.1, angle: 0.05 }]];
  const train = gearsOf(joints, [[0, 0], [3, 0], [6.5, 0]], [[0, 0, 0], [2, -1, 4 / 3]], own);
  assert.deepEqual([0, 1].map((body) => train.parts(body).gears[0].teeth.count), [20, 40]);
  assert.equal(train.parts(2).gears.length, 0);
  assertMesh(train, [0, 1], 1, 0.1 * Math.PI);

  const bar = [[], [{ type: "line", from: [-3, 0], to: [4, 0] }]];
  const pinion = { type: "rack-and-pinion", points: ["b0.P", "b1.P"], vectors: ["b1.x"], radius: 1 };
  const up = [0.2, Math.PI / 2];
  const rack = gearsOf([pinion], [[0, 0], [1, 0]], [up, up], bar);
  assert.equal(rack.parts(1).others.length, 0, "the bar");
  const along = tipsOf(rack, 1, 1).map(([, y]) => y);
  assert.ok(along.length > 10 && Math.min(...along) >= -3 && Math.max(...along) <= 4, `${along}`);
  assertMesh(rack, [0, 1], 1, (2 * Math.PI) / 12);
});

test("a cam is filled, a slot is not", () => {
  const curve = { point: "a.A", closed: true, whole: true, outline: SQUARE };
  const filled = (type, shapes = []) => {
    const document = {
      bodies: [{ name: "a", points: { A: [0, 0] }, shapes }, { name: "b", points: { P: [0, 0] } }],
      joints: [{ type, points: ["a.A", "b.P"], curve: [curve] }],
    };
    const centres = [[[0, 0], [2, 0]]];
    const still = { times: [0], dimension: 2, centres, turns: [[0, 0]], places: centres };
    const { painter, scene, motion, camera } = painterOf(document, still);
    const context = notebook();
    let [corners, count] = [0, 0];
    const [top] = [camera.toScreen([0, 1])];
    context.beginPath = () => (corners = context.places.length);
    context.fill = () => {
      if (context.places.slice(corners).some(([x, y]) => Math.hypot(x - top[0], y - top[1]) < 1e-9)) count++;
    };
    painter.draw(context, ...SIZE);
    const halo = notebook();
    outlineBody(halo, 0, { scene, motion, camera });
    return [count, halo.places.some(([x, y]) => Math.hypot(x - top[0], y - top[1]) < 1e-9)];
  };
  assert.deepEqual(filled("cam-follower"), [1, true]);
  assert.deepEqual(filled("cam-flat-follower", [{ type: "line", from: [0, 0], to: [1, 0] }]), [1, true]);
  assert.deepEqual(filled("cam-follower", [{ type: "circle", radius: 0.5, at: [0, 0] }]), [0, true], "its own shape");
  assert.deepEqual(filled("point-follower"), [0, false]);
});

test("the ground below a pin is drawn over bodies and under the pin", () => {
  const document = {
    ground: { points: { O: [0, 0] } },
    bodies: [{ name: "a", points: { A: [0, 0] }, shapes: [{ type: "line", from: [0, 0], to: [0, -2] }] }],
    joints: [{ type: "revolute", points: ["ground.O", "a.A"] }],
  };
  const motion = { times: [0], dimension: 2, centres: [[[0, 0]]], turns: [[0]], places: [[[0, 0], [0, 0]]] };
  const { camera, draw } = painterOf(document, motion);
  const places = draw(0);
  const [x, y] = camera.toScreen([0, 0]);
  const is = (place, wanted) => place.every((value, i) => Math.abs(value - wanted[i]) < 1e-6);
  const last = (wanted) => places.findLastIndex((place) => is(place, wanted));
  const [bar, ground, pin] = [[...camera.toScreen([0, -2]), 0], [x - 8, y + 12, 0], [x, y, 3.25]].map(last);
  assert.ok(bar >= 0 && bar < ground && ground < pin, `${bar} ${ground} ${pin}`);
});

test("the border of a selected wheel is a circle", () => {
  const document = { bodies: [{ name: "a", shapes: [{ type: "circle", radius: 2, at: [0, 0] }] }] };
  const still = { times: [0], dimension: 2, centres: [[[0, 0]]], turns: [[0]], places: [[]] };
  const { camera, scene, motion } = painterOf(document, still);
  const context = notebook();
  outlineBody(context, 0, { scene, motion, camera });
  assert.deepEqual(context.places, [[...camera.toScreen([0, 0]), 2 * camera.scale]]);
});

test("a bevel gear is at its distance from the apex", () => {
  const document = {
    space: "spatial",
    bodies: ["a", "b"].map((name) => ({ name, points: { O: [0, 0, 0] }, vectors: { z: [0, 0, 1], x: [1, 0, 0] } })),
    joints: [{ type: "bevel-gear", points: ["a.O", "b.O"], vectors: ["a.z", "b.x"], radii: [1, 2] }],
  };
  const centres = [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]];
  const motion = { times: [0, 1], dimension: 3, centres, turns: centres.map(() => [...aboutZ(0), ...aboutZ(0)]), places: centres };
  const { scene, painter } = painterOf(document, motion);
  assert.deepEqual(scene.rounds.map(({ axis, mate }) => [axis, mate.vector, mate.radius]), [
    [[0, 0, 1], [1, 0, 0], 2],
    [[1, 0, 0], [0, 0, 1], 1],
  ]);
  // At right angles each gear is at the radius of the other.
  assert.deepEqual(scene.rounds.map((round) => centreOfRound(round, painter.motion).map((x) => Math.round(1e9 * x) / 1e9)), [
    [0, 0, 2],
    [1, 0, 0],
  ]);
});

test("a disc and its ground line are drawn; a view that the motion leaves gives way to all of it", () => {
  const document = {
    ground: { points: { O: [0, 0] }, vectors: { u: [1, 0] } },
    bodies: [{ name: "wheel", points: { C: [0, 0] } }],
    joints: [{ type: "disc", points: ["ground.O", "wheel.C"], vectors: ["ground.u"], radius: 0.5 }],
  };
  const centres = [[0, 0.5], [8, 0.5]];
  const places = centres.map((centre) => [[0, 0], centre]);
  const motion = { times: [0, 1], dimension: 2, centres, turns: [0, -16], places };
  const paint = (view) => painterOf({ ...document, view }, motion);
  const { camera, painter, draw } = paint();
  assert.deepEqual(painter.bounds(), { x: [-0.5, 8.5], y: [0, 1] }, "with the disc, not only its centre");
  assert.ok(passes(draw(0), camera, [-0.8, 0]) && passes(draw(0), camera, [8.8, 0]), "the ground line");
  assert.deepEqual(paint({ x: [-1, 4], y: [0, 2] }).painter.bounds(), painter.bounds());
  assert.deepEqual(paint({ x: [-1, 9], y: [0, 2] }).painter.bounds(), { x: [-1, 9], y: [0, 2] });
});

test("the line that shapes touch is drawn along all bodies, and has no point", () => {
  const document = {
    ground: { points: { O: [0, 1] }, vectors: { u: [1, 0] } },
    bodies: [{ name: "box", shapes: [{ type: "rectangle", width: 2, height: 1, at: [0, 0], angle: 0 }] }],
    forces: [{ name: "floor", type: "contact", line: ["ground.O", "ground.u"], shapes: ["box.a"], law: "rigid" }],
  };
  const centres = [[0, 1.5], [8, 1.5]];
  const motion = { times: [0, 1], dimension: 2, centres, turns: [0, 0], places: [[[0, 1]], [[0, 1]]] };
  const { scene, camera, draw } = painterOf(document, motion);
  assert.deepEqual([scene.floors, scene.forces[0].floor], [[], undefined]);
  assert.deepEqual(scene.planes, [{ carrier: -1, at: [0, 1], normal: [-0, 1] }]);
  assert.ok(passes(draw(0), camera, [-2, 1]) && passes(draw(0), camera, [10, 1]), "from -1 to 9, and a tenth more");
});

test("a half-space is a square below all bodies", () => {
  const document = {
    space: "spatial",
    ground: { shapes: [{ type: "half-space", name: "floor", at: [0, 0, 0], normal: [0, 0, 2], color: "green" }] },
    bodies: [{ name: "ball", shapes: [{ type: "sphere", radius: 0.5, at: [0, 0, 0] }] }],
  };
  const centres = [[0, 0, 2], [9, 0, 0.5]];
  const motion = { times: [0, 1], dimension: 3, centres, turns: centres.map(() => aboutZ(0)), places: [[], []] };
  const { scene, camera, draw } = painterOf(document, motion);
  assert.deepEqual(scene.planes, [{ carrier: -1, at: [0, 0, 0], normal: [0, 0, 2], colour: "green" }]);
  const corner = camera.toScreen(camera.flatten([10.5, 1.5, 0]));
  assert.ok(draw(0).some(([x, y]) => Math.hypot(x - corner[0], y - corner[1]) < 1e-6), "a tenth beyond the ball");
});

test("a wheel on a plane in space is a ring around its axis, a ball on a plane is round", () => {
  const at = { ground: { points: { O: [0, 0, 0] }, vectors: { z: [0, 0, 1] } } };
  const joint = { type: "rolling", points: ["ground.O", "wheel.C"], radius: 0.5 };
  const wheel = { name: "wheel", points: { C: [0, 0, 0] }, vectors: { a: [0, 1, 0] } };
  const sceneOf = (vectors, shapes = []) => {
    const document = { space: "spatial", ...at, bodies: [{ ...wheel, shapes }], joints: [{ ...joint, vectors }] };
    return readScene(modelScene(document));
  };
  const [ring] = sceneOf(["ground.z", "wheel.a"]).rounds;
  assert.deepEqual(ring, { body: 0, at: 1, radius: 0.5, axis: [0, 1, 0] });
  const ball = sceneOf(["ground.z"]);
  assert.equal(ball.rounds[0].axis, undefined);
  assert.deepEqual(ball.floors, [{ carrier: -1, from: 0, to: 1, normal: [0, 0, 1], radius: 0.5 }]);
});

test("the edge of a blade is drawn at its point, along it", () => {
  const document = {
    ground: { points: { O: [0, 0] } },
    bodies: [{ name: "skate", points: { P: [1, 0] }, vectors: { u: [1, 0] } }],
    joints: [{ type: "knife-edge", points: ["ground.O", "skate.P"], vectors: ["skate.u"] }],
  };
  const centres = [[0, 0], [4, 3]];
  const places = [[[0, 0], [1, 0]], [[0, 0], [4, 4]]];
  const motion = { times: [0, 1], dimension: 2, centres, turns: [0, Math.PI / 2], places };
  const { camera, draw } = painterOf(document, motion);
  const half = 12 / camera.scale;
  for (const way of [-half, half]) {
    assert.ok(passes(draw(0), camera, [1 + way, 0]) && !passes(draw(0), camera, [1, way]));
    assert.ok(passes(draw(1), camera, [4, 4 + way]) && !passes(draw(1), camera, [4 + way, 4]));
  }
});

/** A car with a tyre that heads upwards, a star that attracts it, a motor at its pin, and torsion springs. */
const FORCED = {
  ground: { points: { O: [0, 0] } },
  bodies: [
    { name: "car", points: { P: [1, 0] }, vectors: { x: [1, 0] } },
    { name: "star", points: {} },
    { name: "vane", points: { Q: [0, 0] } },
  ],
  joints: [
    { name: "pin", type: "revolute", points: ["ground.O", "car.P"] },
    { name: "hinge", type: "revolute", points: ["car.P", "vane.Q"] },
  ],
  forces: [
    { name: "wheel", type: "tyre", point: "car.P", vectors: ["car.x"] },
    { name: "pull", type: "gravitation", bodies: ["car", "star"] },
    { name: "motor", type: "dc-motor", joint: "pin" },
    { name: "coil", type: "rotational-spring-damper", bodies: ["car", "vane"] },
    { name: "wire", type: "rotational-spring-damper", bodies: ["ground", "star"] },
  ],
};
const FORCED_MOTION = {
  times: [0, 1],
  dimension: 2,
  centres: [[[0, 0], [3, 4], [0, 1]], [[0, 0], [3, 4], [0, 1]]],
  turns: [[Math.PI / 2, 0, 0], [Math.PI / 2, 0, 0]],
  places: [[[0, 0], [0, 1], [0, 1]], [[0, 0], [0, 1], [0, 1]]],
};

test("symbols of motors and torsion springs are at joints, else at the body", () => {
  const { scene, motion } = painterOf(FORCED, FORCED_MOTION);
  assert.deepEqual(scene.marks, [
    { kind: "motor", joints: [0] },
    { kind: "coil", joints: [1] },
    { kind: "coil", joints: [], body: 1 },
  ]);
  motion.seek(0);
  assert.deepEqual(scene.marks.flatMap((mark) => markPlaces(mark, scene, motion)), [[0, 1], [0, 1], [3, 4]]);
});

test("a recorded run has the forces of tyres and attractions", async () => {
  const { scene, motion } = painterOf(FORCED, FORCED_MOTION);
  const labels = ["wheel.lateral", "wheel.longitudinal", "pull.force", "motor.torque"];
  const arrays = [{ name: "forces", shape: [2, 4], labels }, { name: "reactions", shape: [2, 2, 3] }];
  const data = { forces: [30, 20, 10, 7, 30, 20, 10, 7], reactions: new Array(12).fill(0) };
  const recorded = new Recorded(scene, motion, async (name) => ({ data: Float64Array.from(data[name]) }), arrays);
  await recorded.load(["forces"]);
  motion.seek(0);
  assert.equal(recorded.lacks("forces"), undefined);
  // The tyre heads upwards: 20 along y, 30 to its left. The star is pulled towards the car.
  nearTo([...recorded.at(["forces"]).forces], [-30, 20, -6, -8, 0, 0, 0, 0, 0, 0], "forces");
});

test("a click on the place where a disc touches selects its contact", () => {
  const document = {
    ground: { points: { O: [0, 0] }, vectors: { u: [1, 0] } },
    bodies: [{ name: "wheel", points: { C: [0, 0] }, shapes: [{ type: "circle", radius: 1, at: [0, 0] }] }],
    forces: [{ name: "floor", type: "contact", point: "wheel.C", radius: 1, line: ["ground.O", "ground.u"] }],
  };
  const centres = [[5, 1], [9, 1]];
  const places = centres.map((centre) => [[0, 0], centre]);
  const view = painterOf(document, { times: [0, 1], dimension: 2, centres, turns: [0, -4], places });
  view.motion.seek(0);
  const clicked = (place) =>
    pickElements(view.camera.toScreen(place), 8, view).map(({ kind, index }) => `${kind} ${index}`);
  assert.deepEqual(clicked([5, 0]), ["forces 0", "bodies 0"]);
  assert.deepEqual(clicked([5, 1.9]), ["bodies 0"]);
});

test("a mode moves the bodies by their displacements, about the state", () => {
  const document = {
    ground: { points: { O: [0, 0] }, vectors: { u: [1, 0] } },
    bodies: [
      { name: "slider", points: { B: [0, 0] }, vectors: { u: [1, 0] } },
      { name: "bob", points: { B: [0, 2] } },
    ],
    joints: [
      { name: "rail", type: "translational", points: ["ground.O", "slider.B"], vectors: ["ground.u", "slider.u"] },
      { name: "pin", type: "revolute", points: ["slider.B", "bob.B"] },
    ],
  };
  const places = [[0, 0], [1, 0], [1, 0]];
  const state = { times: [0], dimension: 2, centres: [[1, 0], [1, -2]], turns: [0, 0], places };
  const { scene, motion } = painterOf(document, state);
  // The slider's displacement is 1. The pin's rotation follows it by a quarter of the period and moves the bob's mass
  // centre, 2 below the pin, by 2.
  const [slider, bob] = [[1, 0, 0, 0, 0, 0], [1, -2, 0, 0, 0, -1]];
  const mode = modeMotion(scene, motion, Float64Array.of(...slider, ...bob));
  const at = (t) => {
    mode.seek(t);
    return { slider: mode.centre(0)[0] - 1, turn: mode.turn(1)[0], bob: mode.centre(1), pin: mode.point(2) };
  };
  const [start, quarter, half] = [0, 0.25, 0.5].map(at);
  assert.ok(start.slider > 0.05 && Math.abs(start.turn) < 1e-12);
  assert.ok(Math.abs(quarter.slider) < 1e-12 && Math.abs(quarter.turn - start.slider) < 1e-12);
  nearTo(quarter.bob, [1 + 2 * Math.sin(quarter.turn), -2 * Math.cos(quarter.turn)], "the bob turns about the pin");
  nearTo(start.pin, [1 + start.slider, 0], "the pin moves with the slider");
  assert.ok(Math.abs(half.slider + start.slider) < 1e-12);
});

test("a mode of a body in space turns it about its mass centre", () => {
  const { scene, motion } = painterOf(SPINNER, { ...SPIN, times: [0], centres: [[0, 0, 5]], turns: [aboutZ(0)] });
  const shape = Float64Array.from([0, 0, 0, 0, 0, 1].flatMap((value) => [value, 0]));
  const mode = modeMotion(scene, motion, shape);
  mode.seek(0);
  nearTo(mode.centre(0), [0, 0, 5], "centre");
  const [x, y, z] = mode.rotate(0, [1, 0, 0]);
  assert.ok(x < 1 && y > 0.05 && Math.abs(z) < 1e-12);
});

test("a line whose colour is lost on the background gets one around it", async () => {
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
  assert.equal(contrast("rgba(0, 0, 0, 0.5)", "#ffffff"), undefined);
  const widthsOn = async (field, strokeStyle) => {
    const { strokeVisibly } = await part("drawing/strokes", `${field}${strokeStyle}`);
    globalThis.getComputedStyle = () => ({ getPropertyValue: () => field });
    const widths = [];
    const context = { strokeStyle, lineWidth: 2, stroke: () => widths.push(context.lineWidth) };
    strokeVisibly(context);
    assert.equal(context.strokeStyle, strokeStyle);
    return widths;
  };
  assert.deepEqual(await widthsOn("#141920", "#404040"), [4, 2]);
  assert.deepEqual(await widthsOn("#fbfcfd", "#404040"), [2]);
  assert.deepEqual(await widthsOn("#fbfcfd", "#ffffff"), [4, 2]);
});

test("the numbers of an object have names and places", () => {
  const text = '{ "parameters": { "a": 0.3, "b": "2*a", "c d": -1e-3, "e": [1] } }';
  const members = numberMembers(text, "parameters");
  assert.deepEqual(members.map(({ name, value }) => [name, value]), [["a", 0.3], ["c d", -1e-3]]);
  assert.deepEqual(members.map(({ from, to }) => text.slice(from, to)), ["0.3", "-1e-3"]);
  assert.deepEqual(numberMembers('{ "parameters": 1 }', "parameters"), []);
  assert.deepEqual(numberMembers("{", "parameters"), []);
});

test("a number with a unit is changed in that unit", () => {
  const text = '{ "parameters": { "speed": "60 rpm", "k": "2*a", "L": " -1.5e-3 mm", "w": "5e3", "f": "10 1/s", "g": "21/s" } }';
  const members = numberMembers(text, "parameters");
  const read = members.map(({ name, value, unit }) => [name, value, unit]);
  assert.deepEqual(read, [["speed", 60, "rpm"], ["L", -1.5e-3, "mm"], ["f", 10, "1/s"]]);
  assert.equal(text.slice(members[0].from, members[0].to), '"60 rpm"');
  assert.equal(writtenOf(members[0], 72.5), '"72.5 rpm"');
  assert.equal(writtenOf({ name: "a", value: 1, from: 0, to: 1 }, 2), "2");
  assert.deepEqual(measuredOf("2.5kN"), { value: 2.5, unit: "kN" });
  assert.equal(measuredOf("2*speed"), undefined);
  assert.equal(measuredOf("speed"), undefined);
});

test("the numbers of an array have places, and are changed alone", () => {
  const text = '{ "bodies": [{"points": {"a/b": [ 1,-2e1 ], "c": ["d", 0], "e": 3}}] }';
  const at = (...keys) => numbersAt(text, pointerTo("/bodies/0", "points", ...keys));
  assert.equal(pointerTo("/x", "a/b~"), "/x/a~1b~0");
  const places = at("a/b");
  assert.deepEqual(places.map(({ value }) => value), [1, -20]);
  const inserts = places.map(({ from, to }, i) => ({ from, to, insert: ["10", "2"][i] }));
  assert.equal(changed(text, inserts), text.replace("1,-2e1", "10,2"));
  for (const keys of [["c"], ["e"], ["f"], []]) assert.equal(at(...keys), undefined);
});

test("a slider goes through equal ratios, and from the value itself", () => {
  assert.equal(valueAt(0.3, 0), 0.3);
  assert.deepEqual([-1, 1].map((s) => valueAt(2, s)), [0.4, 10]);
  assert.deepEqual([-1, 1].map((s) => valueAt(-2, s)), [-0.4, -10]);
  assert.equal(valueAt(0, 0.5), 0.5);
});

test("a pixel leads back to a place, in space as deep in the picture as another one", () => {
  const camera = new Camera();
  camera.resize(800, 600);
  camera.zoom(1.7, 100, 50);
  for (const place of [[0.3, -0.7], [0.3, -0.7, 1.2]]) {
    camera.turn(31, -12);
    const found = camera.place(camera.toScreen(camera.flatten(place)), place);
    place.forEach((value, axis) => assert.ok(Math.abs(found[axis] - value) < 1e-12, `${found}`));
  }
});

test("a press takes the point or the body that it hits", () => {
  const body = (name, points, shapes) => ({ name, points, shapes });
  const scene = {
    dimension: 2,
    points: [0, 0, 1].map((body, i) => ({ name: `P${i}`, body })),
    joints: [],
    forces: [],
    curves: [],
    bodies: [
      body("bar", [0, 1], []),
      body("wheel", [2], [{ type: "circle", at: [0, 0], radius: 0.5 }]),
      body("plate", [], [{ type: "polygon", points: [[-1, -1], [1, -1], [1, 1], [-1, 1]] }]),
    ],
  };
  // A bar from (0, 0) to (2, 0) whose x axis points upwards, a wheel at (5, 0), and a plate at (10, 0).
  const numbers = [1, 0, Math.PI / 2, 5, 0, 0, 10, 0, 1, 0, 0, 2, 0, 5, 0];
  const motion = new Pose(2, 3, Float64Array.from(numbers));
  const camera = new Camera();
  camera.resize(2000, 600);
  const at = (place) => pick(camera.toScreen(place), 8, { scene, motion, camera });
  assert.equal(at([2.05, 0]).body, 0);
  assert.ok(Math.hypot(at([2.05, 0]).local[0], at([2.05, 0]).local[1] + 1) < 1e-12, "the point itself is held");
  assert.ok(Math.abs(at([0.5, 0.02]).local[1] - 0.5) < 1e-12, "a place of the bar is held");
  assert.equal(at([5.3, 0.2]).body, 1);
  assert.equal(at([10.6, 0.6]).body, 2);
  assert.equal(at([7, 0]), undefined);
  // A cam belongs to its body.
  const outline = [[-1, -0.2], [2, -0.2], [2, 0.2], [-1, 0.2]];
  scene.curves = [{ carrier: 1, from: 2, outline, closed: true, solid: true }];
  assert.equal(at([6.5, 0.1]).body, 1);
  scene.curves = [];

  // A click selects a joint by its points, or the body of another point, or a body.
  scene.joints = [{ points: [1, 2] }];
  const clicked = (place) => pickElement(camera.toScreen(place), 8, { scene, motion, camera });
  assert.deepEqual(clicked([2.02, 0]), { kind: "joints", index: 0, traced: { point: 1 } });
  assert.deepEqual(clicked([0.02, 0]), { kind: "bodies", index: 0, traced: { point: 0 } });
  assert.deepEqual(clicked([5.3, 0.2]), { kind: "bodies", index: 1, traced: { body: 1 } });
  assert.equal(clicked([7, 0]), undefined);
});

test("in space a press takes a place of the body itself, however it is turned", () => {
  const rod = { name: "rod", points: [], shapes: [{ type: "line", points: [[0, 0, -0.5], [0, 0, 0.5]] }] };
  const numbers = [1, 2, 3, Math.cos(0.6), 0.3, Math.sin(0.6), 0.1];
  const motion = new Pose(3, 1, Float64Array.from(numbers));
  const camera = new Camera();
  camera.resize(800, 600);
  const local = [0, 0, 0.3];
  const pixel = camera.toScreen(camera.flatten(motion.place(0, local)));
  const grip = pick(pixel, 8, { scene: { dimension: 3, bodies: [rod], points: [], curves: [] }, motion, camera });
  local.forEach((value, axis) => assert.ok(Math.abs(grip.local[axis] - value) < 1e-9, `${grip.local}`));
});

test("a typed length and angle lead to a place", () => {
  assert.deepEqual(typedPlace("0.5", [1, 1], [3, 1]), [1.5, 1]);
  const [x, y] = typedPlace("2<90", [0, 0], [1, 0]);
  assert.ok(Math.hypot(x, y - 2) < 1e-12);
  assert.equal(typedPlace("<90", [0, 0], [1, 0]), undefined);
});

test("the speed of a rotation and the numbers of an oscillation are read and written", () => {
  assert.equal(motionNumber("0.5 + 2*pi*t", "speed"), 60);
  assert.equal(withMotionNumber("0.5 + 2*pi*t", "speed", -45), "0.5 + -1.5*pi*t");
  assert.equal(motionNumber("pi*t", "speed"), 30);
  assert.deepEqual(["amplitude", "frequency"].map((name) => motionNumber("0.2 + 0.1*sin(2*pi*t)", name)), [0.1, 1]);
  assert.equal(withMotionNumber("0.1*sin(2*pi*t)", "frequency", 2.5), "0.1*sin(5*pi*t)");
  assert.deepEqual([withMotionStart("2*pi*t", 0.5), withMotionStart("0.5 + 2*pi*t", -0.5)], ["0.5 + 2*pi*t", "2*pi*t"]);
  assert.equal(withMotionStart("sin(t)", 0.5), "0.5 + sin(t)");
  for (const text of ["2*pi*t^2", "sin(t)", "a + 2*pi*t"]) assert.equal(motionNumber(text, "speed"), undefined, text);
});

test("a circle goes through three places, and a linkage through three positions has one branch or two", () => {
  const [x, y] = circleCentre([[3, 2], [1, 4], [-1, 2]]);
  assert.ok(Math.hypot(x - 1, y - 2) < 1e-12);
  assert.equal(circleCentre([[0, 0], [1, 1], [2, 2]]), undefined);
  assert.ok(isOneBranch([[[0, 0], [1, 1]], [[0, 0.1], [1, 1.2]]], [1, 0]));
  assert.ok(!isOneBranch([[[0, 0], [1, 1]], [[0, 0], [1, -1]]], [1, 0]));
});

test("places along a closed curve are at equal distances, wherever it was drawn densely", () => {
  const square = [[0, 0], [0.2, 0], [1, 0], [1, 1], [0.5, 1], [0.5, 1], [0, 1]];
  assert.deepEqual(evenly(square, 4), [[0, 0], [1, 0], [1, 1], [0, 1]]);
  assert.equal(evenly(square, 8).length, 8);
});

test("the search of a four-bar along a path comes close to the path of a four-bar, wherever it is", () => {
  // Coupler points of a crank-rocker at sixths of a turn.
  const path = Array.from({ length: 6 }, (_, i) => {
    const q = 0.4 + (Math.PI * i) / 3;
    const [dx, dy] = [1.1 - 0.3 * Math.cos(q), -0.3 * Math.sin(q)];
    const e = Math.hypot(dx, dy);
    const u = Math.atan2(dy, dx) + Math.acos((0.64 + e * e - 0.81) / (1.6 * e));
    return [5 + 0.3 * Math.cos(q) + 0.4 * Math.cos(u + 0.5), 0.3 * Math.sin(q) + 0.4 * Math.sin(u + 0.5)];
  });
  const found = fourBarAlong(path);
  const { pivot_x: x, pivot_y: y, tilt, crank: a, coupler: b, rocker: c, frame: d, start } = found;
  const places = path.map((_, i) => {
    const q = start + (Math.PI * i) / 3;
    const [dx, dy] = [d * Math.cos(tilt) - a * Math.cos(q), d * Math.sin(tilt) - a * Math.sin(q)];
    const e = Math.hypot(dx, dy);
    const u = Math.atan2(dy, dx) + Math.acos((b * b + e * e - c * c) / (2 * b * e));
    const { point_x: px, point_y: py } = found;
    const turned = [px * Math.cos(u) - py * Math.sin(u), px * Math.sin(u) + py * Math.cos(u)];
    return [x + a * Math.cos(q) + turned[0], y + a * Math.sin(q) + turned[1]];
  });
  const miss = Math.max(...places.map(([u, v], i) => Math.hypot(u - path[i][0], v - path[i][1])));
  assert.ok(miss < 0.1 * 0.3, `${miss} for a crank of 0.3`);
  assert.ok(a + Math.max(b, c, d) <= b + c + d - Math.max(b, c, d), "the crank turns");
});

test("a four-bar along a path has about the size of the path", () => {
  const path = Array.from({ length: 6 }, (_, i) => [0.3 * Math.cos((i * Math.PI) / 3), 0.15 * Math.sin((i * Math.PI) / 3)]);
  const { pivot_x, pivot_y, crank, coupler, rocker, frame } = fourBarAlong(path);
  for (const length of [crank, coupler, rocker, frame, Math.hypot(pivot_x, pivot_y)])
    assert.ok(length <= 3 * 0.3, `${length} for a path of the radius 0.3`);
});

test("mass, inertia and mass centre follow the shape, unless the user has set them", () => {
  const body = (end, mass) => ({
    name: "b", mass, inertia: 0.0006667, points: { A: [0, -0.1], B: [0, end] },
    initial: { position: [1, 1] }, shapes: [{ type: "line", from: [0, -0.1], to: [0, end] }],
  });
  const text = (end, mass) => JSON.stringify({ bodies: [body(end, mass)] });
  const [after] = JSON.parse(remassed(text(0.1, 0.2), text(0.3, 0.2), 0)).bodies;
  assert.deepEqual([after.mass, after.inertia, after.points, after.initial.position], [0.4, 0.005333, { A: [0, -0.2], B: [0, 0.2] }, [1, 1.1]]);
  assert.deepEqual(after.shapes, [{ type: "line", from: [0, -0.2], to: [0, 0.2] }]);
  assert.equal(remassed(text(0.1, 7), text(0.3, 7), 0), text(0.3, 7));
});

test("the elements of a document are listed with their pointers, bare or in a request", () => {
  const model = { drivers: [{ type: "joint", joint: "pin" }], bodies: [{ name: "bob" }], joints: [{ name: "pin", type: "revolute" }] };
  const listed = (document) => elementsOf(JSON.stringify(document)).map((each) => `${each.pointer} ${titleOf(each)}`);
  assert.deepEqual(listed(model), ["/bodies/0 bob", "/joints/0 pin", "/drivers/0 joint 1"]);
  assert.deepEqual(listed({ model })[0], "/model/bodies/0 bob");
  assert.deepEqual(listed({ bodies: 3, joints: [null] }), ["/joints/0 element 1"]);
  assert.deepEqual(listed([]), []);
  assert.equal(elementsOf("{"), undefined);
});

const schema = JSON.parse(readFileSync(new URL("../../schemas/model.schema.json", import.meta.url)));

/** Returns the names of the fields of a part of the schema whose values, or the items of whose values, are texts only. */
function textFields(part) {
  const isText = ({ type, items, anyOf = [], enum: values, const: value }) =>
    !values && value === undefined && (type === "string" || (items ? isText(items) : anyOf.some(isText)));
  return Object.entries(part.properties ?? {}).flatMap(([field, node]) => (isText(node) ? [field] : []));
}

test("every text of the schema is a known reference or no reference", () => {
  const { names, analysisNames, places, words } = REFERENCES;
  // Expressions of outputs, which are no elements.
  const goals = ["minimize", "maximize", "subject_to"];
  for (const [name, part] of Object.entries(schema.$defs))
    for (const field of textFields(part)) {
      const known = [...Object.keys(name === "analysis" ? analysisNames : names), ...places, ...words, ...goals];
      assert.ok(known.includes(field), `${name}.${field}`);
    }
  // A place has the pattern "body.point", except for shapes.
  const isPlace = ({ pattern, items, anyOf = [] }) =>
    pattern?.includes("[.]") || [items, ...anyOf].some((each) => each && isPlace(each));
  for (const part of Object.values(schema.$defs))
    for (const [field, node] of Object.entries(part.properties ?? {}))
      assert.ok(!isPlace(node) || places.includes(field), field);
  // Each list of named elements can be selected, and so be deleted.
  const lists = Object.keys(schema.$defs.model.properties);
  const others = ["name", "description", "space", "parameters", "gravity", "ground", "analysis", "view"];
  assert.deepEqual(new Set(lists), new Set([...others, ...KINDS]));
});

/** Elements that refer to others in each way that the schema has. */
const REFERRING = {
  functions: { F: { x: [0, 1], y: [0, 1] }, G: { arguments: ["n", "y"], value: "F(y) + n" } },
  variables: { n: 0, m: 1 },
  inputs: { f: 0 },
  ground: { points: { O: [0, 0] } },
  bodies: ["a", "b", "c"].map((name) => {
    return { name, points: { P: [0, 0] }, vectors: { u: [1, 0] }, shapes: [{ name: "s" }] };
  }),
  joints: [
    { name: "pin", type: "revolute", points: ["ground.O", "a.P"] },
    { name: "rope", type: "rope", path: [{ point: "ground.O" }, { pulley: "b.P" }, { drum: "a.P" }] },
    { name: "hinge", type: "revolute", points: ["ground.O", "c.P"] },
  ],
  drivers: [{ name: "turn", type: "joint", joint: "pin", function: "F(t)" }],
  forces: [
    { name: "stop", type: "backlash", joints: ["pin", "hinge"] },
    { name: "touch", type: "contact", shapes: ["b.s", "c.s"] },
    { name: "pull", type: "force", body: "c", value: ["n*sample", 0] },
    { name: "pair", type: "gravitation", bodies: ["b", "c"] },
  ],
  states: [{ name: "z", rate: "-z + G(1, 2)" }],
  signals: [{ name: "u", type: "pid", input: "z" }],
  sampled: [{ name: "sample", period: 1, value: "u" }],
  events: [
    { name: "hit", when: "a.x", set: { "pin.qd": 0 } },
    { name: "count", when: "b.x", set: { n: 1 } },
    { name: "reset", when: "t - 1", set: { z: "m" } },
  ],
  sensors: [
    { name: "load", value: "pull.fx" },
    { name: "turn", value: "turn.effort" },
    { name: "u", description: "of n and pin.q", value: "u" },
  ],
  analysis: {
    hold: ["pin", "hinge"],
    input: ["turn", "w"],
    output: ["load", "turn"],
    outputs: ["uT", "load"],
    inputs: { f: { t: [0], values: [1] } },
    stop_when: { when: "pin.q - 1" },
  },
};

test("elements refer to others by name, by point, in expressions, by what an event sets", () => {
  const elements = elementsOf(JSON.stringify(REFERRING));
  const of = (kind, name) => elements.find((each) => each.kind === kind && each.name === name);
  const needing = (kind, name) => dependents(of(kind, name), elements).map((each) => each.name).join(" ");
  assert.equal(needing("joints", "pin"), "turn stop hit turn");
  assert.equal(needing("joints", "hinge"), "stop");
  assert.equal(needing("bodies", "b"), "rope touch pair count");
  assert.equal(needing("bodies", "a"), "pin rope hit turn stop turn");
  assert.equal(needing("functions", "F"), "turn G turn z u reset sample u pull load");
  assert.equal(needing("variables", "n"), "pull count load");
  assert.equal(needing("variables", "m"), "reset");
  assert.equal(needing("states", "z"), "u reset sample u pull load");
  assert.equal(needing("sampled", "sample"), "pull load");
  assert.equal(needing("signals", "u"), "sample u pull load");
  assert.equal(needing("forces", "pull"), "load");
  assert.equal(needing("drivers", "turn"), "turn");
  for (const name of ["load", "turn", "u"]) assert.equal(needing("sensors", name), "");
});

test("what an analysis and a study say about deleted elements is deleted too", () => {
  const study = {
    vary: [{ parameter: "w" }],
    outputs: [{ name: "o", of: "load" }, { name: "p", of: "c.x", when: "pin.q" }, { name: "q", of: "b.x" }],
    fit: { data: [{ of: "turn", values: [1] }] },
  };
  const text = JSON.stringify({ model: REFERRING, analysis: { hold: ["pin"] }, study }, null, 2);
  const deleting = (kind, name) => {
    const elements = elementsOf(text);
    const element = elements.find((each) => each.kind === kind && each.name === name);
    return JSON.parse(changed(text, [removal(text, [element, ...dependents(element, elements)])]));
  };
  const { model, analysis, study: left } = deleting("joints", "pin");
  assert.deepEqual(analysis, {});
  const { inputs, ...others } = model.analysis;
  assert.deepEqual(others, { hold: ["hinge"], input: ["w"], output: ["load"], outputs: ["uT", "load"] });
  assert.deepEqual(Object.keys(inputs), ["f"]);
  assert.deepEqual(left, { vary: study.vary, outputs: [study.outputs[0], study.outputs[2]], fit: {} });
  assert.deepEqual(model.events.map(({ name }) => name), ["count", "reset"]);
  assert.deepEqual(deleting("inputs", "f").model.inputs, {});
  assert.deepEqual(deleting("inputs", "f").model.analysis.inputs, {});
  const without = deleting("variables", "n");
  assert.deepEqual(without.model.variables, { m: 1 });
  assert.deepEqual(without.model.analysis.output, ["turn"]);
  assert.deepEqual(without.study.outputs.map(({ name }) => name), ["p", "q"]);
  assert.deepEqual(deleting("functions", "F").model.functions, {});
});

/** Reads a file of the solver. */
const solverFile = (name) => readFileSync(new URL(`../../solver/${name}`, import.meta.url), "utf8");

test("the page knows the functions and quantities of expressions, and the outputs of force elements", () => {
  const functions = /^MBS_(?:FUNCTION_|SWITCH_|COMPOSED)[12]?\((\w+),\s*"/gm;
  const named = [...solverFile("core/expression/functions.def").matchAll(functions)].map(([, name]) => name);
  assert.deepEqual(FUNCTIONS, named);
  const owners = { PLACE: "place", BODY: "body", JOINT: "joint", CURVE: "curve", DRIVER: "driver", ENERGY: "energy" };
  const late = ["REACTION", "MULTIPLIER", "TOOTH", "ENERGY"];
  const row = /^MBS_QUANTITY\((\w+), "(\w+)", (\w+), [-\w]+, (\d), \w+, (\w+)/gm;
  const rows = solverFile("core/model/quantities.def").matchAll(row);
  const wanted = {};
  for (const [, owner, word, kind, level, space] of rows) {
    if (owner === "FORCE") continue;
    const name = kind === "TOOTH" ? "gear" : owners[owner];
    const early = kind === "CURVE" || level === "1" ? "velocity" : "position";
    const use = late.includes(kind) || level === "2" ? "reaction" : early;
    for (const [i, other] of ["SPATIAL", "PLANAR"].entries()) {
      if (space === other) continue;
      ((wanted[name] ??= {})[use] ??= [new Set(), new Set()])[i].add(word);
    }
  }
  const setOf = (text) => new Set(text.split(" ").filter(Boolean).map((word) => word.replace(/(?<=^lambda|^alpha)\d$/, "")));
  const mapped = (object, value) => Object.fromEntries(Object.entries(object).map(([key, each]) => [key, value(each)]));
  const found = mapped(QUANTITIES, (levels) => mapped(levels, (texts) => texts.map(setOf)));
  assert.deepEqual(found, wanted);
  for (const type of schema.$defs.force.properties.type.enum) {
    const text = solverFile(`core/elements/forces/${type.replaceAll("-", "_")}.c`);
    const [, planar] = /\.outputs = "([^"]*)"/.exec(text);
    const [, spatial] = /\.spatial_outputs = "([^"]*)"/.exec(text) ?? [undefined, planar];
    const inPlane = planar.split("|").filter((word) => word !== "fz");
    const outputs = inPlane.join() === spatial.replaceAll("|", ",") ? [inPlane] : [inPlane, spatial.split("|")];
    assert.deepEqual(OUTPUTS[type], outputs.map((words) => words.join(" ")), type);
  }
});

test("a CSV file is read as a table, or its error has a line", () => {
  assert.deepEqual(readCsv("\uFEFFx,y\r\n0,1\r\n# a remark\r\n\r\n1.5e-1; -2\r\n"), { x: [0, 0.15], y: [1, -2] });
  assert.deepEqual(readCsv("0 0\n1\t5\n1\t6\n  2   7"), { x: [0, 1, 1, 2], y: [0, 5, 6, 7] });
  const error = (text) => {
    try {
      readCsv(text);
    } catch ({ message }) {
      return message;
    }
    return "";
  };
  assert.equal(error("time,force\n0,1\n1,two"), "line 3: 'two' is not a number");
  assert.equal(error("0,1\n1,"), "line 2: '' is not a number");
  assert.equal(error("0,1\n1,2,3"), "line 2: 3 columns instead of two, x and y");
  assert.equal(error("0,1\n\n2,2\n1,3"), "line 4: x = 1 after 2; x must not fall");
  assert.equal(error("x,y\n0,1"), "1 row of numbers; a table needs at least two");
});

test("an expression is completed with the names that its place may use", () => {
  const document = {
    parameters: { L: 1 },
    functions: { F: { arguments: ["u"], value: "u" } },
    variables: { n: 0 },
    ground: { points: { O: [0, 0] } },
    bodies: [{ name: "rod", mass: 1, points: { A: [0, 0] } }, { name: "no name", mass: 1 }],
    joints: [{ name: "pin", type: "revolute" }, { name: "row", type: "expression", value: "" }],
    drivers: [{ name: "turn", function: "" }],
    forces: [{ name: "s", type: "spring-damper" }, { name: "m", type: "torque", value: "" }],
    states: [{ name: "z" }],
    sensors: [{ name: "out", value: "" }],
    events: [{ name: "hit" }],
  };
  const offered = (before, path, description) => {
    const { typed, names } = namesAt(before, path.split("/"), document, description);
    return { typed, words: names.map(({ word }) => word) };
  };
  /** The names before those of the language, of which pi is the first. */
  const words = (...given) => {
    const all = offered(...given).words;
    return all.slice(0, all.indexOf("pi")).join(" ");
  };
  const dotted = (...given) => offered(...given).words.join(" ");
  assert.equal(words("", "bodies/0/mass"), "L F");
  assert.equal(words("2*", "drivers/0/function"), "L F t");
  assert.equal(words("", "functions/F/value"), "u L F");
  assert.equal(words("", "joints/1/value"), "L F t z n rod pin row ground distance");
  assert.equal(words("", "events/0/when"), "L F t z n rod pin row ground distance distance_rate");
  assert.equal(words("", "forces/0/stiffness", "stiffness k; may use l and ld. [N/m]").slice(0, 7), "l ld L ");
  assert.equal(words("", "sensors/0/value").split(" ").slice(-5).join(" "), "distance_rate s m turn energy");
  assert.equal(dotted("3*rod.", "joints/1/value"), "x y phi A");
  assert.equal(dotted("rod.A.", "events/0/when"), "x y vx vy");
  assert.equal(dotted("sin(pin.", "sensors/0/value"), "q qd qdd fx fy torque lambda1");
  assert.equal(dotted("s.", "forces/0/stiffness"), "force");
  assert.equal(dotted("turn.", "forces/0/stiffness"), "");
  assert.deepEqual(offered("sin(rod.A.v", "events/0/when").typed, 1);
  assert.deepEqual(offered("2*ro", "events/0/when").typed, 2);
  const { names } = namesAt("", ["model", "bodies", "0", "mass"], { model: document });
  const call = { word: "F", detail: "function", written: "F(" };
  assert.deepEqual(names.slice(0, 2), [{ word: "L", detail: "parameter" }, call]);
});

test("an example is found by all words of a text, in all its descriptions, and by a tag", () => {
  const example = {
    name: "SC",
    title: "Slider-crank",
    description: null,
    space: "planar",
    analysis: { type: "dynamics" },
    elements: ["revolute", "spring-damper"],
  };
  const found = (text, tag = "") => isFound(example, text, tag);
  assert.ok(found("") && found("crank") && found("SPRING  planar") && found("sc dynamics"));
  assert.ok(!found("crank motor") && !found("", "gear") && !found("motor", "revolute"));
  assert.ok(found("slider", "revolute") && !found("", "revol"));
});

test("a document is written with its elements one to a line, and is the same when it is read", () => {
  for (const name of ["SC", "RSSR_ball", "Differential"]) {
    const document = JSON.parse(readFileSync(`models/${name}.json`, "utf8"));
    const text = documentJson(document);
    assert.deepEqual(JSON.parse(text), document);
    assert.match(text, /^ {4}\{ "name": /m);
  }
  assert.equal(documentJson({ a: [], b: [1, [2]], c: [{ d: {} }] }), `{
  "a": [],
  "b": [1, [2]],
  "c": [
    { "d": {} }
  ]
}
`);
});

test("tags are separated by commas", () => {
  assert.deepEqual(tagsOf(" chapter 3, good,,good , "), ["chapter 3", "good"]);
  assert.deepEqual(tagsOf("  "), []);
});
