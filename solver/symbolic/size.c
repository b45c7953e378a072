/* size.c - computes the size of the matrices from the tree alone: P_i columns are on the path of body i, T_i of them
 * rotate it, and its part of Bdot theta' has d_i products:
 *     B   sum_i P_i + T_i
 *     M   sum_i P_i^2 + T_i^2
 *     h   sum_i P_i (1 + d_i) + T_i (1 + T_i) */
#include "symbolic/rows.h"
#include "symbolic/tree_columns.h"

#include "kernels/kernels.h"

#include "mbs/equations.h"

#include <string.h>

/* Counts for one body. */
typedef struct reach {
  size_t columns, turns, sums, drift, own; /* `sums`: columns with two products, e.g. of a rolling joint */
  bool carries;                            /* carries another body */
} reach;

/* Products of a constraint besides those of its columns. */
enum { ROW_PRODUCTS = 6 };

static bool turns(const mbs_tree_column *column) {
  return column->kind != MBS_MOTION_SLIDE && column->kind != MBS_MOTION_PLACE;
}

static void count_reaches(const mbs_tree_columns *chain, reach *reaches) {
  const mbs_model *model = chain->model;
  const size_t halves = chain->model->kernels->dim == 3 ? 2 : 1; /* ~u dot(d) and ~dot(u) d */
  for (size_t c = 0; c < chain->column_count; c++) {
    reach *of = &reaches[chain->columns[c].body];
    of->own++;
    of->turns += turns(&chain->columns[c]);
    of->sums += chain->columns[c].rolls || chain->columns[c].screws;
    of->drift += chain->columns[c].kind == MBS_MOTION_PLACE ? 0 : halves;
  }
  for (size_t b = 1; b <= model->nB; b++) { /* parents come first */
    const int parent = model->parent[b];
    reaches[b].columns = reaches[parent].columns + reaches[b].own;
    reaches[b].turns += reaches[parent].turns;
    reaches[b].sums += reaches[parent].sums;
    reaches[b].drift += reaches[parent].drift;
    reaches[parent].carries = true;
  }
}

static bool floats_alone(const mbs_tree_columns *chain, const reach *reaches, size_t c) {
  return chain->columns[c].kind == MBS_MOTION_SPIN && !reaches[chain->columns[c].body].carries;
}

static void count_bodies(const mbs_tree_columns *chain, const reach *reaches, mbs_equation_size *B,
                         mbs_equation_size *beta) {
  const size_t nB = chain->model->nB;
  B->cells = 2 * nB * chain->column_count;
  beta->cells = 2 * nB;
  for (size_t b = 1; b <= nB; b++) {
    const reach *at = &reaches[b];
    B->blocks += at->columns + at->turns;
    B->products += at->columns + at->turns + at->sums;
    beta->blocks += at->drift > 0;
    beta->products += at->drift;
    if (chain->model->kernels->dim == 2) continue;
    beta->blocks += at->turns > 0;
    beta->products += at->turns;
  }
  for (size_t c = 0; c < chain->column_count;
       c++) { /* a SPIN does not move the body's own mass centre; a PLACE does not rotate */
    B->blocks -= chain->columns[c].kind == MBS_MOTION_SPIN;
    if (!floats_alone(chain, reaches, c)) continue;
    beta->blocks--;
    beta->products--;
  }
}

/* Counts J' I J and J' I b. Blocks of M are new between the two bodies, and between the columns of a body. */
static void count_rotors(const mbs_tree_columns *chain, const reach *reaches, mbs_equation_size *M,
                         mbs_equation_size *h) {
  const mbs_model *model = chain->model;
  for (size_t i = 0; i < model->rotor_count; i++) {
    const mbs_block *at = &model->coordinates[model->rotors[i].coordinate];
    const reach *one = &reaches[at->frames.body1], *two = &reaches[at->frames.body2];
    const bool turn = mbs_is_turn(at->primitive);
    const size_t first = turn ? one->turns : one->columns, second = turn ? two->turns : two->columns;
    if (at->primitive == MBS_PRIMITIVE_EULER && at->component != 1) continue; /* component 1 has all terms */
    M->products += model->rotors[i].coupled ? (first + second) * (first + second) : 1;
    h->products += model->rotors[i].coupled ? ROW_PRODUCTS * (first + second) : 0;
    if (!model->rotors[i].coupled) continue;
    M->blocks += 2 * first * second + (turn ? 0 : 2 * (first > 0) + 2 * (second > 0));
    if (M->blocks > M->cells) M->blocks = M->cells;
  }
}

static void count_dynamics(const mbs_tree_columns *chain, const reach *reaches, mbs_equation_size *M,
                           mbs_equation_size *h) {
  M->cells = chain->column_count * chain->column_count;
  h->cells = h->blocks = chain->column_count;
  for (size_t b = 1; b <= chain->model->nB; b++) {
    const reach *at = &reaches[b];
    M->products += at->columns * at->columns + at->turns * at->turns;
    h->products += at->columns * (1 + at->drift) + at->turns * (1 + at->turns);
  }
  for (size_t c = 0; c < chain->column_count; c++) {
    const reach *at = &reaches[chain->columns[c].body];
    M->blocks += 2 * at->columns - at->own;
    if (floats_alone(chain, reaches, c)) M->blocks -= 2;
  }
  count_rotors(chain, reaches, M, h);
}

/* Counts the columns on the paths of the bodies of a block of rows. */
static size_t columns_of(const reach *reaches, const mbs_block *block, size_t *bodies) {
  size_t columns = reaches[block->frames.body1].columns + reaches[block->frames.body2].columns;
  *bodies = 2;
  if (block->custom == NULL) return columns;
  const mbs_joint *joint = block->custom;
  columns = 0;
  for (int k = 0; k < joint->body_count; k++) columns += reaches[joint->bodies[k]].columns;
  *bodies = (size_t)joint->body_count;
  return columns;
}

static void count_constraints(const mbs_tree_columns *chain, const reach *reaches, mbs_equation_size *C,
                              mbs_equation_size *D, mbs_equation_size *rhsV, mbs_equation_size *rhsA) {
  const mbs_model *model = chain->model;
  const size_t count = model->bilateral_blocks;
  C->cells = count * chain->column_count;
  D->cells = count * 2 * model->nB;
  rhsV->cells = rhsV->products = rhsA->cells = rhsA->blocks = count;
  for (size_t k = 0; k < count; k++) {
    size_t bodies, columns = columns_of(reaches, &model->blocks[k], &bodies);
    rhsV->blocks += mbs_symbolic_row_has_rate(model, &model->blocks[k]);
    C->blocks += columns < chain->column_count ? columns : chain->column_count;
    C->products += 2 * columns; /* terms of a screw or a disc */
    D->blocks += 2 * bodies;
    rhsA->products += 2 * columns + ROW_PRODUCTS;
  }
  D->products = 2 * D->blocks;
}

size_t mbs_equations_sizes(const mbs_model *model, mbs_equation_size sizes[MBS_EQUATION_MATRICES]) {
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  reach *reaches = arena ? mbs_arena_alloc(arena, model->nB + 1, sizeof *reaches) : NULL;
  mbs_tree_columns chain;
  mbs_equation_size B = {.name = "B"}, beta = {.name = "Bdot_thetad"}, C = {.name = "C"}, D = {.name = "D"},
                    rhsV = {.name = "rhsV"}, rhsA = {.name = "rhsA"}, J = {.name = "Jac_p"}, M = {.name = "M"},
                    h = {.name = "h"};
  size_t count = 0;
  if (reaches && mbs_tree_columns_list(&chain, model->constants, false, arena)) {
    count_reaches(&chain, reaches);
    count_bodies(&chain, reaches, &B, &beta);
    count_constraints(&chain, reaches, &C, &D, &rhsV, &rhsA);
    count_dynamics(&chain, reaches, &M, &h);
    const bool euler = model->body_formulation && model->dim == 3 && model->bilateral_rows > 0;
    J = (mbs_equation_size){"Jac_p", C.cells + 2 * model->nB * model->nB, C.blocks + model->nB, C.products + model->nB};
    sizes[count++] = B;
    sizes[count++] = beta;
    if (model->bilateral_blocks > 0) sizes[count++] = C;
    if (model->bilateral_blocks > 0) sizes[count++] = D;
    if (model->bilateral_blocks > 0) sizes[count++] = rhsV;
    if (model->bilateral_blocks > 0) sizes[count++] = rhsA;
    if (euler) sizes[count++] = J;
    sizes[count++] = M;
    sizes[count++] = h;
  }
  mbs_arena_free(arena);
  return count;
}
