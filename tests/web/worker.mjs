// Observes the messages between the page and the worker of its solver, for tests.

/** Prepares a page before it is loaded: `window.seen` contains the last scene, position and curve from the worker,
 * the numbers of opened and moved mechanisms, of questions and of unanswered questions, and the durations [ms] of
 * edits, of targets (trips), of the worker's part of them (spent, with timeWorker()), and of drawn frames. */
export function watchWorker() {
  const { Worker } = window;
  window.seen = { trips: [], spent: [], edits: [], frames: [], opened: 0, moved: 0, asked: 0, unanswered: 0 };
  window.Worker = class extends Worker {
    sent = new Map();
    constructor(...values) {
      super(...values);
      this.addEventListener("message", ({ data }) => {
        if (data.loaded) return; // no answer
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
  // Each frame begins with this call.
  const begin = CanvasRenderingContext2D.prototype.setTransform;
  CanvasRenderingContext2D.prototype.setTransform = function (...matrix) {
    const start = performance.now();
    queueMicrotask(() => window.seen.frames.push(performance.now() - start));
    begin.apply(this, matrix);
  };
}

/** Waits until the worker has answered all messages, so that the mechanism is at its dragged position. */
export function answered(page) {
  return page.waitForFunction(() => window.seen.unanswered === 0);
}

/** Waits until no message is sent for some frames: the mechanism is at rest. */
export async function atRest(page) {
  await page.evaluate(() => (window.seen.calm = { frames: 0 }));
  await page.waitForFunction(() => {
    const { asked, unanswered, calm } = window.seen;
    const frames = unanswered === 0 && calm.asked === asked ? calm.frames + 1 : 0;
    window.seen.calm = { asked, frames };
    return frames > 4;
  });
}

/** Changes the worker before its own script: each answer contains as `spent` the time since its question [ms]. */
function tellSpent() {
  let asked = 0;
  const post = globalThis.postMessage.bind(globalThis);
  addEventListener("message", () => (asked = performance.now()));
  globalThis.postMessage = (answer, ...rest) => post({ ...answer, spent: performance.now() - asked }, ...rest);
}

/** Lets the workers of a page report these times. */
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
