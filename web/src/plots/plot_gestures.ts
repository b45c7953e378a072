// Handles the wheel, and drags with Shift, over the curves of a plot: zooming about the pointer and moving. Events
// between two frames are combined.

/** The actions; positions and displacements are CSS pixels of the curves' area. */
export interface PlotGestures {
  /** Returns true if the wheel without Ctrl zooms the plot instead of scrolling the page. */
  focused: () => boolean;
  /** Shows a range `factor` times as large, about a position. */
  zoom: (factor: number, left: number, top: number) => void;
  /** Moves the curves with the pointer or the wheel. */
  move: (x: number, y: number) => void;
}

/** A pixel of the wheel zooms by exp(WHEEL_STEP), as in the drawing. */
const WHEEL_STEP = 0.0015;

/** Returns a function that calls `act` once in the next frame, however often it is called before. */
function eachFrame(act: () => void): () => void {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      act();
    });
  };
}

export function listenForGestures(area: HTMLElement, gestures: PlotGestures): void {
  let [turned, x, y] = [0, 0, 0];
  let at = { left: 0, top: 0 };
  let last: PointerEvent | undefined;
  const soon = eachFrame(() => {
    if (turned !== 0) gestures.zoom(Math.exp(turned * WHEEL_STEP), at.left, at.top);
    if (x !== 0 || y !== 0) gestures.move(x, y);
    [turned, x, y] = [0, 0, 0];
  });
  const onWheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !gestures.focused()) return;
    event.preventDefault();
    at = { left: event.offsetX, top: event.offsetY };
    // A wheel with Shift scrolls horizontally; only some browsers report it so.
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) x -= event.deltaX || event.deltaY;
    else turned += event.deltaY;
    soon();
  };
  area.addEventListener("wheel", onWheel, { passive: false });
  area.addEventListener("pointerdown", (event) => {
    if (!event.shiftKey || event.button !== 0) return;
    area.setPointerCapture(event.pointerId);
    last = event;
  });
  area.addEventListener("pointermove", (event) => {
    if (!last) return;
    x += event.clientX - last.clientX;
    y += event.clientY - last.clientY;
    last = event;
    soon();
  });
  for (const end of ["pointerup", "pointercancel"] as const) area.addEventListener(end, () => (last = undefined));
}
