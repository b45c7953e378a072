/* Follows the motion through a state that is linearized by two small steps, and compares there what linear equations
 * consist of.
 *
 * 1. Do eigenvalues depend on the choice of independent coordinates? Deviations from the motion in
 * other independent coordinates y are dy = P dz, where P has the rows of R for y. The matrix A of the linear equations
 * becomes
 *
 *   T A T^-1 + T' T^-1,   T = (P, 0; P', P),
 *
 * and has the same eigenvalues for every choice if R' = R'' = 0 along the motion. The test is   R(s) = R(2 s) =
 * R(0).
 *
 * 2. Do the coefficients change? The test is A(s) = A(2 s) = A(0), or the same for M, C_d and K, with accelerations of
 * the state in v(s) = v + v' s. */
#include "simulate/along_motion.h"

#include "equations/error_scales.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/state.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Scaled distance along the motion at which R and the coefficients are compared, and their largest difference there, as
 * a share of the largest entry of the column or row. A direction that rotates by an angle over a distance of 1 differs
 * by a 64th of the angle, and by 1e-4 of its square. */
static const double farthest = 1.0 / 64, alike = 1e-6;

typedef struct course {
  mbs_run_state *run;
  mbs_linearization *linear;
  double *units;         /* [nv] characteristic sizes of velocities */
  double *vdot;          /* [nv] accelerations at the state */
  double *q, *moved;     /* [nq], [nv] a position along the motion, and the displacement to it */
  double *chosen, *last; /* [n] an independent displacement; [nv] a column of R */
  double *z, *zdot;      /* [nz] states at the state, and their rates */
  double *u, *udot;      /* [n] independent velocities at the state, and their rates */
} course;

static bool open_course(course *self) {
  mbs_arena *arena = self->run->system->arena;
  const mbs_model *model = self->run->model;
  double **arrays[] = {&self->units, &self->vdot, &self->moved, &self->chosen, &self->last};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = mbs_arena_alloc(arena, model->nv + model->rows + 1, sizeof(double)))) return false;
  if (!(self->z = mbs_arena_alloc(arena, 2 * model->nz + 1, sizeof *self->z))) return false;
  if (!(self->u = mbs_arena_alloc(arena, 2 * self->linear->n + 1, sizeof *self->u))) return false;
  self->zdot = self->z + model->nz;
  self->udot = self->u + self->linear->n;
  return (self->q = mbs_arena_alloc(arena, model->nq + 1, sizeof *self->q)) != NULL;
}

/* Returns true if the document names every independent coordinate. */
static bool is_chosen(const mbs_model *model, const mbs_linearization *linear) {
  const mbs_partition *partition = &linear->partition;
  for (size_t i = 0; i < linear->n - partition->held; i++)
    if (!model->hold_v[partition->order[partition->dependent + i]]) return false;
  return true;
}

/* Returns the time in which the motion covers the distance at which R is compared; 0 if it does not move. */
static double span_of(const course *self) {
  double speed = 0, change = 0, span = INFINITY;
  for (size_t k = 0; k < self->run->model->nv; k++) {
    speed = fmax(speed, fabs(self->run->v[k]) / self->units[k]);
    change = fmax(change, fabs(self->vdot[k]) / self->units[k]);
  }
  if (speed > 0) span = farthest / speed;
  if (change > 0) span = fmin(span, sqrt(2 * farthest / change));
  return isfinite(span) ? span : 0;
}

/* Moves the system to q + v s + v' s^2 / 2, projected onto the constraints at that time. If projection fails, as near
 * a lock-up, the directions change. */
static mbs_status move_on(course *self, double s) {
  const mbs_run_state *run = self->run;
  mbs_partition *partition = &self->linear->partition;
  for (size_t k = 0; k < run->model->nv; k++) self->moved[k] = s * (run->v[k] + 0.5 * s * self->vdot[k]);
  mbs_displace(run->model, run->q, self->moved, self->q);
  mbs_status status = mbs_partition_positions(partition, run->system, run->model->t_start + s, self->q);
  if (status == MBS_OK) mbs_partition_factor(partition, run->system);
  return status;
}

/* Returns true if column i of R, scaled, is the same at the current position as at the state. */
static bool is_kept(course *self, size_t i) {
  const mbs_linearization *linear = self->linear;
  const size_t nv = self->run->model->nv;
  const double *column = linear->R + i * nv;
  double largest = 0, farthest_off = 0;
  memset(self->chosen, 0, linear->n * sizeof *self->chosen);
  self->chosen[i] = 1;
  mbs_partition_spread(&self->linear->partition, self->run->system, self->chosen, self->last);
  for (size_t k = 0; k < nv; k++) {
    largest = fmax(largest, fabs(column[k]) / self->units[k]);
    farthest_off = fmax(farthest_off, fabs(self->last[k] - column[k]) / self->units[k]);
  }
  return farthest_off <= alike * largest;
}

/* Evaluates the state. */
static mbs_status start_course(course *self) {
  const mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  if (!open_course(self)) return MBS_NO_MEMORY;
  mbs_status status = mbs_evaluate(system, run->model->t_start, run->q, run->v);
  if (status != MBS_OK) return status;
  memcpy(self->vdot, system->vdot, run->model->nv * sizeof *self->vdot);
  memcpy(self->z, system->z, run->model->nz * sizeof *self->z);
  mbs_states_rates(system, self->zdot);
  mbs_partition_read(&self->linear->partition, system, 1, run->v, self->u);
  mbs_partition_read(&self->linear->partition, system, 2, self->vdot, self->udot);
  mbs_scales(system, self->units, self->units + run->model->nv);
  return MBS_OK;
}

mbs_status mbs_depends_on_basis(mbs_run_state *run, mbs_linearization *linear, bool *turn) {
  course self = {.run = run, .linear = linear};
  *turn = false;
  if (is_chosen(run->model, linear)) return MBS_OK;
  const mbs_status status = start_course(&self);
  if (status != MBS_OK) return status;
  const double span = span_of(&self);
  for (int k = 1; k <= 2 && span > 0 && !*turn; k++) {
    *turn = move_on(&self, k * span) != MBS_OK;
    for (size_t i = 0; i < linear->n && !*turn; i++) *turn = !is_kept(&self, i);
  }
  return MBS_OK;
}

/* Returns the scale of the independent velocity i, or of state k. */
static double velocity_unit(const course *self, size_t i) {
  return mbs_partition_unit(&self->linear->partition, self->run->system, i);
}
static double state_unit(const course *self, size_t k) { return fmax(1, fabs(self->z[k])); }

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

/* Several columns of a matrix of the linear equations, at the state and at another one. */
typedef struct coefficients {
  size_t rows, columns;
  const double *here, *there;               /* [rows x columns] column-major */
  const double *here_errors, *there_errors; /* [rows x columns] their errors; NULL: none */
  const double *units;                      /* [columns] scales of the unknowns */
  const double *floors;                     /* [rows] differences that do not count, times these scales */
} coefficients;

/* Returns true if row i differs by more than the errors of its entries. */
static bool row_differs(const coefficients *of, size_t i) {
  double largest = 0;
  for (size_t j = 0; j < of->columns; j++) {
    const size_t entry = j * of->rows + i;
    largest = fmax(largest, fmax(fabs(of->here[entry]), fabs(of->there[entry])) * of->units[j]);
  }
  for (size_t j = 0; j < of->columns; j++) {
    const size_t entry = j * of->rows + i;
    const double errors = of->here_errors ? of->here_errors[entry] + of->there_errors[entry] : 0;
    const double difference = fabs(of->there[entry] - of->here[entry]) - mbs_estimated_errors * errors;
    if (!(difference * of->units[j] <= alike * largest + of->floors[i])) return true;
  }
  return false;
}

static bool any_differs(const coefficients *all, size_t count) {
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < all[k].rows; i++)
      if (row_differs(all + k, i)) return true;
  return false;
}

/* The unknowns z [positions], u [moving] and the states, in the order of A. */
typedef struct unknowns {
  double *units;  /* scales */
  double *floors; /* differences of the row of an unknown that do not count; of M, C_d and K if there is no A */
} unknowns;

/* Adds an unknown of a scale that changes by `rate`. The row of what moves by itself counts from a share of that motion
 * on, and each row from the rounding errors of the differences on. */
static void add_unknown(unknowns *to, size_t i, double unit, double rate, double noise) {
  const double speed = fabs(rate) / unit;
  to->units[i] = unit;
  to->floors[i] = (noise + alike * fmax(speed, speed * speed)) * unit;
}

/* Lists the unknowns. */
static bool list_unknowns(const course *self, unknowns *to) {
  const mbs_system *system = self->run->system;
  const mbs_linearization *linear = self->linear;
  const mbs_partition *velocities = &linear->partition,
                      *positions = velocities->positions ? velocities->positions : velocities;
  const size_t n = linear->n, p = linear->positions, most = p + n + linear->states;
  double noise = linear->rounding, speed = 0, *rates = mbs_arena_alloc(system->arena, most + 1, sizeof *rates);
  to->units = mbs_arena_alloc(system->arena, most + 1, sizeof *to->units);
  to->floors = mbs_arena_alloc(system->arena, most + 1, sizeof *to->floors);
  if (!rates || !to->units || !to->floors) return false;
  mbs_partition_read(positions, system, 1, self->run->v, rates);
  for (size_t k = 0; k < self->run->model->nv; k++) speed = fmax(speed, fabs(self->run->v[k]) / self->units[k]);
  for (size_t k = 0; k < linear->states; k++) speed = fmax(speed, fabs(self->zdot[k]) / state_unit(self, k));
  noise = fmax(noise, DBL_EPSILON * fmax(speed, speed * speed));
  noise *= mbs_rounding_error;
  size_t count = 0;
  for (size_t i = 0; i < p; i++) add_unknown(to, count++, mbs_partition_unit(positions, system, i), rates[i], noise);
  for (size_t i = 0; i < n; i++)
    if (!linear->held || !linear->held[i]) add_unknown(to, count++, velocity_unit(self, i), self->u[i], noise);
  for (size_t k = 0; k < linear->states; k++) add_unknown(to, count++, state_unit(self, k), self->zdot[k], noise);
  for (size_t i = 0; i < n && !linear->A; i++) to->floors[i] *= linear->M[i * n + i];
  return true;
}

/* Returns true if the coefficients of `near` are others. Columns of positions, of velocities and of states have
 * different units of time, and are compared separately. */
static bool coefficients_differ(const mbs_linearization *at, const mbs_linearization *near, const unknowns *of) {
  const size_t n = at->n, p = at->positions, size = p + at->moving + at->states, ends[] = {p, p + at->moving, size};
  if (!at->A)
    return any_differs((coefficients[]){{n, n, at->M, near->M, NULL, NULL, of->units, of->floors},
                                        {n, n, at->C, near->C, at->C_errors, near->C_errors, of->units, of->floors},
                                        {n, n, at->K, near->K, at->K_errors, near->K_errors, of->units, of->floors}},
                       3);
  for (size_t k = 0, first = 0; k < 3; first = ends[k++]) {
    const size_t from = first * size;
    const coefficients part = {size,
                               ends[k] - first,
                               at->A + from,
                               near->A + from,
                               at->A_errors + from,
                               near->A_errors + from,
                               of->units + first,
                               of->floors};
    if (any_differs(&part, 1)) return true;
  }
  return false;
}

/* Linearizes at time s after the state, with v + v' s and z + z' s. Rates of held coordinates are u + u' s: those of
 * turning bodies are not as exact. */
static mbs_status linearize_after(course *self, double s, double *v, mbs_linearization *near) {
  const mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  mbs_partition *partition = &self->linear->partition;
  double *rates = self->chosen + self->linear->n - partition->held;
  for (size_t i = 0; i < self->linear->n; i++) self->chosen[i] = self->u[i] + s * self->udot[i];
  partition->held_rates = rates;
  for (size_t k = 0; k < run->model->nz; k++) system->z[k] = self->z[k] + s * self->zdot[k];
  for (size_t k = 0; k < run->model->nv; k++) v[k] = run->v[k] + s * self->vdot[k];
  mbs_status status = move_on(self, s);
  if (status == MBS_OK) status = mbs_partition_velocities(partition, system, v);
  if (status == MBS_OK) status = mbs_linearize_near(self->run, run->model->t_start + s, self->q, v, self->linear, near);
  return status;
}

bool mbs_reads_time(const mbs_model *model) {
  for (size_t i = 0; i < model->input_count; i++)
    if (model->inputs[i].kind == MBS_INPUT_TIME) return true;
  return false;
}

mbs_status mbs_coefficients_change(mbs_run_state *run, mbs_linearization *linear, bool *change) {
  const mbs_model *model = run->model;
  course self = {.run = run, .linear = linear};
  mbs_status status = start_course(&self);
  *change = false;
  if (status != MBS_OK) return status;
  unknowns of;
  double *v = mbs_arena_alloc(run->system->arena, model->nv + 1, sizeof *v);
  if (!v || !list_unknowns(&self, &of)) return MBS_NO_MEMORY;
  double span = span_of(&self);
  /* an irrational share, so that no period which users write is a multiple of it */
  if (mbs_reads_time(model)) span = (span > 0 ? span : farthest * run->system->constants->time) * M_SQRT1_2;
  mbs_error quiet = {0}, *error = run->system->error;
  run->system->error = &quiet; /* a position that cannot be reached is a change */
  for (int k = 1; k <= 2 && span > 0 && !*change; k++) {
    mbs_linearization near;
    status = linearize_after(&self, k * span, v, &near);
    *change = status != MBS_OK || coefficients_differ(linear, &near, &of);
  }
  run->system->error = error;
  memcpy(run->system->z, self.z, model->nz * sizeof *self.z);
  const bool ended = status == MBS_NO_MEMORY || run->error->message[0]; /* or the host ended the run */
  return ended ? status : MBS_OK;
}
