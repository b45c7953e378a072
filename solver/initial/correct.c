/* Initial conditions by Newton steps of minimum norm. */
#include "initial/correct.h"

#include "base/carve.h"
#include "base/norms.h"
#include "constraints/held.h"
#include "constraints/independent.h"
#include "constraints/rank.h"
#include "equations/error_units.h"
#include "equations/gram.h"
#include "equations/jacobian.h"
#include "equations/rounding.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "linear/lapack.h"
#include "model/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double position_tolerance = 1e-10;
static const double velocity_tolerance = 1e-8;
/* Singular values below this share of the largest count as zero. */
static const double rank_tolerance = 1e-9;
/* A row is independent of others while at least this share of it is left beside them. */
static const double least_share = 1e-8;
/* Redundant rows may contradict one another by this share of the model's extent, and angles by as much: data typed to
 * 8 decimals do not close a loop in space. In a motion redundant rows may drift as far apart (project.c). */
static const double data_precision = 1e-6;
/* A residual that is left, in units, up to which that is likely what is wrong. */
static const double data_suspected = 1e-4;
/* A row of C shorter than this, and than this share of the longest one, is rounding: its joint ties bodies that cannot
 * move against each other. */
static const double zero_row = 1e-12;
/* Pivots of C C' below this share of their diagonal send the step to LAPACK. In many rows, as of a ladder, they are
 * small without a loss of rank, and dense algebra takes long: there the least eigenvalue, in the same scale, counts,
 * too. */
static const double gram_floor = 1e-6, gram_floor_of_many = 1e-11, least_eigenvalue = 1e-14;
/* What a step by independent rows may leave of the others. */
static const double least_consent = 0.5;
enum { MANY_ROWS = 300, INVERSE_ITERATIONS = 4 };
enum { FULL_STEPS_MAX = 50, DAMPED_STEPS_MAX = 200, HALVINGS_MAX = 40, INEXACT_STEPS_MAX = 30, PATIENCE = 10 };
/* Newton's steps that each are at most a quarter of the one before end at the solution of their neighbourhood
 * (Kantorovich); shorter ones than this [units] need not shrink. */
static const double steady_share = 0.25, short_step = 0.05;
/* The neighbourhood of a start [units]: a quarter turn. */
static const double far_away = 1.5707963267948966;
/* What so many steps must bring, or an attempt is given up. */
static const double least_progress = 0.98;

size_t mbs_correct_workspace(const mbs_model *model) {
  size_t n = model->nv, m = model->rows + model->held_count;
  size_t dense = mbs_dense_fits(model) ? 2 * m * n + mbs_lapack_workspace(m, n) : 0;
  return dense + 14 * n + 16 * m + 6 * model->nq + 64;
}

static double norm_in_units(const double *x, const double *units, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (x[i] / units[i]) * (x[i] / units[i]);
  return sqrt(sum);
}

static void fail(mbs_system *system, mbs_status status, size_t row, double residual, const char *what) {
  mbs_error *error = system->error;
  if (!error || error->message[0]) return;
  const char *element = mbs_row_element(system->model, row);
  error->status = status;
  error->time = system->t;
  snprintf(error->element, sizeof error->element, "%s", element);
  if (isfinite(residual))
    snprintf(error->message, sizeof error->message, "%s; the largest residual, %.3g, is that of '%s' at t = %.9g", what,
             residual, element, system->t);
  else
    snprintf(error->message, sizeof error->message, "%s; '%s' has no finite residual at t = %.9g", what, element,
             system->t);
}

static size_t largest_row(const double *x, const double *units, size_t n) {
  size_t row = 0;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) / units[i] <= fabs(x[row]) / units[row])) row = i;
  return row;
}

/* Lengths of the rows of C, in units, into out [rows], those of rounding as 0. Returns whether there are such. */
static bool row_lengths(const mbs_system *system, double *out) {
  const mbs_model *model = system->model;
  double longest = 1;
  bool any = false;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = block->first_row; r < block->first_row + block->rows; r++, row += block->columns) {
      /* sqrt(sum over k of C_rk^2 W_k) / [Phi_r] */
      double sum = 0;
      for (int c = 0; c < block->columns; c++) sum += row[c] * row[c] * system->v_weights[pattern[c]];
      out[r] = sqrt(sum) / system->row_units[r];
      longest = fmax(longest, out[r]);
    }
  }
  for (size_t r = 0; r < model->rows; r++) {
    if (out[r] > zero_row * longest) continue;
    out[r] = 0;
    any = true;
  }
  return any;
}

/* ---- what a correction solves for ---------------------------------------------------------------------------- */

struct nearness;

/* The rows of the constraints, and after them those that hold coordinates of joints in the body formulation. */
typedef struct rows {
  mbs_system *system;
  size_t held;                    /* how many of those there are */
  size_t count;                   /* of all rows */
  double *target;                 /* [held] what to keep: values or rates */
  double *residual;               /* [count] */
  const double *longest;          /* [nv] that a damped step may be, or NULL */
  double *velocity_units, *units; /* [nv], [count] as of mbs_units() */
  double *accuracy;               /* [count] what residuals are counted in */
  bool inexact;                   /* what is independent by less than the precision of data only does not count */
  const bool *skipped;            /* [rows] that do not count, or NULL */
  struct nearness *near;
  bool free; /* nothing is held */
} rows;

/* Where an iteration first came as near as inexact data allow, and how steadily it went. */
typedef struct nearness {
  double travelled, step; /* in all, and by the last step, in units */
  bool unsteady;
  bool known;
  double residual; /* the largest, in units */
  double path;     /* how far it has gone since, in units */
  double *q;       /* [nq] */
} nearness;

/* Values (level 0) or rates (1) of the held coordinates at the state in hand. */
static void read_held(const rows *self, int level, double *out) {
  mbs_input_row row;
  for (size_t c = 0; self->held && mbs_next_held(self->system, &c, &row);) *out++ = level == 0 ? row.value : row.rate;
}

/* At the position in hand, which tells the units. */
static rows rows_of(mbs_system *system, size_t held, double **workspace) {
  rows out = {.system = system, .held = held, .count = system->model->rows + held, .target = *workspace};
  out.residual = out.target + held;
  out.velocity_units = out.residual + out.count;
  out.units = out.velocity_units + system->model->nv;
  out.accuracy = out.units + out.count;
  *workspace = out.accuracy + out.count;
  mbs_units(system, out.velocity_units, out.units);
  memcpy(out.accuracy, system->row_units, system->model->rows * sizeof *out.accuracy);
  if (held) {
    mbs_held_units(system->model, system->constants->extent, out.units + system->model->rows);
    mbs_held_units(system->model, system->constants->length, out.accuracy + system->model->rows);
  }
  return out;
}

/* Largest residual in units, that of the constraints. */
static double largest_in_units(const rows *self) {
  double largest = 0;
  for (size_t r = 0; r < self->system->model->rows; r++) {
    double share = fabs(self->system->Phi[r]) / self->units[r];
    if (!(share <= largest)) largest = isnan(share) ? INFINITY : share;
  }
  return largest;
}

/* Phi, and how far the held coordinates are from their values; returns its norm, in units of accuracy. */
static double position_residual(const rows *self) {
  const mbs_model *model = self->system->model;
  /* (Phi; g - g_held) */
  memcpy(self->residual, self->system->Phi, model->rows * sizeof *self->residual);
  read_held(self, 0, self->residual + model->rows);
  for (size_t k = 0; k < self->held; k++) self->residual[model->rows + k] -= self->target[k];
  return norm_in_units(self->residual, self->accuracy, self->count);
}

/* Gradients of the held coordinates into their rows of A [count x nv, by column]. theory (9.5) */
static void fill_held(const rows *self, double *A) {
  const mbs_model *model = self->system->model;
  size_t at = model->rows;
  mbs_input_row row;
  int velocities[MBS_HELD_ENTRIES_MAX];
  double entries[MBS_HELD_ENTRIES_MAX];
  for (size_t c = 0; mbs_next_held(self->system, &c, &row); at++) {
    size_t filled = mbs_held_gradient(model, &row, velocities, entries);
    for (size_t k = 0; k < model->nv; k++) A[k * self->count + at] = 0;
    for (size_t i = 0; i < filled; i++) A[(size_t)velocities[i] * self->count + at] = entries[i];
  }
}

/* x with A x = b of least norm, everything in units, to the precision of data where rows are inexact. */
static int shortest_in_units(const rows *self, double *A, const double *b, double *x, double *workspace) {
  size_t n = self->system->model->nv, count = self->count;
  const double *velocities = self->inexact ? self->velocity_units : self->system->v_units;
  const double *units = self->inexact ? self->units : self->accuracy;
  double *scaled = workspace;
  for (size_t r = 0; r < count; r++) scaled[r] = b[r] / units[r];
  /* A_rk [v_k] / [Phi_r] */
  for (size_t k = 0; k < n; k++)
    for (size_t r = 0; r < count; r++) A[k * count + r] *= velocities[k] / units[r];
  double tolerance = self->inexact ? data_precision : rank_tolerance;
  int rank = mbs_least_squares(count, n, A, scaled, tolerance, x, workspace + count);
  for (size_t k = 0; k < n; k++) x[k] *= velocities[k];
  return rank;
}

/* An estimate, from above, of the least eigenvalue of C W C' with its rows and columns over the roots of their scales,
 * by inverse iteration with its factors. Of a matrix that has lost its rank rounding leaves about 1e-16. */
static double smallest_eigenvalue(mbs_system *system) {
  const mbs_model *model = system->model;
  double *x = system->permuted, length = 0;
  for (size_t r = 0; r < model->rows; r++) x[r] = sin(1.7 * (double)(r + 1)) + 0.3 * cos(5.1 * (double)r);
  for (int k = 0; k <= INVERSE_ITERATIONS; k++) {
    double sum = 0;
    /* x := D^1/2 S^-1 D^1/2 x / |x| */
    for (size_t r = 0; r < model->rows; r++) sum += x[r] * x[r];
    length = sqrt(sum);
    if (k == INVERSE_ITERATIONS || !isfinite(length)) break;
    for (size_t r = 0; r < model->rows; r++) x[r] *= sqrt(system->S_scale[r]) / length;
    mbs_solve_gram(system, x);
    for (size_t r = 0; r < model->rows; r++) x[r] *= sqrt(system->S_scale[r]);
  }
  return isfinite(length) && length > 0 ? 1 / length : 0;
}

/* The factors of C W C'. False where they do not tell for certain that C has its rank. */
static bool factor_rows(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_assemble_gram(system, system->C, system->v_weights);
  double ratio = mbs_factor_gram(system);
  if (ratio > gram_floor) return true;
  return model->rows > MANY_ROWS && ratio > gram_floor_of_many && smallest_eigenvalue(system) > least_eigenvalue;
}

/* Rows that count from here on: all but those left out. */
static void set_active(mbs_system *system, const bool *left_out) {
  system->all_active = true;
  for (size_t r = 0; r < system->model->rows; r++) {
    system->active[r] = !left_out[r];
    system->all_active = system->all_active && system->active[r];
  }
}

/* The rows left out at present, into out [rows]. */
static void read_left_out(const mbs_system *system, bool *out) {
  for (size_t r = 0; r < system->model->rows; r++) out[r] = !system->active[r];
}

/* Which of many rows depend on others, with the factors of those that are kept. Returns the rank; -1 where these are no
 * good, though dense algebra may find better ones. */
static int independent_rows(mbs_system *system, double least, bool *dependent, size_t joint_rows, size_t *joint_rank,
                            double *workspace) {
  const mbs_model *model = system->model;
  double *velocities = mbs_carve(&workspace, model->nv), *units = mbs_carve(&workspace, model->rows);
  mbs_scaled_lengths(system, least, system->lengths, velocities, units);
  int rank = mbs_independent_rows(system, least, system->lengths, velocities, units, dependent, joint_rows, joint_rank);
  if (rank < 0) return -1;
  set_active(system, dependent);
  return factor_rows(system) || !mbs_dense_fits(model) ? rank : -1;
}

/* Which rows depend on others; -1 without memory. Of few rows the most independent ones stay, of many those before
 * others, where they will do. */
static int dependent_rows(mbs_system *system, double least, bool *dependent, size_t joint_rows, size_t *joint_rank,
                          double *workspace) {
  const mbs_model *model = system->model;
  if (model->rows > MANY_ROWS) {
    double *rest = workspace;
    bool *before = (bool *)mbs_carve(&rest, model->rows);
    read_left_out(system, before);
    int rank = independent_rows(system, least, dependent, joint_rows, joint_rank, rest);
    set_active(system, before);
    if (rank >= 0 || !mbs_dense_fits(model)) return rank;
  }
  return (int)mbs_dependent_rows(system, least, dependent, joint_rows, joint_rank, workspace);
}

/* x := W C' (C W C')^-1 b by the factors in hand. Redundant rows, once they are known, follow the others. */
static void solve_rows(mbs_system *system, const double *b, double *x) {
  const mbs_model *model = system->model;
  const int *position = model->skyline.position;
  for (size_t r = 0; r < model->rows; r++) system->permuted[position[r]] = system->active[r] ? b[r] : 0;
  mbs_solve_gram(system, system->permuted);
  for (size_t r = 0; r < model->rows; r++) system->combination[r] = system->permuted[position[r]];
  mbs_jacobian_transposed(system, system->combination, x);
  for (size_t k = 0; k < model->nv; k++) x[k] *= system->v_weights[k];
}

/* Whether C x is so near b that a step has brought the other rows more than half of the way, too. */
static bool is_near(mbs_system *system, const double *x, const double *b) {
  double largest = 0, left = 0;
  mbs_jacobian_times(system, x, system->rates);
  for (size_t r = 0; r < system->model->rows; r++) {
    largest = fmax(largest, fabs(b[r]) / system->row_units[r]);
    left = fmax(left, fabs(b[r] - system->rates[r]) / system->row_units[r]);
  }
  return left <= least_consent * largest;
}

/* The same of many rows that depend on one another: of those that are kept, where the others follow. Returns the rank,
 * or -1. */
static int shortest_of_many(mbs_system *system, const double *b, double *x, double *workspace) {
  bool *before = (bool *)mbs_carve(&workspace, system->model->rows);
  bool *dependent = (bool *)mbs_carve(&workspace, system->model->rows);
  size_t joint_rank;
  read_left_out(system, before);
  int rank = independent_rows(system, rank_tolerance, dependent, system->model->rows, &joint_rank, workspace);
  if (rank >= 0) solve_rows(system, b, x);
  set_active(system, before);
  return rank >= 0 && (is_near(system, x, b) || !mbs_dense_fits(system->model)) ? rank : -1;
}

/* x [nv]: the shortest vector, in units, with C x = b in the least-squares sense, b = residual, held velocities zero.
 * Returns the rank, -1 on failure. theory (9.1) */
static int shortest(const rows *self, const double *b, double *x, double *workspace) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  size_t m = model->rows, n = model->nv, count = self->count;
  bool zeros = row_lengths(system, system->lengths);
  const bool sparse = (!model->any_hold || self->free) && !self->inexact && !self->skipped;
  if (sparse && !zeros && factor_rows(system)) { /* where C C' is well conditioned */
    solve_rows(system, b, x);
    return (int)m;
  }
  int rank = sparse && m > MANY_ROWS ? shortest_of_many(system, b, x, workspace) : -1;
  if (rank >= 0 || !mbs_dense_fits(model)) return rank;
  if (zeros) row_lengths(system, system->lengths);
  /* (C; G) dense, with the columns of held velocities and the rows left out zero */
  double *A = workspace;
  mbs_jacobian_dense(system, A);
  for (size_t k = n; k-- > 0 && self->held;) memmove(A + k * count, A + k * m, m * sizeof *A);
  if (self->held) fill_held(self, A);
  for (size_t k = 0; k < n && model->any_hold && !self->free; k++)
    if (model->hold_v[k]) memset(A + k * count, 0, count * sizeof *A);
  for (size_t r = 0; r < m && (zeros || self->skipped); r++)
    if (system->lengths[r] == 0 || (self->skipped && self->skipped[r]))
      for (size_t k = 0; k < n; k++) A[k * count + r] = 0;
  return shortest_in_units(self, A, b, x, workspace + count * n);
}

/* ---- positions ----------------------------------------------------------------------------------------------- */

/* The first position near enough, and how far a step leads from it. */
static void watch_nearness(const rows *self, const double *q) {
  nearness *near = self->near;
  double residual = near->known ? INFINITY : largest_in_units(self);
  if (!(residual <= data_precision)) return;
  near->known = true;
  near->residual = residual;
  near->path = 0;
  memcpy(near->q, q, self->system->model->nq * sizeof *q);
}

/* Counts a step: how far it goes, and whether it shrinks as it should. theory (9.6) */
static void add_path(const rows *self, const double *step) {
  double longest = 0;
  for (size_t k = 0; k < self->system->model->nv; k++) longest = fmax(longest, fabs(step[k]) / self->velocity_units[k]);
  self->near->path += longest;
  self->near->travelled += longest;
  self->near->unsteady |= longest > short_step && longest > steady_share * self->near->step;
  self->near->step = longest;
}

/* One Newton iteration from q; the full step, or the longest of its halves that makes the residual smaller.
 * theory (9.3) */
static bool newton_step(const rows *self, double t, double *q, bool damped, double *workspace) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  size_t n = model->nv;
  double *rest = workspace, *delta = mbs_carve(&rest, n), *trial = mbs_carve(&rest, model->nq),
         *scaled = mbs_carve(&rest, n);
  double before = position_residual(self);
  if (shortest(self, self->residual, delta, rest) < 0) return false;
  mbs_jacobian_times(system, delta, system->rates);
  /* What a full step should take away: everything, except where rows contradict one another. */
  double removed = norm_in_units(system->rates, self->accuracy, model->rows), predicted = removed * removed / before;
  double scale = -1;
  for (size_t i = 0; i < n && damped && self->longest; i++)
    if (fabs(scale * delta[i]) > self->longest[i]) scale = -self->longest[i] / fabs(delta[i]);
  for (int k = 0; k <= HALVINGS_MAX; k++, scale /= 2) {
    /* q - s C+ Phi, s = -scale */
    for (size_t i = 0; i < n; i++) scaled[i] = scale * delta[i];
    mbs_displace(model, q, scaled, trial);
    mbs_set_position(system, t, trial);
    mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
    double after = position_residual(self);
    /* norm(Phi) there below norm(Phi) - 1e-4 s norm(C C+ Phi)^2 / norm(Phi) */
    if (!damped || after < before - 1e-4 * -scale * predicted) {
      memcpy(q, trial, model->nq * sizeof *q);
      mbs_set_position(system, t, q);
      if (self->near) add_path(self, scaled);
      return isfinite(after);
    }
  }
  return false;
}

/* `rounding`: where the iteration began. That of a start far away does not count nearer, and the other way round.
 * theory (9.2) */
static bool is_assembled(const rows *self, double rounding) {
  if (position_residual(self) < position_tolerance) return true;
  return mbs_largest_in_units(self->residual, self->accuracy, self->count) < fmin(rounding, mbs_rounding(self->system));
}

/* Newton iterations until the residual is small; true when it is. */
static bool iterate(const rows *self, double t, double *q, bool damped, int *iterations, double *workspace) {
  mbs_set_position(self->system, t, q);
  mbs_constraints(self->system, MBS_WANT_PHI | MBS_WANT_C);
  double rounding = mbs_rounding(self->system), before = INFINITY;
  int most = damped ? DAMPED_STEPS_MAX : FULL_STEPS_MAX;
  for (int k = 0; k < most; k++) {
    if (is_assembled(self, rounding)) return true;
    if (self->near) watch_nearness(self, q);
    if (self->longest && k % PATIENCE == 0) { /* one attempt of several */
      double residual = norm_in_units(self->residual, self->accuracy, self->count);
      if (residual > least_progress * before) break;
      before = residual;
    }
    ++*iterations;
    if (!newton_step(self, t, q, damped, workspace)) break;
  }
  return is_assembled(self, rounding);
}

/* q moved a little along a freedom of the mechanism. False where nothing can move. theory (10.2) */
static bool free_motion(const rows *self, double *q, double *workspace) {
  const mbs_model *model = self->system->model;
  size_t n = model->nv;
  double *rest = workspace, *motion = mbs_carve(&rest, n), *image = mbs_carve(&rest, self->count),
         *back = mbs_carve(&rest, n), length = 0;
  const double *units = self->velocity_units; /* a hundredth of the mechanism, whatever its size */
  for (size_t k = 0; k < n; k++)              /* fixed numbers without a pattern */
    motion[k] = (sin(1.7 * (double)(k + 1)) + 0.3 * cos(5.1 * (double)k)) * units[k];
  /* (1 - C+ C) motion */
  mbs_jacobian_times(self->system, motion, image);
  memset(image + model->rows, 0, self->held * sizeof *image);
  if (shortest(self, image, back, rest) < 0) return false;
  for (size_t k = 0; k < n; k++) {
    motion[k] -= back[k];
    length = fmax(length, fabs(motion[k]) / units[k]);
  }
  if (!(length > 1e-6)) return false;
  for (size_t k = 0; k < n; k++) motion[k] *= 1e-2 / length;
  mbs_displace(model, q, motion, q);
  return true;
}

/* To the least residual, with steps along nothing that only the rounding of data would hold, `self` being inexact. True
 * where that is small enough for such data. The rank there, -1: not known. */
static bool descend(const rows *self, double t, double *q, int *iterations, int *rank, double *workspace) {
  mbs_system *system = self->system;
  size_t n = system->model->nv;
  *rank = -1;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  for (int k = 0; k < INEXACT_STEPS_MAX; k++) {
    double *step = workspace, length = 0;
    position_residual(self);
    *rank = shortest(self, self->residual, step, workspace + n);
    /* the largest |delta_k| in units */
    for (size_t i = 0; i < n; i++) length = fmax(length, fabs(step[i]) / self->velocity_units[i]);
    if (length < position_tolerance) return *rank >= 0 && largest_in_units(self) <= data_precision;
    ++*iterations;
    if (!newton_step(self, t, q, false, workspace)) return false;
  }
  return false;
}

/* As near as inexact data allow, from where the iteration came that near. True where what is left is that of rows which
 * are redundant there and, unlike at a singular position, a little further on as well. */
static bool settle_inexact(const rows *strict, double t, double *q, int *iterations, double *workspace) {
  mbs_system *system = strict->system;
  rows self = *strict;
  double *rest = workspace, *moved = mbs_carve(&rest, system->model->nq);
  int rank, rank_there;
  self.inexact = true;
  self.near = NULL;
  memcpy(q, strict->near->q, system->model->nq * sizeof *q);
  if (!descend(&self, t, q, iterations, &rank, rest) || (size_t)rank == self.count) return false;
  memcpy(moved, q, system->model->nq * sizeof *q);
  /* the rank a little further on */
  if (free_motion(&self, moved, rest))
    if (!descend(&self, t, moved, iterations, &rank_there, rest) || rank_there > rank) return false;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  position_residual(&self);
  return true;
}

/* Newton from `start` to q, and where it finds no end, or finds it far from where it nearly was, as near as inexact
 * data allow. True when the position will do; out->inexact tells which it is. Far is more than the root of the
 * residual, which is how far a solution is near a singular position. */
static bool settle(rows *self, double t, const double *start, double *q, mbs_correction *out, double *workspace) {
  const mbs_model *model = self->system->model;
  nearness near = {.step = INFINITY, .q = workspace};
  double *found = workspace + model->nq, *rest = found + model->nq;
  self->near = &near;
  memcpy(q, start, model->nq * sizeof *q);
  /* full steps, then damped ones from the start */
  bool good = !self->longest && iterate(self, t, q, false, &out->iterations, rest);
  if (!good) {
    near.unsteady = true;
    memcpy(q, start, model->nq * sizeof *q);
    good = iterate(self, t, q, true, &out->iterations, rest);
    watch_nearness(self, q);
  }
  self->near = NULL;
  out->wandered = near.unsteady || near.travelled > far_away;
  out->inexact = false;
  if (!near.known || (good && near.path <= 10 * sqrt(near.residual))) return good;
  /* as near as the precision of data */
  memcpy(found, q, model->nq * sizeof *q);
  self->near = &near;
  out->inexact = settle_inexact(self, t, q, &out->iterations, rest);
  self->near = NULL;
  if (out->inexact) return true;
  memcpy(q, found, model->nq * sizeof *q);
  mbs_set_position(self->system, t, q);
  mbs_constraints(self->system, MBS_WANT_PHI | MBS_WANT_C);
  position_residual(self);
  return good;
}

/* Whether the gradient of norm(Phi)^2 / 2, everything in units, all but vanishes. */
static bool is_stationary(const rows *self, double *gradient) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  const double *units = self->accuracy;
  double sum = 0;
  /* C' Phi */
  for (size_t r = 0; r < model->rows; r++) system->combination[r] = system->Phi[r] / (units[r] * units[r]);
  mbs_jacobian_transposed(system, system->combination, gradient);
  for (size_t k = 0; k < model->nv; k++) sum += gradient[k] * gradient[k] * system->v_weights[k];
  return sqrt(sum) < 1e-6 * norm_in_units(system->Phi, units, model->rows);
}

/* Whether a row counts whole turns of angles that only orientations tell. */
static bool counts_turns(const mbs_model *model, size_t row) {
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    if ((int)row >= block->first_row && (int)row < block->first_row + block->rows) return block->turns >= 0;
  }
  return false;
}

/* Where Newton stays: a stationary point of norm(Phi) with dependent rows means constraints that contradict one
 * another. */
static mbs_status name_failure(const rows *self, double *workspace) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  if (system->fault.status != MBS_OK) return system->fault.status;
  size_t n = model->nv, m = model->rows, row = largest_row(system->Phi, self->accuracy, m);
  double residual = fabs(system->Phi[row]);
  /* C' Phi = 0 and rank C < rows: a contradiction */
  bool stationary = is_stationary(self, workspace);
  int rank = shortest(self, self->residual, workspace, workspace + n);
  mbs_status status = stationary && rank >= 0 && (size_t)rank < m ? MBS_CONTRADICTION : MBS_NOT_ASSEMBLED;
  const char *what = "the mechanism cannot be assembled from this start";
  if (largest_in_units(self) <= data_suspected)
    what = "the mechanism all but closes: are its data, above all those of redundant constraints, given to enough "
           "decimals? The constraints cannot all hold";
  else if (counts_turns(model, row))
    what = "the mechanism cannot be assembled from this start, as orientations do not tell how many whole turns its "
           "angles have made; give the joints concerned initial positions with their turns, or choose the joint "
           "formulation";
  else if (status == MBS_CONTRADICTION)
    what = "constraints contradict one another; if they should not, give initial positions nearer to the assembled "
           "mechanism";
  else if (model->any_hold)
    what = "the mechanism cannot be assembled from this start while 'hold' keeps what it names";
  else if (stationary)
    what = "the mechanism cannot be assembled from this start; give initial positions nearer to the assembled "
           "mechanism";
  fail(system, status, row, residual, what);
  return status;
}

/* From q; with `longest` by damped steps only. */
static mbs_status correct(mbs_system *system, double t, double *q, const double *longest, mbs_correction *out,
                          double *workspace) {
  const mbs_model *model = system->model;
  if (model->rows == 0) return MBS_OK;
  mbs_set_position(system, t, q);
  rows self = rows_of(system, model->held_count, &workspace);
  self.longest = longest;
  double *rest = workspace, *start = mbs_carve(&rest, model->nq);
  memcpy(start, q, model->nq * sizeof *q);
  read_held(&self, 0, self.target);
  if (!settle(&self, t, start, q, out, rest)) return name_failure(&self, rest);
  /* Convergence is quadratic: one more step takes what is left to rounding. */
  double before = position_residual(&self);
  memcpy(start, q, model->nq * sizeof *q);
  if (!out->inexact && before > 1e-15 &&
      (!newton_step(&self, t, q, false, rest) || !(position_residual(&self) < before))) {
    memcpy(q, start, model->nq * sizeof *q);
    mbs_set_position(system, t, q);
    mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  }
  out->position_residual = mbs_largest(system->Phi, model->rows);
  out->worst_row = largest_row(system->Phi, self.accuracy, model->rows);
  return MBS_OK;
}

mbs_status mbs_correct_positions(mbs_system *system, double t, double *q, mbs_correction *out, double *workspace) {
  return correct(system, t, q, NULL, out, workspace);
}

mbs_status mbs_correct_damped(mbs_system *system, double t, double *q, const double *longest, mbs_correction *out,
                              double *workspace) {
  return correct(system, t, q, longest, out, workspace);
}

/* theory (9.8) */
bool mbs_allowed_motion(mbs_system *system, double *dv, double *workspace) {
  const mbs_model *model = system->model;
  if (model->rows + model->held_count == 0) return true;
  rows self = rows_of(system, model->held_count, &workspace);
  double *rest = workspace, *image = mbs_carve(&rest, self.count), *back = mbs_carve(&rest, model->nv);
  for (size_t k = 0; k < model->nv; k++)
    if (model->hold_v[k]) dv[k] = 0;
  /* dv - C+ C dv */
  mbs_jacobian_times(system, dv, image);
  mbs_input_row row;
  for (size_t c = 0, at = model->rows; self.held && mbs_next_held(system, &c, &row);)
    image[at++] = mbs_held_rate(model, &row, dv);
  if (shortest(&self, image, back, rest) < 0) return false;
  for (size_t k = 0; k < model->nv; k++) dv[k] -= back[k];
  return true;
}

/* ---- velocities ---------------------------------------------------------------------------------------------- */

/* rhsV - C v, and what the rates of held coordinates miss, at v. */
static void missing_velocities(const rows *self, double *v) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_set_velocity(system, v);
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  mbs_jacobian_times(system, v, self->residual);
  for (size_t r = 0; r < model->rows; r++) self->residual[r] = system->rhsV[r] - self->residual[r];
  read_held(self, 1, self->residual + model->rows);
  for (size_t k = 0; k < self->held; k++)
    self->residual[model->rows + k] = self->target[k] - self->residual[model->rows + k];
}

/* theory (9.4) */
mbs_status mbs_correct_velocities(mbs_system *system, double t, const double *q, double *v, mbs_correction *out,
                                  double *workspace) {
  const mbs_model *model = system->model;
  size_t m = model->rows, n = model->nv;
  if (m == 0) return MBS_OK;
  mbs_set_position(system, t, q);
  if (system->fault.status != MBS_OK) return system->fault.status;
  rows self = rows_of(system, model->held_count, &workspace);
  double *rest = workspace, *delta = mbs_carve(&rest, n);
  bool *dependent = (bool *)rest;
  if (out->inexact) { /* rates of redundant rows would take freedoms away */
    rest += m;
    mbs_constraints(system, MBS_WANT_C);
    size_t joint_rank;
    if (dependent_rows(system, 10 * data_precision, dependent, m, &joint_rank, rest) < 0) return MBS_NO_MEMORY;
    self.skipped = dependent;
  }
  mbs_set_velocity(system, v);
  read_held(&self, 1, self.target);
  /* v += W C' (C W C')^-1 (rhsV - C v) */
  for (int pass = 0; pass < 2; pass++) { /* the second takes what rounding left */
    missing_velocities(&self, v);
    if (pass == 1 && mbs_largest_in_units(self.residual, self.accuracy, self.count) < 1e-14 / system->constants->time)
      break;
    if (shortest(&self, self.residual, delta, rest) < 0) return MBS_NOT_FINITE;
    for (size_t k = 0; k < n; k++) v[k] += delta[k];
  }
  missing_velocities(&self, v);
  size_t row = largest_row(self.residual, self.accuracy, m);
  out->velocity_residual = fabs(self.residual[row]);
  double allowed = fmax(velocity_tolerance, mbs_rounding(system)) * self.accuracy[row];
  double scale = mbs_least_speed(system, v) + mbs_largest_in_units(system->rhsV, self.accuracy, m);
  if (out->inexact) { /* redundant rows are as much at odds in their rates */
    allowed = data_precision * self.units[row];
    for (size_t k = 0; k < n; k++)
      scale = fmax(scale, 1 / system->constants->time + fabs(v[k]) / self.velocity_units[k]);
  }
  if (!(out->velocity_residual <= allowed * scale)) {
    fail(system, MBS_CONTRADICTION, row, out->velocity_residual,
         model->any_hold ? "no velocities satisfy the constraints at this position while 'hold' keeps what it names"
                         : "no velocities satisfy the constraints at this position");
    return MBS_CONTRADICTION;
  }
  return MBS_OK;
}

/* ---- redundant rows ------------------------------------------------------------------------------------------ */

/* A small move along a freedom of the mechanism, back onto the constraints of its joints: another position like it. */
static bool move_with(mbs_system *system, bool inexact, double t, double *q, double *workspace) {
  rows self = rows_of(system, 0, &workspace);
  int iterations = 0, rank;
  self.inexact = inexact;
  self.free = true;
  if (!free_motion(&self, q, workspace)) return false;
  return inexact ? descend(&self, t, q, &iterations, &rank, workspace)
                 : iterate(&self, t, q, true, &iterations, workspace);
}

/* That by the rows that are independent here, which of many is much cheaper: where the others do not follow, as those
 * of a singular position, by all. */
static bool move_along(mbs_system *system, bool inexact, double t, double *q, const bool *dependent,
                       double *workspace) {
  const mbs_model *model = system->model;
  if (model->rows <= MANY_ROWS || inexact) return move_with(system, inexact, t, q, workspace);
  bool *before = (bool *)mbs_carve(&workspace, model->rows);
  double *start = mbs_carve(&workspace, model->nq);
  read_left_out(system, before);
  memcpy(start, q, model->nq * sizeof *q);
  set_active(system, dependent);
  bool moved = move_with(system, inexact, t, q, workspace);
  set_active(system, before);
  if (moved) return true;
  memcpy(q, start, model->nq * sizeof *q);
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return move_with(system, inexact, t, q, workspace);
}

/* theory (10.2) */
mbs_status mbs_find_ranks(mbs_system *system, double t, const double *q, mbs_ranks *ranks, double *workspace) {
  const mbs_model *model = system->model;
  size_t m = model->rows, n = model->nv;
  memset(ranks->redundant, 0, m * sizeof *ranks->redundant);
  ranks->singular = false;
  size_t joint_rows = model->driver_count ? (size_t)model->drivers[0].row : m;
  ranks->rank = m;
  ranks->joint_rank = joint_rows;
  if (m == 0) return MBS_OK;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  if (m <= n && !mbs_scaled_lengths(system, least_share, system->lengths, workspace, workspace + n) &&
      factor_rows(system))
    return MBS_OK;
  double *rest = workspace, *moved = mbs_carve(&rest, model->nq);
  double *beside = rest;
  rows self = rows_of(system, 0, &beside);
  double left = largest_in_units(&self);
  bool inexact = mbs_largest_in_units(system->Phi, self.accuracy, m) > position_tolerance && left <= data_precision;
  double least = inexact ? 10 * data_precision : least_share; /* shares of rows are not singular values */
  /* the rank here */
  int rank = dependent_rows(system, least, ranks->redundant, joint_rows, &ranks->joint_rank, rest);
  if (rank < 0) return MBS_NO_MEMORY;
  ranks->rank = (size_t)rank;
  memcpy(moved, q, model->nq * sizeof *q);
  if (ranks->rank < m && ranks->rank < n && move_along(system, inexact, t, moved, ranks->redundant, rest)) {
    /* the rank a little further on */
    rank = dependent_rows(system, least, ranks->redundant, joint_rows, &ranks->joint_rank, rest);
    if (rank < 0) return MBS_NO_MEMORY;
    ranks->singular = (size_t)rank > ranks->rank;
    ranks->rank = (size_t)rank;
  }
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return MBS_OK;
}
