/* numbers.c - the dense arrays of the solver, and the values of blocks and symbols taken from them. B is read from the
 * velocities for unit rates, Bdot theta' from the accelerations of the bodies for theta'' = 0. */
#include "symbolic/derivation.h"

#include "base/norms.h"
#include "base/rotation.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/rotors.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <string.h>

static const double centre[3] = {0, 0, 0};

/* Reads the numbers of a body in rows over bodies: (x, y, phi) or (x, y, z, rotations). */
static void read_body(const mbs_system *system, int body, int level, double *out) {
  assert(level >= 0 && level <= 2);
  const mbs_kernels *kernels = system->model->kernels;
  double turn[3], place[3];
  kernels->point(system, body, centre, level, place);
  kernels->rotation(system, body, level, turn);
  memcpy(out, place, (size_t)kernels->dim * sizeof *out);
  if (kernels->dim == 2)
    out[2] = turn[2];
  else
    memcpy(out + 3, turn, sizeof turn);
}

/* Fills column k of B: the velocities for a unit rate of velocity k. */
static void fill_B(mbs_equations_work *work, mbs_system *system) {
  const mbs_model *model = work->model;
  size_t width = (size_t)model->kernels->width;
  double values[6];
  for (size_t k = 0; k < model->nv; k++) {
    work->unit[model->user_v[k]] = 1;
    mbs_set_velocity(system, work->unit);
    for (size_t b = 0; b < model->nB; b++) {
      read_body(system, model->user_body[b], 1, values);
      for (size_t i = 0; i < width; i++) work->B[(width * b + i) * model->nv + k] = values[i];
    }
    work->unit[model->user_v[k]] = 0;
  }
}

/* Fills the accelerations of the bodies for theta'' = 0. */
static void fill_beta(mbs_equations_work *work, mbs_system *system) {
  const mbs_model *model = work->model;
  size_t width = (size_t)model->kernels->width;
  memset(system->vdot, 0, model->nv * sizeof *system->vdot);
  model->kernels->accelerations(system);
  for (size_t b = 0; b < model->nB; b++) read_body(system, model->user_body[b], 2, work->beta + width * b);
}

static void fill_C(mbs_equations_work *work, mbs_system *system) {
  memset(work->C, 0, work->model->rows * work->model->nv * sizeof *work->C);
  mbs_jacobian_rows(system, work->C);
}

/* ---- D ------------------------------------------------------------------------------------------------------- */

static mbs_pose pose_of(const mbs_system *system, int body) {
  const mbs_kernels *kernels = system->model->kernels;
  mbs_pose pose = {.p = {1, 0, 0, 0}};
  double turn[3];
  if (body == 0) return pose;
  kernels->point(system, body, centre, 0, pose.r);
  if (kernels->dim == 3) {
    kernels->orientation(system, body, pose.p);
    return pose;
  }
  kernels->rotation(system, body, 0, turn);
  pose.angle = turn[2];
  return pose;
}

/* Sets component i of a body's velocity to 1. */
static void push_pose(mbs_pose *pose, int dim, int i) {
  assert(i >= 0 && i < (dim == 2 ? 3 : 6));
  if (i < dim)
    pose->v[i] = 1;
  else
    pose->omega[dim == 2 ? 2 : i - dim] = 1;
}

/* Fills the rows of a primitive: its rates for unit velocities of both bodies. */
static void fill_primitive(mbs_equations_work *work, const mbs_system *system, const mbs_block *block) {
  const mbs_model *model = work->model;
  int width = model->kernels->width, bodies[2] = {block->frames.body1, block->frames.body2};
  mbs_pose poses[2] = {pose_of(system, bodies[0]), pose_of(system, bodies[1])};
  size_t columns = (size_t)width * model->nB;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < width && bodies[side] > 0; i++) {
      mbs_pose moving = poses[side];
      double value[3] = {0}, rate[3] = {0};
      push_pose(&moving, model->kernels->dim, i);
      model->kernels->primitive(block, mbs_block_numbers(system, block), side == 0 ? &moving : &poses[0],
                                side == 1 ? &moving : &poses[1], value, rate);
      size_t column = (size_t)width * (size_t)(work->tree.user_of[bodies[side]] - 1) + (size_t)i;
      for (int r = 0; r < block->rows; r++) work->D[(size_t)(block->first_row + r) * columns + column] += rate[r];
    }
}

static void fill_D(mbs_equations_work *work, const mbs_system *system) {
  const mbs_model *model = work->model;
  size_t width = (size_t)model->kernels->width, columns = width * model->nB;
  memset(work->D, 0, model->rows * columns * sizeof *work->D);
  for (size_t b = 0; b < model->bilateral_blocks; b++) {
    const mbs_block *block = &model->blocks[b];
    if (block->custom == NULL) {
      fill_primitive(work, system, block);
      continue;
    }
    const mbs_joint *joint = block->custom;
    for (int k = 0; k < joint->body_count; k++)
      memcpy(work->D + (size_t)block->first_row * columns + width * (size_t)(work->tree.user_of[joint->bodies[k]] - 1),
             system->D + block->d0 + (int)width * k, width * sizeof *work->D);
  }
}

/* ---- motions, forces, M -------------------------------------------------------------------------------------- */

static void read_motion(const mbs_system *system, int body, mbs_body_motion *out) {
  const mbs_kernels *kernels = system->model->kernels;
  double turn[3];
  *out = (mbs_body_motion){.A = {[8] = 1}};
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0, k == 1, k == 2};
    double column[3];
    kernels->to_global(system, body, axis, column);
    for (int i = 0; i < 3; i++) out->A[3 * i + k] = column[i];
  }
  if (body == 0) return;
  kernels->point(system, body, centre, 0, out->r);
  kernels->point(system, body, centre, 1, out->v);
  kernels->point(system, body, centre, 2, out->b);
  if (kernels->dim == 3) kernels->orientation(system, body, out->p);
  kernels->rotation(system, body, 0, turn);
  out->phi = turn[2];
  kernels->rotation(system, body, 1, out->omega);
  kernels->rotation(system, body, 2, out->drift);
}

/* Reads weight, forces of elements, and in space -omega x J omega. */
static void read_forces(const mbs_equations_work *work, const mbs_system *system, int body, mbs_body_motion *out) {
  const mbs_body_constants *numbers = &system->constants->bodies[body];
  double own[3], J_own[3], moment[3], turning[3];
  work->model->kernels->pushed(system, body, out->f, out->n);
  for (int k = 0; k < work->model->kernels->dim; k++) out->f[k] += numbers->mass * system->constants->gravity[k];
  if (work->model->kernels->dim == 2) return;
  const double *J = numbers->inertia;
  mbs_rotate_back(out->A, out->omega, own);
  J_own[0] = J[0] * own[0] + J[3] * own[1] + J[4] * own[2];
  J_own[1] = J[3] * own[0] + J[1] * own[1] + J[5] * own[2];
  J_own[2] = J[4] * own[0] + J[5] * own[1] + J[2] * own[2];
  mbs_rotate(out->A, J_own, moment);
  mbs_cross(out->omega, moment, turning);
  for (int k = 0; k < 3; k++) out->n[k] -= turning[k];
}

/* Lists the velocities that move a body; returns their number. */
static size_t moving_columns(const mbs_equations_work *work, int body, size_t *columns) {
  const mbs_tree_columns *tree = &work->tree;
  size_t count = 0;
  for (size_t p = 0; p < tree->path_lengths[body]; p++) {
    const mbs_tree_column *column = &tree->columns[tree->paths[body][p]];
    for (int k = 0; k < column->size; k++) columns[count++] = (size_t)column->first_user + (size_t)k;
  }
  return count;
}

/* Computes B' Mb B, body by body. theory (8.4) */
static void dense_masses(mbs_equations_work *work) {
  size_t *columns = work->moving;
  const mbs_model *model = work->model;
  size_t n = model->nv, width = (size_t)model->kernels->width, dim = (size_t)model->kernels->dim;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b];
    const mbs_body_constants *numbers = &model->constants->bodies[body];
    const double *rows = work->B + width * b * n, *A = work->motions[body].A, *J = numbers->inertia;
    const size_t moving = moving_columns(work, body, columns);
    for (size_t p = 0; p < moving; p++)
      for (size_t r = 0; r < moving; r++) {
        const size_t j = columns[p], k = columns[r];
        double sum = 0, one[3] = {0}, two[3] = {0};
        for (size_t i = 0; i < dim; i++) sum += numbers->mass * rows[i * n + j] * rows[i * n + k];
        if (dim == 2) {
          sum += J[0] * rows[2 * n + j] * rows[2 * n + k];
        } else {
          const double w1[3] = {rows[3 * n + j], rows[4 * n + j], rows[5 * n + j]};
          const double w2[3] = {rows[3 * n + k], rows[4 * n + k], rows[5 * n + k]};
          mbs_rotate_back(A, w1, one);
          mbs_rotate_back(A, w2, two);
          sum += one[0] * (J[0] * two[0] + J[3] * two[1] + J[4] * two[2]) +
                 one[1] * (J[3] * two[0] + J[1] * two[1] + J[5] * two[2]) +
                 one[2] * (J[4] * two[0] + J[5] * two[1] + J[2] * two[2]);
        }
        work->M[j * n + k] += sum;
      }
  }
}

/* Adds J' I J of the coupled rotors to M, and -J' I b to h. */
static void add_coupled(mbs_equations_work *work, mbs_system *system) {
  const mbs_model *model = work->model;
  const mbs_coupled_rotors *coupled = system->coupled;
  const size_t n = model->nv;
  mbs_rotors_rows(system);
  for (size_t i = 0; coupled && i < coupled->count; i++) {
    const mbs_block *block = &model->rotors[coupled->rotors[i]].block;
    const double inertia = coupled->inertia[i], *J = system->C + block->value0;
    const int *pattern = model->pattern + block->pattern0;
    for (int c = 0; c < block->columns; c++) {
      const size_t row = (size_t)system->column_of[pattern[c]];
      system->h[pattern[c]] -= J[c] * inertia * coupled->bias[i];
      for (int d = 0; d < block->columns && work->M; d++)
        work->M[row * n + (size_t)system->column_of[pattern[d]]] += J[c] * inertia * J[d];
    }
  }
}

/* Fills M, and adds the terms of coupled rotors to h. M comes from its packed form; for long branches, whose M is never
 * formed, from B. */
static void fill_M(mbs_equations_work *work, mbs_system *system) {
  const mbs_model *model = work->model;
  size_t n = model->nv;
  int *column = system->column_of;
  if (work->M) memset(work->M, 0, n * n * sizeof *work->M);
  for (size_t k = 0; k < n; k++) column[model->user_v[k]] = (int)k;
  add_coupled(work, system);
  if (!work->M) return;
  if (model->recursive) {
    dense_masses(work);
    for (size_t k = 0; k < n; k++) work->M[column[k] * (int)(n + 1)] += system->constants->rotor_masses[k];
    return;
  }
  model->kernels->mass_matrix(system);
  for (size_t k = 0; k < n; k++)
    for (int a = 0; a <= model->tree.depth[k]; a++) {
      int row0 = model->tree.row0[k], other = a == model->tree.depth[k] ? (int)k : model->tree.ancestors[row0 + a];
      size_t i = (size_t)column[k], j = (size_t)column[other];
      const double m = work->M[i * n + j] + system->M[row0 + a];
      work->M[i * n + j] = work->M[j * n + i] = m;
    }
}

/* ---- values -------------------------------------------------------------------------------------------------- */

/* Copies the blocks of a matrix from its dense form with `columns` columns. */
static void cut_matrix(mbs_equation_matrix *matrix, const double *dense, size_t columns) {
  assert(dense != NULL);
  size_t row0 = 0;
  for (size_t r = 0; r < matrix->row_count; r++) {
    size_t column0 = 0;
    for (size_t c = 0; c < matrix->column_count; c++) {
      double *out = (double *)matrix->blocks[r * matrix->column_count + c].value;
      int rows = matrix->rows[r].size, width = matrix->columns[c].size;
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) out[i * width + j] = dense[(row0 + (size_t)i) * columns + column0 + (size_t)j];
      column0 += (size_t)width;
    }
    row0 += (size_t)matrix->rows[r].size;
  }
}

/* Sets the value of a row over the bodies, or its contribution to rhsV or to gamma = rhsA + D Bdot theta'. */
static void set_row(const mbs_equations_work *work, const mbs_system *system, mbs_variable *symbol) {
  assert(symbol->number >= 0 && (size_t)symbol->number < work->model->rows);
  size_t columns = (size_t)work->model->kernels->width * work->model->nB;
  const double *D = work->D + (size_t)symbol->number * columns;
  if (symbol->quantity == MBS_QUANTITY_ROW) memcpy(symbol->value, D, columns * sizeof *D);
  if (symbol->quantity == MBS_QUANTITY_ROW_RATE) symbol->value[0] = system->rhsV[symbol->number];
  if (symbol->quantity != MBS_QUANTITY_ROW_DRIFT) return;
  symbol->value[0] = system->rhsA[symbol->number];
  for (size_t i = 0; i < columns; i++) symbol->value[0] += D[i] * work->beta[i];
}

/* Sets the value of a column of B; number -1 is Bdot theta'. */
static void set_column(const mbs_equations_work *work, const mbs_tree_columns *chain, mbs_variable *symbol) {
  size_t rows = (size_t)work->model->kernels->width * work->model->nB;
  if (symbol->number < 0) {
    memcpy(symbol->value, work->beta, rows * sizeof *work->beta);
    return;
  }
  const mbs_tree_column *column = &chain->columns[symbol->number];
  assert((size_t)symbol->number < chain->column_count);
  for (size_t i = 0; i < rows; i++)
    for (int c = 0; c < column->size; c++) {
      size_t at = (size_t)column->first_user + (size_t)c;
      symbol->value[i * (size_t)column->size + (size_t)c] = chain->bodies ? i == at : work->B[i * work->model->nv + at];
    }
}

/* Sets the values of symbols that denote rows or columns in numbers. */
static void set_numbers(const mbs_equations_work *work, mbs_symbols *symbols, const mbs_system *system) {
  for (size_t k = 0; k < symbols->count; k++) {
    mbs_variable *symbol = symbols->items[k];
    switch (symbol->quantity) {
    case MBS_QUANTITY_ROW:
    case MBS_QUANTITY_ROW_RATE:
    case MBS_QUANTITY_ROW_DRIFT: set_row(work, system, symbol); break;
    case MBS_QUANTITY_COLUMN: set_column(work, symbols->chain, symbol); break;
    default: break;
    }
  }
}

static void cut_matrices(mbs_equations *equations, const mbs_system *system, const double *h) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  size_t over_bodies = (size_t)model->kernels->width * model->nB;
  const struct {
    const char *name;
    const double *dense;
    size_t columns;
  } all[] = {{"B", work->B, model->nv},
             {"Bdot_thetad", work->beta, 1},
             {"C", work->C, model->nv},
             {"D", work->D, over_bodies},
             {"rhsV", system->rhsV, 1},
             {"rhsA", system->rhsA, 1},
             {"M", work->M, model->nv},
             {"Jac_p", work->Jac_p, 7 * model->nB},
             {"h", h, 1}};
  for (size_t m = 0; m < equations->matrix_count; m++)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      if (strcmp(equations->matrices[m].name, all[k].name) == 0)
        cut_matrix(&equations->matrices[m], all[k].dense, all[k].columns);
}

static void fill_Jac_p(mbs_equations_work *work, const mbs_system *system) {
  const mbs_model *model = work->model;
  memset(work->Jac_p, 0, (model->rows + model->nB) * 7 * model->nB * sizeof *work->Jac_p);
  mbs_jacobian_euler(system, work->D, work->Jac_p);
}

/* Copies h in the document's order into `unit`, which is no longer used at this point. */
static const double *user_h(mbs_equations_work *work, const mbs_system *system) {
  for (size_t k = 0; k < work->model->nv; k++) work->unit[k] = system->h[work->model->user_v[k]];
  return work->unit;
}

mbs_status mbs_equations_evaluate(mbs_equations *equations, double t, const double *q, const double *v) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  mbs_system *system = work->inspection->run->state.system;
  system->fault = (mbs_fault){.status = MBS_OK};
  mbs_set_position(system, t, q);
  if (system->fault.status != MBS_OK) return system->fault.status;
  memset(work->unit, 0, model->nv * sizeof *work->unit);
  fill_B(work, system);
  mbs_set_velocity(system, v);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  fill_C(work, system);
  fill_D(work, system);
  fill_beta(work, system);
  for (size_t b = 0; b <= model->nB; b++) read_motion(system, (int)b, &work->motions[b]);
  if (system->feedback) (void)mbs_evaluate(system, t, q, v); /* forces that depend on accelerations */
  model->kernels->clear_wrenches(system);
  mbs_apply_forces(system);
  for (size_t b = 1; b <= model->nB; b++) read_forces(work, system, (int)b, &work->motions[b]);
  model->kernels->generalized_forces(system);
  fill_M(work, system);
  if (work->Jac_p) fill_Jac_p(work, system);
  mbs_symbols_evaluate(&work->symbols, system, work->motions);
  mbs_symbols_evaluate(&work->body_symbols, system, work->motions);
  set_numbers(work, &work->symbols, system);
  set_numbers(work, &work->body_symbols, system);
  cut_matrices(equations, system, user_h(work, system));
  equations->t = t;
  equations->residual = mbs_largest(system->Phi, model->bilateral_rows);
  for (size_t k = 0; k < model->nq; k++) work->user_q[k] = q[model->user_q[k]];
  for (size_t k = 0; k < model->nv; k++) work->user_v[k] = v[model->user_v[k]];
  return MBS_OK;
}
