/* driven_motion.h - a motion for which drivers determine all velocities: a path in time (continuation/path.h). For the
 * two analyses of such motions, kinematics.c and inverse_dynamics.c. On each interval of the path
 *
 *   kinematics        computes states at the reporting times;
 *   inverse dynamics  also computes multipliers, and integrates power and dissipation.
 *
 * Both integrate the states z of the document and of elements along the path, which does not depend on them.
 *
 * Both detect the instants where branches of laws change. The path restarts at changes of functions of time and of rows
 * of joints. */
#ifndef MBS_DRIVEN_MOTION_H
#define MBS_DRIVEN_MOTION_H

#include "continuation/path.h"
#include "run/impulse.h"
#include "run/run.h"

typedef struct mbs_driven_motion mbs_driven_motion;

/* Parts that an analysis adds to the states of the path. Each member may be NULL. */
typedef struct mbs_driven_analysis {
  /* Computes forces and multipliers at t, for the state of the path in self->q, self->v. NULL: the analysis has no
   * forces. */
  mbs_status (*forces)(mbs_driven_motion *self, double t);
  /* Prepares the row at t, with the integrals {work, dissipation}, before its state is computed. Fails if the row
   * has no multipliers. */
  mbs_status (*begin_row)(mbs_driven_motion *self, double t, const double *integrals);
  /* Prepares the multipliers of the active crossing. Returns MBS_SINGULAR_POSITION if they have no limit there. */
  mbs_status (*begin_crossing)(mbs_driven_motion *self);
  /* Computes the rates of the integrals at the state of the motion. */
  void (*powers)(mbs_driven_motion *self, double rates[2]);
  /* Member quadrature_size of mbs_ode; `context` is the motion. */
  double (*energy_size)(void *context, double t, const double *y);
} mbs_driven_analysis;

struct mbs_driven_motion {
  mbs_run_state *run;
  mbs_path path;
  const mbs_driven_analysis *analysis;
  size_t path_switches; /* the switches below this index change the path */
  mbs_impulse impulse;
  double *q, *v;              /* [nq], [nv] a state of the path */
  double *margins;            /* [switch_count] */
  double *known;              /* [2 rows] */
  bool has_poles;             /* a multiplier grows without bounds in this crossing; */
  bool any_poles;             /* or in any earlier crossing */
  size_t crossings;           /* number of crossings so far; */
  double first_crossing;      /* time of the first one [s] */
  double *y;                  /* [nz + 2] states, then work and dissipation */
  double *shown;              /* [nz + 2] those inside a step */
  double energy;              /* largest energy exchanged so far [J] */
  double t;                   /* time reached by the integration [s] */
  bool changed, path_changed; /* a switch changed forces; it changed the path */
  bool interrupted;           /* the integration was ended for that */
  double unbounded;           /* time when forces grow without bounds [s]; NaN: not found */
  size_t first_row, row;      /* first row of the current integration, next row */
};

/* Runs the analysis from the start of the run to its end. */
mbs_status mbs_driven_motion_run(mbs_run_state *run, const mbs_driven_analysis *analysis);
/* Computes the state at t in self->q, self->v and the system, with forces if the analysis has them. The system must
 * have the states z at t. */
mbs_status mbs_driven_motion_state(mbs_driven_motion *self, double t);

#endif
