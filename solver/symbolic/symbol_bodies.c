/* symbol_bodies.c - symbols of bodies and of their points. */
#include "symbolic/symbol_words.h"

const mbs_term *mbs_symbol_centre(mbs_symbols *symbols, int body, int rate) {
  return mbs_symbol_vector(
      symbols, (mbs_variable){.letter = "r",
                              .index = number(symbols, user_of(symbols, body)),
                              .rate = rate,
                              .quantity = MBS_QUANTITY_BETWEEN,
                              .to = centre_of(body),
                              .meaning = mbs_symbol_format(symbols, "mass centre of %s", name_of(symbols, body))});
}

const mbs_term *mbs_symbol_point(mbs_symbols *symbols, int point, int rate) {
  mbs_spot to = point_of(symbols, point);
  const char *name = symbols->model->points[point].name;
  return mbs_symbol_vector(symbols, (mbs_variable){.letter = "r",
                                                   .index = number(symbols, user_of(symbols, to.body)),
                                                   .over = name,
                                                   .rate = rate,
                                                   .quantity = MBS_QUANTITY_BETWEEN,
                                                   .to = to,
                                                   .meaning = mbs_symbol_format(symbols, "point %s of %s", name,
                                                                                name_of(symbols, to.body))});
}

const mbs_term *mbs_symbol_arm(mbs_symbols *symbols, int point, int rate) {
  mbs_spot to = point_of(symbols, point), from = centre_of(to.body);
  const char *name = symbols->model->points[point].name;
  return mbs_symbol_vector(
      symbols,
      (mbs_variable){.letter = "s",
                     .index = number(symbols, user_of(symbols, to.body)),
                     .over = name,
                     .rate = rate,
                     .quantity = MBS_QUANTITY_BETWEEN,
                     .from = from,
                     .to = to,
                     .meaning = mbs_symbol_format(symbols, "from the mass centre of %s to its point %s, global axes",
                                                  name_of(symbols, to.body), name)});
}

/* Returns a quantity of a body: one number unless `like` has a shape. */
static const mbs_term *of_body(mbs_symbols *symbols, int body, mbs_variable like) {
  like.index = number(symbols, user_of(symbols, body));
  like.from = like.to = centre_of(body);
  like.rows = like.rows ? like.rows : 1;
  like.columns = like.columns ? like.columns : 1;
  like.meaning = mbs_symbol_format(symbols, "%s %s", like.meaning, name_of(symbols, body));
  return mbs_symbol_term(symbols, &like);
}

static int turns_in(const mbs_symbols *symbols) { return symbols->algebra->dim == 3 ? 3 : 1; }

static const mbs_term *made_matrix(mbs_symbols *symbols, int body) {
  int dim = symbols->algebra->dim;
  if (body == 0) return mbs_term_identity(symbols->algebra);
  return of_body(symbols, body,
                 (mbs_variable){.letter = "A",
                                .quantity = MBS_QUANTITY_MATRIX,
                                .rows = dim,
                                .columns = dim,
                                .meaning = "rotation matrix of"});
}

const mbs_term *mbs_symbol_matrix(mbs_symbols *symbols, int body) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_MATRIX, (size_t)body);
  if (!*kept) *kept = made_matrix(symbols, body);
  return *kept;
}

const mbs_term *mbs_symbol_euler(mbs_symbols *symbols, int body) {
  return of_body(
      symbols, body,
      (mbs_variable){.letter = "p", .quantity = MBS_QUANTITY_EULER, .rows = 4, .meaning = "Euler parameters of"});
}

const mbs_term *mbs_symbol_euler_rate(mbs_symbols *symbols, int body) {
  return of_body(
      symbols, body,
      (mbs_variable){.letter = "E",
                     .quantity = MBS_QUANTITY_EULER_RATE,
                     .rows = 3,
                     .columns = 4,
                     .meaning = "matrix that maps half the rates of the Euler parameters to the angular velocity of"});
}

static const mbs_term *made_mass(mbs_symbols *symbols, int body) {
  return of_body(symbols, body,
                 (mbs_variable){.letter = "m", .quantity = MBS_QUANTITY_MASS, .unit = "kg", .meaning = "mass of"});
}

const mbs_term *mbs_symbol_mass(mbs_symbols *symbols, int body) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_MASS, (size_t)body);
  if (!*kept) *kept = made_mass(symbols, body);
  return *kept;
}

static const mbs_term *made_inertia(mbs_symbols *symbols, int body) {
  int n = turns_in(symbols);
  return of_body(symbols, body,
                 (mbs_variable){.letter = "J",
                                .quantity = MBS_QUANTITY_INERTIA,
                                .rows = n,
                                .columns = n,
                                .unit = "kg m^2",
                                .meaning = n == 3 ? "inertia (global axes, A J' A^T) of" : "moment of inertia of"});
}

const mbs_term *mbs_symbol_inertia(mbs_symbols *symbols, int body) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_INERTIA, (size_t)body);
  if (!*kept) *kept = made_inertia(symbols, body);
  return *kept;
}

static const mbs_term *made_force(mbs_symbols *symbols, int body) {
  return of_body(symbols, body,
                 (mbs_variable){.letter = "f",
                                .quantity = MBS_QUANTITY_FORCE,
                                .rows = symbols->algebra->dim,
                                .unit = "N",
                                .meaning = "applied force, including weight, at the mass centre of"});
}

const mbs_term *mbs_symbol_force(mbs_symbols *symbols, int body) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_FORCE, (size_t)body);
  if (!*kept) *kept = made_force(symbols, body);
  return *kept;
}

static const mbs_term *made_torque(mbs_symbols *symbols, int body) {
  int n = turns_in(symbols);
  return of_body(symbols, body,
                 (mbs_variable){.letter = "n",
                                .quantity = MBS_QUANTITY_TORQUE,
                                .rows = n,
                                .unit = "N m",
                                .meaning = n == 3 ? "applied torque minus omega x J omega, about the mass centre of"
                                                  : "applied torque about the mass centre of"});
}

const mbs_term *mbs_symbol_torque(mbs_symbols *symbols, int body) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_TORQUE, (size_t)body);
  if (!*kept) *kept = made_torque(symbols, body);
  return *kept;
}

static const mbs_term *made_omega(mbs_symbols *symbols, int body) {
  if (body == 0 || !symbols->chain->turns[body]) return mbs_term_number(symbols->algebra, 0);
  return of_body(symbols, body,
                 (mbs_variable){.letter = "omega",
                                .quantity = MBS_QUANTITY_OMEGA,
                                .rows = turns_in(symbols),
                                .unit = "rad/s",
                                .meaning = "angular velocity of"});
}

const mbs_term *mbs_symbol_omega(mbs_symbols *symbols, int body) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_OMEGA, (size_t)body);
  if (!*kept) *kept = made_omega(symbols, body);
  return *kept;
}

const mbs_term *mbs_symbol_turn_drift(mbs_symbols *symbols, int body) {
  if (body == 0 || symbols->algebra->dim == 2 || !symbols->chain->turns[body])
    return mbs_term_number(symbols->algebra, 0);
  return of_body(symbols, body,
                 (mbs_variable){.letter = "a",
                                .quantity = MBS_QUANTITY_TURN_DRIFT,
                                .rows = 3,
                                .unit = "rad/s^2",
                                .meaning = "velocity-dependent part of the angular acceleration of"});
}
