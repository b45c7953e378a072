/* parse.c - see parse.h. A document, like its report, has many thousands of small values. On pages of 4 KB, which the
 * system adds one by one when they are first used, allocation would cost more than the work on the values. */
#include "parse.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <malloc.h>
#include <sys/mman.h>
#endif

/* Sanitizers have their own heap. */
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && !defined(MBS_SANITIZED)

enum {
  LARGE_TEXT = 1 << 18, /* size from which a text counts as large [bytes] */
  PER_BYTE = 40,        /* reserved bytes for each byte of text: its values, mostly 16, and its report */
  LARGEST =
      1 << 26, /* size of the largest text for which memory is reserved [bytes]; larger ones use the normal heap */
  OWN_PAGES = 1 << 20, /* size from which a block is not taken from the heap [bytes] */
  LARGE_PAGE = 2 << 20
};

/* Enlarges the heap in one step, with large pages, which cost nothing until they are used. */
static void grow_heap(size_t size) {
  mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, (int)size);
  char *last = malloc(OWN_PAGES / 2); /* the heap grows behind it */
  mallopt(M_TOP_PAD, LARGE_PAGE);
  if (!last) return;
  const size_t before = -(uintptr_t)last & (LARGE_PAGE - 1);
  (void)madvise(last + before, size - LARGE_PAGE, MADV_HUGEPAGE);
  free(last);
}

static bool some_are_large;

bool cli_parse(const char *text, size_t size, api_document *document, api_syntax_error *error) {
  const bool large = size >= LARGE_TEXT;
  if (large && !some_are_large) grow_heap(PER_BYTE * (size < LARGEST ? size : LARGEST));
  some_are_large = some_are_large || large;
  const bool parsed = api_document_parse(text, size, document, error);
  if (parsed && large)
    json_incref(document->root); /* keeps a reference, so that the values are never traversed and freed */
  return parsed;
}

void cli_release(json_t *value) {
  if (!some_are_large) json_decref(value);
}

#else

bool cli_parse(const char *text, size_t size, api_document *document, api_syntax_error *error) {
  return api_document_parse(text, size, document, error);
}

void cli_release(json_t *value) { json_decref(value); }

#endif
