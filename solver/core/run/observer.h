/* observer.h - observers read a motion itself, at any time, instead of rows at its reporting times. */
#ifndef MBS_OBSERVER_H
#define MBS_OBSERVER_H

#include "equations/system.h"

enum { MBS_PIECE_AHEAD = 8 };

/* The inputs that an observer reads first in each piece whose inside it needs: model inputs, by their numbers, at
 * ascending places between -1, the start of the piece, and 1, its end. */
typedef struct mbs_first_reads {
  size_t places, inputs; /* inputs 0: not specified */
  const double *place;   /* [places] */
  const int *input;      /* [inputs] */
} mbs_first_reads;

/* Returns the time of place x of [a, b]. */
static inline double mbs_time_of_place(double a, double b, double x) {
  return x <= -1 ? a : x >= 1 ? b : 0.5 * (a * (1 - x) + b * (1 + x));
}

/* A derivative computed by a difference, and its possible error by truncation and rounding. */
typedef struct mbs_slope {
  double value, doubt;
} mbs_slope;

/* A piece of a motion, between two steps of its integrator, or of its path. No law changes its branch inside. The state
 * at its start is the one after the events there, and the state at its end the one before. */
typedef struct mbs_piece {
  const mbs_system *system;
  double t, t1;
  void *context;
  /* Sets the system to the state at a time in [t, t1], in any order, with all quantities that sensors read. */
  mbs_status (*set_state)(void *context, double t);
  /* the readings at t equal those at the end of the previous piece */
  bool continues;
  /* the motion has ended here before its time, by `stop_when`: the piece has length 0 and the state after the events */
  bool last;
  /* [places][inputs] the readings of mbs_first_reads, if they are known already. The first place is not set in a piece
   * that continues. NULL: not known. */
  const double *first;
  /* Announces the next times for which the system will be set, at most `ahead_most`. Some motions then compute their
   * states in one batch. Has no other effect. */
  size_t ahead_most; /* largest number of times, at most MBS_PIECE_AHEAD; 0: states are computed one by one */
  void (*ahead)(void *context, size_t count, const double *times);
  /* Set if the observer's extension has tangents. `slope` computes how fast an expression at t changes with parameter
   * `tangent` (-1: none), while the instant moves with `rate`, and with the branches in `mode` [switches of the
   * expression], or (NULL) with those of the state. `bend` computes how fast its rate in time changes with the
   * parameter, or (-1) with time. Values below `nothing` are rounding. */
  mbs_status (*slope)(void *context, double t, const mbs_law *law, const double *mode, int tangent, double rate,
                      double nothing, mbs_slope *out);
  mbs_status (*bend)(void *context, double t, const mbs_law *law, int tangent, double *out);
  /* Returns the tangents at t, each (ds_q, ds_v, ...), at intervals of `stride` numbers. Valid until the next call. */
  const double *(*tangents)(void *context, double t, size_t *stride);
} mbs_piece;

struct mbs_linearization;
struct mbs_state_extension;
struct mbs_state_finder;

/* An observer. The analysis of a motion calls `piece` for its pieces in order, which may have length 0; the analysis of
 * a state calls `state` once. */
typedef struct mbs_observer {
  void *user;
  bool velocities; /* velocities are read, too */
  bool forces;     /* accelerations, multipliers, reactions, outputs of force elements and energies are read, too */
  mbs_first_reads first;
  bool waits; /* pieces that end before `next` are not needed */
  double next;
  /* States that are integrated with those of the motion (state_extension.h), and their data; NULL: none. */
  const struct mbs_state_extension *extension;
  const struct mbs_state_finder *finder; /* finds states inside steps (state_finder.h); NULL: one by one */
  void *extended;
  /* Returns true if states inside a piece from t to t1 are needed; otherwise only its ends are read. */
  bool (*inside)(void *user, double t, double t1);
  /* A status other than MBS_OK ends the run. */
  mbs_status (*piece)(void *user, const mbs_piece *piece);
  mbs_status (*state)(void *user, const mbs_system *system);
  /* Receives a linearization (linearize.h), in workspace of the run. NULL: not needed. */
  mbs_status (*linear)(void *user, const struct mbs_linearization *linear);
} mbs_observer;

/* Returns true if a piece that ends at t1 is needed. */
static inline bool mbs_observer_wants(const mbs_observer *observer, double t1) {
  return !observer->waits || t1 >= observer->next;
}

#endif
