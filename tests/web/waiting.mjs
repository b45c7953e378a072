// What tests of the page wait for: conditions, never a time. A machine may be slow, and what follows an action may follow
// it late; a test that passes does not pay for how long one that fails waits.

/** The longest that anything is waited for [ms]. */
export const LONGEST = 60000;

/** Does what asserts again and again until it holds, and tells what it returns; in the end, what it found instead. */
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

/** The next frame of a page; what was drawn for it is seen. */
export const frameOf = (page) => page.evaluate(() => new Promise(requestAnimationFrame));
