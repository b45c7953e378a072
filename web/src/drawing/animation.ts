// The player: the canvas of the drawing with its controls, and the clock that plays a motion.
import { byId, h, onColourScheme } from "../app/dom";
import { formatNumber } from "../app/format";
import { liveTexts } from "../app/texts";
import { REACH, type PointerHandler } from "../interaction/drag";
import type { View } from "../interaction/picking";
import type { Motion } from "../results/motion";
import { SpaceView } from "../view3d/space_view";
import { Camera, type Bounds } from "./camera";
import { Painter } from "./drawing";
import type { Pair } from "./geometry";
import { Ghost, type Course } from "./ghost";
import { SaveMenu } from "./save_menu";
import type { Scene } from "./scene";
import { defaultSpeed, speedsAround } from "./speeds";

const FIT_MARGIN = 44;
/** Margin around a mechanism that moves during Play [pixels]. */
const LEAST_MARGIN = 16;
/** A press that moves by less than this is a click [pixels]. */
const CLICK = 4;
/** Margin around a mechanism that the user can drag, as a fraction of the canvas. */
const LIVE_MARGIN = 0.18;
/** Time constant with which the drawing of a running job approaches its newest row [s]. */
const DELAY = 0.3;
/** Speed of a mode [periods/s]. */
const CYCLE_SPEED = 0.5;

function reachOf({ pointerType }: PointerEvent): keyof typeof REACH {
  return pointerType === "touch" ? "touch" : "mouse";
}

/** Callbacks for clicks on the drawing and for the Tab key over it. An element counts if it is within `reach`
 * pixels. */
interface Clicks {
  /** `next`: Alt is pressed; `more`: Shift is pressed. */
  click: (pixel: Pair, reach: number, view: View, next: boolean, more: boolean) => void;
  /** Returns false if there is no further element. */
  goThrough: (pixel: Pair, reach: number, view: View, back: boolean) => boolean;
}

export class Player {
  private readonly canvas = byId("canvas", HTMLCanvasElement);
  private readonly playButton = byId("play", HTMLButtonElement);
  private readonly slider = byId("time", HTMLInputElement);
  private readonly clock = byId("clock", HTMLOutputElement);
  private readonly speed = byId("speed", HTMLSelectElement);
  private readonly inSpace = new SpaceView(() => this.draw(), () => this.fit());
  private camera = new Camera();
  private shown?: { painter: Painter; motion: Motion; scene: Scene; handler?: PointerHandler };
  private pinned: Course | undefined;
  private ghost: Ghost | undefined;
  private readonly layers: ((context: CanvasRenderingContext2D, view: View) => void)[] = [];
  private clicks?: Clicks;
  private under?: (context: CanvasRenderingContext2D, camera: Camera) => void;
  /** True while a button is pressed on the drawing: the drawing must keep its size then. */
  private down = false;
  /** The pixel of a press that has not moved; undefined if there is none. */
  private pressed: Pair | undefined;
  /** The pixel of the pointer and its reach; undefined if it is not over the drawing. */
  private pointer: { pixel: Pair; reach: number } | undefined;
  private drawingSoon = false;
  private playing = false;
  private lastInstant = 0;
  private fitted = true;
  /** The view before it was widened because the mechanism left it; undefined if it was not. */
  private before: Bounds | undefined;
  /** True if the motion is one repeating period of a mode, with times from 0 to 1. */
  private cyclic = false;
  /** True if the job still runs, so that more of the motion will follow. */
  private growing = false;
  /** The duration and unit for which speeds are offered. */
  private offered = "";

  /** Calls `onTime` whenever the shown time changes, and `onLiveKey` for Space or Escape while a mechanism is shown
   * that can be dragged. */
  constructor(
    private readonly onTime: (t: number) => void,
    private readonly onLiveKey: (key: string) => void,
  ) {
    this.playButton.addEventListener("click", () => this.play(!this.playing));
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    byId("fit", HTMLButtonElement).addEventListener("click", () => this.fit());
    byId("zoom-in", HTMLButtonElement).addEventListener("click", () => this.zoom(1.25));
    byId("zoom-out", HTMLButtonElement).addEventListener("click", () => this.zoom(0.8));
    new SaveMenu(
      this.canvas,
      (context) => this.drawLines(context),
      () => this.shown,
    );
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
    this.canvas.addEventListener("pointerleave", () => (this.pointer = undefined));
    this.canvas.addEventListener("pointerdown", (event) => this.onPress(event));
    for (const type of ["pointerup", "pointercancel"] as const)
      this.canvas.addEventListener(type, (event) => this.onRelease(event));
    // Dragging a body with a finger must not scroll the page.
    const keep = (event: TouchEvent): void => {
      if (this.shown?.handler?.holds) event.preventDefault();
    };
    this.canvas.addEventListener("touchstart", keep, { passive: false });
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    onColourScheme(() => this.draw());
  }

  /** Shows a motion from its start. Plays it unless the system asks for reduced motion. `cyclic`: one period of a
   * mode, with times from 0 to 1. `growing`: the part of a motion that is known so far, of which the newest rows
   * are played. */
  show(scene: Scene, motion: Motion, { cyclic = false, growing = false } = {}): void {
    this.camera = new Camera();
    Object.assign(this, { cyclic, growing });
    this.setShown({ scene, motion });
    const moves = motion.end > motion.start;
    this.canvas.parentElement?.classList.toggle("still", !moves);
    this.offerTimes(motion);
    this.fitted = true;
    this.resize();
    this.seek(motion.start);
    this.play(moves && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  /** Replaces the motion by a longer part of it, at the same time and camera. `growing`: the motion is not complete
   * yet. */
  showMotion(scene: Scene, motion: Motion, growing: boolean): void {
    const { t } = this.shown?.motion.frame ?? motion.frame;
    this.growing = growing;
    this.setShown({ scene, motion });
    this.offerTimes(motion);
    this.keepInView();
    this.seek(t);
  }

  private offerTimes({ start, end }: Motion): void {
    Object.assign(this.slider, { min: String(start), max: String(end), step: "any" });
    this.speed.hidden = this.growing;
    this.offerSpeeds(end - start);
  }

  /** Shows a mechanism that the user can drag. Keeps the camera, unless it is another mechanism (`reset`). */
  showLive(scene: Scene, motion: Motion, handler: PointerHandler, reset: boolean): void {
    const before = this.shown;
    const keep = !reset && before?.handler !== undefined && before.scene.dimension === scene.dimension;
    this.play(false);
    if (!keep) this.camera = new Camera();
    this.setShown({ scene, motion, handler });
    this.canvas.classList.toggle("building", handler.clicks === true);
    this.canvas.parentElement?.classList.add("still");
    if (!keep) this.fitted = true;
    if (keep) return this.draw();
    this.resize();
    this.fit();
  }

  private setShown(what: { scene: Scene; motion: Motion; handler?: PointerHandler }): void {
    const { scene, motion } = what;
    const { camera } = this;
    const spatial = scene.dimension === 3;
    this.shown = { painter: new Painter(scene, motion, camera), ...what };
    this.showGhost();
    this.canvas.parentElement?.classList.toggle("in-space", spatial);
    this.inSpace.show(spatial ? { scene, motion, camera, pinned: this.ghost?.course } : undefined);
  }

  /** Shows the motion of a pinned run as a pale copy beside other motions; undefined removes it. */
  compareWith(pinned: Course | undefined): void {
    this.pinned = pinned;
    if (!this.shown || this.shown.handler) return;
    this.setShown(this.shown);
    this.draw();
  }

  private showGhost(): void {
    const { pinned, shown, camera } = this;
    const beside = pinned && shown && !shown.handler && !this.cyclic && pinned.motion !== shown.motion;
    const alike = beside && pinned.scene.dimension === shown.scene.dimension;
    this.ghost = alike ? new Ghost(pinned, camera) : undefined;
  }

  /** The view of the mechanism that can be dragged; undefined if a result is shown. */
  get liveView(): View | undefined {
    return this.shown?.handler && this.view(this.shown);
  }

  /** Draws the mechanism at its new position. `wide`: zooms out if it leaves the drawing and the user has not chosen
   * another view. */
  follow(wide: boolean): void {
    if (!this.shown?.handler) return;
    this.shown.painter.follow();
    const { seen } = this.camera;
    if (wide && this.fitted && this.camera.widen(this.shown.painter.bounds(), LEAST_MARGIN)) this.before ??= seen;
    this.drawSoon();
  }

  /** Restores the view after follow() has zoomed out. */
  restoreView(): void {
    if (this.before && this.fitted) this.camera.fit(this.before, 0);
    this.before = undefined;
    this.drawSoon();
  }

  /** Adds a function that draws over every frame. */
  addLayer(draw: (context: CanvasRenderingContext2D, view: View) => void): void {
    this.layers.push(draw);
  }

  /** Sets a function that draws below a planar model. */
  setUnder(draw: (context: CanvasRenderingContext2D, camera: Camera) => void): void {
    this.under = draw;
  }

  /** Sets the callbacks for clicks on the drawing, and for Tab over overlapping elements. */
  onClick(clicks: Clicks): void {
    this.clicks = clicks;
  }

  /** Draws the current frame again. */
  redraw(): void {
    this.drawSoon();
  }

  /** Dims the drawing, because it does not show the current document. */
  dim(on: boolean): void {
    this.canvas.classList.toggle("dimmed", on);
  }

  /** Offers speeds for a motion of this duration. Keeps the user's choice for another motion of the same duration. */
  private offerSpeeds(duration: number): void {
    const [best, unit] = this.cyclic ? [CYCLE_SPEED, " T/s"] : [defaultSpeed(duration), "×"];
    const offered = `${duration}${unit}`;
    if (this.growing || offered === this.offered) return;
    this.offered = offered;
    const option = (speed: number): HTMLOptionElement =>
      h("option", { value: String(speed) }, `${formatNumber(speed)}${unit}`);
    this.speed.replaceChildren(...speedsAround(best).map(option));
    this.speed.value = String(best);
  }

  /** Stops and clears the drawing. */
  clear(): void {
    this.play(false);
    this.shown = undefined;
    this.canvas.parentElement?.classList.remove("in-space");
    this.inSpace.show(undefined);
    this.draw();
  }

  seek(t: number): void {
    if (!this.shown) return;
    const frame = this.shown.motion.seek(t);
    this.slider.value = String(frame.t);
    this.clock.value = this.cyclic ? `${frame.t.toFixed(2)} T` : `${frame.t.toFixed(3)} s`;
    const unit = this.cyclic ? "of a period" : "seconds";
    this.slider.setAttribute("aria-valuetext", `${formatNumber(frame.t, 4)} ${unit}`);
    this.draw();
    if (!this.cyclic) this.onTime(frame.t);
  }

  private play(on: boolean): void {
    const starting = on && !this.playing;
    this.playing = on;
    this.playButton.textContent = on ? liveTexts.pause : liveTexts.play;
    if (!starting) return;
    this.lastInstant = performance.now();
    requestAnimationFrame((instant) => this.advance(instant));
  }

  private advance(instant: number): void {
    if (!this.playing || !this.shown) return;
    const { motion } = this.shown;
    // A hidden page gets no frames: the motion then continues where it stopped.
    const seconds = Math.min(Math.max(instant - this.lastInstant, 0) / 1000, 0.1);
    this.lastInstant = instant;
    const t = motion.frame.t + seconds * Number(this.speed.value);
    if (this.growing) this.seek(motion.frame.t + (motion.end - motion.frame.t) * Math.min(seconds / DELAY, 1));
    else if (this.cyclic) this.seek(t % motion.end);
    else this.seek(motion.frame.t >= motion.end ? motion.start : t);
    requestAnimationFrame((next) => this.advance(next));
  }

  /** Shows the whole mechanism or motion. */
  fit(): void {
    if (!this.shown) return;
    this.fitCamera(this.shown);
    this.fitted = true;
    this.before = undefined;
    this.draw();
  }

  private fitCamera({ painter, handler }: { painter: Painter; handler?: PointerHandler }): void {
    const { clientWidth, clientHeight } = this.canvas;
    const spare = handler ? LIVE_MARGIN * Math.min(clientWidth, clientHeight) : 0;
    this.camera.fit(painter.bounds(), Math.max(FIT_MARGIN, spare));
  }

  /** Fits the view if the mechanism leaves it, unless the user has moved the view. */
  keepInView(): void {
    if (this.fitted && !this.down && this.shown && !this.camera.shows(this.shown.painter.bounds())) this.fit();
  }

  private zoom(factor: number, px?: number, py?: number): void {
    this.camera.zoom(factor, px, py);
    this.fitted = false;
    this.draw();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.camera.resize(clientWidth, clientHeight);
    // While the user builds, a change of the size keeps the scale.
    if (this.shown && this.fitted && !this.down && !this.shown.handler?.clicks) this.fitCamera(this.shown);
    this.draw();
  }

  /** Draws once in the next frame, even if it is called several times. */
  private drawSoon(): void {
    if (this.drawingSoon) return;
    this.drawingSoon = true;
    requestAnimationFrame(() => {
      this.drawingSoon = false;
      this.draw();
    });
  }

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const { clientWidth, clientHeight } = this.canvas;
    if (!this.shown) return context.clearRect(0, 0, clientWidth, clientHeight);
    if (clientWidth === 0 || clientHeight === 0) return; // hidden, for example while a worksheet is printed
    const { painter, motion } = this.shown;
    this.ghost?.seek(motion.frame.t);
    const solids = this.inSpace.draw(clientWidth, clientHeight);
    if (solids) painter.drawOver(solids, context, clientWidth, clientHeight);
    else painter.draw(context, clientWidth, clientHeight, { under: this.under, behind: this.ghost });
    for (const layer of this.layers) layer(context, this.view(this.shown));
    this.shown.handler?.draw(context, this.view(this.shown));
  }

  /** Draws the current frame with lines only, and everything that is drawn over it. */
  private drawLines(context: CanvasRenderingContext2D): void {
    const { shown } = this;
    if (!shown) return;
    const { clientWidth, clientHeight } = this.canvas;
    shown.painter.draw(context, clientWidth, clientHeight, { behind: this.ghost });
    for (const layer of this.layers) layer(context, this.view(shown));
  }

  private view({ scene, motion }: { scene: Scene; motion: Motion }): View {
    return { scene, motion, camera: this.camera };
  }

  private onPress(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.holdSize(true);
    const pixel: Pair = [event.offsetX, event.offsetY];
    this.pressed = event.button === 0 && event.isPrimary ? pixel : undefined;
    if (!this.shown?.handler || event.button !== 0 || event.shiftKey || !event.isPrimary) return;
    if (this.shown.handler.press(pixel, this.view(this.shown), REACH[reachOf(event)], event.altKey)) this.draw();
  }

  private onRelease(event: PointerEvent): void {
    const { pressed, shown } = this;
    if (event.isPrimary) this.holdSize(false);
    if (!event.isPrimary || !shown) return;
    this.pressed = undefined;
    const cancelled = event.type !== "pointerup";
    // The pointer may be released at a pixel without a move event there.
    if (!pressed && !cancelled && shown.handler?.holds)
      shown.handler.move([event.offsetX, event.offsetY], this.view(shown), event.altKey);
    shown.handler?.release(cancelled);
    if (pressed && !cancelled && !shown.handler?.clicks)
      this.clicks?.click(pressed, REACH[reachOf(event)], this.view(shown), event.altKey, event.shiftKey);
    this.draw();
  }

  /** Keeps the size of the drawing while a button is pressed, even if elements around it appear or disappear. */
  private holdSize(down: boolean): void {
    this.down = down;
    const { height } = this.canvas.getBoundingClientRect();
    Object.assign(this.canvas.style, down ? { flex: "none", height: `${height}px` } : { flex: "", height: "" });
  }

  private onMove(event: PointerEvent): void {
    const { shown } = this;
    const pixel: Pair = [event.offsetX, event.offsetY];
    this.pointer = { pixel, reach: REACH[reachOf(event)] };
    if (this.pressed && Math.hypot(pixel[0] - this.pressed[0], pixel[1] - this.pressed[1]) < CLICK) return;
    this.pressed = undefined;
    if (shown?.handler?.holds) {
      if (!event.isPrimary) return;
      shown.handler.move(pixel, this.view(shown), event.altKey);
      if (!shown.handler.draws) this.drawSoon();
    } else if (event.buttons === 1) {
      this.onDrag(event);
    } else {
      const over = shown?.handler?.isOver(pixel, this.view(shown)) ?? false;
      this.canvas.classList.toggle("over-body", over);
      if (shown?.handler?.hover) {
        shown.handler.hover(pixel, this.view(shown), event.altKey);
        this.drawSoon();
      }
    }
  }

  private onDrag(event: PointerEvent): void {
    if (this.shown?.scene.dimension === 3 && !event.shiftKey) this.camera.turn(event.movementX, event.movementY);
    else this.camera.pan(event.movementX, event.movementY);
    this.fitted = false;
    this.draw();
  }

  /** Zooms if Ctrl is pressed or the canvas has the focus; otherwise the page scrolls. */
  private onWheel(event: WheelEvent): void {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  }

  private onKey(event: KeyboardEvent): void {
    const isLive = this.shown?.handler !== undefined;
    const actions: Record<string, () => void> = {
      " ": () => (isLive ? this.onLiveKey(" ") : this.play(!this.playing)),
      ...(isLive && { Escape: () => this.onLiveKey("Escape") }),
      "+": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
      "0": () => this.fit(),
      ArrowLeft: () => this.move(40, 0),
      ArrowRight: () => this.move(-40, 0),
      ArrowUp: () => this.move(0, 40),
      ArrowDown: () => this.move(0, -40),
    };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const action = actions[event.key];
    if (!action && !(event.key === "Tab" && this.goThrough(event.shiftKey))) return;
    event.preventDefault();
    action?.();
  }

  /** Selects the next or previous element at the pointer. Returns false if there is none. */
  private goThrough(back: boolean): boolean {
    const { pointer, shown } = this;
    if (!pointer || !shown || shown.handler?.clicks) return false;
    return this.clicks?.goThrough(pointer.pixel, pointer.reach, this.view(shown), back) ?? false;
  }

  private move(dx: number, dy: number): void {
    if (this.shown?.scene.dimension === 3) this.camera.turn(-dx, -dy);
    else this.camera.pan(dx, dy);
    this.fitted = false;
    this.draw();
  }
}
