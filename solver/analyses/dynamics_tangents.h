/* dynamics_tangents.h - what the files of tangents share, and dynamics asks of them. */
#ifndef MBS_DYNAMICS_TANGENTS_H
#define MBS_DYNAMICS_TANGENTS_H

#include "analyses/dynamics.h"
#include "analyses/tangents.h"
#include "lanes/lanes.h"

#include <math.h>

/* A state inside the step in hand, the motion's and its tangents', that readings are made of: tangent by tangent. */
typedef struct mbs_shown_state {
  double t;
  double *y;          /* [(1 + count) n] */
  const mbs_law *law; /* read there last; NULL: none was */
  double value;       /* its value */
} mbs_shown_state;

enum { MBS_SHOWN_STATES = 16 };

typedef struct mbs_tangent_work {
  mbs_dynamics *self;
  mbs_tangents *tangents;
  const mbs_constants *constants; /* of the run */
  mbs_ode ode;                    /* of the motion alone, of which self is the context */
  size_t n;                       /* its states */
  mbs_lanes *lanes;               /* MBS_BESIDE, all places of a difference at once; NULL: one by one */
  const mbs_reach *reach;         /* that lanes compute forces of */
  double *f;                      /* workspace [n or rows][MBS_BESIDE] what is differentiated, at each place */
  double *still;                  /* the same at the state itself, at the first place */
  double *y;                      /* workspace [n] */
  double *beside;                 /* workspace [n] */
  double *change;                 /* differences */
  double *vdot, *lambda, *rhsV;   /* of the motion's last evaluation */
  double force, bias;             /* what residuals of forces and of accelerations are sums of, in units */
  double force_noise, bias_noise; /* what they are where they should be zero; 0 before `measured` */
  bool measured;
  double *step, *missing; /* of projections */
  mbs_shown_state shown[MBS_SHOWN_STATES];
  size_t shown_count;       /* how many there were of the step in hand; the last ones are there */
  double *rate, *direction; /* of readings: y', and along what is differentiated */
} mbs_tangent_work;

/* ---- tangents.c ---- */
/* Extends the equations of a motion by tangents; MBS_NO_DERIVATIVE: they do not tell. */
mbs_status mbs_tangents_open(mbs_dynamics *self, mbs_ode *ode);
/* Tangents of the start, into its state. */
void mbs_tangents_start(const mbs_dynamics *self, double *y);
/* Interpolation between steps only serves readings: it may be wrong by so many tolerances. */
extern const double mbs_tangents_dense;
/* What errors of tangents at the state y are counted in, after those of the motion. */
void mbs_tangents_units(const mbs_dynamics *self, const double *y);

/* Where differences are taken, in steps. */
extern const int mbs_beside_places[MBS_BESIDE];
/* The derivative of what has these values there. */
static inline double mbs_central_difference(const double values[MBS_BESIDE], double step) {
  return (8 * (values[2] - values[1]) - (values[3] - values[0])) / (12 * step);
}
/* What tells how good that is. */
typedef struct mbs_tangent_difference {
  double centre;         /* the value at the state itself */
  double near, far;      /* the derivative by the second order, times the step: over the inner places, the outer ones */
  double bend, far_bend; /* how far the mean of these is from the centre, twice */
} mbs_tangent_difference;
static inline mbs_tangent_difference mbs_tangent_difference_of(const double values[MBS_BESIDE], double centre) {
  return (mbs_tangent_difference){.centre = centre,
                                  .near = 0.5 * (values[2] - values[1]),
                                  .far = 0.25 * (values[3] - values[0]),
                                  .bend = fabs((values[2] - centre) + (values[1] - centre)),
                                  .far_bend = fabs((values[3] - centre) + (values[0] - centre))};
}
/* The state at a place beside y, along s; the system has the numbers that belong to it until mbs_tangents_return(). */
void mbs_tangent_place(const mbs_tangent_work *work, const mbs_reach *reach, int place, const double *y,
                       const double *s, double *out);
void mbs_tangents_return(const mbs_tangent_work *work);
/* All places at once, one a lane, along s and, in time, at t + k h rate: their positions are set, their velocities
 * stand in lanes->v. */
mbs_status mbs_tangent_place_lanes(const mbs_tangent_work *work, const mbs_reach *reach, double t, double rate,
                                   const double *y, const double *s);
/* y' at (t, y), with the numbers that the system has. */
mbs_status mbs_tangents_rates(const mbs_tangent_work *work, double t, const double *y, double *dydt);

/* ---- tangents_reach.c ---- */
/* Before a run. */
void mbs_tangent_begin(mbs_tangent *tangent);
/* How large a direction s is at y: its largest entry, in units of the state, in which velocities are as large as they
 * are. */
double mbs_tangent_extent(const mbs_tangent_work *work, const double *y, const double *s);
/* Makes a step along a tangent suit the state y and the direction s; false: the model refuses the parameter there, or
 * rounding is all that such a step lets be told. */
bool mbs_tangent_reach(const mbs_tangent_work *work, int index, mbs_reach *reach, const double *y, const double *s);
/* Takes back what widened it last; false: it is no wider than the parameter's size. */
bool mbs_reach_narrow(mbs_reach *reach);

/* What a difference is worth: how far the next one is to reach, or that nothing changes at all. */
typedef enum mbs_reach_verdict {
  MBS_REACH_SHORTER,
  MBS_REACH_AGAIN,
  MBS_REACH_CORNER,
  MBS_REACH_GOOD,
  MBS_REACH_LONGER,
  MBS_REACH_WEAK,
  MBS_REACH_NOTHING
} mbs_reach_verdict;
/* Of entries f [count][MBS_BESIDE] that are zero at the state itself, but for this noise, and whose terms are as large
 * as `size`, times their units or (`divide`) by them. */
mbs_reach_verdict mbs_tangent_judge(const double *f, size_t count, const double *units, bool divide, double size,
                                    double noise);
/* How far the next difference of a tangent reaches; false: not this one either. */
bool mbs_reach_take(mbs_reach *reach, mbs_reach_verdict one, mbs_reach_verdict other);

/* ---- tangents_read.c ---- */
/* As mbs_piece has them; the context is a mbs_observed_step. */
mbs_status mbs_tangents_slope(void *context, double t, const mbs_law *law, int tangent, double rate, double nothing,
                              mbs_slope *out);
mbs_status mbs_tangents_bend(void *context, double t, const mbs_law *law, int tangent, double *out);
const double *mbs_tangents_at(void *context, double t, size_t *stride);

#endif
