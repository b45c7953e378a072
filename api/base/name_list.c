/* name_list.c - see name_list.h. */
#include "api/base/name_list.h"

#include "mbs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void api_name_list_split(api_name_list *names, const char *list) {
  names->count = 0;
  snprintf(names->text, sizeof names->text, "%s", list ? list : "");
  for (char *name = names->text; *name && names->count < API_NAME_LIST_MAX;) {
    names->items[names->count++] = name;
    name += strcspn(name, "|");
    if (*name) *name++ = '\0';
  }
}

void api_name_list_add(api_name_list *names, const char *name) {
  if (names->count < API_NAME_LIST_MAX) names->items[names->count++] = name;
}

bool api_name_list_has(const api_name_list *names, const char *name) {
  assert(names->count <= API_NAME_LIST_MAX);
  for (size_t i = 0; i < names->count; i++) {
    if (strcmp(names->items[i], name) == 0) return true;
  }
  return false;
}

const char *api_name_hint(const char *const *known, size_t count, const char *name, char *out, size_t size) {
  static const char more[] = ", ...";
  assert(name && size > sizeof more);
  const char *nearest = mbs_nearest(name, known, count);
  if (nearest) {
    snprintf(out, size, "did you mean '%s'?", nearest);
    return out;
  }
  size_t used = (size_t)snprintf(out, size, count ? "available: " : "none are available");
  for (size_t i = 0; i < count; i++) {
    if (used + strlen(known[i]) + 2 + sizeof more > size) {
      snprintf(out + used, size - used, "%s", more);
      break;
    }
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", known[i]);
  }
  return out;
}

const char *api_name_list_hint(const api_name_list *names, const char *name, char *out, size_t size) {
  return api_name_hint(names->items, names->count, name, out, size);
}
