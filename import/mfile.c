/* mfile.c - see mfile.h. */
#include "import/mfile.h"

#include "import/document.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100, CELLS = 400, ARGUMENTS = 16, TERM_PARTS = 20000 };

/* ---- terms ------------------------------------------------------------------------------------------------------ */

/* Adds a term. Leaves the conversion if it has too many parts, which count as often as they are printed. */
static const mfile_term *new_term(import_context *context, mfile_term term) {
  mfile_term *out = import_alloc(context, 1, sizeof *out);
  term.parts = 1 + (term.a ? term.a->parts : 0) + (term.b ? term.b->parts : 0) + (term.c ? term.c->parts : 0);
  if (term.parts > TERM_PARTS)
    import_leave(context, 413, "too_large", NULL, "an expression has more than %d parts", TERM_PARTS);
  *out = term;
  return out;
}

const mfile_term *mfile_number(import_context *context, double number) {
  return new_term(context, (mfile_term){.kind = MFILE_NUMBER, .number = number});
}

const mfile_term *mfile_atom(import_context *context, const char *text) {
  return new_term(context, (mfile_term){.kind = MFILE_ATOM, .text = import_text(context, "%s", text)});
}

static double apply(const char *operator, double a, double b) {
  switch (*operator) {
  case '+': return a + b;
  case '-': return a - b;
  case '*': return a * b;
  case '/': return a / b;
  case '^': return pow(a, b);
  case '<': return operator[1] ? a <= b : a<b;
  case '>': return operator[1] ? a >= b : a> b;
  case '=': return a == b;
  case '!': return a != b;
  case '&': return a != 0 && b != 0;
  default: return a != 0 || b != 0;
  }
}

static bool is_number(const mfile_term *term, double number) {
  return term->kind == MFILE_NUMBER && term->number == number;
}

const mfile_term *mfile_operate(import_context *context, const char *operator, const mfile_term * a,
                                const mfile_term *b) {
  if (a->kind == MFILE_NUMBER && b->kind == MFILE_NUMBER)
    return mfile_number(context, apply(operator, a->number, b->number));
  if ((*operator== '+' || * operator== '-') && is_number(b, 0)) return a;
  if (*operator== '+' && is_number(a, 0)) return b;
  if ((*operator== '*' || * operator== '/') && is_number(b, 1)) return a;
  if (*operator== '*' && is_number(a, 1)) return b;
  if (*operator== '*' &&(is_number(a, 0) || is_number(b, 0))) return mfile_number(context, 0);
  if (*operator== '-' && is_number(a, 0) && b->kind == MFILE_BINARY && *b->text == '-')
    return mfile_operate(context, "-", b->b, b->a);
  if (*operator== '-' && b->kind == MFILE_NUMBER && b->number<0)
    return mfile_operate(context, "+", a, mfile_number(context, -b->number));
  return new_term(context, (mfile_term){.kind = MFILE_BINARY, .text = operator, .a = a, .b = b});
}

static const struct {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
} functions[] = {{"sin", sin, NULL},   {"cos", cos, NULL},    {"tan", tan, NULL},     {"asin", asin, NULL},
                 {"acos", acos, NULL}, {"atan", atan, NULL},  {"atan2", NULL, atan2}, {"sqrt", sqrt, NULL},
                 {"exp", exp, NULL},   {"log", log, NULL},    {"abs", fabs, NULL},    {"min", NULL, fmin},
                 {"max", NULL, fmax},  {"sinh", sinh, NULL},  {"cosh", cosh, NULL},   {"tanh", tanh, NULL},
                 {"sign", NULL, NULL}, {"floor", floor, NULL}};

static double call_function(const char *name, double a, double b) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i].name, name) != 0) continue;
    return functions[i].one ? functions[i].one(a) : functions[i].two ? functions[i].two(a, b) : (a > 0) - (a < 0);
  }
  return NAN;
}

static const mfile_term *function_of(import_context *context, const char *name, const mfile_term *a,
                                     const mfile_term *b) {
  if (a->kind == MFILE_NUMBER && (!b || b->kind == MFILE_NUMBER))
    return mfile_number(context, call_function(name, a->number, b ? b->number : 0));
  return new_term(context,
                  (mfile_term){.kind = MFILE_FUNCTION, .text = import_text(context, "%s", name), .a = a, .b = b});
}

static const mfile_term *choice(import_context *context, const mfile_term *condition, const mfile_term *a,
                                const mfile_term *b) {
  if (a == b) return a;
  return new_term(context, (mfile_term){.kind = MFILE_IF, .a = a, .b = b, .c = condition});
}

const char *mfile_print(import_context *context, const mfile_term *term) {
  const char *a = term->a ? mfile_print(context, term->a) : NULL, *b = term->b ? mfile_print(context, term->b) : NULL;
  switch (term->kind) {
  case MFILE_NUMBER: return import_digits(context, term->number);
  case MFILE_ATOM: return term->text;
  case MFILE_BINARY: return import_text(context, "(%s %s %s)", a, term->text, b);
  case MFILE_FUNCTION: return import_text(context, b ? "%s(%s, %s)" : "%s(%s)", term->text, a, b);
  default: return import_text(context, "if(%s, %s, %s)", mfile_print(context, term->c), a, b);
  }
}

double mfile_evaluate(const mfile_term *term, unsigned seed, const char *zero) {
  unsigned long long hash = 1469598103934665603ULL + seed * 7919ULL;
  switch (term->kind) {
  case MFILE_NUMBER: return term->number;
  case MFILE_ATOM:
    if (zero && strcmp(zero, term->text) == 0) return 0;
    for (const char *c = term->text; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211ULL;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9ULL;
    return 0.25 + (double)(hash >> 40) / (1 << 24); /* between 0.25 and 1.25 */
  case MFILE_BINARY: return apply(term->text, mfile_evaluate(term->a, seed, zero), mfile_evaluate(term->b, seed, zero));
  case MFILE_FUNCTION:
    return call_function(term->text, mfile_evaluate(term->a, seed, zero),
                         term->b ? mfile_evaluate(term->b, seed, zero) : 0);
  default: return mfile_evaluate(mfile_evaluate(term->c, seed, zero) != 0 ? term->a : term->b, seed, zero);
  }
}

bool mfile_depends(const mfile_term *term, const char *start) {
  if (!term) return false;
  if (term->kind == MFILE_ATOM) return strncmp(term->text, start, strlen(start)) == 0;
  return mfile_depends(term->a, start) || mfile_depends(term->b, start) || mfile_depends(term->c, start);
}

const mfile_term *mfile_without(import_context *context, const mfile_term *term, const char *atom) {
  if (!term || term->kind == MFILE_NUMBER) return term;
  if (term->kind == MFILE_ATOM) return strcmp(term->text, atom) == 0 ? mfile_number(context, 0) : term;
  const mfile_term *a = mfile_without(context, term->a, atom), *b = mfile_without(context, term->b, atom);
  if (term->kind == MFILE_BINARY) return mfile_operate(context, term->text, a, b);
  if (term->kind == MFILE_FUNCTION) return function_of(context, term->text, a, b);
  return choice(context, mfile_without(context, term->c, atom), a, b);
}

bool mfile_names_state(const mfile_term *term) {
  if (!term || term->kind == MFILE_NUMBER) return false;
  if (term->kind == MFILE_ATOM) return strcmp(term->text, "t") != 0;
  return mfile_names_state(term->a) || mfile_names_state(term->b) || mfile_names_state(term->c);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

mfile_value mfile_matrix(import_context *context, int rows, int columns) {
  mfile_value value = {.kind = MFILE_MATRIX, .rows = rows, .columns = columns};
  value.cells = import_alloc(context, (size_t)rows * (size_t)columns, sizeof *value.cells);
  return value;
}

mfile_value mfile_scalar(import_context *context, const mfile_term *term) {
  mfile_value value = mfile_matrix(context, 1, 1);
  value.cells[0] = term;
  return value;
}

bool mfile_numbers_of(const mfile_value *value, size_t count, double *out) {
  if (value->kind != MFILE_MATRIX || (size_t)(value->rows * value->columns) != count) return false;
  for (size_t i = 0; i < count; i++)
    if (value->cells[i]->kind != MFILE_NUMBER || !isfinite(value->cells[i]->number)) return false;
  for (size_t i = 0; i < count; i++) out[i] = value->cells[i]->number;
  return true;
}

const mfile_field *mfile_find_field(const mfile_struct *object, const char *name) {
  for (const mfile_field *field = object->fields; field; field = field->next)
    if (strcmp(field->name, name) == 0) return field;
  return NULL;
}

void mfile_set(mfile *r, const char *name, const mfile_value *value) {
  size_t i = 0;
  while (i < r->count && strcmp(r->variables[i].name, name) != 0) i++;
  if (i == MFILE_VARIABLES) import_leave(r->context, 413, "too_large", NULL, "a program has too many variables");
  if (i == r->count) r->variables[r->count++].name = import_text(r->context, "%s", name);
  r->variables[i].value = *value;
}

const mfile_value *mfile_get(const mfile *r, const char *name) {
  for (size_t i = 0; i < r->count; i++)
    if (strcmp(r->variables[i].name, name) == 0) return &r->variables[i].value;
  return NULL;
}

import_location mfile_location(const mfile *r, int line, const char *element) {
  return (import_location){.file = r->file, .line = line, .element = element};
}

/* ---- characters ------------------------------------------------------------------------------------------------- */

static mfile_value none(mfile *r, const char *why) {
  if (!r->why) r->why_line = r->line;
  if (!r->why) r->why = why;
  return mfile_scalar(r->context, mfile_number(r->context, 0));
}

/* Skips blanks, comments and continuations; with `lines` also line breaks. */
static void skip(mfile *r, bool lines) {
  for (;;) {
    const char *line_start = r->at;
    while (line_start > r->text && (line_start[-1] == ' ' || line_start[-1] == '\t')) line_start--;
    const bool first = line_start == r->text || line_start[-1] == '\n';
    if (first && r->at[0] == '%' && r->at[1] == '{' && r->at[2 + strspn(r->at + 2, " \t\r")] == '\n') {
      const char *end = strstr(r->at, "%}");
      for (const char *c = r->at; *c && c != end; c++) r->line += *c == '\n';
      r->at = end ? end + 2 : r->at + strlen(r->at);
    } else if (*r->at == '%') {
      r->at += strcspn(r->at, "\n");
    } else if (strncmp(r->at, "...", 3) == 0) {
      r->at += strcspn(r->at, "\n");
      if (*r->at) r->at++, r->line++;
    } else if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') {
      r->at++;
    } else if (lines && *r->at == '\n') {
      r->at++;
      r->line++;
    } else {
      return;
    }
  }
}

static bool accept(mfile *r, const char *text) {
  skip(r, false);
  const size_t length = strlen(text);
  if (strncmp(r->at, text, length) != 0) return false;
  r->at += length;
  return true;
}

static const char *word(mfile *r) {
  size_t length = 0;
  if (!isalpha((unsigned char)*r->at) && *r->at != '_') return NULL;
  while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') length++;
  const char *text = import_text(r->context, "%.*s", (int)length, r->at);
  r->at += length;
  return text;
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

static mfile_value expression(mfile *r);

static mfile_value transposed(mfile *r, const mfile_value *v) {
  mfile_value out = mfile_matrix(r->context, v->columns, v->rows);
  for (int i = 0; i < v->rows; i++)
    for (int j = 0; j < v->columns; j++) out.cells[j * v->rows + i] = v->cells[i * v->columns + j];
  return out;
}

static mfile_value elementwise(mfile *r, const char *operator, const mfile_value * a, const mfile_value *b) {
  const bool spread_a = a->rows * a->columns == 1, spread_b = b->rows * b->columns == 1;
  if (!spread_a && !spread_b && (a->rows != b->rows || a->columns != b->columns)) return none(r, "the sizes differ");
  const mfile_value *size = spread_a ? b : a;
  mfile_value out = mfile_matrix(r->context, size->rows, size->columns);
  for (int k = 0; k < size->rows * size->columns; k++)
    out.cells[k] = mfile_operate(r->context, operator, a->cells[spread_a ? 0 : k], b->cells[spread_b ? 0 : k]);
  return out;
}

static mfile_value product(mfile *r, const mfile_value *a, const mfile_value *b) {
  if (a->rows * a->columns == 1 || b->rows * b->columns == 1) return elementwise(r, "*", a, b);
  if (a->columns != b->rows) return none(r, "the sizes of a product differ");
  mfile_value out = mfile_matrix(r->context, a->rows, b->columns);
  for (int i = 0; i < a->rows; i++)
    for (int j = 0; j < b->columns; j++) {
      const mfile_term *sum = mfile_number(r->context, 0);
      for (int k = 0; k < a->columns; k++)
        sum = mfile_operate(r->context, "+", sum,
                            mfile_operate(r->context, "*", a->cells[i * a->columns + k], b->cells[k * b->columns + j]));
      out.cells[i * b->columns + j] = sum;
    }
  return out;
}

/* Places the values of a matrix in brackets. */
static mfile_value matrix(mfile *r) {
  mfile_value *parts = import_alloc(r->context, CELLS, sizeof *parts);
  int *row_of = import_alloc(r->context, CELLS, sizeof *row_of), count = 0, row = 0;
  const bool before = r->in_matrix;
  r->in_matrix = true;
  for (skip(r, false); *r->at && *r->at != ']' && !r->why && count < CELLS; skip(r, false)) {
    if (*r->at == ';' || *r->at == '\n') {
      if (count && row_of[count - 1] == row) row++;
      r->line += *r->at == '\n';
      r->at++;
    } else if (*r->at == ',') {
      r->at++;
    } else {
      row_of[count] = row;
      parts[count++] = expression(r);
    }
  }
  r->in_matrix = before;
  if (!accept(r, "]")) return none(r, "a matrix has no end");
  if (count && parts[0].kind == MFILE_STRUCT) {
    mfile_value list = {.kind = MFILE_LIST, .rows = count, .line = r->line};
    list.list = import_alloc(r->context, (size_t)count, sizeof *list.list);
    for (int i = 0; i < count; i++) {
      if (parts[i].kind != MFILE_STRUCT) return none(r, "a list has structures and other values");
      list.list[i] = parts[i].list[0];
    }
    return list;
  }
  int rows = 0, columns = 0;
  for (int i = 0; i < count; i++) {
    if (parts[i].kind != MFILE_MATRIX) return none(r, "a matrix has values that are not numbers");
    if (i == 0 || row_of[i] != row_of[i - 1]) {
      int width = 0;
      for (int k = i; k < count && row_of[k] == row_of[i]; k++) width += parts[k].columns;
      if (columns && width != columns) return none(r, "the rows of a matrix have different lengths");
      columns = width;
      rows += parts[i].rows;
    } else if (parts[i].rows != parts[i - 1].rows) {
      return none(r, "values beside each other have different heights");
    }
  }
  mfile_value out = mfile_matrix(r->context, rows, columns);
  int top = 0, left = 0;
  for (int i = 0; i < count; i++) {
    if (i && row_of[i] != row_of[i - 1]) top += parts[i - 1].rows, left = 0;
    for (int y = 0; y < parts[i].rows; y++)
      for (int x = 0; x < parts[i].columns; x++)
        out.cells[(top + y) * columns + left + x] = parts[i].cells[y * parts[i].columns + x];
    left += parts[i].columns;
  }
  return out;
}

/* Reads "(a, b)"; a range a:b becomes a row. */
static size_t arguments_of(mfile *r, mfile_value out[ARGUMENTS]) {
  size_t count = 0;
  const bool before = r->in_matrix;
  r->in_matrix = false;
  while (!accept(r, ")") && !r->why) {
    if (count == ARGUMENTS || !*r->at) {
      none(r, "a call has no end");
      break;
    }
    out[count] = expression(r);
    double from, to;
    if (accept(r, ":")) {
      const mfile_value end = expression(r);
      if (!mfile_numbers_of(&out[count], 1, &from) || !mfile_numbers_of(&end, 1, &to) || to < from || to - from > 100) {
        none(r, "a range is not of numbers");
        break;
      }
      out[count] = mfile_matrix(r->context, 1, (int)(to - from) + 1);
      for (int k = 0; k < out[count].columns; k++) out[count].cells[k] = mfile_number(r->context, from + k);
    }
    count++;
    accept(r, ",");
  }
  r->in_matrix = before;
  return count;
}

static mfile_value call(mfile *r, const char *name, const mfile_value *a, size_t count) {
  import_context *context = r->context;
  for (size_t i = 0; i < count; i++)
    if (a[i].kind != MFILE_MATRIX) return none(r, "an argument is not a number");
  double n, m;
  mfile_value function;
  if (strcmp(name, "functs") == 0 && count == 2 && mfile_numbers_of(&a[0], 1, &n) && r->member &&
      r->member(r, name, (int)n, "", &function))
    return function;
  if (strcmp(name, "s_rot") == 0 && count == 1 && a->rows == 2) {
    mfile_value out = mfile_matrix(context, 2, a->columns);
    for (int k = 0; k < a->columns; k++) {
      out.cells[k] = mfile_operate(context, "-", mfile_number(context, 0), a->cells[a->columns + k]);
      out.cells[a->columns + k] = a->cells[k];
    }
    return out;
  }
  if (strcmp(name, "Matrix_A") == 0 && count == 1 && a->rows * a->columns == 1) {
    const mfile_term *cosine = function_of(context, "cos", a->cells[0], NULL),
                     *sine = function_of(context, "sin", a->cells[0], NULL);
    mfile_value out = mfile_matrix(context, 2, 2);
    out.cells[0] = out.cells[3] = cosine;
    out.cells[1] = mfile_operate(context, "-", mfile_number(context, 0), sine);
    out.cells[2] = sine;
    return out;
  }
  if (strcmp(name, "norm") == 0 && count == 1) {
    const mfile_term *sum = mfile_number(context, 0);
    for (int k = 0; k < a->rows * a->columns; k++)
      sum = mfile_operate(context, "+", sum, mfile_operate(context, "*", a->cells[k], a->cells[k]));
    return mfile_scalar(context, function_of(context, "sqrt", sum, NULL));
  }
  if (strcmp(name, "zeros") == 0 && count >= 1 && mfile_numbers_of(&a[0], 1, &n) &&
      mfile_numbers_of(&a[count - 1], 1, &m) && n >= 0 && m >= 0 && n <= CELLS && m <= CELLS && n * m <= CELLS) {
    mfile_value out = mfile_matrix(context, (int)n, (int)m);
    for (int k = 0; k < out.rows * out.columns; k++) out.cells[k] = mfile_number(context, 0);
    return out;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i].name, name) != 0 || count != (functions[i].two ? 2u : 1u)) continue;
    if (a[0].rows * a[0].columns != 1 || (count == 2 && a[1].rows * a[1].columns != 1)) break;
    return mfile_scalar(context, function_of(context, name, a[0].cells[0], count == 2 ? a[1].cells[0] : NULL));
  }
  return none(r, import_text(context, "'%s' is not known", name));
}

/* Returns parts of a vector: value(i), value(i, j), value(1:2). */
static mfile_value part_of(mfile *r, const mfile_value *v, const mfile_value *a, size_t count) {
  double i, j;
  if (v->kind != MFILE_MATRIX) return none(r, "this value has no parts");
  if (count == 2 && mfile_numbers_of(&a[0], 1, &i) && mfile_numbers_of(&a[1], 1, &j) && i >= 1 && j >= 1 &&
      i <= v->rows && j <= v->columns)
    return mfile_scalar(r->context, v->cells[((int)i - 1) * v->columns + (int)j - 1]);
  if (count != 1 || a[0].kind != MFILE_MATRIX) return none(r, "this index is not known");
  mfile_value out =
      v->columns == 1 ? mfile_matrix(r->context, a[0].columns, 1) : mfile_matrix(r->context, 1, a[0].columns);
  for (int k = 0; k < a[0].columns; k++) {
    const mfile_term *index = a[0].cells[k];
    if (index->kind != MFILE_NUMBER || !(index->number >= 1 && index->number <= v->rows * v->columns))
      return none(r, "an index is outside of its vector");
    out.cells[k] = v->cells[(int)index->number - 1];
  }
  return out;
}

static mfile_value field_of(mfile *r, const mfile_value *v, const char *name) {
  const mfile_field *field = v->kind == MFILE_STRUCT ? mfile_find_field(v->list[0], name) : NULL;
  return field ? field->value : none(r, import_text(r->context, "the field '%s' has no value", name));
}

static mfile_value new_struct(mfile *r, const char *type) {
  mfile_value value = {.kind = MFILE_STRUCT, .line = r->line};
  value.list = import_alloc(r->context, 1, sizeof *value.list);
  value.list[0] = import_alloc(r->context, 1, sizeof **value.list);
  *value.list[0] = (mfile_struct){.type = type, .line = r->line};
  return value;
}

/* Returns the parts of a global vector, as theta(1:3), one below the other. */
static bool members_of(mfile *r, const char *name, const mfile_value *indices, mfile_value *out) {
  mfile_value part;
  double index;
  if (!r->member || indices->kind != MFILE_MATRIX || indices->rows != 1 || indices->columns < 2) return false;
  *out = mfile_matrix(r->context, indices->columns, 1);
  for (int k = 0; k < indices->columns; k++) {
    const mfile_value own = mfile_scalar(r->context, indices->cells[k]);
    if (!mfile_numbers_of(&own, 1, &index) || !r->member(r, name, (int)index, "", &part)) return false;
    if (part.kind != MFILE_MATRIX || part.rows * part.columns != 1) return false;
    out->cells[k] = part.cells[0];
  }
  return true;
}

static mfile_value name_value(mfile *r) {
  import_context *context = r->context;
  const char *name = word(r);
  const mfile_value *known = mfile_get(r, name);
  mfile_value value, arguments[ARGUMENTS];
  if (known && known->kind == MFILE_UNREAD) return none(r, known->text);
  const size_t length = strlen(name);
  if (!known && length > 7 && strcmp(name + length - 7, "_struct") == 0) return new_struct(r, name);
  if (!known && strcmp(name, "pi") == 0) return mfile_scalar(context, mfile_number(context, acos(-1.0)));
  if (*r->at != '(') {
    if (!known) return none(r, import_text(context, "'%s' is not known", name));
    value = *known;
  } else {
    r->at++;
    const size_t count = arguments_of(r, arguments);
    if (r->why) return none(r, r->why);
    if (known) {
      value = part_of(r, known, arguments, count);
    } else {
      double index;
      const bool indexed = count == 1 && mfile_numbers_of(&arguments[0], 1, &index);
      const char *field = "";
      const char *before = r->at;
      if (indexed && *r->at == '.' && (isalpha((unsigned char)r->at[1]))) {
        r->at++;
        field = word(r);
      }
      const mfile_value *own =
          indexed ? mfile_get(r, import_text(context, "%s(%d).%s", name, (int)index, field)) : NULL;
      if (own) {
        value = *own;
      } else if (count == 1 && !indexed && members_of(r, name, &arguments[0], &value)) {
        /* a part of a vector of the program */
      } else if (!indexed || !r->member || !r->member(r, name, (int)index, field, &value)) {
        r->at = before;
        value = call(r, name, arguments, count);
      }
      if (*field && *r->at == '(') {
        r->at++;
        const size_t parts = arguments_of(r, arguments);
        if (!r->why) value = part_of(r, &value, arguments, parts);
      }
      return value;
    }
  }
  while (*r->at == '.' && isalpha((unsigned char)r->at[1]) && !r->why) {
    r->at++;
    value = field_of(r, &value, word(r));
  }
  return value;
}

static mfile_value primary(mfile *r) {
  skip(r, false);
  if (++r->depth > DEPTH) return none(r, "it is nested too deeply");
  mfile_value v;
  if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
    char *end;
    v = mfile_scalar(r->context, mfile_number(r->context, strtod(r->at, &end)));
    r->at = end;
  } else if (*r->at == '(') {
    const bool before = r->in_matrix;
    r->at++;
    r->in_matrix = false;
    v = expression(r);
    r->in_matrix = before;
    if (!accept(r, ")")) v = none(r, "a parenthesis has no end");
  } else if (*r->at == '[') {
    r->at++;
    v = matrix(r);
  } else if (*r->at == '\'' || *r->at == '"') {
    const char quote = *r->at++;
    const size_t length = strcspn(r->at, quote == '"' ? "\"\n" : "'\n");
    v = (mfile_value){.kind = MFILE_STRING, .text = import_text(r->context, "%.*s", (int)length, r->at)};
    r->at += length;
    if (*r->at != quote) return none(r, "a string has no end");
    r->at++;
  } else if (isalpha((unsigned char)*r->at) || *r->at == '_') {
    v = name_value(r);
  } else {
    v = none(r, "a value is missing");
  }
  for (; !r->why && v.kind == MFILE_MATRIX && (*r->at == '\'' || strncmp(r->at, ".'", 2) == 0);) {
    r->at += *r->at == '.' ? 2 : 1;
    v = transposed(r, &v);
  }
  r->depth--;
  return v;
}

static mfile_value unary(mfile *r);

static bool numbers(mfile *r, const mfile_value *a, const mfile_value *b) {
  const bool good = a->kind == MFILE_MATRIX && b->kind == MFILE_MATRIX;
  if (!good) none(r, "an operand is not a number");
  return good && !r->why;
}

static mfile_value power(mfile *r) {
  mfile_value v = primary(r);
  while (!r->why) {
    const char *before = r->at;
    if (!r->in_matrix) skip(r, false);
    const bool dotted = strncmp(r->at, ".^", 2) == 0;
    if (*r->at != '^' && !dotted) {
      r->at = before;
      break;
    }
    r->at += dotted ? 2 : 1;
    const mfile_value by = unary(r);
    if (!numbers(r, &v, &by)) break;
    v = v.rows * v.columns == 1 || dotted ? elementwise(r, "^", &v, &by) : none(r, "a power of a matrix");
  }
  return v;
}

static mfile_value unary(mfile *r) {
  skip(r, false);
  if (*r->at != '-' && *r->at != '+') return power(r);
  const bool minus = *r->at++ == '-';
  if (++r->depth > DEPTH) return none(r, "it is nested too deeply");
  mfile_value v = unary(r);
  r->depth--;
  const mfile_value zero = mfile_scalar(r->context, mfile_number(r->context, 0));
  if (!minus || !numbers(r, &v, &zero)) return v;
  return elementwise(r, "-", &zero, &v);
}

static mfile_value factors(mfile *r) {
  mfile_value v = unary(r);
  while (!r->why) {
    const char *before = r->at;
    skip(r, false);
    const bool dotted = *r->at == '.' && (r->at[1] == '*' || r->at[1] == '/');
    const char sign = dotted ? r->at[1] : *r->at;
    if (sign != '*' && sign != '/') {
      r->at = before;
      break;
    }
    r->at += dotted ? 2 : 1;
    const mfile_value by = unary(r);
    if (!numbers(r, &v, &by)) break;
    if (sign == '/' && !dotted && by.rows * by.columns != 1) return none(r, "a division by a matrix");
    v = sign == '*' && !dotted ? product(r, &v, &by) : elementwise(r, sign == '*' ? "*" : "/", &v, &by);
  }
  return v;
}

static mfile_value sums(mfile *r) {
  mfile_value v = factors(r);
  while (!r->why) {
    const char *before = r->at;
    skip(r, false);
    const char sign = *r->at;
    const bool element = r->in_matrix && r->at > before && r->at[1] != ' ' && r->at[1] != '\t'; /* [a -b] */
    if ((sign != '+' && sign != '-') || element) {
      r->at = before;
      break;
    }
    r->at++;
    const mfile_value by = factors(r);
    if (!numbers(r, &v, &by)) break;
    v = elementwise(r, sign == '+' ? "+" : "-", &v, &by);
  }
  return v;
}

static mfile_value expression(mfile *r) {
  static const char *const operators[][2] = {{"<=", "<="}, {">=", ">="}, {"==", "=="}, {"~=", "!="},
                                             {"<", "<"},   {">", ">"},   {"&&", "&&"}, {"||", "||"}};
  mfile_value v = sums(r);
  while (!r->why && !r->in_matrix) {
    size_t k = 0;
    while (k < sizeof operators / sizeof *operators && !accept(r, operators[k][0])) k++;
    if (k == sizeof operators / sizeof *operators) break;
    const mfile_value by = k < 6 ? sums(r) : expression(r);
    if (numbers(r, &v, &by)) v = elementwise(r, operators[k][1], &v, &by);
  }
  return v;
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

static void skip_statement(mfile *r) {
  int open = 0;
  for (; *r->at; r->at++) {
    if (*r->at == '%') r->at += strcspn(r->at, "\n");
    if (strncmp(r->at, "...", 3) == 0) {
      r->at += strcspn(r->at, "\n");
      r->line += *r->at == '\n';
      if (!*r->at) return;
      continue;
    }
    open += *r->at == '[' || *r->at == '(';
    open -= *r->at == ']' || *r->at == ')';
    if (open <= 0 && (*r->at == ';' || *r->at == '\n' || *r->at == ',')) return;
    r->line += *r->at == '\n';
    if (!*r->at) return;
  }
}

static bool is_keyword(const char *at, const char *keyword) {
  const size_t length = strlen(keyword);
  return strncmp(at, keyword, length) == 0 && !isalnum((unsigned char)at[length]) && at[length] != '_';
}

static void statements(mfile *r, bool run);

/* Copies of all variables before a branch. */
typedef struct snapshot {
  mfile_value values[MFILE_VARIABLES];
  size_t count;
} snapshot;

static snapshot *keep(mfile *r) {
  snapshot *copy = import_alloc(r->context, 1, sizeof *copy);
  copy->count = r->count;
  for (size_t i = 0; i < r->count; i++) copy->values[i] = r->variables[i].value;
  return copy;
}

/* Sets the variables to their values before the branch. A part of the state that the branch has assigned first, as
 * Bodies(1).f, gets the value that it had. */
static void restore(mfile *r, const snapshot *copy) {
  for (size_t i = 0; i < copy->count; i++) r->variables[i].value = copy->values[i];
  for (size_t i = copy->count; i < r->count; i++) {
    char global[40], field[40];
    int index;
    mfile_value *value = &r->variables[i].value;
    const bool part = sscanf(r->variables[i].name, "%39[^(](%d).%39s", global, &index, field) == 3;
    if (!part || !r->member || !r->member(r, global, index, field, value))
      *value =
          (mfile_value){.kind = MFILE_UNREAD,
                        .text = import_text(r->context, "'%s' has a value in one branch only", r->variables[i].name)};
  }
}

/* Merges the variables after both branches: if(condition, first, second). */
static void merge(mfile *r, const mfile_term *condition, const snapshot *first) {
  for (size_t i = 0; i < r->count; i++) {
    mfile_value *now = &r->variables[i].value;
    const mfile_value *then = i < first->count ? &first->values[i] : NULL;
    if (then && then->kind == now->kind && then->cells == now->cells && then->text == now->text) continue;
    if (!then || then->kind != MFILE_MATRIX || now->kind != MFILE_MATRIX || then->rows != now->rows ||
        then->columns != now->columns) {
      *now = (mfile_value){.kind = MFILE_UNREAD,
                           .text = import_text(r->context, "'%s' differs between branches", r->variables[i].name)};
      continue;
    }
    mfile_value both = mfile_matrix(r->context, now->rows, now->columns);
    both.line = now->line ? now->line : then->line;
    for (int k = 0; k < now->rows * now->columns; k++)
      both.cells[k] = choice(r->context, condition, then->cells[k], now->cells[k]);
    *now = both;
  }
}

static void report(mfile *r, int line) {
  const import_location place = mfile_location(r, r->why_line ? r->why_line : line, NULL);
  import_not_mapped(r->context, &place, "this statement cannot be read: %s", r->why);
  r->why = NULL;
  r->why_line = 0;
  r->in_matrix = false;
  r->depth = 0;
}

/* Reads if, elseif, else up to its end. */
static void branches(mfile *r, bool run) {
  const int line = r->line;
  mfile_value condition = {0};
  if (run) {
    condition = expression(r);
    if (r->why || condition.kind != MFILE_MATRIX || condition.rows * condition.columns != 1) {
      none(r, "the condition is not a number");
      report(r, line);
      run = false;
    }
  } else {
    skip_statement(r);
  }
  const mfile_term *test = run ? condition.cells[0] : NULL;
  const bool known = test && test->kind == MFILE_NUMBER, taken = known && test->number != 0;
  const snapshot *before = run && !known ? keep(r) : NULL;
  statements(r, run && (!known || taken));
  const snapshot *first = before ? keep(r) : NULL;
  if (before) restore(r, before);
  const bool more = run && (!known || !taken);
  if (is_keyword(r->at, "elseif")) {
    r->at += 6;
    branches(r, more);
  } else if (is_keyword(r->at, "else")) {
    r->at += 4;
    statements(r, more);
    if (is_keyword(r->at, "end")) r->at += 3;
  } else if (is_keyword(r->at, "end")) {
    r->at += 3;
  }
  if (before) merge(r, test, first);
}

/* Reads the value of an assignment to a variable, to name.field, or to `key`, which is global(index).field. */
static void assign(mfile *r, const char *name, const char *key, const char *field, int line) {
  const char *start = r->at;
  const int start_line = r->line;
  mfile_value value = expression(r);
  value.line = line;
  if (r->why && r->tolerant && !field && !key) {
    const mfile_value unread = {.kind = MFILE_UNREAD, .text = r->why, .line = line};
    r->why = NULL;
    r->in_matrix = false;
    r->depth = 0;
    r->at = start;
    r->line = start_line;
    skip_statement(r);
    mfile_set(r, name, &unread);
    return;
  }
  if (r->why) return;
  if (key) {
    mfile_set(r, key, &value);
  } else if (field) {
    const mfile_value *owner = mfile_get(r, name);
    if (!owner || owner->kind != MFILE_STRUCT) {
      none(r, import_text(r->context, "'%s' is not a structure", name));
      return;
    }
    mfile_field *entry = (mfile_field *)mfile_find_field(owner->list[0], field);
    if (!entry) {
      entry = import_alloc(r->context, 1, sizeof *entry);
      entry->next = owner->list[0]->fields;
      owner->list[0]->fields = entry;
    }
    entry->name = field;
    entry->value = value;
    entry->line = line;
  } else if (value.kind == MFILE_STRUCT) {
    mfile_value copy = value;
    if (value.list[0]->name) { /* B2 = B1 */
      copy = new_struct(r, value.list[0]->type);
      for (const mfile_field *each = value.list[0]->fields; each; each = each->next) {
        mfile_field *entry = import_alloc(r->context, 1, sizeof *entry);
        *entry = *each;
        entry->next = copy.list[0]->fields;
        copy.list[0]->fields = entry;
      }
    }
    copy.list[0]->name = name;
    mfile_set(r, name, &copy);
  } else {
    mfile_set(r, name, &value);
  }
}

/* Reads "[a, b] = functs(k, t)"; only the first name gets a value. */
static void multiple(mfile *r) {
  r->at++;
  skip(r, false);
  const char *first = word(r);
  const size_t length = strcspn(r->at, "]\n");
  if (!first || r->at[length] != ']') {
    none(r, "an expression is not assigned");
    return;
  }
  r->at += length + 1;
  if (!accept(r, "=")) {
    none(r, "an expression is not assigned");
    return;
  }
  const mfile_value value = expression(r);
  if (!r->why) mfile_set(r, first, &value);
}

static void statement(mfile *r) {
  static const char *const passed[] = {"include_global", "global", "function", "clear", "return", "clc"};
  const int line = r->line;
  for (size_t k = 0; k < sizeof passed / sizeof *passed; k++)
    if (is_keyword(r->at, passed[k])) {
      skip_statement(r);
      while (*r->at && *r->at != '\n') r->at++;
      return;
    }
  if (*r->at == '[') {
    multiple(r);
    return;
  }
  const char *name = word(r), *key = NULL, *field = NULL;
  if (!name) {
    none(r, "it does not begin with a name");
    return;
  }
  mfile_value arguments[ARGUMENTS];
  size_t count = 0;
  bool called = false;
  double index;
  if (*r->at == '(') {
    r->at++;
    called = true;
    count = arguments_of(r, arguments);
  }
  if (*r->at == '.' && isalpha((unsigned char)r->at[1])) {
    r->at++;
    field = word(r);
  }
  if (r->why) return;
  skip(r, false);
  if (*r->at == '=' && r->at[1] != '=') {
    r->at++;
    if (called && field && count == 1 && mfile_numbers_of(&arguments[0], 1, &index))
      key = import_text(r->context, "%s(%d).%s", name, (int)index, field);
    if (called && !key)
      none(r, "a part of a value is assigned");
    else
      assign(r, name, key, field, line);
  } else if (field || !r->call || !r->call(r, name, arguments, count, line)) {
    none(r, import_text(r->context, "'%s' is not known", name));
  }
}

/* Reads statements up to the end of a block; without `run` they are only skipped. */
static void statements(mfile *r, bool run) {
  if (++r->depth > DEPTH) import_leave(r->context, 413, "too_large", NULL, "blocks are nested too deeply");
  const int depth = r->depth;
  for (;;) {
    skip(r, true);
    while (*r->at == ';' || *r->at == ',') {
      r->at++;
      skip(r, true);
    }
    if (!*r->at || is_keyword(r->at, "else") || is_keyword(r->at, "elseif") || is_keyword(r->at, "end")) break;
    const int line = r->line;
    const char *start = r->at;
    if (is_keyword(r->at, "if")) {
      r->at += 2;
      branches(r, run);
    } else if (is_keyword(r->at, "for") || is_keyword(r->at, "while") || is_keyword(r->at, "switch")) {
      if (run) none(r, "loops and switches are not supported");
      if (run) report(r, line);
      skip_statement(r);
      statements(r, false);
      if (is_keyword(r->at, "end")) r->at += 3;
    } else if (run) {
      statement(r);
      skip(r, false);
      if (!r->why && *r->at && !strchr(";,\n", *r->at)) none(r, "the statement has no end");
      if (r->why) {
        report(r, line);
        r->at = start;
        r->line = line;
        skip_statement(r);
      }
    } else {
      skip_statement(r);
      if (*r->at == '\n') continue;
      if (*r->at) r->at++;
    }
    r->depth = depth;
  }
  r->depth = depth - 1;
}

void mfile_read(mfile *r, const import_file *file) {
  r->file = file->path;
  r->text = r->at = import_file_text(file);
  r->line = 1;
  r->depth = 0;
  do {
    statements(r, true);
    if (*r->at) r->at += strcspn(r->at, "\n"); /* the end of a function */
  } while (*r->at);
}
