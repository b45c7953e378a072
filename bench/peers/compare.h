/* compare.h - compares another program with ours on one mechanism: first that the results agree, then the times,
 * alternating in one thread of one process. C and C++. */
#ifndef PEERS_COMPARE_H
#define PEERS_COMPARE_H

#include "mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The other program with its own copy of a mechanism. */
typedef struct peers_peer {
  void *self;
  /* Computes its accelerations at a state. */
  void (*evaluate)(void *self, size_t state);
  /* Returns the largest difference of its accelerations from ours, divided by max(1, our largest). */
  double (*difference)(void *self, size_t state);
  /* Runs from state 0 to t_end with the accuracy `setting`. Returns and fills the same as
   * peers_mechanism_simulate(). */
  double (*simulate)(void *self, double setting, double *centres);
} peers_peer;

/* A document of tests/support/models.h. */
typedef struct peers_subject {
  const char *name;
  char *(*document)(void);
  double t_end; /* end of the motion along which states are taken [s] */
} peers_subject;

/* Mechanisms for the comparison of accelerations, and those for runs to t_end. */
extern const peers_subject peers_evaluated[], peers_simulated[];
extern const size_t peers_evaluated_count, peers_simulated_count;

void peers_print_head(const char *peer);
/* Prints a line of the table. Ends the program if the two differ by more than `allowed`. */
void peers_compare(const peers_mechanism *mechanism, const char *remark, const peers_peer *peer, double allowed);

void peers_print_simulations_head(void);
/* Finds our cheapest run, and that of the peer, whose final mass centres are within 1e-6 m of those of our most
 * accurate run, of `count` settings from the coarsest to the finest; uses the best one if none is. */
void peers_race(const peers_mechanism *mechanism, const char *peer_name, const peers_peer *peer, const double *settings,
                size_t count);

#ifdef __cplusplus
}
#endif

#endif
