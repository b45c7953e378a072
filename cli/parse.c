/* parse.c - see parse.h. A document is many thousands of small values, and so is its report. On pages of 4 KB, which
 * the system adds one after another as they are touched, they cost more than the work on them. */
#include "parse.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <malloc.h>
#include <sys/mman.h>
#endif

/* Sanitizers have a heap of their own. */
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && !defined(MBS_SANITIZED)

enum {
  LARGE_TEXT = 1 << 18, /* bytes of a text from which on it is large */
  PER_BYTE = 40,        /* bytes for each of its bytes, for its values, which take 16 of most, and for its report */
  LARGEST = 1 << 26,    /* bytes of the largest text that there is room for; what is more lies where it would anyway */
  OWN_PAGES = 1 << 20,  /* bytes of a block from which on it does not come from the heap */
  LARGE_PAGE = 2 << 20
};

/* Makes the heap larger, at once, of large pages, which cost nothing until they are touched. */
static void grow_heap(size_t size) {
  mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, (int)size);
  char *last = malloc(OWN_PAGES / 2); /* behind which the heap grows */
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
  if (parsed && large) json_incref(document->root); /* so that nothing looks for all values in order to free them */
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
