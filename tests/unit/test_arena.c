#include "mbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void blocks_are_zero_aligned_and_apart(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(0);
  unsigned char *blocks[200];
  for (size_t i = 0; i < 200; i++) {
    size_t size = i * i + 1;
    blocks[i] = mbs_arena_alloc(arena, size, 1);
    assert_non_null(blocks[i]);
    assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
    assert_int_equal((uintptr_t)blocks[i] % (size >= 64 ? 64 : 1), 0);
    for (size_t k = 0; k < size; k++) {
      assert_int_equal(blocks[i][k], 0);
    }
    memset(blocks[i], (int)i, size);
  }
  for (size_t i = 0; i < 200; i++) {
    assert_int_equal(blocks[i][0], i);
    assert_int_equal(blocks[i][i * i], i);
  }
  mbs_arena_free(arena);
}

static void empty_blocks_are_not_null(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(0);
  assert_non_null(mbs_arena_alloc(arena, 0, 8));
  assert_non_null(mbs_arena_alloc(arena, 8, 0));
  mbs_arena_free(arena);
  mbs_arena_free(NULL);
}

static void large_blocks_leave_the_small_chunk_in_use(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(4096 + 100000 + 200);
  assert_non_null(mbs_arena_alloc(arena, 1, 8));
  assert_non_null(mbs_arena_alloc(arena, 100000, 1));
  for (int i = 0; i < 200; i++) {
    assert_non_null(mbs_arena_alloc(arena, 1, 16));
  }
  mbs_arena_free(arena);
}

/* Allocates enough blocks that chunks grow to their largest size, and a large block with its own chunk. */
static void many_blocks_are_zero_and_apart(void **state) {
  (void)state;
  enum { COUNT = 30000, SIZE = 200, LARGE = 3 << 20 };
  unsigned char **blocks = calloc(COUNT, sizeof *blocks);
  mbs_arena *arena = mbs_arena_new((size_t)COUNT * SIZE + (8 << 20));
  for (int i = 0; i < COUNT; i++) {
    blocks[i] = mbs_arena_alloc(arena, 1, SIZE);
    assert_non_null(blocks[i]);
    assert_int_equal((uintptr_t)blocks[i] % 64, 0);
    for (int k = 0; k < SIZE; k += 8) assert_int_equal(blocks[i][k], 0);
    memset(blocks[i], i % 251, SIZE);
  }
  unsigned char *large = mbs_arena_alloc(arena, LARGE, 1);
  assert_non_null(large);
  for (int k = 0; k < LARGE; k += 512) assert_int_equal(large[k], 0);
  memset(large, 255, LARGE);
  for (int i = 0; i < COUNT; i++) assert_true(blocks[i][0] == i % 251 && blocks[i][SIZE - 1] == i % 251);
  assert_null(mbs_arena_alloc(arena, 8 << 20, 1));
  mbs_arena_clear(arena);
  large = mbs_arena_alloc(arena, (size_t)COUNT * SIZE, 1);
  for (int k = 0; k < COUNT * SIZE; k += 512) assert_int_equal(large[k], 0);
  mbs_arena_free(arena);
  free(blocks);
}

/* Texts are adjacent in memory; blocks allocated after them are still aligned. */
static void texts_follow_one_another(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(0);
  char *one = mbs_arena_text(arena, "one"), *two = mbs_arena_characters(arena, 2),
       *six = mbs_arena_format(arena, "%d", 6);
  double *number = mbs_arena_alloc(arena, 1, sizeof *number);
  assert_ptr_equal(two, one + 4);
  assert_ptr_equal(six, two + 3);
  assert_true(two[0] == '\0' && two[2] == '\0');
  assert_int_equal((uintptr_t)number % _Alignof(max_align_t), 0);
  assert_null(mbs_arena_characters(arena, SIZE_MAX));
  mbs_arena_free(arena);
}

static void limit_holds(void **state) {
  (void)state;
  const size_t limit = 100000;
  mbs_arena *arena = mbs_arena_new(limit);
  size_t used = 0;
  while (mbs_arena_alloc(arena, 10, 16) != NULL) {
    used += 160;
  }
  assert_true(used <= limit && used > limit / 2);
  assert_null(mbs_arena_alloc(arena, limit, 1));
  mbs_arena_free(arena);

  arena = mbs_arena_new(1000);
  assert_null(mbs_arena_alloc(arena, 1001, 1));
  assert_non_null(mbs_arena_alloc(arena, 500, 1));
  mbs_arena_free(arena);
}

static void overflow_is_refused(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(1 << 30);
  assert_null(mbs_arena_alloc(arena, SIZE_MAX / 2, 3));
  assert_null(mbs_arena_alloc(arena, SIZE_MAX, 1));
  assert_null(mbs_arena_alloc(arena, SIZE_MAX - 100, 1));
  mbs_arena_free(arena);
}

static void texts_are_copied_and_formatted(void **state) {
  (void)state;
  mbs_arena *arena = mbs_arena_new(0);
  char source[] = "crank";
  char *copy = mbs_arena_text(arena, source);
  source[0] = 'X';
  assert_string_equal(copy, "crank");
  assert_string_equal(mbs_arena_format(arena, "%s.%c%d", copy, 'q', 12), "crank.q12");
  assert_string_equal(mbs_arena_format(arena, "%s", ""), "");
  char longer[300] = "";
  for (size_t length = 1; length < sizeof longer; length++) {
    memset(longer, 'x', length);
    assert_string_equal(mbs_arena_format(arena, "%s", longer), longer);
  }
  mbs_arena_free(arena);

  arena = mbs_arena_new(16);
  assert_null(mbs_arena_text(arena, "more than the limit allows"));
  assert_null(mbs_arena_format(arena, "%s", "more than the limit allows"));
  mbs_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_zero_aligned_and_apart),
      cmocka_unit_test(empty_blocks_are_not_null),
      cmocka_unit_test(large_blocks_leave_the_small_chunk_in_use),
      cmocka_unit_test(many_blocks_are_zero_and_apart),
      cmocka_unit_test(texts_follow_one_another),
      cmocka_unit_test(limit_holds),
      cmocka_unit_test(overflow_is_refused),
      cmocka_unit_test(texts_are_copied_and_formatted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
