/* mfile_answers.c - divides the matrices that an M-file assigns into blocks, and adds an answer for each block. */
#include "symbolic/answers/mfile.h"

#include <string.h>

static int length_of(const mbs_equation_axis *axes, size_t count) {
  int length = 0;
  for (size_t k = 0; k < count; k++) length += axes[k].size;
  return length;
}

static bool add_misfit(mbs_mfile *r, const mbs_equation_matrix *matrix, const char *text) {
  mbs_answer_entry *entry = mbs_answer_entry_new(r->work, matrix, 0, 0);
  if (!entry || !text) return false;
  entry->result.verdict = MBS_VERDICT_SIZE;
  entry->result.other_size = true;
  entry->result.detail = text;
  return true;
}

/* Makes an entry of the parts that lie in a block. */
static bool add_block(mbs_mfile *r, const mbs_equation_matrix *matrix, size_t row, size_t column,
                      const mbs_mfile_value *v) {
  int row0 = length_of(matrix->rows, row), column0 = length_of(matrix->columns, column);
  int rows = matrix->rows[row].size, columns = matrix->columns[column].size;
  mbs_answer_entry *entry = mbs_answer_entry_new(r->work, matrix, row, column);
  mbs_answer_piece *pieces = mbs_arena_alloc(r->work->arena, (size_t)(rows * columns) + 1, sizeof *pieces);
  if (!entry || !pieces) return false;
  entry->result.rows = rows;
  entry->result.columns = columns;
  entry->zero = true;
  for (size_t k = 0; k < v->count; k++) {
    mbs_answer_piece piece = v->pieces[k];
    int height = piece.term ? piece.term->rows : 1, width = piece.term ? piece.term->columns : 1;
    piece.row -= row0;
    piece.column -= column0;
    bool outside = piece.row >= rows || piece.column >= columns || piece.row + height <= 0 || piece.column + width <= 0;
    if (outside) continue;
    bool inside = piece.row >= 0 && piece.column >= 0 && piece.row + height <= rows && piece.column + width <= columns;
    if (!inside) {
      entry->result.verdict = MBS_VERDICT_SIZE;
      entry->result.other_size = true;
      entry->result.detail = "this part covers several blocks; assign each block by itself";
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

static bool add_matrix(mbs_mfile *r, const mbs_equation_matrix *matrix, const mbs_mfile_value *given) {
  mbs_mfile_value v = *given;
  int rows = length_of(matrix->rows, matrix->row_count), columns = length_of(matrix->columns, matrix->column_count);
  if (matrix->vector && v.rows == 1 && v.columns == rows && rows > 1) {
    mbs_answer_piece *pieces = mbs_mfile_alloc(r, v.count, sizeof *pieces);
    if (!pieces) return false;
    for (size_t k = 0; k < v.count; k++) {
      pieces[k] = v.pieces[k];
      pieces[k].row = v.pieces[k].column;
      pieces[k].column = 0;
    }
    v = (mbs_mfile_value){rows, 1, v.count, pieces};
  }
  if (v.rows != rows || v.columns != columns)
    return add_misfit(r, matrix,
                      mbs_arena_format(r->work->arena, "your matrix is %d x %d, but %s must be %d x %d", v.rows,
                                       v.columns, matrix->name, rows, columns));
  for (size_t row = 0; row < matrix->row_count; row++)
    for (size_t column = 0; column < matrix->column_count; column++)
      if (!add_block(r, matrix, row, column, &v)) return false;
  return true;
}

/* Names of the matrices in the DAP programs. */
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

/* Returns the last value assigned to a matrix. If only this matrix is asked for, a value without a name also counts. */
static const mbs_mfile_value *assigned(const mbs_mfile *r, const char *matrix, bool only) {
  for (size_t k = r->count; k-- > 0;) {
    if (only && !*r->variables[k].name) return &r->variables[k].value;
    for (size_t i = 0; i < sizeof called / sizeof *called; i++)
      if (strcmp(called[i][0], r->variables[k].name) == 0 && strcmp(called[i][1], matrix) == 0)
        return &r->variables[k].value;
  }
  return only && r->count ? &r->variables[r->count - 1].value : NULL;
}

bool mbs_mfile_add_matrices(mbs_mfile *r, const char *asked) {
  bool any = false;
  for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
    const char *name = called[i][1];
    bool again = false;
    for (size_t k = 0; k < i; k++) again = again || strcmp(called[k][1], name) == 0;
    if (again || (asked && strcmp(asked, name) != 0)) continue;
    const mbs_mfile_value *v = assigned(r, name, asked != NULL);
    const mbs_equation_matrix *matrix = v ? mbs_check_matrix(r->work->check, name) : NULL;
    if (!matrix) continue;
    any = true;
    if (!add_matrix(r, matrix, v)) return false;
  }
  if (!any) mbs_mfile_fail(r, r->text, false, "the program assigns no value to Bmat, Bd, C, rhsV or rhsA");
  return true;
}

bool mbs_mfile_add_unreadable(mbs_mfile *r, const char *asked) {
  const mbs_equation_matrix *matrix = asked ? mbs_check_matrix(r->work->check, asked) : NULL;
  mbs_answer_entry *entry = mbs_answer_entry_new(r->work, matrix, 0, 0);
  const char *detail = entry ? mbs_arena_text(r->work->arena, r->what) : NULL;
  if (!detail) return false;
  entry->result.verdict = r->size ? MBS_VERDICT_SIZE : MBS_VERDICT_UNREADABLE;
  entry->result.other_size = r->size;
  entry->result.detail = detail;
  entry->result.line = 1;
  entry->result.place = 1;
  for (const char *at = r->text; at < r->where; at++) {
    entry->result.place = *at == '\n' ? 1 : entry->result.place + 1;
    entry->result.line += *at == '\n';
  }
  return true;
}
