/* program.c - claims from the M-files of the DAP programs: assignments of matrices, written with Points(3).sP,
 * Bodies(2).r, Uvectors(2).u, theta_d(1), s_rot(). Points, vectors and bodies have the numbers of the document: those
 * of the ground first, then body by body. Statements that control the program, and those that update positions, are
 * passed over. */
#include "symbolic/answers/claims.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MAX = 256, DEPTH_MAX = 60, NAME_MAX = 64, PIECES_MAX = 4096, PARTS_MAX = 4096, LENGTH_MAX = 1 << 16 };

/* A matrix: terms and numbers at their places. */
typedef struct value {
  int rows, columns;
  size_t count;
  const mbs_claim_piece *pieces;
} value;

typedef struct variable {
  char name[NAME_MAX];
  value value;
} variable;

typedef struct reader {
  mbs_check_work *work;
  mbs_symbols *symbols;
  mbs_algebra *algebra;
  const char *text, *at;
  variable *variables; /* [VARIABLES_MAX] */
  size_t count;
  int depth;
  bool in_matrix;         /* blanks part its elements */
  bool failed, no_memory; /* then what is left of the text counts no more */
  char what[320];
  const char *where;
  bool size;
} reader;

static const mbs_claim_piece zero_piece = {.cell = {.sensor = -1}};
static const value nothing = {1, 1, 1, &zero_piece};

/* The first mistake counts; reading ends where the text does. */
static value fail(reader *r, const char *where, bool size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static value fail(reader *r, const char *where, bool size, const char *format, ...) {
  if (r->failed) return nothing;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->what, sizeof r->what, format, arguments);
  va_end(arguments);
  r->failed = true;
  r->where = where;
  r->size = size;
  r->at = r->text + strlen(r->text);
  return nothing;
}

/* NULL without memory, which is a mistake, too. */
static void *memory(reader *r, size_t count, size_t size) {
  void *found = mbs_arena_alloc(r->work->arena, count + 1, size);
  if (found) return found;
  r->no_memory = true;
  fail(r, r->at, false, "out of memory");
  return NULL;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

static value one_piece(reader *r, mbs_claim_piece piece) {
  mbs_claim_piece *kept = memory(r, 1, sizeof *kept);
  if (!kept) return nothing;
  *kept = piece;
  const mbs_term *term = piece.term;
  return (value){term ? term->rows : 1, term ? term->columns : 1, 1, kept};
}

/* Parts of a term, which may be shared, counted each time; no more than `most`. */
static size_t parts_of(const mbs_term *term, size_t most) {
  size_t count = 1;
  for (size_t k = 0; k < term->count && count < most; k++) count += parts_of(term->parts[k], most - count);
  return count;
}

static value of_term(reader *r, const mbs_term *term) {
  if (term && parts_of(term, PARTS_MAX) >= PARTS_MAX)
    return fail(r, r->at, false, "this expression has more than %d parts after its variables are inserted", PARTS_MAX);
  return one_piece(r, (mbs_claim_piece){.term = term});
}

static value of_number(reader *r, double number) {
  return one_piece(r, (mbs_claim_piece){.cell = {.number = number, .sensor = -1}});
}

/* Numbers 0, or (`diagonal`) I. */
static value of_numbers(reader *r, int rows, int columns, bool diagonal, const char *where) {
  if (rows < 1 || columns < 1 || rows > PIECES_MAX / columns)
    return fail(r, where, true, "%d x %d is not a valid size", rows, columns);
  mbs_claim_piece *pieces = memory(r, (size_t)rows * (size_t)columns, sizeof *pieces);
  if (!pieces) return nothing;
  for (int k = 0; k < rows * columns; k++)
    pieces[k] = (mbs_claim_piece){.row = k / columns,
                                  .column = k % columns,
                                  .cell = {.number = diagonal && k / columns == k % columns, .sensor = -1}};
  return (value){rows, columns, (size_t)(rows * columns), pieces};
}

static bool is_single(const value *v) { return v->count == 1; }

/* The term of a value that is one. */
static const mbs_term *single(reader *r, const value *v, const char *where) {
  const mbs_claim_piece *piece = v->pieces;
  if (!is_single(v)) fail(r, where, false, "a matrix in brackets is not supported here; assign its parts to variables");
  return piece->term ? piece->term : mbs_term_number(r->algebra, piece->cell.number);
}

static bool is_number(const value *v) { return is_single(v) && !v->pieces->term; }

static const mbs_term *fitting(reader *r, const mbs_term *term, const char *where) {
  if (mbs_term_fits(term, NULL)) return term;
  fail(r, where, true, "the sizes do not match");
  return mbs_term_number(r->algebra, 0);
}

static value negative(reader *r, const value *v) {
  mbs_claim_piece *pieces = memory(r, v->count, sizeof *pieces);
  if (!pieces) return nothing;
  for (size_t k = 0; k < v->count; k++) {
    pieces[k] = v->pieces[k];
    if (pieces[k].term) pieces[k].term = mbs_term_negative(r->algebra, pieces[k].term);
    pieces[k].cell.number = -pieces[k].cell.number;
  }
  return (value){v->rows, v->columns, v->count, pieces};
}

static value transposed(reader *r, const value *v) {
  mbs_claim_piece *pieces = memory(r, v->count, sizeof *pieces);
  if (!pieces) return nothing;
  for (size_t k = 0; k < v->count; k++) {
    pieces[k] = v->pieces[k];
    pieces[k].row = v->pieces[k].column;
    pieces[k].column = v->pieces[k].row;
    if (pieces[k].term) pieces[k].term = mbs_term_of(r->algebra, MBS_TERM_TRANSPOSE, &v->pieces[k].term, 1);
  }
  return (value){v->columns, v->rows, v->count, pieces};
}

/* A scalar times each part of a matrix that is written out. */
static value scaled(reader *r, const mbs_term *by, const value *v) {
  mbs_claim_piece *pieces = memory(r, v->count, sizeof *pieces);
  if (!pieces) return nothing;
  for (size_t k = 0; k < v->count; k++) {
    const mbs_claim_piece *piece = &v->pieces[k];
    const mbs_term *both[2] = {by, piece->term ? piece->term : mbs_term_number(r->algebra, piece->cell.number)};
    pieces[k] = *piece;
    pieces[k].term = mbs_term_of(r->algebra, MBS_TERM_PRODUCT, both, 2);
  }
  return (value){v->rows, v->columns, v->count, pieces};
}

static value multiplied(reader *r, const value *one, const value *two, const char *where) {
  if (is_number(one) && is_number(two)) return of_number(r, one->pieces->cell.number * two->pieces->cell.number);
  if (!is_single(two) && is_single(one) && one->rows * one->columns == 1) return scaled(r, single(r, one, where), two);
  if (!is_single(one) && is_single(two) && two->rows * two->columns == 1) return scaled(r, single(r, two, where), one);
  const mbs_term *both[2] = {single(r, one, where), single(r, two, where)};
  return of_term(r, fitting(r, mbs_term_of(r->algebra, MBS_TERM_PRODUCT, both, 2), where));
}

static value divided(reader *r, const value *one, const value *two, const char *where) {
  if (is_number(one) && is_number(two)) return of_number(r, one->pieces->cell.number / two->pieces->cell.number);
  const mbs_term *both[2] = {single(r, one, where), single(r, two, where)};
  return of_term(r, fitting(r, mbs_term_of(r->algebra, MBS_TERM_QUOTIENT, both, 2), where));
}

static value added(reader *r, const value *one, const value *two, const char *where) {
  if (is_number(one) && is_number(two)) return of_number(r, one->pieces->cell.number + two->pieces->cell.number);
  const mbs_term *both[2] = {single(r, one, where), single(r, two, where)};
  return of_term(r, fitting(r, mbs_term_of(r->algebra, MBS_TERM_SUM, both, 2), where));
}

/* ---- characters ---------------------------------------------------------------------------------------------- */

/* Blanks and comments; line breaks where they part nothing. */
static void skip(reader *r, bool lines) {
  for (;; r->at++) {
    if (*r->at == '%')
      while (r->at[1] && r->at[1] != '\n') r->at++;
    else if (strncmp(r->at, "...", 3) == 0)
      while (r->at[1] && *r->at != '\n') r->at++;
    else if (!(*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || (lines && *r->at == '\n')))
      return;
    if (!*r->at) return;
  }
}

static void blanks(reader *r) { skip(r, false); }

static bool take(reader *r, char c) {
  blanks(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static void need(reader *r, char c) {
  if (take(r, c)) return;
  if (*r->at && isprint((unsigned char)*r->at))
    fail(r, r->at, false, "expected '%c' but found '%c'", c, *r->at);
  else
    fail(r, r->at, false, "expected '%c' but found %s", c, *r->at == '\n' ? "the end of the line" : "the end");
}

static bool starts_name(char c) { return isalpha((unsigned char)c) || c == '_'; }

static void word(reader *r, char out[NAME_MAX]) {
  size_t n = 0;
  const char *from = r->at;
  for (; isalnum((unsigned char)*r->at) || *r->at == '_'; r->at++) {
    if (n + 1 == NAME_MAX) {
      fail(r, from, false, "this name is too long");
      break;
    }
    out[n++] = *r->at;
  }
  out[n] = 0;
}

static value sum(reader *r);

/* The same outside of a matrix, where blanks part nothing. */
static value enclosed(reader *r) {
  bool before = r->in_matrix;
  r->in_matrix = false;
  value v = sum(r);
  r->in_matrix = before;
  return v;
}

static int whole_number(reader *r) {
  blanks(r);
  const char *from = r->at;
  value v = enclosed(r);
  double number = is_number(&v) ? v.pieces->cell.number : NAN;
  if (!(number >= 0 && number < 1e6 && number == floor(number))) {
    fail(r, from, false, "expected a whole number");
    return 0;
  }
  return (int)number;
}

/* ---- arrays of the programs ---------------------------------------------------------------------------------- */

static value named(reader *r, const char *letter, int body, const char *over, int rate, const char *where) {
  char index[16], why[256];
  snprintf(index, sizeof index, "%d", r->symbols->chain->user_of[body]);
  const mbs_variable *symbol =
      mbs_symbol_named(r->symbols, &(mbs_symbol_name){letter, index, over, rate, false}, -1, why);
  if (!symbol) return fail(r, where, false, "%s", why);
  return of_term(r, mbs_term_symbol(r->algebra, symbol));
}

static value turned(reader *r, const value *v, const char *where) {
  const mbs_term *of = single(r, v, where);
  if (of->columns != 1 || of->rows != r->algebra->dim) return fail(r, where, true, "s_rot needs a vector");
  return of_term(r, mbs_term_of(r->algebra, MBS_TERM_TILDE, &of, 1));
}

/* The number in parentheses behind an array of so many; 0 after a mistake. */
static int numbered(reader *r, const char *array, size_t count, const char *where) {
  need(r, '(');
  int number = whole_number(r);
  need(r, ')');
  if (!r->failed && (number < 1 || (size_t)number > count))
    fail(r, where, false, "%s has the indices 1 to %zu, not %d", array, count, number);
  return r->failed ? 0 : number;
}

static void field(reader *r, char out[NAME_MAX]) {
  need(r, '.');
  *out = 0;
  if (!starts_name(*r->at)) fail(r, r->at, false, "expected a field, as in Points(1).sP");
  word(r, out);
}

static value unknown_field(reader *r, const char *array, const char *name, const char *known, const char *where) {
  return fail(r, where, false, "%s has the fields %s, not '%s'", array, known, name);
}

static value points(reader *r, const char *where) {
  const mbs_model *model = r->work->model;
  int number = numbered(r, "Points", model->nP, where);
  char name[NAME_MAX];
  if (number == 0) return nothing;
  const mbs_place *point = &model->points[number - 1];
  field(r, name);
  value v;
  if (strcmp(name, "sP") == 0) return named(r, "s", point->body, point->name, 0, where);
  if (strcmp(name, "rP") == 0) return named(r, "r", point->body, point->name, 0, where);
  if (strcmp(name, "sP_d") == 0) return named(r, "s", point->body, point->name, 1, where);
  if (strcmp(name, "rP_d") == 0) return named(r, "r", point->body, point->name, 1, where);
  if (strcmp(name, "sP_r") != 0) return unknown_field(r, "Points", name, "sP, sP_d, sP_r, rP, rP_d", where);
  v = named(r, "s", point->body, point->name, 0, where);
  return turned(r, &v, where);
}

static value bodies(reader *r, const char *where) {
  static const char *const fields[][2] = {{"r", "r"}, {"r_d", "r"}, {"p", "phi"}, {"p_d", "phi"}, {"A", "A"},
                                          {"m", "m"}, {"J", "J"},   {"f", "f"},   {"n", "n"}};
  const mbs_model *model = r->work->model;
  int number = numbered(r, "Bodies", model->nB, where), body = number ? model->user_body[number - 1] : 0;
  char name[NAME_MAX];
  if (number == 0) return nothing;
  field(r, name);
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    if (strcmp(name, fields[k][0]) == 0) return named(r, fields[k][1], body, "", strstr(name, "_d") != NULL, where);
  return unknown_field(r, "Bodies", name, "r, r_d, p, p_d, A, m, J, f, n", where);
}

static value vectors(reader *r, const char *where) {
  const mbs_model *model = r->work->model;
  int number = numbered(r, "Uvectors", model->vector_count, where);
  char name[NAME_MAX], index[32];
  if (number == 0) return nothing;
  field(r, name);
  bool rate = strcmp(name, "u_d") == 0, across = strcmp(name, "u_r") == 0;
  if (!rate && !across && strcmp(name, "u") != 0) return unknown_field(r, "Uvectors", name, "u, u_d, u_r", where);
  mbs_spot to = {.body = model->vectors[number - 1].body};
  memcpy(to.s, model->constants->vectors[number - 1], sizeof to.s);
  snprintf(index, sizeof index, "Uvectors(%d)", number);
  const char *kept = mbs_arena_text(r->work->arena, index);
  if (!kept) kept = "";
  value v = of_term(
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

/* theta(k), theta_d(k): k counts numbers, as the programs do. */
static value coordinates(reader *r, int rate, const char *where) {
  const mbs_chain *tree = r->symbols->chain;
  const mbs_model *model = r->work->model;
  int number = numbered(r, rate ? "theta_d" : "theta", model->nv, where);
  for (size_t c = 0; c < tree->column_count; c++) {
    const mbs_chain_column *column = &tree->columns[c];
    if (column->first_user + 1 != number || column->size != 1) continue;
    if (column->kind == MBS_MOTION_SPIN) return named(r, "phi", column->body, "", rate, where);
    char why[256], *letter = mbs_arena_text(r->work->arena, column->label),
                   *index = letter ? strchr(letter, '_') : NULL;
    if (!index) break;
    *index++ = 0;
    if (*index == '{') index++;
    index[strcspn(index, "}")] = 0;
    const mbs_variable *symbol =
        mbs_symbol_named(r->symbols, &(mbs_symbol_name){letter, index, "", rate, false}, -1, why);
    if (!symbol) return fail(r, where, false, "%s", why);
    return of_term(r, mbs_term_symbol(r->algebra, symbol));
  }
  return fail(r, where, false, "coordinate %d is neither a translation nor a rotation; others are not supported",
              number);
}

/* zeros(2,1), eye(2) */
static value filled(reader *r, bool diagonal, const char *where) {
  need(r, '(');
  int rows = whole_number(r), columns = take(r, ',') ? whole_number(r) : rows;
  need(r, ')');
  return of_numbers(r, rows, columns, diagonal, where);
}

static value known_variable(reader *r, const char *name, const char *where) {
  static const char *const arrays[] = {"Points", "Bodies", "Uvectors", "theta", "theta_d", "s_rot", "zeros", "eye"};
  const char *names[VARIABLES_MAX + 8];
  size_t count = 0;
  for (size_t k = r->count; k-- > 0;)
    if (strcmp(r->variables[k].name, name) == 0) return r->variables[k].value;
  for (size_t k = 0; k < r->count; k++) names[count++] = r->variables[k].name;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) names[count++] = arrays[k];
  const char *nearest = mbs_nearest(name, names, count);
  return fail(r, where, false, "unknown name '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
              nearest ? nearest : "", nearest ? "'?" : "");
}

static value of_name(reader *r) {
  const char *where = r->at;
  char name[NAME_MAX];
  word(r, name);
  if (strcmp(name, "Points") == 0) return points(r, where);
  if (strcmp(name, "Bodies") == 0) return bodies(r, where);
  if (strcmp(name, "Uvectors") == 0) return vectors(r, where);
  if (strcmp(name, "theta") == 0) return coordinates(r, 0, where);
  if (strcmp(name, "theta_d") == 0) return coordinates(r, 1, where);
  if (strcmp(name, "zeros") == 0) return filled(r, false, where);
  if (strcmp(name, "eye") == 0) return filled(r, true, where);
  if (strcmp(name, "pi") == 0) return of_number(r, M_PI);
  if (strcmp(name, "s_rot") != 0) return known_variable(r, name, where);
  need(r, '(');
  value v = enclosed(r);
  need(r, ')');
  return turned(r, &v, where);
}

/* ---- matrices ------------------------------------------------------------------------------------------------ */

/* Parts placed one beside or below another. */
typedef struct layout {
  mbs_claim_piece *pieces; /* [room], at most PIECES_MAX */
  size_t count, room;
  int row, column; /* where the next part stands */
  int row_height, all_columns;
  bool stacked; /* its only row is a column */
} layout;

/* Parts of one column that stand beside one another in a single row, and are of several heights, are meant one below
 * another: line breaks are lost where a listing is printed. */
static bool stack(layout *l, const value *v) {
  if (l->stacked) return v->columns == 1;
  if (l->row > 0 || v->columns != 1) return false;
  for (size_t k = 0; k < l->count; k++) {
    const mbs_term *term = l->pieces[k].term;
    if (term && term->columns != 1) return false;
  }
  for (size_t k = 0; k < l->count; k++) {
    l->pieces[k].row += l->row_height * l->pieces[k].column;
    l->pieces[k].column = 0;
  }
  l->row_height *= l->column;
  l->stacked = true;
  return true;
}

static bool make_room(reader *r, layout *l, size_t more, const char *where) {
  size_t room = l->room ? l->room : 16;
  while (room < l->count + more) room *= 2;
  if (room > PIECES_MAX) fail(r, where, true, "a matrix can have at most %d parts", PIECES_MAX);
  mbs_claim_piece *pieces = r->failed || room == l->room ? l->pieces : memory(r, room, sizeof *pieces);
  if (r->failed) return false;
  if (pieces != l->pieces && l->count) memcpy(pieces, l->pieces, l->count * sizeof *pieces);
  l->pieces = pieces;
  l->room = room;
  return true;
}

static void place(reader *r, layout *l, const value *v, const char *where) {
  if (!make_room(r, l, v->count, where)) return;
  bool first = l->column == 0, level = first || (v->rows == l->row_height && !l->stacked);
  if (!level && !stack(l, v)) {
    fail(r, where, true, "this part has %d rows, but the part beside it has %d", v->rows, l->row_height);
    return;
  }
  for (size_t k = 0; k < v->count; k++) {
    mbs_claim_piece piece = v->pieces[k];
    piece.row += level ? l->row : l->row_height;
    piece.column += level ? l->column : 0;
    l->pieces[l->count++] = piece;
  }
  if (first) l->row_height = v->rows;
  if (!level) l->row_height += v->rows;
  l->column = level ? l->column + v->columns : 1;
}

static void end_row(reader *r, layout *l, const char *where) {
  if (l->column == 0) return;
  if (l->all_columns && l->column != l->all_columns)
    fail(r, where, true, "this row has %d columns, but the rows above have %d", l->column, l->all_columns);
  l->all_columns = l->column;
  l->row += l->row_height;
  l->column = 0;
}

static value matrix(reader *r) {
  bool before = r->in_matrix;
  layout l = {0};
  r->in_matrix = true;
  for (blanks(r); *r->at && *r->at != ']'; blanks(r)) {
    const char *where = r->at;
    if (*r->at == ';' || *r->at == '\n') {
      end_row(r, &l, where);
      if (!r->failed) r->at++;
    } else if (*r->at == ',') {
      r->at++;
    } else {
      value v = sum(r);
      place(r, &l, &v, where);
    }
  }
  end_row(r, &l, r->at);
  need(r, ']');
  r->in_matrix = before;
  if (l.count == 0) return fail(r, r->at, true, "an empty matrix");
  return (value){l.row, l.all_columns, l.count, l.pieces};
}

/* ---- expressions --------------------------------------------------------------------------------------------- */

static value primary(reader *r) {
  blanks(r);
  const char *where = r->at;
  if (++r->depth > DEPTH_MAX) return fail(r, where, false, "nested too deeply");
  value v;
  if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
    char *end;
    bool hex = *r->at == '0' && (r->at[1] == 'x' || r->at[1] == 'X');
    if (hex) return fail(r, where, false, "a number can have decimal digits only");
    v = of_number(r, strtod(r->at, &end));
    if (!r->failed) r->at = end;
  } else if (take(r, '(')) {
    v = enclosed(r);
    need(r, ')');
  } else if (take(r, '[')) {
    v = matrix(r);
  } else if (starts_name(*r->at)) {
    v = of_name(r);
  } else if (*r->at && *r->at != '\n') {
    return fail(r, where, false, "expected a value but found '%c'", isprint((unsigned char)*r->at) ? *r->at : '?');
  } else {
    return fail(r, where, false, "expected a value but found the end of the line");
  }
  for (; *r->at == '\''; r->at++) v = transposed(r, &v);
  r->depth--;
  return v;
}

static value power(reader *r) {
  value v = primary(r);
  const char *where = r->at;
  const char *after = where;
  while (*after == ' ') after++;
  if (*after != '^') return v;
  r->at = after + 1;
  if (whole_number(r) != 2) return fail(r, where, false, "2 is the only supported power");
  return multiplied(r, &v, &v, where);
}

static value signed_value(reader *r) {
  for (blanks(r); *r->at == '+'; blanks(r)) r->at++;
  if (*r->at != '-') return power(r);
  if (++r->depth > DEPTH_MAX) return fail(r, r->at, false, "nested too deeply");
  r->at++;
  value v = signed_value(r);
  r->depth--;
  return negative(r, &v);
}

static value product(reader *r) {
  value v = signed_value(r);
  for (;;) {
    const char *before = r->at;
    blanks(r);
    const char *where = r->at;
    if (*where != '*' && *where != '/') {
      r->at = before;
      return v;
    }
    r->at++;
    value by = signed_value(r);
    v = *where == '*' ? multiplied(r, &v, &by, where) : divided(r, &v, &by, where);
  }
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static value sum(reader *r) {
  value v = product(r);
  for (;;) {
    const char *before = r->at;
    blanks(r);
    const char *where = r->at;
    bool sign = *where == '+' || *where == '-';
    bool element = sign && r->in_matrix && where > before && !is_blank(where[1]); /* [a -b] has two */
    if (!sign || element) {
      r->at = before;
      return v;
    }
    r->at++;
    value by = product(r);
    if (*where == '-') by = negative(r, &by);
    v = added(r, &v, &by, where);
  }
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

/* Statements that compute nothing of these matrices. */
static bool passed_over(reader *r) {
  static const char *const whole[] = {"function", "if", "elseif", "else", "end", "include_global", "global", "return"};
  static const char *const begin[] = {"Coord_", "Update_"};
  size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  bool skipped = false;
  for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
    skipped = skipped || (strlen(whole[k]) == length && strncmp(r->at, whole[k], length) == 0);
  for (size_t k = 0; k < sizeof begin / sizeof *begin; k++)
    skipped = skipped || strncmp(r->at, begin[k], strlen(begin[k])) == 0;
  if (skipped) r->at += strcspn(r->at, "\n");
  return skipped;
}

/* The constraints themselves, which are not a matrix of the equations. */
static bool is_position(const char *name) { return strcmp(name, "Phi") == 0; }

static void skip_statement(reader *r) {
  int open = 0;
  for (; *r->at; r->at++) {
    open += *r->at == '[' || *r->at == '(';
    open -= *r->at == ']' || *r->at == ')';
    if (open <= 0 && (*r->at == ';' || *r->at == '\n')) return;
  }
}

/* `name = ...`, or a value by itself, which is called "". */
static void statement(reader *r) {
  char name[NAME_MAX] = "";
  const char *from = r->at;
  if (starts_name(*r->at)) {
    word(r, name);
    if (r->failed) return;
    blanks(r);
    bool assigned = *r->at == '=' && r->at[1] != '=';
    if (assigned)
      r->at++;
    else
      r->at = from;
    if (!assigned) *name = 0;
  }
  if (is_position(name)) {
    skip_statement(r);
    return;
  }
  value v = sum(r);
  blanks(r);
  if (*r->at && !strchr(";,\n", *r->at))
    fail(r, r->at, false, "expected the end of the statement but found '%c'",
         isprint((unsigned char)*r->at) ? *r->at : '?');
  if (r->count == VARIABLES_MAX) fail(r, from, false, "the program can have at most %d names", VARIABLES_MAX);
  if (r->failed) return;
  variable *kept = &r->variables[r->count++];
  memcpy(kept->name, name, sizeof name);
  kept->value = v;
}

static void statements(reader *r) {
  for (;;) {
    skip(r, true);
    if (*r->at == ';' || *r->at == ',') {
      r->at++;
      continue;
    }
    if (!*r->at || r->failed) return;
    if (!passed_over(r)) statement(r);
  }
}

/* ---- blocks -------------------------------------------------------------------------------------------------- */

static int length_of(const mbs_equation_axis *axes, size_t count) {
  int length = 0;
  for (size_t k = 0; k < count; k++) length += axes[k].size;
  return length;
}

static bool add_misfit(reader *r, const mbs_equation_matrix *matrix, const char *text) {
  mbs_claim_entry *entry = mbs_claim_entry_new(r->work, matrix, 0, 0);
  if (!entry || !text) return false;
  entry->judged.verdict = MBS_VERDICT_SIZE;
  entry->judged.other_size = true;
  entry->judged.detail = text;
  return true;
}

/* The parts that lie in a block, as an entry of its own. */
static bool add_block(reader *r, const mbs_equation_matrix *matrix, size_t row, size_t column, const value *v) {
  int row0 = length_of(matrix->rows, row), column0 = length_of(matrix->columns, column);
  int rows = matrix->rows[row].size, columns = matrix->columns[column].size;
  mbs_claim_entry *entry = mbs_claim_entry_new(r->work, matrix, row, column);
  mbs_claim_piece *pieces = mbs_arena_alloc(r->work->arena, (size_t)(rows * columns) + 1, sizeof *pieces);
  if (!entry || !pieces) return false;
  entry->judged.rows = rows;
  entry->judged.columns = columns;
  entry->zero = true;
  for (size_t k = 0; k < v->count; k++) {
    mbs_claim_piece piece = v->pieces[k];
    int height = piece.term ? piece.term->rows : 1, width = piece.term ? piece.term->columns : 1;
    piece.row -= row0;
    piece.column -= column0;
    bool outside = piece.row >= rows || piece.column >= columns || piece.row + height <= 0 || piece.column + width <= 0;
    if (outside) continue;
    bool inside = piece.row >= 0 && piece.column >= 0 && piece.row + height <= rows && piece.column + width <= columns;
    if (!inside) {
      entry->judged.verdict = MBS_VERDICT_SIZE;
      entry->judged.other_size = true;
      entry->judged.detail = "this part covers several blocks; assign each block by itself";
      return true;
    }
    entry->zero = entry->zero && !piece.term && piece.cell.number == 0;
    pieces[entry->piece_count++] = piece;
  }
  entry->pieces = pieces;
  entry->readable = true;
  entry->as_printed = entry->zero && entry->block->zero;
  return true;
}

static bool add_matrix(reader *r, const mbs_equation_matrix *matrix, const value *given) {
  value v = *given;
  int rows = length_of(matrix->rows, matrix->row_count), columns = length_of(matrix->columns, matrix->column_count);
  if (matrix->vector && v.rows == 1 && v.columns == rows && rows > 1) {
    mbs_claim_piece *pieces = memory(r, v.count, sizeof *pieces);
    if (!pieces) return false;
    for (size_t k = 0; k < v.count; k++) {
      pieces[k] = v.pieces[k];
      pieces[k].row = v.pieces[k].column;
      pieces[k].column = 0;
    }
    v = (value){rows, 1, v.count, pieces};
  }
  if (v.rows != rows || v.columns != columns)
    return add_misfit(r, matrix,
                      mbs_arena_format(r->work->arena, "the answer is %d x %d, but %s is %d x %d", v.rows, v.columns,
                                       matrix->name, rows, columns));
  for (size_t row = 0; row < matrix->row_count; row++)
    for (size_t column = 0; column < matrix->column_count; column++)
      if (!add_block(r, matrix, row, column, &v)) return false;
  return true;
}

/* What the programs call the matrices. */
static const char *const called[][2] = {{"Bmat", "B"},
                                        {"B", "B"},
                                        {"Bd", "Bdot_thetad"},
                                        {"C", "C"},
                                        {"rhsV", "rhsV"},
                                        {"rhsA", "rhsA"},
                                        {"Bdot_thetad", "Bdot_thetad"},
                                        {"M", "M"},
                                        {"h", "h"},
                                        {"D", "D"},
                                        {"gamma", "gamma"}};

/* The last value that a matrix was given; of the only one asked for also that of a text without a name. */
static const value *assigned(const reader *r, const char *matrix, bool only) {
  for (size_t k = r->count; k-- > 0;) {
    if (only && !*r->variables[k].name) return &r->variables[k].value;
    for (size_t i = 0; i < sizeof called / sizeof *called; i++)
      if (strcmp(called[i][0], r->variables[k].name) == 0 && strcmp(called[i][1], matrix) == 0)
        return &r->variables[k].value;
  }
  return only && r->count ? &r->variables[r->count - 1].value : NULL;
}

static bool add_matrices(reader *r, const char *asked) {
  bool any = false;
  for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
    const char *name = called[i][1];
    bool again = false;
    for (size_t k = 0; k < i; k++) again = again || strcmp(called[k][1], name) == 0;
    if (again || (asked && strcmp(asked, name) != 0)) continue;
    const value *v = assigned(r, name, asked != NULL);
    const mbs_equation_matrix *matrix = v ? mbs_check_matrix(r->work->check, name) : NULL;
    if (!matrix) continue;
    any = true;
    if (!add_matrix(r, matrix, v)) return false;
  }
  if (!any) fail(r, r->text, false, "the program assigns no value to Bmat, Bd, C, rhsV or rhsA");
  return true;
}

static bool add_unreadable(reader *r, const char *asked) {
  const mbs_equation_matrix *matrix = asked ? mbs_check_matrix(r->work->check, asked) : NULL;
  mbs_claim_entry *entry = mbs_claim_entry_new(r->work, matrix, 0, 0);
  const char *detail = entry ? mbs_arena_text(r->work->arena, r->what) : NULL;
  if (!detail) return false;
  entry->judged.verdict = r->size ? MBS_VERDICT_SIZE : MBS_VERDICT_UNREADABLE;
  entry->judged.other_size = r->size;
  entry->judged.detail = detail;
  entry->judged.line = 1;
  entry->judged.place = 1;
  for (const char *at = r->text; at < r->where; at++) {
    entry->judged.place = *at == '\n' ? 1 : entry->judged.place + 1;
    entry->judged.line += *at == '\n';
  }
  return true;
}

bool mbs_check_read_program(mbs_check_work *work, const char *text, const char *matrix) {
  mbs_equations_work *inside = work->equations->work;
  reader *r = mbs_arena_alloc(work->arena, 1, sizeof *r);
  variable *variables = mbs_arena_alloc(work->arena, VARIABLES_MAX, sizeof *variables);
  if (!r || !variables) return false;
  *r = (reader){.work = work,
                .symbols = &inside->symbols,
                .algebra = &inside->algebra,
                .text = text,
                .at = text,
                .variables = variables,
                .where = text};
  if (strlen(text) > LENGTH_MAX) fail(r, text, false, "the program is longer than %d characters", LENGTH_MAX);
  statements(r);
  bool added = r->failed || add_matrices(r, matrix);
  if (r->failed) return !r->no_memory && add_unreadable(r, matrix);
  return added;
}
