/* suballocate.h - parts of a workspace, one after another. */
#ifndef MBS_SUBALLOCATE_H
#define MBS_SUBALLOCATE_H

#include <stddef.h>

/* The next n numbers of what is left of a workspace. */
static inline double *mbs_suballocate(double **rest, size_t n) {
  double *part = *rest;
  *rest += n;
  return part;
}

#endif
