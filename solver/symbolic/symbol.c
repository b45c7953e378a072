/* symbol.c - symbols by what they mean; each is made once, under its name. */
#include "symbolic/symbol.h"

#include "kernels/kernels.h"
#include "model/rows.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the table ----------------------------------------------------------------------------------------------- */

/* The points by their bodies, each body's in the document's order. */
static bool list_points(mbs_symbols *symbols) {
  const mbs_model *model = symbols->model;
  symbols->points = mbs_arena_alloc(symbols->algebra->arena, model->nP + 1, sizeof *symbols->points);
  symbols->first_point = mbs_arena_alloc(symbols->algebra->arena, model->nB + 3, sizeof *symbols->first_point);
  if (!symbols->points || !symbols->first_point) return false;
  for (size_t p = 0; p < model->nP; p++) symbols->first_point[model->points[p].body + 2]++;
  for (size_t b = 0; b <= model->nB; b++) symbols->first_point[b + 2] += symbols->first_point[b + 1];
  for (size_t p = 0; p < model->nP; p++) symbols->points[symbols->first_point[model->points[p].body + 1]++] = (int)p;
  return true;
}

bool mbs_symbols_open(mbs_symbols *symbols, mbs_algebra *algebra, const mbs_chain *chain) {
  const mbs_model *model = chain->model;
  *symbols = (mbs_symbols){.algebra = algebra, .model = model, .constants = chain->constants, .chain = chain};
  size_t most = 512 + 32 * (model->nB + model->joint_count) + 8 * model->nP + 32 * model->block_count;
  symbols->room = most;
  symbols->items = mbs_arena_alloc(algebra->arena, most, sizeof(mbs_variable *));
  symbols->often_room = (model->nB > chain->column_count ? model->nB : chain->column_count) + 1;
  symbols->often = mbs_arena_alloc(algebra->arena, MBS_OFTEN_COUNT * symbols->often_room, sizeof(mbs_term *));
  return symbols->items && symbols->often && list_points(symbols);
}

static void keep_item(void *item) { (void)item; /* it is the arena's */ }

void mbs_symbols_close(mbs_symbols *symbols) {
  if (symbols->index) tdestroy(symbols->index, keep_item);
  symbols->index = NULL;
}

static int by_name(const void *one, const void *other) {
  return strcmp(((const mbs_variable *)one)->name, ((const mbs_variable *)other)->name);
}

mbs_variable *mbs_symbol_known(const mbs_symbols *symbols, const char *name) {
  mbs_variable asked;
  asked.name = name;
  mbs_variable *const *found = tfind(&asked, &symbols->index, by_name);
  return found ? *found : NULL;
}

/* One character or a number needs no braces. */
static bool is_bare(const char *index) {
  return strspn(index, "0123456789") == strlen(index) || (index[0] && !index[1]);
}

const char *mbs_symbol_spelled(mbs_symbols *symbols, const mbs_symbol_name *name) {
  static const char *const rates[] = {"", "dot(", "ddot("};
  bool bare = is_bare(name->index);
  const char *text = mbs_arena_format(
      symbols->algebra->arena, "%s%s%s%s%s%s%s%s%s%s%s%s", rates[name->rate], name->local ? "loc(" : "", name->letter,
      *name->index ? "_" : "", *name->index && !bare ? "{" : "", name->index, *name->index && !bare ? "}" : "",
      *name->over ? "^{" : "", name->over, *name->over ? "}" : "", name->local ? ")" : "", name->rate > 0 ? ")" : "");
  if (!text) symbols->algebra->failed = true;
  return text ? text : "";
}

/* Room for twice as many. */
static bool grow(mbs_symbols *symbols) {
  mbs_variable **items = mbs_arena_alloc(symbols->algebra->arena, 2 * symbols->room, sizeof(mbs_variable *));
  if (!items) return false;
  memcpy(items, symbols->items, symbols->count * sizeof(mbs_variable *));
  symbols->items = items;
  symbols->room *= 2;
  return true;
}

mbs_variable *mbs_symbol_make(mbs_symbols *symbols, const mbs_variable *like) {
  mbs_algebra *algebra = symbols->algebra;
  const char *name =
      mbs_symbol_spelled(symbols, &(mbs_symbol_name){like->letter, like->index, like->over, like->rate, like->local});
  mbs_variable *symbol = mbs_symbol_known(symbols, name);
  if (symbol) return symbol;
  symbol = mbs_arena_alloc(algebra->arena, 1, sizeof *symbol);
  double *value = mbs_arena_alloc(algebra->arena, (size_t)like->rows * (size_t)like->columns, sizeof *value);
  if (!symbol || !value || (symbols->count == symbols->room && !grow(symbols))) {
    algebra->failed = true;
    return NULL;
  }
  *symbol = *like;
  symbol->name = name;
  symbol->value = value;
  if (!tsearch(symbol, &symbols->index, by_name)) {
    algebra->failed = true;
    return NULL;
  }
  symbols->items[symbols->count++] = symbol;
  return symbol;
}

/* ---- words --------------------------------------------------------------------------------------------------- */

static const char *say(mbs_symbols *symbols, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *say(mbs_symbols *symbols, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *kept = mbs_arena_text(symbols->algebra->arena, text);
  if (!kept) symbols->algebra->failed = true;
  return kept ? kept : "";
}

static const char *number(mbs_symbols *symbols, int value) { return say(symbols, "%d", value); }

static int user_of(const mbs_symbols *symbols, int body) { return symbols->chain->user_of[body]; }
static const char *name_of(const mbs_symbols *symbols, int body) { return symbols->model->bodies[body].name; }

/* Where a symbol of a body or column is kept. */
static const mbs_term **often(mbs_symbols *symbols, mbs_often which, size_t number) {
  return &symbols->often[(size_t)which * symbols->often_room + number];
}

static const mbs_term *made(mbs_symbols *symbols, const mbs_variable *like) {
  mbs_variable described = *like;
  if (!described.index) described.index = "";
  if (!described.over) described.over = "";
  return mbs_term_symbol(symbols->algebra, mbs_symbol_make(symbols, &described));
}

/* A vector between two points, and its rate. */
static const mbs_term *vector(mbs_symbols *symbols, mbs_variable like) {
  like.rows = symbols->algebra->dim;
  like.columns = 1;
  like.unit = like.rate ? "m/s" : "m";
  if (like.rate) {
    mbs_symbol_name base = {like.letter, like.index, like.over ? like.over : "", 0, false};
    like.meaning = say(symbols, "rate of %s", mbs_symbol_spelled(symbols, &base));
    like.equal = NULL;
  }
  return made(symbols, &like);
}

static mbs_spot centre_of(int body) { return (mbs_spot){.body = body}; }

static mbs_spot point_of(const mbs_symbols *symbols, int point) {
  mbs_spot spot = {.body = symbols->model->points[point].body};
  memcpy(spot.s, symbols->constants->points[point], sizeof spot.s);
  return spot;
}

static bool same_spot(const mbs_spot *one, const mbs_spot *other) {
  return one->body == other->body && one->s[0] == other->s[0] && one->s[1] == other->s[1] && one->s[2] == other->s[2];
}

int mbs_symbol_point_at(const mbs_symbols *symbols, const mbs_spot *spot) {
  for (int k = symbols->first_point[spot->body]; k < symbols->first_point[spot->body + 1]; k++) {
    const mbs_spot known = point_of(symbols, symbols->points[k]);
    if (same_spot(&known, spot)) return symbols->points[k];
  }
  return -1;
}

/* ---- of bodies and their points ------------------------------------------------------------------------------ */

const mbs_term *mbs_symbol_centre(mbs_symbols *symbols, int body, int rate) {
  return vector(symbols, (mbs_variable){.letter = "r",
                                        .index = number(symbols, user_of(symbols, body)),
                                        .rate = rate,
                                        .quantity = MBS_QUANTITY_BETWEEN,
                                        .to = centre_of(body),
                                        .meaning = say(symbols, "mass centre of %s", name_of(symbols, body))});
}

const mbs_term *mbs_symbol_point(mbs_symbols *symbols, int point, int rate) {
  mbs_spot to = point_of(symbols, point);
  const char *name = symbols->model->points[point].name;
  return vector(symbols, (mbs_variable){.letter = "r",
                                        .index = number(symbols, user_of(symbols, to.body)),
                                        .over = name,
                                        .rate = rate,
                                        .quantity = MBS_QUANTITY_BETWEEN,
                                        .to = to,
                                        .meaning = say(symbols, "point %s of %s", name, name_of(symbols, to.body))});
}

const mbs_term *mbs_symbol_arm(mbs_symbols *symbols, int point, int rate) {
  mbs_spot to = point_of(symbols, point), from = centre_of(to.body);
  const char *name = symbols->model->points[point].name;
  return vector(symbols,
                (mbs_variable){.letter = "s",
                               .index = number(symbols, user_of(symbols, to.body)),
                               .over = name,
                               .rate = rate,
                               .quantity = MBS_QUANTITY_BETWEEN,
                               .from = from,
                               .to = to,
                               .meaning = say(symbols, "from the mass centre of %s to its point %s, global axes",
                                              name_of(symbols, to.body), name)});
}

/* A quantity of a body, as many numbers as there are turns in space (`turning`), directions, or one. */
static const mbs_term *of_body(mbs_symbols *symbols, int body, mbs_variable like) {
  like.index = number(symbols, user_of(symbols, body));
  like.from = like.to = centre_of(body);
  like.rows = like.rows ? like.rows : 1;
  like.columns = like.columns ? like.columns : 1;
  like.meaning = say(symbols, "%s %s", like.meaning, name_of(symbols, body));
  return made(symbols, &like);
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
  return of_body(symbols, body,
                 (mbs_variable){.letter = "E",
                                .quantity = MBS_QUANTITY_EULER_RATE,
                                .rows = 3,
                                .columns = 4,
                                .meaning = "takes half the rates of the Euler parameters to the angular velocity of"});
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
                                .meaning = "applied force, weight included, at the mass centre of"});
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
                                .meaning = n == 3 ? "applied torque less omega x J omega, about the mass centre of"
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
                                .meaning = "velocity part of the angular acceleration of"});
}

/* ---- of the tree's joints ------------------------------------------------------------------------------------ */

static const mbs_chain_column *column_of(const mbs_symbols *symbols, size_t column) {
  return &symbols->chain->columns[column];
}

static const char *joint_name(const mbs_symbols *symbols, const mbs_chain_column *column) {
  return column->joint >= 0 ? symbols->model->joints[column->joint].name : "";
}

/* "2", or "2,1" of a joint with several freedoms. */
static const char *freedom(mbs_symbols *symbols, const mbs_chain_column *column) {
  int j = user_of(symbols, column->body);
  return column->part ? say(symbols, "%d,%d", j, column->part) : number(symbols, j);
}

static mbs_spot pivot_of(const mbs_chain_column *column) {
  mbs_spot pivot = {.body = column->pivot_body};
  memcpy(pivot.s, column->pivot, sizeof pivot.s);
  return pivot;
}

static const mbs_term *direction(mbs_symbols *symbols, mbs_variable like) {
  int body = like.to.body;
  if (like.rate && (body == 0 || !symbols->chain->turns[body])) return mbs_term_number(symbols->algebra, 0);
  like.rows = symbols->algebra->dim;
  like.columns = 1;
  like.quantity = MBS_QUANTITY_DIRECTION;
  if (like.rate) like.meaning = say(symbols, "rate of the %s", like.meaning);
  return made(symbols, &like);
}

static const mbs_term *made_axis(mbs_symbols *symbols, size_t at, int rate) {
  const mbs_chain_column *column = column_of(symbols, at);
  mbs_spot to = {.body = column->axis_body, .s = {column->axis[0], column->axis[1], column->axis[2]}};
  return direction(symbols, (mbs_variable){.letter = "u",
                                           .index = freedom(symbols, column),
                                           .rate = rate,
                                           .from = pivot_of(column),
                                           .to = to,
                                           .joint = joint_name(symbols, column),
                                           .meaning = say(symbols, "unit vector of joint %s, global axes",
                                                          joint_name(symbols, column))});
}

const mbs_term *mbs_symbol_axis(mbs_symbols *symbols, size_t at, int rate) {
  const mbs_term **kept = often(symbols, rate ? MBS_OFTEN_AXIS_RATE : MBS_OFTEN_AXIS, at);
  if (!*kept) *kept = made_axis(symbols, at, rate);
  return *kept;
}

static const mbs_term *made_coordinate(mbs_symbols *symbols, size_t at) {
  const mbs_chain_column *column = column_of(symbols, at);
  int j = user_of(symbols, column->body);
  if (column->kind == MBS_MOTION_PLACE) return mbs_symbol_centre(symbols, column->body, 1);
  if (column->kind == MBS_MOTION_SPIN && symbols->algebra->dim == 3) return mbs_symbol_omega(symbols, column->body);
  mbs_variable like = {.rate = 1,
                       .rows = column->size,
                       .columns = 1,
                       .quantity = MBS_QUANTITY_COORDINATE,
                       .number = column->first,
                       .from = pivot_of(column),
                       .to = centre_of(column->body),
                       .joint = column->joint < 0 ? NULL : joint_name(symbols, column)};
  if (column->kind == MBS_MOTION_SPIN) {
    like.quantity = MBS_QUANTITY_ANGLE; /* of the body, whatever the tree: every body has one */
    like.letter = "phi";
    like.index = number(symbols, j);
    like.meaning = say(symbols, "rate of the angle of %s", name_of(symbols, column->body));
    like.unit = "rad/s";
  } else if (column->kind == MBS_MOTION_BALL) {
    like.letter = "omega";
    like.rate = 0;
    like.quantity = MBS_QUANTITY_RELATIVE_OMEGA;
    like.index = say(symbols, "%d,%d", user_of(symbols, column->axis_body), j);
    like.meaning =
        say(symbols, "angular velocity of joint %s, in the axes of its first body", joint_name(symbols, column));
    like.unit = "rad/s";
  } else {
    like.letter = "theta";
    like.index = freedom(symbols, column);
    like.meaning = say(symbols, "rate of the coordinate of joint %s", joint_name(symbols, column));
    like.unit = column->kind == MBS_MOTION_SLIDE ? "m/s" : "rad/s";
  }
  return made(symbols, &like);
}

const mbs_term *mbs_symbol_coordinate(mbs_symbols *symbols, size_t at) {
  const mbs_term **kept = often(symbols, MBS_OFTEN_COORDINATE, at);
  if (!*kept) *kept = made_coordinate(symbols, at);
  return *kept;
}

/* A number of the document: its letter alone where it is the only one, else with an index. */
static const mbs_term *constant(mbs_symbols *symbols, const char *letter, const char *index, double value,
                                const char *meaning, const char *unit) {
  const mbs_variable *known = mbs_symbol_known(symbols, letter);
  bool other = known && strcmp(known->meaning, meaning) != 0;
  return made(symbols, &(mbs_variable){.letter = letter,
                                       .index = other ? index : "",
                                       .rows = 1,
                                       .columns = 1,
                                       .quantity = MBS_QUANTITY_CONSTANT,
                                       .constant = value,
                                       .meaning = meaning,
                                       .unit = unit});
}

const mbs_term *mbs_symbol_roll(mbs_symbols *symbols, size_t at) {
  const mbs_chain_column *column = column_of(symbols, at);
  const mbs_joint *joint = &symbols->model->joints[column->joint];
  const mbs_joint_constants *numbers = mbs_joint_numbers(symbols->constants, joint);
  const char *index = number(symbols, user_of(symbols, column->body));
  const mbs_term *radius =
      constant(symbols, "R", index, numbers->roll, say(symbols, "radius of disc %s", joint->name), "m");
  mbs_spot to = {.body = joint->frames.body1};
  memcpy(to.s, numbers->geometry.u1, sizeof to.s);
  const mbs_variable *known = mbs_symbol_known(symbols, "u_0");
  bool other = known && memcmp(known->to.s, to.s, sizeof to.s) != 0;
  const mbs_term *line = direction(symbols, (mbs_variable){.letter = "u",
                                                           .index = other ? say(symbols, "0,%s", index) : "0",
                                                           .to = to,
                                                           .meaning = "direction of the ground line"});
  return mbs_term_product(symbols->algebra, radius, line);
}

const mbs_term *mbs_symbol_pitch(mbs_symbols *symbols, size_t at) {
  const mbs_chain_column *column = column_of(symbols, at);
  const mbs_joint *joint = &symbols->model->joints[column->joint];
  return constant(symbols, "h", number(symbols, user_of(symbols, column->body)),
                  mbs_joint_numbers(symbols->constants, joint)->pitch,
                  say(symbols, "advance per radian of screw %s", joint->name), "m/rad");
}

static const char *spot_words(mbs_symbols *symbols, const mbs_spot *spot) {
  int p = mbs_symbol_point_at(symbols, spot);
  if (p >= 0) return say(symbols, "point %s of %s", symbols->model->points[p].name, name_of(symbols, spot->body));
  return say(symbols, "the mass centre of %s", name_of(symbols, spot->body));
}

/* "point B of joint pin"; of a floating body its mass centre. */
static const char *pivot_words(mbs_symbols *symbols, const mbs_chain_column *column, const mbs_spot *pivot) {
  if (column->joint < 0) return spot_words(symbols, pivot);
  int p = mbs_symbol_point_at(symbols, pivot);
  if (p >= 0) return say(symbols, "point %s of joint %s", symbols->model->points[p].name, joint_name(symbols, column));
  return say(symbols, "the second point of joint %s", joint_name(symbols, column));
}

/* The pivot of a column is this point: by the numbers of the document, wherever the mechanism is. */
static bool is_pivot(const mbs_chain_column *column, const mbs_spot *spot) {
  mbs_spot pivot = {.body = column->pivot_body}, twin = {.body = column->twin_body};
  memcpy(pivot.s, column->pivot, sizeof pivot.s);
  memcpy(twin.s, column->twin, sizeof twin.s);
  return same_spot(&pivot, spot) || (column->coincident && same_spot(&twin, spot));
}

/* "-s_2^{B}" of what leads from a point of a body to its mass centre, or "s_2^{B}" of the other way. */
static const char *as_arm(mbs_symbols *symbols, const mbs_spot *from, const mbs_spot *to) {
  static const double centre[3] = {0, 0, 0};
  if (from->body != to->body) return NULL;
  bool ends = memcmp(to->s, centre, sizeof centre) == 0, begins = memcmp(from->s, centre, sizeof centre) == 0;
  const mbs_spot *point = ends ? from : to;
  if (!ends && !begins) return NULL;
  int p = mbs_symbol_point_at(symbols, point);
  if (p < 0) return NULL;
  mbs_symbol_name name = {"s", number(symbols, user_of(symbols, point->body)), symbols->model->points[p].name, 0, 0};
  return say(symbols, "%s%s", ends ? "-" : "", mbs_symbol_spelled(symbols, &name));
}

/* From the pivot of a column to a point. */
static const mbs_term *lever(mbs_symbols *symbols, const mbs_chain_column *column, const char *index,
                             const mbs_spot *to, int rate) {
  mbs_spot from = pivot_of(column);
  if (is_pivot(column, to)) return mbs_term_number(symbols->algebra, 0);
  const char *equal = as_arm(symbols, &from, to);
  const char *pivot = pivot_words(symbols, column, &from);
  return vector(symbols, (mbs_variable){.letter = "d",
                                        .index = index,
                                        .rate = rate,
                                        .quantity = MBS_QUANTITY_BETWEEN,
                                        .from = from,
                                        .to = *to,
                                        .joint = column->joint < 0 ? NULL : joint_name(symbols, column),
                                        .equal = equal,
                                        .meaning = say(symbols, "from %s to %s, global axes%s%s%s", pivot,
                                                       spot_words(symbols, to), equal ? " (= " : "", equal ? equal : "",
                                                       equal ? ")" : "")});
}

const mbs_term *mbs_symbol_lever(mbs_symbols *symbols, int body, size_t at, int rate) {
  const mbs_chain_column *column = column_of(symbols, at);
  mbs_spot to = centre_of(body);
  const char *index = say(symbols, "%d,%d", user_of(symbols, body), user_of(symbols, column->body));
  return lever(symbols, column, index, &to, rate);
}

/* ---- of cuts and drivers ------------------------------------------------------------------------------------- */

mbs_spot mbs_block_spot(const mbs_symbols *symbols, const mbs_block *block, int side) {
  const mbs_geometry *at = &symbols->constants->blocks[block->numbers].geometry;
  mbs_spot spot = {.body = side == 1 ? block->frames.body1 : block->frames.body2};
  memcpy(spot.s, side == 1 ? at->s1 : at->s2, sizeof spot.s);
  return spot;
}

static const char *element_of(const mbs_symbols *symbols, const mbs_block *block) {
  return mbs_row_element(symbols->model, (size_t)block->first_row);
}

const char *mbs_symbol_cut_index(mbs_symbols *symbols, const mbs_block *block) {
  size_t cuts = 0;
  for (size_t j = 0; j < symbols->model->joint_count; j++) cuts += symbols->model->joints[j].block_count > 0;
  if (block->function < 0 && cuts == 1) return "*";
  return say(symbols, "*%s", element_of(symbols, block));
}

/* A name for what a cut has two of: the second point's where the first one's has the name. */
static const char *free_index(mbs_symbols *symbols, const char *letter, const char *index, const char *rest,
                              const mbs_spot *from, const mbs_spot *to, int side) {
  const char *whole = say(symbols, "%s%s", index, rest);
  const mbs_variable *known =
      mbs_symbol_known(symbols, mbs_symbol_spelled(symbols, &(mbs_symbol_name){letter, whole, "", 0, false}));
  if (!known || (same_spot(&known->to, to) && same_spot(&known->from, from))) return whole;
  return say(symbols, "%s%s%d%s", index, strcmp(index, "*") == 0 ? "" : ":", side, rest);
}

static int point_on(const mbs_block *block, int side) {
  return side == 1 ? block->frames.point1 : block->frames.point2;
}

const mbs_term *mbs_symbol_cut_lever(mbs_symbols *symbols, const mbs_block *block, int side, size_t at, int rate) {
  const mbs_chain_column *column = column_of(symbols, at);
  mbs_spot to = mbs_block_spot(symbols, block, side), from = pivot_of(column);
  int point = point_on(block, side);
  if (is_pivot(column, &to)) return mbs_term_number(symbols->algebra, 0);
  bool bodies = symbols->chain->bodies || symbols->model->body_formulation;
  if (bodies && block->primitive == MBS_PRIMITIVE_POINT && point >= 0 && column->body == to.body)
    return mbs_symbol_arm(symbols, point, rate);
  const char *rest = say(symbols, symbols->chain->bodies ? ",r_%d" : ",%d", user_of(symbols, column->body));
  const char *index = free_index(symbols, "d", mbs_symbol_cut_index(symbols, block), rest, &from, &to, side);
  if (rate) /* its place has the same name */
    lever(symbols, column, index, &to, 0);
  return lever(symbols, column, index, &to, rate);
}

const mbs_term *mbs_symbol_gap(mbs_symbols *symbols, const mbs_block *block, bool reversed, mbs_quantity quantity,
                               int rate) {
  mbs_spot one = mbs_block_spot(symbols, block, 1), two = mbs_block_spot(symbols, block, 2);
  mbs_variable like = {.rate = rate,
                       .quantity = quantity,
                       .from = reversed ? one : two,
                       .to = reversed ? two : one,
                       .joint = element_of(symbols, block)};
  const char *way = reversed ? "from P1 to P2" : "from P2 to P1", *whose = element_of(symbols, block);
  bool scalar = quantity == MBS_QUANTITY_LENGTH;
  like.letter = quantity == MBS_QUANTITY_UNIT ? "e" : scalar ? "l" : quantity == MBS_QUANTITY_DRIFT ? "b" : "d";
  like.index = free_index(symbols, like.letter, mbs_symbol_cut_index(symbols, block), "", &like.from, &like.to, 2);
  like.rows = scalar ? 1 : symbols->algebra->dim;
  like.columns = 1;
  like.unit = quantity == MBS_QUANTITY_UNIT ? "1" : quantity == MBS_QUANTITY_DRIFT ? "m/s^2" : rate ? "m/s" : "m";
  if (quantity == MBS_QUANTITY_UNIT)
    like.meaning = say(symbols, "unit vector %s of %s", way, whose);
  else if (scalar)
    like.meaning = say(symbols, "distance of the points of %s", whose);
  else if (quantity == MBS_QUANTITY_DRIFT)
    like.meaning = say(symbols, "velocity part of the acceleration of %s less that of %s of %s", reversed ? "P2" : "P1",
                       reversed ? "P1" : "P2", whose);
  else
    like.meaning = say(symbols, rate ? "rate of the vector %s of %s" : "%s of %s", way, whose);
  return made(symbols, &like);
}

const mbs_term *mbs_symbol_cut_axis(mbs_symbols *symbols, const mbs_block *block, int side) {
  const mbs_geometry *at = &symbols->constants->blocks[block->numbers].geometry;
  static const char *const letters[] = {"u", "w", "n"};
  mbs_spot to = {.body = side == 1 ? block->frames.body1 : block->frames.body2};
  memcpy(to.s, side == 1 ? at->u1 : at->u2, sizeof to.s);
  if (side == 1 && block->row)
    for (int k = 0; k < 3; k++)
      if (block->row->axis[k] == 1)
        return direction(symbols, (mbs_variable){.letter = "e",
                                                 .index = k == 0   ? "x"
                                                          : k == 1 ? "y"
                                                                   : "z",
                                                 .to = to,
                                                 .meaning = "global axis"});
  const char *letter = block->row ? letters[side == 1 ? block->row->vector1 : block->row->vector2] : "u";
  return direction(symbols, (mbs_variable){.letter = letter,
                                           .index = say(symbols, "%s%s", mbs_symbol_cut_index(symbols, block),
                                                        side == 1 ? "" : ",2"),
                                           .from = mbs_block_spot(symbols, block, side),
                                           .to = to,
                                           .joint = element_of(symbols, block),
                                           .meaning = say(symbols, "unit vector of %s on its %s body, global axes",
                                                          element_of(symbols, block), side == 1 ? "first" : "second")});
}

/* What a weight of a row is called: the number of the document that makes it, or its own value. */
const mbs_term *mbs_symbol_weight(mbs_symbols *symbols, const mbs_block *block, int side) {
  const mbs_block_constants *numbers = &symbols->constants->blocks[block->numbers];
  const mbs_row *row = block->row;
  double weight = side == 1 ? numbers->weight1 : numbers->weight2;
  const char *field = !row ? NULL : side == 1 ? row->weight1_field : row->weight2_field;
  double factor = !row ? 0 : side == 1 ? row->weight1 : row->weight2;
  if (!field || factor == 0) return mbs_term_number(symbols->algebra, weight);
  const char *name = element_of(symbols, block);
  bool radius = strcmp(field, "radius") == 0, pitch = strcmp(field, "pitch") == 0;
  const mbs_term *named = constant(symbols,
                                   radius  ? "R"
                                   : pitch ? "h"
                                           : "n",
                                   name, weight / (factor < 0 ? -1 : 1),
                                   say(symbols, "%s %s",
                                       radius  ? "radius of disc"
                                       : pitch ? "advance per radian of screw"
                                               : "ratio of gear",
                                       name),
                                   radius  ? "m"
                                   : pitch ? "m/rad"
                                           : "1");
  return mbs_term_signed(symbols->algebra, factor < 0 ? -1 : 1, named);
}

/* Of a driver's block: of what it follows, and of the rates of that. */
static const char *unit_followed(const mbs_block *block, int rate) {
  static const char *const units[2][3] = {{"rad", "rad/s", "rad/s^2"}, {"m", "m/s", "m/s^2"}};
  return block->primitive == MBS_PRIMITIVE_CUSTOM ? NULL : units[mbs_is_length(block->primitive)][rate];
}

const mbs_term *mbs_symbol_function(mbs_symbols *symbols, const mbs_block *block, int rate) {
  size_t drivers = symbols->model->driver_count;
  const char *name = element_of(symbols, block);
  return made(symbols, &(mbs_variable){
                           .letter = "f",
                           .index = drivers == 1 ? "" : name,
                           .rate = rate,
                           .rows = 1,
                           .columns = 1,
                           .quantity = MBS_QUANTITY_FUNCTION,
                           .number = block->function,
                           .meaning = rate == 0   ? say(symbols, "what driver %s follows", name)
                                      : rate == 1 ? say(symbols, "rate of what driver %s follows", name)
                                                  : say(symbols, "second derivative of what driver %s follows", name),
                           .unit = unit_followed(block, rate)});
}

const mbs_term *mbs_symbol_row(mbs_symbols *symbols, const mbs_block *block, mbs_quantity quantity) {
  const char *name = element_of(symbols, block);
  int width = symbols->model->kernels->width * (int)symbols->model->nB;
  const char *letter = quantity == MBS_QUANTITY_ROW ? "D" : quantity == MBS_QUANTITY_ROW_RATE ? "rhsV" : "gamma";
  return made(symbols,
              &(mbs_variable){.letter = letter,
                              .index = name,
                              .rows = 1,
                              .columns = quantity == MBS_QUANTITY_ROW ? width : 1,
                              .quantity = quantity,
                              .number = block->first_row,
                              .meaning = quantity == MBS_QUANTITY_ROW
                                             ? say(symbols, "derivatives of %s in the velocities of the bodies", name)
                                         : quantity == MBS_QUANTITY_ROW_RATE
                                             ? say(symbols, "rate that the time itself asks of %s", name)
                                             : say(symbols, "right-hand side of the accelerations of %s", name)});
}

const mbs_term *mbs_symbol_column(mbs_symbols *symbols, int at) {
  const mbs_chain_column *column = at < 0 ? NULL : column_of(symbols, at);
  return made(symbols, &(mbs_variable){.letter = column ? "B" : "beta",
                                       .index = column ? column->label : "",
                                       .rows = symbols->model->kernels->width * (int)symbols->model->nB,
                                       .columns = column ? column->size : 1,
                                       .quantity = MBS_QUANTITY_COLUMN,
                                       .number = at,
                                       .meaning = column ? say(symbols, "column %s of B", column->label)
                                                         : "Bdot theta', accelerations of the bodies without theta''"});
}
