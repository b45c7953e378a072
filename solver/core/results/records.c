/* records.c - rows of result arrays that are copied from the system, also compiled for lanes; see records.h. */
#include "results/records.h"

#include "equations/jacobian.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void mbs_record_nothing(const mbs_recording *recording, mbs_real *out) { (void)recording, (void)out; }

void mbs_record_time(const mbs_recording *recording, mbs_real *out) { *out = recording->system->t; }

/* ---- coordinates --------------------------------------------------------------------------------------------- */

void mbs_record_motions(const mbs_recording *recording, mbs_real *out) {
  assert(recording->level >= 0 && recording->level <= 2);
  const mbs_model *model = recording->output->model;
  const mbs_system *system = recording->system;
  const mbs_real *from = recording->level == 0 ? system->q : recording->level == 1 ? system->v : system->vdot;
  const int *user = recording->level == 0 ? model->user_q : model->user_v;
  size_t n = recording->level == 0 ? model->nq : model->nv;
  for (size_t i = 0; i < n; i++) out[i] = from[user[i]];
}

void mbs_record_state(const mbs_recording *recording, mbs_real *out) {
  mbs_recording part = *recording;
  part.level = 0;
  mbs_record_motions(&part, out);
  part.level = 1;
  mbs_record_motions(&part, out + recording->output->model->nq);
}

/* ---- bodies and points --------------------------------------------------------------------------------------- */

void mbs_record_centres(const mbs_recording *recording, mbs_real *out) {
  recording->system->kernels->centres(recording->system, recording->level, out);
}

void mbs_record_points(const mbs_recording *recording, mbs_real *out) {
  recording->system->kernels->points(recording->system, recording->level, out);
}

/* Angle, angular velocity or acceleration; for planar models one number per body. */
void mbs_record_rotations(const mbs_recording *recording, mbs_real *out) {
  recording->system->kernels->rotations(recording->system, recording->level, out);
}

void mbs_record_orientations(const mbs_recording *recording, mbs_real *out) {
  const mbs_model *model = recording->output->model;
  for (size_t b = 0; b < model->nB; b++)
    recording->system->kernels->orientation(recording->system, model->user_body[b], out + 4 * b);
}

/* ---- constraints --------------------------------------------------------------------------------------------- */

/* Returns the largest absolute value of x[n]; infinite if one is NaN. */
static mbs_real largest_of(const mbs_real *x, size_t n) {
  mbs_real most = MBS_ALL(0);
  for (size_t i = 0; i < n; i++) most = mbs_if_none(x[i], MBS_ALL(INFINITY), mbs_larger(mbs_size(x[i]), most));
  return most;
}

void mbs_record_residuals(const mbs_recording *recording, mbs_real *out) {
  const mbs_model *model = recording->output->model;
  const mbs_system *system = recording->system;
  out[0] = largest_of(system->Phi, model->bilateral_rows);
  mbs_jacobian_times(system, system->v, system->rates);
  for (size_t r = 0; r < model->bilateral_rows; r++) system->rates[r] -= system->rhsV[r];
  out[1] = largest_of(system->rates, model->bilateral_rows);
  mbs_jacobian_times(system, system->vdot, system->rates);
  for (size_t r = 0; r < model->bilateral_rows; r++) system->rates[r] -= system->rhsA[r];
  out[2] = largest_of(system->rates, model->bilateral_rows);
}

void mbs_record_jacobian_entries(const mbs_recording *recording, mbs_real *out) {
  const mbs_jacobian_entries *entries = &recording->output->entries;
  for (size_t k = 0; k < entries->count; k++) out[k] = recording->system->C[entries->from[k]];
}

void mbs_record_states(const mbs_recording *recording, mbs_real *out) {
  for (size_t k = 0; k < recording->output->model->named_states; k++) out[k] = MBS_ALL(recording->system->z[k]);
}

void mbs_record_contact_parameters(const mbs_recording *recording, mbs_real *out) {
  for (size_t c = 0; c < recording->output->model->curve_count; c++) out[c] = recording->system->contacts[c].alpha;
}

/* ---- forces -------------------------------------------------------------------------------------------------- */

void mbs_record_multipliers(const mbs_recording *recording, mbs_real *out) {
  memcpy(out, recording->system->borne, recording->output->model->bilateral_rows * sizeof *out);
}

void mbs_record_forces(const mbs_recording *recording, mbs_real *out) {
  memcpy(out, recording->system->outputs, recording->output->model->output_count * sizeof *out);
}

void mbs_record_reactions(const mbs_recording *recording, mbs_real *out) {
  const mbs_model *model = recording->output->model;
  size_t dim = (size_t)model->dim, torques = (size_t)model->kernels->torque_components;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_real *from = recording->system->reactions + 6 * j;
    mbs_real *to = out + j * (dim + torques);
    memcpy(to, from, dim * sizeof *to);
    memcpy(to + dim, from + 6 - torques, torques * sizeof *to);
  }
}

void mbs_record_energies(const mbs_recording *recording, mbs_real *out) {
  const mbs_system *system = recording->system;
  out[0] = system->kernels->kinetic(system);
  out[1] = system->kernels->potential(system) + system->potential_forces;
  out[2] = system->work;
  out[3] = system->dissipated;
}
