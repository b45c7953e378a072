/* Comparison of C with finite differences of Phi. */
#include "constraints/jacobian_check.h"

#include "equations/jacobian.h"
#include "equations/state.h"

#include <math.h>
#include <string.h>

static const double step = 1e-5;

size_t mbs_jacobian_check_workspace(const mbs_model *model) {
  return model->rows * (model->nv + 1) + model->state.z + 1;
}

mbs_jacobian_check_result mbs_jacobian_check(mbs_system *system, double t, const double *q, double *workspace) {
  const mbs_model *model = system->model;
  size_t m = model->rows, n = model->nv;
  double *C = workspace, *above = C + m * n, *moved_q = above + m, *dv = moved_q + model->nq;
  mbs_jacobian_check_result result = {.row = -1};
  memset(dv, 0, n * sizeof *dv);
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_C);
  mbs_jacobian_dense(system, C);
  for (size_t k = 0; k < n; k++) {
    double moved = step * system->v_units[k];
    for (int side = 0; side < 2; side++) {
      dv[k] = side ? -moved : moved;
      mbs_displace(model, q, dv, moved_q);
      mbs_set_position(system, t, moved_q);
      mbs_constraints(system, MBS_WANT_PHI);
      if (side == 0) memcpy(above, system->Phi, m * sizeof *above);
    }
    dv[k] = 0;
    for (size_t r = 0; r < m; r++) {
      if (model->levels[r] == MBS_LEVEL_VELOCITY) continue; /* the row has no Phi */
      /* (Phi(q + e) - Phi(q - e)) / (2 e) - C_rk */
      double difference = (above[r] - system->Phi[r]) / (2 * moved) - C[k * m + r];
      double in_units = fabs(difference) * (system->v_units[k] / system->row_units[r]);
      if (result.row >= 0 && !(in_units > result.largest)) continue;
      result = (mbs_jacobian_check_result){in_units, (int)r};
    }
  }
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return result;
}
