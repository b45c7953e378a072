/* mfile_names.c - the arrays of the DAP programs: Points(3).sP, Bodies(2).r, Uvectors(2).u, theta_d(1), s_rot().
 * Points, vectors and bodies have the numbers of the document: those of the ground first, then body by body. */
#include "symbolic/answers/mfile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static mbs_mfile_value named(mbs_mfile *r, const char *letter, int body, const char *over, int rate,
                             const char *where) {
  char index[16], why[256];
  snprintf(index, sizeof index, "%d", r->symbols->chain->user_of[body]);
  const mbs_variable *symbol =
      mbs_symbol_lookup(r->symbols, &(mbs_symbol_name){letter, index, over, rate, false}, -1, why);
  if (!symbol) return mbs_mfile_fail(r, where, false, "%s", why);
  return mbs_mfile_of_term(r, mbs_term_symbol(r->algebra, symbol));
}

static mbs_mfile_value turned(mbs_mfile *r, const mbs_mfile_value *v, const char *where) {
  const mbs_term *of = mbs_mfile_term(r, v, where);
  if (of->columns != 1 || of->rows != r->algebra->dim) return mbs_mfile_fail(r, where, true, "s_rot needs a vector");
  return mbs_mfile_of_term(r, mbs_term_of(r->algebra, MBS_TERM_TILDE, &of, 1));
}

/* Reads an index in parentheses from 1 to `count`; returns 0 after an error. */
static int numbered(mbs_mfile *r, const char *array, size_t count, const char *where) {
  mbs_mfile_expect(r, '(');
  int number = mbs_mfile_whole_number(r);
  mbs_mfile_expect(r, ')');
  if (!r->failed && (number < 1 || (size_t)number > count))
    mbs_mfile_fail(r, where, false, "%s has the indices 1 to %zu, not %d", array, count, number);
  return r->failed ? 0 : number;
}

static void field(mbs_mfile *r, char out[MBS_MFILE_NAME_MAX]) {
  mbs_mfile_expect(r, '.');
  *out = 0;
  if (!mbs_mfile_starts_name(*r->at)) mbs_mfile_fail(r, r->at, false, "expected a field, as in Points(1).sP");
  mbs_mfile_word(r, out);
}

static mbs_mfile_value unknown_field(mbs_mfile *r, const char *array, const char *name, const char *known,
                                     const char *where) {
  return mbs_mfile_fail(r, where, false, "%s has the fields %s, not '%s'", array, known, name);
}

static mbs_mfile_value points(mbs_mfile *r, const char *where) {
  const mbs_model *model = r->work->model;
  int number = numbered(r, "Points", model->nP, where);
  char name[MBS_MFILE_NAME_MAX];
  if (number == 0) return mbs_mfile_zero;
  const mbs_point_or_vector *point = &model->points[number - 1];
  field(r, name);
  mbs_mfile_value v;
  if (strcmp(name, "sP") == 0) return named(r, "s", point->body, point->name, 0, where);
  if (strcmp(name, "rP") == 0) return named(r, "r", point->body, point->name, 0, where);
  if (strcmp(name, "sP_d") == 0) return named(r, "s", point->body, point->name, 1, where);
  if (strcmp(name, "rP_d") == 0) return named(r, "r", point->body, point->name, 1, where);
  if (strcmp(name, "sP_r") != 0) return unknown_field(r, "Points", name, "sP, sP_d, sP_r, rP, rP_d", where);
  v = named(r, "s", point->body, point->name, 0, where);
  return turned(r, &v, where);
}

static mbs_mfile_value bodies(mbs_mfile *r, const char *where) {
  static const char *const fields[][2] = {{"r", "r"}, {"r_d", "r"}, {"p", "phi"}, {"p_d", "phi"}, {"A", "A"},
                                          {"m", "m"}, {"J", "J"},   {"f", "f"},   {"n", "n"}};
  const mbs_model *model = r->work->model;
  int number = numbered(r, "Bodies", model->nB, where), body = number ? model->user_body[number - 1] : 0;
  char name[MBS_MFILE_NAME_MAX];
  if (number == 0) return mbs_mfile_zero;
  field(r, name);
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    if (strcmp(name, fields[k][0]) == 0) return named(r, fields[k][1], body, "", strstr(name, "_d") != NULL, where);
  return unknown_field(r, "Bodies", name, "r, r_d, p, p_d, A, m, J, f, n", where);
}

static mbs_mfile_value vectors(mbs_mfile *r, const char *where) {
  const mbs_model *model = r->work->model;
  int number = numbered(r, "Uvectors", model->vector_count, where);
  char name[MBS_MFILE_NAME_MAX], index[32];
  if (number == 0) return mbs_mfile_zero;
  field(r, name);
  bool rate = strcmp(name, "u_d") == 0, across = strcmp(name, "u_r") == 0;
  if (!rate && !across && strcmp(name, "u") != 0) return unknown_field(r, "Uvectors", name, "u, u_d, u_r", where);
  mbs_spot to = {.body = model->vectors[number - 1].body};
  memcpy(to.s, model->constants->vectors[number - 1], sizeof to.s);
  snprintf(index, sizeof index, "Uvectors(%d)", number);
  const char *kept = mbs_arena_text(r->work->arena, index);
  if (!kept) kept = "";
  mbs_mfile_value v = mbs_mfile_of_term(
      r, mbs_term_symbol(r->algebra, mbs_symbol_make(r->symbols, &(mbs_variable){.letter = "u",
                                                                                 .index = kept,
                                                                                 .over = "",
                                                                                 .rate = rate,
                                                                                 .rows = r->algebra->dim,
                                                                                 .columns = 1,
                                                                                 .meaning = "",
                                                                                 .quantity = MBS_QUANTITY_DIRECTION,
                                                                                 .to = to})));
  return across ? turned(r, &v, where) : v;
}

/* Reads theta(k), theta_d(k); k counts scalar coordinates, as in the programs. */
static mbs_mfile_value coordinates(mbs_mfile *r, int rate, const char *where) {
  const mbs_tree_columns *tree = r->symbols->chain;
  const mbs_model *model = r->work->model;
  int number = numbered(r, rate ? "theta_d" : "theta", model->nv, where);
  for (size_t c = 0; c < tree->column_count; c++) {
    const mbs_tree_column *column = &tree->columns[c];
    if (column->first_user + 1 != number || column->size != 1) continue;
    if (column->kind == MBS_MOTION_SPIN) return named(r, "phi", column->body, "", rate, where);
    char why[256], *letter = mbs_arena_text(r->work->arena, column->label),
                   *index = letter ? strchr(letter, '_') : NULL;
    if (!index) break;
    *index++ = 0;
    if (*index == '{') index++;
    index[strcspn(index, "}")] = 0;
    const mbs_variable *symbol =
        mbs_symbol_lookup(r->symbols, &(mbs_symbol_name){letter, index, "", rate, false}, -1, why);
    if (!symbol) return mbs_mfile_fail(r, where, false, "%s", why);
    return mbs_mfile_of_term(r, mbs_term_symbol(r->algebra, symbol));
  }
  return mbs_mfile_fail(r, where, false,
                        "coordinate %d is neither a translation nor a rotation; others are not supported", number);
}

/* Reads zeros(2,1), eye(2). */
static mbs_mfile_value filled(mbs_mfile *r, bool diagonal, const char *where) {
  mbs_mfile_expect(r, '(');
  int rows = mbs_mfile_whole_number(r), columns = mbs_mfile_accept(r, ',') ? mbs_mfile_whole_number(r) : rows;
  mbs_mfile_expect(r, ')');
  return mbs_mfile_of_numbers(r, rows, columns, diagonal, where);
}

static mbs_mfile_value known_variable(mbs_mfile *r, const char *name, const char *where) {
  static const char *const arrays[] = {"Points", "Bodies", "Uvectors", "theta", "theta_d", "s_rot", "zeros", "eye"};
  const char *names[MBS_MFILE_VARIABLES_MAX + 8];
  size_t count = 0;
  for (size_t k = r->count; k-- > 0;)
    if (strcmp(r->variables[k].name, name) == 0) return r->variables[k].value;
  for (size_t k = 0; k < r->count; k++) names[count++] = r->variables[k].name;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) names[count++] = arrays[k];
  const char *nearest = mbs_nearest(name, names, count);
  return mbs_mfile_fail(r, where, false, "unknown name '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
}

mbs_mfile_value mbs_mfile_of_name(mbs_mfile *r) {
  const char *where = r->at;
  char name[MBS_MFILE_NAME_MAX];
  mbs_mfile_word(r, name);
  if (strcmp(name, "Points") == 0) return points(r, where);
  if (strcmp(name, "Bodies") == 0) return bodies(r, where);
  if (strcmp(name, "Uvectors") == 0) return vectors(r, where);
  if (strcmp(name, "theta") == 0) return coordinates(r, 0, where);
  if (strcmp(name, "theta_d") == 0) return coordinates(r, 1, where);
  if (strcmp(name, "zeros") == 0) return filled(r, false, where);
  if (strcmp(name, "eye") == 0) return filled(r, true, where);
  if (strcmp(name, "pi") == 0) return mbs_mfile_of_number(r, M_PI);
  if (strcmp(name, "s_rot") != 0) return known_variable(r, name, where);
  mbs_mfile_expect(r, '(');
  mbs_mfile_value v = mbs_mfile_parenthesized(r);
  mbs_mfile_expect(r, ')');
  return turned(r, &v, where);
}
