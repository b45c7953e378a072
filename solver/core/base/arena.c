/* arena.c - memory that is allocated in small blocks and freed all at once.
 *
 * Chunks come from calloc, so their contents are zero and large chunks cost nothing until they are used. Chunks for
 * many small blocks are large pages, requested as a whole, because page faults one after another cost more than the
 * writes themselves. The limit counts whole chunks, so it bounds the memory that the process really requests. */
#include "mbs/arena.h"
#include "base/arena_image.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
/* Sanitizers search for pointers only in memory that they allocated themselves. */
#if defined(MADV_HUGEPAGE) && defined(MADV_POPULATE_WRITE) && !defined(MBS_SANITIZED)
#define LARGE_PAGES 1
#else
#define LARGE_PAGES 0
#endif

enum { SMALLEST_CHUNK = 4096, LARGE_PAGE = 2 << 20, LARGEST_CHUNK = LARGE_PAGE, LINE = 64, LIKELY_TEXT = 128 };

typedef struct chunk {
  struct chunk *next;
  size_t size;  /* offset of its end */
  size_t used;  /* offset of the first free byte */
  size_t first; /* offset of the first byte after the header */
  bool mapped;  /* the chunk is a large page */
} chunk;

struct mbs_arena {
  chunk *chunks; /* small blocks are taken from the first one */
  size_t limit;
  size_t reserved;   /* bytes in all chunks */
  size_t next_chunk; /* size of the next chunk; doubles up to LARGEST_CHUNK */
};

mbs_arena *mbs_arena_new(size_t limit) {
  mbs_arena *arena = calloc(1, sizeof *arena);
  if (arena != NULL) {
    arena->limit = limit == 0 ? SIZE_MAX : limit;
    arena->next_chunk = SMALLEST_CHUNK;
  }
  return arena;
}

/* Returns a zeroed large page, or NULL if none is available. */
static chunk *page_new(void) {
#if LARGE_PAGES
  const size_t page = LARGE_PAGE;
  char *start = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  /* release the parts before and after it */
  const size_t before = (size_t)(-(uintptr_t)start & (page - 1));
  if (before > 0) munmap(start, before);
  munmap(start + before + page, page - before);
  (void)madvise(start + before, page, MADV_HUGEPAGE);
  (void)madvise(start + before, page, MADV_POPULATE_WRITE);
  chunk *fresh = (chunk *)(void *)(start + before);
  fresh->mapped = true;
  return fresh;
#else
  return NULL;
#endif
}

static void chunk_free(chunk *each) {
#if LARGE_PAGES
  if (each->mapped) {
    munmap(each, LARGE_PAGE);
    return;
  }
#endif
  free(each);
}

static void free_chunks(mbs_arena *arena) {
  while (arena->chunks != NULL) {
    chunk *next = arena->chunks->next;
    chunk_free(arena->chunks);
    arena->chunks = next;
  }
}

void mbs_arena_free(mbs_arena *arena) {
  if (arena == NULL) {
    return;
  }
  free_chunks(arena);
  free(arena);
}

/* Blocks of at least one cache line are aligned to one, which aligns vectors of doubles. */
static size_t block_alignment(size_t bytes) { return bytes >= LINE ? LINE : _Alignof(max_align_t); }

/* Takes a block from a chunk; returns NULL if it does not fit. */
static void *chunk_take(chunk *from, size_t bytes, size_t align) {
  assert(from->used <= from->size);
  assert(align > 0 && (align & (align - 1)) == 0);
  uintptr_t base = (uintptr_t)from;
  size_t start = (size_t)(((base + from->used + align - 1) & ~(uintptr_t)(align - 1)) - base);
  if (start > from->size || bytes > from->size - start) {
    return NULL;
  }
  from->used = start + bytes;
  assert(from->used <= from->size);
  return (char *)from + start;
}

/* Requests large pages for a big block; each is allocated when it is first used. */
static void ask_for_large_pages(chunk *fresh, size_t size) {
#if defined(MADV_HUGEPAGE)
  const uintptr_t page = LARGE_PAGE, base = (uintptr_t)fresh, first = (base + page - 1) & ~(page - 1);
  if (size >= 2 * page)
    (void)madvise((char *)fresh + (first - base), (base + size - first) & ~(page - 1), MADV_HUGEPAGE);
#else
  (void)fresh, (void)size;
#endif
}

/* Adds a chunk with room for `bytes`; returns NULL if the limit would be exceeded. */
static chunk *chunk_add(mbs_arena *arena, size_t bytes) {
  assert(arena->reserved <= arena->limit);
  const size_t head = sizeof(chunk) + LINE; /* the maximum that alignment can need */
  size_t left = arena->limit - arena->reserved;
  if (bytes > SIZE_MAX - head || bytes + head > left) {
    return NULL;
  }
  size_t size = arena->next_chunk < left ? arena->next_chunk : left;
  bool own = bytes + head > size; /* a block larger than the usual chunk gets its own */
  size = own ? bytes + head : size;
  chunk *fresh = !own && size == LARGE_PAGE ? page_new() : NULL;
  if (fresh == NULL) fresh = calloc(1, size);
  if (fresh == NULL) {
    return NULL;
  }
  ask_for_large_pages(fresh, size);
  /* Starts at the first cache line after the header, so that the capacity does not depend on the address from
   * calloc(). */
  uintptr_t base = (uintptr_t)fresh;
  fresh->first = fresh->used = (size_t)(((base + sizeof(chunk) + LINE - 1) & ~(uintptr_t)(LINE - 1)) - base);
  fresh->size = fresh->used + size - head;
  assert(bytes <= fresh->size - fresh->used);
  arena->reserved += size;
  assert(arena->reserved <= arena->limit);
  if (own && arena->chunks != NULL) {
    fresh->next = arena->chunks->next; /* the first chunk remains the one with free space */
    arena->chunks->next = fresh;
  } else {
    fresh->next = arena->chunks;
    arena->chunks = fresh;
    arena->next_chunk = arena->next_chunk < LARGEST_CHUNK ? 2 * arena->next_chunk : LARGEST_CHUNK;
  }
  return fresh;
}

/* Keeps one chunk as large as all of them together, so that the next blocks come from this one alone. */
void mbs_arena_clear(mbs_arena *arena) {
  chunk *only = arena->chunks;
  if (only != NULL && only->next == NULL) {
    memset((char *)only + only->first, 0, only->used - only->first);
    only->used = only->first;
    return;
  }
  size_t all = arena->reserved;
  free_chunks(arena);
  arena->reserved = 0;
  if (all > 0) chunk_add(arena, all - sizeof(chunk) - LINE);
}

static void *take(mbs_arena *arena, size_t bytes, size_t align) {
  void *block = arena->chunks == NULL ? NULL : chunk_take(arena->chunks, bytes, align);
  if (block == NULL) {
    chunk *fresh = chunk_add(arena, bytes);
    block = fresh == NULL ? NULL : chunk_take(fresh, bytes, align);
  }
  return block;
}

void *mbs_arena_alloc(mbs_arena *arena, size_t count, size_t size) {
  assert(arena != NULL);
  if (size != 0 && count > SIZE_MAX / size) {
    return NULL;
  }
  size_t bytes = count * size;
  bytes = bytes == 0 ? 1 : bytes; /* NULL must always mean failure */
  return take(arena, bytes, block_alignment(bytes));
}

char *mbs_arena_characters(mbs_arena *arena, size_t length) {
  return length == SIZE_MAX ? NULL : take(arena, length + 1, 1);
}

char *mbs_arena_text(mbs_arena *arena, const char *text) {
  assert(text != NULL);
  size_t bytes = strlen(text) + 1;
  char *copy = take(arena, bytes, 1);
  return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

char *mbs_arena_format(mbs_arena *arena, const char *format, ...) {
  char start[LIKELY_TEXT]; /* holds most texts completely, so that they are formatted only once */
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(start, sizeof start, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : mbs_arena_characters(arena, (size_t)length);
  if (text != NULL && (size_t)length < sizeof start) {
    memcpy(text, start, (size_t)length + 1);
  } else if (text != NULL) {
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
  }
  return text;
}

size_t mbs_arena_used(const mbs_arena *arena) {
  size_t used = 0;
  for (const chunk *each = arena->chunks; each != NULL; each = each->next) {
    assert(each->used >= each->first && each->used <= each->size);
    used += each->used - sizeof *each;
  }
  return used;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

struct mbs_arena_image {
  mbs_arena arena;
  char *content; /* the used parts of the chunks, headers included, one after another */
};

mbs_arena_image *mbs_arena_image_new(const mbs_arena *arena) {
  size_t size = 0;
  for (const chunk *each = arena->chunks; each != NULL; each = each->next) size += each->used;
  mbs_arena_image *image = calloc(1, sizeof *image);
  if (image != NULL) image->content = malloc(size + 1);
  if (image == NULL || image->content == NULL) {
    mbs_arena_image_free(image);
    return NULL;
  }
  image->arena = *arena;
  char *to = image->content;
  for (const chunk *each = arena->chunks; each != NULL; to += each->used, each = each->next)
    memcpy(to, each, each->used);
  return image;
}

/* Returns true if the image contains a chunk. */
static bool image_has(const mbs_arena_image *image, const chunk *wanted) {
  const char *from = image->content;
  for (const chunk *each = image->arena.chunks; each != NULL;) {
    if (each == wanted) return true;
    chunk header;
    memcpy(&header, from, sizeof header);
    from += header.used;
    each = header.next;
  }
  return false;
}

void mbs_arena_image_restore(const mbs_arena_image *image, mbs_arena *arena) {
  for (chunk *each = arena->reserved > image->arena.reserved ? arena->chunks : NULL, *next; each != NULL; each = next) {
    next = each->next;
    if (!image_has(image, each)) chunk_free(each);
  }
  *arena = image->arena;
  const char *from = image->content;
  for (chunk *each = arena->chunks; each != NULL; from += each->used, each = each->next) {
    size_t used;
    memcpy(&used, from + offsetof(chunk, used), sizeof used);
    if (each->used > used) memset((char *)each + used, 0, each->used - used); /* free memory is zero */
    memcpy(each, from, used);
  }
}

void mbs_arena_image_free(mbs_arena_image *image) {
  if (image == NULL) return;
  free(image->content);
  free(image);
}
