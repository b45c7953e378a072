/* sliding.h - motions along the switch of a force's law: dry friction that sticks.
 *
 * Where both branches of a law drive the guard s of a switch back to zero, the motion slides along s = 0: with
 * -mu N sign(v) a body sticks. The law then has the value between its branches that keeps s there,
 *
 *     f = (1 - a) f(s < 0) + a f(s > 0),   0 <= a <= 1,   a from s' = 0,
 *
 * or from s'' = 0 where s is made of positions. Surfaces s = 0 that hold at the same time have the shares a that solve
 * b + G a = 0, G their influence on the rates of the guards; switches that are zero together and move together, of one
 * law or of several, are one surface. It holds until its share leaves [0, 1]. Filippov, Differential Equations with
 * Discontinuous Righthand Sides, 1988.
 *
 * A switch that no force moves, because a driver prescribes it, has no such share. Where it stays at zero it rests
 * between its branches, a = 1/2, until it leaves a band about zero that is as wide as what constraints leave. */
#ifndef MBS_SLIDING_H
#define MBS_SLIDING_H

#include "equations/switches.h"

typedef struct mbs_surface {
  int leader;             /* the switch whose guard it is */
  int order;              /* which rate of the guard accelerations move: 1, or 2 where it is made of positions */
  bool prescribed;        /* it is prescribed and stays at zero */
  bool trial;             /* not held yet */
  bool left;              /* its margin became negative just now */
  double weight;          /* a, of the branch of a positive guard */
  double self_gain;       /* what its share does to its own rate; negative while it holds; 0: nothing */
  double constraint_gain; /* and what constraints take back of it, at least */
  double band; /* a guard smaller than this is zero but for rounding; of order 2 also its rate, by the unit of time */
} mbs_surface;

typedef struct mbs_sliding {
  size_t count, most;    /* surfaces */
  mbs_surface *surfaces; /* [most] */
  size_t moving_count;   /* those that do not rest, */
  int *moving;           /* [most] in the order of the rows below */
  int *member;           /* [switch_count] the surface of a switch, from 1; negative: its guard has the other sign */
  int *pending;          /* [switch_count] events that are not settled yet, and the mode before; 0: none */
  size_t pending_count;
  const mbs_law **laws;   /* [switch_count] of switches that may slide, else NULL */
  const char **elements;  /* [switch_count] of those */
  bool *drives_back;      /* [switch_count] both branches did, when mbs_sliding_settle() met it at zero last */
  bool kept;              /* by the shares of the last evaluation */
  bool deciding;          /* an evaluation is to find b and G only */
  double *b, *G;          /* [most], [most x most] row by row: rates at shares of 1/2, influence of the shares */
  double *rates, *change; /* [most] workspace */
  double *A, *lapack;     /* workspace */
  double *mode, *guards;  /* [switch_count], [2 switch_count] workspace */
  int nested;             /* the switch that mbs_sliding_settle() could not let slide */
  double *lambda, *vdot;  /* [2 rows], [nv] workspace */
  double *row, *other;    /* [nv] rows of two switches */
} mbs_sliding;

/* NULL: no memory. */
mbs_sliding *mbs_sliding_new(const mbs_model *model, mbs_arena *arena);

/* No switch slides any more, as before a run. */
void mbs_sliding_forget(mbs_system *system);

/* The value of a law, gathered inputs in system->in, some of whose switches may lie on surfaces. */
double mbs_sliding_value(const mbs_system *system, const mbs_law *law);
/* mbs_accelerate() with the shares that keep the surfaces. */
mbs_status mbs_sliding_accelerate(mbs_system *system);
/* Margins of the switches that lie on surfaces, in place of their laws', after an evaluation. */
void mbs_sliding_margins(const mbs_system *system, double *margins);
/* Moves v onto the surfaces, by the accelerations that the shares make. */
mbs_status mbs_sliding_project(mbs_system *system, double t, const double *q, double *v);

/* Value, rate and second rate of the guard of a switch that may slide, at the state in hand. */
void mbs_sliding_guard(const mbs_system *system, int index, double jet[3]);

/* Computes the row out [nv] of a switch that may slide at the state in hand: the derivatives by the accelerations of
 * the rate of its guard of this order, ds/dv, or of order 2 ds/dq. A motion along the surface has no velocity, or no
 * displacement, along it. Spoils vdot. */
void mbs_sliding_row(mbs_system *system, int index, int order, double *out);

/* ---- events (sliding_events.c) ---- */

/* Whether switch `index` is one that may slide: its events are not mbs_switches_event()'s, but */
bool mbs_sliding_may(const mbs_system *system, size_t index);
void mbs_sliding_event(mbs_system *system, size_t index, double t, const double *q, const double *v);
/* At the start, and after the events of an instant: which switches slide from here on, which branches hold for the
 * others. MBS_STEP_TOO_SMALL, without a message, where the law of one has a switch inside a switch. Moves v onto the
 * surfaces. `report` hears of "sticks", "slips" and "switch". */
mbs_status mbs_sliding_settle(mbs_system *system, double t, const double *q, double *v,
                              void (*report)(void *context, const mbs_change *change), void *context);

/* Holds the branches of the state, and for each switch at zero whose branches drive back, or that is a sign(), the
 * middle between them: the laws as they are at rest without friction. Leaves the state set. */
void mbs_sliding_stand(mbs_system *system, double t, const double *q, const double *v);
/* Returns the first switch from `index` on that is at zero at the state in hand, where its law jumps, and that no
 * surface holds; -1: there is none. */
int mbs_sliding_next_loose(mbs_system *system, int index);

/* A switch whose state is far on the side of the branch that is not held, as where it stands inside another one, whose
 * branch changed with it; -1: there is none. */
int mbs_sliding_wrong_side(mbs_system *system, double t, const double *q, const double *v);

#endif
