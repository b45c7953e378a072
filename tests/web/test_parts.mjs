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
const { Motion } = await part("motion");

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
  const shapes = readShapes([
    { type: "circle", radius: 1, color: "red" },
    { type: "circle", radius: "R" },
    { type: "polygon", points: [[0, 0], [1]] },
    { type: "star" },
    7,
  ]);
  assert.deepEqual(shapes, [{ type: "circle", radius: 1, at: [0, 0], colour: "red" }]);
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
  const [rail] = scene.joints;
  assert.deepEqual([rail.points, rail.direction, rail.carrier, rail.swapped], [[2, 0], [0, 1], -1, true]);
});

test("motion is interpolated between rows", () => {
  const none = new Float64Array(0);
  const [times, centres, angles] = [[0, 1, 3], [0, 0, 2, 4, 6, 0], [0, 1, 5]].map((row) => Float64Array.from(row));
  const motion = new Motion(times, 2, centres, angles, none);
  const at = (t) => [...motion.seek(t).centres, ...motion.seek(t).angles];
  assert.deepEqual(at(0.5), [1, 2, 0.5]);
  assert.deepEqual(at(2), [4, 2, 3]);
  assert.deepEqual(at(9), [6, 0, 5]);
  assert.equal(motion.frame.t, 3);
});
