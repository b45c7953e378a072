// Files and folders that are dropped on the page or chosen in its dialog: documents, and models of other programs, which
// the service converts. Chromium drops real files at a place of the page (Input.dispatchDragEvent).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { page, picture, testPage } from "./browser.mjs";
import { eventually } from "./waiting.mjs";

/** An arm on the ground. Its limits have no place in a document. */
const ARM = `<robot name="arm">
 <link name="base"/>
 <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>`;

/** A pendulum of simEngine2D: JSON, with a pin of two constraints. */
const PENDULUM = `{"name": "pendulum",
 "bodies": [{"name": "bar", "id": 1, "mass": 3, "jbar": 0.25, "q0": [0.5, 0, 0], "qd0": [0, 0, 0]}],
 "constraints": [
  {"name": "x", "id": 1, "type": "AbsoluteX", "body1": 1, "sP1": [-0.5, 0], "fun": "0"},
  {"name": "y", "id": 2, "type": "AbsoluteY", "body1": 1, "sP1": [-0.5, 0], "fun": "0"}]}`;

/** A pendulum of DAP_JC, in several files. */
const DAP = {
  "inBodies.m": "function inBodies\n include_global\nB1 = Body_struct;\nB1.m = 2;\nB1.J = 0.2;\nBodies = [B1];\n",
  "inPoints.m": `function inPoints
 include_global
O = Point_struct; O.Bindex = 0; O.sPlocal = [0; 0];
A = Point_struct; A.Bindex = 1; A.sPlocal = [0; 0.5];
Points = [O; A];
`,
  "ChainOpen.m": `function ChainOpen(check, theta, theta_d, t)
 include_global
if check <= 2
    Coord_Rev(1, 2, theta(1));
end
end
`,
};

let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "mbsd-import-"));
});

after(() => rm(folder, { recursive: true }));

/** Writes a file below the test's folder, and returns its path. */
async function written(name, text) {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** Drags files from the desktop over the page and drops them in the middle of an element. */
async function drop(paths, selector = "#canvas") {
  await page.waitForSelector("#result.live");
  const box = await page.locator(selector).boundingBox();
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const session = await page.context().newCDPSession(page);
  const send = (type) =>
    session.send("Input.dispatchDragEvent", { type, ...at, data: { items: [], files: paths, dragOperationsMask: 1 } });
  await send("dragEnter");
  await send("dragOver");
  await page.waitForSelector(".dropping");
  await send("drop");
  await page.waitForSelector(":root:not(.dropping)");
}

const findings = () => page.locator("#findings");
const says = (words) => eventually(async () => assert.match(await findings().innerText(), words));
const text = () => page.evaluate(() => history.state.document);

testPage("a dropped model of another program is converted, with its notes", {}, async () => {
  await drop([await written("arm.urdf", ARM)]);
  await says(/Converted from urdf: 1 body, 1 joint, 1 degree of freedom; 3 notes/);
  await eventually(async () => assert.match(await page.textContent("#freedoms"), /^1 degree of freedom/));
  const model = JSON.parse(await text());
  assert.deepEqual([model.name, model.bodies[0].name, model.joints[0].name], ["arm", "upper", "shoulder"]);
  assert.match(await page.title(), /arm\.urdf/);
  const notes = await page.locator(".note").allInnerTexts();
  const limit = notes.find((note) => note.startsWith("dropped"));
  assert.match(limit, /arm\.urdf:6\s.*<limit lower="-1"/);
  await picture("import-notes");
  // A note on a part of the document shows that part.
  await page.click('button.note:has-text("arm.urdf:1")');
  await eventually(async () => assert.match(await page.textContent("#editor .cm-activeLine"), /"gravity": \[0, 0, -9\.81\]/));
  // The notes stay while the document is edited.
  await page.keyboard.press("End");
  await page.keyboard.type(" ");
  await eventually(async () => assert.ok((await text()).includes("-9.81], ")));
  assert.equal(await page.locator(".note").count(), notes.length);
  await page.goBack();
  await eventually(async () => assert.equal(await page.inputValue("#example"), "SC"));
  assert.equal(await page.locator(".note").count(), 0);
});

testPage("archives, folders and files that belong together are converted", {}, async () => {
  for (const [name, content] of Object.entries(DAP)) await written(`dap/${name}`, content);
  const paths = Object.keys(DAP).map((name) => join(folder, "dap", name));
  execFileSync("tar", ["-czf", join(folder, "dap.tar.gz"), "dap"], { cwd: folder });
  for (const dropped of [[join(folder, "dap.tar.gz")], [join(folder, "dap")], paths]) {
    await drop(dropped, "#editor");
    await says(/Converted from dap: 1 body/);
    assert.equal(JSON.parse(await text()).bodies[0].mass, 2);
    await page.goBack();
    await eventually(async () => assert.equal(await findings().innerText(), ""));
  }
  await page.setInputFiles("#file", paths);
  await says(/Converted from dap: 1 body/);
});

testPage("a model of simEngine2D is converted although it is JSON; a document is opened as it is", {}, async () => {
  await drop([await written("pendulum.adm", PENDULUM)]);
  await says(/Converted from adm[^]*mapped\s+pendulum\.adm\/constraints\/0/);
  const document = '{ "name": "own",   "space": "planar", "bodies": [] }';
  for (const name of ["own.json", "own.txt"]) {
    await drop([await written(name, document)], "#editor");
    await eventually(async () => assert.equal(await text(), document));
    await eventually(async () => assert.equal(await findings().innerText(), ""));
    assert.match(await page.title(), new RegExp(name));
  }
});

testPage("a model that cannot be converted is reported with all places, and can be opened in part", {}, async () => {
  await page.waitForSelector("#result.live");
  const before = await page.textContent("#editor .cm-content");
  await drop([await written("odd.urdf", ARM.replace('type="revolute"', 'type="magic"'))]);
  await says(/cannot be mapped[^]*error\s+odd\.urdf:5\s+joint 'shoulder' has the unknown type 'magic'/);
  assert.equal(await page.textContent("#editor .cm-content"), before);
  assert.equal(await page.locator("button.note").count(), 0);
  await picture("import-errors");
  await page.click('button:text-is("Open without these parts")');
  await says(/Converted from urdf/);
  await drop([await written("cut.xml", ARM.slice(0, 60))]);
  await says(/error\s+cut\.xml:3/);
  await drop([await written("notes.txt", "no model")]);
  await says(/Unknown format/);
});

testPage("without the service the page says that it converts no models", {}, async () => {
  const path = await written("arm.urdf", ARM);
  await page.waitForSelector("#result.live");
  await page.context().setOffline(true);
  await drop([path]);
  await says(/Only the service converts models of other programs, and it does not respond/);
  await page.context().setOffline(false);
});
