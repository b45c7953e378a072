#include "model/parts.h"

#include <assert.h>
#include <string.h>

bool mbs_parts_open(mbs_parts *parts, mbs_arena *arena, size_t items, size_t count) {
  *parts = (mbs_parts){.count = 1,
                       .of = mbs_arena_alloc(arena, items + 1, sizeof *parts->of),
                       .first = mbs_arena_alloc(arena, count + 2, sizeof *parts->first),
                       .members = mbs_arena_alloc(arena, items + 1, sizeof *parts->members)};
  if (!parts->of || !parts->first || !parts->members) return false;
  mbs_parts_list(parts, items);
  return true;
}

void mbs_parts_list(mbs_parts *parts, size_t items) {
  int *next = parts->first + 1; /* next[p]: the place of the next member of part p */
  memset(parts->first, 0, (parts->count + 2) * sizeof *parts->first);
  for (size_t i = 0; i < items; i++) {
    assert(parts->of[i] >= 0 && (size_t)parts->of[i] < parts->count);
    parts->first[parts->of[i] + 2]++;
  }
  for (size_t p = 0; p < parts->count; p++) parts->first[p + 2] += parts->first[p + 1];
  for (size_t i = 0; i < items; i++) parts->members[next[parts->of[i]]++] = (int)i;
}

size_t mbs_parts_largest(const mbs_parts *parts) {
  size_t largest = 0;
  for (size_t p = 0; p < parts->count; p++) {
    const size_t size = (size_t)(parts->first[p + 1] - parts->first[p]);
    if (size > largest) largest = size;
  }
  return largest;
}
