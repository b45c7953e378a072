/* formulation.c - choice of the coordinates that are predicted to be cheaper, if the document does not specify them.
 *
 * In joint coordinates all rows that depend on one velocity are coupled in S: rows of loops that a body carries form a
 * clique, and loops in a chain, as in a ladder, are all carried by its foot. Body coordinates have more rows, but each
 * is coupled only with those of its neighbours. */
#include <assert.h>

#include "builder/builder.h"

/* Multiplications per row of body coordinates in an evaluation, and the factor by which they must be cheaper than joint
 * coordinates. Measured. */
static const double row_cost = 700, least_gain = 4;

/* Returns the rows of a joint as a cut. */
static int rows_of(const mbs_model *model, const mbs_joint *joint) {
  int rows = 0;
  for (size_t r = 0; r < joint->shape->row_count; r++)
    rows += model->kernels->primitive_rows(joint->shape->rows[r].primitive);
  return rows * joint->copies;
}

/* Returns the last common body of two branches. */
static int meeting(const mbs_tree_choice *tree, const int *depth, int a, int b) {
  assert(a >= 0 && b >= 0);
  while (a != b)
    if (depth[a] >= depth[b])
      a = tree->parent[a];
    else
      b = tree->parent[b];
  return a;
}

/* Returns true if the document leaves the choice to the program and uses nothing that differs between the
 * formulations. */
static bool may_choose(const mbs_model *model) {
  if (model->formulation_given || model->type != MBS_DYNAMICS || model->any_hold) return false;
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cut != MBS_CUT_AUTO) return false;
  return true;
}

/* Returns the multiplications of an evaluation in joint coordinates: S, and a lower bound for its factors. theory
 * (8.23) */
static double joint_cost(const mbs_model *model, const mbs_tree_choice *tree, int *depth, double *carried) {
  double cost = 0;
  for (size_t k = 0; k < model->nB; k++) depth[tree->order[k]] = depth[tree->parent[tree->order[k]]] + 1;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    const int one = joint->frames.body1, two = joint->frames.body2;
    if (tree->carrier[one] == (int)j || tree->carrier[two] == (int)j) continue;
    const int rows = rows_of(model, joint);
    carried[one] += rows;
    carried[two] += rows;
    carried[meeting(tree, depth, one, two)] -= rows; /* this body carries both */
  }
  for (size_t k = model->nB; k-- > 0;) {
    const int body = tree->order[k], joint = tree->carrier[body];
    const double n = carried[body];
    const double velocities = joint < 0 ? model->kernels->width : (double)model->joints[joint].shape->coordinate_count;
    cost += velocities * n * n / 2;
    if (tree->parent[body] == 0) cost += n * n * n / 3; /* a separate clique */
    carried[tree->parent[body]] += n;
  }
  return cost;
}

bool mbs_choose_formulation(mbs_builder *builder, const mbs_tree_choice *tree) {
  mbs_model *model = builder->model;
  if (!may_choose(model)) return true;
  int *depth = mbs_builder_alloc(builder, model->nB + 1, sizeof *depth);
  double *carried = mbs_builder_alloc(builder, model->nB + 1, sizeof *carried), rows = 0;
  if (builder->failed) return false;
  for (size_t j = 0; j < model->joint_count; j++) rows += rows_of(model, &model->joints[j]);
  model->body_formulation = joint_cost(model, tree, depth, carried) > least_gain * row_cost * rows;
  return true;
}
