// The mechanism of the document in the editor: assembled after each edit, dragged, and played. The solver in the worker
// computes its position. A failed command leaves the mechanism unchanged.
import type { Problem } from "../app/api";
import { byId, h } from "../app/dom";
import { words } from "../app/format";
import { liveTexts, otherFreedoms } from "../app/texts";
import { drivenJoints, modelIn } from "../document/elements";
import { asFields, asList, type Fields } from "../document/fields";
import type { Change } from "../document/pointer";
import type { Player } from "../drawing/animation";
import { emptyMechanism } from "../drawing/empty_scene";
import { minus } from "../drawing/geometry";
import { Overlays } from "../drawing/overlays";
import { Pose } from "../drawing/pose";
import type { Recorded } from "../drawing/recorded";
import { GROUND, readScene, type Scene } from "../drawing/scene";
import { speedsAround } from "../drawing/speeds";
import { drawGaps, NO_HANDLER, unassembled, type Unassembled } from "../drawing/unassembled";
import { Session } from "../solver/session";
import { SolverError, SolverHung, type Solver } from "../solver/solver";
import type { Command, Failure, Opened, Position, SessionReply } from "../solver/solver_session";
import type { Traced } from "../solver/sweep";
import type { DisplayOption } from "./display_options";
import { BodyDrag, type PointerHandler } from "./drag";
import { PointDrag } from "./edit_points";
import { emitEvent, type MechanismChange } from "./mechanism_events";
import { placeOf, type Grip } from "./picking";

/** Maximum time step of one frame at the speed 1, however late the frame comes [s]. */
const LONGEST_STEP = 0.05;
/** The highest speed that Play offers: then a slow frame advances the motion by 0.5 s in one command. */
const FASTEST = 10;
/** Dragging to a fixed target continues until the remaining distance is below this fraction of the initial one, or
 * until it decreases by less than this fraction in one command. */
const NEAR = 1e-3;

/** Options of the drawing that need clicks on it, so that a tool ends. */
const PICKING: DisplayOption[] = ["trace", "edit"];
/** Number of frames without a motion after which the mechanism counts as being in equilibrium. */
const STILL_FRAMES = 30;

/** Callbacks for the document. */
export interface DocumentView {
  /** The document is valid. */
  right(): void;
  wrong(problem: Problem, text: string): void;
  /** The browser has no solver that could validate the document. */
  unknown(text: string): void;
  /** Changes parts of the document: transiently, or as an undo step together with earlier transient changes
   * (`stays`). */
  change(changes: Change[], stays: boolean): void;
  /** The drawing now shows another or a changed document. */
  drawn(): void;
  /** The drawing now shows the motion of a result. */
  hidden(): void;
  /** The mechanism has moved by itself from its start to this time [s]. */
  played(t: number): void;
  /** The next press on the drawing is to choose a point, not a place for a tool. */
  picks(): void;
}

/** Converts the failure of an assembly to a validation error. */
function asProblem({ code, detail, pointer }: Failure): Problem {
  const problem: Problem = { title: words(code), status: 422, detail };
  return pointer === null ? problem : { ...problem, errors: [{ pointer, detail }] };
}

/** Maximum number of redundant constraints that are named. */
const NAMED_MOST = 4;

function freedomsText({ freedoms, velocityFreedoms, mobility, redundant }: Opened): string {
  const parts = [liveTexts.freedoms(freedoms), ...otherFreedoms(freedoms, velocityFreedoms, mobility)];
  const names = [...redundant.slice(0, NAMED_MOST), ...(redundant.length > NAMED_MOST ? ["..."] : [])];
  if (names.length > 0) parts.push(liveTexts.redundant(redundant.length, names));
  return parts.join(", ");
}

/** Returns the joints that an edit added or changed: their names, or their types if they have none. */
function changedJoints(before: string, after: string): string[] {
  const jointsOf = (text: string): Fields[] => asList(modelIn(text)?.model.joints).map(asFields);
  const known = new Set(jointsOf(before).map((joint) => JSON.stringify(joint)));
  const changed = jointsOf(after).filter((joint) => !known.has(JSON.stringify(joint)));
  return changed.map(({ name, type }) => String(name ?? type));
}

export class Live {
  private readonly result = byId("result", HTMLElement);
  private readonly freedoms = byId("freedoms", HTMLSpanElement);
  private readonly note = byId("live-note", HTMLSpanElement);
  private readonly playButton = byId("play-on", HTMLButtonElement);
  private readonly backButton = byId("live-back", HTMLButtonElement);
  private readonly speed = byId("live-speed", HTMLSelectElement);
  private readonly session: Session;
  private readonly bodyDrag: BodyDrag;
  private readonly pointDrag: PointDrag;
  private readonly overlays: Overlays;
  private shown: { opened: Opened; scene: Scene; pose: Pose; document: string } | undefined;
  /** Joints whose edit removed the last degree of freedom; empty while there is one. */
  private locking: string[] = [];
  /** True if the mechanism has a single degree of freedom, so that its points move on curves. */
  private single = false;
  /** The mechanism of the document if it cannot be assembled; then `shown` is undefined. */
  private loose: Unassembled | undefined;
  private tracing = false;
  /** True if the worker was lost and has not opened a mechanism since. */
  private lost = false;
  /** The drawing tool that handles presses while the user builds. */
  private tool: PointerHandler | undefined;
  private opening: Promise<void> = Promise.resolve();
  private text = "";
  /** True if the next mechanism is that of another document rather than an edit. */
  private reset = true;
  private visible = true;
  private playing = false;
  /** True if the user has dragged or changed it since its start, so that a run moves differently. */
  private dragged = false;
  /** Number of starts of Play and returns to the start. A step that arrives after the next one is dropped. */
  private starts = 0;
  /** Number of successive frames of Play in which nothing moved. */
  private stillFrames = 0;
  /** The reason why the document cannot be assembled; undefined if it can. */
  private failure: string | undefined;
  private pullTarget: { grip: Grip; target: number[] } | undefined;

  constructor(
    private readonly solver: Solver,
    private readonly player: Player,
    private readonly view: DocumentView,
  ) {
    this.session = new Session(solver);
    this.pointDrag = new PointDrag({
      text: () => this.text,
      begin: () => {
        this.play(false);
        this.moved = true;
      },
      change: (changes, stays) => this.view.change(changes, stays),
      refuse: (reason) => this.showNote(reason),
    });
    this.overlays = new Overlays(player, (toggle) => {
      if (toggle === "edit") this.updateHandler();
      if (toggle && PICKING.includes(toggle) && this.overlays.options.has(toggle)) this.view.picks();
      this.result.classList.toggle("editing", this.overlays.options.has("edit"));
      void this.read();
      void this.trace();
    });
    this.bodyDrag = new BodyDrag(
      (grip, target) => {
        this.pullTarget = { grip, target };
        void this.pull();
      },
      () => (this.pullTarget = undefined),
    );
    player.addLayer((context, view) => {
      if (this.loose && this.visible) drawGaps(context, view, this.loose);
    });
    this.playButton.addEventListener("click", () => this.play(!this.playing));
    this.backButton.addEventListener("click", () => void this.goBack());
    this.speed.append(...speedsAround(1).filter((speed) => speed <= FASTEST).map((speed) => h("option", { value: String(speed), selected: speed === 1 }, `${speed}×`)));
  }

  /** True if the mechanism was moved from the position that the document defines. */
  private get moved(): boolean {
    return !this.backButton.disabled;
  }

  private set moved(moved: boolean) {
    this.backButton.disabled = !moved;
  }

  private get handler(): PointerHandler {
    return this.tool ?? (this.overlays.options.has("edit") ? this.pointDrag : this.bodyDrag);
  }

  /** True while a drag is active or a tool is chosen: the drawing under the pointer must not change. */
  get holds(): boolean {
    return this.tool !== undefined || this.handler.holds;
  }

  /** The document whose mechanism is drawn; undefined if there is none. */
  get document(): string | undefined {
    return this.lost ? undefined : this.shown?.document;
  }

  /** The number of degrees of freedom of the drawn mechanism; undefined if there is none. */
  get freedomCount(): number | undefined {
    return this.moves && !this.loose ? this.shown?.opened.freedoms : undefined;
  }

  get isMoved(): boolean {
    return this.moved;
  }

  get isPlaying(): boolean {
    return this.playing;
  }

  get isVisible(): boolean {
    return this.visible;
  }

  /** Sets the drawing tool that handles presses; undefined restores dragging. A tool needs the position that the
   * document defines. */
  useHandler(tool: PointerHandler | undefined): void {
    this.handler.release(true);
    this.tool = tool;
    this.updateHandler();
    if (tool && (this.moved || this.playing)) void this.goBack();
  }

  private updateHandler(): void {
    if (!this.visible) return;
    if (this.shown) this.player.showLive(this.shown.scene, this.shown.pose, this.handler, false);
    else if (this.loose) this.player.showLive(this.loose.scene, this.loose.motion, this.tool ?? NO_HANDLER, false);
  }

  /** Resolves when the current document has been assembled and drawn, or has failed. */
  get settled(): Promise<void> {
    return this.opening;
  }

  /** Assembles a document: another one (`reset`), or an edit of the one that is shown. */
  open(text: string, reset: boolean): Promise<void> {
    this.opening = this.assemble(text, reset);
    return this.opening;
  }

  private async assemble(text: string, reset: boolean): Promise<void> {
    this.text = text;
    if (reset) {
      this.reset = true;
      this.moved = this.dragged = false;
      this.play(false);
    }
    this.dragged ||= this.moved;
    const reply = await this.send({ call: "open", document: text, carry: this.moved });
    if (reply) await this.handleReply(reply, text);
  }

  /** Sets a parameter; `document` contains the new value. */
  async set(name: string, value: number, document: string): Promise<void> {
    // The session has not opened this document yet.
    if (!this.shown) return this.open(document, false);
    const reply = await this.send({ call: "set", name, value, document });
    if (!reply) return;
    if ("opened" in reply) this.moved = this.dragged = true;
    if ("failure" in reply) this.showNote(reply.failure.detail);
    else await this.handleReply(reply, document);
  }

  /** Shows the mechanism instead of the motion of a result. */
  show(): void {
    this.visible = true;
    this.overlays.record(undefined);
    if (!this.shown) return this.showLoose();
    this.result.classList.add("live");
    this.player.showLive(this.shown.scene, this.shown.pose, this.handler, true);
  }

  /** Hides the mechanism, to show the motion of a result; `recorded` is its data if the result is complete. */
  hide(recorded: Recorded | undefined): void {
    this.visible = false;
    this.view.hidden();
    this.overlays.record(recorded);
    this.play(false);
    this.player.dim(false);
    this.result.classList.remove("live");
  }

  /** Stops the motion, and lets the next document start in the position that it defines. */
  begin(): void {
    this.handler.release(true);
    this.play(false);
    this.starts++;
    this.moved = this.dragged = false;
  }

  /** Plays the document from its start as soon as it is assembled, if that succeeds. */
  async playOn(): Promise<void> {
    const { opening } = this;
    await opening;
    if (opening === this.opening && this.visible && this.shown?.document === this.text) this.play(true);
  }

  /** Draws the path of a point, such as "coupler.P". */
  tracePoint(name: string): void {
    if (this.shown) this.overlays.tracePoint(name, this.shown.scene);
  }

  onKey(key: string): void {
    if (key === " ") this.play(!this.playing);
    if (key === "Escape") void this.goBack();
  }

  /** Moves the mechanism back to the position that the document defines. */
  async goBack(): Promise<void> {
    this.begin();
    this.view.played(0);
    this.player.restoreView();
    // A document that cannot be assembled is drawn at its initial values, instead of the position before.
    await this.open(this.text, this.failure !== undefined);
  }

  /** Sends a command. Returns undefined if a newer command replaced it, or if there is no solver. */
  private async send(command: Command): Promise<SessionReply | undefined> {
    try {
      return await this.session.send({ ...command, read: this.overlays.wanted });
    } catch (error) {
      if (!(error instanceof SolverError)) throw error;
      this.play(false);
      this.pullTarget = undefined;
      this.moved = false;
      this.lost = true;
      if (this.reset) this.forget();
      // The position was lost with the worker: the document is opened again from its start. A document that failed to
      // open would fail again.
      const hung = error instanceof SolverHung ? error.message : undefined;
      if (command.call === "open" || command.call === "set") this.view.unknown(this.text);
      else await this.open(this.text, false);
      if (hung !== undefined) this.showNote(hung);
      return undefined;
    }
  }

  private async handleReply(reply: SessionReply, text: string): Promise<void> {
    const opened = "opened" in reply ? reply.opened : emptyMechanism(text);
    if (opened) {
      this.take(opened, text);
      // If a newer document has been set meanwhile, that one must still be treated as another document.
      if (text === this.text) this.reset = false;
      this.view.right();
      return;
    }
    if (this.reset) this.forget();
    else if (this.visible) this.player.dim(true);
    if ("problem" in reply) {
      this.showNote(this.reset ? liveTexts.notDrawn : liveTexts.drawnBefore);
      this.view.wrong(reply.problem, text);
    }
    if ("failure" in reply && this.reset) await this.showUnassembled(reply.failure, text);
    else if ("failure" in reply) this.showFailure(reply.failure, text);
  }

  /** Clears the drawing of the previous document. */
  private forget(): void {
    this.shown = this.loose = undefined;
    this.single = false;
    this.locking = [];
    this.freedoms.textContent = "";
    this.overlays.begin();
    this.overlays.showReadings({}, true);
    if (!this.visible) return;
    this.player.dim(false);
    this.player.clear();
  }

  /** Draws a mechanism that cannot be assembled at its initial values. */
  private async showUnassembled(failure: Failure, text: string): Promise<void> {
    const found = await unassembled(this.solver, text).catch((error: unknown) => {
      if (error instanceof SolverError) return undefined;
      throw error;
    });
    if (text !== this.text) return;
    this.loose = found;
    this.showLoose();
    this.showFailure(failure, text);
    if (found) this.showNote(liveTexts.drawnWithGaps(failure.detail));
    this.view.drawn();
  }

  private showLoose(): void {
    if (!this.loose || !this.visible) return;
    this.result.classList.add("live");
    this.player.dim(false);
    this.player.showLive(this.loose.scene, this.loose.motion, this.tool ?? NO_HANDLER, true);
  }

  /** Shows below the drawing why the document cannot be assembled, and marks the element in the text if there is
   * one. */
  private showFailure(failure: Failure, text: string): void {
    emitEvent({ what: "failed", failure });
    this.play(false);
    this.failure = failure.detail;
    this.showNote(failure.detail);
    const seen = this.visible && (this.shown ?? this.loose) !== undefined;
    if (seen && failure.pointer === null) this.view.right();
    else this.view.wrong(asProblem(failure), text);
  }

  private take(opened: Opened, document: string): void {
    const scene = readScene(opened.scene);
    this.findLocking(opened, document);
    this.failure = this.loose = undefined;
    this.shown = { opened, scene, pose: new Pose(scene.dimension, scene.bodies.length, opened.numbers), document };
    const moves = scene.bodies.length > 0;
    if (!moves) [this.moved, this.playing] = [false, false];
    const isLoose = ![...scene.joints, ...scene.forces].some(({ bodies }) => bodies.includes(GROUND));
    this.freedoms.textContent = moves
      ? freedomsText(opened) + this.lockingText + (isLoose ? liveTexts.loose : "")
      : liveTexts.empty;
    this.single = opened.mobility === 1;
    this.lost = false;
    if (this.reset) this.overlays.begin();
    this.overlays.markDriven(drivenJoints(document));
    this.overlays.showReadings(opened.readings, true);
    this.showNote("");
    if (this.visible) {
      this.result.classList.add("live");
      this.player.dim(false);
      this.player.showLive(scene, this.shown.pose, this.handler, this.reset);
    }
    this.emitState("opened", opened);
    this.view.drawn();
    void this.trace();
  }

  /** Finds the joints whose edit removed the last degree of freedom. Drivers do not count. */
  private findLocking({ mobility }: Opened, document: string): void {
    const before = this.reset ? undefined : this.shown;
    if (mobility > 0 || !before) this.locking = [];
    else if (before.opened.mobility > 0) this.locking = changedJoints(before.document, document);
  }

  private get lockingText(): string {
    return this.locking.length > 0 ? liveTexts.locked(this.locking) : "";
  }

  /** Reads the quantities that the drawing shows at the current position. Tries again in the next frame if another
   * command was running. */
  private async read(): Promise<void> {
    if (!this.moves || this.lost) return;
    const reply = await this.send({ call: "read" });
    if (!reply) requestAnimationFrame(() => void this.read());
    if (!reply || !("moved" in reply)) return;
    this.overlays.showReadings(reply.moved.readings, false);
    this.emitState("read", reply.moved);
    if (this.visible) this.player.redraw();
  }

  /** Computes the traced curve in slices, while no other command is waiting. */
  private async trace(): Promise<void> {
    if (this.tracing) return;
    this.tracing = true;
    for (let traced = this.curveToTrace; traced; traced = this.curveToTrace) {
      const reply = await this.send({ call: "trace", traced });
      if (reply && "curve" in reply) this.overlays.setCurve(reply.curve, traced);
      await new Promise(requestAnimationFrame);
    }
    this.tracing = false;
  }

  private get curveToTrace(): Traced | undefined {
    return this.single && this.visible && !this.lost ? this.overlays.traced : undefined;
  }

  private async pull(): Promise<void> {
    const { pullTarget, shown } = this;
    if (!pullTarget || !shown) return;
    const { grip, target } = pullTarget;
    const before = Math.hypot(...minus(target, placeOf(grip, shown.pose)));
    const reply = await this.send({ call: "pull", body: grip.body + 1, point: grip.local, target });
    if (!reply) return; // a newer target replaced this one, and draws
    if (!this.follow(reply, "pulled")) this.player.redraw();
    if (!("moved" in reply)) return;
    const { distance } = reply.moved;
    if (distance > NEAR * before && distance < (1 - NEAR) * before)
      requestAnimationFrame(() => void (pullTarget === this.pullTarget && this.pull()));
  }

  /** Draws the new position. Shows the reason and returns false if the mechanism did not move. */
  private follow(reply: SessionReply, what: "pulled" | "played"): boolean {
    if ("failure" in reply) this.showNote(reply.failure.code === "cancelled" ? liveTexts.slow : reply.failure.detail);
    if (!("moved" in reply) || !this.shown) return false;
    this.moved = true;
    this.stillFrames = what === "played" && this.shown.pose.isAt(reply.moved.numbers) ? this.stillFrames + 1 : 0;
    this.showNote(this.stillFrames > STILL_FRAMES ? liveTexts.atRest : "");
    this.shown.pose.take(reply.moved.numbers);
    this.overlays.showReadings(reply.moved.readings, false);
    if (this.visible) this.player.follow(what === "played");
    this.dragged ||= what === "pulled";
    if (!this.dragged) this.view.played(reply.moved.time);
    this.emitState(what, reply.moved);
    return true;
  }

  private emitState(what: MechanismChange, { readings, time }: Position): void {
    if (this.shown) emitEvent({ what, mechanism: { ...this.shown, readings, time } });
  }

  /** True if a mechanism is shown that has bodies. */
  private get moves(): boolean {
    return this.shown !== undefined && this.shown.scene.bodies.length > 0;
  }

  private play(on: boolean): void {
    const starts = on && !this.playing && this.moves;
    this.stillFrames = 0;
    const { opened } = this.shown ?? {};
    if (starts && this.failure !== undefined) return this.showNote(this.failure);
    if (starts && opened?.mobility === 0 && opened.freedoms === 0) return this.showNote(liveTexts.rigid);
    this.playing = on && this.moves;
    this.playButton.textContent = this.playing ? liveTexts.pause : liveTexts.play;
    if (starts) void this.playLoop(++this.starts);
  }

  /** Plays until the user stops it or starts again; `start` is the number of this start. */
  private async playLoop(start: number): Promise<void> {
    const frame = (): Promise<number> => new Promise(requestAnimationFrame);
    let last = await frame();
    const isOn = (): boolean => this.playing && start === this.starts;
    while (isOn()) {
      const instant = await frame();
      if (!isOn()) return;
      const dt = Number(this.speed.value) * Math.min((instant - last) / 1000, LONGEST_STEP);
      last = instant;
      if (this.handler.holds || !(dt > 0)) continue;
      const reply = await this.send({ call: "step", dt });
      if (start !== this.starts || this.failure !== undefined) return;
      if (reply && !this.follow(reply, "played")) this.play(false);
    }
  }

  private showNote(text: string): void {
    // Setting the text again would make screen readers read it again.
    if (this.note.textContent !== text) this.note.textContent = text;
  }
}
