// What a job has produced: its motion in the drawing, its modes and values, its plots and downloads.
import type { Player } from "./animation";
import { cutCurves } from "./curves";
import { byId } from "./dom";
import { showDownloads } from "./downloads";
import { Follower } from "./follower";
import type { Course } from "./ghost";
import { GrowingMotion } from "./growing";
import type { Live } from "./live";
import { infoOf, loadMotion, type Motion } from "./motion";
import type { Plots } from "./plots";
import type { Outcome, Running } from "./run";
import { hasStudy } from "./documents";
import { Recorded } from "./recorded";
import { readScene, type Scene } from "./scene";
import type { Solver } from "./solver";
import type { StudyView } from "./study/view";
import { modesView, valuesView } from "./still";
import { sceneOf } from "./understanding";

export class Results {
  private readonly section = byId("result", HTMLElement);
  private readonly values = byId("values", HTMLDivElement);
  private readonly modes = byId("modes", HTMLDivElement);
  private readonly handButton = byId("by-hand", HTMLButtonElement);
  /** They come with the first result that has something to plot. */
  private plots: Plots | undefined;
  private plotsLoading: Promise<Plots> | undefined;
  /** Shows the motion of the result. */
  private replay: (() => void) | undefined;
  /** The job that is shown, and its motion. */
  private id = "";
  private course: Course | undefined;
  /** The motion of a job that runs. */
  private growing: GrowingMotion | undefined;
  /** Runs of the page that the plots show while sliders are turned. */
  private readonly follower: Follower;
  /** The pinned run, and its motion. */
  private pinned: string | undefined;
  private pinnedCourse: Course | undefined;

  /** The runs of a study, which come with the first one. */
  private study: Promise<StudyView> | undefined;

  constructor(
    private readonly solver: Solver,
    private readonly player: Player,
    private readonly live: Live,
    private readonly viewStudy: (id: string, document: string) => Promise<StudyView>,
  ) {
    this.follower = new Follower(solver, async (document, arrays) => {
      if (this.live.isVisible) await this.plots?.lend({ document, arrays });
    });
    this.handButton.addEventListener("click", () => {
      if (this.live.isVisible) this.replay?.();
      else this.moveByHand();
    });
  }

  /** Shows nothing of a job, or (`id`) of one that has not ended yet. */
  clear(id: string): void {
    this.id = id;
    this.growing = undefined;
    this.section.classList.toggle("empty", !id);
    this.section.classList.remove("ended", "moving", "single", "studied");
    byId("study-view", HTMLDivElement).replaceChildren();
    this.study = undefined;
    this.values.replaceChildren();
    this.modes.replaceChildren();
    this.replay = undefined;
    this.player.clear();
    this.live.show();
    this.offerOther();
    this.plots?.clear();
  }

  /** Shows the motion of a job that runs, as far as it has come. */
  grow({ id, document }: Running): void {
    if (id !== this.id) return;
    if (hasStudy(document)) return void this.showStudy(id, document);
    this.growing ??= this.beginToGrow(id, document);
    void this.growing.grow();
  }

  private beginToGrow(id: string, document: string): GrowingMotion {
    let scene: Scene | undefined;
    const growing: GrowingMotion = new GrowingMotion(id, async (motion, arrays) => {
      const first = scene === undefined;
      if (!scene) {
        scene = readScene(await sceneOf(this.solver, document));
        await cutCurves(scene, motion.stride, id, arrays);
      }
      if (this.growing !== growing) return;
      const shown = scene;
      this.section.classList.add("moving");
      this.replay = () => {
        this.live.hide(undefined);
        this.player.show(shown, motion, { growing: true });
        this.offerOther();
      };
      if (first) this.replay();
      else if (!this.live.isVisible) this.player.goOn(shown, motion, true);
    });
    return growing;
  }

  /** Shows what a job that has ended came to. */
  async show(outcome: Outcome): Promise<void> {
    this.growing = undefined;
    const { job, arrays } = outcome;
    showDownloads(job, arrays);
    this.section.classList.add("ended");
    // One row is a state, which has values, not a course of time to plot; a study has no times at all.
    const rows = infoOf(arrays, "T")?.shape[0] ?? 0;
    const single = rows === 1;
    this.section.classList.toggle("single", rows <= 1);
    if (arrays.length === 0) return;
    if (hasStudy(outcome.document)) return this.showStudy(job.id, outcome.document);
    const plotted = rows > 1 ? this.plot(outcome) : undefined;
    const table = single ? await valuesView(job.id, arrays) : [];
    const motion = await loadMotion(job.id, arrays);
    if (this.id !== job.id) return;
    this.values.replaceChildren(...table);
    if (motion) await this.showMotion(outcome, motion, single);
    await plotted;
  }

  /** Shows the runs of a study that are known by now. */
  private async showStudy(id: string, document: string): Promise<void> {
    this.section.classList.add("studied");
    this.study ??= this.viewStudy(id, document);
    await (await this.study).grow();
  }

  /** Parameters have other values for the moment: the plots show what a run comes to, if that is quick. */
  follow(document: string): void {
    if (this.plots && this.section.classList.contains("ended")) void this.follower.follow(document);
  }

  /** Moves the plots' marker to the animation's time. */
  mark(t: number): void {
    this.plots?.mark(t);
  }

  /** Shows the mechanism of the document in the place of the result's motion. */
  moveByHand(): void {
    if (!this.live.isVisible) this.live.show();
    this.offerOther();
  }

  /** Leads from what is moved by hand to the result's motion, and back. */
  private offerOther(): void {
    this.handButton.hidden = this.replay === undefined;
    this.handButton.textContent = this.live.isVisible ? "Show the result" : "Move by hand";
  }

  private async plot({ job, document, arrays }: Outcome): Promise<void> {
    this.plotsLoading ??= import("./plots").then(({ Plots }) => this.makePlots(Plots));
    this.plots = await this.plotsLoading;
    if (this.id !== job.id) return;
    this.follower.expect(job.report?.wall_seconds);
    await this.plots.show(job, document, arrays);
  }

  private makePlots(Made: typeof Plots): Plots {
    return new Made(
      (t) => this.player.seek(t),
      (id) => this.pin(id),
    );
  }

  /** Has the motion of a run seen beside those of others, as soon as it is known. */
  private pin(id: string | undefined): void {
    this.pinned = id;
    if (this.course?.id === id) this.pinnedCourse = this.course;
    this.player.compareWith(this.pinnedCourse?.id === id ? this.pinnedCourse : undefined);
  }

  /** Shows a motion, or of a linearization its first mode. */
  private async showMotion({ job, document, arrays }: Outcome, motion: Motion, single: boolean): Promise<void> {
    const scene = readScene(await sceneOf(this.solver, document));
    await cutCurves(scene, motion.stride, job.id, arrays);
    const recorded = new Recorded(scene, motion, job.id, arrays);
    const choose = (mode: Motion, begun = false): void => {
      this.replay = () => {
        void this.plots?.lend(undefined);
        this.live.hide(recorded);
        this.player.show(scene, mode, { cyclic: mode !== motion });
        this.offerOther();
      };
      if (!begun) return this.replay();
      // What was seen of it while it was computed goes on.
      this.live.hide(recorded);
      this.player.goOn(scene, mode, false);
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
