/* error_symbols.c - errors of symbols: the correct structure with wrong points, joints, bodies, axes or rates. */
#include "symbolic/answers/typical_errors.h"

#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 400, NEAR_BODIES = 24 };

static const mbs_tree_columns *tree_of(const mbs_error_search *s) { return s->symbols->chain; }
static const char *body_name(const mbs_error_search *s, int body) { return s->work->model->bodies[body].name; }
static int user_of(const mbs_error_search *s, int body) { return tree_of(s)->user_of[body]; }

static bool is_between(const mbs_variable *symbol) { return symbol->quantity == MBS_QUANTITY_BETWEEN; }

static bool same_spot(const mbs_spot *one, const mbs_spot *other) {
  return one->body == other->body && memcmp(one->s, other->s, sizeof one->s) == 0;
}

static mbs_spot spot_of_point(const mbs_error_search *s, size_t point) {
  mbs_spot spot = {.body = s->work->model->points[point].body};
  memcpy(spot.s, s->work->model->constants->points[point], sizeof spot.s);
  return spot;
}

static const char *spot_words(const mbs_error_search *s, const mbs_spot *spot) {
  const mbs_model *model = s->work->model;
  const char *text = NULL;
  for (size_t p = 0; p < model->nP && !text; p++) {
    mbs_spot known = spot_of_point(s, p);
    if (same_spot(&known, spot))
      text = mbs_arena_format(s->work->arena, "point %s of %s", model->points[p].name, body_name(s, spot->body));
  }
  if (!text)
    text = spot->body == 0 ? "the origin"
                           : mbs_arena_format(s->work->arena, "the mass centre of %s", body_name(s, spot->body));
  return text ? text : "";
}

/* ---- body axes ----------------------------------------------------------------------------------------------- */

static bool may_be_local(const mbs_error_search *s, const mbs_variable *symbol) {
  if (symbol->rate || symbol->local || symbol->to.body == 0) return false;
  if (is_between(symbol)) return symbol->from.body == symbol->to.body;
  return symbol->quantity == MBS_QUANTITY_DIRECTION ||
         (symbol->quantity == MBS_QUANTITY_INERTIA && s->algebra->dim == 3);
}

static const mbs_term *as_local(mbs_error_search *s, const mbs_variable *symbol) {
  mbs_variable like = *symbol;
  like.local = true;
  like.shown = false;
  like.equal = NULL;
  return mbs_term_symbol(s->algebra, mbs_symbol_make(s->symbols, &like));
}

static const mbs_term *all_local(void *context, const mbs_term *part, size_t number, bool *done) {
  mbs_error_search *s = context;
  (void)number;
  *done = part->kind == MBS_TERM_SYMBOL && may_be_local(s, part->symbol);
  return *done ? as_local(s, part->symbol) : NULL;
}

void mbs_typical_errors_of_axes(mbs_error_search *s) {
  size_t count;
  const mbs_variable **symbols = mbs_error_search_symbols(s, &count);
  for (size_t k = 0; symbols && k < count; k++) {
    if (!may_be_local(s, symbols[k])) continue;
    char what[256];
    snprintf(what, sizeof what, "%s must be in global axes, not in the axes of %s", symbols[k]->name,
             body_name(s, symbols[k]->to.body));
    mbs_error_search_exchange(s, "local_axes", symbols[k], as_local(s, symbols[k]), what);
  }
  mbs_error_search_add(s, "local_axes", mbs_term_substitute(s->algebra, s->right, all_local, s),
                       "all vectors must be in global axes");
}

/* ---- points and pivots --------------------------------------------------------------------------------------- */

static void move_end(mbs_error_search *s, const char *name, const mbs_variable *symbol, bool from, const mbs_spot *to) {
  const mbs_spot *old = from ? &symbol->from : &symbol->to;
  if (same_spot(old, to)) return;
  char what[400];
  snprintf(what, sizeof what, from ? "%s starts at %s, not at %s" : "%s ends at %s, not at %s", symbol->name,
           spot_words(s, old), spot_words(s, to));
  const mbs_term *by = mbs_error_search_vector(s, from ? to : &symbol->from, from ? &symbol->to : to, symbol->rate);
  mbs_error_search_exchange(s, name, symbol, by, what);
}

/* A vector and its rate belong together: the error is made in both. */
typedef struct both_rates {
  mbs_error_search *s;
  const mbs_variable *symbol;
  mbs_spot spot;
  bool from;
} both_rates;

static const mbs_term *move_both(void *context, const mbs_term *part, size_t number, bool *done) {
  const both_rates *asked = context;
  (void)number;
  const mbs_variable *symbol = part->kind == MBS_TERM_SYMBOL ? part->symbol : NULL;
  *done = symbol && is_between(symbol) && same_spot(&symbol->from, &asked->symbol->from) &&
          same_spot(&symbol->to, &asked->symbol->to);
  if (!*done) return NULL;
  return mbs_error_search_vector(asked->s, asked->from ? &asked->spot : &symbol->from,
                                 asked->from ? &symbol->to : &asked->spot, symbol->rate);
}

static void move_ends(mbs_error_search *s, const char *name, const mbs_variable *symbol, bool from, mbs_spot to) {
  move_end(s, name, symbol, from, &to);
  both_rates asked = {s, symbol, to, from};
  mbs_error_search_add(s, name, mbs_term_substitute(s->algebra, s->right, move_both, &asked), "%s %s at %s, not at %s",
                       symbol->name, from ? "starts" : "ends", spot_words(s, from ? &symbol->from : &symbol->to),
                       spot_words(s, &to));
}

static void move_to_points_of(mbs_error_search *s, const char *name, const mbs_variable *symbol, bool from, int body) {
  for (size_t p = 0; p < s->work->model->nP; p++)
    if (s->work->model->points[p].body == body) move_ends(s, name, symbol, from, spot_of_point(s, p));
}

static void add_points(mbs_error_search *s, const mbs_variable *symbol) {
  bool own = symbol->from.body == symbol->to.body;
  move_to_points_of(s, "wrong_point", symbol, false, symbol->to.body);
  if (own) move_to_points_of(s, "wrong_point", symbol, true, symbol->from.body);
  if (symbol->to.body) move_ends(s, "wrong_point", symbol, false, (mbs_spot){.body = symbol->to.body});
}

/* Returns the carried body of the joint at whose pivot a vector begins; -1 if there is none. */
static int pivot_joint(const mbs_error_search *s, const mbs_spot *from) {
  const mbs_tree_columns *tree = tree_of(s);
  for (size_t c = 0; c < tree->column_count; c++) {
    mbs_spot pivot = {.body = tree->columns[c].pivot_body};
    memcpy(pivot.s, tree->columns[c].pivot, sizeof pivot.s);
    if (same_spot(&pivot, from)) return tree->columns[c].body;
  }
  return -1;
}

static void add_pivots(mbs_error_search *s, const mbs_variable *symbol) {
  const mbs_spot origin = {0};
  const char *rate = symbol->rate ? "the rate of " : "";
  int joint = pivot_joint(s, &symbol->from), body = symbol->from.body;
  if (!same_spot(&symbol->from, &origin)) {
    char what[300];
    snprintf(what, sizeof what, "%s%s starts at %s; a vector r starts at the origin", rate, symbol->name,
             spot_words(s, &symbol->from));
    mbs_error_search_exchange(s, "wrong_pivot", symbol, mbs_error_search_vector(s, &origin, &symbol->to, symbol->rate),
                              what);
    move_ends(s, "wrong_pivot", symbol, true, origin);
  }
  if (body) move_ends(s, "wrong_pivot", symbol, true, (mbs_spot){.body = body});
  move_to_points_of(s, "wrong_pivot", symbol, true, body);
  if (joint >= 0 && tree_of(s)->bodies) return;
  int parent = joint > 0 ? s->work->model->parent[joint] : 0;
  if (parent) move_ends(s, "wrong_pivot", symbol, true, (mbs_spot){.body = parent});
  move_to_points_of(s, "wrong_pivot", symbol, true, parent);
}

/* ---- joints and bodies --------------------------------------------------------------------------------------- */

static void add_other_joints(mbs_error_search *s, const mbs_variable *symbol) {
  const mbs_tree_columns *tree = tree_of(s);
  for (size_t c = 0; c < tree->column_count && c < NEAR_BODIES; c++) {
    const mbs_tree_column *column = &tree->columns[c];
    mbs_spot pivot = {.body = column->pivot_body};
    memcpy(pivot.s, column->pivot, sizeof pivot.s);
    if (is_between(symbol)) move_ends(s, "wrong_joint", symbol, true, pivot);
    bool rate = symbol->quantity == MBS_QUANTITY_COORDINATE && symbol->rate && column->size == 1 &&
                column->first != symbol->number;
    if (!rate) continue;
    char what[200];
    const mbs_term *other = mbs_symbol_coordinate(s->symbols, c);
    snprintf(what, sizeof what, "use %s here, not the rate of %s", symbol->name, column->label);
    if (mbs_term_is_scalar(other)) mbs_error_search_exchange(s, "wrong_joint", symbol, other, what);
  }
}

static const mbs_term *of_other_body(mbs_error_search *s, const mbs_variable *symbol, int body) {
  mbs_variable like = *symbol;
  like.index = mbs_arena_format(s->work->arena, "%d", user_of(s, body));
  like.to = (mbs_spot){.body = body};
  like.equal = NULL;
  like.shown = false;
  return like.index ? mbs_term_symbol(s->algebra, mbs_symbol_make(s->symbols, &like)) : s->right;
}

static bool is_of_body(const mbs_variable *symbol) {
  switch (symbol->quantity) {
  case MBS_QUANTITY_MASS:
  case MBS_QUANTITY_INERTIA:
  case MBS_QUANTITY_FORCE:
  case MBS_QUANTITY_TORQUE:
  case MBS_QUANTITY_OMEGA:
  case MBS_QUANTITY_ANGLE:
  case MBS_QUANTITY_MATRIX: return true;
  default: return false;
  }
}

static void add_other_bodies(mbs_error_search *s, const mbs_variable *symbol) {
  const mbs_model *model = s->work->model;
  for (size_t b = 0; b < model->nB && b < NEAR_BODIES; b++) {
    int body = model->user_body[b];
    char what[200];
    snprintf(what, sizeof what, "use %s here, not the quantity of body %zu (%s)", symbol->name, b + 1,
             body_name(s, body));
    if (is_between(symbol) && symbol->to.body != body) {
      const mbs_spot centre = {.body = body};
      bool own = symbol->from.body == symbol->to.body;
      mbs_spot from = symbol->from;
      move_ends(s, "wrong_body", symbol, false, centre);
      if (own && from.body) {
        from.body = body;
        mbs_error_search_exchange(s, "wrong_body", symbol, mbs_error_search_vector(s, &from, &centre, symbol->rate),
                                  what);
      }
    }
    if (is_of_body(symbol) && symbol->to.body != body)
      mbs_error_search_exchange(s, "wrong_body", symbol, of_other_body(s, symbol, body), what);
  }
}

/* Adds the blocks of other columns and of other bodies as variations. */
static void add_other_blocks(mbs_error_search *s) {
  const mbs_block_verdict *result = &s->entry->result;
  const mbs_equation_matrix *matrix = result->matrix;
  if (matrix == &s->work->places.matrix) return;
  for (size_t c = 0; c < matrix->column_count && c < NEAR_BODIES; c++)
    if (c != result->column)
      mbs_error_search_add(s, "wrong_joint", matrix->blocks[result->row * matrix->column_count + c].term,
                           "this is the block of %s", matrix->columns[c].label);
  for (size_t r = 0; r < matrix->row_count && r < NEAR_BODIES; r++)
    if (r != result->row)
      mbs_error_search_add(s, "wrong_body", matrix->blocks[r * matrix->column_count + result->column].term,
                           "this is the block of %s", matrix->rows[r].label);
}

/* ---- axes ---------------------------------------------------------------------------------------------------- */

static void exchange_axis(mbs_error_search *s, const char *slip, const mbs_variable *symbol, const mbs_spot *to,
                          const char *other) {
  if (same_spot(&symbol->to, to)) return;
  char what[200];
  const char *index = mbs_arena_format(s->work->arena, "%d:%.17g:%.17g:%.17g", to->body, to->s[0], to->s[1], to->s[2]);
  if (!index) return;
  mbs_variable like = *symbol;
  like.letter = "?u";
  like.index = index;
  like.over = "";
  like.equal = NULL;
  like.shown = false;
  like.to = *to;
  snprintf(what, sizeof what, "the axis is %s, not %s", symbol->name, other);
  mbs_error_search_exchange(s, slip, symbol, mbs_term_symbol(s->algebra, mbs_symbol_make(s->symbols, &like)), what);
}

static void add_other_axes(mbs_error_search *s, const mbs_variable *symbol) {
  static const char *const globals[] = {"e_x", "e_y", "e_z"};
  const mbs_model *model = s->work->model;
  const mbs_tree_columns *tree = tree_of(s);
  for (size_t c = 0; c < tree->column_count && c < NEAR_BODIES; c++) {
    const mbs_tree_column *column = &tree->columns[c];
    bool axis = column->kind == MBS_MOTION_SLIDE || (column->kind == MBS_MOTION_TURN && s->algebra->dim == 3);
    if (!axis) continue;
    mbs_spot to = {.body = column->axis_body};
    memcpy(to.s, column->axis, sizeof to.s);
    char other[80];
    snprintf(other, sizeof other, "that of %.60s", column->label);
    exchange_axis(s, "wrong_axis", symbol, &to, other);
    exchange_axis(s, "wrong_joint", symbol, &to, other);
  }
  for (int k = 0; k < s->algebra->dim && k < 3; k++) {
    mbs_spot to = {0};
    to.s[k] = 1;
    exchange_axis(s, "wrong_axis", symbol, &to, globals[k]);
  }
  for (size_t v = 0; v < model->vector_count; v++) {
    mbs_spot to = {.body = model->vectors[v].body};
    if (to.body != symbol->to.body && to.body != 0) continue;
    memcpy(to.s, model->constants->vectors[v], sizeof to.s);
    exchange_axis(s, "wrong_axis", symbol, &to, model->vectors[v].name);
  }
}

void mbs_typical_errors_of_names(mbs_error_search *s) {
  size_t count;
  const mbs_variable **symbols = mbs_error_search_symbols(s, &count);
  if (!symbols) return;
  for (size_t k = 0; k < count; k++)
    if (is_between(symbols[k])) add_points(s, symbols[k]);
  for (size_t k = 0; k < count; k++)
    if (is_between(symbols[k])) add_pivots(s, symbols[k]);
  for (size_t k = 0; k < count; k++) add_other_joints(s, symbols[k]);
  for (size_t k = 0; k < count; k++) add_other_bodies(s, symbols[k]);
  add_other_blocks(s);
  for (size_t k = 0; k < count; k++)
    if (symbols[k]->quantity == MBS_QUANTITY_DIRECTION) add_other_axes(s, symbols[k]);
}

/* ---- rates --------------------------------------------------------------------------------------------------- */

static const mbs_term *unrated(mbs_error_search *s, const mbs_variable *symbol) {
  char why[256];
  mbs_symbol_name name = {symbol->letter, symbol->index, symbol->over, symbol->rate - 1, symbol->local};
  const mbs_variable *found = mbs_symbol_lookup(s->symbols, &name, -1, why);
  if (!found && is_between(symbol)) return mbs_error_search_vector(s, &symbol->from, &symbol->to, 0);
  return found ? mbs_term_symbol(s->algebra, found) : NULL;
}

static bool is_vector_rate(const mbs_variable *symbol) {
  return symbol->rate > 0 && symbol->quantity != MBS_QUANTITY_COORDINATE && symbol->quantity != MBS_QUANTITY_ANGLE;
}

static const mbs_term *all_unrated(void *context, const mbs_term *part, size_t number, bool *done) {
  (void)number;
  const mbs_term *plain =
      part->kind == MBS_TERM_SYMBOL && is_vector_rate(part->symbol) ? unrated(context, part->symbol) : NULL;
  *done = plain != NULL;
  return plain;
}

static void add_undifferentiated(mbs_error_search *s, const mbs_variable *const *symbols, size_t count) {
  mbs_error_search_add(s, "not_differentiated", mbs_term_substitute(s->algebra, s->right, all_unrated, s),
                       "use the rates of the vectors, not the vectors");
  for (size_t k = 0; k < count; k++) {
    const mbs_term *plain = symbols[k]->rate > 0 ? unrated(s, symbols[k]) : NULL;
    char what[200];
    snprintf(what, sizeof what, "use %s here: the dot is missing", symbols[k]->name);
    if (plain) mbs_error_search_exchange(s, "not_differentiated", symbols[k], plain, what);
  }
}

static bool turning(const mbs_tree_column *column) {
  return column->kind == MBS_MOTION_TURN || column->kind == MBS_MOTION_SPIN;
}

/* Returns the rate of a body vector under the rotation of a joint: ~x dot(theta_j), or ~u_j x dot(theta_j). */
static const mbs_term *turned_with(mbs_error_search *s, size_t column, const mbs_term *x) {
  const mbs_term *rate = mbs_symbol_coordinate(s->symbols, column), *parts[3];
  if (s->algebra->dim == 2) {
    parts[0] = mbs_term_of(s->algebra, MBS_TERM_TILDE, &x, 1);
    parts[1] = rate;
    return mbs_term_of(s->algebra, MBS_TERM_PRODUCT, parts, 2);
  }
  if (!mbs_term_is_scalar(rate)) return NULL;
  const mbs_term *axis = mbs_symbol_axis(s->symbols, column, 0);
  parts[0] = mbs_term_of(s->algebra, MBS_TERM_TILDE, &axis, 1);
  parts[1] = x;
  parts[2] = rate;
  return mbs_term_of(s->algebra, MBS_TERM_PRODUCT, parts, 3);
}

static void add_relative_rates(mbs_error_search *s, const mbs_variable *symbol) {
  const mbs_tree_columns *tree = tree_of(s);
  bool fixed = is_vector_rate(symbol) && (symbol->quantity == MBS_QUANTITY_DIRECTION ||
                                          (is_between(symbol) && symbol->from.body == symbol->to.body));
  for (size_t c = 0; c < tree->column_count && !tree->bodies; c++) {
    const mbs_tree_column *column = &tree->columns[c];
    bool own = symbol->to.body && mbs_tree_column_moves(tree, c, symbol->to.body) && turning(column);
    char what[300];
    if (!own) continue;
    snprintf(what, sizeof what,
             "%s rotates with all joints between it and the ground: its rate is omega_%d, not dot(%s)",
             body_name(s, symbol->to.body), user_of(s, symbol->to.body), column->label);
    if (symbol->quantity == MBS_QUANTITY_OMEGA && s->algebra->dim == 2)
      mbs_error_search_exchange(s, "relative_for_absolute_rate", symbol, mbs_symbol_coordinate(s->symbols, c), what);
    const mbs_term *plain = fixed ? unrated(s, symbol) : NULL;
    const mbs_term *by = plain ? turned_with(s, c, plain) : NULL;
    if (by) mbs_error_search_exchange(s, "relative_for_absolute_rate", symbol, by, what);
  }
}

/* Adds the variation with omega of the body in place of the rate of its joint. */
static void add_absolute_rates(mbs_error_search *s, const mbs_variable *symbol) {
  bool rate = symbol->quantity == MBS_QUANTITY_COORDINATE && symbol->rate == 1;
  if (!rate || s->algebra->dim == 3 || !tree_of(s)->turns[symbol->to.body]) return;
  char what[200];
  snprintf(what, sizeof what, "use the joint rate %s here, not omega_%d", symbol->name, user_of(s, symbol->to.body));
  mbs_error_search_exchange(s, "absolute_for_relative_rate", symbol, mbs_symbol_omega(s->symbols, symbol->to.body),
                            what);
}

/* Adds variations for absolute angles: a column then ends at the next joint that rotates. */
static void add_absolute_angles(mbs_error_search *s, const mbs_variable *symbol) {
  const mbs_tree_columns *tree = tree_of(s);
  int joint = is_between(symbol) ? pivot_joint(s, &symbol->from) : -1;
  for (size_t c = 0; joint >= 0 && c < tree->column_count && !tree->bodies; c++) {
    const mbs_tree_column *column = &tree->columns[c];
    bool after = column->body != joint && turning(column) && mbs_tree_column_moves(tree, c, symbol->to.body);
    mbs_spot next = {.body = column->pivot_body};
    memcpy(next.s, column->pivot, sizeof next.s);
    if (after)
      mbs_error_search_exchange(
          s, "absolute_angle", symbol, mbs_error_search_vector(s, &symbol->from, &next, symbol->rate),
          "joint angles are relative: the joint rotates all bodies after it, so the vector ends at the point");
  }
}

/* Adds variations for a disc whose point of contact does not move with the centre. */
static void add_held_contacts(mbs_error_search *s, const mbs_variable *symbol) {
  const mbs_tree_columns *tree = tree_of(s);
  int joint = is_between(symbol) ? pivot_joint(s, &symbol->from) : -1;
  for (size_t c = 0; joint >= 0 && c < tree->column_count; c++) {
    const mbs_spot origin = {0};
    if (tree->columns[c].body != joint || !tree->columns[c].rolls || !symbol->rate) continue;
    mbs_error_search_exchange(s, "contact_point_held", symbol,
                              mbs_error_search_vector(s, &origin, &symbol->to, symbol->rate),
                              "the contact point moves with the centre of the disc");
  }
}

/* Adds variations without the part of a lever's rate that sliding joints cause. */
static void add_coriolis(mbs_error_search *s, const mbs_variable *symbol) {
  if (!is_between(symbol) || symbol->rate != 1 || s->algebra->dim != 2 || symbol->from.body == symbol->to.body) return;
  const mbs_term *d = mbs_error_search_vector(s, &symbol->from, &symbol->to, 0), *omega;
  for (int end = 0; end < 2; end++) {
    int body = end ? symbol->from.body : symbol->to.body;
    if (!tree_of(s)->turns[body]) continue;
    omega = mbs_symbol_omega(s->symbols, body);
    const mbs_term *parts[2] = {omega, mbs_term_of(s->algebra, MBS_TERM_TILDE, &d, 1)};
    mbs_error_search_exchange(s, "missing_coriolis", symbol, mbs_term_of(s->algebra, MBS_TERM_PRODUCT, parts, 2),
                              "the sliding motion along the vector adds a second part to its rate");
  }
}

void mbs_typical_errors_of_rates(mbs_error_search *s) {
  size_t count;
  const mbs_variable **symbols = mbs_error_search_symbols(s, &count);
  if (!symbols) return;
  add_undifferentiated(s, symbols, count);
  for (size_t k = 0; k < count; k++) {
    add_relative_rates(s, symbols[k]);
    add_absolute_rates(s, symbols[k]);
    add_absolute_angles(s, symbols[k]);
    add_held_contacts(s, symbols[k]);
    add_coriolis(s, symbols[k]);
  }
}
