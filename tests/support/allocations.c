/* See allocations.h: the program's own malloc(), or the hooks of a sanitizer. */
#include "allocations.h"

#include <stdlib.h>

static size_t made;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

#ifdef HAS_SANITIZER
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void count_malloc(const volatile void *place, size_t size) {
  (void)place;
  (void)size;
  made++;
}

static void count_free(const volatile void *place) { (void)place; }

void allocations_start(void) { __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free); }
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *place, size_t size);

void *malloc(size_t size) {
  made++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  made++;
  return __libc_calloc(count, size);
}

void *realloc(void *place, size_t size) {
  made++;
  return __libc_realloc(place, size);
}

void allocations_start(void) {}
#endif

size_t allocations_made(void) { return made; }
