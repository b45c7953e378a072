/* probe.h - constraints of a model at any state, and their derivatives by differences. */
#ifndef TESTS_PROPERTY_PROBE_H
#define TESTS_PROPERTY_PROBE_H

#include <stdint.h>

#include "kernels/kernels.h"

typedef struct probe {
  mbs_arena *arena;
  const mbs_model *model;
  mbs_system *system;
  double t, *q, *v; /* the state [nq, nv] */
  double *along;    /* direction of the differences [nv] */
  double *moved;
  double *z, *zdot; /* [nz] states and their rates, by which they move in time */
} probe;

probe probe_open(const mbs_model *model);
void probe_close(probe *p);

/* Chooses a random state, with coordinates up to `spread` beside the initial ones. */
void probe_randomize(probe *p, double spread, uint64_t *seed);

/* Evaluates the constraints at the state moved by h along `along`, and in time by h dt. */
void probe_at(probe *p, double h, double dt);
/* Computes a fourth-order difference of Phi, or with `rate` of C v - rhsV, along `along` and dt [rows]. */
void probe_difference(probe *p, double h, double dt, bool rate, double *out);

/* Compares values [rows] of what ("C", "rhsV" or "rhsA") with `sign` times a difference (see probe_difference). */
typedef void probe_compare(probe *p, const char *what, const double *values, double dt, bool rate, double sign,
                           void *user);
/* Has each column of C, rhsV and rhsA compared at the state. */
void probe_check(probe *p, probe_compare *compare, void *user);

#endif
