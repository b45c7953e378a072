/* parser.c - reads the text of an expression.
 *
 *   infix   = unary { operator unary }          by the precedences of operators.def, from the left
 *   unary   = ("-" | "+" | "!") unary | primary [ "^" unary ]
 *   primary = number | name | name "(" [ infix { "," infix } ] ")" | "(" infix ")"
 *   name    = segment { "." segment }           segment: a letter or _, then letters, digits and _ */
#include "expression/operations.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
  const char *text;
  size_t at;
  int depth;
  const mbs_scope *scope;
  mbs_emitter *emitter;
  mbs_arena *scratch;
  char *message; /* [512] */
} parser;

enum { FAILED = -1 }; /* instead of a node; the message is filled */

static int parse_infix(parser *p, int least);

/* ---- characters and complaints ------------------------------------------------------------------------------- */

/* Of ASCII only, whatever the locale. */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static void skip_blanks(parser *p) { p->at += strspn(p->text + p->at, " \t\r\n"); }

/* Whether `c` comes next, which is then read. */
static bool accept(parser *p, char c) {
  skip_blanks(p);
  bool found = p->text[p->at] == c;
  p->at += found;
  return found;
}

static int column(size_t at) { return (int)at + 1; }

__attribute__((format(printf, 3, 4))) static int fail(parser *p, size_t at, const char *format, ...) {
  int used = snprintf(p->message, 512, "at column %d: ", column(at));
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(p->message + used, 512 - (size_t)used, format, arguments);
  va_end(arguments);
  return FAILED;
}

size_t mbs_number_length(const char *text) {
  size_t length = 0, digits = 0;
  for (; is_digit(text[length]); length++) {
    digits++;
  }
  if (text[length] == '.') {
    for (length++; is_digit(text[length]); length++) {
      digits++;
    }
  }
  if (digits == 0) {
    return 0;
  }
  if (text[length] == 'e' || text[length] == 'E') {
    size_t exponent = length + 1;
    exponent += text[exponent] == '+' || text[exponent] == '-';
    if (is_digit(text[exponent])) {
      length = exponent + strspn(text + exponent, "0123456789");
    }
  }
  return length;
}

/* Bytes of the word, number or character that `text` begins with. */
static size_t token_length(const char *text) {
  size_t length = mbs_number_length(text);
  if (length == 0) {
    while (is_letter(text[length]) || is_digit(text[length]) || (length > 0 && text[length] == '.')) {
      length++;
    }
  }
  if (length == 0) {
    length = 1;
    while (((unsigned char)text[0] & 0xC0) == 0xC0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
      length++; /* the rest of a UTF-8 sequence */
    }
  }
  return length;
}

/* "expected ... but found ..." at the next character. */
static int fail_expected(parser *p, const char *expected) {
  skip_blanks(p);
  const char *found = p->text + p->at;
  if (*found == '\0') {
    return fail(p, p->at, "expected %s but found the end", expected);
  }
  size_t length = token_length(found);
  bool cut = length > 40;
  return fail(p, p->at, "expected %s but found '%.*s%s'", expected, cut ? 40 : (int)length, found, cut ? "..." : "");
}

/* ---- numbers and names --------------------------------------------------------------------------------------- */

static int parse_number(parser *p) {
  size_t start = p->at;
  double value = strtod(p->text + start, NULL);
  p->at += mbs_number_length(p->text + start);
  if (!isfinite(value)) {
    return fail(p, start, "the number is too large");
  }
  return mbs_emitter_constant(p->emitter, value);
}

/* The dotted name that comes next, in scratch memory; NULL and a message where there is none. */
static const char *parse_path(parser *p) {
  skip_blanks(p);
  size_t start = p->at;
  do {
    p->at += p->at > start; /* the dot */
    if (!is_letter(p->text[p->at])) {
      fail_expected(p, p->at > start ? "a name behind the dot" : "a name");
      return NULL;
    }
    while (is_letter(p->text[p->at]) || is_digit(p->text[p->at])) {
      p->at++;
    }
  } while (p->text[p->at] == '.');
  char *path = mbs_arena_alloc(p->scratch, p->at - start + 1, 1);
  if (path == NULL) {
    fail(p, start, "out of memory");
    return NULL;
  }
  return memcpy(path, p->text + start, p->at - start);
}

/* The node of an input, or the complaint of the scope about it. */
static int finish_input(parser *p, size_t start, int number, const char *path, const char *why) {
  if (number >= 0) {
    return mbs_emitter_input(p->emitter, number);
  }
  return why[0] != '\0' ? fail(p, start, "%s", why) : fail(p, start, "unknown name '%.200s'", path);
}

static int parse_quantity(parser *p, size_t start, const char *path) {
  double value = 3.14159265358979323846;
  const mbs_scope *scope = p->scope;
  if (strcmp(path, "pi") == 0 || (scope->constant != NULL && scope->constant(scope->context, path, &value))) {
    if (!isfinite(value)) {
      return fail(p, start, "'%.200s' is not a finite number", path);
    }
    int parameter = scope->parameter != NULL ? scope->parameter(scope->context, path) : -1;
    return parameter < 0 ? mbs_emitter_constant(p->emitter, value)
                         : mbs_emitter_parameter(p->emitter, parameter, value);
  }
  if (mbs_call_find(path) != NULL) {
    return fail(p, start, "'%s' is a function: write its arguments in parentheses", path);
  }
  char why[256] = "";
  int number = scope->input == NULL ? -1 : scope->input(scope->context, path, why);
  return finish_input(p, start, number, path, why);
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

/* distance(bob.B, ground.O): the arguments are names. */
static int parse_measure(parser *p, size_t start, const char *function) {
  enum { MOST = 8 };
  const char *paths[MOST];
  size_t count = 0;
  do {
    if (count == MOST) {
      return fail(p, p->at, "%s has too many arguments", function);
    }
    paths[count] = parse_path(p);
    if (paths[count++] == NULL) {
      return FAILED;
    }
  } while (accept(p, ','));
  if (!accept(p, ')')) {
    return fail_expected(p, "',' or ')'");
  }
  char why[256] = "";
  int number = p->scope->measure(p->scope->context, function, paths, count, why);
  return finish_input(p, start, number, function, why);
}

static int fail_argument_count(parser *p, size_t start, const mbs_call *function, int count) {
  int wanted = count < function->least ? function->least : function->most;
  const char *bound = function->least == function->most ? "" : count < function->least ? "at least " : "at most ";
  return fail(p, start, "%s takes %s%d argument%s, not %d", function->name, bound, wanted, wanted == 1 ? "" : "s",
              count);
}

static int parse_call(parser *p, size_t start, const char *name) {
  const mbs_scope *scope = p->scope;
  if (scope->is_measure != NULL && scope->is_measure(scope->context, name)) {
    return parse_measure(p, start, name);
  }
  const mbs_call *function = mbs_call_find(name);
  if (function == NULL) {
    const char *nearest = mbs_call_nearest(name);
    return nearest == NULL ? fail(p, start, "unknown function '%.200s'", name)
                           : fail(p, start, "unknown function '%.200s'; did you mean '%s'?", name, nearest);
  }
  int arguments[MBS_ARGUMENTS_MAX];
  int count = 0;
  if (!accept(p, ')')) {
    do {
      int argument = parse_infix(p, 0);
      if (argument == FAILED) {
        return FAILED;
      }
      if (count < MBS_ARGUMENTS_MAX) {
        arguments[count] = argument;
      }
      count++;
    } while (accept(p, ','));
    if (!accept(p, ')')) {
      return fail_expected(p, "an operator, ',' or ')'");
    }
  }
  if (count < function->least || count > function->most) {
    return fail_argument_count(p, start, function, count);
  }
  return mbs_emit_call(function, p->emitter, arguments, count, column(start));
}

/* ---- the grammar --------------------------------------------------------------------------------------------- */

static int parse_primary(parser *p) {
  skip_blanks(p);
  size_t start = p->at;
  const char *next = p->text + start;
  if (mbs_number_length(next) > 0) {
    return parse_number(p);
  }
  if (is_letter(*next)) {
    const char *path = parse_path(p);
    if (path == NULL) {
      return FAILED;
    }
    return accept(p, '(') ? parse_call(p, start, path) : parse_quantity(p, start, path);
  }
  if (!accept(p, '(')) {
    return fail_expected(p, "a number, a name or '('");
  }
  int inside = parse_infix(p, 0);
  if (inside != FAILED && !accept(p, ')')) {
    return fail_expected(p, "an operator or ')'");
  }
  return inside;
}

static int parse_unary(parser *p);

static int parse_signed(parser *p) {
  skip_blanks(p);
  size_t start = p->at;
  char sign = p->text[start];
  if (sign == '-' || sign == '+' || sign == '!') {
    p->at++;
    int operand = parse_unary(p);
    if (operand == FAILED || sign == '+') {
      return operand;
    }
    mbs_op op = sign == '-' ? MBS_OP_negate : MBS_OP_not;
    return mbs_emitter_apply(p->emitter, op, operand, operand, column(start));
  }
  int base = parse_primary(p);
  if (base == FAILED || !accept(p, '^')) {
    return base;
  }
  size_t at = p->at - 1;
  int exponent = parse_unary(p);
  return exponent == FAILED ? FAILED : mbs_emit_power(p->emitter, base, exponent, column(at));
}

/* Every nesting comes through here, so that the recursion is bounded. */
static int parse_unary(parser *p) {
  if (p->depth == MBS_EXPRESSION_DEPTH) {
    return fail(p, p->at, "nested too deeply (the limit is %d levels)", MBS_EXPRESSION_DEPTH);
  }
  p->depth++;
  int node = parse_signed(p);
  p->depth--;
  return node;
}

/* Operators of precedence `least` and above. */
static int parse_infix(parser *p, int least) {
  int left = parse_unary(p);
  bool compared = false;
  while (left != FAILED) {
    skip_blanks(p);
    const mbs_infix *infix = mbs_infix_find(p->text + p->at);
    if (infix == NULL || infix->precedence < least) {
      break;
    }
    size_t at = p->at;
    bool comparison = infix->precedence == MBS_PRECEDENCE_COMPARISON;
    if (comparison && compared) {
      return fail(p, at, "comparisons cannot be chained: join them with &&");
    }
    compared = comparison;
    p->at += strlen(infix->text);
    int right = parse_infix(p, infix->precedence + 1);
    left = right == FAILED ? FAILED : mbs_emit_infix(infix, p->emitter, left, right, column(at));
  }
  return left;
}

mbs_expression *mbs_expression_compile(mbs_arena *arena, const char *text, const mbs_scope *scope, char message[512]) {
  size_t length = strnlen(text, MBS_EXPRESSION_LENGTH + 1);
  if (length > MBS_EXPRESSION_LENGTH) {
    snprintf(message, 512, "longer than %d characters", MBS_EXPRESSION_LENGTH);
    return NULL;
  }
  mbs_expression *expression = NULL;
  mbs_arena *scratch = mbs_arena_new(0);
  mbs_emitter *emitter = scratch == NULL ? NULL : mbs_emitter_new(scratch, length);
  if (emitter == NULL) {
    snprintf(message, 512, "out of memory");
  } else {
    parser p = {.text = text, .scope = scope, .emitter = emitter, .scratch = scratch, .message = message};
    int root = parse_infix(&p, 0);
    skip_blanks(&p);
    if (root != FAILED && p.at < length) {
      root = fail_expected(&p, "an operator or the end");
    }
    if (root != FAILED) {
      expression = mbs_emitter_finish(emitter, root, arena, message);
    }
  }
  mbs_arena_free(scratch);
  return expression;
}
