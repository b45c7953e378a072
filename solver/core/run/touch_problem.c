/* The complementarity problem of touches at an instant, in their multipliers p and the rates u = u0 + W p of their
 * rows, with W = J M^-1 J' within joints and drivers. With directions d_ij that approximate the cone of friction,
 *
 *     0 <= N_i     complementary to   u_i >= 0
 *     0 <= B_ij    complementary to   l_i + d_ij.s_i >= 0,    T_i = sum of B_ij d_ij
 *     0 <= l_i     complementary to   mu_i N_i - sum of B_ij >= 0
 *
 * and T_i = -mu_i N_i w_i of touches that slip already. N_i is a given number of a touch that never opens, as of a
 * compliant contact. The rates are accelerations, or velocities after an impact. W needs no rank: surfaces may touch
 * redundantly. Rows have the scale W_rr^-1/2, so masses and units do not matter.
 *
 * In space a pyramid of eight directions contains the one in which friction would act at the solution: it is turned
 * until both agree, so the result is that of the cone. Source: Stewart, Trinkle, Int. J. Numer. Meth. Engng. 39 (1996).
 * theory (12.16) */
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "linalg/lcp.h"
#include "run/touch_instant.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 8, TURNS_MAX = 60, COVERS = 4, ENTRIES = 1 + MBS_TANGENTS_MAX };
/* A rate that joints and drivers reduce to this share of its free value is rounding. Chosen: ten thousand roundings. */
static const double held_share = 1e-12;

struct mbs_touch_problem {
  mbs_touch_instant *now;
  mbs_arena *arena;
  size_t rows;     /* rows of the touches */
  int *row;        /* [rows] in the model */
  double **column; /* [rows] effect [rows] of a unit multiplier; NULL: not computed yet */
};

/* A touch in the problem. */
typedef struct member {
  size_t touch;
  int rows[ENTRIES]; /* its rows in the problem: normal, tangents; -1: it has no normal row */
  int load;          /* unknown of its load; -1: it is given */
  int friction;      /* its first unknown of friction; the last one is its slip */
  int directions;    /* 0: no friction, or it slips already */
  bool slides;       /* it slips already, so its friction follows from its load */
  bool lowered;      /* mu is that of a slip */
  double mu;         /* in scaled rows */
  double axis;       /* angle of the first direction, of two tangents */
  double scale[2];   /* of its normal row, and of its tangential rows */
} member;

typedef struct mbs_touch_lcp {
  mbs_touch_problem *problem;
  const mbs_touch_start *start;
  size_t count, n; /* members, unknowns */
  member *members;
  double size;                        /* of the scaled rates */
  double *M, *matrix, *q, *exact, *z; /* [n x n + 1] as pivoted, and as filled; [n] */
  int *labels;
} mbs_touch_lcp;

/* ---- effects ------------------------------------------------------------------------------------------------- */

mbs_touch_problem *mbs_touch_problem_new(mbs_touch_instant *now, const bool *in) {
  const mbs_model *model = now->model;
  size_t rows = 0;
  MBS_EACH_NEAR(now->system->touches, i) if (in[i]) rows += (size_t)mbs_touch_rows(&model->touches[i]);
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  mbs_touch_problem *self = arena ? mbs_arena_alloc(arena, 1, sizeof *self) : NULL;
  if (!self) {
    mbs_arena_free(arena);
    return NULL;
  }
  *self = (mbs_touch_problem){.now = now,
                              .arena = arena,
                              .row = mbs_arena_alloc(arena, rows + 1, sizeof *self->row),
                              .column = mbs_arena_alloc(arena, rows + 1, sizeof *self->column)};
  if (!self->row || !self->column) {
    mbs_arena_free(arena);
    return NULL;
  }
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    if (!in[i]) continue;
    now->work->place[i] = (int)self->rows;
    for (int r = 0; r < mbs_touch_rows(touch); r++) self->row[self->rows++] = touch->first_row + r;
  }
  return self;
}

void mbs_touch_problem_free(mbs_touch_problem *self) {
  if (self) mbs_arena_free(self->arena);
}

/* Returns the rates caused by a unit multiplier of a row of the problem; NULL if memory runs out. Rates that are
 * rounding of what joints and drivers prevent are zero. */
static const double *effect_of(mbs_touch_problem *self, int number) {
  mbs_system *system = self->now->system;
  const size_t nv = self->now->model->nv;
  double *unit = self->now->work->after, *push = system->touches->push, free = 0;
  if (self->column[number]) return self->column[number];
  double *out = self->column[number] = mbs_arena_alloc(self->arena, self->rows, sizeof *out);
  if (!out) return NULL;
  memset(unit, 0, self->now->model->rows * sizeof *unit);
  unit[self->row[number]] = 1;
  mbs_jacobian_transposed(system, unit, push);
  memcpy(system->motion, push, nv * sizeof *push);
  mbs_solve_up(system, system->motion);
  for (size_t k = 0; k < nv; k++) free += system->motion[k] * system->motion[k] * system->M_diagonal[k];
  mbs_resolve(system, push, NULL);
  mbs_jacobian_times(system, system->vdot, unit);
  if (!(unit[self->row[number]] > held_share * free)) return out;
  for (size_t r = 0; r < self->rows; r++) out[r] = unit[self->row[r]];
  return out;
}

void mbs_touch_problem_add_rates(mbs_touch_problem *self, const double *p, double *rates) {
  for (size_t k = 0; k < self->rows; k++) {
    const double force = p[self->row[k]];
    const double *effect = force != 0 ? effect_of(self, (int)k) : NULL;
    for (size_t r = 0; effect && r < self->rows; r++) rates[self->row[r]] += effect[r] * force;
  }
}

bool mbs_touch_is_held(mbs_touch_problem *self, size_t touch) {
  const int at = self->now->work->place[touch];
  const double *effect = effect_of(self, at);
  return effect && effect[at] == 0;
}

/* ---- the problem --------------------------------------------------------------------------------------------- */

/* Sets the scales of a member's rows. Returns false if memory runs out. */
static bool find_scales(const mbs_touch_lcp *self, member *of) {
  double largest[2] = {0};
  for (int e = 0; e <= self->problem->now->model->touches[of->touch].tangents; e++) {
    if (of->rows[e] < 0) continue;
    const double *effect = effect_of(self->problem, of->rows[e]);
    if (!effect) return false;
    largest[e > 0] = fmax(largest[e > 0], effect[of->rows[e]]);
  }
  for (int k = 0; k < 2; k++) of->scale[k] = largest[k] > 0 ? 1 / sqrt(largest[k]) : 1;
  return true;
}

static member *member_of(const mbs_touch_lcp *self, size_t touch) {
  for (size_t k = 0; k < self->count; k++)
    if (self->members[k].touch == touch) return &self->members[k];
  return NULL;
}

/* Returns true if a touch has a part in the problem: its load is unknown, or it is given and the touch rests. */
static bool takes_part(const mbs_touch_lcp *self, size_t i, const member *carrier) {
  const mbs_touch *touch = &self->problem->now->model->touches[i];
  if (!self->start->in[i]) return false;
  if (mbs_touch_never_opens(touch)) return self->start->loads && self->start->rests[i];
  return touch->sides > 0 || carrier;
}

/* Lists the touches of the problem and numbers the unknowns. Returns false if memory runs out. */
static bool list_members(mbs_touch_lcp *self, mbs_arena *arena) {
  mbs_touch_instant *now = self->problem->now;
  size_t count = 0;
  MBS_EACH_NEAR(now->system->touches, i) count += self->start->in[i];
  self->members = mbs_arena_alloc(arena, count + 1, sizeof *self->members);
  if (!self->members) return false;
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &now->model->touches[i];
    const member *carrier = touch->carrier ? member_of(self, (size_t)touch->carrier - 1) : NULL;
    if (!takes_part(self, i, carrier)) continue;
    member *out = &self->members[self->count++];
    *out = (member){.touch = i};
    for (int e = 0; e <= touch->tangents; e++) out->rows[e] = now->work->place[i] + e - (touch->sides == 0);
    if (touch->sides == 0) out->rows[0] = -1;
    if (!find_scales(self, out)) return false;
    out->load = touch->sides > 0 ? (int)self->n++ : carrier ? carrier->load : -1;
    const double load = carrier ? carrier->scale[0] : out->scale[0]; /* 1 if it is given */
    out->mu = touch->tangents ? self->start->mu[i] * load / out->scale[1] : 0;
    out->slides = touch->tangents > 0 && !self->start->rests[i];
    if (touch->tangents == 0 || out->slides) continue;
    out->directions = touch->tangents == 2 ? DIRECTIONS : 2 * touch->tangents;
    out->friction = (int)self->n;
    self->n += (size_t)out->directions + 1;
  }
  return true;
}

/* Returns the angle of direction `number` of a pyramid to its first one. */
static double angle_of(int number) { return 0.78539816339744830962 * number; }

static void direction(const member *of, int tangents, int number, double out[MBS_TANGENTS_MAX]) {
  memset(out, 0, MBS_TANGENTS_MAX * sizeof *out);
  if (tangents != 2) {
    out[number / 2] = number % 2 ? -1 : 1;
    return;
  }
  out[0] = cos(of->axis + angle_of(number));
  out[1] = sin(of->axis + angle_of(number));
}

/* Returns the unknown of part `number` of a member: 0 its load, then its friction by directions. Sets the coefficients
 * of its scaled rows: of the force that a unit of the unknown causes, or of the rate that is complementary to it. -1:
 * there is none. */
static int part_of(const mbs_touch_lcp *self, const member *of, int number, bool force, double out[ENTRIES]) {
  const mbs_touch_instant *now = self->problem->now;
  const mbs_touch_state *state = &now->at[of->touch];
  const int tangents = now->model->touches[of->touch].tangents;
  memset(out, 0, ENTRIES * sizeof *out);
  if (number > 0) {
    direction(of, tangents, number - 1, out + 1);
    return of->friction + number - 1;
  }
  if (of->rows[0] >= 0) out[0] = mbs_touch_signed(state, 1);
  for (int c = 0; c < tangents && force && of->slides; c++) out[1 + c] = -of->mu * state->direction[c];
  return of->rows[0] >= 0 || (force && of->slides) ? of->load : -1;
}

/* Returns the sum of scaled rates of a member's rows, by row of the problem or (`by_model`) of the model. */
static double rate_of(const mbs_touch_lcp *self, const member *of, const double part[ENTRIES], const double *u,
                      bool by_model) {
  double sum = 0;
  for (int e = 0; e < ENTRIES; e++)
    if (part[e] != 0) sum += part[e] * of->scale[e > 0] * u[by_model ? self->problem->row[of->rows[e]] : of->rows[e]];
  return sum;
}

/* Fills the columns of the unknowns of member j. */
static void fill_columns(mbs_touch_lcp *self, const member *of) {
  const size_t width = self->n + 1;
  double effect[ENTRIES], part[ENTRIES];
  for (int m = 0; m <= of->directions; m++) {
    const int to = part_of(self, of, m, true, effect);
    if (to < 0) continue;
    for (size_t i = 0; i < self->count; i++) {
      const member *at = &self->members[i];
      for (int k = 0; k <= at->directions; k++) {
        const int from = part_of(self, at, k, false, part);
        double sum = 0;
        for (int e = 0; e < ENTRIES && from >= 0; e++)
          if (effect[e] != 0)
            sum += effect[e] * of->scale[e > 0] * rate_of(self, at, part, self->problem->column[of->rows[e]], false);
        if (from >= 0) self->matrix[(size_t)from * width + (size_t)to] += sum;
      }
    }
  }
}

/* Fills the matrix, and q with what breaks ties: the rates that follow, and small different numbers. */
static void fill(mbs_touch_lcp *self) {
  static const double perturbation = 1e-9, following = 1e-6;
  const size_t width = self->n + 1;
  const double *u = self->start->values, *next = self->start->next;
  double part[ENTRIES], size = 0, fastest = 0;
  memset(self->matrix, 0, self->n * width * sizeof *self->matrix);
  memset(self->exact, 0, self->n * sizeof *self->exact);
  memset(self->q, 0, self->n * sizeof *self->q);
  for (size_t i = 0; i < self->count; i++) {
    const member *at = &self->members[i];
    fill_columns(self, at);
    for (int k = 0; k <= at->directions; k++) {
      const int row = part_of(self, at, k, false, part);
      if (row < 0) continue;
      self->exact[row] = rate_of(self, at, part, u, true);
      self->q[row] = next ? rate_of(self, at, part, next, true) : 0;
      size = fmax(size, fabs(self->exact[row]));
      fastest = fmax(fastest, fabs(self->q[row]));
      if (k > 0) self->matrix[(size_t)row * width + (size_t)(at->friction + at->directions)] = 1;
    }
    if (at->directions == 0) continue;
    double *limit = self->matrix + (size_t)(at->friction + at->directions) * width;
    if (at->load >= 0) limit[at->load] = at->mu;
    for (int k = 0; k < at->directions; k++) limit[at->friction + k] = -1;
  }
  self->size = size > 0 ? size : 1;
  for (size_t i = 0; i < self->count; i++) {
    const member *at = &self->members[i];
    for (int k = 0; k <= at->directions; k++) {
      const int row = part_of(self, at, k, false, part);
      if (row < 0) continue;
      self->exact[row] /= self->size;
      self->q[row] = self->exact[row] + (fastest > 0 ? following * self->q[row] / fastest : 0) +
                     perturbation * (1 + fmod(0.6180339887 * (double)row, 1));
    }
    if (at->load >= 0) continue;
    const int limit = at->friction + at->directions;
    self->q[limit] = self->exact[limit] = at->mu * self->start->loads[at->touch] / self->size;
  }
  memcpy(self->M, self->matrix, self->n * width * sizeof *self->M);
}

/* ---- the solution -------------------------------------------------------------------------------------------- */

/* Computes the scaled friction of a member that rested. */
static void friction_of(const mbs_touch_lcp *self, const member *of, double T[MBS_TANGENTS_MAX]) {
  const int tangents = self->problem->now->model->touches[of->touch].tangents;
  double d[MBS_TANGENTS_MAX];
  memset(T, 0, MBS_TANGENTS_MAX * sizeof *T);
  for (int k = 0; k < of->directions; k++) {
    direction(of, tangents, k, d);
    for (int c = 0; c < tangents; c++) T[c] += self->z[of->friction + k] * d[c];
  }
}

/* Stores the multipliers in out [rows of the model]; zero for rows of other touches of the problem. */
static void read_multipliers(const mbs_touch_lcp *self, double *out) {
  const int *row = self->problem->row;
  double part[ENTRIES];
  for (size_t r = 0; r < self->problem->rows; r++) out[row[r]] = 0;
  for (size_t i = 0; i < self->count; i++) {
    const member *of = &self->members[i];
    for (int k = 0; k <= of->directions; k++) {
      const int from = part_of(self, of, k, true, part);
      for (int e = 0; e < ENTRIES && from >= 0; e++)
        if (part[e] != 0) out[row[of->rows[e]]] += part[e] * of->scale[e > 0] * self->size * self->z[from];
    }
  }
}

/* Share of the largest force or rate below which there is none; chosen: above the perturbation. */
static const double none = 1e-7;

static double fastest_slip(const mbs_touch_lcp *self) {
  double fastest = 1;
  for (size_t i = 0; i < self->count; i++) {
    const member *of = &self->members[i];
    if (of->directions) fastest = fmax(fastest, self->z[of->friction + of->directions]);
  }
  return fastest;
}

/* Turns the pyramids of surfaces that slip towards the friction that would act in a cone, and lets their friction fall
 * to mu_next. Returns false if nothing has to change. */
static bool refine(mbs_touch_lcp *self, const double *rates) {
  const mbs_touch_instant *now = self->problem->now;
  const double slow = none * fastest_slip(self);
  bool changed = false;
  for (size_t i = 0; i < self->count; i++) {
    member *of = &self->members[i];
    const mbs_touch *touch = &now->model->touches[of->touch];
    if (of->directions == 0 || !(self->z[of->friction + of->directions] > slow)) continue;
    const double share = self->start->mu_slips ? self->start->mu_slips[of->touch] / self->start->mu[of->touch] : 1;
    if (share < 1 && !of->lowered) {
      of->mu *= share;
      of->lowered = changed = true;
    }
    if (touch->tangents != 2) continue;
    double T[MBS_TANGENTS_MAX];
    friction_of(self, of, T);
    const double *s = rates + mbs_touch_tangent(touch);
    /* T - s / W_tt */
    for (int c = 0; c < 2; c++) T[c] -= s[c] * of->scale[1] / self->size;
    const double angle = atan2(T[1], T[0]);
    const double turn = remainder(angle - of->axis, angle_of(1)); /* of the next direction */
    if (fabs(turn) <= mbs_zero_speed) continue;
    of->axis += turn;
    changed = true;
  }
  return changed;
}

/* Sets the modes by the solution, with its rates [rows of the model]. */
static void read_modes(const mbs_touch_lcp *self, const double *rates) {
  const mbs_touch_instant *now = self->problem->now;
  const double fastest = fastest_slip(self);
  double force = 0;
  for (size_t i = 0; i < self->count; i++)
    if (self->members[i].load >= 0) force = fmax(force, self->z[self->members[i].load]);
  for (size_t i = 0; i < self->count; i++) {
    const member *of = &self->members[i];
    mbs_touch_state *state = &now->at[of->touch];
    const int tangents = now->model->touches[of->touch].tangents;
    double T[MBS_TANGENTS_MAX];
    state->closed = of->load < 0 || self->z[of->load] > none * force;
    state->friction = !state->closed || tangents == 0 ? MBS_FRICTION_OFF : MBS_SLIPS;
    if (state->friction == MBS_FRICTION_OFF || of->directions == 0) continue;
    if (self->z[of->friction + of->directions] <= none * fastest) state->friction = MBS_STICKS;
    friction_of(self, of, T);
    /* a slip without friction has its own direction */
    mbs_set_direction(rates + mbs_touch_tangent(&now->model->touches[of->touch]), tangents, 1, state->direction);
    mbs_set_direction(T, tangents, -1, state->direction);
  }
}

static bool open_arrays(mbs_touch_lcp *self, mbs_arena *arena) {
  const size_t n = self->n;
  self->M = mbs_arena_alloc(arena, n * (n + 1), sizeof *self->M);
  self->matrix = mbs_arena_alloc(arena, n * (n + 1), sizeof *self->matrix);
  self->q = mbs_arena_alloc(arena, n, sizeof *self->q);
  self->exact = mbs_arena_alloc(arena, n, sizeof *self->exact);
  self->z = mbs_arena_alloc(arena, n, sizeof *self->z);
  self->labels = mbs_arena_alloc(arena, 2 * n + 1, sizeof *self->labels);
  return self->M && self->matrix && self->q && self->exact && self->z && self->labels;
}

bool mbs_touch_solve(mbs_touch_problem *problem, const mbs_touch_start *start, double *p) {
  mbs_touch_lcp self = {.problem = problem, .start = start};
  mbs_touch_instant *now = problem->now;
  mbs_arena *arena = mbs_arena_new(now->model->limits.memory);
  double *rates = now->work->after;
  bool found = arena && list_members(&self, arena) && open_arrays(&self, arena), again = found;
  for (int k = 0; k < TURNS_MAX && again; k++) {
    found = false;
    for (int cover = 0; cover < COVERS && !found; cover++) {
      fill(&self);
      for (size_t i = 0; i < self.n; i++)
        self.M[i * (self.n + 1) + self.n] = 1 + fmod(0.7548776662 * (double)(i * (size_t)cover), 1);
      found = mbs_lcp_lemke(self.n, self.M, self.q, self.exact, self.z, self.labels);
    }
    if (!found) break;
    read_multipliers(&self, p);
    for (size_t r = 0; r < problem->rows; r++) rates[problem->row[r]] = start->values[problem->row[r]];
    mbs_touch_problem_add_rates(problem, p, rates);
    again = refine(&self, rates);
  }
  if (found) read_modes(&self, rates);
  mbs_arena_free(arena);
  return found;
}
