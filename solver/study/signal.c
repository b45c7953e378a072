/* An interval is right where the last coefficients vanish. Where it has a kink or a jump halving goes on down to the
 * shortest interval, which is then taken as straight. Of the halves of an interval with a kink one is exact, so that
 * there are as many exact ones as others, however many kinks there are; where a signal has noise, both halves are as
 * bad, and that many more of them tell what its noise is. Of a signal that has some fewer are tried from then on. */
#include "study/signal.h"

#include "equations/law.h"

#include <math.h>

enum { DEGREE = 8, DEEPEST = 40, EXCESS_MOST = 200, INTERVALS_MOST = 5000, INTERVALS_NOISY = 100 };

/* What rounding leaves of a value. */
static const double rounding = 1e-15;
/* Coefficients that do not fall any more, below this share of the range or that one of the size, are noise. */
static const double noise_share = 1e-9, size_share = 1e-12, falling = 0.3;

void mbs_signal_begin(mbs_signal *signal) {
  signal->least = INFINITY;
  signal->most = -INFINITY;
  signal->noise = 0;
}

typedef struct follow {
  mbs_signal *signals;
  size_t count;
  const mbs_piece *piece;
  double tolerance;
  bool shortest; /* the interval in hand has no halves */
  size_t *which;
  double *t;
} follow;

static double largest(const double *c, int from, int to) {
  double most = 0;
  for (int k = from; k <= to; k++) most = fmax(most, fabs(c[k]));
  return most;
}

/* Values of the signals that wait for the interval, at node `k` of the highest degree. */
static mbs_status sample(follow *self, int depth, double a, double b, int k) {
  const mbs_smooth span = {.a = a, .b = b};
  const double t = mbs_smooth_time(&span, mbs_chebyshev_node(MBS_CHEBYSHEV_MAX, k));
  mbs_status status = self->piece->stand(self->piece->context, t);
  for (size_t s = 0; s < self->count && status == MBS_OK; s++) {
    mbs_signal *signal = &self->signals[s];
    if (!signal->open[depth]) continue;
    const double value = signal->values[k] = mbs_law_value(self->piece->system, signal->law);
    signal->least = fmin(signal->least, value);
    signal->most = fmax(signal->most, value);
    if (isfinite(value)) continue;
    *self->which = s;
    *self->t = t;
    status = MBS_NOT_FINITE;
  }
  return status;
}

/* The polynomial of the signal through every `stride`-th node, and whether it is exact. */
static bool fit(const follow *self, mbs_signal *signal, int stride, mbs_smooth *smooth) {
  const int n = smooth->degree = MBS_CHEBYSHEV_MAX / stride;
  for (int k = 0; k <= n; k++) smooth->values[k] = signal->values[k * stride];
  mbs_chebyshev_fit(n, smooth->values, smooth->c);
  const double range = signal->most - signal->least, size = fmax(fabs(signal->most), fabs(signal->least));
  const double tail = largest(smooth->c, n - 2, n), before = largest(smooth->c, n - 5, n - 3);
  if (tail <= fmax(self->tolerance * range + rounding * size, signal->noise)) return true;
  return n == MBS_CHEBYSHEV_MAX && tail <= fmax(noise_share * range, size_share * size) && tail >= falling * before;
}

/* As a straight line between its ends. */
static void straighten(const mbs_signal *signal, mbs_smooth *smooth) {
  const double first = signal->values[0], last = signal->values[MBS_CHEBYSHEV_MAX];
  smooth->degree = 1;
  smooth->values[0] = first;
  smooth->values[1] = last;
  smooth->c[0] = 0.5 * (first + last);
  smooth->c[1] = 0.5 * (last - first);
}

/* Gives the interval to the signals for which it is exact, or, where it is the last that is tried, to all; whether any
 * waits for its halves. */
static mbs_status give(follow *self, int depth, double a, double b, int stride, bool last, bool *waiting) {
  *waiting = false;
  for (size_t s = 0; s < self->count; s++) {
    mbs_signal *signal = &self->signals[s];
    mbs_smooth smooth = {.a = a, .b = b};
    if (!signal->open[depth]) continue;
    const bool all = stride == 1, noisy = signal->intervals > (signal->noise > 0 ? INTERVALS_NOISY : INTERVALS_MOST),
               over = last || noisy || signal->excess > EXCESS_MOST;
    signal->intervals += !all;
    bool exact = fit(self, signal, stride, &smooth);
    if (exact || all) signal->excess += exact ? -1 : 1;
    if (!exact && all && self->shortest) {
      straighten(signal, &smooth);
    } else if (!exact && all && over) { /* it has noise */
      signal->noise = fmax(signal->noise, 2 * largest(smooth.c, smooth.degree - 2, smooth.degree));
    } else if (!exact) {
      *waiting = true;
      continue;
    }
    signal->open[depth] = false;
    mbs_status status = signal->take(signal->user, self->piece, &smooth);
    if (status != MBS_OK) return status;
  }
  return MBS_OK;
}

/* One interval: with half the nodes, with all, in halves. */
static mbs_status interval(follow *self, int depth, double a, double b) {
  const double middle = 0.5 * (a + b);
  const bool shortest = depth >= DEEPEST || !(middle > a && middle < b);
  const int half = MBS_CHEBYSHEV_MAX / DEGREE;
  mbs_status status = MBS_OK;
  bool waiting;
  for (int k = 0; k <= MBS_CHEBYSHEV_MAX && status == MBS_OK; k += half) status = sample(self, depth, a, b, k);
  if (status == MBS_OK) status = give(self, depth, a, b, half, false, &waiting);
  if (status != MBS_OK || !waiting) return status;
  for (int k = 1; k < MBS_CHEBYSHEV_MAX && status == MBS_OK; k += half) status = sample(self, depth, a, b, k);
  self->shortest = shortest;
  if (status == MBS_OK) status = give(self, depth, a, b, 1, shortest, &waiting);
  for (int side = 0; side < 2 && status == MBS_OK && waiting; side++) {
    for (size_t s = 0; s < self->count; s++) self->signals[s].open[depth + 1] = self->signals[s].open[depth];
    status = interval(self, depth + 1, side ? middle : a, side ? b : middle);
  }
  return status;
}

mbs_status mbs_signals_follow(mbs_signal *signals, size_t count, const mbs_piece *piece, double tolerance,
                              size_t *which, double *t) {
  follow self = {signals, count, piece, tolerance, false, which, t};
  bool any = false;
  for (size_t s = 0; s < count; s++) {
    any |= signals[s].open[0] = signals[s].take != NULL;
    signals[s].excess = signals[s].intervals = 0;
  }
  return any ? interval(&self, 0, piece->t, piece->t1) : MBS_OK;
}
