// What goes on between the page and the worker of its solver, for tests.

/** A script for a page that is to be opened: keeps in `window.seen` the last scene, position and curve that the worker
 * told, how many mechanisms it opened and moved, how many questions it was asked and has not answered yet, and how
 * long each edit, each target (trips), of it the worker itself (spent, with timeWorker()), and each frame that is drawn
 * took [ms]. */
export function watchWorker() {
  const { Worker } = window;
  window.seen = { trips: [], spent: [], edits: [], frames: [], opened: 0, moved: 0, asked: 0, unanswered: 0 };
  window.Worker = class extends Worker {
    sent = new Map();
    constructor(...values) {
      super(...values);
      this.addEventListener("message", ({ data }) => {
        const { session } = data;
        window.seen.unanswered--;
        if (!session) return;
        Object.assign(window.seen, session.opened ?? session.moved);
        if (session.curve) window.seen.curve = session.curve;
        const time = performance.now() - this.sent.get(data.id);
        (session.moved ? window.seen.trips : window.seen.edits).push(time);
        if (session.moved) window.seen.spent.push(data.spent);
        if (session.moved) window.seen.moved++;
        if (session.opened) window.seen.opened++;
      });
    }
    postMessage(question, ...rest) {
      this.sent.set(question.id, performance.now());
      window.seen.asked++;
      window.seen.unanswered++;
      super.postMessage(question, ...rest);
    }
  };
  // Each frame begins with it.
  const begin = CanvasRenderingContext2D.prototype.setTransform;
  CanvasRenderingContext2D.prototype.setTransform = function (...matrix) {
    const start = performance.now();
    queueMicrotask(() => window.seen.frames.push(performance.now() - start));
    begin.apply(this, matrix);
  };
}

/** Waits until the worker has answered all that it was asked: the mechanism is where it was pulled to, if it goes on to
 * be pulled. */
export function answered(page) {
  return page.waitForFunction(() => window.seen.unanswered === 0);
}

/** Waits until nothing more is asked of the worker for some frames: the mechanism stands. */
export async function atRest(page) {
  await page.evaluate(() => (window.seen.calm = { frames: 0 }));
  await page.waitForFunction(() => {
    const { asked, unanswered, calm } = window.seen;
    const frames = unanswered === 0 && calm.asked === asked ? calm.frames + 1 : 0;
    window.seen.calm = { asked, frames };
    return frames > 4;
  });
}

/** In the worker, before its own script: each answer says as `spent` how long it took from its question on [ms]. */
function tellSpent() {
  let asked = 0;
  const post = globalThis.postMessage.bind(globalThis);
  addEventListener("message", () => (asked = performance.now()));
  globalThis.postMessage = (answer, ...rest) => post({ ...answer, spent: performance.now() - asked }, ...rest);
}

/** Has the workers of a page tell. */
export function timeWorker(page) {
  return page.route("**/solver-worker.js", async (route) => {
    try {
      const response = await route.fetch();
      await route.fulfill({ response, body: `(${tellSpent})();\n${await response.text()}` });
    } catch (error) {
      // A test may end while its page still loads the worker.
      if (!page.isClosed()) throw error;
    }
  });
}
