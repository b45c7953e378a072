/* Names and their numbers, in a balanced tree: no choice of names makes a search longer than the logarithm of their
 * count. */
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

/* An entry of the tree of names. */
typedef struct name_entry {
  const char *name;
  int number;
} name_entry;

static int by_name(const void *a, const void *b) {
  return strcmp(((const name_entry *)a)->name, ((const name_entry *)b)->name);
}

void mbs_names_add(mbs_builder *builder, mbs_names *names, const char *name, const char *kind, const char *pointer) {
  if (mbs_names_find(names, name) >= 0)
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "there is already %s %s named '%s'",
                 strchr("aeiou", *kind) ? "an" : "a", kind, name);
  const char **slot = mbs_builder_grow(builder, (void **)&names->names, &names->count, &names->capacity, sizeof *slot);
  name_entry *entry = mbs_builder_alloc(builder, 1, sizeof *entry);
  if (!slot || !entry) return;
  *slot = name;
  *entry = (name_entry){name, (int)names->count - 1};
  if (!tsearch(entry, &names->tree, by_name)) builder->failed = true;
}

int mbs_names_find(const mbs_names *names, const char *name) {
  const name_entry asked = {.name = name};
  name_entry *const *found = tfind(&asked, &names->tree, by_name);
  return found ? (*found)->number : -1;
}

/* The entries belong to the arena. */
static void keep_entry(void *entry) { (void)entry; }

void mbs_names_free(mbs_names *names) {
  if (names->tree) tdestroy(names->tree, keep_entry);
  names->tree = NULL;
}

bool mbs_too_many_errors(const mbs_builder *builder) { return builder->list->count >= MBS_SUGGESTIONS_MAX; }

bool mbs_is_lost(const mbs_builder *builder, const char *name, size_t length) {
  /* Each of these elements has an error: there are few until the list is full, and further errors are only counted. */
  if (builder->list->count >= MBS_DIAGNOSTICS_MAX) return false;
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
