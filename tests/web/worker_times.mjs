// How long the solver's worker itself takes, apart from how long its answers are on their way and wait for a processor.

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
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${tellSpent})();\n${await response.text()}` });
  });
}
