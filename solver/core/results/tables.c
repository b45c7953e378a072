/* tables.c - rows of result arrays that are not compiled for lanes: the Jacobian as a table, and arrays computed from
 * it; discrete values. */
#include <assert.h>
#include <string.h>

#include "equations/jacobian.h"
#include "linalg/lapack.h"
#include "results/records.h"

void mbs_record_jacobian(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  const mbs_jacobian_entries *entries = &recording->output->entries;
  for (size_t r = 0; r < model->bilateral_rows; r++, out += model->nv)
    for (size_t k = entries->row0[r]; k < entries->row0[r + 1]; k++)
      out[entries->column[k]] = recording->system->C[entries->from[k]];
}

/* Jac_p = dPhi/d(r, p); in body coordinates Jac is D. */
void mbs_record_euler_jacobian(const mbs_recording *recording, double *out) {
  assert(recording->output->arrays[MBS_OUTPUT_JAC] != NULL);
  mbs_jacobian_euler(recording->system, mbs_output_row(recording->output, MBS_OUTPUT_JAC, recording->row), out);
}

void mbs_record_determinant(const mbs_recording *recording, double *out) {
  assert(recording->output->workspace != NULL);
  const mbs_output *output = recording->output;
  const double *Jac_p = mbs_output_row(output, MBS_OUTPUT_JAC_P, recording->row);
  *out = mbs_determinant(7 * output->model->nB, Jac_p, output->workspace);
}

void mbs_record_discrete(const mbs_recording *recording, double *out) {
  const mbs_model *model = recording->output->model;
  const size_t first = recording->level ? model->variable_count : 0;
  const size_t end = recording->level ? model->discrete_count : model->variable_count;
  memcpy(out, recording->system->discrete + first, (end - first) * sizeof *out);
}
