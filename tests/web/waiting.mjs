// Waits of the page's tests: for conditions, never for a time. A slow machine may react late; a passing test does not
// wait longer than necessary.

/** Time limit of every wait [ms]. It only ends a test whose event never comes, and allows for a machine with several
 * times more load than processors. */
export const LONGEST = 300000;

/** Repeats a check until its assertions hold, and returns its result. At the time limit, fails with the last error. */
export async function eventually(check) {
  const end = performance.now() + LONGEST;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Posts a document, as an object or as text. Resolves with its job after the job has ended. */
export async function runJob(base, document) {
  const headers = { "Content-Type": "application/json", Prefer: "wait=60" };
  const body = typeof document === "string" ? document : JSON.stringify(document);
  let job = await (await fetch(`${base}/api/v1/jobs`, { method: "POST", headers, body })).json();
  while (["queued", "running"].includes(job.status))
    job = await (await fetch(`${base}/api/v1/jobs/${job.id}`, { headers })).json();
  return job;
}

/** Resolves after the next frame of a page. */
export const frameOf = (page) => page.evaluate(() => new Promise(requestAnimationFrame));
