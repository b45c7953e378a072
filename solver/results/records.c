/* records.c - see records.h. */
#include "results/records.h"

#include "base/norms.h"
#include "equations/jacobian.h"
#include "kernels/kernels.h"
#include "linear/lapack.h"

#include <string.h>

void mbs_record_nothing(const mbs_recording *recording, double *out) { (void)recording, (void)out; }

void mbs_record_time(const mbs_recording *recording, double *out) { *out = recording->system->t; }

/* ---- coordinates --------------------------------------------------------------------------------------------- */

void mbs_record_motions(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  const mbs_system *system = recording->system;
  const double *from = recording->level == 0 ? system->q : recording->level == 1 ? system->v : system->vdot;
  const int *user = recording->level == 0 ? model->user_q : model->user_v;
  size_t n = recording->level == 0 ? model->nq : model->nv;
  for (size_t i = 0; i < n; i++) out[i] = from[user[i]];
}

void mbs_record_state(const mbs_recording *recording, double *out) {
  mbs_recording part = *recording;
  part.level = 0;
  mbs_record_motions(&part, out);
  part.level = 1;
  mbs_record_motions(&part, out + recording->output->model->nq);
}

/* ---- bodies and points --------------------------------------------------------------------------------------- */

void mbs_record_centres(const mbs_recording *recording, double *out) {
  recording->output->model->kernels->centres(recording->system, recording->level, out);
}

void mbs_record_points(const mbs_recording *recording, double *out) {
  recording->output->model->kernels->points(recording->system, recording->level, out);
}

/* Angle, angular velocity or acceleration; in the plane one number a body. */
void mbs_record_rotations(const mbs_recording *recording, double *out) {
  recording->output->model->kernels->rotations(recording->system, recording->level, out);
}

void mbs_record_orientations(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  for (size_t b = 0; b < model->nB; b++)
    model->kernels->orientation(recording->system, model->user_body[b], out + 4 * b);
}

/* ---- constraints --------------------------------------------------------------------------------------------- */

void mbs_record_residuals(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  const mbs_system *system = recording->system;
  out[0] = mbs_largest(system->Phi, model->rows);
  mbs_jacobian_times(system, system->v, system->rates);
  for (size_t r = 0; r < model->rows; r++) system->rates[r] -= system->rhsV[r];
  out[1] = mbs_largest(system->rates, model->rows);
  mbs_jacobian_times(system, system->vdot, system->rates);
  for (size_t r = 0; r < model->rows; r++) system->rates[r] -= system->rhsA[r];
  out[2] = mbs_largest(system->rates, model->rows);
}

void mbs_record_jacobian(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  const mbs_jacobian_entries *entries = &recording->output->entries;
  for (size_t r = 0; r < model->rows; r++, out += model->nv)
    for (size_t k = entries->row0[r]; k < entries->row0[r + 1]; k++)
      out[entries->column[k]] = recording->system->C[entries->from[k]];
}

void mbs_record_jacobian_entries(const mbs_recording *recording, double *out) {
  const mbs_jacobian_entries *entries = &recording->output->entries;
  for (size_t k = 0; k < entries->count; k++) out[k] = recording->system->C[entries->from[k]];
}

/* Jac_p = dPhi/d(r, p): in body coordinates Jac is D. */
void mbs_record_euler_jacobian(const mbs_recording *recording, double *out) {
  mbs_jacobian_euler(recording->system, mbs_output_row(recording->output, MBS_OUTPUT_JAC, recording->row), out);
}

void mbs_record_determinant(const mbs_recording *recording, double *out) {
  const mbs_output *output = recording->output;
  const double *Jac_p = mbs_output_row(output, MBS_OUTPUT_JAC_P, recording->row);
  *out = mbs_determinant(7 * output->model->nB, Jac_p, output->workspace);
}

void mbs_record_contact_parameters(const mbs_recording *recording, double *out) {
  for (size_t c = 0; c < recording->output->model->curve_count; c++) out[c] = recording->system->contacts[c].alpha;
}

/* ---- forces -------------------------------------------------------------------------------------------------- */

void mbs_record_multipliers(const mbs_recording *recording, double *out) {
  memcpy(out, recording->system->lambda, recording->output->model->rows * sizeof *out);
}

void mbs_record_forces(const mbs_recording *recording, double *out) {
  memcpy(out, recording->system->outputs, recording->output->model->output_count * sizeof *out);
}

void mbs_record_reactions(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  size_t dim = (size_t)model->dim, torques = (size_t)model->kernels->torque_components;
  for (size_t j = 0; j < model->joint_count; j++) {
    const double *from = recording->system->reactions + 6 * j;
    double *to = out + j * (dim + torques);
    memcpy(to, from, dim * sizeof *to);
    memcpy(to + dim, from + 6 - torques, torques * sizeof *to);
  }
}

void mbs_record_energies(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  const mbs_system *system = recording->system;
  out[0] = model->kernels->kinetic(system);
  out[1] = model->kernels->potential(system) + system->potential_forces;
  out[2] = system->work;
  out[3] = system->dissipated;
}
