/* Euler parameters among the coordinates: q displaced along velocities, q' = N(q) v, and normalization to p'p = 1. */
#include "kernels/spatial/spatial.h"

/* Returns the number of a joint's velocities that are rates of its coordinates; Euler parameters, if any, follow
 * them. */
static int plain_count(const mbs_model *model, size_t body) {
  int nq = model->first_q[body + 1] - model->first_q[body], nv = model->first_v[body + 1] - model->first_v[body];
  return nq == nv ? nv : nv - 3;
}

/* theory (1.15) */
void spatial_displace(const mbs_model *model, const mbs_real *q, const mbs_real *dv, mbs_real *out) {
  for (size_t i = 1; i <= model->nB; i++) {
    int at = model->first_q[i], v = model->first_v[i], plain = plain_count(model, i);
    /* q + dv, and Euler parameters rotated by dv */
    for (int k = 0; k < plain; k++) out[at + k] = q[at + k] + dv[v + k];
    if (at + plain < model->first_q[i + 1]) mbs_euler_turn_on(q + at + plain, dv + v + plain, out + at + plain);
  }
}

/* theory (1.14) */
void spatial_rates(const mbs_model *model, const mbs_real *q, const mbs_real *v, mbs_real *qdot) {
  for (size_t i = 1; i <= model->nB; i++) {
    int at = model->first_q[i], w = model->first_v[i], plain = plain_count(model, i);
    /* q' = v, p' = (0, omega) p / 2 */
    for (int k = 0; k < plain; k++) qdot[at + k] = v[w + k];
    if (at + plain < model->first_q[i + 1]) mbs_euler_rate(q + at + plain, v + w + plain, qdot + at + plain);
  }
}

void spatial_normalize(const mbs_model *model, mbs_real *q) {
  for (size_t i = 1; i <= model->nB; i++) {
    int at = model->first_q[i] + plain_count(model, i);
    if (at < model->first_q[i + 1]) mbs_euler_normalize(q + at, q + at);
  }
}
