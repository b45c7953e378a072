/* unique_names.c - see unique_names.h. */
#include "api/formats/unique_names.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns `name`, which it owns, with a number if it is already used; shortens the longest names for that. `taken` has
 * all names so far, with the next number to try for each. Returns NULL if memory runs out. */
static char *free_name(const api_name_rule *rule, json_t *taken, char *name) {
  json_t *last = name ? json_object_get(taken, name) : NULL;
  if (!last) return name;
  char numbered[API_NAME_LONGEST + 32], number[24];
  do {
    json_integer_set(last, json_integer_value(last) + 1);
    size_t digits = (size_t)snprintf(number, sizeof number, "_%lld", (long long)json_integer_value(last));
    char *stem = rule->make(name, rule->longest - digits);
    if (stem) snprintf(numbered, sizeof numbered, "%s%s", stem, number);
    free(stem);
    if (!stem) return free(name), NULL;
  } while (json_object_get(taken, numbered));
  free(name);
  return strdup(numbered);
}

static bool take(json_t *taken, const char *name) {
  return name && json_object_set_new_nocheck(taken, name, json_integer(1)) == 0;
}

char **api_unique_names(const api_name_rule *rule, const char *const *names, size_t count) {
  char **unique = calloc(count + 1, sizeof *unique);
  json_t *taken = json_object();
  bool good = unique && taken && (!rule->reserved || take(taken, rule->reserved));
  /* Names that obey the rule are assigned first, so that no other array gets them. */
  for (size_t i = 0; good && i < count; i++) {
    unique[i] = rule->make(names[i], rule->longest);
    good = unique[i] != NULL;
    if (good && strcmp(unique[i], names[i]) == 0 && !json_object_get(taken, names[i])) good = take(taken, names[i]);
  }
  for (size_t i = 0; good && i < count; i++) {
    bool reserved = rule->reserved && strcmp(names[i], rule->reserved) == 0;
    if (strcmp(unique[i], names[i]) == 0 && !reserved) continue;
    unique[i] = free_name(rule, taken, unique[i]);
    good = take(taken, unique[i]);
  }
  json_decref(taken);
  if (good) return unique;
  api_unique_names_free(unique, count);
  return NULL;
}

void api_unique_names_free(char **unique, size_t count) {
  for (size_t i = 0; unique && i < count; i++) free(unique[i]);
  free(unique);
}
