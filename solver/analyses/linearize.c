/* Linearization. The accelerations of the independent coordinates are a function a(z, u) of these coordinates and their
 * velocities alone: the dependent ones follow from the constraints. With   u' = a,
 *
 *   K = -M da/dz,   C_d = -M da/du,   M = R' M_full R,
 *
 * which about an equilibrium are the tangent stiffness, that of the constraint forces included, and the damping. The
 * derivatives are central differences, extrapolated to zero step (Ridders, Adv. Eng. Software 4, 1982). */
#include "analyses/linearize.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "kernels/kernels.h"
#include "linear/lapack.h"
#include "model/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of the differences, in units: from first_step down by halves, as long as that makes the extrapolation
 * better. */
static const double first_step = 1.0 / 64;
/* An error, relative to the column, that is good enough to stop at. */
static const double good = 1e-6;
enum { LEVELS_MAX = 28, KEPT = 8 };
/* The error of the eigenvalues' algorithm as a share of the largest entry, for each row. A stiffness so much smaller
 * than the largest, or not larger than some errors of the differences, may as well be zero, and with it an eigenvalue
 * below its square root: it is given as zero. */
static const double algorithm_error = 16 * DBL_EPSILON, estimated_errors = 16;
/* And their error beside accelerations that rounding leaves, as a multiple of what rounding does to them. */
static const double rounding_error = 16;

typedef struct differences {
  mbs_run_state *run;
  mbs_system *system;
  mbs_linearization *out;
  double t;
  double rate;     /* units of velocities are those of coordinates times this [1/s] */
  double rounding; /* what it does to a, in units [1/s^2] */
  double error[2]; /* largest estimated one of da/dz, da/du, in units */
  const double *q, *v;
  double *z, *spread, *trial_q, *trial_v; /* [nv], [nv], [nq], [nv] */
  double *u0, *held;                      /* [n] velocities of the state; [n] rates that held coordinates keep */
  double *table[2][KEPT];                 /* [n] Neville's scheme: the row before and this one */
  double *plus, *best;                    /* [n] */
} differences;

/* a(z, u0 + u) into out[n]. theory (15.6) */
static mbs_status accelerations(differences *self, const double *z, const double *u, double *out) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_partition *partition = &self->out->partition;
  for (size_t k = 0; k < model->nv; k++) self->spread[k] = 0;
  /* q + R z, v + R u, corrected in the dependent ones */
  for (size_t i = 0; z && i < self->out->n; i++)
    for (size_t k = 0; k < model->nv; k++) self->spread[k] += self->out->R[i * model->nv + k] * z[i];
  mbs_displace(model, self->q, self->spread, self->trial_q);
  memcpy(self->trial_v, self->v, model->nv * sizeof *self->trial_v);
  for (size_t i = 0; u && i < self->out->n; i++)
    for (size_t k = 0; k < model->nv; k++) self->trial_v[k] += self->out->R[i * model->nv + k] * u[i];
  for (size_t c = 0, own = self->out->n - partition->held; c < partition->held; c++)
    self->held[c] = self->u0[own + c] + (u ? u[own + c] : 0);
  mbs_status status = mbs_partition_positions(partition, system, self->t, self->trial_q);
  if (status == MBS_OK) status = mbs_partition_velocities(partition, system, self->trial_v);
  if (status == MBS_OK) status = mbs_evaluate(system, self->t, self->trial_q, self->trial_v);
  if (status == MBS_OK) mbs_partition_read(partition, system, 2, system->vdot, out);
  return status;
}

static double unit_of(const differences *self, size_t i) {
  return mbs_partition_unit(&self->out->partition, self->system, i);
}

/* The central difference in z[column], or u[column], with step h; everything in units. theory (15.7) */
static mbs_status difference(differences *self, size_t column, bool velocity, double h, double *out) {
  double *at = self->z, step = h * unit_of(self, column) * (velocity ? self->rate : 1);
  memset(at, 0, self->out->n * sizeof *at);
  at[column] = step;
  mbs_status status = accelerations(self, velocity ? NULL : at, velocity ? at : NULL, self->plus);
  at[column] = -step;
  if (status == MBS_OK) status = accelerations(self, velocity ? NULL : at, velocity ? at : NULL, out);
  /* (a(+h) - a(-h)) / (2 h), in units */
  for (size_t i = 0; i < self->out->n && status == MBS_OK; i++) {
    out[i] = (self->plus[i] - out[i]) / (2 * step) * (unit_of(self, column) / unit_of(self, i));
    if (!isfinite(out[i])) status = MBS_NOT_FINITE;
  }
  return status;
}

/* What rounding does to a: forces may cancel, so that the largest that one of them would do alone counts.
 * theory (15.9) */
static mbs_status find_rounding(differences *self) {
  const mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_status status = accelerations(self, NULL, NULL, self->plus);
  if (status != MBS_OK) return status;
  if (model->recursive) model->kernels->generalized_forces(self->system); /* which the recursion has not */
  for (size_t k = 0; k < model->nv; k++) {
    const double free = fabs(system->h[k] * system->M_diagonal[k]);
    self->rounding = fmax(self->rounding, DBL_EPSILON * fmax(fabs(system->vdot[k]), free) / system->v_units[k]);
  }
  return MBS_OK;
}

static double distance(const double *a, const double *b, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

/* A row of Neville's scheme from its first entry and the row before; keeps the best estimate. Returns that of the last
 * entry's error. theory (15.7) */
static double extrapolate(differences *self, double **before, double **now, size_t last, double *error) {
  size_t n = self->out->n;
  double factor = 1, estimate = INFINITY;
  for (size_t k = 1; k <= last; k++) {
    factor *= 4;
    /* A_ik = A_i,k-1 + (A_i,k-1 - A_i-1,k-1) / (4^k - 1) */
    for (size_t i = 0; i < n; i++) now[k][i] = now[k - 1][i] + (now[k - 1][i] - before[k - 1][i]) / (factor - 1);
    estimate = fmax(distance(now[k], now[k - 1], n), distance(now[k], before[k - 1], n));
    if (estimate >= *error) continue;
    *error = estimate;
    memcpy(self->best, now[k], n * sizeof *self->best);
  }
  return estimate;
}

/* One column of da/dz or da/du, in units, into self->best. Where the steps leave the domain of a(z, u), smaller ones do
 * not. */
static mbs_status differentiate(differences *self, size_t column, bool velocity) {
  const double rounding = self->rounding / (first_step * (velocity ? self->rate : 1));
  size_t rows = 0;
  double error = INFINITY, h = first_step;
  mbs_status status = mbs_run_check(self->run, self->t);
  if (status != MBS_OK) return status;
  status = MBS_NOT_FINITE;
  for (int level = 0; level < LEVELS_MAX; level++, h /= 2) {
    double **before = self->table[(rows + 1) % 2], **now = self->table[rows % 2];
    mbs_status tried = difference(self, column, velocity, h, now[0]);
    if (tried != MBS_OK) {
      if (!isfinite(error)) status = tried;
      rows = 0; /* the scheme wants halves without a gap */
      continue;
    }
    double estimate = extrapolate(self, before, now, rows < KEPT ? rows : KEPT - 1, &error);
    /* Rounding takes over: smaller steps only make it worse. */
    const double enough = fmax(good * mbs_largest(self->best, self->out->n), rounding);
    if (rows++ > 0 && (error <= rounding || (estimate > 4 * error && error <= enough))) break;
  }
  if (!isfinite(error)) return status;
  self->error[velocity] = fmax(self->error[velocity], error);
  return MBS_OK;
}

/* How fast the stiffness makes velocities change, where that is far from 1/s. */
static double rate_of(const double *Az, size_t n) {
  double rate = sqrt(mbs_largest(Az, n * n));
  return rate > 0 ? 1 / mbs_time_unit(1 / rate, 1 / rate) : 1;
}

/* M = R' M_full R at the system's position. theory (15.6) */
static void reduce_mass(const mbs_system *system, mbs_linearization *out, double *product) {
  const mbs_model *model = system->model;
  const mbs_tree_pattern *tree = &model->tree;
  model->kernels->mass_matrix((mbs_system *)system);
  for (size_t j = 0; j < out->n; j++) {
    const double *column = out->R + j * model->nv;
    /* product = M_full R_j */
    memset(product, 0, model->nv * sizeof *product);
    for (size_t k = 0; k < model->nv; k++)
      for (int a = 0; a <= tree->depth[k]; a++) {
        int other = tree->ancestors[tree->row0[k] + a];
        double m = system->M[tree->row0[k] + a];
        product[k] += m * column[other];
        if (other != (int)k) product[other] += m * column[k];
      }
    for (size_t i = 0; i < out->n; i++) {
      /* M_ij = R_i' product */
      double sum = 0;
      for (size_t k = 0; k < model->nv; k++) sum += out->R[i * model->nv + k] * product[k];
      out->M[j * out->n + i] = sum;
    }
  }
}

/* target := -M A, column by column, of A [n x n] in units. theory (15.6) */
static void store_product(const differences *self, const double *A, double *target) {
  const mbs_linearization *out = self->out;
  size_t n = out->n;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      target[j * n + i] = 0;
      for (size_t k = 0; k < n; k++)
        target[j * n + i] -= out->M[k * n + i] * (A[j * n + k] * (unit_of(self, k) / unit_of(self, j)));
    }
}

/* All columns of da/dz or da/du, in units, into A [n x n]. */
static mbs_status differentiate_all(differences *self, bool velocity, double *A) {
  size_t n = self->out->n;
  for (size_t i = 0; i < n; i++) {
    mbs_status status = differentiate(self, i, velocity);
    if (status != MBS_OK) return status;
    memcpy(A + i * n, self->best, n * sizeof *A);
  }
  return MBS_OK;
}

/* ---- modes --------------------------------------------------------------------------------------------------- */

typedef struct mode {
  double real, imaginary;
  size_t column; /* of its eigenvector */
} mode;

static int compare_modes(const void *a, const void *b) {
  const mode *x = a, *y = b;
  if (x->imaginary != y->imaginary) return x->imaginary > y->imaginary ? 1 : -1;
  if (x->real != y->real) return x->real < y->real ? 1 : -1;
  return (x->column > y->column) - (x->column < y->column);
}

/* The part of an eigenvector that is z, its largest component made 1. */
static void store_shape(const differences *self, const mode *at, const double *V, double *shape) {
  size_t n = self->out->n, rows = 2 * n;
  const double *real = V + at->column * rows, *imaginary = at->imaginary > 0 ? real + rows : NULL;
  size_t largest = 0;
  double most = -1;
  for (size_t i = 0; i < n; i++) {
    shape[2 * i] = real[i];
    shape[2 * i + 1] = imaginary ? imaginary[i] : 0;
    double square = shape[2 * i] * shape[2 * i] + shape[2 * i + 1] * shape[2 * i + 1];
    if (square > most * (1 + 1e-9)) {
      most = square;
      largest = i;
    }
  }
  if (!(most > 0)) return;
  /* the inverse of the largest component */
  double a = shape[2 * largest] / most, b = -shape[2 * largest + 1] / most;
  for (size_t i = 0; i < n; i++) {
    /* times that, in units */
    double x = shape[2 * i], y = shape[2 * i + 1];
    double unit = unit_of(self, i) / unit_of(self, largest);
    shape[2 * i] = (x * a - y * b) * unit;
    shape[2 * i + 1] = (x * b + y * a) * unit;
  }
}

/* Eigenvalues of   (z, u)' = (u, A_z z + A_u u),   with time scaled so that both parts are of one size.
 * theory (15.8), (15.9) */
static mbs_status find_modes(const differences *self, const double *Az, const double *Au, mbs_arena *arena) {
  mbs_linearization *out = self->out;
  size_t n = out->n, rows = 2 * n;
  double *A = mbs_arena_alloc(arena, rows * rows + 1, sizeof *A),
         *V = mbs_arena_alloc(arena, rows * rows + 1, sizeof *V);
  double *real = mbs_arena_alloc(arena, rows + 1, sizeof *real),
         *imaginary = mbs_arena_alloc(arena, rows + 1, sizeof *V);
  double *workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(rows, rows), sizeof *workspace);
  mode *modes = mbs_arena_alloc(arena, rows + 1, sizeof *modes);
  if (!A || !V || !real || !imaginary || !workspace || !modes) return MBS_NO_MEMORY;
  double stiff = sqrt(mbs_largest(Az, n * n)), damped = mbs_largest(Au, n * n);
  const double lost = rounding_error * self->rounding / first_step;
  const double share = algorithm_error * (double)rows;
  out->resolution = fmax(sqrt(share * stiff * stiff + estimated_errors * self->error[0] + lost),
                         share * damped + estimated_errors * self->error[1] + lost / self->rate);
  double rate = fmax(stiff, damped) > 0 ? fmax(stiff, damped) : 1;
  /* (0, 1; A_z / rate^2, A_u / rate) */
  for (size_t j = 0; j < n; j++) {
    A[(n + j) * rows + j] = 1;
    for (size_t i = 0; i < n; i++) {
      A[j * rows + n + i] = Az[j * n + i] / (rate * rate);
      A[(n + j) * rows + n + i] = Au[j * n + i] / rate;
    }
  }
  if (!mbs_general_eigen(rows, A, real, imaginary, V, workspace)) return MBS_NOT_FINITE;
  for (size_t k = 0; k < rows; k++) {
    /* A double zero comes as a pair of either kind, as large as the root of a rounding error: two zeros, one shape. */
    if (rate * hypot(real[k], imaginary[k]) <= out->resolution)
      modes[out->modes++] = (mode){0, 0, imaginary[k] < 0 ? k - 1 : k};
    else if (imaginary[k] >= 0)
      modes[out->modes++] = (mode){rate * real[k], rate * imaginary[k], k};
  }
  qsort(modes, out->modes, sizeof *modes, compare_modes);
  size_t next = out->modes;
  for (size_t k = 0; k < out->modes; k++) {
    out->values[2 * k] = modes[k].real;
    out->values[2 * k + 1] = modes[k].imaginary;
    store_shape(self, &modes[k], V, out->shapes + 2 * n * k);
    if (modes[k].imaginary == 0) continue;
    out->values[2 * next] = modes[k].real;
    out->values[2 * next++ + 1] = -modes[k].imaginary;
  }
  return MBS_OK;
}

int mbs_linearization_stable(const mbs_linearization *linear) {
  double slowest = INFINITY, growing = -INFINITY;
  for (size_t k = 0; k < linear->modes; k++) {
    slowest = fmin(slowest, hypot(linear->values[2 * k], linear->values[2 * k + 1]));
    growing = fmax(growing, linear->values[2 * k]);
  }
  if (linear->modes == 0) return 1; /* nothing can move */
  if (growing > linear->resolution) return 0;
  return slowest > linear->resolution ? 1 : -1;
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

static bool open_differences(differences *self) {
  mbs_arena *arena = self->system->arena;
  const mbs_model *model = self->system->model;
  size_t n = model->nv;
  double **arrays[] = {&self->z, &self->spread, &self->trial_v, &self->plus, &self->best, &self->u0, &self->held};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = mbs_arena_alloc(arena, n + 1, sizeof(double)))) return false;
  for (size_t i = 0; i < 2 * KEPT; i++)
    if (!(self->table[i / KEPT][i % KEPT] = mbs_arena_alloc(arena, n + 1, sizeof(double)))) return false;
  self->trial_q = mbs_arena_alloc(arena, model->nq + 1, sizeof(double));
  return self->trial_q != NULL;
}

static bool open_matrices(mbs_linearization *out, size_t nv, mbs_arena *arena) {
  size_t n = out->n;
  out->R = mbs_arena_alloc(arena, nv * n + 1, sizeof(double));
  out->M = mbs_arena_alloc(arena, n * n + 1, sizeof(double));
  out->C = mbs_arena_alloc(arena, n * n + 1, sizeof(double));
  out->K = mbs_arena_alloc(arena, n * n + 1, sizeof(double));
  out->values = mbs_arena_alloc(arena, 4 * n + 1, sizeof(double));
  out->shapes = mbs_arena_alloc(arena, 4 * n * n + 1, sizeof(double));
  return out->R && out->M && out->C && out->K && out->values && out->shapes;
}

mbs_status mbs_linearize(mbs_run_state *run, double t, mbs_linearization *out) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  differences self = {.run = run, .system = system, .out = out, .t = t, .rate = 1, .q = run->q, .v = run->v};
  mbs_partition *partition = &out->partition;
  *out = (mbs_linearization){0};
  if (!mbs_partition_open(partition, system) || !open_differences(&self)) return MBS_NO_MEMORY;
  mbs_switches_settle(system, t, run->q, run->v, NULL, NULL);
  mbs_set_position(system, t, run->q);
  mbs_status status = mbs_partition_choose(partition, system, true);
  if (status != MBS_OK) return status;
  size_t n = out->n = partition->independent;
  double *Az = mbs_arena_alloc(system->arena, n * n + 1, sizeof *Az);
  double *Au = mbs_arena_alloc(system->arena, n * n + 1, sizeof *Au);
  if (!Az || !Au || !open_matrices(out, model->nv, system->arena)) return MBS_NO_MEMORY;
  /* columns of R */
  for (size_t i = 0; i < n; i++) {
    memset(self.z, 0, n * sizeof *self.z);
    self.z[i] = 1;
    mbs_partition_spread(partition, system, self.z, out->R + i * model->nv);
  }
  mbs_partition_read(partition, system, 1, run->v, self.u0);
  partition->held_rates = self.held;
  reduce_mass(system, out, self.spread);
  if ((status = find_rounding(&self)) != MBS_OK) return status;
  if ((status = differentiate_all(&self, false, Az)) != MBS_OK) return status;
  self.rate = rate_of(Az, n);
  if ((status = differentiate_all(&self, true, Au)) != MBS_OK) return status;
  /* K = -M A_z, C_d = -M A_u */
  store_product(&self, Az, out->K);
  store_product(&self, Au, out->C);
  return find_modes(&self, Az, Au, system->arena);
}
