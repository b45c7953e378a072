/* Follows expressions along a motion. An interval is exact if the last coefficients vanish and no function in the
 * expression can hide a change between the nodes. Where a switch changes its branch, the interval is cut, as an event
 * cuts a step. Where a kink or jump belongs to no switch, the interval is halved down to the shortest one, which
 * becomes a straight line.
 *
 * Noise is recognized by counting: of the halves of an interval with a kink one is exact, so that exact intervals are
 * as frequent as others. With noise, both halves are inexact; EXCESS_MAX more inexact intervals determine the noise
 * level. A noisy signal gets fewer attempts from then on. */
#include "study/signal.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum { DEGREE = 8, HALVINGS_MAX = 40, EXCESS_MAX = 200, INTERVALS_MAX = 5000, INTERVALS_NOISY = 100 };
/* Largest depth of halving because of localized functions; largest number of halvings because of margins that are not
 * polynomials. */
enum { LOCALIZED_HALVINGS_MAX = 30, DOUBTS_MAX = 60, DOUBTS_NOISY = 4 };

/* Relative rounding error of a value. */
static const double rounding = 1e-15;
/* Coefficients that no longer fall, below this share of the range or of the size, are noise. */
static const double noise_share = 1e-9, size_share = 1e-12, falling = 0.3;
/* Characteristic lengths that arguments of functions may travel per node. */
static const double travel_per_node = 0.5;
/* Largest error of a polynomial between the nodes, in multiples of the allowed last coefficients. */
static const double between_factor = 10;
/* Values that grow by this factor towards one point, twice in the shortest interval, show a pole. */
static const double growth = 1.2;
/* A zero of a margin within this share of the interval, plus `end_roundings` of time, counts as its end. Intervals
 * shorter than the last share of their piece are not cut. */
static const double end_share = 1e-11, end_roundings = 64, shortest_share = 1e-12;

double mbs_signal_place(int k) { return mbs_chebyshev_node(DEGREE, k); }

void mbs_signal_begin(mbs_signal *signal) {
  signal->least = INFINITY;
  signal->most = -INFINITY;
  signal->noise = 0;
}

typedef struct follow {
  mbs_signal *signals;
  size_t count;
  const mbs_piece *piece;
  size_t reads; /* number of inputs of all signals */
  double tolerance;
  size_t *which;
  double *t;
} follow;

/* An interval and its sampled nodes. */
typedef struct span {
  double a, b;
  int depth, stride; /* every `stride`-th node is sampled */
  bool last;         /* the interval is not halved */
  double between;    /* the point that is not a node */
  bool between_read;
} span;

static double time_of(const span *at, double x) { return mbs_time_of_place(at->a, at->b, x); }

static double largest(const double *c, int from, int to) {
  double most = 0;
  for (int k = from; k <= to; k++) most = mbs_larger(fabs(c[k]), most);
  return most;
}

/* Reads the inputs of the signals that take part in the interval, at x, as those of node `k`. */
static mbs_status sample(follow *self, const span *at, double x, int k) {
  assert(at->depth <= HALVINGS_MAX);
  mbs_status status = self->piece->set_state(self->piece->context, time_of(at, x));
  for (size_t s = 0; s < self->count && status == MBS_OK; s++)
    if (self->signals[s].open[at->depth]) mbs_active_branch_read(&self->signals[s].branches, self->piece->system, k);
  return status;
}

/* Samples every `step`-th node from the first on; the motion may find several states in one call. */
static mbs_status sample_nodes(follow *self, const span *at, int first, int step) {
  mbs_status status = MBS_OK;
  double times[MBS_PIECE_AHEAD];
  size_t next = 0, count = 0;
  for (int k = first; k <= MBS_CHEBYSHEV_MAX && status == MBS_OK; k += step) {
    if (next == count && self->piece->ahead_most > 0) {
      next = count = 0;
      for (int i = k; i <= MBS_CHEBYSHEV_MAX && count < self->piece->ahead_most; i += step)
        times[count++] = time_of(at, mbs_chebyshev_node(MBS_CHEBYSHEV_MAX, i));
      self->piece->ahead(self->piece->context, count, times);
    }
    next++;
    status = sample(self, at, mbs_chebyshev_node(MBS_CHEBYSHEV_MAX, k), k);
  }
  return status;
}

/* Copies the inputs at the first node of a piece from the end of the previous piece, if they are equal. Every signal
 * has read that node. Returns true if it did. */
static bool repeat_end(follow *self, const span *at) {
  if (!self->piece->continues || at->depth > 0) return false;
  for (size_t s = 0; s < self->count; s++)
    if (self->signals[s].open[0]) mbs_active_branch_repeat(&self->signals[s].branches, MBS_CHEBYSHEV_MAX, 0);
  return true;
}

/* Uses the first reads of the whole piece, from the first node on. Returns true if they are available. */
static bool read_first(follow *self, const span *at, int first) {
  const mbs_piece *piece = self->piece;
  const int step = MBS_CHEBYSHEV_MAX / DEGREE;
  if (!piece->first || at->depth > 0) return false;
  for (size_t s = 0; s < self->count; s++)
    for (int k = first; k <= MBS_CHEBYSHEV_MAX && self->signals[s].open[0]; k += step)
      mbs_active_branch_set_inputs(&self->signals[s].branches,
                                   piece->first + (size_t)(k / step) * self->reads + self->signals[s].first, k);
  return true;
}

static mbs_status not_finite(follow *self, size_t index, const span *at, int node) {
  *self->which = index;
  *self->t = time_of(at, mbs_chebyshev_node(MBS_CHEBYSHEV_MAX, node));
  return MBS_NOT_FINITE;
}

/* Evaluates a signal at the nodes, with held branches or with the active ones. */
static mbs_status evaluate(follow *self, size_t index, const span *at, bool held) {
  assert(index < self->count);
  mbs_signal *signal = &self->signals[index];
  const mbs_active_branch *branches = &signal->branches;
  const double *plain = mbs_active_branch_plain(branches);
  for (int k = 0; k <= MBS_CHEBYSHEV_MAX; k += at->stride) {
    const double value = signal->values[k] =
        plain ? plain[(size_t)k * branches->inputs]
              : mbs_active_branch_value(branches, k, held, self->piece->system->slots);
    if (isfinite(value)) {
      signal->least = mbs_smaller(value, signal->least);
      signal->most = mbs_larger(value, signal->most);
      continue;
    }
    return not_finite(self, index, at, k);
  }
  return MBS_OK;
}

/* Returns true if the values at the nodes of the shortest interval show a pole: they are the largest ones so far, and
 * they fall away from the largest one, from its neighbour to the middle and from there to the farther end. A jump has
 * only one such fall. *node is the number of the largest one. */
static bool grows_without_bound(const mbs_signal *signal, int *node) {
  const double *values = signal->values;
  int top = 0;
  for (int k = 1; k <= MBS_CHEBYSHEV_MAX; k++)
    if (fabs(values[k]) > fabs(values[top])) top = k;
  const int end = 2 * top < MBS_CHEBYSHEV_MAX ? MBS_CHEBYSHEV_MAX : 0, next = top + (end > 0 ? 1 : -1);
  const double middle = fabs(values[(next + end) / 2]);
  *node = top;
  return fabs(values[top]) >= fmax(fabs(signal->least), fabs(signal->most)) && fabs(values[next]) > growth * middle &&
         middle > growth * fabs(values[end]);
}

static double allowed(const follow *self, const mbs_signal *signal) {
  const double range = signal->most - signal->least, size = mbs_larger(fabs(signal->least), fabs(signal->most));
  return mbs_larger(signal->noise, self->tolerance * range + rounding * size);
}

/* Fits the polynomial through every `stride`-th node. Returns true if it is exact. */
static bool fit(const follow *self, mbs_signal *signal, int stride, mbs_chebyshev_piece *smooth) {
  assert(stride > 0 && MBS_CHEBYSHEV_MAX % stride == 0);
  const int n = smooth->degree = MBS_CHEBYSHEV_MAX / stride;
  for (int k = 0; k <= n; k++) smooth->values[k] = signal->values[k * stride];
  mbs_chebyshev_fit(n, smooth->values, smooth->c);
  const double tail = largest(smooth->c, n - 2, n);
  /* effect of the rounding of times at the nodes, at most twice in a coefficient */
  const double late = DBL_EPSILON * fmax(fabs(smooth->a), fabs(smooth->b)) / (smooth->b - smooth->a);
  if (tail <= allowed(self, signal) + 2 * late * fabs(smooth->values[n] - smooth->values[0])) return true;
  const double range = signal->most - signal->least, size = mbs_larger(fabs(signal->least), fabs(signal->most));
  const double before = largest(smooth->c, n - 5, n - 3);
  return n == MBS_CHEBYSHEV_MAX && tail <= fmax(noise_share * range, size_share * size) && tail >= falling * before;
}

/* Checks the polynomial at a point that is not a node. */
static mbs_status check(follow *self, mbs_signal *signal, span *at, bool held, const mbs_chebyshev_piece *smooth,
                        bool *exact) {
  if (!signal->checked || !*exact) return MBS_OK;
  if (!at->between_read) {
    mbs_status status = sample(self, at, at->between, MBS_ACTIVE_BRANCH_BETWEEN);
    if (status != MBS_OK) return status;
    at->between_read = true;
  }
  const double value =
      mbs_active_branch_value(&signal->branches, MBS_ACTIVE_BRANCH_BETWEEN, held, self->piece->system->slots);
  const double range = signal->most - signal->least, size = fmax(fabs(signal->most), fabs(signal->least));
  const double wrong = fabs(value - mbs_chebyshev_value(smooth->degree, smooth->c, at->between));
  *exact = !(wrong > between_factor * fmax(allowed(self, signal), fmax(noise_share * range, size_share * size)));
  return MBS_OK;
}

/* Replaces the polynomial by a straight line between the ends. */
static void straighten(const mbs_signal *signal, mbs_chebyshev_piece *smooth) {
  const double first = signal->values[0], last = signal->values[MBS_CHEBYSHEV_MAX];
  smooth->degree = 1;
  smooth->values[0] = first;
  smooth->values[1] = last;
  smooth->c[0] = 0.5 * (first + last);
  smooth->c[1] = 0.5 * (last - first);
}

/* ---- branches ------------------------------------------------------------------------------------------------ */

/* Treatment of an interval: accept its values, halve it, or cut it. */
typedef enum verdict { VALUES, HALVES, CUTS } verdict;

static verdict judge(follow *self, mbs_signal *signal, const span *at, bool *held, mbs_branch_interval *ends) {
  mbs_active_branch *branches = &signal->branches;
  double *slots = self->piece->system->slots;
  const double length = at->b - at->a, size = fmax(fabs(at->a), fabs(at->b));
  *held = false;
  if (!branches->switches && !branches->may_be_localized) return VALUES;
  const bool noisy = signal->noise > 0;
  if (at->last || signal->intervals > (noisy ? INTERVALS_NOISY : INTERVALS_MAX)) return VALUES;
  mbs_active_branch_hold(branches, slots);
  const int nodes = MBS_CHEBYSHEV_MAX / at->stride;
  const double most = travel_per_node * nodes;
  if (branches->may_be_localized && !noisy && at->depth < LOCALIZED_HALVINGS_MAX &&
      signal->intervals < INTERVALS_MAX / 2 && mbs_active_branch_travel(branches, at->stride, slots) > most)
    return HALVES;
  const double shortest = shortest_share * (self->piece->t1 - self->piece->t);
  if (!branches->switches || at->depth == HALVINGS_MAX || length < shortest) return VALUES;
  const double resolution = 2 * fmax(end_share, end_roundings * DBL_EPSILON * size / length);
  if (!mbs_active_branch_ends(branches, at->stride, resolution, slots, ends)) {
    if (signal->doubts >= (noisy ? DOUBTS_NOISY : DOUBTS_MAX)) return VALUES;
    signal->doubts += at->stride == 1;
    return HALVES;
  }
  *held = true;
  return ends->left > -1 || ends->right < 1 ? CUTS : VALUES;
}

/* Finds the instant of a zero of a margin from the margin itself; its polynomial has the zero at x. */
static mbs_status locate(follow *self, mbs_signal *signal, const span *at, int index, double x, double slope,
                         double *t) {
  double *slots = self->piece->system->slots;
  mbs_status status = MBS_OK;
  *t = time_of(at, x);
  for (int step = 0; step < 2 && slope != 0 && status == MBS_OK; step++) {
    status = self->piece->set_state(self->piece->context, *t);
    if (status != MBS_OK) break;
    mbs_active_branch_read(&signal->branches, self->piece->system, MBS_ACTIVE_BRANCH_BETWEEN);
    const double next =
        x - mbs_active_branch_margin(&signal->branches, MBS_ACTIVE_BRANCH_BETWEEN, index, slots) / slope;
    if (!(fabs(next - x) < 1e-3 && next > -1 && next < 1)) break;
    x = next;
    *t = time_of(at, x);
  }
  return status;
}

static mbs_status interval(follow *self, int depth, double a, double b);

/* Follows a single signal up to where its branch changes, in between, and beyond. */
static mbs_status cut(follow *self, size_t index, const span *at, const mbs_branch_interval *ends) {
  assert(index < self->count);
  mbs_signal *signal = &self->signals[index];
  double edges[4] = {at->a, at->a, at->b, at->b};
  mbs_status status = MBS_OK;
  if (ends->left > -1) status = locate(self, signal, at, ends->left_switch, ends->left, ends->left_slope, &edges[1]);
  if (status == MBS_OK && ends->right < 1)
    status = locate(self, signal, at, ends->right_switch, ends->right, ends->right_slope, &edges[2]);
  for (int k = 0; k < 3 && status == MBS_OK; k++) {
    if (!(edges[k] < edges[k + 1])) continue;
    for (size_t s = 0; s < self->count; s++) self->signals[s].open[at->depth + 1] = s == index;
    status = interval(self, at->depth + 1, edges[k], edges[k + 1]);
  }
  return status;
}

/* ---- intervals ----------------------------------------------------------------------------------------------- */

/* Passes the interval to a signal if its polynomial is exact or if it is the last attempt. Sets *waiting if the signal
 * needs the halves. */
static mbs_status pass_interval(follow *self, size_t index, span *at, bool *waiting) {
  assert(self->signals[index].open[at->depth]);
  mbs_signal *signal = &self->signals[index];
  mbs_chebyshev_piece smooth = {.a = at->a, .b = at->b};
  mbs_branch_interval ends;
  bool held;
  int node;
  if (signal->finished && *signal->finished) {
    signal->open[at->depth] = *waiting = false;
    return MBS_OK;
  }
  const bool all = at->stride == 1, noisy = signal->intervals > (signal->noise > 0 ? INTERVALS_NOISY : INTERVALS_MAX),
             over = at->last || noisy || signal->excess > EXCESS_MAX;
  signal->intervals += !all;
  const verdict found = judge(self, signal, at, &held, &ends);
  *waiting = found == HALVES;
  if (found == HALVES) return MBS_OK;
  if (found == CUTS) {
    signal->open[at->depth] = false;
    return cut(self, index, at, &ends);
  }
  mbs_status status = evaluate(self, index, at, held);
  if (status != MBS_OK) return status;
  smooth.held = held;
  bool exact = fit(self, signal, at->stride, &smooth);
  if ((status = check(self, signal, at, held, &smooth, &exact)) != MBS_OK) return status;
  if (exact || all) signal->excess += exact ? -1 : 1;
  if (!exact && all && at->last) {
    if (grows_without_bound(signal, &node)) return not_finite(self, index, at, node);
    straighten(signal, &smooth);
  } else if (!exact && all && over) { /* the signal has noise */
    signal->noise = fmax(signal->noise, 2 * largest(smooth.c, smooth.degree - 2, smooth.degree));
  } else if (!exact) {
    *waiting = true;
    return MBS_OK;
  }
  signal->open[at->depth] = false;
  return signal->update(signal->user, self->piece, &smooth);
}

static mbs_status pass_to_all(follow *self, span *at, bool *waiting) {
  *waiting = false;
  for (size_t s = 0; s < self->count; s++) {
    bool waits = false;
    if (!self->signals[s].open[at->depth]) continue;
    mbs_status status = pass_interval(self, s, at, &waits);
    if (status != MBS_OK) return status;
    *waiting |= waits;
  }
  return MBS_OK;
}

/* Follows the signals over one interval: with half the nodes, with all nodes, in halves. */
static mbs_status interval(follow *self, int depth, double a, double b) {
  const double middle = 0.5 * (a + b), golden = 0.61803398874989485 * (depth + 1);
  const bool shortest = depth >= HALVINGS_MAX || !(middle > a && middle < b);
  const int half = MBS_CHEBYSHEV_MAX / DEGREE;
  span at = {.a = a, .b = b, .depth = depth, .stride = half, .between = 1.6 * (golden - floor(golden)) - 0.8};
  bool waiting;
  const int first = repeat_end(self, &at) ? half : 0;
  mbs_status status = read_first(self, &at, first) ? MBS_OK : sample_nodes(self, &at, first, half);
  if (status == MBS_OK) status = pass_to_all(self, &at, &waiting);
  if (status != MBS_OK || !waiting) return status;
  status = sample_nodes(self, &at, 1, half);
  at.stride = 1;
  at.last = shortest;
  if (status == MBS_OK) status = pass_to_all(self, &at, &waiting);
  for (int side = 0; side < 2 && status == MBS_OK && waiting; side++) {
    for (size_t s = 0; s < self->count; s++) self->signals[s].open[depth + 1] = self->signals[s].open[depth];
    status = interval(self, depth + 1, side ? middle : a, side ? b : middle);
  }
  return status;
}

mbs_status mbs_signals_follow(mbs_signal *signals, size_t count, const mbs_piece *piece, double tolerance,
                              size_t *which, double *t) {
  follow self = {signals, count, piece, 0, tolerance, which, t};
  bool any = false;
  for (size_t s = 0; s < count; s++) {
    if (signals[s].update) self.reads += signals[s].branches.inputs;
    any |= signals[s].open[0] = signals[s].update && !(signals[s].finished && *signals[s].finished);
    signals[s].excess = signals[s].intervals = signals[s].doubts = 0;
  }
  return any ? interval(&self, 0, piece->t, piece->t1) : MBS_OK;
}
