/* Rows that are not primitives: those of a joint's class, and the quantities from which it computes them.
 *
 * D is a force and a moment on every body of the joint; it is converted to a row of C along the paths of these
 * bodies. */
#include "equations/custom_row.h"
#include "equations/jacobian.h"
#include "kernels/spatial/spatial.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* theory (3.8) */
void spatial_along_paths(const mbs_system *system, const mbs_block *block, const double *D, double *row) {
  assert(block->custom != NULL);
  const mbs_model *model = system->model;
  const mbs_joint *joint = block->custom;
  const spatial_workspace *workspace = spatial_of(system);
  const mbs_entry *entry = model->entries + block->entry0;
  for (int k = 0; k < block->columns; k++) row[k] = 0;
  for (int b = 0; b < joint->body_count; b++, D += 6) {
    const spatial_body *body = &workspace->bodies[joint->bodies[b]];
    for (int at = joint->bodies[b]; at; at = model->parent[at]) {
      /* n_a = n + (r_i - r_a) x f */
      double moment[3], arm[3];
      for (int i = 0; i < 3; i++) {
        arm[i] = body->r[i] - workspace->bodies[at].r[i];
        moment[i] = D[3 + i];
      }
      mbs_add_cross(arm, D, moment);
      for (int k = model->first_v[at]; k < model->first_v[at + 1]; k++, entry++) {
        const spatial_column *column = &workspace->columns[entry->velocity];
        /* C_j += f.X_j + n_a.w_j */
        row[entry->column] += mbs_dot(D, column->v) + mbs_dot(moment, column->w);
      }
    }
  }
}

void spatial_custom_row(mbs_system *system, const mbs_block *block, int want) {
  const double *D = mbs_compute_custom_row(system, block, want);
  if (want & MBS_WANT_C) spatial_along_paths(system, block, D, system->C + block->value0);
}

/* Computes component k of a vector a fixed in the body:   a' = omega x a,   a'' = omega' x a + omega x (omega x a).
 * theory (1.2), (1.4) */
static void vector_row(const spatial_body *body, const double a[3], int k, mbs_input_row *out) {
  double axis[3] = {k == 0, k == 1, k == 2}, bias[3];
  mbs_cross(a, axis, out->D[0] + 3);
  mbs_cross(body->bw, a, bias);
  mbs_add_double_cross(body->w, body->w, a, bias);
  out->value = a[k];
  out->rate = mbs_dot(out->D[0] + 3, body->w);
  out->bias = bias[k];
}

/* Computes component k of a point, r + A s. theory (1.2), (1.4) */
static void point_row(const spatial_body *body, const double at[3], const mbs_input *input, mbs_input_row *out) {
  assert(input->component >= 0 && input->component <= 2);
  double s[3];
  int k = input->component;
  mbs_rotate(body->A, at, s);
  vector_row(body, s, k, out);
  out->D[0][k] = 1;
  out->value += body->r[k];
  out->rate += body->v[k];
  out->bias += body->b[k];
}

/* Computes an Euler parameter: p' = 1/2 (0, omega) p,   p'' = 1/2 (0, omega') p - 1/4 omega.omega p. theory (1.13) */
static void euler_row(const spatial_body *body, int k, mbs_input_row *out) {
  for (int i = 0; i < 3; i++) {
    double axis[3] = {i == 0, i == 1, i == 2}, rate[4];
    mbs_euler_rate(body->p, axis, rate);
    out->D[0][3 + i] = rate[k];
  }
  out->value = body->p[k];
  out->rate = mbs_dot(out->D[0] + 3, body->w);
  out->bias = mbs_dot(out->D[0] + 3, body->bw) - 0.25 * mbs_dot(body->w, body->w) * body->p[k];
}

static void primitive_row(const mbs_system *system, const mbs_block *block, mbs_input_row *out) {
  const spatial_body *bodies = spatial_of(system)->bodies;
  const spatial_body *first = &bodies[block->frames.body1], *second = &bodies[block->frames.body2];
  spatial_primitive at[3];
  spatial_primitive_now(system, block, mbs_block_numbers(system, block), at);
  const spatial_primitive *m = &at[0];
  /* g, g' = D1 V1 + D2 V2, bias */
  *out = (mbs_input_row){.value = m->g,
                         .rate = mbs_dot(m->v1, first->v) + mbs_dot(m->w1, first->w) + mbs_dot(m->v2, second->v) +
                                 mbs_dot(m->w2, second->w),
                         .bias = m->bias,
                         .bodies = {block->frames.body1, block->frames.body2}};
  memcpy(out->D[0], m->v1, sizeof m->v1);
  memcpy(out->D[0] + 3, m->w1, sizeof m->w1);
  memcpy(out->D[1], m->v2, sizeof m->v2);
  memcpy(out->D[1] + 3, m->w2, sizeof m->w2);
}

void spatial_input_row(const mbs_system *system, const mbs_input *input, mbs_input_row *out) {
  assert(input->index >= 0);
  if (input->kind == MBS_INPUT_PRIMITIVE) {
    primitive_row(system, &system->model->coordinates[input->index], out);
    return;
  }
  const spatial_body *body = &spatial_of(system)->bodies[input->index];
  *out = (mbs_input_row){.bodies = {input->index, 0}};
  if (input->kind == MBS_INPUT_POINT) {
    point_row(body, mbs_input_point(system, input), input, out);
  } else if (input->kind == MBS_INPUT_EULER) {
    euler_row(body, input->component, out);
  } else if (input->kind == MBS_INPUT_ANGLE) { /* a component of the angular velocity, the rate of no position */
    out->value = NAN;
    out->rate = body->w[input->component];
    out->bias = body->bw[input->component];
    out->D[0][3 + input->component] = 1;
  } else { /* an entry of the rotation matrix: a component of one of the body's axes */
    int axis = input->component % 3;
    const double a[3] = {body->A[axis], body->A[3 + axis], body->A[6 + axis]};
    vector_row(body, a, input->component / 3, out);
  }
}

void spatial_body_motion(const mbs_system *system, int body, mbs_rigid_motion *out) {
  const spatial_body *at = &spatial_of(system)->bodies[body];
  memcpy(out->r, at->r, sizeof out->r);
  memcpy(out->v, at->v, sizeof out->v);
  memcpy(out->w, at->w, sizeof out->w);
  memcpy(out->a, at->b, sizeof out->a);
  memcpy(out->alpha, at->bw, sizeof out->alpha);
}
