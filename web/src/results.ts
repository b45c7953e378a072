// What a job has produced: its motion in the drawing, its modes and values, its plots and downloads.
import type { Player } from "./animation";
import { cutCurves } from "./curves";
import { byId } from "./dom";
import { showDownloads } from "./downloads";
import type { Course } from "./ghost";
import type { Live } from "./live";
import { loadMotion, type Motion } from "./motion";
import type { Plots } from "./plots";
import type { Outcome } from "./run";
import { Recorded } from "./recorded";
import { readScene } from "./scene";
import type { Solver } from "./solver";
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
  /** The pinned run, and its motion. */
  private pinned: string | undefined;
  private pinnedCourse: Course | undefined;

  constructor(
    private readonly solver: Solver,
    private readonly player: Player,
    private readonly live: Live,
  ) {
    this.handButton.addEventListener("click", () => {
      if (this.live.isVisible) this.replay?.();
      else this.moveByHand();
    });
  }

  /** Shows nothing of a job, or (`id`) of one that has not ended yet. */
  clear(id: string): void {
    this.id = id;
    this.section.classList.toggle("empty", !id);
    this.section.classList.remove("ended", "moving", "single");
    this.values.replaceChildren();
    this.modes.replaceChildren();
    this.replay = undefined;
    this.player.clear();
    this.live.show();
    this.offerOther();
    this.plots?.clear();
  }

  /** Shows what a job that has ended came to. */
  async show(outcome: Outcome): Promise<void> {
    const { job, arrays } = outcome;
    showDownloads(job, arrays);
    this.section.classList.add("ended");
    if (arrays.length === 0) return;
    // One row is a state, which has values, not a course of time to plot.
    const single = arrays.find(({ name }) => name === "T")?.shape[0] === 1;
    this.section.classList.toggle("single", single);
    const plotted = single ? undefined : this.plot(outcome);
    const table = single ? await valuesView(job.id, arrays) : [];
    const motion = await loadMotion(job.id, arrays);
    if (this.id !== job.id) return;
    this.values.replaceChildren(...table);
    if (motion) await this.showMotion(outcome, motion, single);
    await plotted;
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
    if (this.id === job.id) await this.plots.show(job, document, arrays);
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
    const choose = (mode: Motion): void => {
      this.replay = () => {
        this.live.hide(recorded);
        this.player.show(scene, mode, mode !== motion);
        this.offerOther();
      };
      this.replay();
    };
    const list = single ? await modesView(job.id, arrays, scene, motion, choose) : [];
    if (this.id !== job.id) return;
    this.section.classList.add("moving");
    this.course = { id: job.id, scene, motion };
    this.pin(this.pinned);
    choose(motion);
    this.modes.replaceChildren(...list);
    this.modes.querySelector("input")?.click();
  }
}
