/* sensitivity_internal.h - types and functions shared by the files of forward sensitivity. */
#ifndef MBS_SENSITIVITY_INTERNAL_H
#define MBS_SENSITIVITY_INTERNAL_H

#include "batch/lanes.h"
#include "derivatives/sensitivity_equations.h"
#include "simulate/dynamics.h"

#include <math.h>

/* A state inside the current step, at which expressions are read: the motion's, then each tangent's. */
typedef struct mbs_interior_state {
  double t;
  double *y;          /* [(1 + count) n] */
  const mbs_law *law; /* law read there last; NULL: none */
  double value;       /* value of that law */
  /* Law whose gradient was found there last, by its columns; NULL: none. */
  const mbs_law *gradient_law;
  mbs_slope *gradient; /* [columns] */
} mbs_interior_state;

enum { MBS_INTERIOR_STATES = 16 };

typedef struct mbs_tangent_work {
  mbs_dynamics *self;
  mbs_tangents *tangents;
  const mbs_constants *constants; /* constants of the run */
  mbs_ode ode;                    /* equations of the motion alone; `self` is their context */
  size_t n;                       /* number of states of the motion */
  mbs_lanes *lanes;               /* lanes, each with a point of a difference; NULL: points are evaluated one by one */
  const mbs_fd_step *fd;          /* step for which lanes compute forces */
  const double *mode;             /* branches of the law that is read; NULL: those of the state */
  mbs_constants *point;           /* constants for differences by states alone; NULL: not yet bound */
  mbs_lane_numbers *numbers;      /* numbers of `point` in all lanes */
  struct mbs_tangent_columns *columns; /* derivatives by columns; NULL: differences are made along each tangent */
  struct mbs_law_gradients *gradients; /* gradients of expressions; NULL: differences are made along each tangent */
  double *f;                      /* workspace [n or rows][MBS_FD_POINTS] values to be differentiated, at each point */
  double *inputs;                 /* workspace [MBS_FD_POINTS][input_max] inputs of a law that is read in lanes */
  double *still;                  /* values of f at the state itself, stored as the first point */
  double *y;                      /* workspace [n] */
  double *displaced;              /* workspace [n] */
  double *change;                 /* differences */
  double *vdot, *lambda, *rhsV;   /* results of the motion's last evaluation */
  double *sizes;                  /* [nv] forces in h, in scales of accuracy */
  double force, bias;             /* largest terms of r and of a, in scales of accuracy */
  double force_noise, bias_noise; /* largest r and a at the state itself, i.e. rounding; 0 before `measured` */
  bool measured;
  double *step, *missing; /* workspace of projections */
  mbs_interior_state interior[MBS_INTERIOR_STATES];
  size_t interior_count;    /* number of states so far in the current step; the last MBS_INTERIOR_STATES are stored */
  double *rate, *direction; /* workspace of readings: y', and the direction of the difference */
} mbs_tangent_work;

/* ---- sensitivity_equations.c ---- */
/* Returns the workspace of a run that has tangents. */
mbs_tangent_work *mbs_tangent_work_of(const mbs_dynamics *self);
/* Points of a difference, in steps. */
extern const int mbs_fd_offsets[MBS_FD_POINTS];
/* Returns the derivative, to fourth order, from values at these points. */
static inline double mbs_central_difference(const double values[MBS_FD_POINTS], double step) {
  return (8 * (values[2] - values[1]) - (values[3] - values[0])) / (12 * step);
}
/* Does the same for values [n][MBS_FD_POINTS]. */
static inline void mbs_central_differences(size_t n, const double *values, double step, double *out) {
  for (size_t i = 0; i < n; i++) out[i] = mbs_central_difference(values + MBS_FD_POINTS * i, step);
}
/* Quantities that show how accurate a difference is. */
typedef struct mbs_tangent_difference {
  double centre;         /* value at the state itself */
  double near, far;      /* derivative to second order times the step, from the inner and from the outer points */
  double bend, far_bend; /* second differences, from the inner and from the outer points */
} mbs_tangent_difference;
static inline mbs_tangent_difference mbs_tangent_difference_of(const double values[MBS_FD_POINTS], double centre) {
  return (mbs_tangent_difference){.centre = centre,
                                  .near = 0.5 * (values[2] - values[1]),
                                  .far = 0.25 * (values[3] - values[0]),
                                  .bend = fabs((values[2] - centre) + (values[1] - centre)),
                                  .far_bend = fabs((values[3] - centre) + (values[0] - centre))};
}
/* Growth of the second difference from the inner to the outer points below which a law has a corner: it is 2 at a
 * corner and 4 if the law is smooth. */
static const double mbs_corner_growth = 3;
/* Computes the state at one point of a difference along s and gives the system the constants of that point, until
 * mbs_tangents_restore_constants(). */
void mbs_tangent_displace(const mbs_tangent_work *work, const mbs_fd_step *fd, int place, const double *y,
                          const double *s, double *out);
void mbs_tangents_restore_constants(const mbs_tangent_work *work);
/* Does so at all points in lanes, along s and in time at t + k h rate. Sets the positions of the lanes; their
 * velocities are in lanes->v. */
mbs_status mbs_tangent_displace_lanes(const mbs_tangent_work *work, const mbs_fd_step *fd, double t, double rate,
                                      const double *y, const double *s);
/* Computes y' at (t, y) with the present constants of the system. */
mbs_status mbs_tangents_rates(const mbs_tangent_work *work, double t, const double *y, double *dydt);

/* ---- sensitivity_residuals.c ---- */
/* Offsets of the parts of the differentiated values: r [nv], a [rows], q' [nq], W' and E_d' at constant lambda [2],
 * rates of angles that are counted by integration. */
typedef struct mbs_tangent_parts {
  size_t rows, positions, powers, turns, count;
} mbs_tangent_parts;
mbs_tangent_parts mbs_tangent_parts_of(const mbs_tangent_work *work);
/* Returns the callbacks that compute what lanes do not. */
mbs_lane_host mbs_tangent_host(mbs_tangent_work *work);
/* Computes these values at all points in lanes, into work->f. Requires lanes. */
mbs_status mbs_tangent_residuals(mbs_tangent_work *work, const mbs_fd_step *fd, double t, const double *y,
                                 const double *s);
/* Computes their derivatives along a direction into work->change, with a step that it adjusts until they are accurate
 * enough: as a whole, or `each` separately. */
mbs_status mbs_tangent_differentiate(mbs_tangent_work *work, mbs_fd_step *fd, double t, const double *y,
                                     const double *s, bool each);

/* ---- sensitivity_directions.c ---- */
/* A direction along several columns of the Jacobian. Columns are the states q and v, then the parameters. */
typedef struct mbs_direction {
  mbs_fd_step fd;
  double *s;    /* [n] change of the state */
  size_t *of;   /* [count] indices of tangents whose parameters change */
  double *by;   /* [count] changes of these parameters */
  size_t count; /* number of parameters */
} mbs_direction;
/* Allocates a direction, for a run with lanes; without `by_parameters` only the state changes. Returns false if memory
 * runs out. */
bool mbs_direction_open(mbs_tangent_work *work, bool by_parameters, mbs_direction *out, mbs_arena *arena);
void mbs_direction_clear(const mbs_tangent_work *work, mbs_direction *out);
/* Adds a column, scaled by `by` and by the scale of the state or the size of the parameter. Returns its change over a
 * step of 1. */
double mbs_direction_add(const mbs_tangent_work *work, size_t column, double by, mbs_direction *out);
/* Copies y, and sets the column of a direction to NaN in the copy or in the direction's constants. Sets along->s to
 * zero. Values computed from them are NaN if they depend on the column. The direction must have a step. */
void mbs_direction_mark_nan(const mbs_tangent_work *work, size_t column, const double *y, mbs_direction *along,
                            double *out);
/* Sets the first step of a direction after its last column was added. */
void mbs_direction_begin(mbs_direction *out, double share);
/* Returns number i of a quasi-random series between -1/2 and 1/2. No two numbers are zero or simple multiples of each
 * other. */
double mbs_quasi_random(size_t i, int series);
enum { MBS_QUASI_RANDOM_STATES = 2 };
/* Computes a generic state near y, whose values are zero only if they are zero everywhere. Returns the time at which to
 * evaluate it. */
double mbs_tangent_generic_state(const mbs_tangent_work *work, int which, const double *y, double *out);
/* Largest number of columns per tangent for which a search for entries is worthwhile. */
enum { MBS_COLUMNS_PER_TANGENT = 64 };
/* Differences along columns replace those along tangents if their number is at most this share. */
static const double mbs_most_differences = 0.75;

/* ---- sensitivity_columns.c ---- */
/* Derivatives of r and a by all states and parameters, sparse and column by column. One difference gives several
 * columns that have no common row. docs/theory/19, many parameters */
typedef struct mbs_tangent_columns mbs_tangent_columns;
/* Finds which entries are not zero near the state y of the start. Leaves work->columns NULL if differences along the
 * tangents are fewer. */
mbs_status mbs_tangent_columns_open(mbs_tangent_work *work, const double *y);
/* Computes the entries at (t, y), with the accelerations and multipliers of the motion. Returns false if the check
 * fails and the entries cannot be used. */
bool mbs_tangent_columns_fill(mbs_tangent_work *work, double t, const double *y);
/* Computes change [nv + rows], the derivatives of r and a along (s, e_j). */
void mbs_tangent_columns_times(const mbs_tangent_columns *columns, size_t j, const double *s, double *change);

/* ---- fd_step.c ---- */
/* First steps of differences, as shares of the state's scales or of a parameter's width: of integrated values, for
 * which it is also the largest, and of values that are read. */
extern const double mbs_fd_step_max, mbs_fd_step_read;
/* init: sets the first step along a direction whose parameters change by a share of `size`. begin: sets those of a
 * tangent before a run. */
void mbs_fd_step_init(mbs_fd_step *fd, const mbs_parameter_direction *direction, double size, double share);
void mbs_tangent_begin(mbs_tangent *tangent, size_t index);
/* Returns the extent of a direction s at y: its largest entry in scales of the state, where the scales of velocities
 * are at least the fastest velocity. */
double mbs_tangent_extent(const mbs_tangent_work *work, const double *y, const double *s);
/* Chooses the step along a direction s for the state y, and binds the constants of its points. Returns false if the
 * model rejects the parameter's values there, or if rounding would dominate. */
bool mbs_fd_step_choose(const mbs_tangent_work *work, mbs_fd_step *fd, const double *y, const double *s);
/* Reverts the last widening. Returns false if the width is the parameter's size. */
bool mbs_fd_step_shrink(mbs_fd_step *fd);

/* Assessment of a difference: how the next step should change. */
typedef enum mbs_fd_verdict {
  MBS_FD_SHORTER,
  MBS_FD_REPEAT,
  MBS_FD_CORNER,
  MBS_FD_GOOD,
  MBS_FD_LONGER,
  MBS_FD_WEAK,
  MBS_FD_ZERO
} mbs_fd_verdict;
/* Assesses differences of entries f [count][MBS_FD_POINTS]. The entries are zero at the state itself, up to `noise`;
 * their terms are as large as `size`. Both are in multiples of `units`, or of 1/units if `divide`. */
mbs_fd_verdict mbs_fd_assess(const double *f, size_t count, const double *units, bool divide, double size,
                             double noise);
/* Combines the assessments of two differences over the same step. */
mbs_fd_verdict mbs_fd_verdict_worse(mbs_fd_verdict one, mbs_fd_verdict other);
/* Sets the step of the next difference. Returns false if the present difference must be repeated. */
bool mbs_fd_step_update(mbs_fd_step *fd, mbs_fd_verdict one, mbs_fd_verdict other);

/* ---- sensitivity_read.c ---- */
/* Implement mbs_state_extension. */
mbs_status mbs_tangents_slope(void *context, double t, const mbs_law *law, const double *mode, int tangent, double rate,
                              double nothing, mbs_slope *out);
mbs_status mbs_tangents_bend(void *context, double t, const mbs_law *law, int tangent, double *out);
const double *mbs_tangents_at(void *context, double t, size_t *stride);
/* Returns true if observers read only positions and velocities, so that lanes can read them. */
bool mbs_tangent_reads_lanes(const mbs_tangent_work *work);
/* Computes a law's values at all points along (s, parameters of `along`), whose step is set, in lanes. */
mbs_status mbs_tangent_read_lanes(const mbs_tangent_work *work, const mbs_fd_step *along, double t, double rate,
                                  const double *y, const double *s, const mbs_law *law, double values[MBS_FD_POINTS]);
/* Computes the derivative along this direction of a law with the value `centre` at (t, y). If `fd` is NULL, the
 * direction is in time and along s only. */
mbs_status mbs_tangent_read_slope(const mbs_tangent_work *work, mbs_fd_step *fd, double t, double rate, const double *y,
                                  const double *s, const mbs_law *law, double centre, double nothing, mbs_slope *out);

/* ---- sensitivity_law_gradients.c ---- */
/* Gradients of laws that depend on few columns. */
typedef struct mbs_law_gradients mbs_law_gradients;
/* Allocates them before the first step. Returns false if memory runs out. */
bool mbs_law_gradients_open(mbs_tangent_work *work);
/* Computes the derivative along a tangent of a law whose value at the state is known. Returns false if the gradient is
 * not available; the caller then makes a difference along the tangent. */
bool mbs_law_gradient_along(mbs_tangent_work *work, mbs_interior_state *interior, const mbs_law *law, double nothing,
                            size_t tangent, mbs_slope *out);

#endif
