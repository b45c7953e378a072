// The schema in the page: completion and help in the editor, and forms for the elements of a document.
import assert from "node:assert/strict";
import { page, picture, testPage, type } from "./browser.mjs";
import { shownText } from "./editor.mjs";
import { eventually, LONGEST } from "./waiting.mjs";

const NOTEBOOK = { viewport: { width: 1280, height: 720 } };

const MODEL = `{
  "name": "Pendulum", "space": "planar", "gravity": [0, -9.81],
  "parameters": {"L": 1},
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [
    {"name": "rod",   "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}}
  ],
  "joints": [
    {"name": "pin", "type": "revolute", "points": ["ground.O", "rod.A"]}
  ],
  "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.01}
}`;

const matches = (part) => eventually(async () => assert.match(await shownText(page), part));
const becomes = (text) => eventually(async () => assert.equal(await shownText(page), text));

/** Returns the pixel after the first occurrence of these characters in a line of the editor. */
function placeBehind(characters) {
  return page.evaluate((wanted) => {
    const lines = [...document.querySelector("#editor").shadowRoot.querySelectorAll(".cm-line")];
    const line = lines.find(({ textContent }) => textContent.includes(wanted));
    let left = line.textContent.indexOf(wanted) + wanted.length;
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    for (; node.length < left; node = walker.nextNode()) left -= node.length;
    const range = document.createRange();
    range.setStart(node, left - 1);
    range.setEnd(node, left);
    const { right, top, height } = range.getBoundingClientRect();
    return [right, top + height / 2];
  }, characters);
}

async function cursorBehind(characters) {
  await page.mouse.click(...(await placeBehind(characters)));
}

/** Waits until completions that begin with these labels are offered. `asked`: requests them, and again after some
 * seconds, because a busy page drops a request. */
async function offered(labels, { asked = true } = {}) {
  const shown = (timeout) =>
    page.waitForFunction(
      (wanted) => {
        const { shadowRoot } = document.querySelector("#editor");
        const found = [...shadowRoot.querySelectorAll(".cm-tooltip-autocomplete li .cm-completionLabel")];
        return found.map((one) => one.textContent).join().startsWith(wanted);
      },
      labels,
      { timeout },
    );
  if (asked) await page.keyboard.press("Control+Space");
  await shown(asked ? 15000 : LONGEST).catch(async (error) => {
    if (!asked) throw error;
    await page.keyboard.press("Control+Space");
    await shown(LONGEST);
  });
  await page.waitForTimeout(100); // what comes too soon after that does not choose one
}

testPage("members, classes and names are completed", {}, async () => {
  await type(MODEL);
  // Completes the members that the class chosen by `type` lacks.
  await cursorBehind('"points": ["ground.O", "rod.A"]');
  await page.keyboard.type(', ');
  await offered("armature,cut,initial,limits,reference,vectors");
  await page.keyboard.type('"cu');
  await offered("cut", { asked: false });
  await page.keyboard.press("Enter");
  await page.keyboard.type("true");
  await matches(/"rod.A"\], "cut": true/);
  // References are the points of the document.
  await cursorBehind('["ground.O", "rod.');
  await offered("rod.A,rod.B,ground.O");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await matches(/\["ground.O", "rod.B"\]/);
  await cursorBehind('"type": "revo');
  await offered("revolute");
});

testPage("a member shows its meaning", {}, async () => {
  await type(MODEL);
  await page.mouse.move(...(await placeBehind("iner")));
  await page.waitForSelector("#editor .cm-tooltip-hover .help");
  await page.waitForSelector("#editor .cm-tooltip-hover .help:has-text('moment of inertia')");
});

testPage("an expression is shown as mathematics, with its derivatives", {}, async () => {
  await type(MODEL.replace('"inertia": 0.1', '"inertia": "m0*L^2/12"').replace('{"L": 1}', '{"L": 1, "m0": 2}'));
  await page.mouse.move(...(await placeBehind("m0*L^2")));
  await page.waitForSelector("#editor .cm-tooltip-hover .formula mfrac");
  const [whole, ...derivatives] = await page.$$eval("#editor .cm-tooltip-hover .formula > div", (lines) =>
    lines.map(({ textContent }) => textContent.replace(/\s/g, "")),
  );
  assert.match(whole, /L2/);
  assert.equal(derivatives.length, 2);
  assert.match(derivatives[0], /^\u2202\u2202m0=.*L2.*12/);
  assert.match(derivatives[1], /^\u2202\u2202L=.*6/);
  // A name is not an expression.
  await page.mouse.move(...(await placeBehind('"na')));
  await page.waitForSelector("#editor .cm-tooltip-hover .formula", { state: "detached" });
  await page.mouse.move(...(await placeBehind('"Pendu')));
  await page.mouse.move(...(await placeBehind("iner")));
  await page.waitForSelector("#editor .cm-tooltip-hover .help:has-text('moment of inertia')");
  assert.equal(await page.$("#editor .cm-tooltip-hover .formula"), null);
});

testPage("an element's form changes its numbers in the text, and nothing else", {}, async () => {
  await type(MODEL);
  await page.click("#tree-tab");
  await page.click('#tree button:has-text("rod")');
  const mass = page.locator("#properties label", { hasText: /^mass/i }).locator("input");
  await mass.fill("2.5");
  await mass.press("Enter");
  const inertia = page.locator("#properties label", { hasText: /^inertia/i }).locator("input");
  await inertia.fill("L^2/12");
  await inertia.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement?.closest("#properties")), null);
  await page.click("#text-tab");
  const changed = MODEL.replace('"mass": 1', '"mass": 2.5').replace('"inertia": 0.1', '"inertia": "L^2/12"');
  await becomes(changed);
  await page.click("#tree-tab");
  await page.click('#tree button:has-text("pin")');
  const cut = page.locator("#properties label", { hasText: /^cut/i }).locator("select");
  await page.click('#properties summary:text-is("More fields")');
  await cut.selectOption("true");
  await page.click("#text-tab");
  await becomes(changed.replace('"rod.A"]}', '"rod.A"], "cut": true}'));
  await page.click("#tree-tab");
  await cut.selectOption("");
  await page.click("#text-tab");
  await becomes(changed);
  await page.click("#editor .cm-content");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Control+z");
  await becomes(MODEL);
});

testPage("the form's title is of the element that is there, be it another one in the same place", {}, async () => {
  await type(MODEL);
  await page.click("#tree-tab");
  await page.click('#tree button:has-text("rod")');
  const title = (name) => eventually(async () => assert.equal(await page.textContent("#properties h3"), name));
  await title("rod");
  const field = page.locator("#properties label", { hasText: /^Name/ }).locator("input");
  await field.fill("bar");
  await field.press("Tab");
  await title("bar");
});

testPage("forms offer what models of their space may have", {}, async () => {
  const typesOf = async (document) => {
    await page.click("#text-tab");
    await type(document);
    await page.click("#tree-tab");
    const pin = page.locator('#tree button:has-text("pin")');
    await page.waitForFunction(() => document.querySelectorAll("#tree .elements button").length === 2);
    if ((await pin.getAttribute("aria-pressed")) !== "true") await pin.click();
    await page.waitForSelector("#properties select");
    const labels = await page.locator("#properties .form label > span").allTextContents();
    const types = await page.locator("#properties select").first().locator("option").allTextContents();
    return { labels, types, help: await page.locator("#properties small").first().textContent() };
  };
  const planar = await typesOf(MODEL);
  for (const type of ["revolute", "translational", "rigid", "cam-follower"]) assert.ok(planar.types.includes(type), type);
  for (const type of ["spherical", "universal", "prismatic", "fixed", "screw"]) {
    assert.ok(!planar.types.includes(type), `${type} in ${planar.types}`);
    assert.ok(!planar.help.includes(type), planar.help);
  }
  assert.ok(!planar.labels.includes("Vectors") && !planar.labels.includes("Reference"), planar.labels.join());
  const spatial = await typesOf(MODEL.replace("planar", "spatial"));
  await eventually(async () => {
    const types = await page.locator("#properties select").first().locator("option").allTextContents();
    assert.ok(types.includes("spherical") && !types.includes("rigid"), types.join());
  });
  assert.ok(spatial.labels.length > 0);
});

testPage("names in an expression are completed in the editor", {}, async () => {
  await type(MODEL.replace('"analysis"', '"sensors": [{"name": "s", "value": "2*"}],\n  "analysis"'));
  await cursorBehind('"value": "2*');
  await page.keyboard.type("ro");
  await offered("rod", { asked: false });
  await page.keyboard.press("Enter");
  await page.keyboard.type(".B.v");
  await offered("vx,vy", { asked: false });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" + sq");
  await offered("sqrt", { asked: false });
  await page.keyboard.press("Enter");
  await page.keyboard.type("L)");
  await matches(/"value": "2\*rod\.B\.vy \+ sqrt\(L\)"/);
  // A mass depends on parameters only.
  await cursorBehind('"mass": ');
  await page.keyboard.press("Delete");
  await page.keyboard.type('"');
  await offered("L,abs,");
});

/** A model with an element of each list. */
const WHOLE = {
  ...JSON.parse(MODEL),
  functions: { F: { x: [0, 1], y: [0, 1], outside: "hold" }, G: { arguments: ["u"], value: "u^2" } },
  variables: { n: 0 },
  states: [{ name: "z", rate: "-z" }],
  signals: [{ name: "u", value: "z" }, { name: "control", type: "pid", input: "1 - z", kp: 2 }],
  sampled: [{ name: "seen", period: 0.1, value: "pin.q" }],
  events: [{ name: "hit", when: "pin.q + 1", set: { n: "n + 1" } }],
  drivers: [],
  forces: [{ name: "m", type: "torque", body: "rod", value: "u" }],
  sensors: [{ name: "out", value: "n" }],
};

testPage("each list of a document is in the tree, and its elements have forms", NOTEBOOK, async () => {
  await type(JSON.stringify(WHOLE, null, 2));
  await page.click("#tree-tab");
  await page.waitForSelector('#tree h3:has-text("Sensors")');
  const groups = await page.$$eval("#tree h3", (list) => list.map(({ textContent }) => textContent));
  const counts = ["Bodies 1", "Joints 1", "Forces 1", "Functions 2", "Variables 1", "States 1", "Signals 2"];
  assert.deepEqual(groups, [...counts, "Sampled 1", "Events 1", "Sensors 1"]);
  const draft = () => page.evaluate(() => {
    dispatchEvent(new Event("pagehide"));
    return JSON.parse(localStorage.getItem("mbsd.draft"));
  });
  /** Selects an element, changes a field in its form, and waits until `read` returns the new value. */
  const change = async (element, label, value, read, wanted, helped = true) => {
    const button = page.locator("#tree button", { hasText: new RegExp(`^${element}$`) });
    if ((await button.getAttribute("aria-pressed")) !== "true") await button.click();
    await eventually(async () => assert.equal(await page.textContent("#properties h3"), element.split(" ")[0]));
    const field = page.locator("#properties label", { has: page.locator(`span:text-is("${label}")`) });
    const control = field.locator("input, select");
    if ((await control.evaluate(({ tagName }) => tagName)) === "SELECT") await control.selectOption(value);
    else {
      await control.fill(value);
      await control.press("Tab");
    }
    await eventually(async () => assert.deepEqual(read(await draft()), wanted));
    if (helped) assert.notEqual(await field.locator("small").textContent(), "", `${element}: ${label}`);
  };
  await change("F table", "Interpolation", "spline", ({ functions }) => functions.F.interpolation, "spline");
  await change("G expression", "Value", "u^3", ({ functions }) => functions.G.value, "u^3");
  await change("n", "N", "5", ({ variables }) => variables, { n: 5 });
  await change("z", "Rate", "-2*z", ({ states }) => states[0].rate, "-2*z");
  await change("u", "Value", "z + 1", ({ signals }) => signals[0].value, "z + 1");
  await change("control pid", "Kp", "3", ({ signals }) => signals[1].kp, 3);
  await change("seen", "Period", "0.2", ({ sampled }) => sampled[0].period, 0.2);
  await change("hit", "Direction", "falling", ({ events }) => events[0].direction, "falling");
  await change("hit", "n", "2*n", ({ events }) => events[0].set, { n: "2*n" }, false);
  await change("m torque", "Value", "2*u", ({ forces }) => forces[0].value, "2*u");
  await change("out", "Unit", "N", ({ sensors }) => sensors[0].unit, "N");
  await picture("forms-forms");
});

testPage("gravity, duration, points, shapes, references and the speed of a motor are fields", NOTEBOOK, async () => {
  const driver = { name: "motor", type: "joint", joint: "pin", function: "0.5 + 2*pi*t" };
  await type(JSON.stringify({ ...JSON.parse(MODEL), gravity: [0, -9.81], drivers: [driver] }, null, 2));
  await page.click("#tree-tab");
  const draft = () => page.evaluate(() => {
    dispatchEvent(new Event("pagehide"));
    return JSON.parse(localStorage.getItem("mbsd.draft"));
  });
  const becomes = (read, wanted) => eventually(async () => assert.deepEqual(read(await draft()), wanted));
  const choose = async (name) => {
    await page.click(`#tree button:has-text("${name}")`);
    await eventually(async () => assert.equal(await page.textContent("#properties h3"), name));
  };
  const fill = async (control, value) => {
    await control.fill(value);
    await control.press("Tab");
  };
  const field = (label) => page.locator("#properties label", { has: page.locator(`span:text-is("${label}")`) });
  await choose("Model");
  await fill(page.getByLabel("Gravity y"), "-1.62");
  await becomes(({ gravity }) => gravity, [0, -1.62]);
  await choose("Analysis");
  await fill(field("End").locator("input"), "3");
  await field("Type").locator("select").selectOption("kinematics");
  await becomes(({ analysis: { type, t_end } }) => [type, t_end], ["kinematics", 3]);
  await choose("Ground");
  await page.getByLabel("Add to Points").click();
  await fill(page.getByLabel("A y"), "0.25");
  await becomes(({ ground }) => ground.points.A, [0, 0.25]);
  await choose("rod");
  await page.getByLabel("Add to Shapes").click();
  await page.locator('#properties fieldset fieldset label:has-text("Type") select').selectOption("circle");
  await fill(field("Radius").locator("input"), "0.05");
  await becomes(({ bodies }) => bodies[0].shapes, [{ type: "circle", radius: 0.05 }]);
  await page.getByLabel("Remove Shapes").click();
  await becomes(({ bodies }) => bodies[0].shapes, undefined);
  await choose("pin");
  await page.getByLabel("Points 1").selectOption("ground.A");
  await becomes(({ joints }) => joints[0].points[0], "ground.A");
  await choose("motor");
  await fill(field("Speed").locator("input"), "45");
  await becomes(({ drivers }) => drivers[0].function, "0.5 + 1.5*pi*t");
  assert.equal(await field("Function").locator("input").inputValue(), "0.5 + 1.5*pi*t");
  await picture("forms-rows");
});

testPage("elements without a place in the drawing are added below the tree", NOTEBOOK, async () => {
  await type(MODEL);
  await page.click("#tree-tab");
  const list = page.getByLabel("Add an element that has no drawing tool");
  const titles = await list.locator("option").allTextContents();
  assert.equal(titles.length, 15);
  for (const title of titles.slice(1)) {
    await list.selectOption({ label: title });
    await page.waitForSelector('#tree button[aria-pressed="true"]');
    assert.equal(await list.inputValue(), "");
  }
  await list.selectOption({ label: "state with a rate" });
  await eventually(async () => assert.equal(await page.textContent("#properties h3"), "state2"));
  const rate = page.locator("#properties label", { has: page.locator('span:text-is("Rate")') }).locator("input");
  await rate.fill("pin.q - state2");
  await rate.press("Tab");
  await page.click("#check");
  await page.waitForSelector("#findings .good");
  await picture("forms-added");
  const document = await shownText(page);
  const model = JSON.parse(document);
  assert.deepEqual(model.states.map(({ rate }) => rate), ["0", "pin.q - state2"]);
  assert.deepEqual(Object.keys(model.functions), ["table1", "f1"]);
  assert.deepEqual(model.joints.slice(1).map(({ value }) => value), ["rod.phi", "rod.omega"]);
  assert.deepEqual([model.signals.length, model.variables, model.events.length], [3, { variable1: 0 }, 1]);
});

testPage("a model in space is built in the tree without typing", NOTEBOOK, async () => {
  await page.waitForSelector("#result.live");
  await page.click("#new");
  await page.click("#start-space");
  const list = page.getByLabel("Add an element that has no drawing tool");
  const add = async (title, name) => {
    await list.selectOption({ label: title });
    await eventually(async () => assert.equal(await page.textContent("#properties h3"), name));
  };
  await list.locator('option:text-is("joint: revolute")').waitFor({ state: "attached" });
  await add("joint: revolute", "revolute1");
  await add("body", "body2");
  await add("joint: spherical", "spherical1");
  await add("body", "body3");
  await add("joint: universal", "universal1");
  await add("force: force", "force1");
  await add("force: spring-damper", "spring_damper1");
  await page.click('#tree button:has-text("universal1")');
  await page.locator("#properties label", { hasText: /^type/i }).locator("select").selectOption("cylindrical");
  await page.waitForFunction(() => document.querySelector("#freedoms").textContent.startsWith("6 degrees of freedom"));
  await page.click("#check");
  await page.waitForSelector("#findings .good");
  await picture("forms-in-space");
  const { joints, forces } = JSON.parse(await shownText(page));
  assert.deepEqual(joints.map(({ points }) => points), [["ground.A", "body1.A"], ["body1.B", "body2.A"], ["body2.B", "body3.A"]]);
  assert.deepEqual([forces[0].point, forces[1].points], ["body3.B", ["body2.B", "body3.A"]]);
});

testPage("names in an expression are completed in its form", {}, async () => {
  await type(JSON.stringify(WHOLE, null, 2));
  await page.click("#tree-tab");
  await page.click('#tree button:has-text("out")');
  const value = page.locator("#properties label", { has: page.locator('span:text-is("Value")') }).locator("input");
  const options = () => page.$$eval("#expression-names option", (list) => list.map((option) => option.value));
  await value.fill("2*rod.");
  await eventually(async () => assert.deepEqual((await options()).slice(0, 3), ["2*rod.x", "2*rod.y", "2*rod.vx"]));
  await value.fill("F(se");
  await eventually(async () => assert.ok((await options()).includes("F(seen")));
  // A period does not depend on the motion.
  await page.click('#tree button:has-text("seen")');
  const period = page.locator("#properties label", { has: page.locator('span:text-is("Period")') }).locator("input");
  await period.focus();
  await eventually(async () => assert.deepEqual(await options(), []));
  await period.fill("");
  await eventually(async () => assert.deepEqual((await options()).slice(0, 4), ["L", "F(", "G(", "pi"]));
});

testPage("a table is read from a CSV file", NOTEBOOK, async () => {
  await type(JSON.stringify({ ...WHOLE, functions: { F: {} } }, null, 2));
  await page.click("#tree-tab");
  await page.locator("#tree button", { hasText: /^F/ }).click();
  const choose = async (text) => {
    const waiting = page.waitForEvent("filechooser");
    await page.click('#properties button:text-is("Read CSV")');
    await (await waiting).setFiles({ name: "road.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  };
  await choose("s;h\n0;0\n1;high");
  await eventually(async () => assert.equal(await page.textContent("#properties .bad"), "road.csv: line 3: 'high' is not a number"));
  await picture("forms-csv-error");
  await choose("s;h\n0;0\n1;0.5\n2;-0.25");
  const fieldOf = (name) => page.locator("#properties label", { has: page.locator(`span:text-is("${name}")`) }).locator("input");
  await eventually(async () => assert.equal(await fieldOf("Y").inputValue(), "[0,0.5,-0.25]"));
  assert.equal(await fieldOf("X").inputValue(), "[0,1,2]");
  assert.equal(await page.textContent("#properties .bad"), "");
  await page.click("#text-tab");
  await matches(/"F": \{ "x": \[0, 1, 2\], "y": \[0, 0.5, -0.25\] \}/);
});
