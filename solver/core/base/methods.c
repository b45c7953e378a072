/* methods.c - see methods.h. */
#include "base/methods.h"

#include <stddef.h>
#include <string.h>

typedef struct method_facts {
  const char *name;
  bool fixed_steps, stiff;
} method_facts;

static const method_facts methods[] = {
#define MBS_METHOD(name, steps, stiff, doc) {#name, !MBS_ADAPTIVE_##name, stiff},
#include "base/methods.def"
#undef MBS_METHOD
};
static const size_t method_count = sizeof methods / sizeof *methods;

static const method_facts *find(const char *name) {
  static const method_facts none = {NULL, false, false};
  for (size_t i = 0; i < method_count; i++)
    if (strcmp(methods[i].name, name) == 0) return &methods[i];
  return &none;
}

bool mbs_method_has_fixed_steps(const char *name) { return find(name)->fixed_steps; }

bool mbs_method_is_stiff(const char *name) { return find(name)->stiff; }

const char *mbs_methods_of_fixed_steps(void) {
  static const char list[] = ""
#define MBS_METHOD(name, steps, stiff, doc) MBS_IF_FIXED(steps, ", " #name)
#include "base/methods.def"
#undef MBS_METHOD
      ;
  return list + 2;
}

const char *mbs_stiff_method(void) {
  for (size_t i = 0; i < method_count; i++)
    if (methods[i].stiff) return methods[i].name;
  return MBS_DEFAULT_METHOD;
}
