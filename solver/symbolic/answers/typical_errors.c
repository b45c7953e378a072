/* typical_errors.c - compares a wrong block with variations of the correct one, each of which has one typical error.
 * Variations with the value of the answer at every state are reported, in the order in which they were tried. */
#include "symbolic/answers/typical_errors.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits for one block (variations, parts of a term), and for all blocks together (variations, parts of terms): about a
 * second of work. */
enum { TRIES_MAX = 4000, PARTS_MAX = 400, ALL_TRIES_MAX = 120000, ALL_PARTS_MAX = 12000000 };

/* ---- making them --------------------------------------------------------------------------------------------- */

static void add_slip(mbs_error_search *s, const char *name, const mbs_term *term, const char *detail) {
  if (s->count == s->room) {
    size_t more = s->room ? 2 * s->room : 128;
    mbs_error_candidate *tries = mbs_arena_alloc(s->work->arena, more, sizeof *tries);
    if (!tries) {
      s->failed = true;
      return;
    }
    if (s->count) memcpy(tries, s->tries, s->count * sizeof *tries);
    s->tries = tries;
    s->room = more;
  }
  s->tries[s->count++] = (mbs_error_candidate){{name, detail}, term, true, true};
}

void mbs_error_search_add(mbs_error_search *s, const char *name, const mbs_term *term, const char *format, ...) {
  const mbs_block_verdict *result = &s->entry->result;
  if (!term || s->count >= TRIES_MAX || s->failed) return;
  if (term->rows != result->rows || term->columns != result->columns || !mbs_term_fits(term, NULL)) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *detail = mbs_arena_text(s->work->arena, text);
  if (detail)
    add_slip(s, name, term, detail);
  else
    s->failed = true;
}

const char *mbs_error_search_text(const mbs_error_search *s, const mbs_term *x) {
  const char *text = mbs_term_text(s->algebra, x);
  return strlen(text) < 120 ? text : "the block";
}

const mbs_variable **mbs_error_search_symbols(mbs_error_search *s, size_t *count) {
  size_t parts = mbs_term_part_count(s->right);
  const mbs_variable **out = mbs_arena_alloc(s->work->arena, parts + 1, sizeof(mbs_variable *));
  *count = 0;
  for (size_t k = 0; out && k < parts && k < PARTS_MAX; k++) {
    const mbs_term *part = mbs_term_part(s->right, k, NULL);
    bool known = part->kind != MBS_TERM_SYMBOL;
    for (size_t i = 0; i < *count && !known; i++) known = out[i] == part->symbol;
    if (!known) out[(*count)++] = part->symbol;
  }
  return out;
}

void mbs_error_search_exchange(mbs_error_search *s, const char *name, const mbs_variable *symbol, const mbs_term *by,
                               const char *what) {
  size_t parts = mbs_term_part_count(s->right), times = 0;
  mbs_error_search_add(s, name, mbs_term_with_symbol(s->algebra, s->right, symbol, by), "%s", what);
  for (size_t k = 0; k < parts && k < PARTS_MAX; k++) {
    const mbs_term *part = mbs_term_part(s->right, k, NULL);
    times += part->kind == MBS_TERM_SYMBOL && part->symbol == symbol;
  }
  for (size_t k = 0; k < parts && k < PARTS_MAX && times > 1 && times < 7; k++) {
    const mbs_term *part = mbs_term_part(s->right, k, NULL);
    if (part->kind == MBS_TERM_SYMBOL && part->symbol == symbol)
      mbs_error_search_add(s, name, mbs_term_with_part(s->algebra, s->right, k, by), "there is one mistake: %s", what);
  }
}

const mbs_term *mbs_error_search_vector(mbs_error_search *s, const mbs_spot *from, const mbs_spot *to, int rate) {
  const char *index = mbs_arena_format(s->work->arena, "%d:%.17g:%.17g:%.17g>%d:%.17g:%.17g:%.17g", from->body,
                                       from->s[0], from->s[1], from->s[2], to->body, to->s[0], to->s[1], to->s[2]);
  if (!index) return s->right;
  return mbs_term_symbol(s->algebra, mbs_symbol_make(s->symbols, &(mbs_variable){.letter = "?",
                                                                                 .index = index,
                                                                                 .over = "",
                                                                                 .rate = rate,
                                                                                 .rows = s->algebra->dim,
                                                                                 .columns = 1,
                                                                                 .meaning = "",
                                                                                 .quantity = MBS_QUANTITY_BETWEEN,
                                                                                 .from = *from,
                                                                                 .to = *to}));
}

/* ---- nothing where something belongs, and something where nothing does --------------------------------------- */

static bool is_matrix(const mbs_error_search *s, const char *name) {
  return strcmp(s->entry->result.matrix->name, name) == 0;
}

static const char *label_of(const mbs_equation_axis *axis) { return axis->label; }

static void add_nothing(mbs_error_search *s) {
  const mbs_block_verdict *result = &s->entry->result;
  const mbs_equation_matrix *matrix = result->matrix;
  const char *row = label_of(&matrix->rows[result->row]), *column = label_of(&matrix->columns[result->column]);
  const char *text = mbs_error_search_text(s, s->right);
  if (is_matrix(s, "B") && result->row % 2 == 1) {
    const mbs_tree_column *at = &s->work->equations->work->tree.columns[result->column];
    bool above = at->body != s->work->model->user_body[result->row / 2];
    mbs_error_search_add(s, "missing_turn", s->right, "%s also rotates the body: %s is %s", column, row, text);
    if (above)
      mbs_error_search_add(
          s, "absolute_angle", s->right,
          "joint angles are relative: the body rotates with every joint between it and the ground, so %s adds to %s",
          column, row);
  }
  if (is_matrix(s, "M") && result->row != result->column)
    mbs_error_search_add(s, "missing_coupling", s->right, "%s and %s move the same bodies and are coupled by %s", row,
                         column, text);
  if (is_matrix(s, "Bdot_thetad") || is_matrix(s, "rhsA") || is_matrix(s, "gamma"))
    mbs_error_search_add(s, "missing_velocity_term", s->right, "the velocity term %s is missing", text);
  if (matrix->vector) {
    mbs_error_search_add(s, "missing_term", s->right, "%s is missing", text);
    mbs_error_search_add(s, "missing_path", s->right, "%s is not zero: the block is %s", row, text);
  } else if (is_matrix(s, "B")) {
    mbs_error_search_add(s, "missing_path", s->right, "%s is on the path from the ground to %s: the block is %s",
                         column, row, text);
  } else if (!is_matrix(s, "M") || result->row == result->column) {
    mbs_error_search_add(s, "missing_path", s->right, "the block of %s and %s is not zero, but %s", row, column, text);
  }
}

static void add_off_path(mbs_error_search *s) {
  const mbs_block_verdict *result = &s->entry->result;
  const mbs_equation_matrix *matrix = result->matrix;
  const char *row = label_of(&matrix->rows[result->row]), *column = label_of(&matrix->columns[result->column]);
  bool turn_row = is_matrix(s, "B") && result->row % 2 == 1;
  const mbs_tree_columns *tree = &s->work->equations->work->tree;
  if (turn_row && mbs_tree_column_moves(tree, result->column, s->work->model->user_body[result->row / 2]))
    add_slip(s, "off_path", NULL,
             mbs_arena_format(s->work->arena, "%s is a translation, which rotates no body", column));
  else if (matrix->vector)
    add_slip(s, "off_path", NULL, mbs_arena_format(s->work->arena, "%s is zero", row));
  else if (is_matrix(s, "M"))
    add_slip(s, "off_path", NULL,
             mbs_arena_format(s->work->arena, "%s and %s move no body in common, so this block is 0", row, column));
  else
    add_slip(s, "off_path", NULL,
             mbs_arena_format(s->work->arena, "%s is not on the path from the ground to %s, so this block is 0", column,
                              row));
}

/* ---- comparing them ------------------------------------------------------------------------------------------ */

static void make_tries(mbs_error_search *s) {
  const mbs_equation_block *block = s->entry->block;
  const mbs_block_verdict *result = &s->entry->result;
  const int judged_rows = result->rows, judged_columns = result->columns;
  if (!s->right) return;
  if (s->entry->zero) {
    s->entry->result.rows = s->right->rows; /* a 0 of the block's size */
    s->entry->result.columns = s->right->columns;
    add_nothing(s);
    s->entry->result.rows = judged_rows;
    s->entry->result.columns = judged_columns;
    return;
  }
  if (block->zero && !result->other_size) add_off_path(s);
  if (block->zero || mbs_term_is_zero(s->right)) return;
  mbs_typical_errors_of_form(s);
  mbs_typical_errors_of_axes(s);
  mbs_typical_errors_of_names(s);
  mbs_typical_errors_of_sums(s);
  mbs_typical_errors_of_rates(s);
}

static void compare_try(mbs_error_search *s, mbs_error_candidate *try, const double *claimed, int count, double floor) {
  double value[MBS_ANSWER_NUMBERS_MAX], turned[MBS_ANSWER_NUMBERS_MAX];
  if (!try->term || s->entry->zero || (!try->alive && !try->opposite)) return;
  if (!mbs_term_value(try->term, value, MBS_ANSWER_NUMBERS_MAX)) {
    try->alive = try->opposite = false;
    return;
  }
  for (int k = 0; k < count; k++) turned[k] = -value[k];
  try->alive = try->alive && mbs_answer_is_near(s->work, claimed, value, count, floor);
  try->opposite = try->opposite && mbs_answer_is_near(s->work, claimed, turned, count, floor);
}

static void compare(mbs_error_search *s, const mbs_check_state *state) {
  double claimed[MBS_ANSWER_NUMBERS_MAX] = {0}, magnitude;
  if (!mbs_check_applies(s->entry, state) || !mbs_answer_value(s->work, s->entry, claimed, &magnitude)) return;
  double floor = mbs_answer_floor(s->work, s->entry, magnitude);
  int count = s->entry->result.rows * s->entry->result.columns;
  for (size_t k = 0; k < s->count; k++) compare_try(s, &s->tries[k], claimed, count, floor);
}

/* Returns true if no further error of this kind is reported: each error once, and at most two points, joints, bodies or
 * axes that fit equally well. */
static bool told_enough(const mbs_block_verdict *result, const mbs_typical_error *slip) {
  const size_t most = strncmp(slip->name, "wrong_", 6) == 0 ? 2 : 1;
  size_t times = 0;
  for (size_t k = 0; k < result->error_count; k++) {
    bool same = strcmp(result->errors[k].name, slip->name) == 0;
    times += same;
    if (same && strcmp(result->errors[k].detail, slip->detail) == 0) return true;
  }
  return times >= most;
}

/* Returns true if the answer contains a symbol. */
static bool answer_has(const mbs_answer_entry *entry, const mbs_variable *symbol) {
  for (size_t i = 0; i < entry->piece_count; i++) {
    const mbs_term *term = entry->pieces[i].term;
    for (size_t k = 0; k < mbs_term_part_count(term); k++) {
      const mbs_term *part = mbs_term_part(term, k, NULL);
      if (part->kind == MBS_TERM_SYMBOL && part->symbol == symbol) return true;
    }
  }
  return false;
}

/* Returns true if the answer contains all symbols of a variation. */
static bool in_answer(const mbs_answer_entry *entry, const mbs_term *variation) {
  for (size_t k = 0; k < mbs_term_part_count(variation); k++) {
    const mbs_term *part = mbs_term_part(variation, k, NULL);
    if (part->kind == MBS_TERM_SYMBOL && !answer_has(entry, part->symbol)) return false;
  }
  return true;
}

static bool fits(const mbs_error_candidate *try, bool opposite) {
  return opposite ? try->opposite && try->term : try->alive;
}

/* Returns true if a variation that fits has only symbols of the answer. Others, whose further symbols cancel, are then
 * not reported. */
static bool some_are_in_answer(const mbs_error_search *s, bool opposite) {
  for (size_t i = 0; i < s->entry->piece_count; i++)
    if (!s->entry->pieces[i].term) return false;
  for (size_t k = 0; k < s->count; k++)
    if (s->tries[k].term && fits(&s->tries[k], opposite) && in_answer(s->entry, s->tries[k].term)) return true;
  return false;
}

static void tell(mbs_error_search *s, mbs_typical_error *out, bool opposite) {
  mbs_block_verdict *result = &s->entry->result;
  const bool only_own = some_are_in_answer(s, opposite);
  result->errors = out;
  for (size_t k = 0; k < s->count && result->error_count < MBS_TYPICAL_ERRORS_MAX; k++) {
    const mbs_error_candidate *try = &s->tries[k];
    if (!fits(try, opposite) || told_enough(result, &try->slip)) continue;
    if (only_own && try->term && !in_answer(s->entry, try->term)) continue;
    if (opposite && result->error_count == 0)
      out[result->error_count++] = (mbs_typical_error){"sign", "the sign is reversed, and there is another mistake"};
    if (!told_enough(result, &try->slip)) out[result->error_count++] = try->slip;
  }
}

static bool wanted(const mbs_answer_entry *entry) {
  bool wrong = entry->result.verdict == MBS_VERDICT_WRONG || entry->result.verdict == MBS_VERDICT_SIZE;
  return entry->readable && wrong && entry->block;
}

static bool finish(mbs_error_search *s) {
  mbs_typical_error *out = mbs_arena_alloc(s->work->arena, MBS_TYPICAL_ERRORS_MAX + 1, sizeof *out);
  if (!out || s->failed) return false;
  tell(s, out, false);
  if (s->entry->result.error_count == 0) tell(s, out, true);
  if (s->entry->result.error_count > 0) s->entry->result.verdict = MBS_VERDICT_WRONG;
  return true;
}

/* Returns true if the limits of the search leave room for one more block, whose number of variations grows with the
 * parts of its terms. */
static bool enough_left(const mbs_term *right, size_t tries, size_t parts) {
  size_t own = right ? mbs_term_part_count(right) : 0;
  return tries < ALL_TRIES_MAX && parts + own * (own < TRIES_MAX ? own : TRIES_MAX) < ALL_PARTS_MAX;
}

/* Begins searches for the wrong blocks, within the limits of work. */
static size_t begin_searches(mbs_check_work *work, mbs_error_search *searches) {
  mbs_equations_work *inside = work->equations->work;
  size_t count = 0, tries = 0, parts = 0;
  for (size_t k = 0; k < work->entry_count; k++) {
    mbs_answer_entry *entry = work->entries[k];
    if (!wanted(entry)) continue;
    entry->result.not_analyzed = !enough_left(entry->block->term, tries, parts);
    if (entry->result.not_analyzed) continue;
    mbs_error_search *s = &searches[count++];
    bool gamma = entry->result.matrix == &work->gamma.matrix && !work->model->body_formulation;
    *s = (mbs_error_search){.work = work,
                            .entry = entry,
                            .algebra = &inside->algebra,
                            .symbols = gamma ? &inside->body_symbols : &inside->symbols,
                            .right = entry->block->term};
    make_tries(s);
    tries += s->count;
    if (s->right) parts += s->count * mbs_term_part_count(s->right);
  }
  return count;
}

bool mbs_find_typical_errors(mbs_check_work *work) {
  mbs_error_search *searches = mbs_arena_alloc(work->arena, work->entry_count + 1, sizeof *searches);
  mbs_error error;
  if (!searches) return false;
  size_t count = begin_searches(work, searches);
  for (size_t i = 0; i < work->state_count && count > 0; i++) {
    if (mbs_check_at(work, &work->states[i], &error) != MBS_OK) continue;
    for (size_t k = 0; k < count; k++) compare(&searches[k], &work->states[i]);
  }
  for (size_t k = 0; k < count; k++)
    if (!finish(&searches[k])) return false;
  return !work->equations->work->algebra.failed;
}
