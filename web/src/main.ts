// Connects the parts of the page: document -> check or run -> job -> motion, plots, report, downloads.
import "uplot/dist/uPlot.min.css";
import "./app/app.css";
import "./build/build.css";
import "./interaction/live.css";
import "./drawing/overlays.css";
import "./lessons/lesson.css";
import "./study/study.css";
import "./equations/equations.css";
import { entry, keep, keepSoon, onVisit, visit, type Entry as Visit } from "./app/address";
import {
  answers,
  ApiError,
  exampleText,
  listExamples,
  submitJob,
  validate as validateByService,
  onNoResponse,
  type Example,
} from "./app/api";
import { Connection } from "./app/connection";
import { byId, h } from "./app/dom";
import { errorText } from "./app/format";
import { Tabs } from "./app/tabs";
import { pageTexts } from "./app/texts";
import { Build } from "./build/build";
import { motionOfJoint } from "./build/motions";
import { added, type Addition } from "./document/additions";
import { DisplayUnits } from "./document/display_units";
import { isModelOf, isSameDocument } from "./document/documents";
import { draft, dropDraft, keepDraft } from "./document/drafts";
import { Editor } from "./document/editor";
import { elementsOf, modelIn } from "./document/elements";
import { openFiles, type ImportPage } from "./document/import";
import { changed, memberChange, placeFinder, pointerTo, type Change, type Place } from "./document/pointer";
import { Properties } from "./document/properties";
import { linkedDocument, linkTo } from "./document/share";
import { acceptDrops } from "./document/source_files";
import { Tree } from "./document/tree";
import { validate } from "./document/validation";
import { showError } from "./document/validation_errors";
import { Player } from "./drawing/animation";
import type { EquationsView } from "./equations/view";
import { Live } from "./interaction/live";
import { emitEvent } from "./interaction/mechanism_events";
import { ParameterSliders } from "./interaction/parameter_sliders";
import { onSelection, select } from "./interaction/selection";
import { addressedLesson, type Entry } from "./lessons/list";
import type { LessonPlayer } from "./lessons/player";
import { jobFragment, JobList } from "./results/jobs";
import { validationView } from "./results/report";
import { Results } from "./results/results";
import { Run, type Outcome } from "./results/run";
import { Solver } from "./solver/solver";
import type { StudyForm } from "./study/study_form";
import type { StudyView } from "./study/view";

const FIRST_EXAMPLE = "SC";
/** Pause in typing after which the service validates the document, if the browser has no solver [ms]. */
const TYPING_PAUSE_MS = 400;

/** Time for a run that shows whether a new driver can move the mechanism [s]. */
const FAILS_WITHIN = 1;

/** True if the page is embedded in another page: it shows only the mechanism, and stores and runs nothing. */
const EMBEDDED = new URLSearchParams(location.search).has("embed");

const examples = byId("example", HTMLSelectElement);
const file = byId("file", HTMLInputElement);
const checkButton = byId("check", HTMLButtonElement);
const runButton = byId("run", HTMLButtonElement);
const findings = byId("findings", HTMLDivElement);
const result = byId("result", HTMLElement);
const hint = byId("result-hint", HTMLParagraphElement);
const runOther = byId("run-other", HTMLSpanElement);
const editButton = byId("edit", HTMLButtonElement);
let shownDocument = "";
/** The example in the editor; empty for another document. The list of examples may arrive later. */
let openedExample = "";
let firstExample = FIRST_EXAMPLE;
/** Number of documents that were opened or requested, and of edits. A text that arrives after the next one is dropped. */
let openings = 0;
/** True while validation errors are shown. The next valid document clears them. */
let hasErrors = false;
let validationTimer = 0;
let galleryLoading: Promise<void> | undefined;
/** The document of the user and the name of its example, while a lesson uses the editor. */
let userDocument: { text: string; example: string } | undefined;
let lessonPlayer: Promise<LessonPlayer> | undefined;
let studyForm: Promise<StudyForm> | undefined;
/** The document with the parameter values of a study's run, while the drawing shows that run. */
let followed: string | undefined;
let equationsView: Promise<EquationsView | undefined> | undefined;

const editor = new Editor(byId("editor", HTMLDivElement), pageTexts.editor, onEdit, () => modelTabs.show("text"));
const properties = new Properties(byId("properties", HTMLDivElement), {
  text: () => editor.text,
  change: (change) => editor.replace(change, change.insert),
  goTo: (pointer) => editor.goTo(placeOf(pointer)),
  remove: (element) => void build.remove([element]),
  motionOf: async (name) => {
    await live.goBack();
    const { liveView: view } = player;
    const joint = view?.scene.joints.findIndex((each) => each.name === name) ?? -1;
    return view && joint >= 0 ? motionOfJoint(joint, view, 0) : undefined;
  },
});
const tree = new Tree(byId("tree", HTMLDivElement), (element) => void properties.show(element), add);
const solver = new Solver();
const player = new Player(
  (t) => results.mark(t),
  (key) => live.onKey(key),
);
const live = new Live(solver, player, {
  right: () => {
    sliders.show(followed ?? editor.text);
    void studyForm?.then((maker) => maker.refresh());
    if (hasErrors) showErrors(undefined, editor.text);
  },
  wrong: (problem, text) => showErrors(new ApiError(problem), text),
  unknown: (text) => {
    if (EMBEDDED)
      hint.textContent = pageTexts.needsWebAssembly;
    clearTimeout(validationTimer);
    validationTimer = window.setTimeout(() => void validateLater(text), TYPING_PAUSE_MS);
  },
  change: (changes, stays) => editor.change(changes, stays),
  drawn: () => build.onSceneChange(),
  hidden: () => build.hide(),
  played: (t) => results.markPlayed(t, live.document),
  picks: () => build.leaveTool(),
});
const build = new Build({
  player,
  text: () => editor.text,
  change: (change) => editor.replace(change, change.insert),
  undo: (direction) => editor.step(direction),
  validate: (text) => validate(solver, text),
  view: () => player.liveView,
  settled: () => live.settled,
  isPlaying: () => live.isPlaying,
  isMoved: () => live.isMoved,
  freedoms: () => live.freedomCount,
  failure: (text) => solver.failure(text, FAILS_WITHIN),
  tracePoint: (name) => live.tracePoint(name),
  begin: () => live.begin(),
  moveByHand: () => results.moveByHand(),
  useHandler: (handler) => live.useHandler(handler),
});
const units = new DisplayUnits(solver);
const sliders = new ParameterSliders(byId("parameters", HTMLDivElement), units, {
  text: () => editor.text,
  change: (name, value, document) => {
    runItself(document, true);
    void (value === undefined ? live.open(document, false) : live.set(name, value, document));
  },
  commit: (place, written) => editor.replace(place, written),
});
const results = new Results(solver, player, live, viewStudy);
const run = new Run(showDocument, showOutcome, (running) => results.grow(running));
const jobs = new JobList(
  (id) => {
    if (id === run.id) location.hash = "";
  },
  (job) => run.rename(job),
);

const modelTabs = new Tabs(byId("model-tabs", HTMLDivElement), (panel) => {
  if (panel === "text") void editor.look();
  if (panel === "gallery") galleryLoading ??= loadGallery();
});
new Tabs(byId("drawer-tabs", HTMLDivElement), (panel) => {
  const shown = panel === "equations";
  document.querySelector("main")?.classList.toggle("explaining", shown);
  if (shown) equationsView ??= loadEquations();
  void equationsView?.then((view) => view?.show(shown));
});

function placeOf(pointer: string, whole = false): Place {
  return placeFinder(editor.text, whole)(pointer);
}

/** Adds an element of the list below the tree, and selects it. */
function add(addition: Addition): void {
  try {
    const { change, made } = added(editor.text, addition);
    editor.replace(change, change.insert);
    select(made);
    if (player.liveView?.scene.dimension === 3) void live.settled.then(() => player.fit());
  } catch (error) {
    showErrors(error, editor.text);
  }
}

function onEdit(): void {
  openings++;
  followed = undefined;
  findings.querySelector(".draft")?.remove();
  setExample("");
  if (!EMBEDDED && !userDocument) {
    keepDraft(editor.text);
    addressEdit();
  }
  tree.show(editor.text);
  compareDocuments();
  runItself(editor.text, false);
  void live.open(editor.text, false);
}

/** Adds a history entry at the first edit of an addressed document; later edits update that entry. A result stays
 * visible beside the edited document. */
function addressEdit(): void {
  const kept = { document: editor.text, name: entry()?.name };
  if (entry()?.document === undefined) visit(run.id ? jobFragment(run.id) : "", kept);
  else keepSoon(kept);
  updateTitle();
}

/** Writes the name of the document into the title of the page. */
function updateTitle(): void {
  const { name } = modelIn(editor.text)?.model ?? {};
  run.setTitle(entry()?.name ?? (typeof name === "string" ? name : ""));
}

/** Opens a document of the user in a new history entry, and closes the result of another document. */
function visitDocument(kept: Visit & { document: string }): void {
  const before = editor.edited ? editor.text : undefined;
  visit("", kept);
  if (run.id) showAddressedJob();
  results.moveByHand();
  openBesideDraft(kept.document, before);
  setExample(kept.example ?? "");
}

/** Runs a document in the browser, after an edit or, with `passing`, while the user drags a slider. */
function runItself(document: string, passing: boolean): void {
  if (EMBEDDED) results.moveByHand();
  else results.follow(document, passing);
}

/** Loads the equations of the drawn mechanism when the user first opens their tab. */
async function loadEquations(): Promise<EquationsView | undefined> {
  const host = byId("equations", HTMLDivElement);
  try {
    const { EquationsView } = await import("./equations/view");
    return new EquationsView(host, solver, player, () => results.motion ?? live.document);
  } catch (error) {
    equationsView = undefined;
    host.replaceChildren(h("p", { className: "bad" }, errorText(error)));
    return undefined;
  }
}

async function loadGallery(): Promise<void> {
  const host = byId("gallery", HTMLDivElement);
  host.replaceChildren(h("p", { className: "faint" }, pageTexts.loading));
  try {
    const [{ Gallery }, { examples, studies }] = await Promise.all([import("./document/gallery"), listExamples()]);
    new Gallery(host, examples, studies, (name) => void visitExample(name).then(scrollToResult));
  } catch (error) {
    galleryLoading = undefined;
    host.replaceChildren(h("p", { className: "bad" }, errorText(error)));
  }
}

/** Marks the result if it belongs to a document other than the one in the editor. */
function compareDocuments(): void {
  const same = isSameDocument(shownDocument, editor.text) || isModelOf(shownDocument, editor.text);
  const other = run.id !== "" && shownDocument !== "" && !same;
  runOther.className = other ? "badge other" : "";
  runOther.textContent = other ? pageTexts.otherDocument : "";
  runOther.title = other ? pageTexts.otherDocumentTitle : "";
}

/** Sets the name of the example in the editor, and chooses it in the list. */
function setExample(name: string): void {
  openedExample = name;
  examples.value = name;
}

/** Resolves with a text to open; undefined if another document was opened or requested meanwhile. */
async function unlessLate(text: Promise<string>): Promise<string | undefined> {
  const number = ++openings;
  const loaded = await text;
  return number === openings ? loaded : undefined;
}

/** Opens a document in the editor and clears the errors of the previous one. */
function open(text: string): void {
  openings++;
  userDocument = followed = undefined;
  if (editor.text !== text) select(undefined);
  sliders.show(text);
  editor.open(text);
  tree.show(text, true);
  compareDocuments();
  findings.replaceChildren();
  hasErrors = false;
  results.dropLocal();
  updateTitle();
  if (!run.id) results.moveByHand();
  void live.open(text, true);
}

/** Opens another document in the editor and draws its mechanism. */
function openAnother(text: string, name: string): void {
  results.moveByHand();
  open(text);
  setExample(name);
}

/** Scrolls to the result, which is above the model on a narrow page. */
function scrollToResult(): void {
  if (result.getBoundingClientRect().top < 0) result.scrollIntoView();
}

/** Shows the validation errors of the document while the user edits it, or clears them if there are none. */
function showErrors(error: unknown, text: string): void {
  if (editor.text !== text) return;
  hasErrors = error !== undefined;
  const notices = findings.querySelectorAll(".notice");
  findings.replaceChildren(...notices, ...(hasErrors ? showError(error, text, editor, false) : []));
  if (!hasErrors) editor.mark([]);
}

/** Validates the document by the service if the browser has no solver. */
async function validateLater(text: string): Promise<void> {
  try {
    await validateByService(text);
    if (hasErrors) showErrors(undefined, text);
  } catch (error) {
    if (error instanceof ApiError && error.problem.errors) showErrors(error, text);
  }
}

async function openExample(name: string): Promise<void> {
  try {
    const text = await unlessLate(exampleText(name));
    if (text !== undefined) openAnother(text, name);
  } catch (error) {
    findings.replaceChildren(...showError(error, editor.text, editor));
  }
}

/** Opens an example in a new history entry, and closes the result of another document. */
async function visitExample(name: string): Promise<void> {
  try {
    const text = await unlessLate(exampleText(name));
    if (text === undefined) return;
    visit(`#${new URLSearchParams({ example: name }).toString()}`, {});
    if (run.id) showAddressedJob();
    openAnother(text, name);
  } catch (error) {
    findings.replaceChildren(...showError(error, editor.text, editor));
  }
}

/** Shows a notice about a draft from an earlier visit, with a button that runs `act`. */
function showDraftNotice(text: string, action: string, act: () => void): void {
  const button = h("button", { type: "button" }, action);
  button.addEventListener("click", act);
  findings.replaceChildren(h("p", { className: "notice draft" }, h("span", {}, text), button));
}

/** Opens a document that is not the last draft, and offers to reopen that draft. */
function openBesideDraft(text: string, kept: string | undefined): void {
  open(text);
  setExample("");
  if (kept !== undefined && kept !== text)
    showDraftNotice(pageTexts.editedBefore, pageTexts.reopen, () => {
      visit(run.id ? jobFragment(run.id) : "", { document: kept });
      open(kept);
      setExample("");
    });
}

/** Starts a lesson, which opens its own documents. Restores the document of the user at the end, unless the user has
 * opened another one. */
async function startLesson(entry: Entry): Promise<void> {
  lessonPlayer ??= import("./lessons/player").then(({ LessonPlayer }) => {
    return new LessonPlayer({
      open: async (mechanism) => {
        const kept = userDocument;
        if ("example" in mechanism) await openExample(mechanism.example);
        else openAnother(mechanism.text, "");
        userDocument = kept;
        return editor.text;
      },
      moveByHand: () => results.moveByHand(),
      ended: () => {
        if (!userDocument) return;
        const { text, example } = userDocument;
        keep({ document: text, example });
        openAnother(text, example);
      },
      validation: () => validate(solver, editor.text),
    });
  });
  const player = await lessonPlayer;
  const kept = editor.text || draft();
  if (kept !== undefined) userDocument ??= { text: kept, example: openedExample };
  await player.start(entry);
  scrollToResult();
}

/** Selects the element that the address names, as "joints/pin". */
function selectLinked(): void {
  const named = new URLSearchParams(location.hash.slice(1)).get("element");
  const element = elementsOf(editor.text)?.find(({ kind, name }) => `${kind}/${name}` === named);
  if (element) select(element);
}

/** Opens the lesson, example or document in the page's address, or shows why it cannot be read. Returns false if the
 * address has none. */
async function openLinked(): Promise<boolean> {
  try {
    const lesson = EMBEDDED ? undefined : addressedLesson();
    if (lesson) {
      await startLesson(lesson);
      return true;
    }
    const example = new URLSearchParams(location.hash.slice(1)).get("example");
    const loading = example === null ? linkedDocument() : exampleText(example);
    if (loading === undefined) return false;
    const linked = await unlessLate(loading);
    if (linked === undefined) return true;
    openBesideDraft(linked, EMBEDDED ? undefined : draft());
    if (example !== null) setExample(example);
    selectLinked();
    return true;
  } catch (error) {
    if (EMBEDDED) {
      // Showing another mechanism instead would be misleading.
      hint.textContent = errorText(error);
      return true;
    }
    if (editor.text === "") await openLast();
    findings.replaceChildren(...showError(error, editor.text, editor));
    return true;
  }
}

/** Copies a link that contains the document. */
async function copyLink(): Promise<void> {
  const link = await linkTo(editor.text);
  try {
    await navigator.clipboard.writeText(link);
    findings.replaceChildren(h("p", { className: "notice", role: "status" }, pageTexts.linkCopied));
  } catch {
    // The browser denies access to the clipboard, or the address has no TLS.
    findings.replaceChildren(h("p", { className: "notice" }, h("a", { href: link }, pageTexts.link)));
  }
}

/** Opens the document that the user edited last, or the first example. */
async function openLast(): Promise<void> {
  const kept = EMBEDDED ? undefined : draft();
  if (kept === undefined) {
    if (!EMBEDDED) keep({ example: firstExample });
    return openExample(firstExample);
  }
  keep({ document: kept });
  open(kept);
  showLastEditedNotice();
}

function showLastEditedNotice(): void {
  showDraftNotice(pageTexts.editedLast, pageTexts.discard, () => {
    dropDraft();
    void visitExample(firstExample);
  });
}

async function openFirst(): Promise<void> {
  if (!(await openLinked())) await openLast();
}

/** Opens the document of the job that is shown, unless the user edits another document. */
function showDocument(document: string | undefined): void {
  shownDocument = document ?? "";
  compareDocuments();
  editButton.hidden = document === undefined;
  if (document === undefined) {
    if (editor.text === "") void openFirst();
    return;
  }
  if (entry()?.document !== undefined || editor.text === document || isModelOf(document, editor.text)) return;
  if (editor.edited) {
    keep({ document: editor.text });
    return updateTitle();
  }
  openBesideDraft(document, editor.text === "" ? draft() : undefined);
}

/** Runs `action` on the document with the buttons disabled, and shows the validation errors if it fails. */
async function withDocument(action: (text: string) => Promise<void>): Promise<void> {
  const text = editor.text;
  checkButton.disabled = runButton.disabled = true;
  try {
    await action(text);
    editor.mark([]);
  } catch (error) {
    findings.replaceChildren(...showError(error, text, editor));
    hasErrors = true;
  } finally {
    checkButton.disabled = runButton.disabled = false;
  }
}

async function check(text: string): Promise<void> {
  findings.replaceChildren(...validationView(await validate(solver, text)));
  emitEvent({ what: "checked" });
}

async function submit(text: string): Promise<void> {
  const job = await submitJob(text);
  findings.replaceChildren();
  location.hash = jobFragment(job.id);
  scrollToResult();
}

const importPage: ImportPage = {
  open: (document, name) => visitDocument({ document, name }),
  show: (...elements) => findings.replaceChildren(...elements),
  goTo: (pointer) => editor.goTo(placeOf(pointer)),
};

function addressedJob(): string {
  return new URLSearchParams(location.hash.slice(1)).get("job") ?? "";
}

/** Opens the document of a history entry: the stored document, the one that its address names, or that of its job. */
async function openVisited(kept: Visit | undefined): Promise<void> {
  if (kept !== undefined && !addressedLesson()) void lessonPlayer?.then((player) => player.close());
  if (kept?.document !== undefined) return openAnother(kept.document, kept.example ?? "");
  if (kept?.example !== undefined) return openExample(kept.example);
  if (await openLinked()) return;
  if (kept !== undefined) editor.edited = false;
  if (!run.id) keep({ document: editor.text, example: openedExample || undefined });
  else if (kept !== undefined && shownDocument !== "") open(shownDocument);
}

/** Shows the job that the address names, so that a reload or a link opens it again. */
function showAddressedJob(): void {
  const id = addressedJob();
  editButton.hidden = true;
  unfollow();
  results.clear(id);
  run.clear();
  shownDocument = "";
  compareDocuments();
  if (!id) return;
  void run.follow(id);
  void jobs.refresh();
}

/** Loads the form that creates studies when the user first opens it. */
async function loadStudyForm(host: HTMLElement): Promise<StudyForm> {
  const { StudyForm } = await import("./study/study_form");
  const maker = new StudyForm(host, {
    text: () => editor.text,
    spans: () => sliders.spans,
    submitted: (id) => {
      build.hide();
      location.hash = jobFragment(id);
      scrollToResult();
    },
  });
  await maker.begin();
  return maker;
}

/** Creates the view of a study's runs. */
async function viewStudy(id: string, document: string): Promise<StudyView> {
  const { StudyView } = await import("./study/view");
  const host = byId("study-view", HTMLDivElement);
  return new StudyView(host, id, document, units, {
    show: (parameters) => showValues(document, parameters),
    follow: (parameters) => followValues(document, parameters),
  });
}

/** Returns the changes that set parameters of the document in the editor to these values. */
function valueChanges(parameters: Record<string, number>): Change[] {
  const within = "model" in (JSON.parse(editor.text) as object) ? ["model", "parameters"] : ["parameters"];
  return Object.entries(parameters).flatMap(([name, value]): Change[] => {
    const change = memberChange(editor.text, pointerTo("", ...within), name, JSON.stringify(value));
    return change && Number(editor.text.slice(change.from, change.to)) !== value ? [change] : [];
  });
}

/** Draws the mechanism with these parameter values and starts its motion, unless the user prefers reduced motion.
 * The document is unchanged. Returns false if the document is not the study's. */
function followValues(study: string, parameters: Record<string, number>): boolean {
  if (!isModelOf(study, editor.text)) return false;
  const first = followed === undefined;
  if (first) live.begin();
  followed = changed(editor.text, valueChanges(parameters));
  void live.open(followed, false);
  void live.settled.then(() => (first ? player.fit() : player.keepInView()));
  if (first && !matchMedia("(prefers-reduced-motion: reduce)").matches) void live.playOn();
  return true;
}

/** Draws the mechanism with the document's own parameter values again, after followValues(). */
function unfollow(): void {
  if (followed === undefined) return;
  followed = undefined;
  live.begin();
  void live.open(editor.text, false);
}

/** Writes the parameter values of a study's run into the document as one change, and plays the motion. Returns false
 * if the document is not the study's. */
function showValues(study: string, parameters: Record<string, number>): boolean {
  if (!isModelOf(study, editor.text)) return false;
  const changes = valueChanges(parameters);
  followed = undefined;
  live.begin();
  if (changes.length > 0) editor.change(changes, true);
  else {
    results.moveByHand();
    void live.open(editor.text, false);
  }
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) void live.playOn();
  return true;
}

async function showOutcome(outcome: Outcome): Promise<void> {
  void jobs.refresh();
  await results.show(outcome);
  emitEvent({ what: "ran", outcome });
}

examples.addEventListener("change", () => {
  if (examples.value) void visitExample(examples.value);
});

/** Elements in which the keys for undo change a text of their own. */
const TEXTS = "#editor, textarea, input:not([type=range], [type=checkbox], [type=file])";

/** Returns -1 if a key undoes a change of the document, 1 if it redoes one, undefined for other keys. */
function undoDirection({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): -1 | 1 | undefined {
  const applies = (ctrlKey || metaKey) && !altKey && !(target instanceof Element && target.closest(TEXTS));
  if (!applies || !["z", "y"].includes(key.toLowerCase())) return undefined;
  return shiftKey || key.toLowerCase() === "y" ? 1 : -1;
}

file.addEventListener("change", () => {
  const chosen = [...(file.files ?? [])].map((each) => ({ path: each.name, file: each }));
  void openFiles(chosen, importPage).then(() => (file.value = ""));
});
if (!EMBEDDED) acceptDrops((files) => void openFiles(files, importPage));
byId("new", HTMLButtonElement).addEventListener("click", () => {
  visitDocument({ document: Build.nothing });
  void build.show(true);
});
byId("start-example", HTMLButtonElement).addEventListener("click", () => modelTabs.show("gallery"));
byId("start-draw", HTMLButtonElement).addEventListener("click", () => byId("new", HTMLButtonElement).click());
byId("start-space", HTMLButtonElement).addEventListener("click", () => {
  visitDocument({ document: Build.inSpace });
  modelTabs.show("tree");
});
byId("start-open", HTMLButtonElement).addEventListener("click", () => file.click());
editButton.addEventListener("click", () => {
  visit(jobFragment(run.id), {});
  open(shownDocument);
  setExample("");
  editor.goTo({ from: 0, to: 0 });
});
onSelection(() => {
  emitEvent({ what: "selected" });
  if (tree.selected && tree.selected.kind !== "settings") editor.select(placeOf(tree.selected.pointer, true));
});
checkButton.addEventListener("click", () => void withDocument(check));
runButton.addEventListener("click", () => void withDocument(submit));
addEventListener("keydown", (event) => {
  if (EMBEDDED) return;
  const direction = undoDirection(event);
  if (direction !== undefined) {
    event.preventDefault();
    void editor.step(direction);
  }
  if (!(event.ctrlKey || event.metaKey) || event.key !== "Enter" || runButton.disabled) return;
  event.preventDefault();
  void withDocument(event.shiftKey ? check : submit);
});
byId("study-maker", HTMLDetailsElement).addEventListener("toggle", ({ target }) => {
  studyForm ??= loadStudyForm(target as HTMLDetailsElement);
  void studyForm.then((maker) => maker.refresh());
});
byId("copy-link", HTMLButtonElement).addEventListener("click", () => void copyLink());
onVisit((kept) => {
  if (!EMBEDDED && kept === undefined) keep({});
  if (addressedJob() !== run.id || kept === undefined) showAddressedJob();
  void openVisited(kept);
});

/** Fills the list of examples, and opens the first document. */
async function offerExamples(): Promise<void> {
  try {
    const { examples: list, studies } = await listExamples();
    const text = ({ name, title }: Example): string => (title ? `${name} – ${title}` : name);
    const option = (example: Example): HTMLOptionElement => h("option", { value: example.name }, text(example));
    examples.append(...list.map(option), h("optgroup", { label: pageTexts.studies }, ...studies.map(option)));
    if (!list.some(({ name }) => name === firstExample)) firstExample = list[0]?.name ?? "";
    if (!run.id && editor.text === "") await openFirst();
    else examples.value = openedExample;
  } catch (error) {
    findings.replaceChildren(...showError(error, editor.text, editor));
  }
}

const connection = new Connection(byId("connection", HTMLParagraphElement), answers, () => {
  void jobs.refresh();
  if (examples.options.length <= 1) void offerExamples();
});
onNoResponse(() => connection.lose());

/** Shows only the mechanism, with a link to the whole page. */
function embed(): void {
  byId("build-on", HTMLButtonElement).hidden = true;
  document.documentElement.classList.add("embedded");
  hint.textContent = "";
  byId("whole-page", HTMLAnchorElement).href = `${location.pathname}${location.hash}`;
}

/** Opens the document that the history entry stores, after a reload. */
function openKept(): void {
  const { document, example } = entry() ?? {};
  if (document === undefined) return;
  open(document);
  setExample(example ?? "");
  if (example === undefined && document === draft()) showLastEditedNotice();
}

if (EMBEDDED) embed();
showAddressedJob();
if (!EMBEDDED) {
  openKept();
  if (entry() === undefined) keep({});
}
if (!run.id) void jobs.refresh();
void offerExamples();
