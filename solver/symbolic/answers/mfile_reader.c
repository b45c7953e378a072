/* mfile_reader.c - reads answers from M-files of the DAP programs: assignments of matrices, written with Points(3).sP,
 * Bodies(2).r, Uvectors(2).u, theta_d(1), s_rot() (mfile_names.c). Statements that control the program, and those that
 * update positions, are skipped. */
#include "symbolic/answers/mfile.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 60, LENGTH_MAX = 1 << 16 };

/* ---- characters -------------------------------------------------------------------------------------------------- */

/* Skips blanks and comments; with `lines` also line breaks. */
static void skip(mbs_mfile *r, bool lines) {
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

static void blanks(mbs_mfile *r) { skip(r, false); }

bool mbs_mfile_accept(mbs_mfile *r, char c) {
  blanks(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

void mbs_mfile_expect(mbs_mfile *r, char c) {
  if (mbs_mfile_accept(r, c)) return;
  if (*r->at && isprint((unsigned char)*r->at))
    mbs_mfile_fail(r, r->at, false, "expected '%c' but found '%c'", c, *r->at);
  else
    mbs_mfile_fail(r, r->at, false, "expected '%c' but found %s", c,
                   *r->at == '\n' ? "the end of the line" : "the end");
}

bool mbs_mfile_starts_name(char c) { return isalpha((unsigned char)c) || c == '_'; }

void mbs_mfile_word(mbs_mfile *r, char out[MBS_MFILE_NAME_MAX]) {
  size_t n = 0;
  const char *from = r->at;
  for (; isalnum((unsigned char)*r->at) || *r->at == '_'; r->at++) {
    if (n + 1 == MBS_MFILE_NAME_MAX) {
      mbs_mfile_fail(r, from, false, "this name is too long");
      break;
    }
    out[n++] = *r->at;
  }
  out[n] = 0;
}

static mbs_mfile_value sum(mbs_mfile *r);

/* Reads an expression outside of a matrix, where blanks do not separate elements. */
mbs_mfile_value mbs_mfile_parenthesized(mbs_mfile *r) {
  bool before = r->in_matrix;
  r->in_matrix = false;
  mbs_mfile_value v = sum(r);
  r->in_matrix = before;
  return v;
}

int mbs_mfile_whole_number(mbs_mfile *r) {
  blanks(r);
  const char *from = r->at;
  mbs_mfile_value v = mbs_mfile_parenthesized(r);
  double number = mbs_mfile_is_number(&v) ? v.pieces->cell.number : NAN;
  if (!(number >= 0 && number < 1e6 && number == floor(number))) {
    mbs_mfile_fail(r, from, false, "expected a whole number");
    return 0;
  }
  return (int)number;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* A matrix in brackets while its parts are placed side by side and one below another. */
typedef struct layout {
  mbs_answer_piece *pieces; /* [room], at most MBS_MFILE_PIECES_MAX */
  size_t count, room;
  int row, column; /* position of the next part */
  int row_height, all_columns;
  bool stacked; /* the only row is a column */
} layout;

/* Interprets parts of one column with different heights in a single row as standing one below another: printed listings
 * often lose line breaks. Returns false if the parts have other shapes. */
static bool stack(layout *l, const mbs_mfile_value *v) {
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

static bool make_room(mbs_mfile *r, layout *l, size_t more, const char *where) {
  size_t room = l->room ? l->room : 16;
  while (room < l->count + more) room *= 2;
  if (room > MBS_MFILE_PIECES_MAX)
    mbs_mfile_fail(r, where, true, "a matrix can have at most %d entries", MBS_MFILE_PIECES_MAX);
  mbs_answer_piece *pieces = r->failed || room == l->room ? l->pieces : mbs_mfile_alloc(r, room, sizeof *pieces);
  if (r->failed) return false;
  if (pieces != l->pieces && l->count) memcpy(pieces, l->pieces, l->count * sizeof *pieces);
  l->pieces = pieces;
  l->room = room;
  return true;
}

static void place(mbs_mfile *r, layout *l, const mbs_mfile_value *v, const char *where) {
  if (!make_room(r, l, v->count, where)) return;
  bool first = l->column == 0, level = first || (v->rows == l->row_height && !l->stacked);
  if (!level && !stack(l, v)) {
    mbs_mfile_fail(r, where, true, "this part has %d rows, but the part beside it has %d", v->rows, l->row_height);
    return;
  }
  for (size_t k = 0; k < v->count; k++) {
    mbs_answer_piece piece = v->pieces[k];
    piece.row += level ? l->row : l->row_height;
    piece.column += level ? l->column : 0;
    l->pieces[l->count++] = piece;
  }
  if (first) l->row_height = v->rows;
  if (!level) l->row_height += v->rows;
  l->column = level ? l->column + v->columns : 1;
}

static void end_row(mbs_mfile *r, layout *l, const char *where) {
  if (l->column == 0) return;
  if (l->all_columns && l->column != l->all_columns)
    mbs_mfile_fail(r, where, true, "this row has %d columns, but the rows above have %d", l->column, l->all_columns);
  l->all_columns = l->column;
  l->row += l->row_height;
  l->column = 0;
}

static mbs_mfile_value matrix(mbs_mfile *r) {
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
      mbs_mfile_value v = sum(r);
      place(r, &l, &v, where);
    }
  }
  end_row(r, &l, r->at);
  mbs_mfile_expect(r, ']');
  r->in_matrix = before;
  if (l.count == 0) return mbs_mfile_fail(r, r->at, true, "an empty matrix");
  return (mbs_mfile_value){l.row, l.all_columns, l.count, l.pieces};
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static mbs_mfile_value primary(mbs_mfile *r) {
  blanks(r);
  const char *where = r->at;
  if (++r->depth > DEPTH_MAX) return mbs_mfile_fail(r, where, false, "nested too deeply");
  mbs_mfile_value v;
  if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
    char *end;
    bool hex = *r->at == '0' && (r->at[1] == 'x' || r->at[1] == 'X');
    if (hex) return mbs_mfile_fail(r, where, false, "a number can have decimal digits only");
    v = mbs_mfile_of_number(r, strtod(r->at, &end));
    if (!r->failed) r->at = end;
  } else if (mbs_mfile_accept(r, '(')) {
    v = mbs_mfile_parenthesized(r);
    mbs_mfile_expect(r, ')');
  } else if (mbs_mfile_accept(r, '[')) {
    v = matrix(r);
  } else if (mbs_mfile_starts_name(*r->at)) {
    v = mbs_mfile_of_name(r);
  } else if (*r->at && *r->at != '\n') {
    return mbs_mfile_fail(r, where, false, "expected a value but found '%c'",
                          isprint((unsigned char)*r->at) ? *r->at : '?');
  } else {
    return mbs_mfile_fail(r, where, false, "expected a value but found the end of the line");
  }
  for (; *r->at == '\''; r->at++) v = mbs_mfile_transposed(r, &v);
  r->depth--;
  return v;
}

static mbs_mfile_value power(mbs_mfile *r) {
  mbs_mfile_value v = primary(r);
  const char *where = r->at;
  const char *after = where;
  while (*after == ' ') after++;
  if (*after != '^') return v;
  r->at = after + 1;
  if (mbs_mfile_whole_number(r) != 2) return mbs_mfile_fail(r, where, false, "2 is the only supported power");
  return mbs_mfile_multiplied(r, &v, &v, where);
}

static mbs_mfile_value signed_value(mbs_mfile *r) {
  for (blanks(r); *r->at == '+'; blanks(r)) r->at++;
  if (*r->at != '-') return power(r);
  if (++r->depth > DEPTH_MAX) return mbs_mfile_fail(r, r->at, false, "nested too deeply");
  r->at++;
  mbs_mfile_value v = signed_value(r);
  r->depth--;
  return mbs_mfile_negative(r, &v);
}

static mbs_mfile_value product(mbs_mfile *r) {
  mbs_mfile_value v = signed_value(r);
  for (;;) {
    const char *before = r->at;
    blanks(r);
    const char *where = r->at;
    if (*where != '*' && *where != '/') {
      r->at = before;
      return v;
    }
    r->at++;
    mbs_mfile_value by = signed_value(r);
    v = *where == '*' ? mbs_mfile_multiplied(r, &v, &by, where) : mbs_mfile_divided(r, &v, &by, where);
  }
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static mbs_mfile_value sum(mbs_mfile *r) {
  mbs_mfile_value v = product(r);
  for (;;) {
    const char *before = r->at;
    blanks(r);
    const char *where = r->at;
    bool sign = *where == '+' || *where == '-';
    bool element = sign && r->in_matrix && where > before && !is_blank(where[1]); /* [a -b] has two elements */
    if (!sign || element) {
      r->at = before;
      return v;
    }
    r->at++;
    mbs_mfile_value by = product(r);
    if (*where == '-') by = mbs_mfile_negative(r, &by);
    v = mbs_mfile_added(r, &v, &by, where);
  }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* Skips statements that do not affect the matrices. Returns false if the next one does. */
static bool passed_over(mbs_mfile *r) {
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

/* Returns true for the constraints themselves, which are not a matrix of the equations. */
static bool is_position(const char *name) { return strcmp(name, "Phi") == 0; }

static void skip_statement(mbs_mfile *r) {
  int open = 0;
  for (; *r->at; r->at++) {
    open += *r->at == '[' || *r->at == '(';
    open -= *r->at == ']' || *r->at == ')';
    if (open <= 0 && (*r->at == ';' || *r->at == '\n')) return;
  }
}

/* Reads `name = ...`, or an expression, whose value gets the name "". */
static void statement(mbs_mfile *r) {
  char name[MBS_MFILE_NAME_MAX] = "";
  const char *from = r->at;
  if (mbs_mfile_starts_name(*r->at)) {
    mbs_mfile_word(r, name);
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
  mbs_mfile_value v = sum(r);
  blanks(r);
  if (*r->at && !strchr(";,\n", *r->at))
    mbs_mfile_fail(r, r->at, false, "expected the end of the statement but found '%c'",
                   isprint((unsigned char)*r->at) ? *r->at : '?');
  if (r->count == MBS_MFILE_VARIABLES_MAX)
    mbs_mfile_fail(r, from, false, "the program can have at most %d names", MBS_MFILE_VARIABLES_MAX);
  if (r->failed) return;
  mbs_mfile_variable *kept = &r->variables[r->count++];
  memcpy(kept->name, name, sizeof name);
  kept->value = v;
}

static void statements(mbs_mfile *r) {
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

bool mbs_check_read_mfile(mbs_check_work *work, const char *text, const char *matrix) {
  mbs_equations_work *inside = work->equations->work;
  mbs_mfile *r = mbs_arena_alloc(work->arena, 1, sizeof *r);
  mbs_mfile_variable *variables = mbs_arena_alloc(work->arena, MBS_MFILE_VARIABLES_MAX, sizeof *variables);
  if (!r || !variables) return false;
  *r = (mbs_mfile){.work = work,
                   .symbols = &inside->symbols,
                   .algebra = &inside->algebra,
                   .text = text,
                   .at = text,
                   .variables = variables,
                   .where = text};
  if (strlen(text) > LENGTH_MAX) mbs_mfile_fail(r, text, false, "the program is longer than %d characters", LENGTH_MAX);
  statements(r);
  bool added = r->failed || mbs_mfile_add_matrices(r, matrix);
  if (r->failed) return !r->no_memory && mbs_mfile_add_unreadable(r, matrix);
  return added;
}
