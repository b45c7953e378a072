/* diagnostics.c - the list of errors in a document, and suggestions for misspelled names. */
#include "base/message.h"
#include "mbs/status.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *mbs_status_code(mbs_status status) {
  static const char *const codes[] = {
#define MBS_STATUS(symbol, code, meaning) code,
#include "mbs/status.def"
#undef MBS_STATUS
  };
  return (unsigned)status < MBS_STATUS_COUNT ? codes[status] : "unknown";
}

void mbs_diagnostics_free(mbs_diagnostics *list) {
  free(list->items);
  *list = (mbs_diagnostics){0};
}

/* Removes an incomplete UTF-8 sequence at the end of a truncated text, so that the text remains valid. */
static void trim_cut_sequence(char *text) {
  size_t length = strlen(text);
  size_t start = length;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) {
    start--;
  }
  if (start == 0) {
    return;
  }
  start--;
  unsigned char lead = (unsigned char)text[start];
  size_t wanted = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (length - start < wanted) {
    text[start] = '\0';
  }
}

/* Makes room for one more item. Returns false if the list is full or memory runs out. */
static bool grow(mbs_diagnostics *list) {
  assert(list->count <= MBS_DIAGNOSTICS_MAX);
  if (list->count >= MBS_DIAGNOSTICS_MAX) {
    return false;
  }
  /* The capacity is the smallest power of two >= `count`, so the list is full exactly when `count` is a power of
   * two. */
  if ((list->count & (list->count - 1)) == 0) {
    size_t capacity = list->count == 0 ? 1 : 2 * list->count;
    mbs_error *items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL) {
      return false;
    }
    list->items = items;
  }
  return true;
}

/* Returns whether the last item repeats an earlier one. Truncated texts may have differed. */
static bool is_repeated(const mbs_diagnostics *list, bool cut) {
  assert(list->count > 0);
  const mbs_error *last = &list->items[list->count - 1];
  for (const mbs_error *item = list->items; item < last && !cut; item++)
    if (item->status == last->status && strcmp(item->pointer, last->pointer) == 0 &&
        strcmp(item->message, last->message) == 0)
      return true;
  return false;
}

mbs_status mbs_diagnose(mbs_diagnostics *list, mbs_status status, const char *pointer, const char *format, ...) {
  assert(list != NULL && pointer != NULL && format != NULL);
  if (!grow(list)) {
    list->dropped++;
    return status;
  }
  mbs_error *item = &list->items[list->count++];
  *item = (mbs_error){.status = status, .time = NAN};
  size_t pointer_length = (size_t)snprintf(item->pointer, sizeof item->pointer, "%s", pointer);
  va_list arguments;
  va_start(arguments, format);
  size_t length = (size_t)mbs_message_of(item->message, sizeof item->message, format, arguments);
  va_end(arguments);
  trim_cut_sequence(item->pointer);
  trim_cut_sequence(item->message);
  if (is_repeated(list, pointer_length >= sizeof item->pointer || length >= sizeof item->message)) list->count--;
  return status;
}

enum { LONGEST_WORD = 63 };

static size_t smallest(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the number of insertions, deletions, substitutions and swaps of adjacent characters that turn `a` into `b`
 * (optimal string alignment distance). Both have at most LONGEST_WORD bytes. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  assert(a_length <= LONGEST_WORD && b_length <= LONGEST_WORD);
  size_t rows[3][LONGEST_WORD + 1];
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_length; j++) {
    above[j] = j;
    before[j] = 0;
  }
  for (size_t i = 1; i <= a_length; i++) {
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      row[j] = smallest(smallest(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = smallest(row[j], before[j - 2] + 1);
      }
    }
    size_t *oldest = before;
    before = above;
    above = row;
    row = oldest;
  }
  return above[b_length];
}

const char *mbs_nearest(const char *word, const char *const *candidates, size_t count) {
  size_t length = strlen(word);
  size_t allowed = length == 2 ? 1 : length / 3;
  if (length > LONGEST_WORD) {
    return NULL;
  }
  for (size_t k = 0; k < count; k++) { /* a difference only in case counts as near, however short the word */
    if (strcasecmp(word, candidates[k]) == 0) {
      return candidates[k];
    }
  }
  const char *nearest = NULL;
  size_t least = allowed + 1;
  for (size_t k = 0; k < count; k++) {
    size_t other = strlen(candidates[k]);
    size_t apart = other > length ? other - length : length - other;
    if (other > LONGEST_WORD || apart >= least) {
      continue;
    }
    size_t distance = edit_distance(word, length, candidates[k], other);
    if (distance < least) {
      least = distance;
      nearest = candidates[k];
    }
  }
  return nearest;
}
