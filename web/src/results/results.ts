// The results of a job: its motion in the drawing, its modes and values, its plots and downloads.
import { byId } from "../app/dom";
import { runTexts } from "../app/texts";
import { isSameDocument } from "../document/documents";
import { hasStudy } from "../document/documents";
import { asFields } from "../document/fields";
import { sceneOf } from "../document/validation";
import type { Player } from "../drawing/animation";
import { cutCurves } from "../drawing/curves";
import type { Course } from "../drawing/ghost";
import { Recorded } from "../drawing/recorded";
import { readScene, type Scene } from "../drawing/scene";
import type { Live } from "../interaction/live";
import type { Plots } from "../plots/plots";
import { AutoRun, type LocalOutcome } from "../solver/auto_run";
import { readLocalRun, type LocalRun } from "../solver/local_run";
import type { Solver } from "../solver/solver";
import type { Found } from "../study/search_result";
import type { StudyView } from "../study/view";
import type { Bode } from "./bode";
import { showDownloads } from "./downloads";
import { infoOf, loadMotion, type Motion } from "./motion";
import { PartialMotion } from "./partial_motion";
import { jobReader } from "./readers";
import type { Outcome, Running } from "./run";
import { modesView, valuesView } from "./state_results";

export class Results {
  private readonly section = byId("result", HTMLElement);
  private readonly values = byId("values", HTMLDivElement);
  private readonly modes = byId("modes", HTMLDivElement);
  private readonly dragButton = byId("by-hand", HTMLButtonElement);
  private readonly localButton = byId("show-motion", HTMLButtonElement);
  private readonly localNote = byId("own-note", HTMLSpanElement);
  /** Loaded with the first result that can be plotted. */
  private plots: Plots | undefined;
  private plotsLoading: Promise<Plots> | undefined;
  /** Shows the motion of the result from its start. */
  private replay: (() => void) | undefined;
  /** The shown job and its motion. */
  private id = "";
  private course: Course | undefined;
  /** The Bode plot of the shown job. */
  private bode: Bode | undefined;
  /** The motion of a running job. */
  private growing: PartialMotion | undefined;
  /** The document of the shown job, if it has ended. */
  private document: string | undefined;
  /** True if the result has at most one row. */
  private single = false;
  /** The automatic runs in the browser; the newest of them, and whether its motion is shown. */
  private readonly autoRun: AutoRun;
  private localRun: LocalRun | undefined;
  private showsLocal = false;
  /** The data of the shown motion; undefined while the job runs, and for a mode. */
  private recorded: Recorded | undefined;
  /** The pinned run and its motion. */
  private pinned: string | undefined;
  private pinnedCourse: Course | undefined;

  /** The view of a study's runs, which is loaded for the first study. */
  private study: Promise<StudyView> | undefined;

  constructor(
    private readonly solver: Solver,
    private readonly player: Player,
    private readonly live: Live,
    private readonly viewStudy: (id: string, document: string) => Promise<StudyView>,
  ) {
    this.autoRun = new AutoRun(
      (document, outcome) => this.handleLocal(document, outcome),
      // The plots of the first run make the drawing smaller: wait while the user drags or uses a tool.
      () => this.localRun !== undefined || !this.live.holds,
    );
    this.localButton.addEventListener("click", () => this.showLocal(false));
    this.dragButton.addEventListener("click", () => {
      if (this.live.isVisible) this.replay?.();
      else this.moveByHand();
    });
  }

  /** Removes the result. `id`: the job that is shown next, which has not ended; "" if there is none. */
  clear(id: string): void {
    this.id = id;
    this.growing = this.document = this.recorded = undefined;
    this.single = false;
    this.dropLocal();
    this.section.classList.toggle("empty", !id);
    this.section.classList.remove("ended", "moving", "single", "studied");
    byId("study-view", HTMLDivElement).replaceChildren();
    this.study = undefined;
    this.showValues([], undefined);
    this.modes.replaceChildren();
    this.replay = undefined;
    this.player.clear();
    this.live.show();
    this.offerOther();
    this.plots?.clear();
  }

  /** Shows the available motion of a running job. */
  grow({ id, document }: Running): void {
    if (id !== this.id) return;
    if (hasStudy(document)) return void this.showStudy(id, document);
    this.growing ??= this.beginToGrow(id, document);
    void this.growing.grow();
  }

  private beginToGrow(id: string, document: string): PartialMotion {
    let scene: Scene | undefined;
    const growing: PartialMotion = new PartialMotion(id, async (motion, arrays) => {
      const first = scene === undefined;
      if (!scene) {
        scene = readScene(await sceneOf(this.solver, document));
        await cutCurves(scene, motion.stride, jobReader(id), arrays);
      }
      if (this.growing !== growing) return;
      const shown = scene;
      this.section.classList.add("moving");
      this.replay = () => {
        this.live.hide(undefined);
        this.player.show(shown, motion, { growing: true });
        this.setShown(false);
      };
      if (first) this.replay();
      else if (!this.live.isVisible) this.player.showMotion(shown, motion, true);
    });
    return growing;
  }

  /** Shows the result of a finished job. */
  async show(outcome: Outcome): Promise<void> {
    this.growing = undefined;
    const { job, arrays } = outcome;
    this.dropLocal();
    this.document = outcome.document;
    showDownloads(job, arrays);
    this.section.classList.add("ended");
    // A result with one row is a state: it has values instead of plots over time. A study has no times.
    const rows = infoOf(arrays, "T")?.shape[0] ?? 0;
    const single = rows === 1;
    this.single = rows <= 1;
    this.section.classList.toggle("single", this.single);
    if (arrays.length === 0) return;
    if (hasStudy(outcome.document)) {
      const view = await this.showStudy(job.id, outcome.document);
      return this.id === job.id ? view.end(asFields(job.report).study as Found | undefined) : undefined;
    }
    const plotted = rows > 1 ? this.plot(outcome) : undefined;
    const table = single ? await valuesView(job.id, arrays) : [];
    const bode = infoOf(arrays, "response") && (await (await import("./bode")).readBode(job.id, arrays));
    const motion = await loadMotion(jobReader(job.id), arrays);
    if (this.id !== job.id) return bode?.destroy();
    this.showValues(table, bode);
    if (motion) await this.showMotion(outcome, motion, single);
    await plotted;
  }

  /** Shows the values of a state and the frequency response in place of the previous ones. */
  private showValues(table: HTMLElement[], bode: Bode | undefined): void {
    this.bode?.destroy();
    this.bode = bode;
    this.values.replaceChildren(...(bode?.elements ?? []), ...table);
  }

  /** Shows the runs of a study that are available. */
  private async showStudy(id: string, document: string): Promise<StudyView> {
    this.section.classList.add("studied");
    this.study ??= this.viewStudy(id, document);
    const view = await this.study;
    await view.grow();
    return view;
  }

  /** Runs the edited document in the browser, with `passing` while a slider moves. If the drawing shows a motion, it
   * then shows that of the new run. */
  follow(document: string, passing: boolean): void {
    if (this.document !== undefined && isSameDocument(this.document, document)) {
      const seen = this.showsLocal;
      this.dropLocal();
      if (seen) this.replay?.();
      else if (!this.live.isVisible) this.player.dim(false);
      return;
    }
    if (this.id && this.document === undefined) return this.moveByHand(); // a job is running
    // The diagrams of a study are in the place of the plots, and its chosen run is played.
    if (!this.study) this.autoRun.follow(document, passing);
  }

  /** Removes the run in the browser. */
  dropLocal(): void {
    this.autoRun.drop();
    this.localNote.textContent = "";
    if (!this.localRun) return;
    this.localRun = undefined;
    this.section.classList.remove("own");
    this.section.classList.toggle("single", this.single);
    void this.plots?.showLocalRun(undefined);
    if (this.showsLocal) this.moveByHand();
    this.offerOther();
  }

  /** The shown motion with its document; undefined while the mechanism is shown that can be dragged. */
  get motion(): { document: string; recorded: Recorded | undefined } | undefined {
    if (this.live.isVisible) return undefined;
    if (this.showsLocal && this.localRun) return this.localRun;
    return { document: this.document ?? "", recorded: this.recorded };
  }

  /** Moves the plots' marker to the animation's time. */
  mark(t: number): void {
    this.plots?.mark(t);
  }

  /** Moves the plots' marker while the mechanism of a document plays, if they show a run of it. */
  markPlayed(t: number, document: string | undefined): void {
    if (document === (this.localRun?.document ?? this.document)) this.plots?.mark(t);
  }

  /** Shows the mechanism of the document instead of the motion of a result. */
  moveByHand(): void {
    if (!this.live.isVisible) this.live.show();
    this.setShown(false);
  }

  private async handleLocal(document: string, outcome: LocalOutcome): Promise<void> {
    if (!("arrays" in outcome)) return this.showNoLocal(outcome);
    const { arrays, seconds, ends } = outcome;
    const localRun = await readLocalRun(this.solver, document, arrays).catch(() => undefined);
    // The results are no longer wanted.
    if (!this.autoRun.wants) return;
    if (!localRun) return this.showNoLocal({ none: "other" });
    const seen = !this.live.isVisible;
    this.localRun = localRun;
    this.section.classList.add("own");
    this.section.classList.remove("single");
    this.setLocalNote(ends === undefined ? runTexts.own(seconds) : runTexts.early(ends));
    if (seen) this.showLocal(true);
    this.offerOther();
    const plots = await this.loadPlots();
    if (this.localRun === localRun) await plots.showLocalRun({ document, arrays });
  }

  /** Shows that the current document has no run. The previous run stays visible, and is marked. */
  private showNoLocal(outcome: LocalOutcome): void {
    const of = this.localRun ? runTexts.stale : "";
    if (this.showsLocal) this.player.dim(true);
    else if (!("none" in outcome && outcome.none === "wrong")) this.moveByHand();
    else if (!this.live.isVisible) this.player.dim(true);
    if ("longer" in outcome) this.setLocalNote(runTexts.long(outcome.longer, outcome.least, of));
    else if ("none" in outcome && outcome.none === "hung")
      this.setLocalNote(runTexts.hung(of));
    else this.setLocalNote(of && runTexts.none(of));
  }

  private setLocalNote(text: string): void {
    // Setting the text again would make screen readers read it again.
    if (this.localNote.textContent !== text) this.localNote.textContent = text;
  }

  /** Shows the motion of the run in the browser; `on`: in place of a previous one, at the same time, playing or not. */
  private showLocal(on: boolean): void {
    if (!this.localRun) return;
    const { scene, motion, recorded } = this.localRun;
    this.live.hide(recorded);
    if (on && !this.modes.hasChildNodes()) this.player.showMotion(scene, motion, false);
    else this.player.show(scene, motion);
    this.setShown(true);
  }

  private setShown(localRun: boolean): void {
    this.showsLocal = localRun;
    this.offerOther();
  }

  /** Updates the buttons that switch between dragging and the motion of the result. */
  private offerOther(): void {
    this.dragButton.hidden = this.live.isVisible && this.replay === undefined;
    this.localButton.hidden = !this.localRun || this.showsLocal;
    this.dragButton.textContent = this.live.isVisible ? runTexts.showResult : runTexts.drag;
  }

  private async plot({ job, document, arrays }: Outcome): Promise<void> {
    const plots = await this.loadPlots();
    if (this.id === job.id) await plots.show(job, document, arrays);
  }

  private async loadPlots(): Promise<Plots> {
    this.plotsLoading ??= import("../plots/plots").then(({ Plots }) => this.makePlots(Plots));
    return (this.plots = await this.plotsLoading);
  }

  private makePlots(Made: typeof Plots): Plots {
    return new Made(
      (t) => this.player.seek(t),
      (id) => this.pin(id),
    );
  }

  /** Shows the motion of a pinned run beside others, as soon as it is loaded. */
  private pin(id: string | undefined): void {
    this.pinned = id;
    if (this.course?.id === id) this.pinnedCourse = this.course;
    this.player.compareWith(this.pinnedCourse?.id === id ? this.pinnedCourse : undefined);
  }

  /** Shows a motion, or the first mode of a linearization. */
  private async showMotion({ job, document, arrays }: Outcome, motion: Motion, single: boolean): Promise<void> {
    const scene = readScene(await sceneOf(this.solver, document));
    const read = jobReader(job.id);
    await cutCurves(scene, motion.stride, read, arrays);
    const recorded = new Recorded(scene, motion, read, arrays);
    const choose = (mode: Motion, begun = false): void => {
      this.replay = () => {
        this.dropLocal();
        this.live.hide(recorded);
        this.recorded = mode === motion ? recorded : undefined;
        this.player.show(scene, mode, { cyclic: mode !== motion });
        this.setShown(false);
      };
      if (!begun) return this.replay();
      // The motion of the running job is already shown: continue it at the same time.
      this.live.hide(recorded);
      this.recorded = recorded;
      this.player.showMotion(scene, mode, false);
    };
    const list = single ? await modesView(job.id, arrays, scene, motion, choose) : [];
    if (this.id !== job.id) return;
    this.section.classList.add("moving");
    this.course = { id: job.id, scene, motion };
    this.pin(this.pinned);
    const begun = this.replay !== undefined && !this.live.isVisible;
    choose(motion, begun);
    this.modes.replaceChildren(...list);
    this.modes.querySelector("input")?.click();
  }
}
