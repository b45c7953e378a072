/* suballocate.h - splits a workspace into consecutive parts. */
#ifndef MBS_SUBALLOCATE_H
#define MBS_SUBALLOCATE_H

#include <stddef.h>

/* Returns the next n numbers of the remaining workspace. */
static inline double *mbs_suballocate(double **rest, size_t n) {
  double *part = *rest;
  *rest += n;
  return part;
}

#endif
