/* States x of the document and of elements, x' = r, in the search for a static equilibrium. First they keep their start
 * values. From the equilibrium found so, Newton's iteration solves for both:
 *
 *   g(q, x) = 0,   r(q, x) = 0,   in q + N z and x. */
#include "simulate/statics.h"

#include "base/norms.h"
#include "equations/forces.h"
#include "initial/correct.h"
#include "linalg/lapack.h"
#include "run/run_errors.h"

#include <math.h>
#include <string.h>

/* Workspace of Newton's iteration for the w unknowns: freedoms z, then states x. */
typedef struct coupled {
  mbs_statics *statics;
  size_t states;
  double *J;     /* [w x w] derivatives of (g, r), column-major; rows are divided by `sizes` */
  double *sizes; /* [w] largest derivative of each row in the units of the unknowns; 1 if all are zero */
  double *residual, *trial, *step; /* [w] (g, r) over `sizes`; the step */
  double *A, *workspace;           /* [w x w], of least squares */
  double *x, *units;               /* [states] the states before a step; their scales */
} coupled;

static bool open_coupled(coupled *self) {
  const mbs_model *model = self->statics->run->model;
  mbs_arena *arena = self->statics->run->system->arena;
  const size_t w = model->nv + model->nz; /* the most */
  self->states = model->nz;
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&self->J, w * w},
                {&self->sizes, w},
                {&self->residual, w},
                {&self->trial, w},
                {&self->step, w},
                {&self->A, w * w},
                {&self->workspace, mbs_lapack_workspace(w, w)},
                {&self->x, model->nz},
                {&self->units, model->nz}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i].array = mbs_arena_alloc(arena, arrays[i].count + 1, sizeof(double)))) return false;
  return true;
}

/* Returns run->q, moved onto the constraints for changed states; NaN if that fails. */
static const double *follow_states(mbs_statics *self) {
  mbs_run_state *run = self->run;
  mbs_correction ignored = {0};
  memcpy(self->q, run->q, run->model->nq * sizeof *self->q);
  if (mbs_correct_positions(run->system, run->model->t_start, self->q, &ignored, run->workspace) != MBS_OK)
    for (size_t k = 0; k < run->model->nq; k++) self->q[k] = NAN;
  return self->q;
}

/* Computes the derivatives of (g, r) by one unknown into a column, by central differences. */
static void differentiate_coupled(coupled *self, size_t column, double *out) {
  mbs_statics *base = self->statics;
  mbs_run_state *run = base->run;
  const size_t f = base->freedoms, w = f + self->states;
  double *forces = base->plain, *part = self->step;
  memset(out, 0, w * sizeof *out);
  for (int sign = -1; sign <= 1; sign += 2) {
    const double *q = run->q, unit = column < f ? 1 : self->units[column - f];
    if (column < f) {
      memset(base->z, 0, f * sizeof *base->z);
      base->z[column] = 1;
      mbs_statics_expand(base, base->z, sign * mbs_difference_step, base->dq);
      mbs_statics_displace(base, base->dq);
      q = base->q;
    } else {
      run->system->z[column - f] = self->x[column - f] + sign * mbs_difference_step * unit;
      if (run->model->rows_read_states) q = follow_states(base);
    }
    mbs_statics_forces_at(base, q);
    mbs_statics_balance_with(base, base->lambda, forces);
    mbs_statics_project(base, forces, part);
    memcpy(part + f, base->rates, self->states * sizeof *part);
    for (size_t i = 0; i < w; i++) out[i] += sign * part[i] / (2 * mbs_difference_step);
  }
  memcpy(run->system->z, self->x, self->states * sizeof *self->x);
}

/* Computes J, its rows divided by their sizes, at run->q and system->z. Returns false if it is not finite. */
static bool find_coupled_matrix(coupled *self) {
  const size_t w = self->statics->freedoms + self->states;
  for (size_t j = 0; j < w; j++) differentiate_coupled(self, j, self->J + j * w);
  for (size_t i = 0; i < w; i++) {
    double size = 0;
    for (size_t j = 0; j < w; j++) size = fmax(size, fabs(self->J[j * w + i]));
    self->sizes[i] = size > 0 ? size : 1;
    for (size_t j = 0; j < w; j++) self->J[j * w + i] /= self->sizes[i];
  }
  return isfinite(mbs_largest(self->J, w * w));
}

/* Computes (g, r) over their sizes, for the forces F [n] and the current rates. */
static void read_residual(const coupled *self, const double *F, double *out) {
  const size_t f = self->statics->freedoms, w = f + self->states;
  mbs_statics_project(self->statics, F, out);
  memcpy(out + f, self->statics->rates, self->states * sizeof *out);
  for (size_t i = 0; i < w; i++) out[i] /= self->sizes[i];
}

/* Makes a share of the step, to base->q and system->z, with F_trial. Returns false if it fails. */
static bool go_coupled(coupled *self, double share) {
  mbs_statics *base = self->statics;
  const size_t f = base->freedoms;
  for (size_t j = 0; j < f; j++) base->z[j] = share * self->step[j];
  for (size_t k = 0; k < self->states; k++)
    base->run->system->z[k] = self->x[k] + share * self->step[f + k] * self->units[k];
  return mbs_statics_go(base, base->lambda_trial);
}

/* Makes the longest of Newton's step and its halves that reduces the residual, with displacements up to
 * mbs_first_radius. Returns false, with the state unchanged, if none does. */
static bool step_coupled(coupled *self) {
  mbs_statics *base = self->statics;
  mbs_run_state *run = base->run;
  const size_t f = base->freedoms, w = f + self->states;
  memcpy(self->A, self->J, w * w * sizeof *self->A);
  for (size_t i = 0; i < w; i++) self->trial[i] = -self->residual[i];
  if (mbs_least_squares(w, w, self->A, self->trial, mbs_zero_share, self->step, self->workspace) < 0) return false;
  const double before = mbs_sum_of_squares(self->residual, w), length = mbs_largest(self->step, f);
  double share = length > mbs_first_radius ? mbs_first_radius / length : 1;
  while (share > mbs_step_accepted) {
    if (go_coupled(self, share)) {
      read_residual(self, base->F_trial, self->trial);
      if (mbs_sum_of_squares(self->trial, w) < before) {
        if (base->touches) (void)mbs_statics_stop(base);
        memcpy(run->q, base->q, run->model->nq * sizeof *run->q);
        return true;
      }
    }
    share *= 0.5;
  }
  memcpy(run->system->z, self->x, self->states * sizeof *self->x);
  return false;
}

/* Returns MBS_OK if (g, r) is zero within rounding. Fails, naming the state that changes, or the force that is not
 * balanced. */
static mbs_status check_coupled(const coupled *self) {
  mbs_statics *base = self->statics;
  mbs_run_state *run = base->run;
  size_t worst = 0;
  const double *rates = self->residual + base->freedoms;
  for (size_t k = 0; k < self->states; k++)
    if (fabs(rates[k]) > fabs(rates[worst])) worst = k;
  if (fabs(rates[worst]) > mbs_force_accepted) {
    const char *name = mbs_state_owner(run->model, worst);
    return mbs_run_fail(run, MBS_NO_EQUILIBRIUM, run->model->t_start, name,
                        "no equilibrium was found: the state '%.120s' changes by %.6g per second", name,
                        rates[worst] * self->sizes[base->freedoms + worst]);
  }
  const double stiffest = base->freedoms ? mbs_largest(self->sizes, base->freedoms) : 0;
  return mbs_largest(base->F, base->n) <= mbs_force_accepted * fmax(base->scale, stiffest)
             ? MBS_OK
             : mbs_statics_fail_unbalanced(base);
}

/* Solves for positions and states from run->q and system->z, to rounding. */
static mbs_status iterate_coupled(coupled *self) {
  mbs_statics *base = self->statics;
  mbs_run_state *run = base->run;
  mbs_status status = MBS_OK;
  for (int k = 0; k < MBS_STATICS_STEPS_MAX; k++) {
    memcpy(self->x, run->system->z, self->states * sizeof *self->x);
    for (size_t i = 0; i < self->states; i++) self->units[i] = fmax(1, fabs(self->x[i]));
    status = mbs_statics_arrive(base);
    if (status == MBS_OK && !find_coupled_matrix(self)) status = MBS_NOT_FINITE;
    if (status == MBS_OK) status = mbs_statics_balance(base, run->q, base->F, base->lambda); /* and the rates */
    if (status != MBS_OK) return status;
    read_residual(self, base->F, self->residual);
    if (!step_coupled(self)) break;
  }
  status = mbs_statics_balance(base, run->q, base->F, base->lambda);
  if (status != MBS_OK) return status;
  read_residual(self, base->F, self->residual);
  return check_coupled(self);
}

/* Searches an equilibrium of positions and states from run->q, where the states with their start values `x0` are in
 * equilibrium (`found`), and then from the position `start`. */
static mbs_status search_with_states(mbs_statics *base, const double *start, const double *x0, bool found) {
  mbs_run_state *run = base->run;
  coupled self = {.statics = base};
  if (!open_coupled(&self)) return MBS_NO_MEMORY;
  for (int attempt = found ? 0 : 1; attempt < 2; attempt++) {
    if (attempt == 1) {
      memcpy(run->q, start, run->model->nq * sizeof *start);
      memcpy(run->system->z, x0, self.states * sizeof *x0);
    }
    mbs_run_forget_error(run);
    const mbs_status status = iterate_coupled(&self);
    if (status != MBS_NO_EQUILIBRIUM || attempt == 1) return status;
  }
  return MBS_OK;
}

mbs_status mbs_statics_search_states(mbs_statics *self, const double *start, const double *x0, bool found) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  if (!model->relative || model->added_drivers == 0) return search_with_states(self, start, x0, found);
  double *q = mbs_arena_alloc(run->system->arena, model->nq + 1, sizeof *q);
  if (!q) return MBS_NO_MEMORY;
  memcpy(q, run->q, model->nq * sizeof *q);
  self->released = true;
  const mbs_status status = search_with_states(self, start, x0, found);
  self->released = false;
  if (status != MBS_NO_EQUILIBRIUM) return status;
  memcpy(run->q, q, model->nq * sizeof *q);
  memcpy(run->system->z, x0, model->nz * sizeof *x0);
  mbs_run_forget_error(run);
  return search_with_states(self, start, x0, found);
}
