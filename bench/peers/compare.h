/* compare.h - another program beside ours on one mechanism: that it says the same, then times, in one thread of one
 * process and in turns. C and C++. */
#ifndef PEERS_COMPARE_H
#define PEERS_COMPARE_H

#include "mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The other program, a mechanism in its hands. */
typedef struct peers_peer {
  void *self;
  /* Its accelerations at a state. */
  void (*evaluate)(void *self, size_t state);
  /* Largest difference of these from ours, as a share of max(1, our largest). */
  double (*difference)(void *self, size_t state);
  /* Its run from state 0 to t_end, as accurate as `setting` says: what peers_mechanism_simulate() returns and fills. */
  double (*simulate)(void *self, double setting, double *centres);
} peers_peer;

/* A document of tests/support/models.h. */
typedef struct peers_subject {
  const char *name;
  char *(*document)(void);
  double t_end; /* of the motion that states are taken from [s] */
} peers_subject;

/* The mechanisms whose accelerations are compared, and those whose runs to t_end are. */
extern const peers_subject peers_evaluated[], peers_simulated[];
extern const size_t peers_evaluated_count, peers_simulated_count;

void peers_print_head(const char *peer);
/* A line of the table. Ends the program where the two are further apart than `allowed`. */
void peers_compare(const peers_mechanism *mechanism, const char *remark, const peers_peer *peer, double allowed);

void peers_print_simulations_head(void);
/* The cheapest run of ours, and that of the peer, whose mass centres end 1e-6 m from those of our most accurate run, of
 * `count` settings from the coarsest to the finest; the best one where none does. */
void peers_race(const peers_mechanism *mechanism, const char *peer_name, const peers_peer *peer, const double *settings,
                size_t count);

#ifdef __cplusplus
}
#endif

#endif
