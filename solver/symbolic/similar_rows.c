/* similar_rows.c - finds rows of the equations that are equal except for their indices, as those of equal legs are.
 * Indices and names are numbered in the order in which they occur in a row; rows with the same numbers are similar. */
#include "symbolic/derivation.h"

#include <stdlib.h>
#include <string.h>

/* Limits: rows that are compared; tokens of a row; characters of a key and of a token. */
enum { COMPARED_MAX = 4000, TOKENS_MAX = 512, KEY_SIZE = 8192, TOKEN_SIZE = 64 };

/* A row with numbered tokens. */
typedef struct reading {
  char key[KEY_SIZE];
  size_t length;
  char tokens[TOKENS_MAX][TOKEN_SIZE];
  size_t count;
  bool long_one; /* true if the row exceeds the limits; it is similar to no other */
} reading;

static void note(reading *row, char what) {
  if (row->length + 1 < KEY_SIZE)
    row->key[row->length++] = what;
  else
    row->long_one = true;
}

static void note_text(reading *row, const char *text) {
  for (; *text; text++) note(row, *text);
  note(row, '\1');
}

/* Appends the number of a token in this row. */
static void note_token(reading *row, const char *text, size_t length) {
  char token[TOKEN_SIZE];
  size_t k = 0;
  if (length >= TOKEN_SIZE) length = TOKEN_SIZE - 1;
  memcpy(token, text, length);
  token[length] = 0;
  while (k < row->count && strcmp(row->tokens[k], token) != 0) k++;
  if (k == row->count && k < TOKENS_MAX) memcpy(row->tokens[row->count++], token, length + 1);
  row->long_one = row->long_one || k == TOKENS_MAX;
  note(row, (char)('\2' + (k & 63)));
  note(row, (char)('\2' + (k >> 6)));
}

static void note_index(reading *row, const char *index) {
  while (*index) {
    size_t length = strcspn(index, ",");
    note_token(row, index, length);
    index += length + (index[length] == ',');
  }
  note(row, '\1');
}

static void note_variable(reading *row, const mbs_variable *variable) {
  note_text(row, variable->letter);
  note(row, (char)('0' + variable->rate));
  note_index(row, variable->index);
  if (*variable->over) note_token(row, variable->over, strlen(variable->over));
}

static void note_term(reading *row, const mbs_term *term) {
  note(row, (char)('A' + term->kind));
  if (term->negative) note(row, '-');
  if (term->kind == MBS_TERM_SYMBOL) note_variable(row, term->symbol);
  if (term->kind == MBS_TERM_NUMBER) note_text(row, term->number == 1 ? "1" : term->number == 2 ? "2" : "n");
  for (size_t k = 0; k < term->count; k++) note_term(row, term->parts[k]);
}

/* Reads "theta_{3,1}": the part before the first _, then its index. */
static void note_label(reading *row, const char *label) {
  size_t letter = strcspn(label, "_");
  for (size_t k = 0; k < letter; k++) note(row, label[k]);
  note_index(row, label + letter + (label[letter] == '_'));
}

static void read_row(const mbs_equation_matrix *matrix, size_t r, bool labelled, reading *row) {
  row->length = row->count = 0;
  row->long_one = false;
  note(row, (char)('0' + matrix->rows[r].size));
  if (labelled) note_label(row, matrix->rows[r].label);
  for (size_t c = 0; c < matrix->column_count && !row->long_one; c++) {
    const mbs_equation_block *block = &matrix->blocks[r * matrix->column_count + c];
    if (block->zero) continue;
    note_label(row, matrix->columns[c].label);
    note(row, block->closed ? '~' : '=');
    note_term(row, block->term);
  }
  row->key[row->length] = 0;
}

static bool find_alike(mbs_equations_work *work, mbs_equation_matrix *matrix, reading *row) {
  size_t *alike = mbs_arena_alloc(work->arena, matrix->row_count + 1, sizeof *alike);
  const char **keys = mbs_arena_alloc(work->arena, matrix->row_count + 1, sizeof(char *));
  bool of_bodies = matrix->row_count > 0 && strchr(matrix->rows[0].label, '_') != NULL;
  if (!alike || !keys) return false;
  for (size_t r = 0; r < matrix->row_count; r++) {
    alike[r] = r;
    if (matrix->row_count > COMPARED_MAX) continue;
    read_row(matrix, r, of_bodies, row);
    keys[r] = mbs_arena_text(work->arena, row->long_one ? "" : row->key);
    if (!keys[r]) return false;
    size_t first = 0;
    while (!row->long_one && first < r && strcmp(keys[first], keys[r]) != 0) first++;
    if (!row->long_one) alike[r] = first;
  }
  matrix->alike = alike;
  return true;
}

bool mbs_find_similar_rows(mbs_equations *equations) {
  mbs_equations_work *work = equations->work;
  reading *row = mbs_arena_alloc(work->arena, 1, sizeof *row);
  bool found = row != NULL;
  for (size_t m = 0; m < equations->matrix_count && found; m++) found = find_alike(work, &equations->matrices[m], row);
  return found;
}
