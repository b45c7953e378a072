/* observer.h - who looks at a motion itself rather than at its reporting times. */
#ifndef MBS_OBSERVER_H
#define MBS_OBSERVER_H

#include "equations/system.h"

enum { MBS_PIECE_AHEAD = 8 };

/* What an observer reads first of each piece that it looks into: inputs of the model, by their numbers, at places from
 * -1, where the piece begins, to 1, where it ends, ascending. */
typedef struct mbs_first_reads {
  size_t places, inputs; /* 0 inputs: it does not say */
  const double *place;   /* [places] */
  const int *input;      /* [inputs] */
} mbs_first_reads;

/* The time of place x of [a, b]. */
static inline double mbs_time_of_place(double a, double b, double x) {
  return x <= -1 ? a : x >= 1 ? b : 0.5 * (a * (1 - x) + b * (1 + x));
}

/* A derivative that a difference tells, and how much of it its order and rounding leave in doubt. */
typedef struct mbs_slope {
  double value, doubt;
} mbs_slope;

/* A part of a motion, between two steps of its integrator, or of its path: no law changes its branch inside. At its
 * ends it is what it is before and after the events there. */
typedef struct mbs_piece {
  const mbs_system *system;
  double t, t1;
  void *context;
  /* Leaves the system at a time of [t, t1], in any order, with all that expressions of sensors read there. */
  mbs_status (*stand)(void *context, double t);
  /* What is read at t is what was read at the end of the piece before. */
  bool continues;
  /* [places][inputs] what the observer said that it reads first, where that is known already; of a piece that continues
   * its first place is not told. NULL: nothing is. */
  const double *first;
  /* That the system will be asked to stand at these times next, at most `ahead_most` of them: some motions then find
   * their states together. Changes nothing else. */
  size_t ahead_most; /* at most MBS_PIECE_AHEAD; 0: they are found one by one */
  void (*ahead)(void *context, size_t count, const double *times);
  /* Where the observer's extension has tangents: how fast an expression at t changes where parameter `tangent` does
   * (-1: none) and the instant moves with `rate`; and how fast its rate in time changes, with the parameter, or (-1)
   * with time. What of its values is less than `nothing` is rounding. */
  mbs_status (*slope)(void *context, double t, const mbs_law *law, int tangent, double rate, double nothing,
                      mbs_slope *out);
  mbs_status (*bend)(void *context, double t, const mbs_law *law, int tangent, double *out);
  /* The tangents themselves at t, each (ds_q, ds_v, ...), the next one `stride` numbers further on, until the next
   * call. */
  const double *(*tangents)(void *context, double t, size_t *stride);
} mbs_piece;

struct mbs_linearization;
struct mbs_state_extension;
struct mbs_state_finder;

/* An analysis of motions shows its pieces in their order, of no length where the motion has none; one of a state calls
 * `state`, once. */
typedef struct mbs_observer {
  void *user;
  bool velocities; /* more than positions is read */
  bool forces;     /* accelerations, multipliers, reactions, outputs of force elements and energies are read, too */
  mbs_first_reads first;
  bool waits; /* pieces that end before `next` need not be shown, nor what is inside them */
  double next;
  /* States that are integrated with those of the motion (state_extension.h), and the data of that; NULL: none. */
  const struct mbs_state_extension *extension;
  const struct mbs_state_finder *finder; /* of states inside steps (state_finder.h); NULL: they are found one by one */
  void *extended;
  /* Whether states inside a piece from t to t1 are wanted. Otherwise it is asked for its ends alone. */
  bool (*inside)(void *user, double t, double t1);
  /* Any status but MBS_OK ends the run. */
  mbs_status (*piece)(void *user, const mbs_piece *piece);
  mbs_status (*state)(void *user, const mbs_system *system);
  /* What a linearization has found (linearize.h), in workspace of the run; NULL: it is not looked at. */
  mbs_status (*linear)(void *user, const struct mbs_linearization *linear);
} mbs_observer;

/* Whether a piece that ends at t1 is wanted. */
static inline bool mbs_observer_wants(const mbs_observer *observer, double t1) {
  return !observer->waits || t1 >= observer->next;
}

#endif
