#include "probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "equations/system.h"
#include "models.h"

probe probe_open(const mbs_model *model) {
  probe p = {.arena = mbs_arena_new(0), .model = model};
  p.system = mbs_system_new(model, p.arena);
  double **arrays[] = {&p.q, &p.v, &p.moved, &p.along};
  p.z = mbs_arena_alloc(p.arena, model->nz + 1, sizeof(double));
  p.zdot = mbs_arena_alloc(p.arena, model->nz + 1, sizeof(double));
  for (int i = 0; i < 4; i++) *arrays[i] = mbs_arena_alloc(p.arena, model->state.z + 1, sizeof(double));
  return p;
}

void probe_close(probe *p) { mbs_arena_free(p->arena); }

void probe_randomize(probe *p, double spread, uint64_t *seed) {
  p->t = 0.8 + 0.7 * models_uniform(seed);
  for (size_t i = 0; i < p->model->nq; i++) p->q[i] = p->model->constants->q0[i] + spread * models_uniform(seed);
  for (size_t i = 0; i < p->model->nv; i++) p->v[i] = 2 * models_uniform(seed);
  for (size_t k = 0; k < p->model->nz; k++) p->z[k] = models_uniform(seed);
}

void probe_at(probe *p, double h, double dt) {
  for (size_t k = 0; k < p->model->nv; k++) p->moved[p->model->nq + k] = h * p->along[k];
  mbs_displace(p->model, p->q, p->moved + p->model->nq, p->moved);
  for (size_t k = 0; k < p->model->nz; k++) p->system->z[k] = p->z[k] + h * dt * p->zdot[k];
  mbs_set_position(p->system, p->t + h * dt, p->moved);
  assert_int_equal(p->system->fault.status, MBS_OK);
  mbs_set_velocity(p->system, p->v);
  mbs_constraints(p->system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
}

void probe_difference(probe *p, double h, double dt, bool rate, double *out) {
  static const double places[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  size_t m = p->model->rows;
  double *values = calloc(m + 1, sizeof *values);
  memset(out, 0, m * sizeof *out);
  for (int k = 0; k < 4; k++) {
    probe_at(p, h * places[k], dt);
    if (rate) mbs_jacobian_times(p->system, p->v, values);
    for (size_t r = 0; r < m; r++)
      out[r] += weights[k] * (rate ? values[r] - p->system->rhsV[r] : p->system->Phi[r]) / (12 * h);
  }
  free(values);
}

void probe_check(probe *p, probe_compare *compare, void *user) {
  const size_t m = p->model->rows, n = p->model->nv;
  double *C = calloc(m * n + 1, sizeof *C), *rhs = calloc(m + 1, sizeof *rhs);
  memset(p->along, 0, n * sizeof *p->along);
  probe_at(p, 0, 0);
  mbs_states_rates(p->system, p->zdot);
  mbs_jacobian_dense(p->system, C);
  memcpy(rhs, p->system->rhsV, m * sizeof *rhs);
  for (size_t k = 0; k < n; k++) {
    p->along[k] = 1;
    compare(p, "C", C + k * m, 0, false, 1, user);
    p->along[k] = 0;
  }
  compare(p, "rhsV", rhs, 1, false, -1, user); /* Phi_t = -rhsV */
  memcpy(p->along, p->v, n * sizeof *p->along);
  probe_at(p, 0, 1);
  memcpy(rhs, p->system->rhsA, m * sizeof *rhs);
  compare(p, "rhsA", rhs, 1, true, -1, user); /* (C v - rhsV)' = C v' - rhsA, v' = 0 */
  free(C);
  free(rhs);
}
