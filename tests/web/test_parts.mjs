// The parts of the page that need no browser: places of JSON pointers, .npy files, drawing hints, motion between rows.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const { buildSync } = createRequire(new URL("../../web/package.json", import.meta.url))("esbuild");

/** Imports a TypeScript module of web/src. */
function part(name) {
  const entry = fileURLToPath(new URL(`../../web/src/${name}.ts`, import.meta.url));
  const { outputFiles } = buildSync({ entryPoints: [entry], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const { placeFinder, placeOfLine, lineOf } = await part("pointer");
const { parseNpy } = await part("npy");
const { readShapes } = await part("shapes");
const { readScene } = await part("scene");
const { asNumber, readParameters } = await part("fields");
const { Motion } = await part("motion");
const { Painter } = await part("drawing");
const { Camera } = await part("camera");
const { closedSpline, touchedCurve } = await part("curves");
const { modeMotion, readTree, isWhole } = await part("modes");
const { defaultSpeed, speedsAround } = await part("speeds");
const { contrast } = await part("colours");
const { strokeVisibly } = await part("strokes");
const { unitFinder } = await part("units");
const { feltNormal } = await part("floors");

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

test("a line and column lead to their place", () => {
  const text = "ab\ncde\n";
  assert.deepEqual(placeOfLine(text, 2, 3), { from: 5, to: 6 });
  assert.deepEqual(placeOfLine(text, 1, 9), { from: 2, to: 2 });
  assert.deepEqual(placeOfLine(text, 9, 1), { from: 7, to: 7 });
  assert.equal(lineOf(text, 5), 2);
});

/** An .npy file as NumPy 2 writes it. */
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

test("shapes that are none are left out", () => {
  const hints = [
    { type: "circle", radius: 1, color: "red" },
    { type: "circle", radius: "R" },
    { type: "circle", radius: "R/2" },
    { type: "polygon", points: [[0, 0], [1]] },
    { type: "star" },
    7,
  ];
  const red = { type: "circle", radius: 1, at: [0, 0], colour: "red" };
  assert.deepEqual(readShapes(hints, 2), [red]);
  const [, known, half] = readShapes(hints, 2, new Map([["R", 3]]));
  assert.equal(known.radius, 3, "a parameter's name counts as its number");
  assert.equal(half.radius, 1.5, "and an expression as its value");
});

test("expressions over parameters have the service's values", () => {
  const names = new Map([["L", 2], ["k_1", 10]]);
  const values = {
    "L/2": 1, " - L ": -2, "-2^2": -4, "2^3^2": 512, "2^-1": 0.5, "(1 + L)*k_1": 30, "1 - 2 - 3": -4, "8/4/2": 1,
    "1e-3": 1e-3, ".5": 0.5, "3.": 3, "atan2(0, -1)": Math.PI, "min(L, 1, 3)": 1, "sqrt(L*L)": 2, "2*-L": -4,
  };
  for (const [text, value] of Object.entries(values)) assert.equal(asNumber(text, names), value, text);
  for (const text of ["", "M", "1/0", "1 +", "(1", "1)", "1 2", "t", "sin", "toString(1)", "L L", "2 & 3", "sqrt(-1)"])
    assert.equal(asNumber(text, names), undefined, text);
  const parameters = readParameters({ half: "L/2", L: "2*R", R: 3, law: "sin(t)" });
  assert.deepEqual([...parameters].sort(), [["L", 6], ["R", 3], ["half", 3], ["pi", Math.PI]]);
});

test("a scene ties bodies, springs and rails to the points", () => {
  const document = {
    ground: { points: { O: [0, 0], unused: [1, 1] }, vectors: { u: [0, 1] } },
    bodies: [{ name: "a", points: { A: [0, 0] } }, { name: "ab", points: { B: [1, 0] } }],
    joints: [{ type: "translational", points: ["a.A", "ground.O"], vectors: ["a.u", "ground.u"] }],
    forces: [{ type: "spring-damper", points: ["a.A", "ab.B"] }],
    view: { x: [-1, 1], y: [0, 2] },
  };
  const labels = ["ground.O", "ground.unused", "a.A", "ab.B"].flatMap((name) => [`${name}.x`, `${name}.y`]);
  const scene = readScene(JSON.stringify({ model: document }), { shape: [5, 2, 2] }, { labels });
  assert.deepEqual(scene.supports, [0]);
  assert.deepEqual(scene.bodies.map(({ points }) => points), [[2], [3]]);
  assert.deepEqual(scene.springs, [[2, 3]]);
  assert.deepEqual(scene.view, document.view);
  const [rail] = scene.rails;
  assert.deepEqual(rail, { from: 0, to: 2, axis: { body: -1, vector: [0, 1] }, fixed: true });
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
  const model = {
    joints: [
      { name: "pin", type: "revolute" },
      { name: "a.b", type: "cylindrical" },
      { name: "ball", type: "spherical" },
      { name: "cam", type: "cam-follower", curve: [{ polar: "1" }, { x: "cos(alpha)", y: "sin(alpha)" }] },
    ],
    drivers: [
      { name: "motor", type: "joint", joint: "a.b", coordinate: 2 },
      { name: "lift", type: "y" },
    ],
    forces: [{ name: "brake", type: "friction", joint: "pin" }, { name: "spring", type: "spring-damper" }],
  };
  const report = { rows: ["pin.x", "pin.parallel", "own.value", "motor", "lift"].map((label) => ({ label })) };
  const unitOf = unitFinder(JSON.stringify({ model }), report);
  const units = (name, ...labels) => labels.map((label) => unitOf({ name, unit: "m or rad", labels }, label));
  assert.deepEqual(units("theta", "pin.q", "a.b.q1", "a.b.q2", "ball.q1"), ["rad", "m", "rad", ""]);
  assert.deepEqual(units("theta_d", "pin.qd", "a.b.qd1", "ball.omega_x"), ["rad/s", "m/s", "rad/s"]);
  assert.deepEqual(units("theta_dd", "pin.qdd", "a.b.qdd1", "body.ax"), ["rad/s^2", "m/s^2", "m/s^2"]);
  assert.deepEqual(units("uT", "body.x", "body.phi", "body.e0", "a.b.qd1"), ["m", "rad", "", "m/s"]);
  const multipliers = ["pin.lambda1", "pin.lambda2", "own.lambda1", "motor.effort", "lift.effort"];
  assert.deepEqual(units("Lam", ...multipliers), ["N", "N m", "", "N m", "N"]);
  assert.deepEqual(units("reactions", "pin.fx", "pin.torque", "ball.tz"), ["N", "N m", "N m"]);
  assert.deepEqual(units("forces", "brake.force", "spring.force", "floor.penetration"), ["N m", "N", "m"]);
  assert.deepEqual(units("contact_parameters", "cam.alpha1", "cam.alpha2"), ["rad", ""]);
  assert.equal(unitOf({ name: "energy", unit: "J" }, "kinetic"), "J");
});

// ---- drawing, on a canvas that only takes notes -----------------------------------------------------------------

Object.assign(globalThis, { document: {}, getComputedStyle: () => ({ getPropertyValue: (name) => name }) });

/** A canvas context whose `places` are all pixels that something was drawn through, with the radius of circles. */
function notebook() {
  const places = [];
  const note = (x, y, radius = 0) => places.push([x, y, radius]);
  const none = () => {};
  const texts = { fillText: none, clearRect: none, setLineDash: none };
  const strokes = { beginPath: none, closePath: none, fill: none, stroke: none, rect: none };
  return { ...texts, ...strokes, places, moveTo: note, lineTo: note, arc: note };
}

/** The arrays' infos that readScene wants, for points named "body.point". */
function infos(rows, bodies, points, axes) {
  const labels = points.flatMap((name) => [...axes].map((axis) => `${name}.${axis}`));
  return [{ shape: [rows, bodies, axes.length] }, { labels }];
}

const SIZE = [600, 400];

/** A painter of a document whose motion has these rows, with its camera fitted to all of it. */
function painterOf(document, points, { times, dimension, centres, turns, places }) {
  const axes = dimension === 3 ? "xyz" : "xy";
  const scene = readScene(JSON.stringify(document), ...infos(times.length, document.bodies.length, points, axes));
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

/** The spatial frame of a body that is turned by an angle about z. */
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
  const { scene, draw } = painterOf(SPINNER, [], SPIN);
  assert.equal(scene.bodies[0].shapes.length, 1);
  assert.notDeepEqual(draw(0), draw(1));
  for (const t of SPIN.times)
    for (const [x, y] of draw(t)) assert.ok(x >= 0 && x <= SIZE[0] && y >= 0 && y <= SIZE[1], `${x}, ${y} at ${t}`);
});

test("a spatial body with nothing but its mass centre is seen to turn", () => {
  const { draw } = painterOf({ ...SPINNER, bodies: [{ name: "a" }] }, [], SPIN);
  assert.notDeepEqual(draw(0), draw(1));
});

test("a spatial rail goes along its axis, which either body may tell", () => {
  const document = {
    ground: { points: { O: [0, 0, 0] }, vectors: { u: ["cos(a)", 0, 0] } },
    bodies: [{ name: "a", points: { A: [0, 0, 0] }, vectors: { u: [0, 0, 1] } }],
    joints: [{ type: "prismatic", points: ["a.A", "ground.O"], vectors: ["a.u", "ground.u"] }],
  };
  const centres = [[0, 0, 1], [0, 0, 3]];
  const places = centres.map((centre) => [[0, 0, 0], centre]);
  const motion = { times: [0, 1], dimension: 3, centres, turns: [aboutZ(0), aboutZ(0)], places };
  const { scene, camera, draw } = painterOf(document, ["ground.O", "a.A"], motion);
  assert.deepEqual(scene.rails[0].axis, { body: 0, vector: [0, 0, 1] });
  const [x, y] = camera.toScreen(camera.flatten([0, 0, 3]));
  const end = draw(0).find(([px, py]) => Math.abs(px - x) < 1e-6 && Math.abs(py - y + 30 * Math.cos(0.35)) < 1e-6);
  assert.ok(end, "the rail ends 30 pixels beyond the slider's last place");
});

const BALL = {
  parameters: { r: 0.5, slope: "atan(1)" },
  ground: { points: { O: [0, 0, 0] }, vectors: { n: [0, 0, 1], m: ["if(slope > 0, sin(slope), 0)", 0, "cos(slope)"] } },
  bodies: [{ name: "ball", points: { C: [0, 0, 0] } }],
  forces: [{ name: "floor", type: "contact", point: "ball.C", radius: "r", plane: ["ground.O", "ground.n"] }],
};

/** A motion of a ball's centre, which is its only point beside the ground's. */
function rolling(centres) {
  const places = centres.map((centre) => [[0, 0, 0], centre]);
  return { times: centres.map((_, t) => t), dimension: 3, centres, turns: centres.map(() => aboutZ(0)), places };
}

test("a ball and its plane are drawn, and fit the canvas", () => {
  const { scene, camera, draw } = painterOf(BALL, ["ground.O", "ball.C"], rolling([[0, 0, 2], [4, 1, 0.5]]));
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

test("a plane that an expression beyond the page tilts is found by the contacts", () => {
  const tilted = { ...BALL, forces: [{ ...BALL.forces[0], plane: ["ground.O", "ground.m"] }] };
  const h = Math.SQRT1_2;
  // Centres at the height r - depth over the plane with the normal (h, 0, h), and one that does not touch it.
  const depths = [0.01, 0.02, 0, 0.03];
  const centre = (along, y, height) => [h * (height + along), y, h * (height - along)];
  const centres = [centre(0, 1, 0.49), centre(2, 0, 0.48), [9, 9, 9], centre(1, 3, 0.47)];
  const { scene, motion } = painterOf(tilted, ["ground.O", "ball.C"], rolling(centres));
  assert.equal(scene.floors[0].normal, undefined);
  nearTo(feltNormal(scene.floors[0], motion, Float64Array.from(depths)), [h, 0, h], "normal");
  assert.equal(feltNormal(scene.floors[0], motion, new Float64Array(4)), undefined, "without a contact");
});

/** Whether something was drawn through a place of the plane. */
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
  // Turned by a quarter, the slot is vertical and 2 to the left of A.
  const centres = [[0, 0], [2.5, 1]];
  const places = centres.map((centre) => [[0.5, 2], centre]);
  const motion = { times: [0, 1], dimension: 2, centres, turns: [0, Math.PI / 2], places };
  const { camera, draw } = painterOf(document, ["ground.O", "a.A"], motion);
  const spare = 30 / camera.scale;
  assert.ok(passes(draw(0), camera, [-spare, 2]) && passes(draw(0), camera, [1 + spare, 2]), "at the start");
  assert.ok(passes(draw(1), camera, [0.5, 1 - spare]) && passes(draw(1), camera, [0.5, 2 + spare]), "at the end");
});

const SQUARE = [[1, 0], [0, 1], [-1, 0], [0, -1]];

test("a closed spline goes through its points, and between them as the service's", () => {
  const outline = closedSpline(SQUARE);
  for (const point of SQUARE) assert.ok(outline.some(([x, y]) => Math.hypot(x - point[0], y - point[1]) < 1e-12));
  // By symmetry its tangents are those of the circle and the middle of a side is at x = y = 1/2 + 1.5 / 8.
  assert.ok(outline.some(([x, y]) => Math.hypot(x - 0.6875, y - 0.6875) < 1e-9));
  assert.deepEqual(closedSpline(SQUARE.slice(2)), SQUARE.slice(2));
});

test("the curve of a point-follower is drawn on its second body", () => {
  const document = {
    bodies: [{ name: "pin", points: { P: [0, 0] } }, { name: "a", points: { A: [0, 0] } }],
    joints: [{ type: "point-follower", points: ["pin.P", "a.A"], curve: { spline: SQUARE } }],
  };
  const centres = [[[1, 0], [0, 0]], [[2, 3], [2, 2]]];
  const motion = { times: [0, 1], dimension: 2, centres, turns: [[0, 0], [0, Math.PI / 4]], places: centres };
  const { camera, draw } = painterOf(document, ["pin.P", "a.A"], motion);
  assert.ok(passes(draw(0), camera, [0, -1]));
  assert.ok(passes(draw(1), camera, [2 - Math.SQRT1_2, 2 - Math.SQRT1_2]) && !passes(draw(1), camera, [2, 1]));
  for (const [x, y] of draw(1).slice(-8)) assert.ok(x > 0 && x < SIZE[0] && y > 0 && y < SIZE[1]);
});

test("curves of expressions are found where a pin, a roller or a face has touched them", () => {
  // A disc of radius 2 about its point 0 turns; point 1 is above it, as high as what touches it is thick.
  const turns = Float64Array.from({ length: 40 }, (_, row) => row / 10);
  const touched = (height, toucher) => {
    const points = Float64Array.from([...turns].flatMap(() => [5, 0, 5, height]));
    const motion = new Motion(turns, 2, new Float64Array(80), turns, points);
    const outline = touchedCurve({ carrier: 0, from: 0, to: 1, radius: 0, ...toucher }, motion);
    assert.ok(outline.length > 30);
    nearTo(outline.map(([x, y]) => Math.hypot(x, y)), outline.map(() => 2), "radius", 0.01);
  };
  touched(2, {});
  touched(2.5, { radius: 0.5 });
  touched(2, { face: { body: -1, vector: [1, 0] } });
});

test("pitch circles of gears touch; a ratio that is an expression is that of the turns", () => {
  const document = {
    bodies: [{ name: "a", points: { A: [0, 0] } }, { name: "b", points: { B: [0, 0] } }],
    joints: [{ type: "gear", points: ["a.A", "b.B"], ratio: "-r1/r2" }],
  };
  const centres = [[[0, 0], [6, 0]], [[0, 0], [6, 0]]];
  const motion = { times: [0, 1], dimension: 2, centres, turns: [[0, 0], [1, -0.5]], places: centres };
  const { camera, draw } = painterOf(document, ["a.A", "b.B"], motion);
  const radii = draw(0).map(([, , radius]) => radius / camera.scale);
  for (const radius of [2, 4]) assert.ok(radii.some((other) => Math.abs(radius - other) < 1e-9), `${radius}`);
});

test("a disc and its ground line are drawn; a view that the motion leaves gives way to all of it", () => {
  const document = {
    parameters: { R: 0.5 },
    ground: { points: { O: [0, 0] }, vectors: { u: [1, 0] } },
    bodies: [{ name: "wheel", points: { C: [0, 0] } }],
    joints: [{ type: "disc", points: ["ground.O", "wheel.C"], vectors: "ground.u", radius: "R" }],
  };
  const centres = [[0, 0.5], [8, 0.5]];
  const places = centres.map((centre) => [[0, 0], centre]);
  const motion = { times: [0, 1], dimension: 2, centres, turns: [0, -16], places };
  const paint = (view) => painterOf({ ...document, view }, ["ground.O", "wheel.C"], motion);
  const { camera, painter, draw } = paint();
  assert.deepEqual(painter.bounds(), { x: [-0.5, 8.5], y: [0, 1] }, "with the disc, not only its centre");
  assert.ok(passes(draw(0), camera, [-0.8, 0]) && passes(draw(0), camera, [8.8, 0]), "the ground line");
  assert.deepEqual(paint({ x: [-1, 4], y: [0, 2] }).painter.bounds(), painter.bounds());
  assert.deepEqual(paint({ x: [-1, 9], y: [0, 2] }).painter.bounds(), { x: [-1, 9], y: [0, 2] });
});

test("a mode moves the bodies by the coordinates of their joints, about the state", () => {
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
  const tree = [["slider", "ground", "rail"], ["bob", "slider", "pin"]];
  const report = { tree: tree.map(([body, parent, joint]) => ({ body, parent, joint, freedoms: 1 })) };
  const points = ["ground.O", "slider.B", "bob.B"];
  const places = [[0, 0], [1, 0], [1, 0]];
  const state = { times: [0], dimension: 2, centres: [[1, 0], [1, -2]], turns: [0, 0], places };
  const { scene, motion } = painterOf(document, points, state);
  assert.ok(isWhole(scene, motion, readTree(report, scene)));
  // The slider's displacement is 1, the pin's turn follows it by a quarter of the period.
  const mode = modeMotion(scene, motion, readTree(report, scene), Float64Array.of(1, 0, 0, -1));
  const at = (t) => {
    mode.seek(t);
    return { slider: mode.centre(0)[0] - 1, turn: mode.turn(1)[0], bob: mode.centre(1), pin: mode.point(2) };
  };
  const [start, quarter, half] = [0, 0.25, 0.5].map(at);
  assert.ok(start.slider > 0.05 && Math.abs(start.turn) < 1e-12);
  assert.ok(Math.abs(quarter.slider) < 1e-12 && Math.abs(quarter.turn - start.slider) < 1e-12);
  nearTo(quarter.bob, [1 + 2 * Math.sin(quarter.turn), -2 * Math.cos(quarter.turn)], "the bob turns about the pin");
  nearTo(start.pin, [1 + start.slider, 0], "the pin goes with the slider");
  assert.ok(Math.abs(half.slider + start.slider) < 1e-12);
});

test("a mode of a body in space turns it about its mass centre", () => {
  const report = { tree: [{ body: "a", parent: "ground", joint: "", freedoms: 6 }] };
  const { scene, motion } = painterOf(SPINNER, [], { ...SPIN, times: [0], centres: [[0, 0, 5]], turns: [aboutZ(0)] });
  const shape = Float64Array.from([0, 0, 0, 0, 0, 1].flatMap((value) => [value, 0]));
  const mode = modeMotion(scene, motion, readTree(report, scene), shape);
  mode.seek(0);
  nearTo(mode.centre(0), [0, 0, 5], "centre");
  const [x, y, z] = mode.rotate(0, [1, 0, 0]);
  assert.ok(x < 1 && y > 0.05 && Math.abs(z) < 1e-12);
});

test("a line whose colour is lost on the background gets one around it", () => {
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
  assert.equal(contrast("rgba(0, 0, 0, 0.5)", "#ffffff"), undefined);
  const widthsOn = (field, strokeStyle) => {
    globalThis.getComputedStyle = () => ({ getPropertyValue: () => field });
    const widths = [];
    const context = { strokeStyle, lineWidth: 2, stroke: () => widths.push(context.lineWidth) };
    strokeVisibly(context);
    assert.equal(context.strokeStyle, strokeStyle);
    return widths;
  };
  assert.deepEqual(widthsOn("#141920", "#404040"), [4, 2]);
  assert.deepEqual(widthsOn("#fbfcfd", "#404040"), [2]);
  assert.deepEqual(widthsOn("#fbfcfd", "#ffffff"), [4, 2]);
});
