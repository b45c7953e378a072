/* methods.c - the step methods by their names. */
#include "integrators/integrator.h"

#include <string.h>

const mbs_method *mbs_method_named(const char *name) {
  static const mbs_method *const methods[] = {&mbs_dopri5, &mbs_dop853, &mbs_rk4, &mbs_bdf};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i]->name, name) == 0) return methods[i];
  return &mbs_dopri5;
}
