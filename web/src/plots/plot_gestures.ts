// What the wheel, and a drag with Shift, over the curves of a plot mean: zooming about the pointer and moving. What comes
// between two frames is done at once, however many events of the wheel that were.

/** What is done about it; places and ways are CSS pixels of the curves' area. */
export interface PlotGestures {
  /** Whether the wheel, without Ctrl, is the plot's and not the page's. */
  focused: () => boolean;
  /** Shows `factor` times as much, about a place. */
  zoom: (factor: number, left: number, top: number) => void;
  /** Has the curves follow the pointer, or the wheel, on such a way. */
  move: (x: number, y: number) => void;
}

/** Of a pixel of the wheel, as in the drawing: exp() of so much. */
const WHEEL_STEP = 0.0015;

/** Does what is asked for in the next frame, and what is asked for until then at once. */
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
    // A wheel with Shift goes sideways, in some browsers as the page is told it, too.
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
