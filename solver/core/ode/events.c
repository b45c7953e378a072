/* events.c - finds where in a step the first guard becomes negative.
 *
 * The guards are sampled inside the step on its dense output. A change of sign between neighbours brackets an event. A
 * sample below both its neighbours brackets a minimum, which is searched until the guard is negative there or cannot
 * be. Two samples next to the ends show the slope of a guard there, so that a minimum close to an end is found, too. If
 * a guard differs from its interpolated samples, the step is searched in pieces; an example is a guard that depends on
 * a function of time while nothing moves, so that the step is long. The event itself is located by the ITP method:
 * Oliveira, Takahashi, An Enhancement of the Bisection Method Average Performance Preserving Minmax Optimality, ACM
 * Trans. Math. Software 47 (2020). */
#include "ode/steps.h"

#include <assert.h>
#include <string.h>

/* The distance of the outer samples from the ends of the step, as a share of it. Shorter minima are not searched. */
#define SAMPLE_EDGE 1e-6
static const double sample_theta[MBS_GUARD_END + 1] = {0, SAMPLE_EDGE, 0.25, 0.5, 0.75, 1 - SAMPLE_EDGE, 1};

enum { DIP_ITERATIONS = 100, ROOT_ITERATIONS = 200 };
/* Events within this many resolutions of the first one count as one. */
enum { TOGETHER = 4 };
/* Points at which a guard is compared with the quartic through its samples at sample_theta[0, 2, 3, 4, 6]. The
 * difference may be this share of the guard's smallest value above its event. */
static const double checked_theta[] = {0.11, 0.64};
static const double surprise = 0.1;
/* Numbers of pieces that are tried in turn. */
static const int pieces_tried[] = {1, 8, 64};

/* A part of the step that begins at theta = begin. */
typedef struct mbs_step_piece {
  double begin, length;
  size_t live; /* number of guards that may have an event in it: those in the row MBS_GUARD_LIVE */
} mbs_step_piece;

/* A point of the step, and the guard there minus the level of its event. */
typedef struct mbs_guard_point {
  double theta, value;
} mbs_guard_point;

typedef struct mbs_guard_search {
  const mbs_finished_step *step;
  double *scratch; /* [n_guards] */
  size_t index;    /* index of the guard */
  double level;    /* the guard has its event below this: zero, or its negative start */
} mbs_guard_search;

mbs_status mbs_guards_evaluate(const mbs_ode *ode, double t, const double *y, double *guards) {
  const mbs_status status = ode->guards(ode->context, t, y, guards);
  if (status != MBS_OK) return status;
  bool missing = false;
  for (size_t i = 0; i < ode->n_guards; i++) missing |= isnan(guards[i]);
  return missing ? MBS_NOT_FINITE : MBS_OK;
}

double mbs_rows_until(const mbs_ode *ode, const double *guards, double t, double resolution) {
  enum { UNITS = TOGETHER + 2 }; /* events that count as one; the last one's own resolution, and rounding */
  const double *start = guards + MBS_GUARD_START * ode->n_guards, *end = guards + MBS_GUARD_END * ode->n_guards;
  for (size_t i = 0; i < ode->n_guards && ode->rows_after_events; i++)
    if (mbs_guard_fell(start[i], end[i])) return t - UNITS * resolution;
  return INFINITY;
}

static mbs_status guards_inside(const mbs_finished_step *step, double theta, double *guards) {
  step->method->dense(step->ode->n, theta, step->h, step->y, step->y1, step->workspace, step->state);
  return mbs_guards_evaluate(step->ode, step->t + theta * step->h, step->state, guards);
}

static mbs_status point_at(const mbs_guard_search *search, double theta, mbs_guard_point *point) {
  assert(!(theta < 0) && !(theta > 1));
  const mbs_finished_step *step = search->step;
  const mbs_ode *ode = step->ode;
  mbs_status status;
  point->theta = theta;
  if (ode->guard) {
    step->method->dense(ode->n, theta, step->h, step->y, step->y1, step->workspace, step->state);
    status = ode->guard(ode->context, search->index, step->t + theta * step->h, step->state, &point->value);
    if (status == MBS_OK && isnan(point->value)) status = MBS_NOT_FINITE;
    point->value -= search->level;
    return status;
  }
  status = guards_inside(step, theta, search->scratch);
  point->value = search->scratch[search->index] - search->level;
  return status;
}

/* Returns the abscissa of the vertex of the parabola through three points; that of the middle point if there is
 * none. */
static double vertex(mbs_guard_point a, mbs_guard_point b, mbs_guard_point c) {
  const double left = b.theta - a.theta, right = c.theta - b.theta;
  const double slope_left = (b.value - a.value) / left, slope_right = (c.value - b.value) / right;
  const double bend = slope_right - slope_left;
  /* theta: the slope of the parabola vanishes there */
  const double theta = b.theta - 0.5 * (slope_left * right + slope_right * left) / bend;
  return bend > 0 && theta > a.theta && theta < c.theta ? theta : b.theta;
}

/* Returns how far a guard may fall below b if it is convex, by the lines through a, b and b, c; doubled for safety. */
static double deepest(mbs_guard_point a, mbs_guard_point b, mbs_guard_point c) {
  const double left = b.theta - a.theta, right = c.theta - b.theta;
  return 2 * fmax((a.value - b.value) / left * right, (c.value - b.value) / right * left);
}

/* Searches a minimum between a and c until the guard is negative: sets *found, and *low and *high, which bracket the
 * change of sign. b is not above a and c, and none of them is negative. */
static mbs_status follow_dip(const mbs_guard_search *search, mbs_guard_point a, mbs_guard_point b, mbs_guard_point c,
                             mbs_guard_point *low, mbs_guard_point *high, bool *found) {
  *found = false;
  for (int k = 0; k < DIP_ITERATIONS && c.theta - a.theta > SAMPLE_EDGE && b.value < deepest(a, b, c); k++) {
    const double left = b.theta - a.theta, right = c.theta - b.theta;
    double theta = vertex(a, b, c);
    /* b itself is known: approach from the longer side */
    if (fabs(theta - b.theta) < 1e-3 * (left + right))
      theta = right > left ? b.theta + 0.1 * right : b.theta - 0.1 * left;
    mbs_guard_point x;
    const mbs_status status = point_at(search, theta, &x);
    if (status != MBS_OK) return status;
    if (x.value < 0) {
      *low = theta > b.theta ? b : a;
      *high = x;
      *found = true;
      return MBS_OK;
    }
    if (x.value < b.value) {
      *(theta > b.theta ? &a : &c) = b;
      b = x;
    } else {
      *(theta > b.theta ? &c : &a) = x;
    }
  }
  return MBS_OK;
}

static double theta_of(mbs_step_piece piece, double share) { return piece.begin + share * piece.length; }

/* Brackets the first change of sign of the guard in the samples of a piece, before `limit`. */
static mbs_status first_bracket(const mbs_guard_search *search, mbs_step_piece piece, const double *guards,
                                double limit, mbs_guard_point *low, mbs_guard_point *high, bool *found) {
  const size_t n_guards = search->step->ode->n_guards;
  mbs_guard_point points[MBS_GUARD_END + 1];

  *found = false;
  for (size_t j = 0; j <= MBS_GUARD_END; j++) {
    const size_t row = j == 0 ? MBS_GUARD_LEFT : j;
    points[j] =
        (mbs_guard_point){theta_of(piece, sample_theta[j]), guards[row * n_guards + search->index] - search->level};
  }
  for (size_t j = 1; j <= MBS_GUARD_END && points[j - 1].theta < limit; j++) {
    if (points[j].value < 0) {
      *low = points[j - 1];
      *high = points[j];
      *found = true;
      return MBS_OK;
    }
    if (j == MBS_GUARD_END || points[j].value >= points[j - 1].value || points[j].value > points[j + 1].value) continue;
    const mbs_status status = follow_dip(search, points[j - 1], points[j], points[j + 1], low, high, found);
    if (status != MBS_OK || *found) return status;
  }
  return MBS_OK;
}

/* Reduces the distance of low (not negative) and high (negative) to `width` by the ITP method. */
static mbs_status narrow(const mbs_guard_search *search, double width, mbs_guard_point *low, mbs_guard_point *high) {
  assert(low->theta <= high->theta);
  const double k1 = 0.2 / (high->theta - low->theta);
  const int most = (int)ceil(log2(fmax((high->theta - low->theta) / width, 1))) + 1;

  for (int k = 0; k < ROOT_ITERATIONS && high->theta - low->theta > width; k++) {
    /* the midpoint; the zero of the secant */
    const double length = high->theta - low->theta, middle = low->theta + 0.5 * length;
    const double secant = low->theta + length * (low->value / (low->value - high->value));
    const double side = secant < middle ? 1 : -1;
    const double shift = k1 * length * length, radius = fmax(ldexp(0.5 * width, most - k) - 0.5 * length, 0);
    /* the secant moved towards the middle by k_1 length^2 */
    double theta = fabs(middle - secant) >= shift ? secant + side * shift : middle;
    /* theta is at most as far from the midpoint as bisection would still allow */
    if (fabs(theta - middle) > radius) theta = middle - side * radius;
    if (theta <= low->theta || theta >= high->theta) theta = middle;
    mbs_guard_point x;
    const mbs_status status = point_at(search, theta, &x);
    if (status != MBS_OK) return status;
    *(x.value < 0 ? high : low) = x;
  }
  return MBS_OK;
}

static mbs_status guards_between(const mbs_finished_step *step, mbs_step_piece piece, double *guards) {
  mbs_status status = MBS_OK;
  for (size_t j = 1; j < MBS_GUARD_END && status == MBS_OK; j++)
    status = guards_inside(step, theta_of(piece, sample_theta[j]), guards + j * step->ode->n_guards);
  return status;
}

/* Returns the index of live guard k. */
static size_t live_guard(const mbs_finished_step *step, const double *guards, size_t k) {
  return (size_t)guards[MBS_GUARD_LIVE * step->ode->n_guards + k];
}

/* Lists the guards that may have an event in a sampled piece. Returns true if some of them had none in sight at its
 * beginning. */
static bool list_live(const mbs_finished_step *step, mbs_step_piece *piece, double *guards) {
  const size_t n_guards = step->ode->n_guards;
  const double *const end = guards + MBS_GUARD_END * n_guards, *const left = guards + MBS_GUARD_LEFT * n_guards;
  double *const live = guards + MBS_GUARD_LIVE * n_guards;
  bool appears = false;
  piece->live = 0;
  for (size_t i = 0; i < n_guards; i++) {
    if (left[i] == INFINITY && end[i] == INFINITY) continue;
    appears |= left[i] == INFINITY;
    live[piece->live++] = (double)i;
  }
  return appears;
}

/* Samples a piece, whose first row is already set. The end of the step is the state itself, which may be projected. If
 * an event has come in sight of a guard, the piece is sampled again. */
static mbs_status sample_piece(const mbs_finished_step *step, mbs_step_piece *piece, double *guards) {
  const size_t n_guards = step->ode->n_guards;
  double *const end = guards + MBS_GUARD_END * n_guards, *const left = guards + MBS_GUARD_LEFT * n_guards;
  mbs_status status = guards_between(step, *piece, guards);
  if (status != MBS_OK) return status;
  status = piece->begin + piece->length < 1 ? guards_inside(step, piece->begin + piece->length, end)
                                            : mbs_guards_evaluate(step->ode, step->t + step->h, step->y1, end);
  if (status != MBS_OK || !list_live(step, piece, guards)) return status;
  status = piece->begin > 0 ? guards_inside(step, piece->begin, left)
                            : mbs_guards_evaluate(step->ode, step->t, step->y, left);
  return status == MBS_OK ? guards_between(step, *piece, guards) : status;
}

/* Computes the weights of samples at 0, 1/4, ... 1 in the quartic through them at x. */
static void quartic_weights(double x, double weights[5]) {
  for (int i = 0; i < 5; i++) {
    /* Lagrange's polynomial of x_i */
    weights[i] = 1;
    for (int j = 0; j < 5; j++)
      if (j != i) weights[i] *= (4 * x - j) / (i - j);
  }
}

/* Sets *resolved if, between its samples, each guard agrees with their quartic or is far above its event. */
static mbs_status is_resolved(const mbs_finished_step *step, mbs_step_piece piece, double *guards, bool *resolved) {
  static const size_t rows[] = {MBS_GUARD_LEFT, 2, 3, 4, MBS_GUARD_END};
  const size_t n_guards = step->ode->n_guards;
  double *const here = guards + MBS_GUARD_SCRATCH * n_guards;
  *resolved = true;
  for (size_t c = 0; c < sizeof checked_theta / sizeof *checked_theta; c++) {
    const mbs_status status = guards_inside(step, theta_of(piece, checked_theta[c]), here);
    if (status != MBS_OK) return status;
    double weights[5];
    quartic_weights(checked_theta[c], weights);
    for (size_t n = 0; n < piece.live; n++) {
      const size_t i = live_guard(step, guards, n);
      double lowest = here[i], largest = fabs(here[i]), between = 0;
      for (int k = 0; k < 5; k++) {
        const double sample = guards[rows[k] * n_guards + i];
        lowest = fmin(lowest, sample);
        largest = fmax(largest, fabs(sample));
        between += weights[k] * sample;
      }
      const double off = fabs(between - here[i]);
      if (off > surprise * fmax(lowest, 0) && off > surprise * surprise * largest) *resolved = false;
    }
  }
  return MBS_OK;
}

/* Returns where a guard seems to become negative in a piece, by straight lines through its samples; otherwise
 * INFINITY. */
static double expected(const mbs_finished_step *step, mbs_step_piece piece, const double *guards, size_t index) {
  const size_t n_guards = step->ode->n_guards;
  const double level = fmin(0, guards[index]);
  double before = guards[MBS_GUARD_LEFT * n_guards + index] - level;
  for (size_t j = 1; j <= MBS_GUARD_END; j++) {
    const double value = guards[j * n_guards + index] - level, from = sample_theta[j - 1];
    if (value < 0) return theta_of(piece, from + (sample_theta[j] - from) * (before / (before - value)));
    before = value;
  }
  return INFINITY;
}

/* Returns the index of the guard that seems to become negative first. */
static size_t expected_first(const mbs_finished_step *step, mbs_step_piece piece, const double *guards) {
  size_t first = piece.live > 0 ? live_guard(step, guards, 0) : 0;
  double least = INFINITY;
  for (size_t n = 0; n < piece.live; n++) {
    const size_t i = live_guard(step, guards, n);
    const double theta = expected(step, piece, guards, i);
    if (!(theta < least)) continue;
    least = theta;
    first = i;
  }
  return first;
}

/* The first event found so far in a piece. */
typedef struct mbs_first_event {
  double theta; /* 1: there is none */
  double width; /* resolution of the search; events within a few widths count as one */
  double before, after;
  bool looked; /* rows MBS_GUARD_BEFORE and MBS_GUARD_AFTER have the guards at `before` and `after` */
} mbs_first_event;

static void take_event(mbs_first_event *first, double theta) {
  const double together = TOGETHER * first->width;
  if (theta > first->theta + together) return;
  first->looked = first->looked && theta >= first->theta - together;
  first->theta = theta < first->theta - together ? theta : fmin(1, fmax(first->theta, theta));
}

static mbs_status look_around(const mbs_finished_step *step, double *guards, mbs_first_event *first) {
  const size_t n_guards = step->ode->n_guards;
  const double together = TOGETHER * first->width;
  if (first->looked) return MBS_OK;
  first->before = fmax(first->theta - together, 0);
  first->after = fmin(first->theta + together, 1);
  mbs_status status = guards_inside(step, first->before, guards + MBS_GUARD_BEFORE * n_guards);
  if (status == MBS_OK) status = guards_inside(step, first->after, guards + MBS_GUARD_AFTER * n_guards);
  first->looked = status == MBS_OK;
  return status;
}

/* Compares a change of sign between *low and *high with the first event. Sets *settled if it is later than the event,
 * or within its width; otherwise it is earlier, and *high becomes a point before the event. The guards around the event
 * are evaluated once for all, so that only few of many guards that change in a step need a search. */
static mbs_status compare_with_first(const mbs_guard_search *search, double *guards, mbs_first_event *first,
                                     const mbs_guard_point *low, mbs_guard_point *high, bool *settled) {
  const size_t n_guards = search->step->ode->n_guards;
  *settled = false;
  if (first->theta == 1) return MBS_OK;
  const mbs_status status = look_around(search->step, guards, first);
  if (status != MBS_OK || high->theta <= first->after) return status;
  const double before = guards[MBS_GUARD_BEFORE * n_guards + search->index] - search->level,
               after = guards[MBS_GUARD_AFTER * n_guards + search->index] - search->level;
  *settled = before >= 0 || low->theta >= first->before;
  if (after < 0 && *settled) take_event(first, first->after);
  if (!*settled) *high = (mbs_guard_point){first->before, before};
  return MBS_OK;
}

static mbs_status search_guard(const mbs_finished_step *step, mbs_step_piece piece, size_t index, double *guards,
                               mbs_first_event *first) {
  assert(index < step->ode->n_guards);
  const mbs_guard_search search = {step, guards + MBS_GUARD_SCRATCH * step->ode->n_guards, index,
                                   fmin(0, guards[index])};
  mbs_guard_point low, high;
  bool found, settled;
  mbs_status status = first_bracket(&search, piece, guards, first->theta, &low, &high, &found);
  if (status != MBS_OK || !found) return status;
  status = compare_with_first(&search, guards, first, &low, &high, &settled);
  if (status != MBS_OK || settled) return status;
  if ((status = narrow(&search, first->width, &low, &high)) == MBS_OK) take_event(first, high.theta);
  return status;
}

/* Sets *theta to the first event of a piece. *theta must be 1 before, and stays 1 if there is none. */
static mbs_status search_piece(const mbs_finished_step *step, mbs_step_piece piece, double resolution, double *guards,
                               double *theta) {
  mbs_first_event first = {.theta = *theta, .width = resolution / step->h};
  mbs_status status = MBS_OK;
  const size_t likely = expected_first(step, piece, guards);
  if (piece.live > 0) status = search_guard(step, piece, likely, guards, &first);
  for (size_t n = 0; n < piece.live && status == MBS_OK; n++)
    if (live_guard(step, guards, n) != likely)
      status = search_guard(step, piece, live_guard(step, guards, n), guards, &first);
  *theta = first.theta;
  return status;
}

mbs_status mbs_event_find(const mbs_finished_step *step, double resolution, double *guards, double *theta) {
  assert(step->ode->n_guards > 0 && step->h > 0);
  const size_t n_guards = step->ode->n_guards, tries = sizeof pieces_tried / sizeof *pieces_tried;
  double *const left = guards + MBS_GUARD_LEFT * n_guards;
  bool resolved = false;
  for (size_t k = 0; k < tries && !resolved; k++) {
    const int pieces = pieces_tried[k];
    const double *from = guards;
    resolved = true;
    *theta = 1;
    for (int p = 0; p < pieces && *theta == 1 && resolved; p++, from = guards + MBS_GUARD_END * n_guards) {
      mbs_step_piece piece = {.begin = (double)p / pieces, .length = 1.0 / pieces};
      memcpy(left, from, n_guards * sizeof *left);
      mbs_status status = sample_piece(step, &piece, guards);
      if (status == MBS_OK && k + 1 < tries) status = is_resolved(step, piece, guards, &resolved);
      if (status == MBS_OK && resolved) status = search_piece(step, piece, resolution, guards, theta);
      if (status != MBS_OK) return status;
    }
  }
  return MBS_OK;
}
