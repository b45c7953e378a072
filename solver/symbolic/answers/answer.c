/* answer.c - reads answers and evaluates them. */
#include "symbolic/answers/answer.h"

#include "equations/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------------------- */

/* Makes space for one more item behind `count` items. */
static void *appended(mbs_check_work *work, void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  size_t more = *capacity ? 2 * *capacity : 64;
  char *bigger = mbs_arena_alloc(work->arena, more, size);
  if (!bigger) return NULL;
  if (count) memcpy(bigger, items, count * size);
  *capacity = more;
  return bigger;
}

mbs_answer_entry *mbs_answer_entry_new(mbs_check_work *work, const mbs_equation_matrix *matrix, size_t row,
                                       size_t column) {
  mbs_answer_entry *entry = mbs_arena_alloc(work->arena, 1, sizeof *entry);
  mbs_answer_entry **entries =
      appended(work, work->entries, work->entry_count, &work->entry_room, sizeof(mbs_answer_entry *));
  if (!entry || !entries) return NULL;
  work->entries = entries;
  entries[work->entry_count++] = entry;
  entry->result =
      (mbs_block_verdict){.matrix = matrix, .row = row, .column = column, .verdict = MBS_VERDICT_UNREADABLE};
  if (!matrix) return entry;
  entry->block = &matrix->blocks[row * matrix->column_count + column];
  if (entry->block->term) entry->result.text = mbs_term_text(&work->equations->work->algebra, entry->block->term);
  return entry;
}

static bool remember(mbs_check_work *work, const mbs_answer_request *request) {
  mbs_answer_request *requests =
      appended(work, work->requests, work->request_count, &work->request_room, sizeof *requests);
  if (!requests) return false;
  work->requests = requests;
  requests[work->request_count++] = *request;
  return true;
}

/* Returns the column whose joint determines u_0; -1 if the matrix does not have the columns of the tree. */
static int column_of(const mbs_check_work *work, const mbs_equation_matrix *matrix, size_t column) {
  bool tree = !matrix->vector && strcmp(matrix->name, "D") != 0;
  return tree && column < work->equations->work->tree.column_count ? (int)column : -1;
}

/* Sets line and column of a position in a text, counted from 1. */
static void place_error(mbs_block_verdict *result, const char *text, size_t at) {
  result->line = 1;
  result->place = 1;
  for (size_t k = 0; k < at && text[k]; k++) {
    result->place++;
    if (text[k] != '\n') continue;
    result->line++;
    result->place = 1;
  }
}

static bool read_text(mbs_check_work *work, const mbs_answer *claim, mbs_answer_entry *entry) {
  mbs_parse_error error;
  mbs_answer_piece *piece = mbs_arena_alloc(work->arena, 1, sizeof *piece);
  if (!piece) return false;
  mbs_symbols *symbols = &work->equations->work->symbols;
  /* the columns of D are those of floating bodies, which have their own symbols */
  symbols->others = &work->equations->work->body_symbols;
  symbols->others_first = strcmp(entry->result.matrix->name, "D") == 0;
  piece->term = mbs_parse_term(symbols, claim->text, column_of(work, entry->result.matrix, claim->column), &error);
  if (!piece->term) {
    entry->result.verdict = error.size ? MBS_VERDICT_SIZE : MBS_VERDICT_UNREADABLE;
    entry->result.other_size = error.size;
    entry->result.detail = mbs_arena_text(work->arena, error.what);
    place_error(&entry->result, claim->text, error.at);
    return entry->result.detail != NULL;
  }
  entry->pieces = piece;
  entry->piece_count = 1;
  entry->result.rows = piece->term->rows;
  entry->result.columns = piece->term->columns;
  entry->nothing = piece->term->kind == MBS_TERM_NUMBER && piece->term->number == 0;
  entry->zero = entry->nothing;
  entry->as_printed = entry->result.text && strcmp(claim->text, entry->result.text) == 0;
  return true;
}

/* Returns true if an element can be evaluated without accelerations. */
static bool cell_known(const mbs_model *model, const mbs_answer_cell *cell) {
  if (cell->sensor < 0) return true;
  if ((size_t)cell->sensor >= model->sensor_count) return false;
  const mbs_law *law = &model->sensors[cell->sensor].law;
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    if (input->level > 1 || input->kind >= MBS_INPUT_REACTION) return false;
  }
  return true;
}

static bool read_cells(mbs_check_work *work, const mbs_answer *claim, mbs_answer_entry *entry) {
  size_t count = claim->rows * claim->columns;
  mbs_answer_piece *pieces = mbs_arena_alloc(work->arena, count + 1, sizeof *pieces);
  if (!pieces) return false;
  for (size_t k = 0; k < count; k++)
    pieces[k] = (mbs_answer_piece){
        .row = (int)(k / claim->columns), .column = (int)(k % claim->columns), .cell = claim->cells[k]};
  for (size_t k = 0; k < count; k++)
    if (!cell_known(work->model, &claim->cells[k])) {
      entry->result.detail = "accelerations, and quantities that depend on them, are not available here";
      return true;
    }
  entry->pieces = pieces;
  entry->piece_count = count;
  entry->result.rows = (int)claim->rows;
  entry->result.columns = (int)claim->columns;
  entry->zero = count > 0;
  for (size_t k = 0; k < count; k++)
    entry->zero = entry->zero && claim->cells[k].sensor < 0 && claim->cells[k].number == 0;
  entry->nothing = entry->zero && count == 1;
  return true;
}

bool mbs_check_add_answer(mbs_check *check, const mbs_answer *claim) {
  mbs_check_work *work = check->work;
  const mbs_equation_matrix *matrix = mbs_check_matrix(check, claim->matrix);
  bool inside = matrix && claim->row < matrix->row_count && claim->column < matrix->column_count;
  if (!inside || !remember(work, &(mbs_answer_request){.claim = *claim})) return !inside;
  mbs_answer_entry *entry = mbs_answer_entry_new(work, matrix, claim->row, claim->column);
  if (!entry) return false;
  entry->given_only = claim->given_only;
  if (claim->unread) {
    entry->result.detail = claim->unread;
    return true;
  }
  if (!claim->text && claim->rows * claim->columns > MBS_ANSWER_NUMBERS_MAX) {
    entry->result.verdict = MBS_VERDICT_SIZE;
    entry->result.other_size = true;
    entry->result.detail = "the answer has more numbers than any block of this matrix";
    return true;
  }
  bool read = claim->text ? read_text(work, claim, entry) : read_cells(work, claim, entry);
  entry->readable = read && entry->piece_count > 0;
  entry->as_printed = entry->as_printed || (entry->zero && entry->block->zero);
  if (entry->readable && entry->result.rows * entry->result.columns > MBS_ANSWER_NUMBERS_MAX) entry->readable = false;
  return read && !work->equations->work->algebra.failed;
}

bool mbs_check_add_mfile(mbs_check *check, const char *text, const char *matrix) {
  return remember(check->work, &(mbs_answer_request){.program = text, .matrix = matrix}) &&
         mbs_check_read_mfile(check->work, text, matrix);
}

/* ---- values -------------------------------------------------------------------------------------------------- */

static double largest_of(const double *values, int count) {
  double largest = 0;
  for (int k = 0; k < count; k++)
    if (!(fabs(values[k]) <= largest)) largest = fabs(values[k]);
  return largest;
}

/* Returns the size of the numbers that are summed in a term: its rounding error is proportional to it. */
static double magnitude_of(const mbs_term *x) {
  double all = x->kind == MBS_TERM_SUM ? 0 : 1, one;
  switch (x->kind) {
  case MBS_TERM_NUMBER: return x->number;
  case MBS_TERM_IDENTITY: return 1;
  case MBS_TERM_SYMBOL: return largest_of(x->symbol->value, x->rows * x->columns);
  case MBS_TERM_SUM:
    for (size_t k = 0; k < x->count; k++) all += magnitude_of(x->parts[k]);
    return all;
  case MBS_TERM_PRODUCT:
    for (size_t k = 0; k < x->count; k++) all *= magnitude_of(x->parts[k]);
    return 3 * all;
  case MBS_TERM_SQUARE: one = magnitude_of(x->parts[0]); return one * one;
  case MBS_TERM_QUOTIENT:
    return mbs_term_value(x->parts[1], &one, 1) && one != 0 ? magnitude_of(x->parts[0]) / fabs(one) : 0;
  default: return magnitude_of(x->parts[0]);
  }
}

static bool cell_value(const mbs_check_work *work, const mbs_answer_cell *cell, double *out) {
  const mbs_model *model = work->model;
  *out = cell->number;
  if (cell->sensor < 0) return true;
  if ((size_t)cell->sensor >= model->sensor_count) return false;
  *out = mbs_law_value(work->equations->work->inspection->run->state.system, &model->sensors[cell->sensor].law);
  return isfinite(*out);
}

bool mbs_answer_value(const mbs_check_work *work, const mbs_answer_entry *entry, double out[MBS_ANSWER_NUMBERS_MAX],
                      double *magnitude) {
  int columns = entry->result.columns;
  *magnitude = 0;
  for (size_t k = 0; k < entry->piece_count; k++) {
    const mbs_answer_piece *piece = &entry->pieces[k];
    double value[MBS_ANSWER_NUMBERS_MAX];
    if (!piece->term) {
      if (!cell_value(work, &piece->cell, &out[piece->row * columns + piece->column])) return false;
      continue;
    }
    if (!mbs_term_value(piece->term, value, MBS_ANSWER_NUMBERS_MAX)) return false;
    *magnitude = fmax(*magnitude, magnitude_of(piece->term));
    for (int i = 0; i < piece->term->rows; i++)
      for (int j = 0; j < piece->term->columns; j++)
        out[(piece->row + i) * columns + piece->column + j] = value[i * piece->term->columns + j];
  }
  return true;
}

bool mbs_answer_is_near(const mbs_check_work *work, const double *one, const double *other, int count, double floor) {
  double scale = fmax(largest_of(one, count), largest_of(other, count));
  for (int k = 0; k < count; k++) {
    double difference = fabs(one[k] - other[k]);
    if (!(difference <= work->tolerance * scale || difference <= floor)) return false;
  }
  return isfinite(scale);
}
