// Small pictures of models, which move while they are hovered or focused. A separate solver computes them one at a
// time, so that the mechanism of the page does not wait.
import { ApiError } from "../app/api";
import { onColourScheme } from "../app/dom";
import { Solver, SolverError } from "../solver/solver";
import type { Opened } from "../solver/solver_session";
import { Camera } from "./camera";
import { Painter } from "./drawing";
import { Pose } from "./pose";
import { readScene } from "./scene";

/** Scale of lines and texts relative to the page's drawing. */
const SCALE = 0.6;
/** Margin around a mechanism [pixels of the page's drawing]. */
const MARGIN = 34;
/** Maximum time step of one frame, however late the frame comes [s of real time]. */
const LONGEST_STEP = 0.05;
/** Time limit of a picture; a model that needs longer has none [ms]. */
const LONGEST = 4000;

/** A model and the canvas that shows it. */
export interface ThumbnailModel {
  canvas: HTMLCanvasElement;
  /** Returns its document. */
  document: () => Promise<string>;
  /** Ratio of the motion's time to real time. */
  speed: number;
}

interface Picture {
  pose: Pose;
  painter: Painter;
}

function frame(): Promise<number> {
  return new Promise(requestAnimationFrame);
}

export class Thumbnails {
  private readonly solver = new Solver();
  private readonly pictures = new Map<ThumbnailModel, Picture>();
  private turn: Promise<void> = Promise.resolve();
  /** The model that moves. */
  private moving: ThumbnailModel | undefined;

  constructor() {
    onColourScheme(() => this.pictures.forEach((picture, { canvas }) => draw(canvas, picture)));
  }

  /** Draws a model at the position of its document. */
  show(model: ThumbnailModel): void {
    this.queue(async () => {
      if (!this.pictures.has(model)) await this.open(model);
    });
  }

  /** Plays a model from its start, until it is stopped or another one is played. */
  play(model: ThumbnailModel): void {
    this.moving = model;
    this.queue(async () => {
      if (this.moving !== model) return;
      await this.open(model);
      await this.move(model);
    });
  }

  stop(model: ThumbnailModel): void {
    if (this.moving === model) this.moving = undefined;
  }

  /** Runs tasks one after the other. A task that fails leaves the picture unchanged. */
  private queue(task: () => Promise<void>): void {
    this.turn = this.turn.then(task).catch((error: unknown) => {
      if (!(error instanceof SolverError || error instanceof ApiError)) throw error;
    });
  }

  private async open(model: ThumbnailModel): Promise<void> {
    const document = await model.document();
    const reply = await this.solver.within(LONGEST, () => this.solver.session({ call: "open", document, carry: false }));
    if (!("opened" in reply)) return;
    const picture = pictureOf(model.canvas, reply.opened);
    this.pictures.set(model, picture);
    draw(model.canvas, picture);
  }

  private async move(model: ThumbnailModel): Promise<void> {
    const picture = this.pictures.get(model);
    let last = await frame();
    while (this.moving === model && picture) {
      const instant = await frame();
      const dt = Math.min(Math.max(instant - last, 0) / 1000, LONGEST_STEP) * model.speed;
      last = instant;
      if (dt === 0) continue;
      const reply = await this.solver.session({ call: "step", dt });
      if (!("moved" in reply)) return;
      picture.pose.take(reply.moved.numbers);
      picture.painter.follow();
      draw(model.canvas, picture);
    }
  }
}

function pictureOf({ clientWidth, clientHeight }: HTMLCanvasElement, { scene: model, numbers }: Opened): Picture {
  const scene = readScene(model);
  const pose = new Pose(scene.dimension, scene.bodies.length, numbers);
  const camera = new Camera();
  const painter = new Painter(scene, pose, camera);
  camera.resize(clientWidth / SCALE, clientHeight / SCALE);
  camera.fit(painter.bounds(), MARGIN);
  return { pose, painter };
}

function draw(canvas: HTMLCanvasElement, { painter }: Picture): void {
  const { clientWidth, clientHeight } = canvas;
  const ratio = devicePixelRatio * SCALE;
  canvas.width = Math.round(clientWidth * devicePixelRatio);
  canvas.height = Math.round(clientHeight * devicePixelRatio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  painter.draw(context, clientWidth / SCALE, clientHeight / SCALE);
}
