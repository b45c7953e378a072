// Ties the parts of the page together: document -> check or run -> job -> motion, plots, report, downloads.
import "uplot/dist/uPlot.min.css";
import "./app.css";
import "./live.css";
import { Player } from "./animation";
import { ApiError, exampleText, listExamples, submitJob, validate as validateByService, type Example } from "./api";
import { cutCurves } from "./curves";
import { byId, h } from "./dom";
import { showDownloads } from "./downloads";
import { draft, dropDraft, keepDraft } from "./drafts";
import { Editor } from "./editor";
import { errorText } from "./format";
import { jobFragment, JobList } from "./jobs";
import { Live } from "./live";
import { showError } from "./mistakes";
import { loadMotion, type Motion } from "./motion";
import type { Plots } from "./plots";
import { placeFinder, type Place } from "./pointer";
import { Properties } from "./properties";
import { understoodView } from "./report";
import { Run, type Outcome } from "./run";
import { readScene } from "./scene";
import { onSelection } from "./selection";
import { linkedDocument, linkTo } from "./share";
import { Sliders } from "./sliders";
import { Solver } from "./solver";
import { modesView, valuesView } from "./still";
import { Tabs } from "./tabs";
import { Tree } from "./tree";
import { sceneOf, validate } from "./understanding";

const FIRST_EXAMPLE = "SC";
/** Without a solver in the page the service is asked for mistakes when the user has typed nothing for so long [ms]. */
const PATIENCE = 400;

const examples = byId("example", HTMLSelectElement);
const file = byId("file", HTMLInputElement);
const checkButton = byId("check", HTMLButtonElement);
const runButton = byId("run", HTMLButtonElement);
const findings = byId("findings", HTMLDivElement);
const result = byId("result", HTMLElement);
const values = byId("values", HTMLDivElement);
const modes = byId("modes", HTMLDivElement);
const editButton = byId("edit", HTMLButtonElement);
const handButton = byId("by-hand", HTMLButtonElement);
let shownDocument = "";
let firstExample = FIRST_EXAMPLE;
/** Mistakes are shown, which the next document without any takes away. */
let mistaken = false;
/** Shows the motion of the result. */
let replay: (() => void) | undefined;
let patience = 0;
/** They come with the first result that has something to plot. */
let plots: Plots | undefined;
let plotsLoading: Promise<Plots> | undefined;

const editor = new Editor(byId("editor", HTMLDivElement), "The model document", takeEdit, () => modelTabs.show("text"));
const properties = new Properties(byId("properties", HTMLDivElement), {
  text: () => editor.text,
  replace: (place, text) => editor.replace(place, text),
  goTo: (pointer) => editor.goTo(placeOf(pointer)),
});
const tree = new Tree(byId("tree", HTMLDivElement), (element) => void properties.show(element));
const solver = new Solver();
const player = new Player(
  (t) => plots?.mark(t),
  (key) => live.onKey(key),
);
const live = new Live(solver, player, {
  right: () => {
    sliders.show(editor.text);
    if (mistaken) tellMistakes(undefined, editor.text);
  },
  wrong: (problem, text) => tellMistakes(new ApiError(problem), text),
  unknown: (text) => {
    clearTimeout(patience);
    patience = window.setTimeout(() => void askService(text), PATIENCE);
  },
});
const sliders = new Sliders(byId("parameters", HTMLDivElement), {
  text: () => editor.text,
  change: (name, value, document) => {
    moveByHand();
    void live.set(name, value, document);
  },
  commit: (place, value) => editor.replace(place, String(value)),
});
const run = new Run(showDocument, showOutcome);
const jobs = new JobList(
  (id) => {
    if (id === run.id) location.hash = "";
  },
  (job) => run.rename(job),
);

const modelTabs = new Tabs(byId("model-tabs", HTMLDivElement), (panel) => {
  if (panel === "text") void editor.look();
  if (panel === "gallery") void showGallery();
});
new Tabs(byId("drawer-tabs", HTMLDivElement));

function placeOf(pointer: string): Place {
  return placeFinder(editor.text)(pointer);
}

function takeEdit(): void {
  examples.value = "";
  keepDraft(editor.text);
  tree.show(editor.text);
  moveByHand();
  void live.open(editor.text, false);
}

async function showGallery(): Promise<void> {
  const host = byId("gallery", HTMLDivElement);
  if (host.hasChildNodes()) return;
  host.append(h("p", { className: "faint" }, "Loading ..."));
  try {
    const [{ Gallery }, list] = await Promise.all([import("./gallery"), listExamples()]);
    new Gallery(host, list, (name) => void openExample(name).then(seeResult));
  } catch (error) {
    host.replaceChildren(h("p", { className: "bad" }, errorText(error)));
  }
}

function loadPlots(): Promise<Plots> {
  plotsLoading ??= import("./plots").then(({ Plots }) => (plots = new Plots((t) => player.seek(t))));
  return plotsLoading;
}

/** Puts a document into the editor; what was found in the last one is gone. */
function open(text: string): void {
  editor.open(text);
  tree.show(text);
  findings.replaceChildren();
  mistaken = false;
  if (!run.id) moveByHand();
  void live.open(text, true);
}

/** Puts another document into the editor and its mechanism into the drawing. */
function openAnother(text: string, name: string): void {
  open(text);
  examples.value = name;
  moveByHand();
}

/** On a narrow page the result is above the model. */
function seeResult(): void {
  if (result.getBoundingClientRect().top < 0) result.scrollIntoView();
}

/** Shows the mistakes that were found in a document while it is edited, or that there are none any more. */
function tellMistakes(error: unknown, text: string): void {
  if (editor.text !== text) return;
  mistaken = error !== undefined;
  const notices = findings.querySelectorAll(".notice");
  findings.replaceChildren(...notices, ...(mistaken ? showError(error, text, editor, false) : []));
  if (!mistaken) editor.mark([]);
}

/** Looks for mistakes where the page has no solver. */
async function askService(text: string): Promise<void> {
  try {
    await validateByService(text);
    if (mistaken) tellMistakes(undefined, text);
  } catch (error) {
    if (error instanceof ApiError && error.problem.errors) tellMistakes(error, text);
  }
}

/** Shows the mechanism of the document in the place of the result's motion. */
function moveByHand(): void {
  if (!live.isVisible) live.show();
  offerOther();
}

/** Leads from what is moved by hand to the result's motion, and back. */
function offerOther(): void {
  handButton.hidden = replay === undefined;
  handButton.textContent = live.isVisible ? "Show the result" : "Move by hand";
}

async function openExample(name: string): Promise<void> {
  try {
    openAnother(await exampleText(name), name);
  } catch (error) {
    findings.replaceChildren(...showError(error, editor.text, editor));
  }
}

/** Tells of a draft from an earlier visit, with what the user can do about it. */
function tellOfDraft(text: string, action: string, act: () => void): void {
  const button = h("button", { type: "button" }, action);
  button.addEventListener("click", act);
  findings.replaceChildren(h("p", { className: "notice" }, h("span", {}, text), button));
}

/** Opens the document of the page's address, or says why it cannot be read; false, where it has none. */
async function openLinked(): Promise<boolean> {
  try {
    const linked = await linkedDocument();
    if (linked === undefined) return false;
    const kept = draft();
    open(linked);
    examples.value = "";
    if (kept !== undefined && kept !== linked)
      tellOfDraft("You edited another document before.", "Back to it", () => open(kept));
    return true;
  } catch (error) {
    if (editor.text === "") await openLast();
    findings.replaceChildren(...showError(error, editor.text, editor));
    return true;
  }
}

/** Copies a link that holds the document. */
async function copyLink(): Promise<void> {
  const link = await linkTo(editor.text);
  try {
    await navigator.clipboard.writeText(link);
    findings.replaceChildren(h("p", { className: "notice", role: "status" }, "A link that holds the model is copied."));
  } catch {
    // Without leave to write there, and on addresses without TLS.
    findings.replaceChildren(h("p", { className: "notice" }, h("a", { href: link }, "A link that holds the model")));
  }
}

/** Opens what the user worked on last, else the first example. */
async function openLast(): Promise<void> {
  const kept = draft();
  if (kept === undefined) return openExample(firstExample);
  open(kept);
  tellOfDraft("This is the document that you edited last.", "Discard it", () => {
    dropDraft();
    void openExample(firstExample);
  });
}

async function openFirst(): Promise<void> {
  if (!(await openLinked())) await openLast();
}

/** Opens the document of the job that is shown, unless the user is at work on another one. */
function showDocument(document: string | undefined): void {
  shownDocument = document ?? "";
  editButton.hidden = document === undefined;
  if (document === undefined) {
    if (editor.text === "") void openFirst();
    return;
  }
  if (editor.text === document || editor.edited) return;
  const kept = editor.text === "" ? draft() : undefined;
  open(document);
  examples.value = "";
  if (kept !== undefined && kept !== document)
    tellOfDraft("You edited another document before.", "Back to it", () => open(kept));
}

/** Does something with the document while the buttons rest, and shows its mistakes if it has any. */
async function withDocument(action: (text: string) => Promise<void>): Promise<void> {
  const text = editor.text;
  checkButton.disabled = runButton.disabled = true;
  try {
    await action(text);
    editor.mark([]);
  } catch (error) {
    findings.replaceChildren(...showError(error, text, editor));
    mistaken = true;
  } finally {
    checkButton.disabled = runButton.disabled = false;
  }
}

async function check(text: string): Promise<void> {
  findings.replaceChildren(...understoodView(await validate(solver, text)));
}

async function submit(text: string): Promise<void> {
  const job = await submitJob(text);
  findings.replaceChildren();
  location.hash = jobFragment(job.id);
  seeResult();
}

/** Shows the job that the address names, so that a reload or a link leads back to it. */
function showAddressedJob(): void {
  const id = new URLSearchParams(location.hash.slice(1)).get("job");
  result.classList.toggle("empty", !id);
  result.classList.remove("ended", "moving", "single");
  values.replaceChildren();
  modes.replaceChildren();
  editButton.hidden = true;
  replay = undefined;
  player.clear();
  live.show();
  offerOther();
  plots?.clear();
  run.clear();
  if (!id) return;
  void run.follow(id);
  void jobs.refresh();
}

async function showOutcome(outcome: Outcome): Promise<void> {
  const { job, arrays } = outcome;
  void jobs.refresh();
  showDownloads(job, arrays);
  result.classList.add("ended");
  if (arrays.length === 0) return;
  // One row is a state, which has values, not a course of time to plot.
  const single = arrays.find(({ name }) => name === "T")?.shape[0] === 1;
  result.classList.toggle("single", single);
  const plotted = single ? undefined : showPlots(outcome);
  const table = single ? await valuesView(job.id, arrays) : [];
  const motion = await loadMotion(job.id, arrays);
  if (run.id !== job.id) return;
  values.replaceChildren(...table);
  if (motion) await showMotion(outcome, motion, single);
  await plotted;
}

async function showPlots({ job, document, arrays }: Outcome): Promise<void> {
  const shown = await loadPlots();
  if (run.id === job.id) await shown.show(job, document, arrays);
}

/** Shows a motion, or of a linearization its first mode. */
async function showMotion({ job, document, arrays }: Outcome, motion: Motion, single: boolean): Promise<void> {
  const scene = readScene(await sceneOf(solver, document));
  await cutCurves(scene, motion.stride, job.id, arrays);
  const choose = (mode: Motion): void => {
    replay = () => {
      live.hide();
      player.show(scene, mode, mode !== motion);
      offerOther();
    };
    replay();
  };
  const list = single ? await modesView(job.id, arrays, scene, motion, choose) : [];
  if (run.id !== job.id) return;
  result.classList.add("moving");
  choose(motion);
  modes.replaceChildren(...list);
  modes.querySelector("input")?.click();
}

examples.addEventListener("change", () => {
  if (examples.value) void openExample(examples.value);
});
file.addEventListener("change", () => {
  void file.files?.[0]?.text().then((text) => {
    openAnother(text, "");
    file.value = "";
  });
});
editButton.addEventListener("click", () => {
  open(shownDocument);
  examples.value = "";
  editor.goTo({ from: 0, to: 0 });
});
onSelection(() => {
  if (tree.selected) editor.select(placeOf(tree.selected.pointer));
});
handButton.addEventListener("click", () => {
  if (live.isVisible) replay?.();
  else moveByHand();
});
checkButton.addEventListener("click", () => void withDocument(check));
runButton.addEventListener("click", () => void withDocument(submit));
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter" || runButton.disabled) return;
  event.preventDefault();
  void withDocument(event.shiftKey ? check : submit);
});
byId("copy-link", HTMLButtonElement).addEventListener("click", () => void copyLink());
addEventListener("hashchange", () => {
  showAddressedJob();
  void openLinked();
});

async function start(): Promise<void> {
  showAddressedJob();
  if (!run.id) void jobs.refresh();
  try {
    const list = await listExamples();
    const text = ({ name, title }: Example): string => (title ? `${name} – ${title}` : name);
    examples.append(...list.map((example) => h("option", { value: example.name }, text(example))));
    if (!list.some(({ name }) => name === firstExample)) firstExample = list[0]?.name ?? "";
    if (!run.id && editor.text === "") await openFirst();
  } catch (error) {
    findings.replaceChildren(...showError(error, editor.text, editor));
  }
}

void start();
