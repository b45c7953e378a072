/* motion_terms.c - the terms of one motion of the tree, by its kind. sigma is -1 if the tree passes the joint from its
 * second body to its first; d leads from the pivot P2 to the point; omega_f and A_f belong to the joint's first body:
 *             plane: velocity; rotation  space: velocity; rotation      contribution to the rates (times dot(theta))
 *   slide    sigma u; 0                 sigma u; 0                     sigma dot(u)
 *   turn     sigma ~d; sigma            sigma ~u d; sigma u            sigma ~dot(d); sigma (~u dot(d) + ~dot(u) d)
 *   ball                                -sigma ~d A_f; sigma A_f       -sigma (~dot(d) w + ~d ~omega_f w), w = A_f w_j
 *   place    I; 0                       I; 0                           0
 *   spin     ~d; 1                      -~d; I                         ~dot(d); -~dot(d)
 * A rolling joint also slides by -R along the ground line, a screw by h along u. */
#include "symbolic/motion_terms.h"

#include <assert.h>

typedef struct motion {
  mbs_symbols *symbols;
  mbs_algebra *algebra;
  const mbs_tree_column *column;
  size_t at;
  const mbs_term *d, *rate; /* arm and its time derivative */
  const mbs_term *speed;    /* derivative of the coordinate */
} motion;

static const mbs_term *zero(const motion *m) { return mbs_term_number(m->algebra, 0); }

static const mbs_term *times(const motion *m, const mbs_term *x, const mbs_term *y) {
  return mbs_term_product(m->algebra, x, y);
}

static const mbs_term *turned(const motion *m, const mbs_term *x) { return mbs_term_tilde(m->algebra, x); }

static const mbs_term *plus(const motion *m, const mbs_term *x, const mbs_term *y) {
  return mbs_term_sum(m->algebra, x, y);
}

static const mbs_term *with_sigma(const motion *m, const mbs_term *x) {
  return mbs_term_signed(m->algebra, m->column->sigma, x);
}

static mbs_motion_terms slide(const motion *m) {
  const mbs_term *u = mbs_symbol_axis(m->symbols, m->at, 0), *u_rate = mbs_symbol_axis(m->symbols, m->at, 1);
  return (mbs_motion_terms){with_sigma(m, u), zero(m), with_sigma(m, times(m, u_rate, m->speed)), zero(m)};
}

static mbs_motion_terms turn_in_plane(const motion *m) {
  const mbs_term *velocity = with_sigma(m, turned(m, m->d));
  if (m->column->rolls) velocity = plus(m, mbs_term_negative(m->algebra, mbs_symbol_roll(m->symbols, m->at)), velocity);
  return (mbs_motion_terms){velocity, mbs_term_number(m->algebra, m->column->sigma),
                            with_sigma(m, times(m, turned(m, m->rate), m->speed)), zero(m)};
}

static mbs_motion_terms turn_in_space(const motion *m) {
  const mbs_term *u = mbs_symbol_axis(m->symbols, m->at, 0), *u_rate = mbs_symbol_axis(m->symbols, m->at, 1);
  const mbs_term *velocity = times(m, turned(m, u), m->d);
  const mbs_term *rate = plus(m, times(m, turned(m, u), m->rate), times(m, turned(m, u_rate), m->d));
  if (m->column->screws) {
    const mbs_term *h = mbs_symbol_pitch(m->symbols, m->at);
    velocity = plus(m, velocity, times(m, h, u));
    rate = plus(m, rate, times(m, h, u_rate));
  }
  return (mbs_motion_terms){with_sigma(m, velocity), with_sigma(m, u), with_sigma(m, times(m, rate, m->speed)),
                            with_sigma(m, times(m, u_rate, m->speed))};
}

static mbs_motion_terms ball(const motion *m) {
  int first = m->column->axis_body;
  const mbs_term *A = mbs_symbol_matrix(m->symbols, first), *omega = mbs_symbol_omega(m->symbols, first);
  const mbs_term *w = times(m, A, m->speed), *carried = times(m, turned(m, omega), w);
  const mbs_term *rate = plus(m, times(m, turned(m, m->rate), w), times(m, turned(m, m->d), carried));
  return (mbs_motion_terms){mbs_term_negative(m->algebra, with_sigma(m, times(m, turned(m, m->d), A))),
                            with_sigma(m, A), mbs_term_negative(m->algebra, with_sigma(m, rate)),
                            with_sigma(m, carried)};
}

static mbs_motion_terms spin(const motion *m) {
  const mbs_term *arm = turned(m, m->d), *drift = times(m, turned(m, m->rate), m->speed);
  if (m->algebra->dim == 2) return (mbs_motion_terms){arm, mbs_term_number(m->algebra, 1), drift, zero(m)};
  return (mbs_motion_terms){mbs_term_negative(m->algebra, arm), mbs_term_identity(m->algebra),
                            mbs_term_negative(m->algebra, drift), zero(m)};
}

mbs_motion_terms mbs_motion_terms_of_point(mbs_symbols *symbols, size_t column, const mbs_term *d,
                                           const mbs_term *rate) {
  assert(column < symbols->chain->column_count);
  motion m = {.symbols = symbols,
              .algebra = symbols->algebra,
              .column = &symbols->chain->columns[column],
              .at = column,
              .d = d,
              .rate = rate,
              .speed = mbs_symbol_coordinate(symbols, column)};
  switch (m.column->kind) {
  case MBS_MOTION_SLIDE: return slide(&m);
  case MBS_MOTION_TURN: return m.algebra->dim == 2 ? turn_in_plane(&m) : turn_in_space(&m);
  case MBS_MOTION_BALL: return ball(&m);
  case MBS_MOTION_SPIN: return spin(&m);
  case MBS_MOTION_PLACE: break;
  }
  return (mbs_motion_terms){mbs_term_identity(m.algebra), zero(&m), zero(&m), zero(&m)};
}

/* Returns true if the motion uses an arm. Otherwise its symbol must not be created, because no equation would show
 * it. */
static bool has_arm(const mbs_symbols *symbols, size_t column) {
  mbs_motion_kind kind = symbols->chain->columns[column].kind;
  return kind != MBS_MOTION_SLIDE && kind != MBS_MOTION_PLACE;
}

mbs_motion_terms mbs_motion_terms_of_centre(mbs_symbols *symbols, size_t column, int body) {
  const mbs_term *none = mbs_term_number(symbols->algebra, 0);
  if (!has_arm(symbols, column)) return mbs_motion_terms_of_point(symbols, column, none, none);
  return mbs_motion_terms_of_point(symbols, column, mbs_symbol_lever(symbols, body, column, 0),
                                   mbs_symbol_lever(symbols, body, column, 1));
}

mbs_motion_terms mbs_motion_terms_of_cut(mbs_symbols *symbols, size_t column, const mbs_block *block, int side) {
  const mbs_term *none = mbs_term_number(symbols->algebra, 0);
  if (!has_arm(symbols, column)) return mbs_motion_terms_of_point(symbols, column, none, none);
  return mbs_motion_terms_of_point(symbols, column, mbs_symbol_cut_lever(symbols, block, side, column, 0),
                                   mbs_symbol_cut_lever(symbols, block, side, column, 1));
}
