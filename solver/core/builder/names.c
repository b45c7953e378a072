/* Names and their numbers, in glibc's hash table. */
#include "builder/builder.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *mbs_builder_alloc(mbs_builder *builder, size_t count, size_t size) {
  void *memory = mbs_arena_alloc(builder->arena, count ? count : 1, size);
  if (!memory) builder->failed = true;
  return memory;
}

void *mbs_builder_grow(mbs_builder *builder, void **items, size_t *count, size_t *capacity, size_t size) {
  if (*count == *capacity) {
    size_t more = *capacity ? 2 * *capacity : 16;
    void *bigger = mbs_builder_alloc(builder, more, size);
    if (!bigger) return NULL;
    if (*count) memcpy(bigger, *items, *count * size);
    *items = bigger;
    *capacity = more;
  }
  return (char *)*items + (*count)++ * size;
}

bool mbs_builder_ok(const mbs_builder *builder) { return !builder->failed && builder->list->count == 0; }

static bool rehash(mbs_names *names, size_t capacity) {
  struct hsearch_data *table = calloc(1, sizeof *table);
  if (!table || !hcreate_r(2 * capacity, table)) {
    free(table);
    return false;
  }
  for (size_t i = 0; i < names->count; i++) {
    ENTRY entry = {.key = (char *)names->names[i], .data = (void *)(uintptr_t)i}, *slot;
    if (!hsearch_r(entry, ENTER, &slot, table)) {
      hdestroy_r(table);
      free(table);
      return false;
    }
  }
  if (names->table) hdestroy_r(names->table);
  free(names->table);
  names->table = table;
  return true;
}

void mbs_names_add(mbs_builder *builder, mbs_names *names, const char *name, const char *kind, const char *pointer) {
  if (mbs_names_find(names, name) >= 0)
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "there is already %s %s named '%s'",
                 strchr("aeiou", *kind) ? "an" : "a", kind, name);
  size_t before = names->capacity;
  const char **slot = mbs_builder_grow(builder, (void **)&names->names, &names->count, &names->capacity, sizeof *slot);
  if (!slot) return;
  *slot = name;
  if (names->capacity != before) {
    if (!rehash(names, names->capacity)) builder->failed = true;
    return;
  }
  ENTRY entry = {.key = (char *)name, .data = (void *)(uintptr_t)(names->count - 1)}, *found;
  if (!hsearch_r(entry, ENTER, &found, names->table)) builder->failed = true;
}

int mbs_names_find(const mbs_names *names, const char *name) {
  ENTRY entry = {.key = (char *)name}, *found;
  if (!names->table || !hsearch_r(entry, FIND, &found, names->table)) return -1;
  return (int)(uintptr_t)found->data;
}

void mbs_names_free(mbs_names *names) {
  if (names->table) hdestroy_r(names->table);
  free(names->table);
  names->table = NULL;
}

/* The search compares with every name, so after this many errors it would take too long. */
bool mbs_too_many_errors(const mbs_builder *builder) { return builder->list->count >= 50; }

bool mbs_is_lost(const mbs_builder *builder, const char *name, size_t length) {
  static const char *const lists[] = {"bodies", "joints", "drivers", "forces", "states", "signals", "sampled"};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    const mbs_value *value = mbs_read_value(builder->document, lists[k]);
    for (size_t i = 0; i < value->lost_count; i++)
      if (strncmp(value->lost[i], name, length) == 0 && !value->lost[i][length]) return true;
  }
  return false;
}

void mbs_unknown_name(mbs_builder *builder, const mbs_names *names, const char *kind, const char *name,
                      const char *pointer) {
  if (mbs_is_lost(builder, name, strcspn(name, "."))) return;
  const char *nearest = mbs_too_many_errors(builder) ? NULL : mbs_nearest(name, names->names, names->count);
  if (nearest)
    mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "no %s '%s'; did you mean '%s'?", kind, name, nearest);
  else
    mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "no %s '%s'", kind, name);
}
