/* derivation.c - derives the matrices of the equations, block by block (theory (8.4), (8.6)):
 *     M_jk = sum_i (m_i X_ij' X_ik + T_ij' J_i T_ik)
 *     h_j  = sum_i (X_ij' (f_i - m_i b_i) + T_ij' (n_i - J_i a_i))
 * X_ij and T_ij are the blocks of B: the effect of column j on the mass centre and the rotation of body i. b_i and a_i
 * are the blocks of Bdot theta'. Sums begin at the ground. */
#include "symbolic/derivation.h"

#include "kernels/kernels.h"
#include "model/rows.h"
#include "results/columns.h"
#include "symbolic/rotor_terms.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void *room(mbs_equations_work *work, size_t count, size_t size) {
  void *memory = mbs_arena_alloc(work->arena, count ? count : 1, size);
  if (!memory) work->algebra.failed = true;
  return memory;
}

/* ---- axes ---------------------------------------------------------------------------------------------------- */

static mbs_equation_axis *column_axes(mbs_equations_work *work, const mbs_tree_columns *chain) {
  mbs_equation_axis *axes = room(work, chain->column_count, sizeof *axes);
  for (size_t c = 0; axes && c < chain->column_count; c++) {
    const mbs_tree_column *column = &chain->columns[c];
    const mbs_model *model = chain->model;
    axes[c] = (mbs_equation_axis){.label = column->label,
                                  .size = column->size,
                                  .velocities = chain->bodies ? NULL : column->velocities,
                                  .bodies = {model->bodies[column->body].name},
                                  .element = column->joint < 0 ? NULL : model->joints[column->joint].name};
  }
  return axes;
}

/* Returns the axes r_1, phi_1, ... of the bodies. */
static mbs_equation_axis *body_axes(mbs_equations_work *work) {
  const mbs_tree_columns *bodies = &work->bodies;
  return column_axes(work, bodies);
}

/* Returns the label "B.xy" of the rows "B.x" and "B.y". */
static const char *row_label(mbs_equations_work *work, const char **labels, const mbs_block *block) {
  char text[512];
  size_t length = (size_t)snprintf(text, sizeof text, "%s", labels[block->first_row]);
  for (int r = 1; r < block->rows && length < sizeof text; r++) {
    const char *dot = strrchr(labels[block->first_row + r], '.');
    length += (size_t)snprintf(text + length, sizeof text - length, "%s", dot ? dot + 1 : "");
  }
  const char *kept = mbs_arena_text(work->arena, text);
  if (!kept) work->algebra.failed = true;
  return kept;
}

static mbs_equation_axis *row_axes(mbs_equations_work *work) {
  const mbs_block *blocks = work->model->blocks;
  const char **labels = mbs_row_labels(work->model, work->arena);
  mbs_equation_axis *axes = room(work, work->model->bilateral_blocks, sizeof *axes);
  for (size_t b = 0; axes && labels && b < work->model->bilateral_blocks; b++) {
    const mbs_block *block = &blocks[b];
    const mbs_body *bodies = work->model->bodies;
    axes[b] = (mbs_equation_axis){.label = row_label(work, labels, block),
                                  .size = block->rows,
                                  .bodies = {bodies[block->frames.body1].name, bodies[block->frames.body2].name},
                                  .element = mbs_row_element(work->model, (size_t)block->first_row)};
  }
  if (!labels) work->algebra.failed = true;
  return axes;
}

/* ---- matrices ------------------------------------------------------------------------------------------------ */

static size_t numbers_along(const mbs_equation_axis *axes, size_t count) {
  size_t numbers = 0;
  for (size_t k = 0; k < count; k++) numbers += (size_t)axes[k].size;
  return numbers;
}

/* Appends a matrix of zero blocks, with one column if `columns` is NULL. Returns NULL if the matrix is not to be
 * derived or memory runs out. */
static mbs_equation_matrix *add_matrix(mbs_equations *equations, const char *name, const mbs_equation_axis *rows,
                                       size_t row_count, const mbs_equation_axis *columns, size_t column_count) {
  static const mbs_equation_axis one = {.label = "", .size = 1};
  mbs_equations_work *work = equations->work;
  if (!mbs_derives(work, name)) return NULL;
  assert(equations->matrix_count < MBS_EQUATION_MATRICES);
  mbs_equation_matrix *matrix = &equations->matrices[equations->matrix_count];
  *matrix = (mbs_equation_matrix){.name = name,
                                  .vector = !columns,
                                  .row_count = row_count,
                                  .column_count = columns ? column_count : 1,
                                  .rows = rows,
                                  .columns = columns ? columns : &one};
  matrix->blocks = room(work, row_count * matrix->column_count, sizeof *matrix->blocks);
  const mbs_term *zero = mbs_term_number(&work->algebra, 0);
  double *values =
      room(work, numbers_along(rows, row_count) * numbers_along(matrix->columns, matrix->column_count), sizeof *values);
  if (!matrix->blocks || !values) return NULL;
  equations->matrix_count++;
  for (size_t r = 0; r < row_count; r++)
    for (size_t c = 0; c < matrix->column_count; c++) {
      mbs_equation_block *block = &matrix->blocks[r * matrix->column_count + c];
      *block = (mbs_equation_block){.term = zero, .zero = true, .value = values};
      values += (size_t)rows[r].size * (size_t)matrix->columns[c].size;
    }
  return matrix;
}

/* Sets a block; does nothing if the matrix is not derived (NULL). */
static void set_block(mbs_equation_matrix *matrix, size_t row, size_t column, const mbs_term *term, bool closed) {
  if (!matrix) return;
  assert(row < matrix->row_count && column < matrix->column_count);
  mbs_equation_block *block = &matrix->blocks[row * matrix->column_count + column];
  block->term = term;
  block->closed = closed;
  block->zero = mbs_term_is_zero(term) && !closed;
}

/* ---- B and Bdot theta' --------------------------------------------------------------------------------------- */

/* Sums the contributions to Bdot theta' along the path, in its order. */
static void derive_drift(mbs_equations_work *work, mbs_body_terms *terms, size_t length) {
  mbs_sum_builder *sum = &work->summing;
  for (size_t k = 0; k < length; k++) mbs_sum_builder_add(&work->algebra, sum, terms->moved[k].drift);
  terms->drift = mbs_sum_builder_finish(&work->algebra, sum);
  for (size_t k = 0; k < length; k++) mbs_sum_builder_add(&work->algebra, sum, terms->moved[k].turn_drift);
  terms->turn_drift = mbs_sum_builder_finish(&work->algebra, sum);
}

static bool derive_body(mbs_equations_work *work, int body) {
  assert(body >= 1 && (size_t)body <= work->model->nB);
  const mbs_tree_columns *chain = &work->tree;
  mbs_body_terms *terms = &work->terms[body];
  size_t length = chain->path_lengths[body];
  terms->moved = room(work, length, sizeof *terms->moved);
  if (!terms->moved) return false;
  for (size_t k = 0; k < length; k++)
    terms->moved[k] = mbs_motion_terms_of_centre(&work->symbols, chain->paths[body][k], body);
  if (mbs_derives(work, "Bdot_thetad") || mbs_derives(work, "h")) derive_drift(work, terms, length);
  return true;
}

static bool derive_bodies(mbs_equations *equations, const mbs_equation_axis *bodies, const mbs_equation_axis *columns) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  const mbs_tree_columns *tree = &work->tree;
  mbs_equation_matrix *B = add_matrix(equations, "B", bodies, 2 * model->nB, columns, tree->column_count);
  mbs_equation_matrix *beta = add_matrix(equations, "Bdot_thetad", bodies, 2 * model->nB, NULL, 1);
  if (!B && !beta && !mbs_derives(work, "M") && !mbs_derives(work, "h")) return !work->algebra.failed;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b];
    if (!derive_body(work, body)) return false;
    const mbs_body_terms *terms = &work->terms[body];
    for (size_t k = 0; k < tree->path_lengths[body]; k++) {
      set_block(B, 2 * b, tree->paths[body][k], terms->moved[k].velocity, false);
      set_block(B, 2 * b + 1, tree->paths[body][k], terms->moved[k].turn, false);
    }
    set_block(beta, 2 * b, 0, terms->drift, false);
    set_block(beta, 2 * b + 1, 0, terms->turn_drift, false);
  }
  return !work->algebra.failed;
}

/* ---- with Euler parameters ----------------------------------------------------------------------------------- */

/* Returns the columns r_1, p_1, ... over the coordinates of the bodies. */
static mbs_equation_axis *euler_axes(mbs_equations_work *work) {
  size_t count = work->model->nB;
  mbs_equation_axis *axes = room(work, 2 * count, sizeof *axes);
  const char **labels = mbs_coordinate_labels(work->model, 0, work->arena);
  for (size_t b = 0; axes && labels && b < count; b++) {
    const char *place = mbs_arena_format(work->arena, "r_%zu", b + 1), *turn;
    turn = mbs_arena_format(work->arena, "p_%zu", b + 1);
    const char *name = work->model->bodies[work->model->user_body[b]].name;
    axes[2 * b] = (mbs_equation_axis){.label = place, .size = 3, .velocities = labels + 7 * b, .bodies = {name}};
    axes[2 * b + 1] = (mbs_equation_axis){.label = turn, .size = 4, .velocities = labels + 7 * b + 3, .bodies = {name}};
    if (!place || !turn) work->algebra.failed = true;
  }
  if (!labels) work->algebra.failed = true;
  return axes;
}

/* Returns the rows of C, then p'p = 1 for each body. */
static mbs_equation_axis *euler_rows(mbs_equations_work *work, const mbs_equation_axis *rows) {
  size_t count = work->model->nB, blocks = work->model->bilateral_blocks;
  mbs_equation_axis *axes = room(work, blocks + count, sizeof *axes);
  for (size_t r = 0; axes && r < blocks; r++) axes[r] = rows[r];
  for (size_t b = 0; axes && b < count; b++) {
    const char *name = work->model->bodies[work->model->user_body[b]].name;
    axes[blocks + b] =
        (mbs_equation_axis){.label = mbs_arena_format(work->arena, "%s.norm", name), .size = 1, .bodies = {name}};
    if (!axes[blocks + b].label) work->algebra.failed = true;
  }
  return axes;
}

/* Sets one row of Jac_p: the columns of omega_i are multiplied by 2 E_i, because omega = 2 E p'. theory (1.11) */
static void set_euler_row(mbs_equations_work *work, mbs_equation_matrix *J, size_t r, const mbs_symbolic_row *row) {
  mbs_algebra *algebra = &work->algebra;
  const mbs_term *two = mbs_term_number(algebra, 2);
  for (size_t b = 0; b < work->model->nB; b++) {
    size_t place = 2 * b, turn = place + 1;
    set_block(J, r, place, row->blocks[place], row->closed[place]);
    if (mbs_term_is_zero(row->blocks[turn]) && !row->closed[turn]) continue;
    const mbs_term *E = mbs_symbol_euler_rate(&work->symbols, work->model->user_body[b]);
    set_block(J, r, turn, mbs_term_product3(algebra, two, row->blocks[turn], E), row->closed[turn]);
  }
}

/* Adds Jac_p with the rows 2 p_i' of p'p = 1. Returns NULL if it is not to be derived or memory runs out. */
static mbs_equation_matrix *add_euler(mbs_equations *equations, const mbs_equation_axis *rows) {
  mbs_equations_work *work = equations->work;
  mbs_algebra *algebra = &work->algebra;
  size_t count = work->model->nB, blocks = work->model->bilateral_blocks;
  if (!mbs_has_euler_jacobian(work->model) || !mbs_derives(work, "Jac_p")) return NULL;
  const mbs_equation_axis *columns = euler_axes(work), *all = euler_rows(work, rows);
  if (algebra->failed) return NULL;
  mbs_equation_matrix *J = add_matrix(equations, "Jac_p", all, blocks + count, columns, 2 * count);
  for (size_t b = 0; J && b < count; b++) {
    const mbs_term *p = mbs_term_transpose(algebra, mbs_symbol_euler(&work->symbols, work->model->user_body[b]));
    set_block(J, blocks + b, 2 * b + 1, mbs_term_product(algebra, mbs_term_number(algebra, 2), p), false);
  }
  return J;
}

/* ---- C, D, rhsV, rhsA ---------------------------------------------------------------------------------------- */

static void fill_row(mbs_equation_matrix *matrix, size_t row, const mbs_symbolic_row *from) {
  for (size_t c = 0; matrix && c < matrix->column_count; c++)
    if (!mbs_term_is_zero(from->blocks[c]) || from->closed[c])
      set_block(matrix, row, c, from->blocks[c], from->closed[c]);
}

static bool derive_constraints(mbs_equations *equations, const mbs_equation_axis *bodies,
                               const mbs_equation_axis *columns) {
  mbs_equations_work *work = equations->work;
  size_t count = work->model->bilateral_blocks;
  const mbs_block *blocks = work->model->blocks; /* blocks in the order of their rows */
  const mbs_equation_axis *rows = row_axes(work);
  if (!rows || work->algebra.failed) return false;
  if (count == 0) return true;
  mbs_equation_matrix *C = add_matrix(equations, "C", rows, count, columns, work->tree.column_count);
  bool same = work->model->body_formulation;
  mbs_equation_matrix *D = add_matrix(equations, "D", rows, count, same ? columns : bodies, 2 * work->model->nB);
  mbs_equation_matrix *rhsV = add_matrix(equations, "rhsV", rows, count, NULL, 1);
  mbs_equation_matrix *rhsA = add_matrix(equations, "rhsA", rows, count, NULL, 1);
  mbs_equation_matrix *J = add_euler(equations, rows);
  for (size_t k = 0; k < count; k++) {
    mbs_symbolic_row row, over;
    if (C || rhsV || rhsA || J || (D && same)) {
      if (!mbs_symbolic_row_of(&work->symbols, &blocks[k], &row)) return false;
      fill_row(C, k, &row);
      set_block(rhsV, k, 0, row.rhsV, false);
      set_block(rhsA, k, 0, row.rhsA, row.rhsA_closed);
      if (J) set_euler_row(work, J, k, &row);
      if (same) fill_row(D, k, &row);
    }
    if (!D || same) continue;
    if (!mbs_symbolic_row_of(&work->body_symbols, &blocks[k], &over)) return false;
    fill_row(D, k, &over);
  }
  return !work->algebra.failed;
}

/* ---- M and h ------------------------------------------------------------------------------------------------- */

/* Returns M_jk; `closed`: valid where the constraints are satisfied. Only columns on the path of a body move it, and
 * two paths are equal up to their last common body. So the bodies that both columns move are those that the later
 * column moves. */
static const mbs_term *mass_block(mbs_equations_work *work, size_t j, size_t k, bool *closed) {
  assert(j < work->tree.column_count && k < work->tree.column_count);
  mbs_algebra *algebra = &work->algebra;
  const mbs_tree_columns *tree = &work->tree;
  const int first = tree->columns[j].body > tree->columns[k].body ? tree->columns[j].body : tree->columns[k].body;
  mbs_sum_builder *sum = &work->summing;
  const bool apart = !mbs_tree_column_moves(tree, j, first) || !mbs_tree_column_moves(tree, k, first);
  for (int i = first; i <= (int)work->model->nB && !apart; i++) {
    if (!mbs_tree_column_moves(tree, j, i) || !mbs_tree_column_moves(tree, k, i)) continue;
    const mbs_motion_terms *one = &work->terms[i].moved[tree->positions[j]],
                           *two = &work->terms[i].moved[tree->positions[k]];
    const mbs_term *m = mbs_symbol_mass(&work->symbols, i), *J = mbs_symbol_inertia(&work->symbols, i);
    const mbs_term *X = mbs_term_product(algebra, mbs_term_transpose(algebra, one->velocity), two->velocity);
    mbs_sum_builder_add(algebra, sum, mbs_term_product(algebra, m, X));
    mbs_sum_builder_add(algebra, sum, mbs_term_product3(algebra, mbs_term_transpose(algebra, one->turn), J, two->turn));
  }
  *closed = mbs_rotor_terms_add_mass(work, j, k);
  return mbs_sum_builder_finish(algebra, sum);
}

static const mbs_term *force_block(mbs_equations_work *work, size_t j, bool *closed) {
  assert(j < work->tree.column_count);
  mbs_algebra *algebra = &work->algebra;
  const mbs_tree_columns *tree = &work->tree;
  mbs_sum_builder *sum = &work->summing;
  for (int i = tree->columns[j].body; i <= (int)work->model->nB; i++) {
    if (!mbs_tree_column_moves(tree, j, i)) continue;
    const mbs_body_terms *terms = &work->terms[i];
    const mbs_motion_terms *one = &terms->moved[tree->positions[j]];
    const mbs_term *f = mbs_symbol_force(&work->symbols, i), *n = mbs_symbol_torque(&work->symbols, i);
    const mbs_term *m = mbs_symbol_mass(&work->symbols, i), *J = mbs_symbol_inertia(&work->symbols, i);
    f = mbs_term_difference(algebra, f, mbs_term_product(algebra, m, terms->drift));
    n = mbs_term_difference(algebra, n, mbs_term_product(algebra, J, terms->turn_drift));
    mbs_sum_builder_add(algebra, sum, mbs_term_product(algebra, mbs_term_transpose(algebra, one->velocity), f));
    mbs_sum_builder_add(algebra, sum, mbs_term_product(algebra, mbs_term_transpose(algebra, one->turn), n));
  }
  *closed = mbs_rotor_terms_add_force(work, j);
  return mbs_sum_builder_finish(algebra, sum);
}

static bool derive_dynamics(mbs_equations *equations, const mbs_equation_axis *columns) {
  mbs_equations_work *work = equations->work;
  size_t count = work->tree.column_count;
  if ((mbs_derives(work, "M") || mbs_derives(work, "h")) && !(work->rotors = mbs_rotor_terms_of(work))) return false;
  mbs_equation_matrix *M = add_matrix(equations, "M", columns, count, columns, count);
  mbs_equation_matrix *h = add_matrix(equations, "h", columns, count, NULL, 1);
  for (size_t j = 0; j < count && !work->algebra.failed; j++) {
    bool closed;
    for (size_t k = 0; M && k < count; k++) {
      const mbs_term *block = mass_block(work, j, k, &closed);
      if (!mbs_term_is_zero(block)) set_block(M, j, k, block, closed);
    }
    const mbs_term *force = h ? force_block(work, j, &closed) : NULL;
    if (h) set_block(h, j, 0, force, closed);
  }
  return !work->algebra.failed;
}

/* ---- symbols that occur -------------------------------------------------------------------------------------- */

static void mark(const mbs_term *term, unsigned matrix) {
  if (term->kind == MBS_TERM_SYMBOL) ((mbs_variable *)term->symbol)->shown |= matrix;
  for (size_t k = 0; k < term->count; k++) mark(term->parts[k], matrix);
}

static const char *point_name(const mbs_symbols *symbols, const mbs_spot *spot) {
  int point = mbs_symbol_point_at(symbols, spot);
  return point < 0 ? NULL : symbols->model->points[point].name;
}

static const mbs_equation_place *place_of(mbs_symbols *symbols, const mbs_spot *spot) {
  mbs_equation_place *place = mbs_arena_alloc(symbols->algebra->arena, 1, sizeof *place);
  if (!place) {
    symbols->algebra->failed = true;
    return NULL;
  }
  place->body = (size_t)symbols->chain->user_of[spot->body];
  memcpy(place->at, spot->s, sizeof place->at);
  return place;
}

static mbs_equation_symbol shown_symbol(mbs_symbols *symbols, const mbs_variable *symbol) {
  int size = symbol->rows * symbol->columns;
  const mbs_model *model = symbols->model;
  bool between = symbol->quantity <= MBS_QUANTITY_DRIFT;
  mbs_equation_symbol shown = {.name = symbol->name,
                               .meaning = symbol->meaning,
                               .unit = symbol->unit,
                               .kind = size == 1              ? "scalar"
                                       : symbol->columns == 1 ? "vector"
                                                              : "matrix",
                               .equal = symbol->equal,
                               .rows = symbol->rows,
                               .columns = symbol->columns,
                               .matrices = symbol->shown,
                               .value = symbol->value,
                               .term = mbs_term_symbol(symbols->algebra, symbol)};
  bool somewhere = symbol->quantity <= MBS_QUANTITY_RELATIVE_OMEGA;
  shown.joint = symbol->joint;
  if (somewhere) shown.from = place_of(symbols, &symbol->from);
  if (between) shown.to = place_of(symbols, &symbol->to);
  shown.bodies[1] = symbol->quantity < MBS_QUANTITY_COORDINATE ? model->bodies[symbol->to.body].name : NULL;
  if (between) {
    shown.bodies[0] = model->bodies[symbol->from.body].name;
    shown.points[0] = point_name(symbols, &symbol->from);
    shown.points[1] = point_name(symbols, &symbol->to);
  }
  return shown;
}

/* Returns the symbol of the same name in the other table if it is shown, else NULL. */
static mbs_variable *shared(const mbs_symbols *other, const mbs_variable *symbol) {
  mbs_variable *known = other ? mbs_symbol_known(other, symbol->name) : NULL;
  return known && known->shown ? known : NULL;
}

/* Lists the shown symbols, except those that the other table also shows. */
static void list_symbols(mbs_equations *equations, mbs_symbols *from, const mbs_symbols *other) {
  for (size_t k = 0; k < from->count; k++)
    if (from->items[k]->shown && !shared(other, from->items[k]))
      equations->symbols[equations->symbol_count++] = shown_symbol(from, from->items[k]);
}

/* Marks symbols that both tables show for the matrices of both; they are listed once. */
static void share_symbols(const mbs_symbols *bodies, const mbs_symbols *tree) {
  for (size_t k = 0; k < bodies->count; k++) {
    mbs_variable *own = shared(tree, bodies->items[k]);
    if (own) own->shown |= bodies->items[k]->shown;
  }
}

/* Marks the rates of the coordinates, which are always shown. If all matrices are derived, also marks the rate of every
 * shown symbol. */
static void mark_rates(mbs_symbols *symbols, bool all) {
  for (size_t c = 0; c < symbols->chain->column_count && !symbols->chain->bodies; c++)
    mark(mbs_symbol_coordinate(symbols, c), ~0u);
  for (size_t k = 0; k < symbols->count && all; k++) {
    mbs_variable *variable = symbols->items[k];
    if (variable->rate == 0 || variable->shown) continue;
    const mbs_symbol_name name = {variable->letter, variable->index, variable->over, 0, false};
    const mbs_variable *base = mbs_symbol_known(symbols, mbs_symbol_spelled(symbols, &name));
    if (base) variable->shown = base->shown;
  }
}

static bool collect_symbols(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    for (size_t k = 0; k < matrix->row_count * matrix->column_count; k++) mark(matrix->blocks[k].term, 1u << m);
  }
  mark_rates(&work->symbols, !work->only);
  share_symbols(&work->body_symbols, &work->symbols);
  equations->symbols = room(work, work->symbols.count + work->body_symbols.count, sizeof *equations->symbols);
  if (!equations->symbols) return false;
  list_symbols(equations, &work->symbols, NULL);
  list_symbols(equations, &work->body_symbols, &work->symbols);
  return true;
}

static bool list_branches(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  const mbs_model *model = work->model;
  equations->tree = room(work, model->nB, sizeof *equations->tree);
  if (!equations->tree) return false;
  equations->body_count = model->nB;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b], joint = model->tree_joint[body];
    equations->tree[b] = (mbs_equation_branch){.body = model->bodies[body].name,
                                               .on = model->bodies[joint < 0 ? 0 : model->parent[body]].name,
                                               .joint = joint < 0 ? NULL : model->joints[joint].name};
  }
  return true;
}

/* Gives R and h of joints in the tree their names before those of cuts, so that names do not depend on the derived
 * matrices. */
static void name_constants(mbs_equations_work *work) {
  const mbs_tree_columns *tree = &work->tree;
  for (size_t b = 0; b < work->model->nB; b++)
    for (size_t k = 0; k < tree->path_lengths[work->model->user_body[b]]; k++) {
      size_t c = tree->paths[work->model->user_body[b]][k];
      if (tree->columns[c].rolls) mbs_symbol_roll(&work->symbols, c);
      if (tree->columns[c].screws) mbs_symbol_pitch(&work->symbols, c);
    }
}

bool mbs_derive(mbs_equations *equations) {
  assert(equations->work != NULL && equations->matrix_count == 0);
  mbs_equations_work *work = equations->work;
  equations->matrices = room(work, MBS_EQUATION_MATRICES, sizeof *equations->matrices);
  work->terms = room(work, work->model->nB + 1, sizeof *work->terms);
  const mbs_equation_axis *columns = column_axes(work, &work->tree), *bodies = body_axes(work);
  if (work->algebra.failed) return false;
  work->bodies_axes = bodies;
  name_constants(work);
  return derive_bodies(equations, bodies, columns) && derive_constraints(equations, bodies, columns) &&
         derive_dynamics(equations, columns) && collect_symbols(equations) && list_branches(equations) &&
         !work->algebra.failed;
}
