/* Checks if eigenvalues about a motion depend on the choice of independent coordinates. Deviations from the motion in
 * other independent coordinates y are dy = P dz, where P has the rows of R for y. The matrix A of the linear equations
 * becomes
 *
 *   T A T^-1 + T' T^-1,   T = (P, 0; P', P),
 *
 * and has the same eigenvalues for every choice if R' = R'' = 0 along the motion. The test is   R(s) = R(2 s) =
 * R(0). */
#include "simulate/basis_dependence.h"

#include "equations/error_scales.h"
#include "equations/evaluate.h"
#include "equations/state.h"

#include <math.h>
#include <string.h>

/* Scaled distance along the motion at which R is compared, and its largest difference there, as a share of its largest
 * entry. A direction that rotates by an angle over a distance of 1 differs by a 64th of the angle, and by 1e-4 of its
 * square. */
static const double farthest = 1.0 / 64, alike = 1e-6;

typedef struct course {
  mbs_run_state *run;
  mbs_linearization *linear;
  double *units;         /* [nv] characteristic sizes of velocities */
  double *vdot;          /* [nv] accelerations at the state */
  double *q, *moved;     /* [nq], [nv] a position along the motion, and the displacement to it */
  double *chosen, *last; /* [n] an independent displacement; [nv] a column of R */
} course;

static bool open_course(course *self) {
  mbs_arena *arena = self->run->system->arena;
  const mbs_model *model = self->run->model;
  double **arrays[] = {&self->units, &self->vdot, &self->moved, &self->chosen, &self->last};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = mbs_arena_alloc(arena, model->nv + model->rows + 1, sizeof(double)))) return false;
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

mbs_status mbs_depends_on_basis(mbs_run_state *run, mbs_linearization *linear, bool *turn) {
  course self = {.run = run, .linear = linear};
  *turn = false;
  if (is_chosen(run->model, linear)) return MBS_OK;
  if (!open_course(&self)) return MBS_NO_MEMORY;
  mbs_status status = mbs_evaluate(run->system, run->model->t_start, run->q, run->v);
  if (status != MBS_OK) return status;
  memcpy(self.vdot, run->system->vdot, run->model->nv * sizeof *self.vdot);
  mbs_scales(run->system, self.units, self.units + run->model->nv);
  const double span = span_of(&self);
  for (int k = 1; k <= 2 && span > 0 && !*turn; k++) {
    *turn = move_on(&self, k * span) != MBS_OK;
    for (size_t i = 0; i < linear->n && !*turn; i++) *turn = !is_kept(&self, i);
  }
  return MBS_OK;
}
