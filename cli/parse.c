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
  HEAP_PER_BYTE = 40,   /* bytes of the heap for each of its bytes: about 13 for its values, and a report of them */
  HEAP_MOST = 1 << 30,  /* bytes of the heap for the largest text; it may grow further by itself */
  PIECE = 16 << 20,     /* bytes that the heap is made larger by at a time; malloc() has no more than 32 MB in it */
  KEPT_BLOCK = 1 << 20, /* bytes of a block that has pages of its own */
  LARGE_PAGE = 2 << 20
};

/* Makes the heap larger, of large pages, which cost nothing until they are touched. */
static void grow_heap(size_t size) {
  void **last = NULL;
  char *end = NULL;
  size_t done = 0;
  mallopt(M_MMAP_THRESHOLD, 2 * PIECE);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  while (done < size) {
    void **piece = malloc(PIECE);
    if (!piece) break;
    end = (char *)piece + PIECE;
    done += PIECE;
    *piece = last;
    last = piece;
  }
  const size_t whole = (uintptr_t)end & ~(uintptr_t)(LARGE_PAGE - 1), inside = done - LARGE_PAGE;
  if (done > 0) (void)madvise((void *)(whole - inside), inside, MADV_HUGEPAGE);
  while (last) {
    void **next = *last;
    free(last);
    last = next;
  }
  mallopt(M_MMAP_THRESHOLD, KEPT_BLOCK);
}

static bool some_are_large;

bool cli_parse(const char *text, size_t size, api_document *document, api_syntax_error *error) {
  const bool large = size >= LARGE_TEXT;
  if (large && !some_are_large) grow_heap(size < HEAP_MOST / HEAP_PER_BYTE ? size * HEAP_PER_BYTE : HEAP_MOST);
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
