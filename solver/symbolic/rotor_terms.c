/* Rotors in symbols (theory (8.26)):   M_jk += J_j' I J_k,   h_j -= J_j' I b.
 *
 * J is the row of the rotor's coordinate. Of a rotation in space it is u' (T_2 - T_1) with the axis u of body s, and
 *
 *     b = u' (a_2 - a_1) + (omega_s x u)' (omega_2 - omega_1)
 *
 * valid where the joint holds its axes. The rotor of a ball joint has the identity for u', with s = 1:
 * b = a_2 - a_1 - omega_1 x omega_2. */
#include "symbolic/rotor_terms.h"

#include <assert.h>

typedef struct writer {
  mbs_equations_work *work;
  mbs_algebra *algebra;
  const mbs_rotor *rotor;
  const mbs_block *coordinate;
  mbs_rotor_terms *out;
} writer;

static const mbs_term *zero_of(const writer *w) { return mbs_term_number(w->algebra, 0); }

/* Returns the effect of a column on the rotation of a body. */
static const mbs_term *turn_of(const writer *w, size_t column, int body) {
  const mbs_tree_columns *tree = &w->work->tree;
  if (body == 0 || !mbs_tree_column_moves(tree, column, body)) return zero_of(w);
  return w->work->terms[body].moved[tree->positions[column]].turn;
}

/* Returns the drift a of a body's rotation. */
static const mbs_term *drift_of(const writer *w, int body) {
  const mbs_term *drift = body == 0 ? NULL : w->work->terms[body].turn_drift;
  return drift ? drift : zero_of(w); /* without h it is not derived */
}

/* Returns the block of the rotor's coordinate with the first row of its joint, from which symbols have their
 * names. */
static mbs_block row_of(const writer *w) {
  mbs_block block = *w->coordinate;
  block.first_row = w->work->model->joints[block.of_joint].first_row;
  return block;
}

/* Writes the row of a rotation in space. */
static void write_turn(const writer *w) {
  mbs_algebra *algebra = w->algebra;
  mbs_symbols *symbols = &w->work->symbols;
  const mbs_block *at = w->coordinate;
  const int first = at->frames.body1, second = at->frames.body2, side = at->primitive == MBS_PRIMITIVE_CROSS2 ? 2 : 1;
  const bool ball = at->primitive == MBS_PRIMITIVE_EULER;
  const mbs_block block = row_of(w);
  const mbs_term *u = ball ? mbs_term_identity(algebra) : mbs_symbol_cut_axis(symbols, &block, side);
  const mbs_term *across = mbs_term_transpose(algebra, u);
  for (size_t c = 0; c < w->work->tree.column_count; c++)
    w->out->blocks[c] =
        mbs_term_product(algebra, across, mbs_term_difference(algebra, turn_of(w, c, second), turn_of(w, c, first)));
  const mbs_term *spin =
      mbs_term_difference(algebra, mbs_symbol_omega(symbols, second), mbs_symbol_omega(symbols, first));
  const mbs_term *carried = mbs_term_tilde(algebra, mbs_symbol_omega(symbols, side == 1 ? first : second));
  const mbs_term *turning =
      ball ? mbs_term_negative(algebra, mbs_term_product(algebra, carried, mbs_symbol_omega(symbols, second)))
           : mbs_term_product(algebra, mbs_term_transpose(algebra, mbs_term_product(algebra, carried, u)), spin);
  const mbs_term *drift = mbs_term_difference(algebra, drift_of(w, second), drift_of(w, first));
  w->out->bias = mbs_term_sum(algebra, mbs_term_product(algebra, across, drift), turning);
  w->out->closed = !ball;
}

/* Writes the row of a coordinate that is one of constraints, too. Returns false if memory runs out. */
static bool write_row(const writer *w) {
  mbs_symbolic_row row;
  const mbs_block block = row_of(w);
  if (!mbs_symbolic_row_of(&w->work->symbols, &block, &row)) return false;
  assert(!row.in_numbers);
  w->out->blocks = row.blocks;
  w->out->bias = mbs_term_negative(w->algebra, row.rhsA);
  w->out->closed = row.rhsA_closed;
  for (size_t c = 0; c < w->work->tree.column_count; c++) w->out->closed |= row.closed[c];
  return true;
}

/* Returns true if the column of the tree is the rotation of a ball, whose rates are those of the rotor. */
static bool write_ball(const writer *w) {
  const mbs_tree_columns *tree = &w->work->tree;
  bool found = false;
  for (size_t c = 0; c < tree->column_count; c++) {
    const mbs_tree_column *at = &tree->columns[c];
    const bool own = !tree->bodies && at->joint == w->coordinate->of_joint && at->size == 3 &&
                     (at->kind == MBS_MOTION_BALL || at->kind == MBS_MOTION_SPIN);
    if (own) w->out->blocks[c] = mbs_term_identity(w->algebra);
    found = found || own;
  }
  return found && !w->rotor->coupled;
}

/* Returns true if the joint floats in body coordinates, where its coordinates are those of its body. */
static bool write_floating(const writer *w) {
  const mbs_tree_columns *tree = &w->work->tree;
  if (!w->rotor->coupled || w->work->model->joints[w->coordinate->of_joint].row_count > 0) return false;
  for (size_t c = 0; c < tree->column_count; c++) {
    const mbs_tree_column *at = &tree->columns[c];
    if (at->body != w->coordinate->frames.body2) continue;
    if (at->kind == MBS_MOTION_PLACE && mbs_is_length(w->coordinate->primitive))
      w->out->blocks[c] = mbs_term_transpose(w->algebra, mbs_symbol_cut_axis(&w->work->symbols, w->coordinate, 1));
    if (at->kind == MBS_MOTION_SPIN && mbs_is_turn(w->coordinate->primitive))
      w->out->blocks[c] = w->algebra->dim == 3 ? mbs_term_identity(w->algebra) : mbs_term_number(w->algebra, 1);
  }
  return true;
}

static bool is_turn_in_space(const writer *w) {
  return w->rotor->coupled && w->algebra->dim == 3 && mbs_is_turn(w->coordinate->primitive);
}

static bool write(const writer *w) {
  const bool euler = w->coordinate->primitive == MBS_PRIMITIVE_EULER;
  for (size_t c = 0; c < w->work->tree.column_count; c++) w->out->blocks[c] = zero_of(w);
  if (euler && w->coordinate->component != 1) return true;
  w->out->inertia = mbs_symbol_rotor(&w->work->symbols, (size_t)(w->rotor - w->work->model->rotors));
  if (write_floating(w) || (euler && write_ball(w))) return true;
  if (!is_turn_in_space(w)) return write_row(w);
  write_turn(w);
  return true;
}

mbs_rotor_terms *mbs_rotor_terms_of(mbs_equations_work *work) {
  const mbs_model *model = work->model;
  mbs_arena *arena = work->arena;
  mbs_rotor_terms *all = mbs_arena_alloc(arena, model->rotor_count + 1, sizeof *all);
  for (size_t i = 0; all && i < model->rotor_count; i++) {
    const mbs_term *zero = mbs_term_number(&work->algebra, 0);
    all[i] = (mbs_rotor_terms){mbs_arena_alloc(arena, work->tree.column_count + 1, sizeof *all[i].blocks), zero, zero,
                               false};
    const writer w = {work, &work->algebra, &model->rotors[i], &model->coordinates[model->rotors[i].coordinate],
                      &all[i]};
    if (!all[i].blocks || !write(&w)) return NULL;
  }
  return work->algebra.failed ? NULL : all;
}

bool mbs_rotor_terms_add_mass(mbs_equations_work *work, size_t j, size_t k) {
  mbs_algebra *algebra = &work->algebra;
  bool closed = false;
  for (size_t i = 0; i < work->model->rotor_count; i++) {
    const mbs_rotor_terms *at = &work->rotors[i];
    const mbs_term *across = mbs_term_transpose(algebra, at->blocks[j]);
    const mbs_term *x = mbs_term_product3(algebra, across, at->inertia, at->blocks[k]);
    mbs_sum_builder_add(algebra, &work->summing, x);
    closed |= at->closed && !mbs_term_is_zero(x);
  }
  return closed;
}

bool mbs_rotor_terms_add_force(mbs_equations_work *work, size_t j) {
  mbs_algebra *algebra = &work->algebra;
  bool closed = false;
  for (size_t i = 0; i < work->model->rotor_count; i++) {
    const mbs_rotor_terms *at = &work->rotors[i];
    const mbs_term *across = mbs_term_transpose(algebra, at->blocks[j]);
    mbs_sum_builder_add(algebra, &work->summing,
                        mbs_term_negative(algebra, mbs_term_product3(algebra, across, at->inertia, at->bias)));
    closed |= at->closed && !mbs_term_is_zero(at->blocks[j]);
  }
  return closed;
}
