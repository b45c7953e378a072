/* sliding.h - sliding motion along the switch of a force's law, as in dry friction that sticks, or of a state's rate.
 *
 * If both branches of a law drive the guard s of a switch back to zero, the motion slides along s = 0: with -mu N
 * sign(v) a body sticks. The law then has the value between its branches that holds s at zero,
 *
 *     f = (1 - a) f(s < 0) + a f(s > 0),   0 <= a <= 1,   a from s' = 0,
 *
 * or from s'' = 0 if s depends on positions only. The weights a of all surfaces s = 0 that are active at the same time
 * solve b + G a = 0, where G is their influence on the rates of the guards. Switches that are zero at the same time and
 * move together, of one law or of several, form one surface. A surface is active until its weight leaves [0, 1].
 * Source: Filippov, Differential Equations with Discontinuous Righthand Sides, 1988.
 *
 * A switch whose guard a driver prescribes has no such weight. If its guard stays at zero, the law has the mean of its
 * branches, a = 1/2, until the guard leaves a band about zero as wide as the constraint residuals permit. */
#ifndef MBS_SLIDING_H
#define MBS_SLIDING_H

#include "equations/switches.h"

typedef struct mbs_surface {
  int leader; /* switch that supplies the guard */
  int order;  /* order of the guard's rate that accelerations change: 1, or 2 if the guard depends on positions only */
  bool prescribed;        /* the guard is prescribed and stays at zero */
  bool trial;             /* not confirmed yet */
  bool left;              /* the surface's margin has just become negative */
  double weight;          /* a, the weight of the branch with s > 0 */
  double self_gain;       /* effect of its weight on its own rate; negative while the surface is active; 0: no effect */
  double constraint_gain; /* smallest part of that effect that constraints cancel */
  double band;            /* a smaller guard is zero within rounding; order 2: also its rate times the time scale */
} mbs_surface;

typedef struct mbs_sliding {
  size_t count, most;    /* number of surfaces, and its limit */
  mbs_surface *surfaces; /* [most] */
  size_t moving_count;   /* number of surfaces that are not prescribed */
  int *moving;           /* [most] their indices, in the order of the rows below */
  int *member;           /* [switch_count] surface of a switch, from 1; negative: its guard has the opposite sign */
  int *pending;          /* [switch_count] unsettled events, with the mode before; 0: none */
  size_t pending_count;
  const mbs_law **laws;   /* [switch_count] laws of switches that may slide, else NULL */
  const char **elements;  /* [switch_count] elements of those laws */
  bool *drives_back;      /* [switch_count] both branches drove back, at the last settling with a zero guard */
  bool holds;             /* the weights of the last evaluation hold the surfaces */
  bool deciding;          /* the evaluation computes b and G only */
  double *b, *G;          /* [most], [most x most] row by row: rates at weights of 1/2, influence of the weights */
  double *rates, *change; /* [most] workspace */
  double *A, *lapack;     /* workspace */
  double *mode, *guards;  /* [switch_count], [2 switch_count] workspace */
  int nested;             /* switch for which mbs_sliding_settle() found no sliding motion */
  double *lambda, *vdot;  /* [2 rows], [nv] workspace */
  double *zdot;           /* [2 nz] workspace */
  double *row, *other;    /* [nv] rows of two switches */
} mbs_sliding;

/* Allocates the workspace of sliding motion. Returns NULL if memory runs out. */
mbs_sliding *mbs_sliding_new(const mbs_model *model, mbs_arena *arena);

/* Removes all surfaces, as before a run. */
void mbs_sliding_forget(mbs_system *system);

/* Returns the value of a law with gathered inputs in system->in; its switches may be on surfaces. */
double mbs_sliding_value(const mbs_system *system, const mbs_law *law);
/* Computes mbs_accelerate() with the weights that hold the surfaces. */
mbs_status mbs_sliding_accelerate(mbs_system *system);
/* Replaces the margins of switches on surfaces, after an evaluation. */
void mbs_sliding_margins(const mbs_system *system, double *margins);
/* Moves v and the states z onto the surfaces, along the accelerations and rates that the weights produce. */
mbs_status mbs_sliding_project(mbs_system *system, double t, const double *q, double *v, double *z);

/* Computes value, rate and second rate of the guard of a switch that may slide, at the current state. */
void mbs_sliding_guard(const mbs_system *system, int index, double jet[3]);

/* Computes the row out [nv] of a switch that may slide, at the current state: ds/dv, or for order 2 ds/dq. These are
 * the derivatives by the accelerations of the guard's rate of this order. A motion along the surface has no velocity,
 * or no displacement, along that row. Overwrites vdot. */
void mbs_sliding_row(mbs_system *system, int index, int order, double *out);

/* ---- events (sliding_events.c) ---- */

/* mbs_sliding_may() returns true if switch `index` may slide. Its events are handled by mbs_sliding_event() instead of
 * mbs_switches_event(). */
bool mbs_sliding_may(const mbs_system *system, size_t index);
void mbs_sliding_event(mbs_system *system, size_t index, double t, const double *q, const double *v);
/* Determines at the start, and after the events of an instant, which switches slide and which branches the others have.
 * Moves v and z onto the surfaces. `report` receives "sticks" and "slips" of forces, "slides" of states, and "switch".
 * Returns MBS_STEP_TOO_SMALL, without a message, if a law has a switch inside a switch. */
mbs_status mbs_sliding_settle(mbs_system *system, double t, const double *q, double *v, double *z,
                              void (*report)(void *context, const mbs_change *change), void *context);

/* Holds the branches of the state. Each switch at zero whose branches drive back, or that is a sign(), has the mean of
 * its branches: the laws then are those without motion and without friction. Leaves the state set. */
void mbs_sliding_hold(mbs_system *system, double t, const double *q, const double *v);
/* Returns the first switch from `index` on that is at zero at the current state, where its law jumps, and that is on no
 * surface; -1: none. */
int mbs_sliding_next_loose(mbs_system *system, int index);

/* Returns a switch whose guard is clearly on the side of the other branch, as happens to a switch inside another one
 * whose branch changed; -1: none. */
int mbs_sliding_wrong_side(mbs_system *system, double t, const double *q, const double *v);

#endif
