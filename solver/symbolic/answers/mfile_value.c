/* mfile_value.c - the values of an M-file and arithmetic with them. */
#include "symbolic/answers/mfile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 4096 };

static const mbs_answer_piece zero_piece = {.cell = {.sensor = -1}};
const mbs_mfile_value mbs_mfile_zero = {1, 1, 1, &zero_piece};

/* Keeps the first error; moves to the end of the text, so that reading ends. */
mbs_mfile_value mbs_mfile_fail(mbs_mfile *r, const char *where, bool size, const char *format, ...) {
  if (r->failed) return mbs_mfile_zero;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->what, sizeof r->what, format, arguments);
  va_end(arguments);
  r->failed = true;
  r->where = where;
  r->size = size;
  r->at = r->text + strlen(r->text);
  return mbs_mfile_zero;
}

/* Running out of memory is also an error. */
void *mbs_mfile_alloc(mbs_mfile *r, size_t count, size_t size) {
  void *found = mbs_arena_alloc(r->work->arena, count + 1, size);
  if (found) return found;
  r->no_memory = true;
  mbs_mfile_fail(r, r->at, false, "out of memory");
  return NULL;
}

static mbs_mfile_value one_piece(mbs_mfile *r, mbs_answer_piece piece) {
  mbs_answer_piece *kept = mbs_mfile_alloc(r, 1, sizeof *kept);
  if (!kept) return mbs_mfile_zero;
  *kept = piece;
  const mbs_term *term = piece.term;
  return (mbs_mfile_value){term ? term->rows : 1, term ? term->columns : 1, 1, kept};
}

/* Counts the parts of a term, shared ones each time, up to `most`. */
static size_t parts_of(const mbs_term *term, size_t most) {
  size_t count = 1;
  for (size_t k = 0; k < term->count && count < most; k++) count += parts_of(term->parts[k], most - count);
  return count;
}

mbs_mfile_value mbs_mfile_of_term(mbs_mfile *r, const mbs_term *term) {
  if (term && parts_of(term, PARTS_MAX) >= PARTS_MAX)
    return mbs_mfile_fail(r, r->at, false, "this expression has more than %d parts after its variables are inserted",
                          PARTS_MAX);
  return one_piece(r, (mbs_answer_piece){.term = term});
}

mbs_mfile_value mbs_mfile_of_number(mbs_mfile *r, double number) {
  return one_piece(r, (mbs_answer_piece){.cell = {.number = number, .sensor = -1}});
}

/* Makes zeros or, with `diagonal`, the identity matrix. */
mbs_mfile_value mbs_mfile_of_numbers(mbs_mfile *r, int rows, int columns, bool diagonal, const char *where) {
  if (rows < 1 || columns < 1 || rows > MBS_MFILE_PIECES_MAX / columns)
    return mbs_mfile_fail(r, where, true, "%d x %d is not a valid size", rows, columns);
  mbs_answer_piece *pieces = mbs_mfile_alloc(r, (size_t)rows * (size_t)columns, sizeof *pieces);
  if (!pieces) return mbs_mfile_zero;
  for (int k = 0; k < rows * columns; k++)
    pieces[k] = (mbs_answer_piece){.row = k / columns,
                                   .column = k % columns,
                                   .cell = {.number = diagonal && k / columns == k % columns, .sensor = -1}};
  return (mbs_mfile_value){rows, columns, (size_t)(rows * columns), pieces};
}

static bool is_single(const mbs_mfile_value *v) { return v->count == 1; }

/* Converts a value that is one number or term. */
const mbs_term *mbs_mfile_term(mbs_mfile *r, const mbs_mfile_value *v, const char *where) {
  const mbs_answer_piece *piece = v->pieces;
  if (!is_single(v))
    mbs_mfile_fail(r, where, false, "a matrix in brackets is not supported here; assign its parts to variables");
  return piece->term ? piece->term : mbs_term_number(r->algebra, piece->cell.number);
}

bool mbs_mfile_is_number(const mbs_mfile_value *v) { return is_single(v) && !v->pieces->term; }

static const mbs_term *fitting(mbs_mfile *r, const mbs_term *term, const char *where) {
  if (mbs_term_fits(term, NULL)) return term;
  mbs_mfile_fail(r, where, true, "the sizes do not match");
  return mbs_term_number(r->algebra, 0);
}

mbs_mfile_value mbs_mfile_negative(mbs_mfile *r, const mbs_mfile_value *v) {
  mbs_answer_piece *pieces = mbs_mfile_alloc(r, v->count, sizeof *pieces);
  if (!pieces) return mbs_mfile_zero;
  for (size_t k = 0; k < v->count; k++) {
    pieces[k] = v->pieces[k];
    if (pieces[k].term) pieces[k].term = mbs_term_negative(r->algebra, pieces[k].term);
    pieces[k].cell.number = -pieces[k].cell.number;
  }
  return (mbs_mfile_value){v->rows, v->columns, v->count, pieces};
}

mbs_mfile_value mbs_mfile_transposed(mbs_mfile *r, const mbs_mfile_value *v) {
  mbs_answer_piece *pieces = mbs_mfile_alloc(r, v->count, sizeof *pieces);
  if (!pieces) return mbs_mfile_zero;
  for (size_t k = 0; k < v->count; k++) {
    pieces[k] = v->pieces[k];
    pieces[k].row = v->pieces[k].column;
    pieces[k].column = v->pieces[k].row;
    if (pieces[k].term) pieces[k].term = mbs_term_of(r->algebra, MBS_TERM_TRANSPOSE, &v->pieces[k].term, 1);
  }
  return (mbs_mfile_value){v->columns, v->rows, v->count, pieces};
}

/* Multiplies each part of a matrix in brackets by a scalar. */
static mbs_mfile_value scaled(mbs_mfile *r, const mbs_term *by, const mbs_mfile_value *v) {
  mbs_answer_piece *pieces = mbs_mfile_alloc(r, v->count, sizeof *pieces);
  if (!pieces) return mbs_mfile_zero;
  for (size_t k = 0; k < v->count; k++) {
    const mbs_answer_piece *piece = &v->pieces[k];
    const mbs_term *both[2] = {by, piece->term ? piece->term : mbs_term_number(r->algebra, piece->cell.number)};
    pieces[k] = *piece;
    pieces[k].term = mbs_term_of(r->algebra, MBS_TERM_PRODUCT, both, 2);
  }
  return (mbs_mfile_value){v->rows, v->columns, v->count, pieces};
}

mbs_mfile_value mbs_mfile_multiplied(mbs_mfile *r, const mbs_mfile_value *one, const mbs_mfile_value *two,
                                     const char *where) {
  if (mbs_mfile_is_number(one) && mbs_mfile_is_number(two))
    return mbs_mfile_of_number(r, one->pieces->cell.number * two->pieces->cell.number);
  if (!is_single(two) && is_single(one) && one->rows * one->columns == 1)
    return scaled(r, mbs_mfile_term(r, one, where), two);
  if (!is_single(one) && is_single(two) && two->rows * two->columns == 1)
    return scaled(r, mbs_mfile_term(r, two, where), one);
  const mbs_term *both[2] = {mbs_mfile_term(r, one, where), mbs_mfile_term(r, two, where)};
  return mbs_mfile_of_term(r, fitting(r, mbs_term_of(r->algebra, MBS_TERM_PRODUCT, both, 2), where));
}

mbs_mfile_value mbs_mfile_divided(mbs_mfile *r, const mbs_mfile_value *one, const mbs_mfile_value *two,
                                  const char *where) {
  if (mbs_mfile_is_number(one) && mbs_mfile_is_number(two))
    return mbs_mfile_of_number(r, one->pieces->cell.number / two->pieces->cell.number);
  const mbs_term *both[2] = {mbs_mfile_term(r, one, where), mbs_mfile_term(r, two, where)};
  return mbs_mfile_of_term(r, fitting(r, mbs_term_of(r->algebra, MBS_TERM_QUOTIENT, both, 2), where));
}

mbs_mfile_value mbs_mfile_added(mbs_mfile *r, const mbs_mfile_value *one, const mbs_mfile_value *two,
                                const char *where) {
  if (mbs_mfile_is_number(one) && mbs_mfile_is_number(two))
    return mbs_mfile_of_number(r, one->pieces->cell.number + two->pieces->cell.number);
  const mbs_term *both[2] = {mbs_mfile_term(r, one, where), mbs_mfile_term(r, two, where)};
  return mbs_mfile_of_term(r, fitting(r, mbs_term_of(r->algebra, MBS_TERM_SUM, both, 2), where));
}
