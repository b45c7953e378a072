/* progress.c - a progress bar. */
#include "cli.h"

#include "api/base/clock.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };

bool cli_progress_draw(cli_progress *progress, double t, double fraction) {
  const double seconds_between = 0.1;
  double now = api_now(NULL);
  if (now - progress->last < seconds_between) return true;
  progress->last = now;
  if (!isatty(STDERR_FILENO)) return true;
  progress->shown = true;
  int full = (int)lround(BAR_WIDTH * fmin(fmax(fraction, 0), 1));
  fputs("\r[", stderr);
  for (int i = 0; i < BAR_WIDTH; i++) fputc(i < full ? '#' : ' ', stderr);
  if (progress->runs) {
    double done = fraction * (double)progress->runs;
    fprintf(stderr, "] %.0f of %zu runs, %.4g per second   ", done, progress->runs, done / (now - progress->started));
  } else {
    fprintf(stderr, "] %3.0f %%  t = %-12.6g", 100 * fraction, t);
  }
  return true;
}

void cli_progress_clear(cli_progress *progress) {
  if (progress->shown) fputs("\r\x1b[K", stderr);
  progress->shown = false;
}
