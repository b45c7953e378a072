/* symbol_lookup.c - the letter of a name determines its kind: of a body (m_2), of a point of a body (s_2^{A}), of a
 * joint (u_3, theta_2), of a body and a joint (d_{2,1}), of a cut (e_*, d_{*,1}). */
#include "symbolic/symbol_lookup.h"

#include "model/rows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY = 256 };

typedef struct asking {
  mbs_symbols *symbols;
  const mbs_symbol_name *name;
  int column;
  char *why;
} asking;

static const mbs_variable *refuse(const asking *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const mbs_variable *refuse(const asking *a, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(a->why, WHY, format, arguments);
  va_end(arguments);
  return NULL;
}

static const char *spelled(const asking *a) { return mbs_symbol_spelled(a->symbols, a->name); }

/* Creates the symbol with the requested name and this meaning. */
static const mbs_variable *make(const asking *a, mbs_variable like) {
  const mbs_symbol_name *name = a->name;
  mbs_arena *arena = a->symbols->algebra->arena;
  like.letter = mbs_arena_text(arena, name->letter);
  like.index = mbs_arena_text(arena, name->index);
  like.over = mbs_arena_text(arena, name->over);
  like.rate = name->rate;
  like.local = name->local;
  like.meaning = "";
  like.rows = like.rows ? like.rows : 1;
  like.columns = like.columns ? like.columns : 1;
  if (!like.letter || !like.index || !like.over) return NULL;
  return mbs_symbol_make(a->symbols, &like);
}

/* Creates a vector with as many components as space has dimensions. */
static const mbs_variable *vector(const asking *a, mbs_variable like) {
  like.rows = a->symbols->algebra->dim;
  return make(a, like);
}

static int turns_in(const asking *a) { return a->symbols->algebra->dim == 3 ? 3 : 1; }

/* ---- bodies, points, joints ---------------------------------------------------------------------------------- */

/* Reads an integer at the start of a text, and sets `end` behind it; returns -1 if there is none. */
static int number_at(const char *text, const char **end) {
  if (!isdigit((unsigned char)*text)) return -1;
  char *after;
  long value = strtol(text, &after, 10);
  *end = after;
  return value > 1000000 ? 1000001 : (int)value;
}

static bool body_numbered(const asking *a, int number, int *body) {
  const mbs_model *model = a->symbols->model;
  if (number < 0 || (size_t)number > model->nB) {
    refuse(a, "there is no body %d: use 1 to %zu, or 0 for the ground", number, model->nB);
    return false;
  }
  *body = number == 0 ? 0 : model->user_body[number - 1];
  return true;
}

/* Reads an index that is the number of a body. */
static bool body_of(const asking *a, int *body) {
  const char *end = "";
  int number = number_at(a->name->index, &end);
  if (number >= 0 && *end == 0) return body_numbered(a, number, body);
  refuse(a, "%s needs the number of a body as its index, as in %s_1", a->name->letter, a->name->letter);
  return false;
}

static bool spot_named(const asking *a, int body, mbs_spot *spot) {
  const mbs_model *model = a->symbols->model;
  const char *near[64];
  size_t count = 0;
  *spot = (mbs_spot){.body = body};
  if (!*a->name->over) return true;
  for (size_t p = 0; p < model->nP; p++) {
    if (model->points[p].body != body) continue;
    if (count < 64) near[count++] = model->points[p].name;
    if (strcmp(model->points[p].name, a->name->over) != 0) continue;
    memcpy(spot->s, a->symbols->constants->points[p], sizeof spot->s);
    return true;
  }
  const char *nearest = mbs_nearest(a->name->over, near, count);
  refuse(a, "%s has no point '%.60s'%s%.60s%s", model->bodies[body].name, a->name->over,
         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  return false;
}

/* Returns P2 of the joint that carries a body; for a floating body its mass centre. */
static mbs_spot pivot_of(const mbs_symbols *symbols, int body) {
  const mbs_model *model = symbols->model;
  mbs_spot pivot = {.body = body};
  int joint = symbols->chain->bodies || body == 0 ? -1 : model->tree_joint[body];
  for (size_t c = 0; c < symbols->chain->column_count; c++) {
    const mbs_tree_column *column = &symbols->chain->columns[c];
    if (column->body != body) continue;
    pivot.body = column->pivot_body;
    memcpy(pivot.s, column->pivot, sizeof pivot.s);
    return pivot;
  }
  if (joint < 0) return pivot;
  const mbs_joint *carries = &model->joints[joint];
  pivot.body = carries->frames.body2;
  memcpy(pivot.s, mbs_joint_numbers(symbols->constants, carries)->geometry.s2, sizeof pivot.s);
  return pivot;
}

/* Returns the column with this label; -1 if there is none. */
static int column_labelled(const mbs_symbols *symbols, const char *letter, const char *index) {
  char label[64];
  bool bare = strspn(index, "0123456789") == strlen(index);
  snprintf(label, sizeof label, bare ? "%s_%.40s" : "%s_{%.40s}", letter, index);
  for (size_t c = 0; c < symbols->chain->column_count; c++)
    if (strcmp(symbols->chain->columns[c].label, label) == 0) return (int)c;
  return -1;
}

/* ---- symbols of cut joints ----------------------------------------------------------------------------------- */

static const char *element_of(const mbs_symbols *symbols, const mbs_block *block) {
  return mbs_row_element(symbols->model, (size_t)block->first_row);
}

/* Returns the first block of rows of the cut in an index: "*", "*NAME", each optionally followed by ":2" or ",j".
 * `side` is 2 if the index has ":2", else 0; `rest` is the text that follows. */
static const mbs_block *cut_of(const asking *a, int *side, const char **rest) {
  const mbs_model *model = a->symbols->model;
  const char *index = a->name->index + 1, *found_name = NULL;
  const mbs_block *found = NULL;
  size_t cuts = 0, longest = 0;
  *side = 0;
  for (size_t b = 0; b < model->bilateral_blocks; b++) {
    const char *name = element_of(a->symbols, &model->blocks[b]);
    size_t length = strlen(name);
    bool named = strncmp(index, name, length) == 0 && (!index[length] || strchr(",:", index[length]));
    if (named && length > longest) {
      found = &model->blocks[b];
      longest = length;
    }
  }
  if (found) {
    index += longest;
  } else {
    for (size_t b = 0; b < model->bilateral_blocks; b++) {
      const char *name = element_of(a->symbols, &model->blocks[b]);
      if (model->blocks[b].function >= 0 || (found_name && strcmp(name, found_name) == 0)) continue;
      if (!found) found = &model->blocks[b];
      found_name = name;
      cuts++;
    }
    if (cuts != 1 || (*index && !strchr(",:2", *index))) {
      refuse(a,
             cuts == 0   ? "the model has no cut joint: '%.60s' does not exist"
             : cuts == 1 ? "'%.60s' names no cut joint or driver"
                         : "there are several cut joints: '%.60s' needs the name of one, as in d_{*NAME,1}",
             spelled(a));
      return NULL;
    }
  }
  if (*index == ':') index++;
  if (*index == '2') {
    *side = 2;
    index++;
  }
  *rest = index;
  return found;
}

static bool to_second_point(const mbs_block *block) {
  return block->primitive == MBS_PRIMITIVE_NORMAL || block->primitive == MBS_PRIMITIVE_ALONG;
}

/* Returns d_{*,j}: to the point of the cut on the side that joint j moves. */
static const mbs_variable *cut_lever(const asking *a) {
  int side, body;
  const char *rest, *end = "";
  const mbs_block *block = cut_of(a, &side, &rest);
  if (!block) return NULL;
  if (*rest == ',' && rest[1] == 'r' && rest[2] == '_') rest += 2;
  int j = *rest == ',' ? number_at(rest + 1, &end) : -1;
  if (j < 0 || *end)
    return refuse(a, "'%.60s' is not a valid name: write d_{*,j} with the number j of a joint", spelled(a));
  if (!body_numbered(a, j, &body)) return NULL;
  if (side == 0) {
    bool second = false, first = false;
    for (size_t c = 0; c < a->symbols->chain->column_count; c++) {
      if (a->symbols->chain->columns[c].body != body) continue;
      first = first || mbs_tree_column_moves(a->symbols->chain, c, block->frames.body1);
      second = second || mbs_tree_column_moves(a->symbols->chain, c, block->frames.body2);
    }
    side = to_second_point(block) || (second && !first) ? 2 : 1;
  }
  return vector(a, (mbs_variable){.quantity = MBS_QUANTITY_BETWEEN,
                                  .from = pivot_of(a->symbols, body),
                                  .to = mbs_block_spot(a->symbols, block, side)});
}

/* Returns d_*, e_*, l_* or b_*. */
static const mbs_variable *gap(const asking *a, mbs_quantity quantity) {
  int side;
  const char *rest;
  const mbs_block *block = cut_of(a, &side, &rest);
  if (!block) return NULL;
  if (*rest) return refuse(a, "'%.60s' is not a quantity of a cut joint", spelled(a));
  bool reversed = (block->primitive == MBS_PRIMITIVE_ALONG) != (side == 2);
  mbs_spot one = mbs_block_spot(a->symbols, block, 1), two = mbs_block_spot(a->symbols, block, 2);
  mbs_variable like = {.quantity = quantity, .from = reversed ? one : two, .to = reversed ? two : one};
  return quantity == MBS_QUANTITY_LENGTH ? make(a, like) : vector(a, like);
}

static const mbs_variable *cut_axis(const asking *a) {
  int side;
  const char *rest;
  const mbs_block *block = cut_of(a, &side, &rest);
  if (!block) return NULL;
  bool second = strcmp(rest, ",2") == 0;
  if (*rest && !second) return refuse(a, "'%.60s' is not an axis of a cut joint", spelled(a));
  const mbs_geometry *at = &a->symbols->constants->blocks[block->numbers].geometry;
  mbs_spot to = {.body = second ? block->frames.body2 : block->frames.body1};
  memcpy(to.s, second ? at->u2 : at->u1, sizeof to.s);
  return vector(a, (mbs_variable){.quantity = MBS_QUANTITY_DIRECTION, .to = to});
}

/* ---- by letters ---------------------------------------------------------------------------------------------- */

static const mbs_variable *place(const asking *a) {
  mbs_variable like = {.quantity = MBS_QUANTITY_BETWEEN};
  if (!body_of(a, &like.to.body) || !spot_named(a, like.to.body, &like.to)) return NULL;
  return vector(a, like);
}

static const mbs_variable *arm(const asking *a) {
  mbs_variable like = {.quantity = MBS_QUANTITY_BETWEEN};
  if (!body_of(a, &like.to.body) || !spot_named(a, like.to.body, &like.to)) return NULL;
  if (!*a->name->over)
    return refuse(a, "s needs the name of a point, as in s_%.20s^{A}: the vector from the mass centre to the point",
                  a->name->index);
  like.from.body = like.to.body;
  return vector(a, like);
}

static const mbs_variable *lever(const asking *a) {
  const char *index = a->name->index, *end = "";
  int i = number_at(index, &end), body, joint;
  if (*index == '*') return strchr(index, ',') ? cut_lever(a) : gap(a, MBS_QUANTITY_BETWEEN);
  int j = i >= 0 && *end == ',' ? number_at(end + 1, &end) : -1;
  if (i < 0 || j < 0 || *end)
    return refuse(a, "d needs the numbers of a body and a joint, as in d_{2,1}, or a cut joint, as in d_{*,1}");
  if (!body_numbered(a, i, &body) || !body_numbered(a, j, &joint)) return NULL;
  mbs_variable like = {.quantity = MBS_QUANTITY_BETWEEN, .from = pivot_of(a->symbols, joint)};
  return spot_named(a, body, &like.to) ? vector(a, like) : NULL;
}

/* Returns a vector of a body by its name, or its only one. */
static const mbs_variable *body_vector(const asking *a, int body) {
  const mbs_model *model = a->symbols->model;
  int found = -1, count = 0;
  for (size_t k = 0; k < model->vector_count; k++) {
    if (model->vectors[k].body != body) continue;
    bool named = strcmp(model->vectors[k].name, a->name->over) == 0;
    if (!*a->name->over || named) {
      found = (int)k;
      count++;
    }
  }
  if (count != 1) return NULL;
  mbs_variable like = {.quantity = MBS_QUANTITY_DIRECTION, .to = {.body = body}};
  memcpy(like.to.s, a->symbols->constants->vectors[found], sizeof like.to.s);
  return vector(a, like);
}

/* Returns u_0: the direction on the ground of the joint of the current column, or of the first joint that has one. */
static const mbs_variable *ground_axis(const asking *a) {
  const mbs_model *model = a->symbols->model;
  const mbs_variable *only = body_vector(a, 0);
  if (only || *a->name->over) return only ? only : refuse(a, "the ground has no vector '%.60s'", a->name->over);
  int own = a->column >= 0 ? a->symbols->chain->columns[a->column].joint : -1;
  for (size_t k = 0; k <= model->joint_count; k++) {
    if (k == 0 && own < 0) continue;
    const mbs_joint *joint = &model->joints[k == 0 ? own : (int)k - 1];
    const mbs_geometry *at = &mbs_joint_numbers(a->symbols->constants, joint)->geometry;
    bool first = joint->frames.body1 == 0 && joint->frames.vector1 >= 0;
    bool second = joint->frames.body2 == 0 && joint->frames.vector2 >= 0;
    if (!first && !second) continue;
    mbs_variable like = {.quantity = MBS_QUANTITY_DIRECTION};
    memcpy(like.to.s, first ? at->u1 : at->u2, sizeof like.to.s);
    const mbs_variable *known = mbs_symbol_known(a->symbols, "u_0");
    if (!known || memcmp(known->to.s, like.to.s, sizeof like.to.s) == 0) return vector(a, like);
    mbs_symbol_name other = *a->name; /* each joint has its own u_0 */
    other.index = mbs_arena_format(a->symbols->algebra->arena, "0,%s", joint->name);
    asking again = *a;
    again.name = &other;
    return other.index ? vector(&again, like) : NULL;
  }
  return refuse(a, "u_0 does not exist: no joint has a direction on the ground");
}

static bool has_axis(const asking *a, const mbs_tree_column *column) {
  return column->kind == MBS_MOTION_SLIDE || (column->kind == MBS_MOTION_TURN && a->symbols->algebra->dim == 3);
}

/* Returns u_j or u_{j,k}: the second index is optional for a joint with one axis. */
static const mbs_variable *axis(const asking *a) {
  const mbs_tree_columns *chain = a->symbols->chain;
  const char *index = a->name->index, *end = "";
  int body, j = number_at(index, &end), found = -1, several = 0;
  if (*index == '*') return cut_axis(a);
  if (j == 0 && *end == 0) return ground_axis(a);
  int labelled = column_labelled(a->symbols, "theta", index);
  if (j < 0 || !body_numbered(a, j, &body))
    return j < 0 ? refuse(a, "u needs the number of a joint, as in u_1, or a cut joint, as in u_*") : NULL;
  for (size_t c = 0; c < chain->column_count && !*a->name->over; c++) {
    const mbs_tree_column *column = &chain->columns[c];
    bool same = *end ? (int)c == labelled : column->body == body;
    if (!same || !has_axis(a, column)) continue;
    several += found >= 0 && memcmp(chain->columns[found].axis, column->axis, sizeof column->axis) != 0;
    found = (int)c;
  }
  if (several) return refuse(a, "joint %d has several axes: write u_{%d,1}, u_{%d,2}", j, j, j);
  if (found < 0) {
    const mbs_variable *own = *end ? NULL : body_vector(a, body);
    return own ? own : refuse(a, "joint %d has no axis '%.60s'", j, spelled(a));
  }
  const mbs_tree_column *column = &chain->columns[found];
  mbs_variable like = {.quantity = MBS_QUANTITY_DIRECTION, .to = {.body = column->axis_body}};
  memcpy(like.to.s, column->axis, sizeof like.to.s);
  return vector(a, like);
}

static const mbs_variable *unit(const asking *a) {
  static const char letters[] = "xyz";
  const char *index = a->name->index, *at = *index && !index[1] ? strchr(letters, *index) : NULL;
  if (*index == '*') return gap(a, MBS_QUANTITY_UNIT);
  if (!at || at - letters >= a->symbols->algebra->dim)
    return refuse(a, "e needs an index: e_x, e_y%s, or e_* for a cut joint",
                  a->symbols->algebra->dim == 3 ? ", e_z" : "");
  mbs_variable like = {.quantity = MBS_QUANTITY_DIRECTION};
  like.to.s[at - letters] = 1;
  return vector(a, like);
}

static const mbs_variable *coordinate(const asking *a) {
  const mbs_model *model = a->symbols->model;
  int found = column_labelled(a->symbols, "theta", a->name->index), body;
  if (found < 0) {
    const char *end = "";
    int j = number_at(a->name->index, &end);
    if (j < 0) return refuse(a, "theta needs the number of a joint, as in theta_1");
    if (!body_numbered(a, j, &body)) return NULL;
    bool several = column_labelled(a->symbols, "theta", mbs_arena_format(a->symbols->algebra->arena, "%d,1", j)) >= 0;
    return several ? refuse(a, "joint %d has several coordinates: write theta_{%d,1}, theta_{%d,2}", j, j, j)
                   : refuse(a, "joint %d has no coordinate '%.60s'", j, spelled(a));
  }
  const mbs_tree_column *column = &a->symbols->chain->columns[found];
  int within = column->first - model->first_v[column->body];
  return make(a, (mbs_variable){.quantity = MBS_QUANTITY_COORDINATE,
                                .number = a->name->rate ? column->first : model->first_q[column->body] + within,
                                .to = {.body = column->body}});
}

static const mbs_variable *omega(const asking *a) {
  int body, column = column_labelled(a->symbols, "omega", a->name->index);
  if (column >= 0 && a->symbols->chain->columns[column].kind == MBS_MOTION_BALL)
    return make(a, (mbs_variable){.quantity = MBS_QUANTITY_RELATIVE_OMEGA,
                                  .rows = 3,
                                  .number = a->symbols->chain->columns[column].first});
  if (!body_of(a, &body)) return NULL;
  return make(a, (mbs_variable){.quantity = MBS_QUANTITY_OMEGA, .rows = turns_in(a), .to = {.body = body}});
}

static const mbs_variable *angle(const asking *a) {
  int body;
  if (a->symbols->algebra->dim == 3)
    return refuse(a, "in space a body has no angle phi; use its angular velocity omega_i");
  if (!body_of(a, &body)) return NULL;
  return make(a, (mbs_variable){.quantity = MBS_QUANTITY_ANGLE, .to = {.body = body}});
}

static const mbs_variable *of_body(const asking *a, mbs_quantity quantity, int rows, int columns) {
  int body;
  if (!body_of(a, &body)) return NULL;
  if (body == 0 && quantity != MBS_QUANTITY_MATRIX) return refuse(a, "the ground has no %s", a->name->letter);
  return make(a, (mbs_variable){.quantity = quantity, .rows = rows, .columns = columns, .to = {.body = body}});
}

/* Returns p_i or E_i. */
static const mbs_variable *euler(const asking *a, mbs_quantity quantity, int rows, int columns) {
  if (a->symbols->algebra->dim == 3) return of_body(a, quantity, rows, columns);
  return refuse(a, "only spatial models have Euler parameters");
}

/* Returns f of a driver, if its name is not the number of a body. */
static const mbs_variable *function(const asking *a) {
  const mbs_model *model = a->symbols->model;
  for (size_t b = 0; b < model->bilateral_blocks; b++) {
    const mbs_block *block = &model->blocks[b];
    if (block->function < 0) continue;
    bool only = !*a->name->index && model->driver_count == 1;
    if (!only && strcmp(element_of(a->symbols, block), a->name->index) != 0) continue;
    return make(a, (mbs_variable){.quantity = MBS_QUANTITY_FUNCTION, .number = block->function});
  }
  return NULL;
}

static const mbs_variable *force(const asking *a) {
  const mbs_variable *driven = function(a);
  if (driven) return driven;
  if (!*a->name->index) return refuse(a, "f needs the number of a body, or the name of a driver, as its index");
  return of_body(a, MBS_QUANTITY_FORCE, a->symbols->algebra->dim, 1);
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

typedef struct letter {
  const char *text;
  bool over;  /* may have a superscript */
  bool local; /* may be in body axes */
  int rate;   /* largest number of dots */
} letter;

static const letter letters[] = {
    {"r", true, false, 1},      {"s", true, true, 1},       {"d", true, true, 1},   {"u", true, true, 1},
    {"w", false, true, 1},      {"n", false, true, 1},      {"e", false, true, 1},  {"l", false, false, 1},
    {"b", false, false, 0},     {"m", false, false, 0},     {"J", false, true, 0},  {"A", false, false, 0},
    {"a", false, false, 0},     {"phi", false, false, 1},   {"p", false, false, 0}, {"E", false, false, 0},
    {"omega", false, false, 0}, {"theta", false, false, 1}, {"f", false, false, 2}};

static const letter *letter_of(const asking *a) {
  const char *known[sizeof letters / sizeof *letters];
  for (size_t k = 0; k < sizeof letters / sizeof *letters; k++) {
    known[k] = letters[k].text;
    if (strcmp(letters[k].text, a->name->letter) == 0) return &letters[k];
  }
  const char *name = spelled(a), *nearest = mbs_symbol_nearest(a->symbols, name);
  if (!nearest) nearest = mbs_nearest(a->name->letter, known, sizeof letters / sizeof *letters);
  refuse(a, "unknown symbol '%.60s'%s%.60s%s", name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
         nearest ? "'?" : "");
  return NULL;
}

static const mbs_variable *by_letter(const asking *a) {
  int dim = a->symbols->algebra->dim;
  bool cut = *a->name->index == '*';
  switch (*a->name->letter) {
  case 'r': return place(a);
  case 's': return arm(a);
  case 'd': return lever(a);
  case 'u': return axis(a);
  case 'w': return cut ? cut_axis(a) : refuse(a, "w needs a cut joint, as in w_*: its second vector");
  case 'e': return unit(a);
  case 'l':
    return cut ? gap(a, MBS_QUANTITY_LENGTH)
               : refuse(a, "l needs a cut joint, as in l_*: the distance between its points");
  case 'b': return cut ? gap(a, MBS_QUANTITY_DRIFT) : refuse(a, "b needs a cut joint, as in b_*");
  case 'm': return of_body(a, MBS_QUANTITY_MASS, 1, 1);
  case 'J': return of_body(a, MBS_QUANTITY_INERTIA, turns_in(a), turns_in(a));
  case 'A': return of_body(a, MBS_QUANTITY_MATRIX, dim, dim);
  case 'a': return dim == 3 ? of_body(a, MBS_QUANTITY_TURN_DRIFT, 3, 1) : refuse(a, "only spatial models have a_i");
  case 'p': return a->name->letter[1] ? angle(a) : euler(a, MBS_QUANTITY_EULER, 4, 1);
  case 'E': return euler(a, MBS_QUANTITY_EULER_RATE, 3, 4);
  case 'o': return omega(a);
  case 't': return coordinate(a);
  case 'f': return force(a);
  default: return cut ? cut_axis(a) : of_body(a, MBS_QUANTITY_TORQUE, turns_in(a), 1);
  }
}

/* Returns the existing symbol of this name; u_0 differs from joint to joint. */
static const mbs_variable *written(const mbs_symbols *symbols, const char *name) {
  const mbs_variable *own = mbs_symbol_known(symbols, name),
                     *other = symbols->others ? mbs_symbol_known(symbols->others, name) : NULL;
  return (symbols->others_first || !own) && other && other->shown ? other : own;
}

const mbs_variable *mbs_symbol_lookup(mbs_symbols *symbols, const mbs_symbol_name *name, int column, char why[WHY]) {
  const asking a = {.symbols = symbols, .name = name, .column = column, .why = why};
  *why = 0;
  bool ground = strcmp(name->letter, "u") == 0 && strcmp(name->index, "0") == 0;
  const mbs_variable *known = written(symbols, spelled(&a));
  if (known && (!ground || known->shown)) return known;
  const letter *of = letter_of(&a);
  if (!of) return NULL;
  const size_t digits = strspn(name->index, "0123456789");
  if (digits > 0 && name->index[digits] == '*')
    return refuse(&a, "products have no '*' here; write a blank between the factors, as in m_2 u_1");
  if (name->rate > of->rate)
    return refuse(&a, "'%.60s': this time derivative of %s is not available", spelled(&a), of->text);
  if (*name->over && !of->over) return refuse(&a, "'%.60s': %s has no superscript", spelled(&a), of->text);
  if (name->local && !of->local) return refuse(&a, "'%.60s': loc() applies to s, d, u and J only", spelled(&a));
  const mbs_variable *found = by_letter(&a);
  if (found && name->local && found->from.body != found->to.body && found->quantity == MBS_QUANTITY_BETWEEN)
    return refuse(&a, "'%.60s': loc() applies only to vectors that are fixed in one body", spelled(&a));
  if (!found && !*why) refuse(&a, "unknown symbol '%.60s'", spelled(&a));
  return found;
}

const char *mbs_symbol_nearest(const mbs_symbols *symbols, const char *name) {
  const char *names[512];
  size_t count = 0;
  for (size_t k = 0; k < symbols->count && count < 512; k++) names[count++] = symbols->items[k]->name;
  return mbs_nearest(name, names, count);
}
