/* touch_instant.h - an instant at which the modes of touches are decided: data and functions shared by impacts and by
 * the search for modes. */
#ifndef MBS_TOUCH_INSTANT_H
#define MBS_TOUCH_INSTANT_H

#include "equations/touches.h"
#include "run/run.h"

/* Shares of the scales of velocities, forces and accelerations below which these count as zero. Chosen as that of
 * rooms (mbs_zero_room). */
static const double mbs_zero_speed = 1e-9, mbs_zero_force = 1e-8;
/* Largest number of rounds of a search, for each candidate. */
enum { MBS_ROUNDS_PER_TOUCH = 8 };

typedef struct mbs_touch_modes {
  mbs_touch_state *before, *saved; /* [touch_count] */
  bool *candidate;                 /* [touch_count] room and approach are zero, so the touch may be closed */
  bool *listed;                    /* [touch_count] touches of an impact; in the search, surfaces that may stick */
  bool *tried;                     /* [touch_count] surfaces that need not be tried to stick */
  bool *base;                      /* [rows] rows of joints and drivers that are independent */
  bool *held, *dependent;          /* [rows] rows of touches that held at the last choice; rows that depend on others */
  bool *rests;                     /* [touch_count] surfaces without slip, for a start of the search */
  double *mu, *mu_slips;           /* [touch_count] their coefficients of friction: at rest, and once they slip */
  double *loads;                   /* [touch_count] loads of those that never open */
  int *place;                      /* [touch_count] first row of a touch in a complementarity problem */
  double *impulse, *sum;           /* [rows] */
  double *missing, *rates, *after; /* [rows] */
  double speed;                    /* scale of velocities [m/s] */
} mbs_touch_modes;

typedef struct mbs_touch_instant {
  mbs_run_state *run;
  mbs_system *system;
  const mbs_model *model;
  mbs_touch_modes *work;
  mbs_touch_state *at;
  double t;
  const double *q;
  double *v;
  double fastest; /* scale of accelerations in the search [m/s^2] */
  bool ranked;    /* the rows `held` have been compared at this instant */
  bool placed;    /* the rows of all candidates have been evaluated: the position does not change at an instant */
} mbs_touch_instant;

/* Sets the use of rows by the present modes, with `shown` as in mbs_touches_use_rows(), and evaluates the constraints
 * once per instant. Then chooses independent rows among the rows of touches that hold; the choice among rows of joints
 * and drivers does not change. */
mbs_status mbs_touch_choose_rows(mbs_touch_instant *now, const bool *shown);
/* Computes the rates C v - rhsV [rows] of all rows into `out`. */
void mbs_touch_read_rates(const mbs_touch_instant *now, const double *v, double *out);
/* Returns the rate of the room of a touch with a normal row, by work->rates. */
double mbs_touch_room_rate(const mbs_touch_instant *now, size_t i);
/* Returns the speed of the slip of a touch, by work->rates. */
double mbs_touch_slip_speed(const mbs_touch_instant *now, size_t i);
/* Returns the rate of the room of touch i below which it counts as zero. */
double mbs_touch_zero_speed(const mbs_touch_instant *now, size_t i);
/* Returns the approach speed up to which a touch closes without an impact. */
double mbs_touch_closing_speed(const mbs_touch_instant *now, size_t i);
/* Sets out [n] = sign x / norm(x); unchanged if x is zero. */
void mbs_set_direction(const double *x, int n, double sign, double *out);

/* Fails because no modes satisfy all conditions; names the touch that changed last. */
mbs_status mbs_touch_fail_search(const mbs_touch_instant *now, size_t touch);
/* Fails because joints and drivers move the touch against its limit. */
mbs_status mbs_touch_fail_prescribed(const mbs_touch_instant *now, size_t i);

/* The complementarity problem of touches `in` [touch_count], for the rows that hold at present, whose factors the
 * system must have. The rows of these touches must be evaluated. Returns NULL if memory runs out. */
typedef struct mbs_touch_problem mbs_touch_problem;
mbs_touch_problem *mbs_touch_problem_new(mbs_touch_instant *now, const bool *in);
void mbs_touch_problem_free(mbs_touch_problem *self);

/* The input of a solution: the touches `in` it [touch_count], all of the problem; those that rest, with their
 * coefficients of friction and, if they slip, directions in their states; loads [touch_count] of those that never open
 * and rest (others that never open have no part in it); values [rows] that the rows have without
 * these touches: accelerations, or velocities after an impact. */
typedef struct mbs_touch_start {
  const bool *in, *rests;
  const double *mu;
  const double *mu_slips; /* [touch_count] coefficients of surfaces that rested and slip; NULL: the same */
  const double *loads;    /* NULL: none that never opens has a part */
  const double *values;
  const double *next; /* [rows] rates of these values, which decide where they are zero; NULL: unknown */
} mbs_touch_start;
/* Finds the multipliers p [rows] of the problem's rows, and sets the modes of the touches by them. Returns false if
 * there is no solution, or memory runs out. Overwrites vdot, lambda, rhsA, work->after. */
bool mbs_touch_solve(mbs_touch_problem *problem, const mbs_touch_start *start, double *p);
/* Adds the effect of multipliers p to rates, both [rows], in the rows of the problem. */
void mbs_touch_problem_add_rates(mbs_touch_problem *self, const double *p, double *rates);
/* Returns true if joints and drivers prescribe the rate of the normal row of a touch of the problem. */
bool mbs_touch_is_held(mbs_touch_problem *problem, size_t touch);

/* Makes all impacts of the instant: changes now->v. The modes stay, except sides that were not known. theory (12.12) */
mbs_status mbs_touches_collide(mbs_touch_instant *now);
/* Ends a jam, in which slipping surfaces press each other together so that no accelerations satisfy all conditions:
 * changes now->v by the impulse that they exchange without a collision, which stops slips, and sets the modes by it.
 * work->missing must have the accelerations without the candidates, and work->mu and work->rests the numbers of their
 * friction. `released`: false if a single touch or joint is the cause, or if there is no such impulse. */
mbs_status mbs_touches_release(mbs_touch_instant *now, bool *released);
/* Ends the slow approaches of touches that close, together with the rates of those that rest: changes now->v. */
mbs_status mbs_touches_close_slowly(mbs_touch_instant *now);

#endif
