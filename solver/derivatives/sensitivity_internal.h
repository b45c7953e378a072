/* sensitivity_internal.h - what the files of tangents share. */
#ifndef MBS_SENSITIVITY_INTERNAL_H
#define MBS_SENSITIVITY_INTERNAL_H

#include "batch/lanes.h"
#include "derivatives/sensitivity_equations.h"
#include "simulate/dynamics.h"

#include <math.h>

/* A state inside the step in hand, the motion's and its tangents', that readings are made of: tangent by tangent. */
typedef struct mbs_shown_state {
  double t;
  double *y;          /* [(1 + count) n] */
  const mbs_law *law; /* read there last; NULL: none was */
  double value;       /* its value */
  /* The law whose gradient there was found last, by its columns; NULL: none was. */
  const mbs_law *steep;
  mbs_slope *gradient; /* [columns] */
} mbs_shown_state;

enum { MBS_SHOWN_STATES = 16 };

typedef struct mbs_tangent_work {
  mbs_dynamics *self;
  mbs_tangents *tangents;
  const mbs_constants *constants;      /* of the run */
  mbs_ode ode;                         /* of the motion alone, of which self is the context */
  size_t n;                            /* its states */
  mbs_lanes *lanes;                    /* MBS_FD_POINTS, all places of a difference at once; NULL: one by one */
  const mbs_fd_step *fd;               /* that lanes compute forces of */
  mbs_constants *point;                /* those of the point, for differences by states alone; NULL: none yet */
  mbs_lane_numbers *numbers;           /* of these in all lanes */
  struct mbs_tangent_columns *columns; /* NULL: differences are along each tangent */
  struct mbs_law_gradients *gradients; /* of what is read; NULL: the same */
  double *f;                           /* workspace [n or rows][MBS_FD_POINTS] what is differentiated, at each place */
  double *inputs;                      /* workspace [MBS_FD_POINTS][input_max] of a law that is read in lanes */
  double *still;                       /* the same at the state itself, at the first place */
  double *y;                           /* workspace [n] */
  double *displaced;                   /* workspace [n] */
  double *change;                      /* differences */
  double *vdot, *lambda, *rhsV;        /* of the motion's last evaluation */
  double *sizes;                       /* [nv] of the forces in h, in units */
  double force, bias;                  /* what residuals of forces and of accelerations are sums of, in units */
  double force_noise, bias_noise;      /* what they are where they should be zero; 0 before `measured` */
  bool measured;
  double *step, *missing; /* of projections */
  mbs_shown_state shown[MBS_SHOWN_STATES];
  size_t shown_count;       /* how many there were of the step in hand; the last ones are there */
  double *rate, *direction; /* of readings: y', and along what is differentiated */
} mbs_tangent_work;

/* ---- sensitivity_equations.c ---- */
/* Returns the work space of a run that has tangents. */
mbs_tangent_work *mbs_tangent_work_of(const mbs_dynamics *self);
/* Where differences are taken, in steps. */
extern const int mbs_fd_offsets[MBS_FD_POINTS];
/* The derivative of what has these values there. */
static inline double mbs_central_difference(const double values[MBS_FD_POINTS], double step) {
  return (8 * (values[2] - values[1]) - (values[3] - values[0])) / (12 * step);
}
/* Of values [n][MBS_FD_POINTS]. */
static inline void mbs_central_differences(size_t n, const double *values, double step, double *out) {
  for (size_t i = 0; i < n; i++) out[i] = mbs_central_difference(values + MBS_FD_POINTS * i, step);
}
/* What tells how good that is. */
typedef struct mbs_tangent_difference {
  double centre;         /* the value at the state itself */
  double near, far;      /* the derivative by the second order, times the step: over the inner places, the outer ones */
  double bend, far_bend; /* how far the mean of these is from the centre, twice */
} mbs_tangent_difference;
static inline mbs_tangent_difference mbs_tangent_difference_of(const double values[MBS_FD_POINTS], double centre) {
  return (mbs_tangent_difference){.centre = centre,
                                  .near = 0.5 * (values[2] - values[1]),
                                  .far = 0.25 * (values[3] - values[0]),
                                  .bend = fabs((values[2] - centre) + (values[1] - centre)),
                                  .far_bend = fabs((values[3] - centre) + (values[0] - centre))};
}
/* Growth of the second difference, from the inner to the outer places, below which a law has a corner: it is 2 at a
 * corner, and 4 if the law is smooth. */
static const double mbs_corner_growth = 3;
/* The state at a place beside y, along s; the system has the numbers that belong to it until
 * mbs_tangents_restore_constants(). */
void mbs_tangent_displace(const mbs_tangent_work *work, const mbs_fd_step *fd, int place, const double *y,
                          const double *s, double *out);
void mbs_tangents_restore_constants(const mbs_tangent_work *work);
/* All places at once, one a lane, along s and, in time, at t + k h rate: their positions are set, their velocities
 * stand in lanes->v. */
mbs_status mbs_tangent_displace_lanes(const mbs_tangent_work *work, const mbs_fd_step *fd, double t, double rate,
                                      const double *y, const double *s);
/* y' at (t, y), with the numbers that the system has. */
mbs_status mbs_tangents_rates(const mbs_tangent_work *work, double t, const double *y, double *dydt);

/* ---- sensitivity_residuals.c ---- */
/* Where the parts of what is differentiated stand: r [nv], a [rows], q' [nq], W' and E_d' with lambda as it is [2], the
 * rates of turns. */
typedef struct mbs_tangent_parts {
  size_t rows, positions, powers, turns, count;
} mbs_tangent_parts;
mbs_tangent_parts mbs_tangent_parts_of(const mbs_tangent_work *work);
/* Who computes what lanes do not. */
mbs_lane_host mbs_tangent_host(mbs_tangent_work *work);
/* These at all places at once, one a lane, where there are lanes: work->f. */
mbs_status mbs_tangent_residuals(mbs_tangent_work *work, const mbs_fd_step *fd, double t, const double *y,
                                 const double *s);
/* Their differences along a direction, which it makes reach as far as they are good, into work->change: as a whole, or
 * `each` of them by itself. */
mbs_status mbs_tangent_differentiate(mbs_tangent_work *work, mbs_fd_step *fd, double t, const double *y,
                                     const double *s, bool each);

/* ---- sensitivity_directions.c ---- */
/* What differences by several columns, which are the states q and v, then the parameters, are made along. */
typedef struct mbs_direction {
  mbs_fd_step fd;
  double *s;    /* [n] what the state changes by */
  size_t *of;   /* [count] the parameters that do, by tangent */
  double *by;   /* [count] and by how much */
  size_t count; /* of these */
} mbs_direction;
/* Room for one, of a run with lanes; without parameters it is the state alone that changes. False: no memory. */
bool mbs_direction_open(mbs_tangent_work *work, bool by_parameters, mbs_direction *out, mbs_arena *arena);
void mbs_direction_clear(const mbs_tangent_work *work, mbs_direction *out);
/* Adds a column, by so many units of the state or sizes of the parameter. Returns what it changes by over a step of
 * 1. */
double mbs_direction_add(const mbs_tangent_work *work, size_t column, double by, mbs_direction *out);
/* The state y without the column that a direction, which has a step, is of: what is computed at it, along a direction
 * that is still from now on, is no number (NaN) where it depends on that column. */
void mbs_direction_mark_nan(const mbs_tangent_work *work, size_t column, const double *y, mbs_direction *along,
                            double *out);
/* When all columns are there: how far differences reach at first. */
void mbs_direction_begin(mbs_direction *out, double share);
/* Number i of a series of numbers between -1/2 and 1/2 of which none is zero, or a simple multiple of another. */
double mbs_generic(size_t i, int series);
enum { MBS_GENERIC_STATES = 2 };
/* A generic state near y, where nothing is zero that is not everywhere; returns the time it is to be taken at. */
double mbs_tangent_generic_state(const mbs_tangent_work *work, int which, const double *y, double *out);
/* What a model's tangents count as columns that may be worth looking at: so many for a tangent at the most. */
enum { MBS_MOST_COLUMNS = 64 };
/* Differences along columns replace those along the tangents if they are at most this share of these. */
static const double mbs_most_differences = 0.75;

/* ---- sensitivity_columns.c ---- */
/* The derivatives of r and a by all states and parameters, column by column, of which few meet: one difference tells
 * those of many. docs/theory/19, many parameters */
typedef struct mbs_tangent_columns mbs_tangent_columns;
/* Finds out which entries there are near the state y at t, the start; work->columns stays NULL where differences along
 * the tangents are fewer. */
mbs_status mbs_tangent_columns_open(mbs_tangent_work *work, const double *y);
/* The entries at (t, y), where accelerations and multipliers are those of the motion. False: they do not tell. */
bool mbs_tangent_columns_fill(mbs_tangent_work *work, double t, const double *y);
/* change [nv + rows] := what r and a change by along (s, e_j). */
void mbs_tangent_columns_times(const mbs_tangent_columns *columns, size_t j, const double *s, double *change);

/* ---- fd_step.c ---- */
/* How far differences reach at first, as shares of the state's units or of a parameter's size: of what is integrated,
 * which is their most, and of what is read. */
extern const double mbs_fd_step_max, mbs_fd_step_read;
/* Before a run: that of a direction along which parameters change by a share of `size`, and those of a tangent. */
void mbs_fd_step_init(mbs_fd_step *fd, const mbs_parameter_direction *direction, double size, double share);
void mbs_tangent_begin(mbs_tangent *tangent, size_t index);
/* How large a direction s is at y: its largest entry, in units of the state, in which velocities are as large as they
 * are. */
double mbs_tangent_extent(const mbs_tangent_work *work, const double *y, const double *s);
/* Makes a step along a direction suit the state y and what it changes by, s; false: the model refuses the parameter
 * there, or rounding is all that such a step lets be told. */
bool mbs_fd_step_choose(const mbs_tangent_work *work, mbs_fd_step *fd, const double *y, const double *s);
/* Takes back what widened it last; false: it is no wider than the parameter's size. */
bool mbs_fd_step_shrink(mbs_fd_step *fd);

/* What a difference is worth: how far the next one is to reach, or that nothing changes at all. */
typedef enum mbs_fd_verdict {
  MBS_FD_SHORTER,
  MBS_FD_REPEAT,
  MBS_FD_CORNER,
  MBS_FD_GOOD,
  MBS_FD_LONGER,
  MBS_FD_WEAK,
  MBS_FD_ZERO
} mbs_fd_verdict;
/* Of entries f [count][MBS_FD_POINTS] that are zero at the state itself, but for this noise, and whose terms are as
 * large as `size`, times their units or (`divide`) by them. */
mbs_fd_verdict mbs_fd_assess(const double *f, size_t count, const double *units, bool divide, double size,
                             double noise);
/* What two differences are worth that are made over the same step. */
mbs_fd_verdict mbs_fd_verdict_worse(mbs_fd_verdict one, mbs_fd_verdict other);
/* How far the next difference of a tangent reaches; false: not this one either. */
bool mbs_fd_step_update(mbs_fd_step *fd, mbs_fd_verdict one, mbs_fd_verdict other);

/* ---- sensitivity_read.c ---- */
/* As mbs_state_extension has them. */
mbs_status mbs_tangents_slope(void *context, double t, const mbs_law *law, int tangent, double rate, double nothing,
                              mbs_slope *out);
mbs_status mbs_tangents_bend(void *context, double t, const mbs_law *law, int tangent, double *out);
const double *mbs_tangents_at(void *context, double t, size_t *stride);
/* Whether what is read are positions and velocities of lanes. */
bool mbs_tangent_reads_lanes(const mbs_tangent_work *work);
/* A law's values at all places along (s, changes of `along`), whose step is there, with lanes. */
mbs_status mbs_tangent_read_lanes(const mbs_tangent_work *work, const mbs_fd_step *along, double t, double rate,
                                  const double *y, const double *s, const mbs_law *law, double values[MBS_FD_POINTS]);
/* The derivative along these of a law that is `centre` at (t, y); without a reach, in time and along s alone. */
mbs_status mbs_tangent_read_slope(const mbs_tangent_work *work, mbs_fd_step *fd, double t, double rate, const double *y,
                                  const double *s, const mbs_law *law, double centre, double nothing, mbs_slope *out);

/* ---- sensitivity_law_gradients.c ---- */
/* Gradients of laws that depend on few columns. */
typedef struct mbs_law_gradients mbs_law_gradients;
/* Before the first step. False: no memory. */
bool mbs_law_gradients_open(mbs_tangent_work *work);
/* What a law, whose value in a state is there, changes by along a tangent. False: this tells nothing, and the
 * difference along the tangent is to be made. */
bool mbs_law_gradient_along(mbs_tangent_work *work, mbs_shown_state *shown, const mbs_law *law, double nothing,
                            size_t tangent, mbs_slope *out);

#endif
