/* Selection of the switches that slide after an instant.
 *
 * Switches that are zero at that instant are tried as surfaces, together with the present surfaces:
 *
 * (a) Prescribed ones, which no force moves, become prescribed surfaces if they stay at zero, and cross zero otherwise.
 *
 * (b) Surfaces whose guards move together are merged.
 *
 * (c) A complementarity problem decides for the others: w = b + G a is zero and the motion slides, or it leaves
 * upwards, a = 1 and w > 0, or downwards, a = 0 and w < 0. */
#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/input.h"
#include "equations/law.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "linalg/lapack.h"
#include "linalg/lcp.h"
#include "model/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of surfaces that are tried at the same time; other switches change their branch. */
enum { SURFACES_MAX = 100 };
/* Width of a band, relative to the residual of velocities after a projection. */
static const double band_width = 10;
/* A guard crosses zero if it leaves its band within this share of the span. */
static const double crossing_share = 1e-6;
/* Relative tolerance of proportional guards: their rates and the influence of weights on them. */
static const double parallel = 1e-9;
/* A weight this near to its bound has reached it, if that ended the last surface. A rate this small relative to the
 * influence of the weight is zero. */
static const double at_bound = 1e-6, no_rate = 1e-12;

/* Previous state of a pending switch: in one of its modes, which its event changed, or at zero. */
enum { FROM_MODE = 1, FROM_ZERO = 3 };

/* The function that receives the changes of modes, with its context. */
typedef struct listener {
  void (*report)(void *context, const mbs_change *change);
  void *context;
} listener;

/* ---- building ------------------------------------------------------------------------------------------------ */

/* Adds the switches of a law. Returns their number. */
static size_t add_law(mbs_sliding *self, const mbs_law *law, const char *element) {
  size_t count = 0;
  for (int k = 0; k < law->switches; k++) {
    if (!mbs_expression_switch_is_binary(law->expression, (size_t)k)) continue;
    self->laws[law->mode0 + k] = law;
    self->elements[law->mode0 + k] = element;
    count++;
  }
  return count;
}

/* Adds the laws of forces, and in a motion those of states: at rest, these follow the state. A rate that sets a speed
 * does not slide. */
static size_t find_laws(const mbs_model *model, mbs_sliding *self) {
  size_t count = 0;
  for (size_t f = 0; f < model->force_count; f++)
    for (size_t l = 0; l < model->forces[f].law_count; l++)
      count += add_law(self, &model->forces[f].laws[l], model->forces[f].name);
  for (size_t k = 0; k < model->state_count && model->type == MBS_DYNAMICS; k++)
    if (!model->states[k].sets_speed) count += add_law(self, &model->states[k].rate, model->states[k].name);
  return count;
}

/* Returns true if a switch belongs to the rate of a state. */
static bool is_of_state(const mbs_system *system, size_t index) {
  const mbs_model *model = system->model;
  const mbs_law *law = system->sliding->laws[index];
  for (size_t k = 0; k < model->state_count; k++)
    if (law == &model->states[k].rate) return true;
  return false;
}

static bool alloc_work(mbs_sliding *self, const mbs_model *model, mbs_arena *arena) {
  const size_t n = self->most;
  const struct {
    double **array;
    size_t count;
  } doubles[] = {{&self->b, n},
                 {&self->G, n * n},
                 {&self->rates, n},
                 {&self->change, n},
                 {&self->A, n * n},
                 {&self->lapack, mbs_lapack_workspace(n, n)},
                 {&self->mode, model->switch_count},
                 {&self->guards, 2 * model->switch_count},
                 {&self->lambda, 2 * model->rows},
                 {&self->vdot, model->nv},
                 {&self->zdot, 2 * model->nz},
                 {&self->row, model->nv},
                 {&self->other, model->nv}};
  for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
    if (!(*doubles[i].array = mbs_arena_alloc(arena, doubles[i].count + 1, sizeof(double)))) return false;
  self->surfaces = mbs_arena_alloc(arena, n + 1, sizeof *self->surfaces);
  self->moving = mbs_arena_alloc(arena, n + 1, sizeof *self->moving);
  return self->surfaces && self->moving;
}

mbs_sliding *mbs_sliding_new(const mbs_model *model, mbs_arena *arena) {
  mbs_sliding *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->member = mbs_arena_alloc(arena, model->switch_count + 1, sizeof *self->member);
  self->pending = mbs_arena_alloc(arena, model->switch_count + 1, sizeof *self->pending);
  self->laws = mbs_arena_alloc(arena, model->switch_count + 1, sizeof *self->laws);
  self->elements = mbs_arena_alloc(arena, model->switch_count + 1, sizeof *self->elements);
  self->drives_back = mbs_arena_alloc(arena, model->switch_count + 1, sizeof *self->drives_back);
  if (!self->member || !self->pending || !self->laws || !self->elements || !self->drives_back) return NULL;
  const size_t slidable = find_laws(model, self);
  self->most = slidable < SURFACES_MAX ? slidable : SURFACES_MAX;
  return alloc_work(self, model, arena) ? self : NULL;
}

/* ---- surfaces ------------------------------------------------------------------------------------------------ */

static mbs_surface *moving(const mbs_sliding *self, size_t i) { return &self->surfaces[self->moving[i]]; }

static void list_moving(mbs_sliding *self) {
  self->moving_count = 0;
  for (size_t s = 0; s < self->count; s++)
    if (!self->surfaces[s].prescribed) self->moving[self->moving_count++] = (int)s;
}

static void tell(const listener *to, const char *element, const char *kind) {
  if (to->report) to->report(to->context, &(mbs_change){element, kind});
}

/* Reports a change for all elements with a law on a surface. */
static void tell_members(const mbs_system *system, int surface, const char *kind, const listener *to) {
  const mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++)
    if (abs(self->member[k]) == surface + 1)
      tell(to, self->elements[k], !is_of_state(system, k) ? kind : strcmp(kind, "sticks") == 0 ? "slides" : "switch");
}

/* Sets the branches of all switches on a surface to those of one side. */
static void take_side(mbs_system *system, int surface, bool above) {
  const mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++)
    if (abs(self->member[k]) == surface + 1) system->mode_held[k] = above == (self->member[k] > 0);
}

/* Removes a surface from the list. */
static void drop(mbs_system *system, int surface) {
  mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++) {
    int *member = &self->member[k];
    if (abs(*member) == surface + 1)
      *member = 0;
    else if (abs(*member) > surface + 1)
      *member -= *member > 0 ? 1 : -1;
  }
  memmove(self->surfaces + surface, self->surfaces + surface + 1,
          (self->count - (size_t)surface - 1) * sizeof *self->surfaces);
  self->count--;
  list_moving(self);
}

/* Merges surface `other` into `surface`; its guard is a positive or negative multiple of that one's. */
static void merge(mbs_system *system, int surface, int other, bool same_sign) {
  mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++)
    if (abs(self->member[k]) == other + 1)
      self->member[k] = (self->member[k] > 0) == same_sign ? surface + 1 : -surface - 1;
  drop(system, other);
}

/* Returns the sensitivity of the guard: the sum of its changes for a change of each input by one scale. Also sets
 * *of_positions: the guard depends on positions only. */
static double sensitivity(mbs_system *system, int index, bool *of_positions) {
  const mbs_law *law = system->sliding->laws[index];
  const mbs_model *model = system->model;
  double jet[3], sum = 0, *jets = system->jets;
  *of_positions = true;
  for (size_t one = 0; one < law->input_count; one++) {
    for (size_t i = 0; i < law->input_count; i++) {
      mbs_input_jet(system, &model->inputs[law->inputs[i]], jets + 3 * i);
      jets[3 * i + 1] = i == one;
      jets[3 * i + 2] = 0;
    }
    mbs_expression_guard_jet(mbs_law_expression(system, law), (size_t)(index - law->mode0), jets,
                             system->mode_held + law->mode0, system->slots, jet);
    const mbs_input *input = &model->inputs[law->inputs[one]];
    /* |ds/dx_k| [x_k] */
    sum += fabs(jet[1]) * mbs_input_unit(system->constants, input);
    if (jet[1] != 0 && (input->level > 0 || input->kind == MBS_INPUT_FORCE || input->kind == MBS_INPUT_STATE))
      *of_positions = false;
  }
  return sum;
}

/* Returns the band in which a guard counts as zero. theory (12.9) */
static double band_of(mbs_system *system, int index, bool *of_positions) {
  const mbs_model *model = system->model;
  /* speed: the largest |v_k| / [v_k] times the time scale, at least 1 */
  double speed = fmax(1, mbs_largest_in_units(system->v, system->v_units, model->nv) * system->constants->time);
  double width = band_width * system->projection_goal * speed * sensitivity(system, index, of_positions);
  return fmax(width, DBL_MIN);
}

/* Adds a surface for one switch. Returns false if there are too many. */
static bool add_surface(mbs_system *system, int index) {
  mbs_sliding *self = system->sliding;
  bool of_positions;
  if (self->count == self->most) return false;
  double band = band_of(system, index, &of_positions);
  self->surfaces[self->count++] =
      (mbs_surface){.leader = index, .order = of_positions ? 2 : 1, .trial = true, .weight = 0.5, .band = band};
  self->member[index] = (int)self->count;
  list_moving(self);
  return true;
}

/* ---- deciding ------------------------------------------------------------------------------------------------ */

/* Ends a surface, or a trial without success. */
static void release(mbs_system *system, int surface, bool above, const listener *to) {
  mbs_sliding *self = system->sliding;
  const mbs_surface *was = &self->surfaces[surface];
  int before = self->pending[was->leader];
  take_side(system, surface, above);
  if (!was->trial)
    tell_members(system, surface, was->prescribed ? "switch" : "slips", to);
  else if (before != FROM_ZERO && before != FROM_MODE + (int)system->mode_held[was->leader])
    tell_members(system, surface, "switch", to);
  drop(system, surface);
}

/* Returns the band of the quantity that accelerations change: the guard, or its rate if it depends on positions
 * only. */
static double moved_band(const mbs_system *system, const mbs_surface *surface) {
  return surface->order == 2 ? surface->band / system->constants->time : surface->band;
}

/* Ends surfaces that the state has left: by an impulse, or because a prescribed guard starts to move. */
static void release_left(mbs_system *system, const listener *to) {
  const mbs_sliding *self = system->sliding;
  for (int s = (int)self->count - 1; s >= 0; s--) {
    const mbs_surface *surface = &self->surfaces[s];
    double jet[3];
    mbs_sliding_guard(system, surface->leader, jet);
    double off = jet[surface->prescribed ? 0 : surface->order - 1];
    if (surface->prescribed ? surface->left : fabs(off) > moved_band(system, surface)) release(system, s, off > 0, to);
  }
}

/* Returns true if a surface that ends is crossed upwards: by the sign of the guard's first nonzero rate, else by the
 * held branch. */
static bool crosses_up(const mbs_system *system, const mbs_surface *surface, const double jet[3]) {
  for (int k = 1; k <= surface->order; k++)
    if (jet[k] != 0 && !isnan(jet[k])) return jet[k] > 0;
  return system->mode_held[surface->leader] != 0;
}

/* Returns the span of the motion; for a single state, and in analyses without a span, the time scale. */
static double span_of(const mbs_system *system) {
  double span = system->model->t_end - system->model->t_start;
  return span > 0 ? span : system->constants->time;
}

/* Returns true if no weight holds a surface: none moves its guard out of the band within the whole span, or a guard
 * that depends on positions only crosses zero too fast to be stopped within the band. */
static bool cannot_slide(const mbs_system *system, const mbs_surface *surface, const double jet[3]) {
  if (!(-surface->self_gain * span_of(system) > moved_band(system, surface)) || isnan(jet[surface->order])) return true;
  /* s'^2 > 2 band |G_ii| */
  return surface->order == 2 && jet[1] * jet[1] > 2 * surface->band * -surface->self_gain;
}

/* Returns true if such a surface stays at zero for now. Without an event this applies to prescribed ones only, because
 * others do no harm. */
static bool stays(const mbs_system *system, const mbs_surface *surface, const double jet[3]) {
  const mbs_sliding *self = system->sliding;
  double soon = crossing_share * span_of(system);
  if (self->pending[surface->leader] == FROM_ZERO && !(surface->constraint_gain > 0)) return false;
  return fabs(jet[1]) * soon <= surface->band && !(-surface->self_gain * soon > surface->band);
}

/* Settles trials that cannot slide. Returns true if there was one; the others must then be examined again. */
static bool settle_crossings(mbs_system *system, const listener *to) {
  mbs_sliding *self = system->sliding;
  bool any = false;
  for (size_t i = self->moving_count; i-- > 0;) {
    const int s = self->moving[i];
    mbs_surface *surface = &self->surfaces[s];
    double jet[3];
    if (!surface->trial) continue;
    mbs_sliding_guard(system, surface->leader, jet);
    jet[surface->order] = self->b[i]; /* the current accelerations are those of the last trial */
    if (!cannot_slide(system, surface, jet)) continue;
    any = true;
    if (stays(system, surface, jet)) {
      surface->prescribed = true;
      surface->trial = false;
      surface->weight = 0.5;
    } else {
      release(system, s, crosses_up(system, surface, jet), to);
    }
  }
  list_moving(self);
  return any;
}

static bool near(double x, double y, double scale) { return fabs(x - y) <= parallel * (fabs(x) + fabs(y) + scale); }

/* Returns true if rows i and j of b + G a are proportional; *ratio is that of row j to row i. */
static bool rows_parallel(const mbs_sliding *self, size_t i, size_t j, double *ratio) {
  const size_t n = self->moving_count;
  const double *x = self->G + i * n, *y = self->G + j * n;
  size_t most = 0;
  for (size_t k = 1; k < n; k++)
    if (fabs(x[k]) > fabs(x[most])) most = k;
  *ratio = y[most] / x[most];
  if (*ratio == 0 || !isfinite(*ratio) || moving(self, i)->order != moving(self, j)->order) return false;
  double scale = fabs(y[most]);
  for (size_t k = 0; k < n; k++)
    if (!near(y[k], *ratio * x[k], scale)) return false;
  return near(self->b[j], *ratio * self->b[i], scale);
}

/* Merges the first two surfaces that move together. Returns false if there are none. */
static bool merge_parallel(mbs_system *system) {
  mbs_sliding *self = system->sliding;
  for (size_t i = 0; i < self->moving_count; i++)
    for (size_t j = i + 1; j < self->moving_count; j++) {
      double ratio;
      if (!rows_parallel(self, i, j, &ratio)) continue;
      merge(system, self->moving[i], self->moving[j], ratio > 0);
      return true;
    }
  return false;
}

/* Returns true if surface i slides, with weight x and rate w from the complementarity problem. */
static bool slides(const mbs_surface *surface, double x, double w) {
  double room = surface->left ? at_bound : 0;
  if (!(surface->self_gain < 0)) return false;
  return (x > room && x < 1 - room) || (!surface->left && fabs(w) <= no_rate * -surface->self_gain);
}

/* Decides which of the remaining surfaces slide, and on which side the others continue. theory (12.7) */
static void decide(mbs_system *system, const listener *to) {
  mbs_sliding *self = system->sliding;
  const size_t n = self->moving_count;
  double *b = self->rates, *x = self->change, *w = self->A;
  /* w = b + G a, with b converted from weights of 1/2 to weights of 0 */
  for (size_t i = 0; i < n; i++) {
    x[i] = 0.5;
    b[i] = self->b[i];
    for (size_t j = 0; j < n; j++) b[i] -= 0.5 * self->G[i * n + j];
  }
  mbs_lcp_solve(n, self->G, b, x, w);
  for (size_t k = 0; k < system->model->switch_count; k++)
    if (self->member[k]) self->drives_back[k] = self->surfaces[abs(self->member[k]) - 1].self_gain < 0;
  for (size_t i = n; i-- > 0;) { /* releasing a surface shifts those after it */
    const int s = self->moving[i];
    mbs_surface *surface = &self->surfaces[s];
    if (!slides(surface, x[i], w[i])) {
      release(system, s, x[i] > 0.5, to);
      continue;
    }
    if (surface->trial) tell_members(system, s, "sticks", to);
    surface->trial = surface->left = false;
  }
}

static void await(mbs_sliding *self, size_t index, int what) {
  self->pending_count += self->pending[index] == 0;
  self->pending[index] = what;
}

/* Marks switches that are at zero without a separate event as pending. */
static void await_zeros(mbs_system *system) {
  mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++) {
    double jet[3];
    bool of_positions;
    if (!self->laws[k] || self->member[k] || self->pending[k]) continue;
    mbs_sliding_guard(system, (int)k, jet);
    if (fabs(jet[0]) <= band_of(system, (int)k, &of_positions)) await(self, k, FROM_ZERO);
  }
}

static void add_pending(mbs_system *system, const listener *to) {
  mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++)
    if (self->pending[k] && !add_surface(system, (int)k) && self->pending[k] != FROM_ZERO)
      tell(to, self->elements[k], "switch");
}

static mbs_status look(mbs_system *system, double t, const double *q, const double *v) {
  system->sliding->deciding = true;
  mbs_status status = mbs_evaluate(system, t, q, v);
  system->sliding->deciding = false;
  return status;
}

/* Returns true if another guard of its law jumps with the branch of a switch on a surface. The law is then not an
 * interpolation between its two values. */
static bool has_inner_switch(mbs_system *system, size_t index, double band) {
  static const double jump = 1e3; /* multiple of the band */
  const mbs_sliding *self = system->sliding;
  const mbs_law *law = self->laws[index];
  const size_t count = (size_t)law->switches, own = index - (size_t)law->mode0;
  double *below = self->guards, *above = below + count;
  mbs_law_margins(system, law, system->margins); /* gathers the inputs */
  memcpy(self->mode, system->mode_held + law->mode0, count * sizeof *self->mode);
  self->mode[own] = 0;
  mbs_expression_guards(mbs_law_expression(system, law), system->in, self->mode, system->slots, below);
  self->mode[own] = 1;
  mbs_expression_guards(mbs_law_expression(system, law), system->in, self->mode, system->slots, above);
  for (size_t k = 0; k < count; k++)
    if (k != own && fabs(above[k] - below[k]) > jump * band) return true;
  return false;
}

static mbs_status check_nesting(mbs_system *system) {
  mbs_sliding *self = system->sliding;
  for (size_t k = 0; k < system->model->switch_count; k++) {
    const mbs_surface *surface = self->member[k] ? &self->surfaces[abs(self->member[k]) - 1] : NULL;
    if (!surface || surface->prescribed || !has_inner_switch(system, k, surface->band)) continue;
    self->nested = (int)k;
    return MBS_STEP_TOO_SMALL;
  }
  return MBS_OK;
}

mbs_status mbs_sliding_settle(mbs_system *system, double t, const double *q, double *v, double *z,
                              void (*report)(void *context, const mbs_change *change), void *context) {
  mbs_sliding *self = system->sliding;
  const listener to = {report, context};
  if (!self->most) return MBS_OK;
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  await_zeros(system);
  if (!self->count && !self->pending_count) return MBS_OK;
  release_left(system, &to);
  for (size_t k = 0; k < system->model->switch_count; k++)
    if (self->pending[k]) self->drives_back[k] = false;
  add_pending(system, &to);
  /* compute b and G again after surfaces were merged or crossed */
  mbs_status status = MBS_OK;
  do status = self->moving_count ? look(system, t, q, v) : MBS_OK;
  while (status == MBS_OK && self->moving_count && (merge_parallel(system) || settle_crossings(system, &to)));
  if (status == MBS_OK && self->moving_count) decide(system, &to);
  if (status == MBS_OK && self->moving_count) status = check_nesting(system);
  memset(self->pending, 0, system->model->switch_count * sizeof *self->pending);
  self->pending_count = 0;
  return status == MBS_OK ? mbs_sliding_project(system, t, q, v, z) : status;
}

/* ---- no motion ------------------------------------------------------------------------------------------------- */

/* Returns true if the rows of two switches are proportional; *same_sign: by a positive factor. */
static bool move_together(const mbs_system *system, const double *x, const double *y, bool *same_sign) {
  const double *units = system->v_units;
  double xx = 0, xy = 0, yy = 0;
  for (size_t k = 0; k < system->model->nv; k++) {
    xx += x[k] * x[k] * units[k] * units[k];
    xy += x[k] * y[k] * units[k] * units[k];
    yy += y[k] * y[k] * units[k] * units[k];
  }
  *same_sign = xy > 0;
  return xx * yy > 0 && fabs(xy) >= (1 - parallel) * sqrt(xx * yy);
}

/* Merges the surfaces of a law whose guards move together, as those of sign(v) and sign(2 v). */
static void merge_within_laws(mbs_system *system) {
  mbs_sliding *self = system->sliding;
  for (int s = (int)self->count - 1; s > 0; s--)
    for (int r = 0; r < s; r++) {
      const mbs_surface *one = &self->surfaces[r], *other = &self->surfaces[s];
      bool same_sign;
      if (self->laws[one->leader] != self->laws[other->leader] || one->order != other->order) continue;
      mbs_sliding_row(system, one->leader, one->order, self->row);
      mbs_sliding_row(system, other->leader, other->order, self->other);
      if (!move_together(system, self->row, self->other, &same_sign)) continue;
      merge(system, r, s, same_sign);
      break;
    }
}

void mbs_sliding_hold(mbs_system *system, double t, const double *q, const double *v) {
  static const listener nobody = {NULL, NULL};
  mbs_sliding *self = system->sliding;
  mbs_sliding_forget(system);
  mbs_switches_follow(system, t, q, v);
  await_zeros(system);
  for (int k = 0; k < (int)system->model->switch_count; k++) {
    const mbs_law *law = self->laws[k];
    if (!self->pending[k] || self->drives_back[k]) continue;
    if (!mbs_expression_switch_is_sign(law->expression, (size_t)(k - law->mode0))) self->pending[k] = 0;
  }
  add_pending(system, &nobody);
  memset(self->pending, 0, system->model->switch_count * sizeof *self->pending);
  self->pending_count = 0;
  merge_within_laws(system);
  for (size_t s = 0; s < self->count; s++) {
    self->surfaces[s].prescribed = true;
    self->surfaces[s].trial = false;
  }
  list_moving(self);
}

int mbs_sliding_next_loose(mbs_system *system, int index) {
  mbs_sliding *self = system->sliding;
  for (; index < (int)system->model->switch_count; index++) {
    const mbs_law *law = self->laws[index];
    double jet[3], sides[2];
    bool of_positions;
    if (!law || self->member[index]) continue;
    mbs_sliding_guard(system, index, jet);
    if (fabs(jet[0]) > band_of(system, index, &of_positions)) continue;
    mbs_law_margins(system, law, system->margins); /* gathers the inputs */
    memcpy(self->mode, system->mode_held + law->mode0, (size_t)law->switches * sizeof *self->mode);
    for (int side = 0; side < 2; side++) {
      self->mode[index - law->mode0] = side;
      sides[side] = mbs_expression_value(mbs_law_expression(system, law), system->in, self->mode, system->slots);
    }
    if (sides[0] != sides[1]) return index;
  }
  return -1;
}

int mbs_sliding_wrong_side(mbs_system *system, double t, const double *q, const double *v) {
  static const double far = 1e6; /* multiple of the band */
  const mbs_sliding *self = system->sliding;
  if (!self->most) return -1;
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  for (size_t k = 0; k < system->model->switch_count; k++) {
    double jet[3];
    bool of_positions;
    if (!self->laws[k] || self->member[k] || self->pending[k]) continue;
    mbs_sliding_guard(system, (int)k, jet);
    bool wrong = system->mode_held[k] != 0 ? jet[0] < 0 : jet[0] > 0;
    if (wrong && fabs(jet[0]) > far * band_of(system, (int)k, &of_positions)) return (int)k;
  }
  return -1;
}

/* ---- events -------------------------------------------------------------------------------------------------- */

bool mbs_sliding_may(const mbs_system *system, size_t index) {
  return index < system->model->switch_count && system->sliding->laws[index] != NULL;
}

void mbs_sliding_event(mbs_system *system, size_t index, double t, const double *q, const double *v) {
  mbs_sliding *self = system->sliding;
  if (self->member[index]) {
    self->surfaces[abs(self->member[index]) - 1].left = true;
    return;
  }
  int before = FROM_MODE + (int)system->mode_held[index];
  mbs_switches_event(system, index, t, q, v);
  await(self, index, before);
}
