/* Checks of the Jacobian C along a motion: against finite differences of Phi, and its condition number:
 *     condition = sigma_1 / sigma_m of scaled C without redundant rows       theory (17.18) */
#include "verification/jacobian_samples.h"

#include "base/norms.h"
#include "constraints/jacobian_check.h"
#include "equations/contacts.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"

#include <math.h>

/* Largest number of sampled times, and of operations for all of them; operations of a singular value decomposition, in
 * cubes of its size. */
static const double most_instants = 200, most_operations = 4e9, svd_operations = 12;
/* A position with a larger constraint residual [scales] is not that of the run: its revolutions, or contacts, were
 * counted differently. */
static const double misplaced = 1e-3;

typedef struct look {
  const mbs_model *model;
  const mbs_result *result;
  mbs_system *system;
  mbs_arena *arena;
  double *q, *v;             /* [nq], [nv] */
  double *velocities, *rows; /* [nv], [rows] scales */
  double *check, *C, *A;     /* workspaces; A [independent rows x nv] */
  double *values, *lapack;   /* [rows] */
  mbs_jacobian_samples *out;
} look;

static bool open_look(look *self) {
  const mbs_model *model = self->model;
  size_t m = model->rows, n = model->nv;
  mbs_arena *arena = self->arena;
  self->system = mbs_system_bound(model->constants, arena);
  self->q = mbs_arena_alloc(arena, model->nq + 1, sizeof *self->q);
  self->v = mbs_arena_alloc(arena, n + 1, sizeof *self->v);
  self->velocities = mbs_arena_alloc(arena, n + 1, sizeof *self->velocities);
  self->rows = mbs_arena_alloc(arena, m + 1, sizeof *self->rows);
  self->check = mbs_arena_alloc(arena, mbs_jacobian_check_workspace(model) + 1, sizeof *self->check);
  self->C = mbs_arena_alloc(arena, m * n + 1, sizeof *self->C);
  self->A = mbs_arena_alloc(arena, m * n + 1, sizeof *self->A);
  self->values = mbs_arena_alloc(arena, m + n + 1, sizeof *self->values);
  self->lapack = mbs_arena_alloc(arena, mbs_lapack_workspace(m, n) + 1, sizeof *self->lapack);
  return self->system && self->q && self->v && self->velocities && self->rows && self->check && self->C && self->A &&
         self->values && self->lapack;
}

/* Sets the state of a reporting time. Returns false if it differs from that of the run. */
static bool stand(look *self, size_t row, double t) {
  const mbs_model *model = self->model;
  const double *uT = mbs_result_array(self->result, "uT")->data + row * model->state.z;
  for (size_t i = 0; i < model->nq; i++) self->q[model->user_q[i]] = uT[i];
  for (size_t i = 0; i < model->nv; i++) self->v[model->user_v[i]] = uT[model->nq + i];
  mbs_set_position(self->system, t, self->q);
  mbs_set_velocity(self->system, self->v);
  if (row == 0) {
    if (model->kernels->begin) model->kernels->begin(self->system);
    mbs_measure_row_units(self->system, t, self->q);
    mbs_set_position(self->system, t, self->q);
  }
  mbs_constraints(self->system, MBS_WANT_PHI | MBS_WANT_C);
  double off = mbs_largest_in_units(self->system->Phi, self->system->row_units, model->rows);
  double known = self->result->report.residual_max[0];
  if (self->system->fault.status != MBS_OK || !(off <= fmax(misplaced, 10 * known))) return false;
  mbs_accept_contacts(self->system);
  model->kernels->remember(self->system);
  return true;
}

/* Returns sigma_1 / sigma_m of the scaled C; NaN if the iteration fails. */
static double condition(look *self) {
  const mbs_model *model = self->model;
  const mbs_report *report = &self->result->report;
  size_t m = model->rows, n = model->nv, kept = model->bilateral_rows - report->redundant_count, place = 0;
  mbs_scales(self->system, self->velocities, self->rows);
  mbs_jacobian_dense(self->system, self->C);
  for (size_t r = 0; r < model->bilateral_rows; r++) {
    if (report->constraints[r].redundant) continue;
    /* C_rk [v_k] / [Phi_r] */
    for (size_t k = 0; k < n; k++) self->A[k * kept + place] = self->C[k * m + r] * self->velocities[k] / self->rows[r];
    place++;
  }
  if (!mbs_singular_values(kept, n, self->A, self->values, NULL, self->lapack)) return NAN;
  return self->values[0] / self->values[kept - 1];
}

static void look_at(look *self, double t) {
  mbs_jacobian_samples *out = self->out;
  const mbs_jacobian_check_result check = mbs_jacobian_check(self->system, t, self->q, self->check);
  if (out->looked_at == 0 || check.largest > out->jacobian_error) {
    out->jacobian_error = check.largest;
    out->jacobian_time = t;
    out->jacobian_row = check.row;
  }
  double number = condition(self);
  if (out->looked_at == 0 || number < out->least_condition) out->least_condition = number;
  if (out->looked_at == 0 || number > out->condition) {
    out->condition = number;
    out->condition_time = t;
  }
  out->looked_at++;
}

static mbs_status look_along(look *self, const mbs_hooks *hooks) {
  const mbs_model *model = self->model;
  const mbs_array *T = mbs_result_array(self->result, "T");
  double m = (double)model->rows, n = (double)model->nv, once = svd_operations * m * m * n + 8 * n * (m + n);
  double most = fmin(most_instants, floor(most_operations / once));
  if (!(most >= 1)) {
    self->out->why_not = "the Jacobian is too large";
    return MBS_OK;
  }
  if (!open_look(self)) return MBS_NO_MEMORY;
  size_t rows = T->shape[0], stride = (size_t)ceil((double)rows / most);
  for (size_t row = 0; row < rows; row++) {
    double t = T->data[row];
    bool last = row + 1 == rows, stands = stand(self, row, t);
    if ((row % stride != 0 && !last) || !stands) continue;
    look_at(self, t);
    double fraction = (double)(row + 1) / (double)rows;
    if (hooks && hooks->progress && !hooks->progress(hooks->user, t, fraction, 0)) return MBS_CANCELLED;
  }
  if (self->out->looked_at == 0)
    self->out->why_not = "no position of the result satisfies the constraints when it is assembled again";
  return MBS_OK;
}

mbs_status mbs_sample_jacobian(const mbs_model *model, const mbs_result *result, const mbs_hooks *hooks,
                               mbs_jacobian_samples *out) {
  *out = (mbs_jacobian_samples){.jacobian_row = -1};
  if (model->bilateral_rows == result->report.redundant_count) {
    out->why_not = "there are no constraints";
    return MBS_OK;
  }
  if (mbs_restricting_rows(model, MBS_LEVEL_POSITION) == 0) {
    out->why_not = "the constraints restrict velocities only, so that they have no values to compare";
    return MBS_OK;
  }
  look self = {.model = model, .result = result, .arena = mbs_arena_new(model->limits.memory), .out = out};
  mbs_status status = self.arena ? look_along(&self, hooks) : MBS_NO_MEMORY;
  mbs_arena_free(self.arena);
  return status;
}
