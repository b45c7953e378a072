// Manages the drawing tools: the current tool, and the elements that its positions create. Loaded when the user starts
// to build.
import { ApiError, modelSchema } from "../app/api";
import { byId, h } from "../app/dom";
import { errorText, words } from "../app/format";
import { buildTexts, elementTexts } from "../app/texts";
import { modelIn } from "../document/elements";
import { difference, pointerTo } from "../document/pointer";
import type { Pair } from "../drawing/geometry";
import { Labels } from "../drawing/labels";
import type { View } from "../interaction/picking";
import { onSelection, select, selected, type Selected } from "../interaction/selection";
import { BODY_TOOLS } from "./bodies";
import type { BuildPage } from "./build";
import { classesIn, type Class } from "./classes";
import { COPY_TOOLS } from "./copies";
import { Dimensions } from "./dimensions";
import { Draft } from "./draft";
import { toolOf } from "./elements";
import { sliderTool } from "./slider";
import { drawNodes, drawSnap } from "./snapping";
import { FIRST_PICK, Refusal, spotAt, type Gesture, type Made, type Pick, type Tool, type Way } from "./tool";
import { fourBarTool } from "./synthesis_tools";
import { ToolInput } from "./tool_input";
import { Toolbar } from "./toolbar";
import { Underlay } from "./underlay";

/** Classes with their own button, and the names of their elements; the other classes are in a list. */
const BUTTONS: [Class["kind"], string, string, string][] = [
  ["joints", "revolute", "Pin", "pin"],
  ["joints", "rigid", "Fixed", "fixed"],
  ["joints", "gear", "Gear", "gear"],
  ["joints", "cam-follower", "Cam", "cam"],
  ["forces", "spring-damper", "Spring", "spring"],
  ["drivers", "joint", "Driver", "driver"],
  ["forces", "force", "Force", "force"],
  ["forces", "contact", "Contact", "contact"],
];

/** The classes of the slider tool. Its button is before that of the class `before`. */
const SLIDER = { slot: "revolute-translational", rail: "translational", before: "rigid" };

/** Returns the first part of an element's name, as in "x-driver1" or "rod1". Driver types are not complete words, so
 * "-driver" is added. */
function stemOf({ kind, type }: Class): string {
  return kind === "drivers" ? `${type}-driver` : type;
}

/** The codes of failures in which joints and drivers contradict one another, at the start or later. */
const CONTRADICTIONS = ["not_assembled", "contradiction", "singular_position", "lock_up"];
/** Maximum number of other motions that are tried for a driver. */
const ATTEMPTS = 6;

/** The input of a tool: positions, and the document in which they were drawn. */
interface Order {
  tool: Tool;
  places: Pair[];
  view: View;
  text: string;
  freedoms: number | undefined;
}

/** Opens the form of the study. */
function showStudy(): void {
  byId("numbers-tab", HTMLButtonElement).click();
  byId("study-maker", HTMLDetailsElement).open = true;
}

export class Builder {
  private readonly canvas = byId("canvas", HTMLCanvasElement);
  private readonly host = byId("build", HTMLDivElement);
  private readonly note = h("p", { id: "build-note", role: "status" });
  /** Buttons for the kinds of the tool; `ways`: buttons for other bodies of the last element. */
  private readonly kinds = h("div", { id: "build-kinds", className: "tools", role: "group" });
  private readonly ways = h("div", { id: "build-ways", className: "tools", role: "group" });
  private readonly chosenKinds = new Map<Tool, Tool>();
  /** Positions that wait until the user chooses the kind of the tool. */
  private undecided: Pair[] | undefined;
  private readonly toolbar = new Toolbar(buildTexts.tools);
  private readonly tools = new Map<HTMLButtonElement, Tool>();
  private readonly others = h("select", { title: buildTexts.others });
  private readonly otherTools: Tool[] = [];
  private readonly underlay: Underlay;
  private readonly selectButton: HTMLButtonElement;
  private readonly snapButton: HTMLButtonElement;
  private handler: ToolInput | undefined;
  private on = false;
  /** Resolves when all previous elements have been made. */
  private work: Promise<void> = Promise.resolve();
  /** For each document that the tool made, a function that shows the note about its element again. */
  private readonly made = new Map<string, () => void>();
  /** The document of the note and of the buttons `ways`; undefined if there is none. */
  private noted: string | undefined;
  /** The document in which the last element was refused; undefined if the note does not tell that. */
  private refusedAt: string | undefined;
  /** The words of the note, which are drawn beside the bodies and joints of these names. */
  private named: ReadonlySet<string> = new Set();
  private readonly labels = new Labels();
  /** The element of the note. */
  private last: Selected | undefined;

  constructor(private readonly page: BuildPage) {
    this.underlay = new Underlay({
      redraw: () => page.player.redraw(),
      showNote: (text, bad) => this.showNote(text, bad),
      choose: (gesture, act) => this.use(gesture, act, false),
      camera: () => page.view()?.camera,
    });
    page.player.setUnder((context, camera) => {
      this.underlay.draw(context, camera);
      if (this.handler?.snaps) drawNodes(context, camera);
      for (const place of this.undecided ?? []) drawSnap(context, camera, { place });
    });
    page.player.addLayer((context, view) => {
      const shows = this.on && this.noted !== undefined && !page.isPlaying();
      if (shows) this.labels.draw(context, view, this.named);
    });
    byId("play-on", HTMLButtonElement).addEventListener("click", () => this.leaveTool());
    onSelection(() => this.followSelection());
    new Dimensions(page.player, {
      text: () => page.text(),
      change: (change) => page.change(change),
      isOn: () => this.on && !this.handler && !page.isPlaying() && page.view() !== undefined,
    });
    this.selectButton = this.toolbar.add(...buildTexts.select, () => this.choose(undefined));
    for (const tool of BODY_TOOLS) this.addTool(tool);
    this.others.setAttribute("aria-label", buildTexts.others);
    this.others.addEventListener("change", () => this.choose(this.otherTools[Number(this.others.value)]));
    this.snapButton = this.addEditing();
    const { snapButton } = this;
    for (const tool of [fourBarTool, ...COPY_TOOLS]) this.toolbar.place(this.addTool(tool), snapButton, snapButton);
    this.toolbar.element.append(this.others);
    this.kinds.setAttribute("aria-label", buildTexts.kinds);
    this.ways.setAttribute("aria-label", buildTexts.ways);
    // The kinds come first and the ways last, so that neither moves the other.
    const notes = h("div", { id: "build-notes" }, this.kinds, this.note, this.ways);
    this.host.replaceChildren(this.toolbar.element, this.underlay.element, notes);
    // Capture: this handler must get the key before the drawing does.
    this.canvas.addEventListener("keydown", (event) => this.onKey(event), true);
    this.host.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.handler) this.choose(undefined);
    });
    this.canvas.addEventListener("pointerleave", () => this.handler?.leave());
    this.canvas.addEventListener("dragover", (event) => event.preventDefault());
    this.canvas.addEventListener("drop", (event) => this.onDrop(event));
  }

  /** Adds the tools of the schema's classes as soon as the schema is available. */
  private async addClasses(): Promise<void> {
    if (this.otherTools.length > 0) return;
    const schema = await modelSchema();
    if (this.otherTools.length > 0) return;
    if (!schema) return this.showNote(buildTexts.noSchema, true);
    const classes = classesIn(schema, "planar");
    const find = (kind: string, type: string): Class | undefined =>
      classes.find((each) => each.kind === kind && each.type === type);
    const after = [...this.tools.keys()].find((button) => this.tools.get(button) === fourBarTool) ?? this.snapButton;
    for (const [kind, type, name, stem] of BUTTONS) {
      if (type === SLIDER.before) this.addSlider(find, after);
      const tool = toolOf(find(kind, type) ?? { kind, type, description: "", fields: [] }, name, stem);
      if (tool) this.toolbar.place(this.addTool(tool), after, after);
    }
    this.offerOthers(classes.filter(({ kind, type }) => !BUTTONS.some((each) => each[0] === kind && each[1] === type)));
  }

  private addSlider(find: (kind: string, type: string) => Class | undefined, before: HTMLButtonElement): void {
    const [slot, rail] = [find("joints", SLIDER.slot), find("joints", SLIDER.rail)];
    const tool = slot && rail && sliderTool(slot, rail);
    if (tool) this.toolbar.place(this.addTool(tool), before, before);
  }

  /** Lists the classes that have no button. */
  private offerOthers(classes: Class[]): void {
    const group = (kind: Class["kind"]): HTMLElement => {
      const options = classes.flatMap((each) => {
        const tool = each.kind === kind ? toolOf(each, words(each.type), stemOf(each)) : undefined;
        if (!tool) return [];
        this.otherTools.push(tool);
        return [h("option", { value: String(this.otherTools.length - 1), title: tool.title }, each.type)];
      });
      return h("optgroup", { label: words(kind) }, ...options);
    };
    const groups = (["joints", "forces", "drivers"] as const).map(group);
    this.others.replaceChildren(h("option", { value: "" }, buildTexts.othersFirst), ...groups);
  }

  private addTool(tool: Tool): HTMLButtonElement {
    const button = this.toolbar.add(tool.name, tool.title, () => this.choose(tool));
    this.tools.set(button, tool);
    return button;
  }

  /** Adds the buttons after the tools. Returns the first one; tools are inserted before it. */
  private addEditing(): HTMLButtonElement {
    const snaps = this.toolbar.add(...buildTexts.snap, () => {
      snaps.ariaPressed = String(snaps.ariaPressed !== "true");
      if (this.handler) this.handler.snaps = snaps.ariaPressed === "true";
      this.page.player.redraw();
    });
    snaps.ariaPressed = "true";
    const photo = this.toolbar.add(...buildTexts.photo, () => {
      this.underlay.element.hidden = !this.underlay.element.hidden;
      photo.ariaPressed = String(!this.underlay.element.hidden);
    });
    photo.ariaPressed = "false";
    this.toolbar.add(...buildTexts.undo, () => void this.page.undo(-1));
    this.toolbar.add(...buildTexts.redo, () => void this.page.undo(1));
    return snaps;
  }

  /** Shows or hides the tools. */
  async show(on: boolean): Promise<void> {
    this.on = on;
    this.host.hidden = !on;
    this.chosenKinds.clear();
    this.choose(undefined);
    if (on) await this.addClasses();
    this.onSceneChange();
  }

  /** Called when the drawing shows another document. */
  onSceneChange(): void {
    const inSpace = this.page.view()?.scene.dimension === 3;
    for (const button of this.tools.keys()) button.disabled = inSpace;
    this.others.disabled = inSpace;
    if (!this.on) return;
    if (inSpace && this.handler) this.choose(undefined);
    if (inSpace) this.showNote(buildTexts.notInSpace);
    else if (this.note.textContent === buildTexts.notInSpace) this.showNote("");
    else this.followUndo();
  }

  /** Restores or removes the note about an element after Undo, Redo or an edit. */
  private followUndo(): void {
    const text = this.page.text();
    const known = this.made.get(text);
    if (known && this.noted !== text) known();
    else if (!known && (this.noted ?? this.refusedAt) !== undefined && text !== this.refusedAt)
      this.showNote(this.handler?.gesture.hint ?? "");
  }

  /** Hides the buttons of the last element while another one is selected. */
  private followSelection(): void {
    const [chosen, { last }] = [selected(), this];
    if (!chosen || !last || this.noted !== this.page.text()) return;
    if (chosen.kind !== last.kind || chosen.index !== last.index) this.ways.replaceChildren();
    else if (this.ways.childElementCount === 0) this.made.get(this.noted)?.();
  }

  private isOn(tool: Tool): boolean {
    const gesture = this.handler?.gesture;
    return gesture !== undefined && (gesture === tool || (tool.kinds ?? []).some((kind) => kind === gesture));
  }

  private choose(tool: Tool | undefined): void {
    this.kinds.replaceChildren();
    this.made.clear();
    if (!tool) {
      this.setInput(undefined);
      return this.showNote("");
    }
    const kind = tool.kinds ? this.chosenKinds.get(tool) : tool;
    if (tool.kinds) this.showKinds(tool, tool.kinds, kind);
    if (kind) this.use(kind, (places) => this.make(kind, places), true);
    else this.useUndecided(tool);
  }

  /** Ends the tool, for example when the motion starts. Keeps the note about the last element, and its buttons. */
  leaveTool(): void {
    if (!this.handler) return;
    this.kinds.replaceChildren();
    this.setInput(undefined);
    if (this.noted === undefined) this.showNote("");
  }

  /** Accepts positions for a tool whose kind is not chosen yet, and asks for the kind. */
  private useUndecided(tool: Tool): void {
    this.use(
      tool,
      (places) => {
        this.undecided = places;
        this.showNote(buildTexts.chooseKindHere(tool.name));
        this.kinds.querySelector("button")?.focus({ preventScroll: true });
      },
      true,
    );
    this.showNote(buildTexts.chooseKind(tool.name));
  }

  private showKinds(tool: Tool, kinds: Tool[], chosen: Tool | undefined): void {
    const buttons = kinds.map((kind) => {
      const button = h("button", { type: "button", title: kind.title }, kind.name);
      button.ariaPressed = String(kind === chosen);
      button.addEventListener("click", () => {
        const places = this.undecided;
        this.chosenKinds.set(tool, kind);
        this.choose(tool);
        if (places) this.make(kind, places);
        this.canvas.focus({ preventScroll: true });
      });
      return button;
    });
    this.kinds.replaceChildren(...buttons);
  }

  /** Lets the user choose positions in the drawing for a gesture. `stays`: the gesture can be repeated. */
  private use(gesture: Gesture, act: (places: Pair[]) => void, stays: boolean): void {
    const onPlaces = (places: Pair[]): void => {
      if (!stays) this.setInput(undefined);
      act(places);
    };
    const snaps = stays && this.snapButton.ariaPressed === "true";
    const redraw = (): void => this.page.player.redraw();
    const back = this.page.isMoved() ? ` ${buildTexts.back}` : "";
    this.setInput(new ToolInput(gesture, onPlaces, () => this.choose(undefined), redraw, snaps));
    this.showNote(gesture.hint + back);
  }

  private setInput(handler: ToolInput | undefined): void {
    this.handler = handler;
    this.undecided = undefined;
    this.selectButton.ariaPressed = String(!handler);
    for (const [button, tool] of this.tools) button.ariaPressed = String(this.isOn(tool));
    const other = this.otherTools.findIndex((tool) => tool === handler?.gesture);
    this.others.value = other < 0 ? "" : String(other);
    this.page.useHandler(handler);
  }

  /** Makes an element as soon as the previous ones are drawn. */
  private make(tool: Tool, places: Pair[]): void {
    this.work = this.work.then(async () => {
      await this.page.settled();
      const view = this.page.view();
      if (view) await this.makeNow({ tool, places, view, text: this.page.text(), freedoms: this.page.freedoms() }, FIRST_PICK);
    });
  }

  /** Adds an element to the document in which its positions were chosen. */
  private async makeNow(order: Order, pick: Pick): Promise<void> {
    const { tool, places } = order;
    try {
      const { made, document, failed } = await this.attempt(order, pick);
      const isOpen = ({ pick }: Way): boolean => !failed.some(({ pair, swing }) => pick.pair === pair && pick.swing === swing);
      const ways = (made.ways ?? []).filter(isOpen);
      const write = (): void => {
        this.showNote(made.note);
        this.offer(order, ways, document);
        this.noted = document;
        this.named = new Set(made.note.split(/[\s:;,]+/));
      };
      if (made.last && this.isInUse(tool)) this.choose(undefined);
      // The hint of a tool that the user has chosen meanwhile stays.
      if (this.isInUse(tool)) this.made.set(document, write);
      this.page.change(difference(this.page.text(), document));
      this.last = { kind: made.kind, index: made.index };
      select(this.last);
      if (this.isInUse(tool)) write();
      if (made.study) showStudy();
      if (made.last) void this.page.settled().then(() => this.page.player.fit());
      const { traced } = made;
      if (traced) void this.page.settled().then(() => this.page.tracePoint(traced));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.showNote(errorText(error), true);
      if (tool.drag === "pairs" && this.isInUse(tool)) this.handler?.resume(places.slice(0, -2));
    }
  }

  /** Makes an element in a draft. If the joints prevent the motion of a driver, tries its other motions; `failed`: the
   * choices that failed. */
  private async attempt(order: Order, pick: Pick): Promise<{ made: Made; document: string; failed: Pick[] }> {
    const { tool, places, view, text, freedoms } = order;
    const failed: Pick[] = [];
    let note = "";
    for (let chosen = pick; ; ) {
      const draft = new Draft(text);
      const made = tool.make(places.map((place) => spotAt(place, view)), { draft, view, freedoms }, chosen);
      await this.check(draft, made);
      const { document } = draft;
      const { otherwise } = made;
      const constrains = made.kind === "joints" || made.kind === "drivers";
      const isTried = constrains && draft.list("drivers").length > 0 && freedoms !== undefined;
      const failure = isTried ? await this.page.failure(document) : undefined;
      const contradicts = failure && CONTRADICTIONS.includes(failure.code);
      if (contradicts && failure.t === 0 && !otherwise)
        throw new Refusal(elementTexts.contradicts(draft.nameIn(made.kind, made.index)));
      if (!contradicts || !otherwise) return { made: { ...made, note: made.note + note }, document, failed };
      if (failed.length === ATTEMPTS) throw new Refusal(elementTexts.notDriven);
      failed.push(chosen);
      chosen = otherwise.pick;
      note = otherwise.note;
    }
  }

  /** Returns true unless the user has chosen another tool. */
  private isInUse(tool: Tool): boolean {
    return !this.handler || this.handler.gesture === tool;
  }

  /** Offers other bodies for the element, as long as the document does not change. */
  private offer(order: Order, ways: Way[], text: string): void {
    const buttons = ways.map(({ name, title, pick }) => {
      const button = h("button", { type: "button", title }, name);
      button.addEventListener("click", () => {
        this.work = this.work.then(async () => {
          this.page.begin();
          await this.page.settled();
          if (this.page.text() === text) await this.makeNow(order, pick);
          else this.showNote(buildTexts.changed, true);
        });
      });
      return button;
    });
    this.ways.replaceChildren(...buttons);
  }

  /** Validates the document with the new element. Throws a Refusal if the element is invalid. */
  private async check(draft: Draft, { kind, index }: Made): Promise<void> {
    const pointer = pointerTo(modelIn(draft.document)?.prefix ?? "", kind, String(index));
    try {
      await this.page.validate(draft.document);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const own = error.problem.errors?.find((validationError) => `${validationError.pointer}/`.startsWith(`${pointer}/`));
      if (own) throw new Refusal(own.detail);
    }
  }

  private onKey(event: KeyboardEvent): void {
    if (!this.on || event.altKey || event.ctrlKey || event.metaKey || !this.handler?.onKey(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  private onDrop(event: DragEvent): void {
    const file = event.dataTransfer?.files[0];
    if (!this.on || !file) return;
    event.preventDefault();
    void this.underlay.open(file);
  }

  private showNote(text: string, bad = false): void {
    this.ways.replaceChildren();
    this.noted = undefined;
    this.refusedAt = bad ? this.page.text() : undefined;
    this.note.className = bad ? "bad" : "faint";
    if (this.note.textContent !== text) this.note.textContent = text;
  }
}
