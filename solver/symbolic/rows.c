/* rows.c - derives one block of constraint rows, by its primitive. A column on the path of the first body only is an
 * a-column, on the path of the second body only a b-column. X and T are its effect on the velocity of a point and on
 * the rotation of a body (motion_terms.h).
 *                a-column                 b-column       rhsA = gamma - D Bdot theta'
 *   point        X_P1                     -X_P2          -(b_P1 - b_P2)
 *   distance     e' X_P1                  -e' X_P2       -e' b - (d'' d' - (e' d')^2) / l, d' the rate of d
 *   normal       ~u' X_P2                 -~u' X_P2      -~u' b + 2 omega_1 u' d' + omega_1^2 ~u' d
 *   along        -u' X_P2                 u' X_P2        -u' b - 2 omega_1 ~u' d' + omega_1^2 u' d in the plane
 *   parallel     -T                       T              0
 *   angle        w_1 T                    w_2 T          0
 *   dot          (~a1 a2)' T              -(~a1 a2)' T   see dot_drift()
 * d and its velocity part b are first point minus second point, for `along` second minus first. The row of a custom
 * constraint has no symbolic blocks: its row over the bodies is shown in numbers. */
#include "symbolic/rows.h"

#include "kernels/kernels.h"
#include "model/element.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct writer {
  mbs_symbols *symbols;
  mbs_algebra *algebra;
  const mbs_block *block;
  mbs_symbolic_row *out;
  int scale; /* 1 or -1 */
} writer;

static const mbs_term *number(const writer *w, double value) { return mbs_term_number(w->algebra, value); }
static const mbs_term *times(const writer *w, const mbs_term *x, const mbs_term *y) {
  return mbs_term_product(w->algebra, x, y);
}
static const mbs_term *plus(const writer *w, const mbs_term *x, const mbs_term *y) {
  return mbs_term_sum(w->algebra, x, y);
}
static const mbs_term *minus(const writer *w, const mbs_term *x) { return mbs_term_negative(w->algebra, x); }
static const mbs_term *across(const writer *w, const mbs_term *x) { return mbs_term_transpose(w->algebra, x); }
static const mbs_term *tilde(const writer *w, const mbs_term *x) { return mbs_term_tilde(w->algebra, x); }

/* x' y */
static const mbs_term *dot(const writer *w, const mbs_term *x, const mbs_term *y) { return times(w, across(w, x), y); }

/* ---- the columns of a row ------------------------------------------------------------------------------------ */

enum { FIRST = 1, SECOND = 2, BOTH = 3 };

static int on_paths(const writer *w, size_t column) {
  assert(column < w->symbols->chain->column_count);
  const mbs_tree_columns *chain = w->symbols->chain;
  const mbs_frames *frames = &w->block->frames;
  return (mbs_tree_column_moves(chain, column, frames->body1) ? FIRST : 0) |
         (mbs_tree_column_moves(chain, column, frames->body2) ? SECOND : 0);
}

static bool turns(const writer *w, size_t column) {
  mbs_motion_kind kind = w->symbols->chain->columns[column].kind;
  return kind != MBS_MOTION_SLIDE && kind != MBS_MOTION_PLACE;
}

/* Returns the block of a column on one side only; `sign` is for the first body's. */
typedef const mbs_term *one_side(const writer *w, size_t column, int side);

/* Sets the columns of one side by `block` and those of both sides to zero; with `open`, these are zero only if the
 * constraint is satisfied. */
static void fill_columns(const writer *w, one_side *block, bool open) {
  size_t count = w->symbols->chain->column_count;
  for (size_t c = 0; c < count; c++) {
    int side = on_paths(w, c);
    const mbs_term *term = side == FIRST || side == SECOND ? block(w, c, side) : number(w, 0);
    w->out->blocks[c] = mbs_term_signed(w->algebra, w->scale, term);
    w->out->closed[c] = side == BOTH && open && turns(w, c);
  }
}

static const mbs_term *signed_side(const writer *w, int side, const mbs_term *x) {
  assert(side == FIRST || side == SECOND);
  return side == FIRST ? x : minus(w, x);
}

/* ---- points -------------------------------------------------------------------------------------------------- */

static const mbs_term *point_block(const writer *w, size_t column, int side) {
  return signed_side(w, side, mbs_motion_terms_of_cut(w->symbols, column, w->block, side).velocity);
}

/* Writes -(b_P1 - b_P2), with its parts along both paths; the common parts cancel if the constraint is satisfied. */
static void write_point(const writer *w) {
  const mbs_tree_columns *chain = w->symbols->chain;
  const mbs_term *sum = number(w, 0);
  fill_columns(w, point_block, true);
  for (int side = FIRST; side <= SECOND; side++) {
    int body = side == FIRST ? w->block->frames.body1 : w->block->frames.body2;
    for (size_t k = 0; k < chain->path_lengths[body]; k++) {
      size_t column = chain->paths[body][k];
      if (on_paths(w, column) == BOTH) {
        w->out->rhsA_closed = w->out->rhsA_closed || turns(w, column);
        continue;
      }
      const mbs_term *drift = mbs_motion_terms_of_cut(w->symbols, column, w->block, side).drift;
      sum = plus(w, sum, side == FIRST ? minus(w, drift) : drift);
    }
  }
  w->out->rhsA = sum;
}

static const mbs_term *gap(const writer *w, bool reversed, mbs_quantity quantity, int rate) {
  return mbs_symbol_gap(w->symbols, w->block, reversed, quantity, rate);
}

static const mbs_term *distance_block(const writer *w, size_t column, int side) {
  const mbs_term *e = gap(w, false, MBS_QUANTITY_UNIT, 0);
  return signed_side(w, side, dot(w, e, mbs_motion_terms_of_cut(w->symbols, column, w->block, side).velocity));
}

static void write_distance(const writer *w) {
  const mbs_term *e = gap(w, false, MBS_QUANTITY_UNIT, 0), *l = gap(w, false, MBS_QUANTITY_LENGTH, 0);
  const mbs_term *b = gap(w, false, MBS_QUANTITY_DRIFT, 0), *rate = gap(w, false, MBS_QUANTITY_BETWEEN, 1);
  fill_columns(w, distance_block, false);
  const mbs_term *across_e =
      mbs_term_difference(w->algebra, dot(w, rate, rate), mbs_term_square(w->algebra, dot(w, e, rate)));
  w->out->rhsA = plus(w, minus(w, dot(w, e, b)), minus(w, mbs_term_quotient(w->algebra, across_e, l)));
}

/* ---- normal, along ------------------------------------------------------------------------------------------- */

static const mbs_term *axis(const writer *w, int side) { return mbs_symbol_cut_axis(w->symbols, w->block, side); }

static const mbs_term *normal_block(const writer *w, size_t column, int side) {
  const mbs_term *X = mbs_motion_terms_of_cut(w->symbols, column, w->block, 2).velocity;
  return signed_side(w, side, dot(w, tilde(w, axis(w, 1)), X));
}

static void write_normal(const writer *w) {
  const mbs_term *u = axis(w, 1), *omega = mbs_symbol_omega(w->symbols, w->block->frames.body1);
  const mbs_term *b = gap(w, false, MBS_QUANTITY_DRIFT, 0), *sum = minus(w, dot(w, tilde(w, u), b));
  fill_columns(w, normal_block, false);
  if (!mbs_term_is_zero(omega)) {
    const mbs_term *d = gap(w, false, MBS_QUANTITY_BETWEEN, 0), *rate = gap(w, false, MBS_QUANTITY_BETWEEN, 1);
    sum = plus(w, sum, times(w, times(w, number(w, 2), omega), dot(w, u, rate)));
    sum = plus(w, sum, times(w, mbs_term_square(w->algebra, omega), dot(w, tilde(w, u), d)));
  }
  w->out->rhsA = mbs_term_signed(w->algebra, w->scale, sum);
}

/* Returns the contribution of the relative rotation about u_1 to an `along`: a-columns subtract it if both bodies
 * rotate with its weight. */
static const mbs_term *along_turn(const writer *w, size_t column, int side) {
  const mbs_term *weight = mbs_symbol_weight(w->symbols, w->block, 2), *T;
  if (mbs_term_is_zero(weight) || !turns(w, column)) return number(w, 0);
  T = mbs_motion_terms_of_cut(w->symbols, column, w->block, side).turn;
  if (w->algebra->dim == 3)
    return times(w, weight, signed_side(w, side == FIRST ? SECOND : FIRST, dot(w, axis(w, 1), T)));
  return side == SECOND ? times(w, weight, T) : number(w, 0);
}

static const mbs_term *along_block(const writer *w, size_t column, int side) {
  const mbs_term *X = mbs_motion_terms_of_cut(w->symbols, column, w->block, 2).velocity;
  const mbs_term *along = minus(w, signed_side(w, side, dot(w, axis(w, 1), X)));
  return plus(w, along, along_turn(w, column, side));
}

/* Returns, in space: -a1' b - (~a1 d)' a_1 - 2 (~omega_1 a1)' d' - (~omega_1 ~omega_1 a1)' d. */
static const mbs_term *along_drift_in_space(const writer *w, const mbs_term *a1, const mbs_term *omega) {
  int first = w->block->frames.body1;
  const mbs_term *sum = minus(w, dot(w, a1, gap(w, true, MBS_QUANTITY_DRIFT, 0)));
  const mbs_term *drift = mbs_symbol_turn_drift(w->symbols, first);
  if (mbs_term_is_zero(omega)) return sum;
  const mbs_term *d = gap(w, true, MBS_QUANTITY_BETWEEN, 0), *rate = gap(w, true, MBS_QUANTITY_BETWEEN, 1);
  const mbs_term *a1_rate = times(w, tilde(w, omega), a1);
  sum = plus(w, sum, minus(w, dot(w, times(w, tilde(w, a1), d), drift)));
  sum = plus(w, sum, minus(w, times(w, number(w, 2), dot(w, a1_rate, rate))));
  return plus(w, sum, minus(w, dot(w, times(w, tilde(w, omega), a1_rate), d)));
}

/* Returns, in the plane: -u' b - 2 omega_1 ~u' d' + omega_1^2 u' d. */
static const mbs_term *along_drift_in_plane(const writer *w, const mbs_term *u, const mbs_term *omega) {
  const mbs_term *sum = minus(w, dot(w, u, gap(w, true, MBS_QUANTITY_DRIFT, 0)));
  if (mbs_term_is_zero(omega)) return sum;
  const mbs_term *d = gap(w, true, MBS_QUANTITY_BETWEEN, 0), *rate = gap(w, true, MBS_QUANTITY_BETWEEN, 1);
  sum = plus(w, sum, minus(w, times(w, times(w, number(w, 2), omega), dot(w, tilde(w, u), rate))));
  return plus(w, sum, times(w, mbs_term_square(w->algebra, omega), dot(w, u, d)));
}

static void write_along(const writer *w) {
  const mbs_term *u = axis(w, 1), *omega = mbs_symbol_omega(w->symbols, w->block->frames.body1);
  const mbs_term *weight = mbs_symbol_weight(w->symbols, w->block, 2);
  bool plane = w->algebra->dim == 2, threaded = !plane && !mbs_term_is_zero(weight);
  fill_columns(w, along_block, false);
  const mbs_term *sum = plane ? along_drift_in_plane(w, u, omega) : along_drift_in_space(w, u, omega);
  if (threaded) { /* contribution of the rotation itself, which is about u_1 while the axes are parallel */
    const mbs_term *drifts = mbs_term_difference(w->algebra, mbs_symbol_turn_drift(w->symbols, w->block->frames.body2),
                                                 mbs_symbol_turn_drift(w->symbols, w->block->frames.body1));
    sum = plus(w, sum, minus(w, times(w, weight, dot(w, u, drifts))));
    w->out->rhsA_closed = true;
  }
  for (size_t c = 0; threaded && c < w->symbols->chain->column_count; c++)
    w->out->closed[c] = on_paths(w, c) != 0 && turns(w, c);
  w->out->rhsA = mbs_term_signed(w->algebra, w->scale, sum);
}

/* ---- turns --------------------------------------------------------------------------------------------------- */

static const mbs_term *turn_of(const writer *w, size_t column) {
  const mbs_term *none = number(w, 0);
  return turns(w, column) ? mbs_motion_terms_of_point(w->symbols, column, none, none).turn : none;
}

static const mbs_term *parallel_block(const writer *w, size_t column, int side) {
  return minus(w, signed_side(w, side, turn_of(w, column)));
}

/* Returns true if the axes have opposite directions at the start. */
static bool opposed(const writer *w) {
  const mbs_constants *constants = w->symbols->constants;
  const mbs_geometry *at = &constants->blocks[w->block->numbers].geometry;
  const double turn = constants->poses[w->block->frames.body2].angle - constants->poses[w->block->frames.body1].angle;
  const double along = at->u1[0] * at->u2[0] + at->u1[1] * at->u2[1],
               across = at->u1[0] * at->u2[1] - at->u1[1] * at->u2[0];
  return along * cos(turn) - across * sin(turn) < 0;
}

/* Writes the rows of a parallel: the axes are parallel, so that u_1' u_2 = 1 or -1 is inserted as a number. */
static void write_parallel(const writer *w) {
  writer turned = *w;
  if (opposed(w)) turned.scale = -w->scale;
  fill_columns(&turned, parallel_block, false);
  for (size_t c = 0; c < w->symbols->chain->column_count; c++)
    w->out->closed[c] = (on_paths(w, c) == FIRST || on_paths(w, c) == SECOND) && turns(w, c);
  w->out->rhsA_closed = true;
}

static void write_angle(const writer *w) {
  const mbs_term *one = mbs_symbol_weight(w->symbols, w->block, 1), *two = mbs_symbol_weight(w->symbols, w->block, 2);
  for (size_t c = 0; c < w->symbols->chain->column_count; c++) {
    int side = on_paths(w, c);
    const mbs_term *weight = side == FIRST ? one : two;
    if (side == BOTH) { /* the positive one first, unless they cancel: 1 - n */
      bool cancel = mbs_term_alike(one, two) && one->negative != two->negative;
      weight = cancel ? number(w, 0) : one->negative ? plus(w, two, one) : plus(w, one, two);
    }
    const mbs_term *block = side == 0 ? number(w, 0) : times(w, weight, turn_of(w, c));
    w->out->blocks[c] = mbs_term_signed(w->algebra, w->scale, block);
  }
}

static const mbs_term *dot_block(const writer *w, size_t column, int side) {
  const mbs_term *normal = times(w, tilde(w, axis(w, 1)), axis(w, 2));
  if (!turns(w, column)) return number(w, 0);
  return signed_side(w, side, dot(w, normal, turn_of(w, column)));
}

/* Returns -(~a1 a2)'(a_1 - a_2) - (~w1 ~w1 a1)'a2 - 2 (~w1 a1)'(~w2 a2) - a1'(~w2 ~w2 a2), w_i the angular
 * velocities. */
static const mbs_term *dot_drift(const writer *w) {
  int first = w->block->frames.body1, second = w->block->frames.body2;
  const mbs_term *a1 = axis(w, 1), *a2 = axis(w, 2);
  const mbs_term *w1 = mbs_symbol_omega(w->symbols, first), *w2 = mbs_symbol_omega(w->symbols, second);
  const mbs_term *drifts = mbs_term_difference(w->algebra, mbs_symbol_turn_drift(w->symbols, first),
                                               mbs_symbol_turn_drift(w->symbols, second));
  const mbs_term *rate1 = times(w, tilde(w, w1), a1), *rate2 = times(w, tilde(w, w2), a2);
  const mbs_term *sum = minus(w, dot(w, times(w, tilde(w, a1), a2), drifts));
  sum = plus(w, sum, minus(w, dot(w, times(w, tilde(w, w1), rate1), a2)));
  sum = plus(w, sum, minus(w, times(w, number(w, 2), dot(w, rate1, rate2))));
  return plus(w, sum, minus(w, dot(w, a1, times(w, tilde(w, w2), rate2))));
}

static void write_dot(const writer *w) {
  fill_columns(w, dot_block, false);
  w->out->rhsA = mbs_term_signed(w->algebra, w->scale, dot_drift(w));
}

/* ---- rows that are not made of blocks ------------------------------------------------------------------------ */

static bool depends(const writer *w, size_t column) {
  const mbs_model *model = w->symbols->model;
  const mbs_tree_column *at = &w->symbols->chain->columns[column];
  if (w->block->custom != NULL && w->symbols->chain->bodies) {
    const mbs_joint *joint = w->block->custom;
    for (int b = 0; b < joint->body_count; b++)
      if (joint->bodies[b] == at->body) return true;
  }
  if (w->symbols->chain->bodies) return on_paths(w, column) != 0;
  for (int c = 0; c < w->block->columns; c++) {
    int velocity = model->pattern[w->block->pattern0 + c];
    if (velocity >= at->first && velocity < at->first + at->size) return true;
  }
  return false;
}

/* Writes D_{NAME} B, and gamma_{NAME} - D_{NAME} Bdot theta'. */
static void write_numbers(const writer *w) {
  const mbs_term *D = mbs_symbol_row(w->symbols, w->block, MBS_QUANTITY_ROW);
  w->out->in_numbers = true;
  for (size_t c = 0; c < w->symbols->chain->column_count; c++)
    w->out->blocks[c] = depends(w, c) ? times(w, D, mbs_symbol_column(w->symbols, (int)c)) : number(w, 0);
  w->out->rhsA = mbs_term_difference(w->algebra, mbs_symbol_row(w->symbols, w->block, MBS_QUANTITY_ROW_DRIFT),
                                     times(w, D, mbs_symbol_column(w->symbols, -1)));
}

/* Writes the row of a coordinate of a joint in the tree: 1 in its own column, for a floating body one of its axes. */
static bool write_coordinate(const writer *w) {
  const mbs_block *block = w->block;
  const mbs_tree_columns *chain = w->symbols->chain;
  if (block->of_joint < 0 || chain->bodies || !w->symbols->model->joints[block->of_joint].in_tree ||
      block->primitive == MBS_PRIMITIVE_EULER)
    return false;
  bool found = false;
  for (size_t c = 0; c < chain->column_count; c++) {
    const mbs_tree_column *at = &chain->columns[c];
    int within = at->first - w->symbols->model->first_v[at->body];
    bool own = at->joint == block->of_joint && block->number >= within && block->number < within + at->size;
    w->out->blocks[c] = number(w, own);
    if (own && at->size > 1) w->out->blocks[c] = across(w, axis(w, 1));
    found = found || own;
  }
  return found;
}

bool mbs_symbolic_row_has_rate(const mbs_model *model, const mbs_block *block) {
  if (block->function >= 0) return true;
  if (block->custom == NULL) return false;
  const mbs_joint *joint = block->custom;
  if (joint->law_count > 0 && block->level == MBS_LEVEL_VELOCITY) return true;
  for (size_t l = 0; l < joint->law_count; l++)
    for (size_t i = 0; i < joint->laws[l].input_count; i++)
      if (model->inputs[joint->laws[l].inputs[i]].kind == MBS_INPUT_TIME ||
          model->inputs[joint->laws[l].inputs[i]].kind == MBS_INPUT_STATE)
        return joint->curve_count == 0;
  return false;
}

static void write_blocks(const writer *w) {
  bool plane = w->algebra->dim == 2;
  if (write_coordinate(w)) return;
  switch (w->block->primitive) {
  case MBS_PRIMITIVE_POINT: write_point(w); return;
  case MBS_PRIMITIVE_DISTANCE: write_distance(w); return;
  case MBS_PRIMITIVE_NORMAL: write_normal(w); return;
  case MBS_PRIMITIVE_ALONG: write_along(w); return;
  case MBS_PRIMITIVE_PARALLEL: write_parallel(w); return;
  case MBS_PRIMITIVE_DOT: write_dot(w); return;
  case MBS_PRIMITIVE_ANGLE:
    if (plane) {
      write_angle(w);
      return;
    }
    break;
  default: break;
  }
  write_numbers(w);
}

bool mbs_symbolic_row_of(mbs_symbols *symbols, const mbs_block *block, mbs_symbolic_row *out) {
  assert(block->numbers >= 0 && (size_t)block->numbers < symbols->model->block_numbers);
  size_t count = symbols->chain->column_count;
  mbs_algebra *algebra = symbols->algebra;
  const mbs_block_constants *numbers = &symbols->constants->blocks[block->numbers];
  *out = (mbs_symbolic_row){.blocks = mbs_arena_alloc(algebra->arena, count + 1, sizeof(mbs_term *)),
                            .closed = mbs_arena_alloc(algebra->arena, count + 1, sizeof(bool)),
                            .rhsV = mbs_term_number(algebra, 0),
                            .rhsA = mbs_term_number(algebra, 0)};
  if (!out->blocks || !out->closed) return false;
  writer w = {symbols, algebra, block, out, block->scaled && numbers->scale < 0 ? -1 : 1};
  write_blocks(&w);
  if (block->function >= 0) {
    out->rhsV = mbs_symbol_function(symbols, block, 1);
    if (!out->in_numbers) out->rhsA = mbs_term_sum(algebra, out->rhsA, mbs_symbol_function(symbols, block, 2));
  } else if (mbs_symbolic_row_has_rate(symbols->model, block)) {
    out->rhsV = mbs_symbol_row(symbols, block, MBS_QUANTITY_ROW_RATE);
  }
  return !algebra->failed;
}
