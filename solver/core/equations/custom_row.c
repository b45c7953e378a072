/* Rows that a class of joints computes itself. */
#include "equations/custom_row.h"

#include "equations/jacobian.h"
#include "equations/touches.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* theory (3.10) */
const double *mbs_compute_custom_row(mbs_system *system, const mbs_block *block, int want) {
  assert(block->custom != NULL && block->d0 >= 0);
  const mbs_joint *joint = block->custom;
  assert(joint->cls->row != NULL && block->rows == 1);
  mbs_custom_row row = {.number = block->component, .D = system->D + block->d0};
  assert((size_t)(block->d0 + system->model->kernels->width * joint->body_count) <= system->model->d_count);
  memset(row.D, 0, (size_t)(system->model->kernels->width * joint->body_count) * sizeof *row.D);
  if (block->touch >= 0 && mbs_touch_row_is_off(system, block->first_row)) {
    system->Phi[block->first_row] = system->rhsV[block->first_row] = system->rhsA[block->first_row] = 0;
    return row.D;
  }
  if (system->fault.status == MBS_OK)
    joint->cls->row(system, joint, &row);
  else
    row.value = row.partial = row.bias = NAN;
  if (block->level == MBS_LEVEL_VELOCITY && system->fault.status == MBS_OK) row.value = 0;
  /* Phi, rhsV = -Phi_t, rhsA = -bias; at velocity level D V + partial = 0 */
  if (want & MBS_WANT_PHI) system->Phi[block->first_row] = row.value;
  if (want & (MBS_WANT_RHS | MBS_WANT_RHSV)) system->rhsV[block->first_row] = -row.partial;
  if (want & MBS_WANT_RHS) system->rhsA[block->first_row] = -row.bias;
  return row.D;
}
