/* parse.c - a function for each rule of the grammar in parse.h; shapes are checked when factors and summands are
 * combined. */
#include "symbolic/answers/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 512, NAME_MAX = 128 };

typedef struct parsing {
  mbs_symbols *symbols;
  mbs_algebra *algebra;
  const char *text, *at;
  int column, depth;
  mbs_parse_error *error;
  bool failed;
} parsing;

static const mbs_term *fail(parsing *p, const char *at, bool size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static const mbs_term *fail(parsing *p, const char *at, bool size, const char *format, ...) {
  if (p->failed) return NULL;
  p->failed = true;
  p->error->at = (size_t)(at - p->text);
  p->error->size = size;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(p->error->what, sizeof p->error->what, format, arguments);
  va_end(arguments);
  return NULL;
}

static void skip(parsing *p) {
  while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

static bool take(parsing *p, char c) {
  skip(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

/* Returns what was found at the current position, for a message. */
static const char *found(const parsing *p, char out[32]) {
  if (!*p->at)
    snprintf(out, 32, "the end");
  else if (isprint((unsigned char)*p->at))
    snprintf(out, 32, "'%c'", *p->at);
  else
    snprintf(out, 32, "an unknown character");
  return out;
}

static const mbs_term *expected(parsing *p, const char *what) {
  char here[32];
  skip(p);
  return fail(p, p->at, false, "expected %s but found %s", what, found(p, here));
}

static bool need(parsing *p, char c) {
  char what[8] = {'\'', c, '\'', 0};
  if (take(p, c)) return true;
  expected(p, what);
  return false;
}

static const mbs_term *sum(parsing *p);

/* ---- names --------------------------------------------------------------------------------------------------- */

/* Reads the content of braces, without blanks after commas. */
static bool braced(parsing *p, char out[NAME_MAX]) {
  const char *begin = ++p->at;
  size_t length = 0;
  for (; *p->at && *p->at != '}'; p->at++) {
    bool blank = *p->at == ' ' && (length == 0 || out[length - 1] == ',' || p->at[1] == ',' || p->at[1] == '}');
    if (length + 1 == NAME_MAX) {
      fail(p, begin, false, "this name is too long");
      return false;
    }
    if (!blank) out[length++] = *p->at;
  }
  out[length] = 0;
  return need(p, '}');
}

static bool in_index(char c) { return isalnum((unsigned char)c) || c == '*'; }

/* Reads the parts of a name. */
static bool name_parts(parsing *p, char letter[NAME_MAX], char index[NAME_MAX], char over[NAME_MAX]) {
  size_t n = 0;
  *index = *over = 0;
  while (isalpha((unsigned char)*p->at) && n + 1 < NAME_MAX) letter[n++] = *p->at++;
  letter[n] = 0;
  if (n == 0) return expected(p, "a name") != NULL;
  if (*p->at == '_' && p->at[1] == '{') {
    p->at++;
    if (!braced(p, index)) return false;
  } else if (*p->at == '_') {
    p->at++;
    for (n = 0; in_index(*p->at) && n + 1 < NAME_MAX;) index[n++] = *p->at++;
    index[n] = 0;
    if (n == 0) return expected(p, "an index, as in d_{2,1}") != NULL;
  }
  if (*p->at != '^' || p->at[1] != '{') return true;
  p->at++;
  return braced(p, over);
}

static const mbs_term *named(parsing *p, const char *from, const mbs_symbol_name *name) {
  char why[256];
  const mbs_variable *symbol = mbs_symbol_lookup(p->symbols, name, p->column, why);
  if (!symbol) return fail(p, from, false, "%s", why);
  return mbs_term_symbol(p->algebra, symbol);
}

static const mbs_term *name(parsing *p, int rate, bool local) {
  char letter[NAME_MAX], index[NAME_MAX], over[NAME_MAX];
  skip(p);
  const char *from = p->at;
  if (!name_parts(p, letter, index, over)) return NULL;
  if (strcmp(letter, "I") == 0 && !*index && !*over && !rate && !local) return mbs_term_identity(p->algebra);
  if (strcmp(letter, "pi") == 0 && !*index && !*over && !rate && !local) return mbs_term_number(p->algebra, M_PI);
  return named(p, from, &(mbs_symbol_name){letter, index, over, rate, local});
}

/* ---- rates --------------------------------------------------------------------------------------------------- */

static const mbs_term *symbol_rate(mbs_symbols *symbols, const mbs_variable *symbol, char what[320]) {
  mbs_quantity quantity = symbol->quantity;
  bool fixed = symbol->local || quantity == MBS_QUANTITY_MASS || quantity == MBS_QUANTITY_CONSTANT ||
               (quantity == MBS_QUANTITY_INERTIA && symbol->rows == 1);
  if (fixed) return mbs_term_number(symbols->algebra, 0);
  mbs_symbol_name name = {symbol->letter, symbol->index, symbol->over, symbol->rate + 1, false};
  char why[256];
  const mbs_variable *rate = mbs_symbol_lookup(symbols, &name, -1, why);
  if (!rate) snprintf(what, 320, "%s", why);
  return rate ? mbs_term_symbol(symbols->algebra, rate) : NULL;
}

/* (x y z)' = x' y z + x y' z + x y z' */
static const mbs_term *product_rate(mbs_symbols *symbols, const mbs_term *x, char what[320]) {
  mbs_algebra *algebra = symbols->algebra;
  const mbs_term *summands[PARTS_MAX], *factors[PARTS_MAX];
  size_t count = 0;
  if (x->count > PARTS_MAX) return NULL;
  for (size_t k = 0; k < x->count; k++) {
    memcpy(factors, x->parts, x->count * sizeof *factors);
    factors[k] = mbs_term_rate(symbols, x->parts[k], what);
    if (!factors[k]) return NULL;
    if (!mbs_term_is_zero(factors[k])) summands[count++] = mbs_term_of(algebra, MBS_TERM_PRODUCT, factors, x->count);
  }
  return count ? mbs_term_of(algebra, MBS_TERM_SUM, summands, count) : mbs_term_number(algebra, 0);
}

static const mbs_term *sum_rate(mbs_symbols *symbols, const mbs_term *x, char what[320]) {
  const mbs_term *summands[PARTS_MAX];
  size_t count = 0;
  for (size_t k = 0; k < x->count && k < PARTS_MAX; k++) {
    const mbs_term *rate = mbs_term_rate(symbols, x->parts[k], what);
    if (!rate) return NULL;
    if (!mbs_term_is_zero(rate)) summands[count++] = rate;
  }
  return count ? mbs_term_of(symbols->algebra, MBS_TERM_SUM, summands, count) : mbs_term_number(symbols->algebra, 0);
}

/* The rate of an operation on one term is the operation on its rate. */
static const mbs_term *upon_rate(mbs_symbols *symbols, const mbs_term *x, char what[320]) {
  const mbs_term *rate = mbs_term_rate(symbols, x->parts[0], what);
  return rate && !mbs_term_is_zero(rate) ? mbs_term_of(symbols->algebra, x->kind, &rate, 1) : rate;
}

static const mbs_term *square_rate(mbs_symbols *symbols, const mbs_term *x, char what[320]) {
  const mbs_term *rate = mbs_term_rate(symbols, x->parts[0], what);
  const mbs_term *factors[3] = {mbs_term_number(symbols->algebra, 2), x->parts[0], rate};
  return rate ? mbs_term_of(symbols->algebra, MBS_TERM_PRODUCT, factors, 3) : NULL;
}

static const mbs_term *bare_rate(mbs_symbols *symbols, const mbs_term *x, char what[320]) {
  switch (x->kind) {
  case MBS_TERM_SYMBOL: return symbol_rate(symbols, x->symbol, what);
  case MBS_TERM_TILDE:
  case MBS_TERM_TRANSPOSE: return upon_rate(symbols, x, what);
  case MBS_TERM_SQUARE: return square_rate(symbols, x, what);
  case MBS_TERM_PRODUCT: return product_rate(symbols, x, what);
  case MBS_TERM_SUM: return sum_rate(symbols, x, what);
  case MBS_TERM_QUOTIENT: snprintf(what, 320, "the time derivative of a quotient is not supported"); return NULL;
  default: return mbs_term_number(symbols->algebra, 0);
  }
}

const mbs_term *mbs_term_rate(mbs_symbols *symbols, const mbs_term *x, char what[320]) {
  const mbs_term *rate = bare_rate(symbols, x, what);
  return rate && x->negative ? mbs_term_negative(symbols->algebra, rate) : rate;
}

/* ---- bases --------------------------------------------------------------------------------------------------- */

static bool word(parsing *p, const char *text) {
  size_t length = strlen(text);
  if (strncmp(p->at, text, length) != 0) return false;
  const char *after = p->at + length;
  while (*after == ' ') after++;
  if (*after != '(') return false;
  p->at = after + 1;
  return true;
}

static const mbs_term *rated(parsing *p) {
  const char *from = p->at;
  char what[320] = "";
  const mbs_term *inside = sum(p);
  if (!inside || !need(p, ')')) return NULL;
  const mbs_term *rate = mbs_term_rate(p->symbols, inside, what);
  return rate ? rate : fail(p, from, false, "%s", what);
}

static const mbs_term *enclosed(parsing *p, int rate, bool local) {
  const mbs_term *inside = name(p, rate, local);
  return inside && need(p, ')') ? inside : NULL;
}

static const mbs_term *parenthesis(parsing *p) {
  const mbs_term *inside = sum(p);
  return inside && need(p, ')') ? inside : NULL;
}

static const mbs_term *base(parsing *p);

static const mbs_term *tilde(parsing *p) {
  const char *from = p->at;
  const mbs_term *of = base(p);
  if (!of) return NULL;
  if (of->columns == 1 && of->rows == p->algebra->dim) return mbs_term_of(p->algebra, MBS_TERM_TILDE, &of, 1);
  return fail(p, from, true, "~ needs a vector, but this is %d x %d", of->rows, of->columns);
}

static const mbs_term *number(parsing *p) {
  char *end;
  double value = strtod(p->at, &end);
  if (value > 1e300) return fail(p, p->at, false, "this number is too large");
  p->at = end;
  return mbs_term_number(p->algebra, value);
}

static const mbs_term *opened(parsing *p) {
  skip(p);
  if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1]))) {
    bool hex = *p->at == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    return hex ? fail(p, p->at + 1, false, "expected a factor but found '%c'", p->at[1]) : number(p);
  }
  if (take(p, '~')) return tilde(p);
  if (take(p, '(')) return parenthesis(p);
  if (word(p, "dot")) return rated(p);
  if (word(p, "ddot")) return enclosed(p, 2, false);
  if (word(p, "loc")) return enclosed(p, 0, true);
  if (isalpha((unsigned char)*p->at)) return name(p, 0, false);
  return expected(p, "a factor");
}

static const mbs_term *base(parsing *p) {
  if (++p->depth > MBS_PARSE_DEPTH) return fail(p, p->at, false, "nested too deeply");
  const mbs_term *x = opened(p);
  p->depth--;
  return x;
}

/* ---- factors, products, sums --------------------------------------------------------------------------------- */

static const mbs_term *factor(parsing *p) {
  skip(p);
  const char *from = p->at;
  const mbs_term *x = base(p);
  for (skip(p); x && !p->failed; skip(p)) {
    if (*p->at == '\'') {
      p->at++;
      x = mbs_term_of(p->algebra, MBS_TERM_TRANSPOSE, &x, 1);
    } else if (*p->at == '^') {
      p->at++;
      skip(p);
      if (*p->at != '2' || isdigit((unsigned char)p->at[1])) return expected(p, "2, the only supported power,");
      p->at++;
      if (!mbs_term_is_scalar(x))
        return fail(p, from, true, "only a scalar can be squared, but this is %d x %d", x->rows, x->columns);
      x = mbs_term_of(p->algebra, MBS_TERM_SQUARE, &x, 1);
    } else {
      break;
    }
    if (++p->depth > 2 * MBS_PARSE_DEPTH) return fail(p, p->at, false, "nested too deeply");
  }
  return x;
}

static bool factor_follows(parsing *p) {
  skip(p);
  return *p->at && (isalnum((unsigned char)*p->at) || strchr("~(.", *p->at));
}

static const mbs_term *over(parsing *p, const mbs_term *above) {
  skip(p);
  const char *from = p->at;
  const mbs_term *below = factor(p);
  if (!below) return NULL;
  if (!mbs_term_is_scalar(below))
    return fail(p, from, true, "a divisor must be a scalar, but this is %d x %d", below->rows, below->columns);
  const mbs_term *both[2] = {above, below};
  return mbs_term_of(p->algebra, MBS_TERM_QUOTIENT, both, 2);
}

static const mbs_term *product(parsing *p) {
  const mbs_term *parts[PARTS_MAX], *all;
  size_t count = 0;
  int depth = p->depth;
  do {
    skip(p);
    const char *from = p->at;
    if (count == PARTS_MAX) return fail(p, from, false, "a product can have at most %d factors", PARTS_MAX);
    parts[count] = factor(p);
    p->depth = depth;
    if (!parts[count]) return NULL;
    const mbs_term *before = count ? mbs_term_of(p->algebra, MBS_TERM_PRODUCT, parts, count) : NULL;
    all = mbs_term_of(p->algebra, MBS_TERM_PRODUCT, parts, ++count);
    if (before && !mbs_term_fits(all, NULL))
      return fail(p, from, true, "a %d x %d factor cannot be multiplied by a %d x %d factor", before->rows,
                  before->columns, parts[count - 1]->rows, parts[count - 1]->columns);
    while (take(p, '/')) {
      parts[0] = count == 1 ? parts[0] : all;
      count = 1;
      parts[0] = all = over(p, parts[0]);
      if (!all) return NULL;
    }
  } while (factor_follows(p));
  return count == 1 ? parts[0] : all;
}

/* Returns true for the number 0, which has any size in a sum. */
static bool is_nothing(const mbs_term *x) { return x->kind == MBS_TERM_NUMBER && x->number == 0; }

static const mbs_term *add(parsing *p, const mbs_term **parts, size_t *count, const char *from, bool negative) {
  const mbs_term *x = product(p);
  if (!x) return NULL;
  if (negative) x = mbs_term_negative(p->algebra, x);
  if (*count == 1 && is_nothing(parts[0])) *count = 0;
  if (*count > 0 && is_nothing(x)) return x;
  if (*count == PARTS_MAX) return fail(p, from, false, "a sum can have at most %d terms", PARTS_MAX);
  if (*count > 0 && (x->rows != parts[0]->rows || x->columns != parts[0]->columns))
    return fail(p, from, true, "%d x %d cannot be added to %d x %d", x->rows, x->columns, parts[0]->rows,
                parts[0]->columns);
  parts[(*count)++] = x;
  return x;
}

static const mbs_term *sum(parsing *p) {
  const mbs_term *parts[PARTS_MAX];
  size_t count = 0;
  if (++p->depth > MBS_PARSE_DEPTH) return fail(p, p->at, false, "nested too deeply");
  bool negative = take(p, '-');
  if (!negative) take(p, '+');
  do {
    skip(p);
    if (!add(p, parts, &count, p->at, negative)) return NULL;
    skip(p);
    negative = *p->at == '-';
  } while (take(p, '+') || take(p, '-'));
  p->depth--;
  return count == 1 ? parts[0] : mbs_term_of(p->algebra, MBS_TERM_SUM, parts, count);
}

const mbs_term *mbs_parse_term(mbs_symbols *symbols, const char *text, int column, mbs_parse_error *error) {
  parsing p = {
      .symbols = symbols, .algebra = symbols->algebra, .text = text, .at = text, .column = column, .error = error};
  *error = (mbs_parse_error){0};
  if (strlen(text) > MBS_PARSE_LENGTH)
    return fail(&p, text, false, "the text is longer than %d characters", MBS_PARSE_LENGTH);
  const mbs_term *x = sum(&p);
  skip(&p);
  if (x && *p.at) return expected(&p, "+, - or the end");
  return x;
}
