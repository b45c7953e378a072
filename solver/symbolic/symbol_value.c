/* symbol_value.c - evaluates symbols at a state, from the motions of the bodies. */
#include "symbolic/symbol.h"

#include "base/rotation.h"

#include <math.h>
#include <string.h>

/* out := A s, with the rotation matrix A of a body. */
static void turned(const mbs_body_motion *motion, const double s[3], double out[3]) { mbs_rotate(motion->A, s, out); }

/* Computes the position (level 0), velocity (1), or acceleration for v' = 0 (2) of a point. theory (1.4) */
static void spot_motion(const mbs_body_motion *motions, const mbs_spot *spot, int level, double out[3]) {
  const mbs_body_motion *body = &motions[spot->body];
  double s[3];
  turned(body, spot->s, s);
  for (int k = 0; k < 3; k++) out[k] = level == 0 ? body->r[k] + s[k] : level == 1 ? body->v[k] : body->b[k];
  if (level == 1) mbs_add_cross(body->omega, s, out);
  if (level < 2) return;
  mbs_add_cross(body->drift, s, out);
  mbs_add_double_cross(body->omega, body->omega, s, out);
}

static void between(const mbs_body_motion *motions, const mbs_variable *symbol, int level, double out[3]) {
  double from[3];
  spot_motion(motions, &symbol->to, level, out);
  spot_motion(motions, &symbol->from, level, from);
  for (int k = 0; k < 3; k++) out[k] -= from[k];
}

/* Computes e = d / l and l, and their rates: l' = e.d', e' = (d' - l' e) / l. */
static void unit_and_length(const mbs_body_motion *motions, const mbs_variable *symbol, double e[3], double *l) {
  double d[3], rate[3];
  between(motions, symbol, 0, d);
  *l = sqrt(mbs_dot(d, d));
  for (int k = 0; k < 3; k++) e[k] = d[k] / *l;
  if (symbol->rate == 0) return;
  between(motions, symbol, 1, rate);
  double l_rate = mbs_dot(e, rate);
  for (int k = 0; k < 3; k++) e[k] = (rate[k] - l_rate * e[k]) / *l;
  *l = l_rate;
}

/* out := A J' A' with the inertia J' of the body. */
static void inertia(const mbs_symbols *symbols, int body, const mbs_body_motion *motion, double out[9]) {
  const double *J = symbols->constants->bodies[body].inertia;
  const double own[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
  double half[9] = {0};
  memset(out, 0, 9 * sizeof *out);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) half[3 * i + j] += motion->A[3 * i + k] * own[3 * k + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) out[3 * i + j] += half[3 * i + k] * motion->A[3 * j + k];
}

static void copy(double *out, const double *from, int count) { memcpy(out, from, (size_t)count * sizeof *out); }

/* Copies a rotation vector: in the plane its last component. */
static void copy_turn(const mbs_variable *symbol, const double from[3]) {
  if (symbol->rows == 1)
    symbol->value[0] = from[2];
  else
    copy(symbol->value, from, 3);
}

static void vector_value(const mbs_variable *symbol, const mbs_body_motion *motions) {
  double e[3], l;
  switch (symbol->quantity) {
  case MBS_QUANTITY_BETWEEN: between(motions, symbol, symbol->rate, e); break;
  case MBS_QUANTITY_DRIFT: between(motions, symbol, 2, e); break;
  default: unit_and_length(motions, symbol, e, &l);
  }
  if (symbol->quantity == MBS_QUANTITY_LENGTH)
    symbol->value[0] = l;
  else
    copy(symbol->value, e, symbol->rows);
}

static void direction_value(const mbs_variable *symbol, const mbs_body_motion *motions) {
  double u[3], rate[3];
  turned(&motions[symbol->to.body], symbol->to.s, u);
  mbs_cross(motions[symbol->to.body].omega, u, rate);
  copy(symbol->value, symbol->rate ? rate : u, symbol->rows);
}

static void matrix_value(const mbs_variable *symbol, const mbs_body_motion *motion) {
  for (int i = 0; i < symbol->rows; i++)
    for (int j = 0; j < symbol->columns; j++) symbol->value[i * symbol->columns + j] = motion->A[3 * i + j];
}

/* Computes E: half of each row is the rate of p for a unit angular velocity. theory (1.11) */
static void euler_value(const mbs_variable *symbol, const mbs_body_motion *motion) {
  if (symbol->columns == 1) {
    copy(symbol->value, motion->p, 4);
    return;
  }
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0, k == 1, k == 2};
    double rates[4];
    mbs_euler_rate(motion->p, axis, rates);
    for (int c = 0; c < 4; c++) symbol->value[4 * k + c] = 2 * rates[c];
  }
}

static void inertia_value(const mbs_symbols *symbols, const mbs_variable *symbol, const mbs_body_motion *motion) {
  double J[9];
  if (symbol->rows == 1) {
    symbol->value[0] = symbols->constants->bodies[symbol->to.body].inertia[0];
    return;
  }
  inertia(symbols, symbol->to.body, motion, J);
  copy(symbol->value, J, 9);
}

/* Computes a value in body axes: s', as in the document, or J'. */
static void local_value(const mbs_symbols *symbols, const mbs_variable *symbol) {
  if (symbol->quantity == MBS_QUANTITY_INERTIA) {
    const mbs_body_motion straight = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    inertia_value(symbols, symbol, &straight);
    return;
  }
  for (int k = 0; k < symbol->rows; k++) symbol->value[k] = symbol->to.s[k] - symbol->from.s[k];
}

void mbs_symbol_evaluate(const mbs_symbols *symbols, mbs_variable *symbol, const mbs_system *system,
                         const mbs_body_motion *motions) {
  const mbs_body_motion *body = &motions[symbol->to.body];
  if (symbol->local) {
    local_value(symbols, symbol);
    return;
  }
  switch (symbol->quantity) {
  case MBS_QUANTITY_BETWEEN:
  case MBS_QUANTITY_UNIT:
  case MBS_QUANTITY_LENGTH:
  case MBS_QUANTITY_DRIFT: vector_value(symbol, motions); break;
  case MBS_QUANTITY_DIRECTION: direction_value(symbol, motions); break;
  case MBS_QUANTITY_ANGLE: symbol->value[0] = symbol->rate ? body->omega[2] : body->phi; break;
  case MBS_QUANTITY_OMEGA: copy_turn(symbol, body->omega); break;
  case MBS_QUANTITY_TURN_DRIFT: copy_turn(symbol, body->drift); break;
  case MBS_QUANTITY_MATRIX: matrix_value(symbol, body); break;
  case MBS_QUANTITY_EULER:
  case MBS_QUANTITY_EULER_RATE: euler_value(symbol, body); break;
  case MBS_QUANTITY_MASS: symbol->value[0] = symbols->constants->bodies[symbol->to.body].mass; break;
  case MBS_QUANTITY_INERTIA: inertia_value(symbols, symbol, body); break;
  case MBS_QUANTITY_FORCE: copy(symbol->value, body->f, symbol->rows); break;
  case MBS_QUANTITY_TORQUE: copy_turn(symbol, body->n); break;
  case MBS_QUANTITY_COORDINATE:
    symbol->value[0] = symbol->rate ? system->v[symbol->number] : system->q[symbol->number];
    break;
  case MBS_QUANTITY_RELATIVE_OMEGA: copy(symbol->value, system->v + symbol->number, 3); break;
  case MBS_QUANTITY_CONSTANT: symbol->value[0] = symbol->constant; break;
  case MBS_QUANTITY_FUNCTION: symbol->value[0] = system->functions[3 * symbol->number + symbol->rate]; break;
  case MBS_QUANTITY_ROW:
  case MBS_QUANTITY_COLUMN:
  case MBS_QUANTITY_ROW_RATE:
  case MBS_QUANTITY_ROW_DRIFT: break; /* set by the owner of the arrays */
  }
}

void mbs_symbols_evaluate(mbs_symbols *symbols, const mbs_system *system, const mbs_body_motion *motions) {
  for (size_t k = 0; k < symbols->count; k++) mbs_symbol_evaluate(symbols, symbols->items[k], system, motions);
}
