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
  PER_BYTE = 20,        /* bytes for each of its bytes, for its values, which take 12 of most, and for its report */
  LARGEST = 1 << 26,    /* bytes of the largest text that there is room for; what is more lies where it would anyway */
  OWN_PAGES = 1 << 20,  /* bytes of a block from which on it does not come from the heap */
  LARGE_PAGE = 2 << 20
};

/* ---- the heap, for the report ---------------------------------------------------------------------------------- */

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

/* ---- the values of the first large document, one behind another ------------------------------------------------- */

static struct {
  char *start; /* NULL: there is none */
  size_t size, used;
  bool open; /* new values come from here */
} values;

/* What values are made of are pointers, sizes and doubles. */
static void *take(size_t bytes) {
  const size_t whole = (bytes + sizeof(double) - 1) & ~(sizeof(double) - 1);
  if (!values.open || whole > values.size - values.used) return malloc(bytes);
  void *block = values.start + values.used;
  values.used += whole;
  return block;
}

static void give_back(void *block) {
  if ((uintptr_t)block - (uintptr_t)values.start >= values.size) free(block);
}

static void open_values(size_t size) {
  char *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return;
  (void)madvise(start, size, MADV_HUGEPAGE);
  values.start = start;
  values.size = size;
  values.used = -(uintptr_t)start & (LARGE_PAGE - 1);
  values.open = true;
  json_set_alloc_funcs(take, give_back);
}

/* ---------------------------------------------------------------------------------------------------------------- */

static bool some_are_large;

bool cli_parse(const char *text, size_t size, api_document *document, api_syntax_error *error) {
  const bool large = size >= LARGE_TEXT;
  if (large && !some_are_large) {
    const size_t room = PER_BYTE * (size < LARGEST ? size : LARGEST);
    grow_heap(room);
    open_values(LARGE_PAGE + room);
  }
  some_are_large = some_are_large || large;
  const bool parsed = api_document_parse(text, size, document, error);
  values.open = false;
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
