/* methods.c - the step methods by their names. */
#include "ode/integrator.h"

#include <string.h>

static const mbs_method *find(const char *name) {
  static const mbs_method *const methods[] = {
#define MBS_METHOD(name, steps, stiff, doc) &mbs_##name,
#include "base/methods.def"
#undef MBS_METHOD
  };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i]->name, name) == 0) return methods[i];
  return NULL;
}

const mbs_method *mbs_method_named(const char *name) {
  const mbs_method *method = find(name);
  return method ? method : find(MBS_DEFAULT_METHOD);
}
