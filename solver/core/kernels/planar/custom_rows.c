/* Rows that are not primitives: those of a joint's class, and the quantities from which it computes them.
 *
 * D is a force and a moment on every body of the joint; it is converted to a row of C along the paths of these
 * bodies. */
#include "equations/custom_row.h"
#include "equations/jacobian.h"
#include "kernels/planar/planar.h"

#include <assert.h>
#include <string.h>

/* theory (3.8) */
void planar_along_paths(const mbs_system *system, const mbs_block *block, const double *D, double *row) {
  assert(block->custom != NULL);
  const mbs_model *model = system->model;
  const mbs_joint *joint = block->custom;
  const planar_workspace *workspace = planar_of(system);
  const mbs_entry *entry = model->entries + block->entry0;
  for (int k = 0; k < block->columns; k++) row[k] = 0;
  for (int b = 0; b < joint->body_count; b++, D += 3) {
    const planar_body *body = &workspace->bodies[joint->bodies[b]];
    for (int at = joint->bodies[b]; at; at = model->parent[at]) {
      const planar_body *ancestor = &workspace->bodies[at];
      /* n_a = n + (r_i - r_a) x f */
      double moment = D[2] + (body->x - ancestor->x) * D[1] - (body->y - ancestor->y) * D[0];
      for (int k = model->first_v[at]; k < model->first_v[at + 1]; k++, entry++) {
        const planar_column *column = &workspace->columns[entry->velocity];
        /* C_j += f.X_j + n_a w_j */
        row[entry->column] += D[0] * column->x + D[1] * column->y + moment * column->w;
      }
    }
  }
}

void planar_custom_row(mbs_system *system, const mbs_block *block, int want) {
  const double *D = mbs_compute_custom_row(system, block, want);
  if (want & MBS_WANT_C) planar_along_paths(system, block, D, system->C + block->value0);
}

/* Computes component k of a point: r_k + (A s)_k. theory (1.2), (1.4) */
static void point_row(const planar_body *body, const double s[3], const mbs_input *input, mbs_input_row *out) {
  assert(input->component == 0 || input->component == 1);
  double p[2] = {body->c * s[0] - body->s * s[1], body->s * s[0] + body->c * s[1]};
  double v[2], a[2];
  int k = input->component;
  planar_point_rate(body, p, v, a);
  out->value = (k ? body->y : body->x) + p[k];
  out->rate = v[k];
  out->bias = a[k];
  out->D[0][k] = 1;
  out->D[0][2] = k ? p[0] : -p[1];
}

static void measure_row(const mbs_system *system, const mbs_block *block, mbs_input_row *out) {
  const planar_body *bodies = planar_of(system)->bodies;
  const planar_body *first = &bodies[block->frames.body1], *second = &bodies[block->frames.body2];
  planar_primitive at[2];
  planar_primitive_rows_at(block, mbs_block_numbers(system, block), first, second, at);
  const planar_primitive *m = &at[0];
  /* g, g' = D1 V1 + D2 V2, bias */
  *out = (mbs_input_row){.value = m->g,
                         .rate = m->d1[0] * first->vx + m->d1[1] * first->vy + m->d1[2] * first->w +
                                 m->d2[0] * second->vx + m->d2[1] * second->vy + m->d2[2] * second->w,
                         .bias = m->bias,
                         .bodies = {block->frames.body1, block->frames.body2}};
  memcpy(out->D[0], m->d1, sizeof m->d1);
  memcpy(out->D[1], m->d2, sizeof m->d2);
}

void planar_input_row(const mbs_system *system, const mbs_input *input, mbs_input_row *out) {
  assert(input->index >= 0);
  if (input->kind == MBS_INPUT_PRIMITIVE) {
    measure_row(system, &system->model->coordinates[input->index], out);
    return;
  }
  const planar_body *body = &planar_of(system)->bodies[input->index];
  *out = (mbs_input_row){.bodies = {input->index, 0}};
  if (input->kind == MBS_INPUT_POINT) {
    point_row(body, mbs_input_point(system, input), input, out);
  } else {
    out->value = body->phi;
    out->rate = body->w;
    out->D[0][2] = 1;
  }
}

void planar_body_motion(const mbs_system *system, int body, mbs_rigid_motion *out) {
  const planar_body *at = &planar_of(system)->bodies[body];
  *out = (mbs_rigid_motion){
      .r = {at->x, at->y}, .v = {at->vx, at->vy}, .w = {[2] = at->w}, .a = {at->bx, at->by} /* theory (1.4) */};
}
