/* Constraint rows in space: Phi, C = D B and rhsA = gamma - D beta, block by block.
 *
 * A row of D on one body is a force D_v and a moment D_omega at its mass centre. Moved to the mass centre of an
 * ancestor, it has the same force and an additional moment (r - r_a) x F. Its product with the ancestor's column of B
 * is an entry of C. */
#include "equations/jacobian.h"
#include "kernels/spatial/spatial.h"

/* theory (3.8) */
static void fill_jacobian(const mbs_system *system, const mbs_block *block, const spatial_workspace *workspace,
                          const spatial_primitive *primitives) {
  const mbs_entry *entries = system->model->entries + block->entry0;
  for (int r = 0; r < block->rows; r++) {
    mbs_real *row = system->C + block->value0 + r * block->columns;
    for (int k = 0; k < block->columns; k++) row[k] = MBS_ALL(0);
    for (int side = 1; side <= 2; side++) {
      const mbs_real *force = side == 1 ? primitives[r].v1 : primitives[r].v2;
      const mbs_real *couple = side == 1 ? primitives[r].w1 : primitives[r].w2;
      const spatial_body *body = &workspace->bodies[side == 1 ? block->frames.body1 : block->frames.body2];
      mbs_real moment[3] = {MBS_ALL(0)}, arm[3];
      int first = side == 1 ? 0 : block->entries1, last = side == 1 ? block->entries1 : block->entries;
      for (int k = first, at = 0; k < last; k++) {
        if (entries[k].body != at) {
          /* n_a = n + (r_i - r_a) x f */
          at = entries[k].body;
          for (int i = 0; i < 3; i++) {
            arm[i] = body->r[i] - workspace->bodies[at].r[i];
            moment[i] = couple[i];
          }
          mbs_add_cross(arm, force, moment);
        }
        const spatial_column *column = &workspace->columns[entries[k].velocity];
        /* C_j += f.X_j + n_a.w_j */
        row[entries[k].column] += mbs_dot(force, column->v) + mbs_dot(moment, column->w);
      }
    }
  }
}

/* Computes the three rows of a point in one pass: an entry's column of B at the point contains all three. For a common
 * ancestor of both bodies the entries are those of the difference. theory (3.8), (4.8) */
static void fill_point(const mbs_system *system, const mbs_block *block, const spatial_workspace *workspace,
                       const spatial_two_points *points) {
  const mbs_entry *entries = system->model->entries + block->entry0;
  mbs_real *row0 = system->C + block->value0, *row1 = row0 + block->columns, *row2 = row1 + block->columns;
  for (int k = 0; k < block->entries; k++) {
    const bool second = k >= block->entries1;
    const spatial_body *body = &workspace->bodies[second ? block->frames.body2 : block->frames.body1];
    const mbs_real *s = second ? points->s2 : points->s1;
    const mbs_real *r = workspace->bodies[entries[k].body].r;
    const spatial_column *column = &workspace->columns[entries[k].velocity];
    /* X + w x (r_i + s_i - r_a) */
    mbs_real x[3] = {column->v[0], column->v[1], column->v[2]}, arm[3];
    for (int i = 0; i < 3; i++) arm[i] = body->r[i] - r[i] + s[i];
    mbs_add_cross(column->w, arm, x);
    const int at = entries[k].column;
    if (!entries[k].again) row0[at] = row1[at] = row2[at] = MBS_ALL(0);
    row0[at] += second ? -x[0] : x[0];
    row1[at] += second ? -x[1] : x[1];
    row2[at] += second ? -x[2] : x[2];
  }
}

/* Computes the requested parts of the rows of a point without a function of time. theory (3.1), (3.5), (4.8) */
static void point_rows(mbs_system *system, const mbs_block *block, int want) {
  const spatial_workspace *workspace = spatial_of(system);
  const mbs_block_constants *numbers = mbs_block_numbers(system, block);
  const spatial_two_points points = spatial_points_of(&numbers->geometry, &workspace->bodies[block->frames.body1],
                                                      &workspace->bodies[block->frames.body2]);
  for (int r = 0; r < 3; r++) {
    int row = block->first_row + r;
    /* Phi = d - constant, rhsV = 0, rhsA = -d'' */
    if (want & MBS_WANT_PHI) system->Phi[row] = points.d[r] - numbers->constant;
    if (want & (MBS_WANT_RHS | MBS_WANT_RHSV)) system->rhsV[row] = MBS_ALL(0);
    if (want & MBS_WANT_RHS) system->rhsA[row] = -points.a[r];
  }
  if (want & MBS_WANT_C) fill_point(system, block, workspace, &points);
}

/* theory (3.1), (3.5), (3.8) */
void spatial_rows(mbs_system *system, int want) {
  const mbs_model *model = system->model;
  const spatial_workspace *workspace = spatial_of(system);
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    if (mbs_block_is_skipped(system, block, want)) continue;
    spatial_primitive primitives[3];
    if (block->primitive == MBS_PRIMITIVE_CUSTOM) {
      spatial_custom_row(system, block, want);
      continue;
    }
    if (block->primitive == MBS_PRIMITIVE_POINT && !block->scaled && block->function < 0) {
      point_rows(system, block, want);
      continue;
    }
    spatial_primitive_now(system, block, mbs_block_numbers(system, block), primitives);
    const mbs_real *f = block->function >= 0 ? system->functions + 3 * block->function : NULL;
    for (int r = 0; r < block->rows; r++) {
      int row = block->first_row + r;
      /* Phi = g - f, rhsV = f', rhsA = f'' - bias */
      if (want & MBS_WANT_PHI) system->Phi[row] = f ? primitives[r].g - f[0] : primitives[r].g;
      if (want & (MBS_WANT_RHS | MBS_WANT_RHSV)) system->rhsV[row] = f ? f[1] : MBS_ALL(0);
      if (want & MBS_WANT_RHS) system->rhsA[row] = f ? f[2] - primitives[r].bias : -primitives[r].bias;
    }
    if (want & MBS_WANT_C) fill_jacobian(system, block, workspace, primitives);
  }
}
