/* test_answers.c - printed blocks rewritten at random, in equivalent forms and with a single typical error each. No
 * equivalent form is rejected, no wrong one accepted, and most errors are identified. The rewriting works on texts, so
 * that the code under test does not judge itself; equivalence is decided by values at states that no check uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"
#include "symbolic/answers/answer.h"

enum { TEXT = 4096, ROOM = 36, STATES = 4 };

static uint64_t seed = 11;
static double random_number(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

/* ---- texts --------------------------------------------------------------------------------------------------- */

/* Replaces the first `from` by `to` in `text`. Returns false if there is none. */
static bool exchanged(const char *text, const char *from, const char *to, char out[TEXT]) {
  const char *at = strstr(text, from);
  if (!at) return false;
  return snprintf(out, TEXT, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) < TEXT;
}

/* Replaces every occurrence of `from`. Returns false if there is none. */
static bool all_exchanged(const char *text, const char *from, const char *to, char out[TEXT]) {
  size_t n = 0;
  bool any = false;
  for (; *text; any = any || strncmp(text, from, strlen(from)) == 0) {
    bool here = strncmp(text, from, strlen(from)) == 0;
    int more = snprintf(out + n, TEXT - n, "%s", here ? to : (char[]){*text, 0});
    n += (size_t)more;
    if (n + 1 >= TEXT) return false;
    text += here ? strlen(from) : 1;
    if (here) any = true;
    if (!*text) break;
  }
  out[n] = 0;
  return any;
}

/* Finds the first name with these letters, e.g. "d_{2,1}". Returns false if there is none. */
static bool find_name(const char *text, const char *letters, char name[80]) {
  size_t length = strlen(letters);
  for (const char *at = text; (at = strstr(at, letters)); at += length) {
    if (at > text && isalpha((unsigned char)at[-1])) continue;
    const char *end = at + length;
    end = *end == '{' ? strchr(end, '}') + 1 : end + strspn(end, "0123456789*xyz");
    if (end[0] == '^' && end[1] == '{') end = strchr(end, '}') + 1;
    if (end == at + length || end - at >= 80) continue;
    snprintf(name, 80, "%.*s", (int)(end - at), at);
    return true;
  }
  return false;
}

/* ---- equal forms --------------------------------------------------------------------------------------------- */

typedef struct subject {
  mbs_equations *equations;
  const mbs_equation_symbol *symbols;
  size_t symbol_count;
  bool plane;
} subject;

/* Moves the first term of the sum to the end. */
static bool turned_sum(const char *text, char out[TEXT]) {
  int depth = 0;
  for (const char *at = text + 1; *at && *text; at++) {
    depth += (at[-1] == '(' || at[-1] == '{') - (at[-1] == ')' || at[-1] == '}');
    if (depth == 0 && (strncmp(at, " + ", 3) == 0 || strncmp(at, " - ", 3) == 0)) {
      bool first_minus = *text == '-';
      return snprintf(out, TEXT, "%s%s %c %.*s", at[1] == '-' ? "-" : "", at + 3, first_minus ? '-' : '+',
                      (int)(at - text) - first_minus, text + first_minus) < TEXT;
    }
  }
  return false;
}

/* Writes -s_2^{B} for d_{2,2}. */
static bool with_other_name(const subject *s, const char *text, char out[TEXT]) {
  for (size_t k = 0; k < s->symbol_count; k++) {
    char other[200];
    if (!s->symbols[k].equal || !strstr(text, s->symbols[k].name)) continue;
    snprintf(other, sizeof other, "(%s)", s->symbols[k].equal);
    return all_exchanged(text, s->symbols[k].name, other, out);
  }
  return false;
}

/* Rewrites ~a' b as -a' ~b, where a is a name and b is a name, too: (~a' b). */
static bool with_moved_tilde(const subject *s, const char *text, char out[TEXT]) {
  char name[80], from[200], to[200], after[80];
  if (!s->plane) return false;
  for (int k = 0; k < 2; k++) {
    if (!find_name(text, k ? "u_" : "d_", name)) continue;
    snprintf(from, sizeof from, "%s' ~", name);
    const char *at = strstr(text, from);
    if (!at || (at > text && at[-1] == '~') || !find_name(at + strlen(from), "d_", after)) continue;
    if (strncmp(at + strlen(from), after, strlen(after)) != 0) continue;
    snprintf(from, sizeof from, "%s' ~%s", name, after);
    snprintf(to, sizeof to, "(-~%s' %s)", name, after);
    return exchanged(text, from, to, out);
  }
  return false;
}

/* Writes omega ~d for the rate of a vector of one body in the plane; in space ~omega d. */
static bool with_written_rate(const subject *s, const char *text, char out[TEXT]) {
  char name[80], from[120], to[200];
  const char *at = strstr(text, "dot(d_{");
  int i, j;
  if (!at || sscanf(at, "dot(d_{%d,%d})", &i, &j) != 2 || i != j) return false;
  snprintf(name, sizeof name, "d_{%d,%d}", i, j);
  snprintf(from, sizeof from, "dot(%s)", name);
  snprintf(to, sizeof to, s->plane ? "(omega_%d ~%s)" : "(~omega_%d %s)", i, name);
  return all_exchanged(text, from, to, out);
}

static bool equal_form(const subject *s, int way, const char *text, char out[TEXT]) {
  switch (way) {
  case 0: return snprintf(out, TEXT, "-(-(%s))", text) < TEXT;
  case 1: return snprintf(out, TEXT, "((%s)')'", text) < TEXT;
  case 2: return snprintf(out, TEXT, "0.5 (%s) + (%s) / 2", text, text) < TEXT;
  case 3: return turned_sum(text, out);
  case 4: return with_other_name(s, text, out);
  case 5: return with_moved_tilde(s, text, out);
  case 6: return with_written_rate(s, text, out);
  case 7: return snprintf(out, TEXT, "3 (%s) - 2 (%s)", text, text) < TEXT;
  default: return false;
  }
}

/* ---- typical errors ---------------------------------------------------------------------------------------- */

static bool other_index(const char *text, const char *letters, int which, int by, int most, char out[TEXT]) {
  char name[80], to[80];
  int i, j;
  if (!find_name(text, letters, name)) return false;
  if (strcmp(letters, "d_") == 0) {
    if (sscanf(name, "d_{%d,%d}", &i, &j) != 2) return false;
    if (which == 0)
      i = (i + by - 1) % most + 1;
    else
      j = (j + by - 1) % most + 1;
    snprintf(to, sizeof to, "d_{%d,%d}", i, j);
  } else {
    if (sscanf(name + strlen(letters), "%d", &i) != 1 || strchr(name, '{')) return false;
    snprintf(to, sizeof to, "%s%d", letters, (i + by - 1) % most + 1);
  }
  return strcmp(to, name) != 0 && all_exchanged(text, name, to, out);
}

/* Leaves out the last term. */
static bool shortened(const char *text, char out[TEXT]) {
  int depth = 0;
  for (const char *at = text + strlen(text); at > text; at--) {
    depth += (*at == ')' || *at == '}') - (*at == '(' || *at == '{');
    if (depth != 0 || (strncmp(at, " + ", 3) != 0 && strncmp(at, " - ", 3) != 0)) continue;
    return snprintf(out, TEXT, "%.*s", (int)(at - text), text) < TEXT;
  }
  return false;
}

static bool from_origin(const char *text, char out[TEXT]) {
  char name[80], to[40];
  int i, j;
  if (!find_name(text, "d_", name) || sscanf(name, "d_{%d,%d}", &i, &j) != 2) return false;
  snprintf(to, sizeof to, "r_%d", i);
  return all_exchanged(text, name, to, out);
}

static bool locally(const subject *s, const char *text, char out[TEXT]) {
  for (size_t k = 0; k < s->symbol_count; k++) {
    const mbs_equation_symbol *symbol = &s->symbols[k];
    char to[200];
    if (!symbol->equal || !strstr(text, symbol->name) || strncmp(symbol->name, "d_", 2) != 0) continue;
    snprintf(to, sizeof to, "loc(%s)", symbol->name);
    if (all_exchanged(text, symbol->name, to, out) && !strstr(out, "dot(loc")) return true;
  }
  return false;
}

static bool undotted(const char *text, char out[TEXT]) {
  const char *at = strstr(text, "dot(d_"), *end = at ? strchr(at, ')') : NULL;
  return end && snprintf(out, TEXT, "%.*s%.*s%s", (int)(at - text), text, (int)(end - at) - 4, at + 4, end + 1) < TEXT;
}

/* Computes the rate of a vector of one body with the joint's rate instead of the body's. */
static bool relative_rate(const subject *s, const char *text, char out[TEXT]) {
  int i, j;
  char from[80], to[120];
  for (const char *at = text; s->plane && (at = strstr(at, "dot(d_{")); at++) {
    if (sscanf(at, "dot(d_{%d,%d})", &i, &j) != 2 || i != j || !strstr(at, "dot(theta_")) continue;
    snprintf(from, sizeof from, "dot(d_{%d,%d})", i, j);
    snprintf(to, sizeof to, "(~d_{%d,%d} dot(theta_%d))", i, j, j);
    return all_exchanged(text, from, to, out);
  }
  return false;
}

/* Replaces a lever by the one to the next rotating joint, as in a formulation with absolute angles. */
static bool with_absolute_angles(const subject *s, const char *text, char out[TEXT]) {
  const mbs_model *model = s->equations->work->model;
  int i, j;
  for (const char *at = text; s->plane && (at = strstr(at, "d_{")); at++) {
    char from[80], to[120];
    if (sscanf(at, "d_{%d,%d}", &i, &j) != 2 || i == j) continue;
    int body = model->user_body[i - 1], joint = model->user_body[j - 1];
    while (body > 0 && model->parent[body] != joint) body = model->parent[body];
    if (body <= 0) continue;
    int next = 1;
    while (model->user_body[next - 1] != body) next++;
    snprintf(from, sizeof from, "d_{%d,%d}", i, j);
    snprintf(to, sizeof to, "(d_{%d,%d} - d_{%d,%d})", i, j, i, next);
    return exchanged(text, from, to, out);
  }
  return false;
}

/* Writes the rate of a lever from one body to another as if the lever only rotated (`turned`), or as if its start were
 * at rest. */
static bool with_other_rate(const subject *s, const char *text, bool turned, char out[TEXT]) {
  int i, j;
  for (const char *at = text; s->plane && (at = strstr(at, "dot(d_{")); at++) {
    char from[80], to[120];
    if (sscanf(at, "dot(d_{%d,%d})", &i, &j) != 2 || (turned && i == j)) continue;
    snprintf(from, sizeof from, "dot(d_{%d,%d})", i, j);
    snprintf(to, sizeof to, turned ? "(omega_%d ~d_{%d,%d})" : "dot(r_%d)", i, i, j);
    return exchanged(text, from, to, out);
  }
  return false;
}

static const char *const slip_names[] = {"sign",
                                         "transposed",
                                         "missing_rotation",
                                         "extra_rotation",
                                         "missing_path",
                                         "factor_2",
                                         "local_axes",
                                         "wrong_pivot",
                                         "wrong_joint",
                                         "wrong_body",
                                         "missing_term",
                                         "not_differentiated",
                                         "relative_for_absolute_rate",
                                         "missing_factor",
                                         "wrong_body",
                                         "wrong_point",
                                         "absolute_angle",
                                         "missing_coriolis",
                                         "contact_point_held"};
enum { SLIPS = sizeof slip_names / sizeof *slip_names };

/* Replaces a point by another one of the same body, if it has one. */
static bool other_point(const subject *s, const char *text, char out[TEXT]) {
  const mbs_model *model = s->equations->work->model;
  for (size_t k = 0; k < s->symbol_count; k++) {
    int body, length = 0;
    const char *equal = s->symbols[k].equal;
    if (!equal || !strstr(text, s->symbols[k].name) || sscanf(equal, "-s_%d^{%n", &body, &length) != 1 || !length)
      continue;
    for (size_t p = 0; p < model->nP; p++) {
      char to[200];
      const char *name = model->points[p].name;
      bool same = strncmp(equal + length, name, strlen(name)) == 0 && equal[(size_t)length + strlen(name)] == '}';
      if (model->points[p].body != model->user_body[body - 1] || same) continue;
      snprintf(to, sizeof to, "(-s_%d^{%s})", body, name);
      return all_exchanged(text, s->symbols[k].name, to, out);
    }
  }
  return false;
}

static bool with_slip(const subject *s, size_t slip, const char *text, char out[TEXT]) {
  int most = (int)s->equations->work->model->nB;
  char name[80], from[100], to[100];
  switch (slip) {
  case 0: return snprintf(out, TEXT, "-(%s)", text) < TEXT;
  case 1: return snprintf(out, TEXT, "(%s)'", text) < TEXT;
  case 2: return exchanged(text, "~", "", out);
  case 3:
    if (!find_name(text, "u_", name)) return false;
    snprintf(to, sizeof to, "~%s", name);
    return exchanged(text, name, to, out) && !strstr(out, "~~");
  case 4: return snprintf(out, TEXT, "0") < TEXT;
  case 5: return snprintf(out, TEXT, "2 (%s)", text) < TEXT;
  case 6: return locally(s, text, out);
  case 7: return from_origin(text, out);
  case 8: return other_index(text, "d_", 1, 1, most, out);
  case 9: return other_index(text, "d_", 0, 1, most, out);
  case 10: return shortened(text, out);
  case 11: return undotted(text, out);
  case 12: return relative_rate(s, text, out);
  case 13:
    if (!find_name(text, "m_", name)) return false;
    snprintf(from, sizeof from, "%s ", name);
    return exchanged(text, from, "", out);
  case 14: return other_index(text, "m_", 0, 1, most, out);
  case 15: return other_point(s, text, out);
  case 16: return with_absolute_angles(s, text, out);
  case 17: return with_other_rate(s, text, true, out);
  default: return with_other_rate(s, text, false, out);
  }
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

typedef struct tally {
  size_t equal, rejected, wrong, accepted, accidental, named, shaped;
  size_t by_slip[SLIPS], named_by_slip[SLIPS];
} tally;

/* Evaluates a text at a state of the subject. Returns false if it has no value. */
static bool value_of(const subject *s, const char *text, int column, double out[ROOM], int shape[2]) {
  mbs_parse_error error;
  const mbs_term *x = mbs_parse_term(&s->equations->work->symbols, text, column, &error);
  if (!x) return false;
  shape[0] = x->rows;
  shape[1] = x->columns;
  /* new symbols have no value yet */
  return mbs_equations_at(s->equations, s->equations->t, NULL, NULL, &(mbs_error){0}) == MBS_OK &&
         mbs_term_value(x, out, ROOM);
}

/* Returns true if both texts have equal values at random states. A closed block has no such states. */
static bool same(const subject *s, const char *one, const char *other, int column) {
  size_t nq = s->equations->work->model->nq, nv = s->equations->work->model->nv;
  double *q = calloc(nq + nv + 1, sizeof *q), *q0 = calloc(nq + 1, sizeof *q0), *v = q + nq;
  memcpy(q0, s->equations->q, nq * sizeof *q0);
  bool alike = true;
  for (int k = 0; k < STATES && alike; k++) {
    double a[ROOM] = {0}, b[ROOM] = {0}, largest = 0, difference = 0;
    int shape[2] = {1, 1}, other_shape[2] = {1, 1};
    for (size_t i = 0; i < nq; i++) q[i] = q0[i] + 0.2 * random_number();
    for (size_t i = 0; i < nv; i++) v[i] = random_number();
    if (mbs_equations_at(s->equations, 0.31, q, v, &(mbs_error){0}) != MBS_OK) continue;
    alike = value_of(s, one, column, a, shape) && value_of(s, other, column, b, other_shape) &&
            shape[0] == other_shape[0] && shape[1] == other_shape[1];
    for (int i = 0; i < ROOM; i++) {
      largest = fmax(largest, fmax(fabs(a[i]), fabs(b[i])));
      difference = fmax(difference, fabs(a[i] - b[i]));
    }
    alike = alike && difference <= 1e-6 * largest + 1e-13;
  }
  mbs_equations_at(s->equations, s->equations->t, q0, NULL, &(mbs_error){0});
  free(q);
  free(q0);
  return alike;
}

/* Checks an answer for one block and returns the verdict; sets *named if `name` is among the reported errors. */
static mbs_verdict ask(const mbs_model *model, const mbs_equation_matrix *matrix, size_t row, size_t column,
                       const char *text, const char *name, bool *named, bool *accidental) {
  mbs_check *check = mbs_check_new(model);
  mbs_error error;
  assert_non_null(check);
  assert_true(
      mbs_check_add_answer(check, &(mbs_answer){.matrix = matrix->name, .row = row, .column = column, .text = text}));
  assert_int_equal(mbs_check_run(check, &(mbs_check_options){0}, &error), MBS_OK);
  assert_int_equal(check->result_count, 1);
  const mbs_block_verdict *result = &check->results[0];
  mbs_verdict verdict = result->verdict;
  *named = false;
  *accidental = result->accidental;
  for (size_t k = 0; k < result->error_count; k++) {
    const char *slip = result->errors[k].name;
    bool special = strncmp(slip, "missing_", 8) == 0 && name && strncmp(name, "missing_", 8) == 0 &&
                   strcmp(name, "missing_rotation") != 0 && strcmp(name, "missing_factor") != 0;
    *named = *named || (name && strcmp(slip, name) == 0) || special;
  }
  mbs_check_free(check);
  return verdict;
}

static void ask_block(const subject *s, const mbs_model *model, const mbs_equation_matrix *matrix, size_t row,
                      size_t column, tally *sum) {
  const mbs_equation_block *block = &matrix->blocks[row * matrix->column_count + column];
  char text[TEXT], changed[TEXT];
  bool named, accidental;
  if (block->zero) return;
  if (snprintf(text, TEXT, "%s", mbs_equations_written(s->equations, block->term, MBS_NOTATION_TEXT)) >= TEXT / 2)
    return;
  int at = matrix->vector ? -1 : (int)column;
  for (int way = 0; way < 8; way++) {
    if (!equal_form(s, way, text, changed)) continue;
    sum->equal++;
    mbs_verdict verdict = ask(model, matrix, row, column, changed, NULL, &named, &accidental);
    if (verdict != MBS_VERDICT_RIGHT) {
      sum->rejected++;
      print_error("%s rejected: %s[%zu, %zu] = %s is %s\n", mbs_model_name(model), matrix->name, row, column, text,
                  changed);
    }
  }
  for (size_t slip = 0; slip < SLIPS && !block->closed; slip++) { /* closed blocks hold only at assembled states */
    if (!with_slip(s, slip, text, changed) || same(s, text, changed, at)) continue;
    mbs_verdict verdict = ask(model, matrix, row, column, changed, slip_names[slip], &named, &accidental);
    if (verdict == MBS_VERDICT_RIGHT && accidental) { /* equal only for the numbers of this document, which the verdict
                                                       * reports */
      sum->accidental++;
      continue;
    }
    if (verdict == MBS_VERDICT_UNREADABLE || (verdict == MBS_VERDICT_SIZE && !named)) {
      sum->shaped++; /* an answer of another shape is reported as such */
      continue;
    }
    sum->wrong++;
    sum->by_slip[slip]++;
    sum->named += named;
    sum->named_by_slip[slip] += named;
    if (verdict != MBS_VERDICT_RIGHT) continue;
    sum->accepted++;
    print_error("%s accepted: %s[%zu, %zu] = %s for %s\n", mbs_model_name(model), matrix->name, row, column, changed,
                text);
  }
}

static void ask_model(const char *name, const char *formulation, tally *sum) {
  char *document = models_named(name),
       *analysis = models_text("{\"type\": \"assembly\", \"formulation\": \"%s\"}", formulation);
  mbs_model *model = models_build(document, analysis);
  mbs_equations *equations = mbs_equations_new(model);
  assert_non_null(equations);
  mbs_equations_start(equations, &(mbs_error){0});
  const subject s = {equations, equations->symbols, equations->symbol_count, equations->work->algebra.dim == 2};
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    if (strcmp(matrix->name, "D") == 0) continue;
    for (size_t r = 0; r < matrix->row_count; r++)
      for (size_t c = 0; c < matrix->column_count; c++) ask_block(&s, model, matrix, r, c, sum);
  }
  mbs_equations_free(equations);
  mbs_model_free(model);
  free(analysis);
  free(document);
}

static void test_rewritten_blocks(void **state) {
  (void)state;
  static const struct {
    const char *model, *formulation;
  } asked[] = {{"SP", "joint"}, {"SC", "joint"},        {"Cart_C", "joint"},        {"MP_A", "joint"},
               {"SP", "body"},  {"RSSR_rod", "joint"},  {"SliderCrank3D", "joint"}, {"TP", "joint"},
               {"SC", "body"},  {"McPherson", "joint"}, {"Rod2", "joint"},          {"FourBar", "joint"}};
  tally sum = {0};
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) ask_model(asked[k].model, asked[k].formulation, &sum);
  for (size_t k = 0; k < SLIPS; k++)
    printf("%-28s %4zu claims, %4zu named\n", slip_names[k], sum.by_slip[k], sum.named_by_slip[k]);
  printf("%zu equal forms, %zu rejected; %zu wrong ones, %zu accepted, %zu (%.0f %%) named; %zu of another shape, %zu "
         "accidental\n",
         sum.equal, sum.rejected, sum.wrong, sum.accepted, sum.named, 100.0 * (double)sum.named / (double)sum.wrong,
         sum.shaped, sum.accidental);
  assert_true(sum.equal + sum.wrong >= 200);
  assert_int_equal(sum.rejected, 0);
  assert_int_equal(sum.accepted, 0);
  assert_true(sum.named * 100 >= 80 * sum.wrong);
}

/* ---- printed blocks -------------------------------------------------------------------------------------------- */

/* Checks that every block is accepted in its printed form. */
static void claim_printed(const char *document, const char *formulation) {
  char *analysis = models_text("{\"type\": \"assembly\", \"formulation\": \"%s\"}", formulation);
  mbs_model *model = models_build(document, analysis);
  mbs_equations *equations = mbs_equations_new(model);
  mbs_check *check = mbs_check_new(model);
  mbs_error error;
  assert_non_null(equations);
  assert_non_null(check);
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    for (size_t k = 0; k < matrix->row_count * matrix->column_count; k++) {
      const char *text = mbs_equations_written(equations, matrix->blocks[k].term, MBS_NOTATION_TEXT);
      if (matrix->blocks[k].zero || strcmp(matrix->name, "Jac_p") == 0 || strlen(text) > 4096) continue;
      assert_true(mbs_check_add_answer(check, &(mbs_answer){.matrix = matrix->name,
                                                            .row = k / matrix->column_count,
                                                            .column = k % matrix->column_count,
                                                            .text = text}));
    }
  }
  assert_int_equal(mbs_check_run(check, &(mbs_check_options){.verdicts = true}, &error), MBS_OK);
  for (size_t k = 0; k < check->result_count; k++) {
    const mbs_block_verdict *result = &check->results[k];
    if (result->verdict != MBS_VERDICT_RIGHT)
      fail_msg("%s, %s: %s[%zu, %zu] is not right as printed: %s", mbs_model_name(model), formulation,
               result->matrix->name, result->row, result->column, result->detail ? result->detail : "wrong");
  }
  mbs_check_free(check);
  mbs_equations_free(equations);
  mbs_model_free(model);
  free(analysis);
}

static void test_as_printed(void **state) {
  (void)state;
  static const char *const formulations[] = {"joint", "body"};
  /* Cases: rounding next to zero, numeric rows, driven rotations in space, opposite axes, two directions on the ground,
   * an expression of a floating body. */
  static const char *const shipped[] = {"Door",  "UniversalJoint", "Top",       "Cart_A_bc", "Cam",
                                        "Slot",  "MP_A",           "Excavator", "RSSR_rod",  "McPherson_arm",
                                        "Stage", "Plotter",        "Sledge"};
  static const char *const own[] = {
      JSON({
        "name": "rotd",
        "space": "spatial",
        "gravity": [0, 0, -9.81],
        "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
        "bodies": [{
          "name": "a",
          "mass": 1,
          "inertia": [0.1, 0.1, 0.1],
          "points": {"P": [0.5, 0, 0]},
          "vectors": {"z": [0, 0, 1]}
        }],
        "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "a.P"], "vectors": ["ground.z", "a.z"]}],
        "drivers": [{"name": "motor", "type": "joint", "joint": "pin", "function": "t^2"}]
      }),
      JSON({
        "name": "rotd",
        "space": "spatial",
        "gravity": [0, 0, -9.81],
        "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
        "bodies": [{
          "name": "a",
          "mass": 1,
          "inertia": [0.1, 0.1, 0.1],
          "points": {"P": [0.5, 0, 0]},
          "vectors": {"z": [0, 0, 1]}
        }],
        "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "a.P"], "vectors": ["ground.z", "a.z"]}],
        "drivers": [{"name": "motor", "type": "rotation", "body": "a", "axis": [0, 0, 1], "function": "t^2"}]
      }),
      JSON({
        "name": "slide",
        "space": "planar",
        "gravity": [0, -9.81],
        "ground": {"points": {"O": [0, 0], "G": [1, 0]}, "vectors": {"u": [1, 0]}},
        "bodies": [
          {"name": "a", "mass": 1, "inertia": 0.1, "points": {"O": [0, 0], "P": [0.5, 0]}, "vectors": {"u": [1, 0]}},
          {"name": "b", "mass": 1, "inertia": 0.1, "points": {"G": [0, 0]}, "vectors": {"u": [1, 0]}}
        ],
        "joints": [
          {"name": "p1", "type": "revolute", "points": ["ground.O", "a.O"], "initial": {"position": 0.2}},
          {"name": "p2", "type": "revolute", "points": ["ground.G", "b.G"], "initial": {"position": 0.3}},
          {"name": "s", "type": "translational", "points": ["a.P", "b.G"], "vectors": ["a.u", "b.u"], "cut": true}
        ]
      }),
      JSON({
        "name": "u0",
        "space": "planar",
        "gravity": [0, -9.81],
        "ground": {"points": {"O": [0, 0]}, "vectors": {"up": [0, 1], "slope": [0.8, 0.6]}},
        "bodies": [
          {"name": "lift", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0]}, "vectors": {"up": [0, 1]}},
          {"name": "wheel", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}}
        ],
        "joints": [
          {
            "name": "rail",
            "type": "translational",
            "points": ["ground.O", "lift.P"],
            "vectors": ["ground.up", "lift.up"]
          },
          {
            "name": "roll",
            "type": "disc",
            "points": ["ground.O", "wheel.C"],
            "vectors": ["ground.slope"],
            "radius": 0.3
          }
        ]
      }),
      JSON({
        "name": "dclash",
        "space": "planar",
        "gravity": [0, -9.81],
        "ground": {"points": {"O": [0, 0]}},
        "bodies": [
          {"name": "a", "mass": 1, "inertia": 0.1, "points": {"P": [0.5, 0]}},
          {"name": "b", "mass": 1, "inertia": 0.1, "points": {"P": [-0.5, 0]}}
        ],
        "joints": [
          {"name": "pin", "type": "revolute", "points": ["a.P", "b.P"], "initial": {"position": 0.3}},
          {"name": "mine", "type": "expression", "value": "a.x + 2*b.y - 0.1"}
        ]
      })};
  for (int f = 0; f < 2; f++) {
    for (size_t k = 0; k < sizeof shipped / sizeof *shipped; k++) {
      char *document = models_named(shipped[k]);
      claim_printed(document, formulations[f]);
      free(document);
    }
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) claim_printed(own[k], formulations[f]);
  }
}

/* A listing whose variables grow with each line is refused, and is not expanded. */
static void test_growing_listing(void **state) {
  (void)state;
  char text[2000] = "a = theta_d(1);\n";
  for (int k = 0; k < 60; k++) strcat(text, "a = a + a;\n");
  strcat(text, "rhsA = [a; a];\n");
  char *document = models_named("SC");
  mbs_model *model = models_build(document, JSON({"type": "assembly"}));
  mbs_check *check = mbs_check_new(model);
  mbs_error error;
  assert_non_null(check);
  assert_true(mbs_check_add_mfile(check, text, NULL));
  assert_int_equal(mbs_check_run(check, &(mbs_check_options){0}, &error), MBS_OK);
  assert_true(check->result_count > 0);
  for (size_t k = 0; k < check->result_count; k++) {
    assert_int_equal(check->results[k].verdict, MBS_VERDICT_UNREADABLE);
    assert_non_null(strstr(check->results[k].detail, "parts after its variables"));
  }
  mbs_check_free(check);
  mbs_model_free(model);
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rewritten_blocks), cmocka_unit_test(test_as_printed),
                                     cmocka_unit_test(test_growing_listing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
