/* parser.c - reads the text of an expression: see tree.h.
 *
 *   infix   = unary { operator unary }          by the precedences of operators.def, from the left
 *   unary   = ("-" | "+" | "!") unary | primary [ "^" unary ]
 *   primary = number | name | name "(" [ infix { "," infix } ] ")" | "(" infix ")"
 *   name    = segment { "." segment }           segment: a letter or _, then letters, digits and _ */
#include "base/message.h"
#include "expression/tree.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A definition that was read, or is being read. */
typedef struct known_definition {
  const char *text;
  mbs_tree *tree; /* tree of the definition; NULL while it is being read */
  struct known_definition *next;
} known_definition;

/* Data shared by an expression and the definitions in it. */
typedef struct session {
  known_definition *definitions;
  int depth; /* nesting of definitions */
} session;

typedef struct parser {
  const char *text;
  size_t at;
  int depth;
  const mbs_scope *scope; /* names of the expression; NULL: none */
  const mbs_function_list *functions;
  const mbs_named_function *inside; /* function whose expression is read; NULL: none */
  const mbs_tree_node *values;      /* nodes of its arguments, in order */
  const int *ends;                  /* [inside->arguments] number of nodes up to the end of each argument */
  mbs_tree *tree;
  mbs_arena *arena;
  session *session;
  char *message; /* [512] */
} parser;

/* The functions below return true if they succeed; otherwise the message is filled. */
static bool parse_infix(parser *p, int least);

/* ---- characters and error messages ----------------------------------------------------------------------------- */

/* ASCII only, independent of the locale. */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static void skip_blanks(parser *p) { p->at += strspn(p->text + p->at, " \t\r\n"); }

/* Returns true if `c` is next, and reads it. */
static bool accept(parser *p, char c) {
  skip_blanks(p);
  bool found = p->text[p->at] == c;
  p->at += found;
  return found;
}

static int column(size_t at) { return (int)at + 1; }

__attribute__((format(printf, 3, 4))) static bool fail(parser *p, size_t at, const char *format, ...) {
  int used = mbs_message(p->message, 512, "at column %d: ", column(at));
  va_list arguments;
  va_start(arguments, format);
  mbs_message_of(p->message + used, 512 - (size_t)used, format, arguments);
  va_end(arguments);
  return false;
}

/* Makes room for another node. Functions that are written out may need more nodes than the text has bytes. */
static bool grow(parser *p) {
  mbs_tree *tree = p->tree;
  if (tree->count >= MBS_EXPRESSION_LENGTH)
    return fail(p, p->at, "longer than %d terms with its functions written out", MBS_EXPRESSION_LENGTH);
  const int wider = 2 * tree->capacity;
  mbs_tree_node *nodes = mbs_arena_alloc(p->arena, (size_t)wider, sizeof *nodes);
  if (nodes == NULL) return fail(p, p->at, "out of memory");
  memcpy(nodes, tree->nodes, (size_t)tree->count * sizeof *nodes);
  tree->nodes = nodes;
  tree->capacity = wider;
  return true;
}

/* Appends a node. */
static bool put(parser *p, mbs_tree_node node) {
  mbs_tree *tree = p->tree;
  assert(tree->nodes != NULL && tree->count >= node.operands);
  if (tree->count == tree->capacity && !grow(p)) return false;
  tree->nodes[tree->count++] = node;
  return true;
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

/* Returns the bytes of the word, number or character at the start of `text`. */
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
      length++; /* remaining bytes of a UTF-8 sequence */
    }
  }
  return length;
}

/* Returns how an operator of another language is written here, as the end of a message; empty if it is not one. */
static const char *other_notation(const char *found) {
  static const char *const known[][2] = {{"=", "; compare with '=='"}, {"&", "; write '&&'"}, {"|", "; write '||'"},
                                         {".*", "; write '*'"},        {"./", "; write '/'"}, {".^", "; write '^'"},
                                         {"~=", "; compare with '!='"}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strncmp(found, known[k][0], strlen(known[k][0])) == 0) return known[k][1];
  return "";
}

/* Returns the digits of "2,5" before the comma at `at`, if this is one number with a decimal comma; else 0. */
static size_t digits_before_comma(const char *text, size_t at) {
  size_t digits = 0;
  while (digits < at && is_digit(text[at - digits - 1])) digits++;
  const char before = digits < at ? text[at - digits - 1] : ' ';
  const size_t after = text[at] == ',' ? strspn(text + at + 1, "0123456789") : 0;
  return after && text[at + 1 + after] != ',' && !is_letter(before) && before != '.' && before != ',' ? digits : 0;
}

/* Reports "expected ... but found ..." at the next character. */
static bool fail_expected(parser *p, const char *expected) {
  skip_blanks(p);
  const char *found = p->text + p->at;
  const size_t digits = digits_before_comma(p->text, p->at);
  if (digits > 0)
    return fail(p, p->at, "a number has a decimal point, not a comma: write %.*s.%.*s", (int)digits, found - digits,
                (int)strspn(found + 1, "0123456789"), found + 1);
  if (*found == '\0') {
    return fail(p, p->at, "expected %s but found the end", expected);
  }
  size_t length = token_length(found);
  bool cut = length > 40;
  return fail(p, p->at, "expected %s but found '%.*s%s'%s", expected, cut ? 40 : (int)length, found, cut ? "..." : "",
              strncmp(expected, "an operator", 11) == 0 ? other_notation(found) : "");
}

/* Returns the function of the document of that name, or NULL. */
static const mbs_named_function *find_function(const parser *p, const char *name) {
  const mbs_scope *scope = p->scope;
  if (scope != NULL) {
    return scope->function != NULL ? scope->function(scope->context, name) : NULL;
  }
  for (size_t k = 0; p->functions != NULL && k < p->functions->count; k++)
    if (strcmp(p->functions->items[k].name, name) == 0) return &p->functions->items[k];
  return NULL;
}

/* ---- numbers and names --------------------------------------------------------------------------------------- */

/* Copies the text from `start` to the current position. */
static const char *copy_text(parser *p, size_t start) {
  assert(start <= p->at);
  char *text = mbs_arena_alloc(p->arena, p->at - start + 1, 1);
  if (text == NULL) {
    fail(p, start, "out of memory");
    return NULL;
  }
  return memcpy(text, p->text + start, p->at - start);
}

static bool parse_number(parser *p) {
  size_t start = p->at;
  double value = strtod(p->text + start, NULL);
  p->at += mbs_number_length(p->text + start);
  if (!isfinite(value)) {
    return fail(p, start, "the number is too large");
  }
  const char *text = copy_text(p, start);
  return text != NULL && put(p, (mbs_tree_node){.kind = MBS_TREE_NUMBER, .value = value, .text = text});
}

/* Reads the next dotted name. Returns NULL with a message if there is none. */
static const char *parse_path(parser *p) {
  skip_blanks(p);
  size_t start = p->at;
  do {
    p->at += p->at > start; /* the dot */
    if (!is_letter(p->text[p->at])) {
      fail_expected(p, p->at > start ? "a name after the dot" : "a name");
      return NULL;
    }
    while (is_letter(p->text[p->at]) || is_digit(p->text[p->at])) {
      p->at++;
    }
  } while (p->text[p->at] == '.');
  return copy_text(p, start);
}

/* Adds the node of an input, or reports the error of the scope. */
static bool finish_input(parser *p, size_t start, mbs_tree_node node, const char *why) {
  if (node.number >= 0) {
    node.meaning = MBS_MEANS_INPUT;
    return put(p, node);
  }
  return why[0] != '\0' ? fail(p, start, "%s", why) : fail(p, start, "unknown name '%.200s'", node.text);
}

/* ---- definitions --------------------------------------------------------------------------------------------- */

static bool read_text(parser *p);

/* Reads the text of a definition into a tree. Returns NULL with a message on failure. */
static mbs_tree *read_definition(parser *p, size_t start, const char *path, const char *text, const mbs_scope *scope) {
  char inner[512] = "";
  known_definition *known = mbs_arena_alloc(p->arena, 1, sizeof *known);
  mbs_tree *tree = mbs_arena_alloc(p->arena, 1, sizeof *tree);
  if (known == NULL || tree == NULL) {
    fail(p, start, "out of memory");
    return NULL;
  }
  *known = (known_definition){.text = text, .next = p->session->definitions};
  p->session->definitions = known;
  parser nested = {
      .text = text, .scope = scope, .functions = p->functions, .tree = tree, .arena = p->arena, .session = p->session};
  nested.message = inner;
  p->session->depth++;
  bool read = read_text(&nested);
  p->session->depth--;
  if (!read) {
    fail(p, start, "in '%.80s' %.380s", path, inner);
    return NULL;
  }
  return known->tree = tree;
}

/* Adds the node of a name that denotes an expression. */
static bool parse_definition(parser *p, size_t start, const char *path, const char *text, const mbs_scope *scope) {
  known_definition *known = p->session->definitions;
  while (known != NULL && known->text != text) {
    known = known->next;
  }
  if (known != NULL && known->tree == NULL) {
    return fail(p, start, "'%.200s' depends on itself", path);
  }
  if (p->session->depth == MBS_DEFINITION_DEPTH) {
    return fail(p, start, "more than %d names stand for one another in a chain", MBS_DEFINITION_DEPTH);
  }
  mbs_tree *tree = known != NULL ? known->tree : read_definition(p, start, path, text, scope);
  return tree != NULL &&
         put(p,
             (mbs_tree_node){.kind = MBS_TREE_NAME, .meaning = MBS_MEANS_DEFINITION, .text = path, .definition = tree});
}

/* Appends the nodes of an argument of the function whose expression is read. */
static bool put_argument(parser *p, int k) {
  bool done = true;
  for (int i = k > 0 ? p->ends[k - 1] : 0; i < p->ends[k] && done; i++) done = put(p, p->values[i]);
  return done;
}

static bool parse_quantity(parser *p, size_t start, const char *path) {
  for (int k = 0; p->inside != NULL && k < p->inside->arguments; k++)
    if (strcmp(p->inside->letters[k], path) == 0) return put_argument(p, k);
  mbs_tree_node node = {.kind = MBS_TREE_NAME, .value = 3.14159265358979323846, .text = path};
  const mbs_scope *scope = p->scope;
  bool is_pi = strcmp(path, "pi") == 0;
  if (is_pi || (scope != NULL && scope->constant != NULL && scope->constant(scope->context, path, &node.value))) {
    if (!isfinite(node.value)) {
      return fail(p, start, "'%.200s' is not a finite number", path);
    }
    bool asked = scope != NULL && scope->parameter != NULL;
    node.number = asked ? scope->parameter(scope->context, path) : -1;
    node.meaning = node.number < 0 ? MBS_MEANS_CONSTANT : MBS_MEANS_PARAMETER;
    return put(p, node);
  }
  if (mbs_call_find(path) != NULL || (p->scope == NULL && find_function(p, path) != NULL)) {
    return fail(p, start, "'%s' is a function: write its arguments in parentheses", path);
  }
  if (scope == NULL) {
    return put(p, node);
  }
  const char *text = NULL;
  const mbs_scope *names = NULL;
  if (scope->definition != NULL && scope->definition(scope->context, path, &text, &names)) {
    return parse_definition(p, start, path, text, names);
  }
  char why[256] = "";
  node.number = scope->input == NULL ? -1 : scope->input(scope->context, path, why);
  return finish_input(p, start, node, why);
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

enum { PATHS_MAX = 8 };

/* Returns "function(path, path)". */
static const char *measure_text(parser *p, const char *function, const char *const *paths, size_t count) {
  const char *text = mbs_arena_format(p->arena, "%s(%s", function, paths[0]);
  for (size_t i = 1; i < count && text != NULL; i++) {
    text = mbs_arena_format(p->arena, "%s, %s", text, paths[i]);
  }
  return text != NULL ? mbs_arena_format(p->arena, "%s)", text) : NULL;
}

/* Reads a measure, distance(bob.B, ground.O), whose arguments are names. */
static bool parse_measure(parser *p, size_t start, const char *function) {
  const char *paths[PATHS_MAX];
  size_t count = 0;
  do {
    if (count == PATHS_MAX) {
      return fail(p, p->at, "%s has too many arguments", function);
    }
    paths[count] = parse_path(p);
    if (paths[count++] == NULL) {
      return false;
    }
  } while (accept(p, ','));
  if (!accept(p, ')')) {
    return fail_expected(p, "',' or ')'");
  }
  mbs_tree_node node = {.kind = MBS_TREE_MEASURE, .text = measure_text(p, function, paths, count)};
  if (node.text == NULL) {
    return fail(p, start, "out of memory");
  }
  if (p->scope == NULL) {
    return put(p, node);
  }
  char why[256] = "";
  node.number = p->scope->measure(p->scope->context, function, paths, count, why);
  if (node.number < 0 && why[0] == '\0') {
    return fail(p, start, "unknown name '%.200s'", function);
  }
  return finish_input(p, start, node, why);
}

static bool fail_argument_count(parser *p, size_t start, const char *name, int least, int most, int count) {
  int wanted = count < least ? least : most;
  const char *bound = least == most ? "" : count < least ? "at least " : "at most ";
  return fail(p, start, "%.200s takes %s%d argument%s, not %d", name, bound, wanted, wanted == 1 ? "" : "s", count);
}

static bool fail_unknown_function(parser *p, size_t start, const char *name) {
  static const char *const derivatives[] = {"ddt", "deriv", "derivative", "diff", "dt"};
  for (size_t k = 0; k < sizeof derivatives / sizeof *derivatives; k++) {
    if (strcmp(name, derivatives[k]) == 0) {
      return fail(p, start,
                  "unknown function '%s'; no function differentiates: use the names of rates, such as BODY.vx, BODY.ax "
                  "or JOINT.qd",
                  name);
    }
  }
  const char *nearest = mbs_call_nearest(name);
  return nearest == NULL ? fail(p, start, "unknown function '%.200s'", name)
                         : fail(p, start, "unknown function '%.200s'; did you mean '%s'?", name, nearest);
}

/* Returns true if the arguments of a call of `name` are names. */
static bool is_measure(const parser *p, const char *name) {
  const mbs_scope *scope = p->scope;
  if (scope == NULL) {
    return mbs_call_find(name) == NULL;
  }
  return scope->is_measure != NULL && scope->is_measure(scope->context, name);
}

/* Reads arguments up to the closing parenthesis. Stores the number of nodes at the end of the first ones in ends
 * [MBS_ARGUMENTS_MAX], which may be NULL. */
static bool parse_arguments(parser *p, int *ends, int *count) {
  *count = 0;
  if (accept(p, ')')) {
    return true;
  }
  do {
    if (!parse_infix(p, 0)) {
      return false;
    }
    if (ends != NULL && *count < MBS_ARGUMENTS_MAX) ends[*count] = p->tree->count;
    ++*count;
  } while (accept(p, ','));
  return accept(p, ')') || fail_expected(p, "an operator, ',' or ')'");
}

/* Replaces the arguments at the end of the tree, from node `first` on, by the expression of a function. */
static bool write_out(parser *p, size_t start, const mbs_named_function *function, int first, int *ends) {
  mbs_tree *tree = p->tree;
  const size_t count = (size_t)(tree->count - first);
  mbs_tree_node *values = mbs_arena_alloc(p->arena, count, sizeof *values);
  if (values == NULL) {
    return fail(p, start, "out of memory");
  }
  memcpy(values, tree->nodes + first, count * sizeof *values);
  for (int k = 0; k < function->arguments; k++) ends[k] -= first;
  tree->count = first;
  parser body = *p;
  body.text = function->text;
  body.at = 0;
  body.inside = function;
  body.values = values;
  body.ends = ends;
  return parse_infix(&body, 0);
}

/* Reads the call of a function of the document. */
static bool parse_named(parser *p, size_t start, const mbs_named_function *function) {
  const int first = p->tree->count;
  int ends[MBS_ARGUMENTS_MAX], count = 0;
  if (!parse_arguments(p, ends, &count)) {
    return false;
  }
  if (function->wrong) {
    p->tree->count = first;
    return put(p, (mbs_tree_node){.kind = MBS_TREE_NUMBER, .value = 1, .text = "1"});
  }
  if (count != function->arguments) {
    return fail_argument_count(p, start, function->name, function->arguments, function->arguments, count);
  }
  if (function->text != NULL && p->scope != NULL) {
    return write_out(p, start, function, first, ends);
  }
  return put(p,
             (mbs_tree_node){.kind = MBS_TREE_CALL, .function = function, .operands = count, .column = column(start)});
}

static bool parse_call(parser *p, size_t start, const char *name) {
  const mbs_named_function *named = find_function(p, name);
  if (named != NULL) {
    return parse_named(p, start, named);
  }
  if (is_measure(p, name)) {
    return parse_measure(p, start, name);
  }
  const mbs_call *function = mbs_call_find(name);
  if (function == NULL) {
    return fail_unknown_function(p, start, name);
  }
  int count = 0;
  if (!parse_arguments(p, NULL, &count)) {
    return false;
  }
  if (count < function->least || count > function->most) {
    return fail_argument_count(p, start, function->name, function->least, function->most, count);
  }
  return put(p, (mbs_tree_node){.kind = MBS_TREE_CALL, .call = function, .operands = count, .column = column(start)});
}

/* ---- the grammar --------------------------------------------------------------------------------------------- */

static bool parse_primary(parser *p) {
  skip_blanks(p);
  size_t start = p->at;
  const char *next = p->text + start;
  if (mbs_number_length(next) > 0) {
    return parse_number(p);
  }
  if (is_letter(*next)) {
    const char *path = parse_path(p);
    if (path == NULL) {
      return false;
    }
    return accept(p, '(') ? parse_call(p, start, path) : parse_quantity(p, start, path);
  }
  if (!accept(p, '(')) {
    return fail_expected(p, "a number, a name or '('");
  }
  return parse_infix(p, 0) && (accept(p, ')') || fail_expected(p, "an operator or ')'"));
}

static bool parse_unary(parser *p);

static bool parse_signed(parser *p) {
  skip_blanks(p);
  size_t start = p->at;
  char sign = p->text[start];
  if (sign == '-' || sign == '+' || sign == '!') {
    p->at++;
    mbs_tree_kind kind = sign == '-' ? MBS_TREE_NEGATE : MBS_TREE_NOT;
    return parse_unary(p) &&
           (sign == '+' || put(p, (mbs_tree_node){.kind = kind, .operands = 1, .column = column(start)}));
  }
  if (!parse_primary(p)) {
    return false;
  }
  if (!accept(p, '^')) {
    return true;
  }
  size_t at = p->at - 1;
  return parse_unary(p) && put(p, (mbs_tree_node){.kind = MBS_TREE_POWER, .operands = 2, .column = column(at)});
}

/* Reads a unary expression. Every nesting passes through this function, which limits the recursion. */
static bool parse_unary(parser *p) {
  assert(p->depth >= 0 && p->depth <= MBS_EXPRESSION_DEPTH);
  if (p->depth == MBS_EXPRESSION_DEPTH) {
    return fail(p, p->at, "nested too deeply (the limit is %d levels)", MBS_EXPRESSION_DEPTH);
  }
  p->depth++;
  bool read = parse_signed(p);
  p->depth--;
  return read;
}

/* Reads operators of precedence `least` and above. */
static bool parse_infix(parser *p, int least) {
  bool read = parse_unary(p), compared = false;
  while (read) {
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
    read = parse_infix(p, infix->precedence + 1) &&
           put(p, (mbs_tree_node){.kind = MBS_TREE_INFIX, .infix = infix, .operands = 2, .column = column(at)});
  }
  return read;
}

/* Reads the whole text of a parser into its tree. */
static bool read_text(parser *p) {
  size_t length = strnlen(p->text, MBS_EXPRESSION_LENGTH + 1);
  if (length > MBS_EXPRESSION_LENGTH) {
    mbs_message(p->message, 512, "longer than %d characters", MBS_EXPRESSION_LENGTH);
    return false;
  }
  *p->tree =
      (mbs_tree){.nodes = mbs_arena_alloc(p->arena, length + 1, sizeof *p->tree->nodes), .capacity = (int)length + 1};
  if (p->tree->nodes == NULL) {
    mbs_message(p->message, 512, "out of memory");
    return false;
  }
  if (!parse_infix(p, 0)) {
    return false;
  }
  skip_blanks(p);
  return p->at == length || fail_expected(p, "an operator or the end");
}

bool mbs_tree_read(mbs_arena *arena, const char *text, const mbs_scope *scope, const mbs_function_list *functions,
                   mbs_tree *tree, char message[512]) {
  session shared = {.depth = 0};
  parser p = {.text = text,
              .scope = scope,
              .functions = functions,
              .tree = tree,
              .arena = arena,
              .session = &shared,
              .message = message};
  return read_text(&p);
}
