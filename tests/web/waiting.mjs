// Waits of the page's tests: for conditions, never for a time. A slow machine may react late; a passing test does not
// wait longer than necessary.

/** Time limit of every wait [ms]. */
export const LONGEST = 60000;

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

/** Resolves after the next frame of a page. */
export const frameOf = (page) => page.evaluate(() => new Promise(requestAnimationFrame));
