/* records.c - see records.h. */
#include "results/records.h"

#include "base/norms.h"
#include "base/rotation.h"
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
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = recording->output->model;
  double r[3];
  for (size_t b = 0; b < model->nB; b++, out += model->dim) {
    model->kernels->point(recording->system, model->user_body[b], centre, recording->level, r);
    memcpy(out, r, (size_t)model->dim * sizeof *r);
  }
}

void mbs_record_points(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  double r[3];
  for (size_t k = 0; k < model->nP; k++, out += model->dim) {
    model->kernels->point(recording->system, model->points[k].body, recording->system->constants->points[k],
                          recording->level, r);
    memcpy(out, r, (size_t)model->dim * sizeof *r);
  }
}

/* Angle, angular velocity or acceleration; in the plane the last of three components. */
void mbs_record_rotations(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  size_t turns = model->dim == 3 ? 3 : 1;
  double turn[3];
  for (size_t b = 0; b < model->nB; b++, out += turns) {
    model->kernels->rotation(recording->system, model->user_body[b], recording->level, turn);
    memcpy(out, turn + 3 - turns, turns * sizeof *turn);
  }
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
  const mbs_system *system = recording->system;
  int *column = system->column_of;
  for (size_t i = 0; i < model->nv; i++) column[model->user_v[i]] = (int)i;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const double *values = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, values += block->columns)
      for (int c = 0; c < block->columns; c++)
        out[(size_t)(block->first_row + r) * model->nv + (size_t)column[model->pattern[block->pattern0 + c]]] =
            values[c];
  }
}

/* Jac_p = dPhi/d(r, p): the columns of p are those of omega times 2 E, omega = 2 E p', and p'p - 1 = 0 adds 2 p'. */
void mbs_record_euler_jacobian(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  const double *Jac = mbs_output_row(recording->output, MBS_OUTPUT_JAC, recording->row);
  size_t n = 7 * model->nB;
  for (size_t b = 0; b < model->nB; b++) {
    double p[4], rates[3][4];
    model->kernels->orientation(recording->system, model->user_body[b], p);
    for (int k = 0; k < 3; k++) {
      double axis[3] = {k == 0, k == 1, k == 2};
      mbs_euler_rate(p, axis, rates[k]); /* a row of E, halved */
    }
    for (size_t r = 0; r < model->rows; r++) {
      const double *from = Jac + r * model->nv + 6 * b;
      double *to = out + r * n + 7 * b;
      for (int k = 0; k < 3; k++) to[k] = from[k];
      for (int c = 0; c < 4; c++)
        to[3 + c] = 4 * (from[3] * rates[0][c] + from[4] * rates[1][c] + from[5] * rates[2][c]);
    }
    for (int c = 0; c < 4; c++) out[(model->rows + b) * n + 7 * b + 3 + (size_t)c] = 2 * p[c];
  }
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
