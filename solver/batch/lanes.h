/* lanes.h - evaluates four or eight mechanisms of one structure at once, each in a vector lane. The kernels are
 * compiled a second time, over vectors. Each lane has its own numbers and states; its results equal those of a separate
 * evaluation bit for bit.
 *
 * Arrays are interleaved: number i of lane k is at index width i + k. Functions work on all lanes, in the order of an
 * evaluation (equations/system.h): positions, velocities, rows, forces, the remainder. */
#ifndef MBS_LANES_H
#define MBS_LANES_H

#include "equations/system.h"
#include "mbs/model.h"
#include "results/output.h"

enum { MBS_LANES_MAX = 8 };

/* Numbers of one mechanism per lane. */
typedef struct mbs_lane_numbers {
  const struct mbs_lane_operations *operations;
  double *blocks, *joints, *kernels, *radius2, *rotors, *rotor_masses, *points, *forces,
      *laws;         /* numbers of the constants, interleaved */
  double **literals; /* [law_count] literals of the force laws, interleaved; NULL: a constant */
  double gravity[3 * MBS_LANES_MAX];
} mbs_lane_numbers;

/* Callbacks that compute, lane by lane, what is not computed over vectors, for the current state at lanes->t. */
typedef struct mbs_lane_host {
  void *user;
  void (*functions)(void *user); /* calls mbs_lanes_set_functions() */
  /* If forces are not computed over vectors: calls mbs_lanes_extract() and mbs_lanes_store_forces(). */
  void (*forces)(void *user);
} mbs_lane_host;

typedef struct mbs_lanes {
  const mbs_model *model;
  const struct mbs_lane_operations *operations;
  size_t width;
  void *own;      /* data of the vector kernels */
  double *bodies; /* [nB + 1] bodies, workspace of the vector kernels */
  /* [force_count] vector versions of the force elements; NULL: forces are computed lane by lane */
  const struct mbs_force_class **forces;
  double *q, *v;          /* [nq], [nv] the state, filled by the caller */
  double *functions;      /* [3 function_count] C, C', C'' */
  double *Phi, *C;        /* [rows], [value_count] */
  double *rhsV, *rhsA;    /* [rows] */
  double *vdot, *lambda;  /* [nv], [rows] */
  double *h;              /* [nv] */
  double *outputs;        /* [output_count] of force elements */
  double *reactions;      /* [joint_count x 6] */
  double *pushed, *rates; /* [nv] C' lambda; [rows] products with C */
  double *missing;        /* [rows] workspace */
  double *shown;          /* [MBS_LANES_MAX][nq + nv] states of lanes, to which systems point */
  double *row_units, *v_units;
  bool *active; /* [rows] not omitted as redundant; the same in all lanes */
  bool all_active;
  double redundant[MBS_LANES_MAX]; /* largest scaled residual of redundant rows after a projection */
  double projection_goal[MBS_LANES_MAX], time[MBS_LANES_MAX]; /* values of each lane's system */
  /* Data of steps: */
  mbs_lane_host host;
  double t[MBS_LANES_MAX];
  double power_work[MBS_LANES_MAX], power_dissipated[MBS_LANES_MAX], driven[MBS_LANES_MAX]; /* last slope [W] */
  double potential_forces[MBS_LANES_MAX];                                                   /* [J] */
  double pivot_ratio[MBS_LANES_MAX], least_ratio[MBS_LANES_MAX]; /* ratio of S; not fine below the least */
  bool fine[MBS_LANES_MAX]; /* the lane's result is valid; false: some slope needs more than the ordinary solution */
  double *y, *f0, *y1, *f1; /* [states] */
  double *stages;           /* workspace of the method */
  double *errors;           /* [states] estimated errors of the steps */
  double *error_scales;     /* [states] scales of each lane's absolute tolerance */
  double *inside;           /* [states] inside the steps */
} mbs_lanes;

/* Returns a feature of the model that lanes do not support on any processor, e.g. "curves"; NULL if there is none. */
const char *mbs_lanes_unsupported_reason(const mbs_model *model);
/* Returns true if lanes support the model, and the processor has the vector instructions. */
bool mbs_lanes_supported(const mbs_model *model);

/* Creates as many lanes as the processor has, but at most `most`, which is at least 4. Returns NULL if memory runs
 * out. */
mbs_lanes *mbs_lanes_new(const mbs_model *model, size_t most, mbs_arena *arena);
/* Allocates numbers for these lanes. Returns NULL if memory runs out. */
mbs_lane_numbers *mbs_lane_numbers_new(const mbs_lanes *lanes, mbs_arena *arena);
/* Sets the numbers of a lane from constants. */
void mbs_lane_numbers_set(mbs_lane_numbers *numbers, const mbs_constants *constants, int lane);
/* Sets each number that differs between lanes to NaN. Results of an evaluation that become NaN depend on such a number
 * for any value. */
void mbs_lane_numbers_mark_nan(mbs_lane_numbers *numbers, const mbs_model *model);
/* Makes evaluations use the present values of these numbers. */
void mbs_lanes_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers);

/* gather: copies from[k] [n] of each lane k to the interleaved array `to`; scatter: the reverse; along: to := y + reach
 * s [n], with a `reach` for each lane. */
void mbs_lanes_gather(const mbs_lanes *lanes, double *to, size_t n, const double *const from[MBS_LANES_MAX]);
void mbs_lanes_scatter(const mbs_lanes *lanes, const double *from, size_t n, double *const to[MBS_LANES_MAX]);
void mbs_lanes_along(const mbs_lanes *lanes, double *to, size_t n, const double *y, const double *s,
                     const double reach[MBS_LANES_MAX]);
/* Evaluates the functions of time of a lane with a system that has its numbers. Returns the status of that system. */
mbs_status mbs_lanes_set_functions(mbs_lanes *lanes, int lane, mbs_system *system, double t);
void mbs_lanes_set_position(mbs_lanes *lanes);
void mbs_lanes_set_velocity(mbs_lanes *lanes);
/* Computes Phi, C, rhsV and rhsA, as selected by `want` of mbs_constraints(). */
void mbs_lanes_constraints(mbs_lanes *lanes, int want);
/* Copies the current state of a lane and its functions of time to a system that has the lane's numbers. Velocities are
 * valid only after mbs_lanes_set_velocity(). A spatial system then points into the lanes and must not outlive them. */
void mbs_lanes_extract(const mbs_lanes *lanes, int lane, mbs_system *system);
/* Copies the wrenches, outputs and powers of force elements, computed by such a system, into its lane. */
void mbs_lanes_store_forces(mbs_lanes *lanes, int lane, const mbs_system *system);
/* Computes the forces of all lanes at lanes->t: wrenches, power_work and power_dissipated. Calls lanes->host for forces
 * without a vector version. */
void mbs_lanes_forces(mbs_lanes *lanes);
/* Computes h := h - M v'. Overwrites the accelerations of the bodies. */
void mbs_lanes_residual_forces(mbs_lanes *lanes);
/* Computes rates := C x, with x [nv]. */
void mbs_lanes_jacobian_times(mbs_lanes *lanes, const double *x);
/* Computes pushed := C' y, with y [rows]. */
void mbs_lanes_jacobian_transposed(mbs_lanes *lanes, const double *y);

/* ---- one mechanism, at several times ---- */
/* broadcast gives all lanes the numbers and scales of a system; broadcast_factors gives them its factors of M and S,
 * with the active rows. */
void mbs_lanes_broadcast(mbs_lanes *lanes, mbs_lane_numbers *numbers, const mbs_system *system);
void mbs_lanes_broadcast_factors(mbs_lanes *lanes, const mbs_system *system);
/* Makes all lanes omit the rows that a system omits as redundant. */
void mbs_lanes_set_active_rows(mbs_lanes *lanes, const mbs_system *system);
/* Projects positions, including Euler parameters, and then velocities onto the constraints, like
 * mbs_project_positions() and mbs_project_velocities() while the current factors serve. Clears `good` of a lane if the
 * factors do not serve or if redundant rows contradict the others. */
void mbs_lanes_project_positions(mbs_lanes *lanes, bool good[MBS_LANES_MAX]);
void mbs_lanes_project_velocities(mbs_lanes *lanes, bool good[MBS_LANES_MAX]);

/* ---- several mechanisms, one step of each ---- */
/* Allocates the steps of a method, given by name, for `states`, of which the first `n_error` are the motion. Sets
 * *stages to the length of the method's workspace. Returns false if memory runs out or lanes do not have the method. */
bool mbs_lanes_open_steps(mbs_lanes *lanes, const char *method, size_t states, size_t n_error, mbs_arena *arena,
                          size_t *stages);
/* Sets the scales of a lane's errors [states]. The tolerances are those of the model. */
void mbs_lanes_set_error_scales(mbs_lanes *lanes, int lane, const double *units);
/* Sets the scales of a lane and what projections and pivot tests need, from the lane's system. */
void mbs_lanes_set_projection_scales(mbs_lanes *lanes, int lane, const mbs_system *system);
/* Makes y at t the current state and evaluates its functions of time. */
void mbs_lanes_at(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y);
/* Computes the slopes f [states] of the state y at t. */
void mbs_lanes_rates(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y, double *f);
/* Steps from (t, y) with slopes f0 over h to y1, without projection. Returns the number of slopes evaluated. */
uint64_t mbs_lanes_step(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]);
/* errors: estimates the errors of these steps and computes the norms of those of the motion. The ends y1 must have
 * their slopes f1, unless the method knows its error early. stiffness: computes, from f1, the distance to the border of
 * stability; above 1 the step is beyond it. */
void mbs_lanes_errors(mbs_lanes *lanes, const double h[MBS_LANES_MAX], double norm[MBS_LANES_MAX]);
void mbs_lanes_stiffness(const mbs_lanes *lanes, const double h[MBS_LANES_MAX], double out[MBS_LANES_MAX]);
/* Prepares the stages of these steps for dense output; the ends y1 have the slopes f1. Returns the number of slopes
 * evaluated. */
uint64_t mbs_lanes_prepare(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]);
/* Computes what interpolation adds to the errors of prepared steps, in tolerances, as the method estimates it. */
void mbs_lanes_dense_error(const mbs_lanes *lanes, double out[MBS_LANES_MAX]);
/* Interpolates prepared steps, from t over h to t1, at `times`. */
void mbs_lanes_inside(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX],
                      const double t1[MBS_LANES_MAX], const double times[MBS_LANES_MAX]);
/* Makes these interpolated states current, projected in the lanes that are `good`; with velocities if `velocities`.
 * Clears `good` of a lane whose result would differ from that of a separate run, as mbs_lanes_project_positions() does.
 * Sets `stays` if the projection did not change a single bit of the state. */
void mbs_lanes_set_state(mbs_lanes *lanes, const double times[MBS_LANES_MAX], bool velocities, bool good[MBS_LANES_MAX],
                         bool stays[MBS_LANES_MAX]);
/* read_input: returns true if lanes can read this input. read: returns its value in the current state. */
bool mbs_lanes_read_input(const mbs_input *input);
void mbs_lanes_read(const mbs_lanes *lanes, const mbs_input *input, double out[MBS_LANES_MAX]);
/* Gives a system the last factors of its lane. */
void mbs_lanes_extract_factors(const mbs_lanes *lanes, int lane, mbs_system *system);
/* store_factors stores the last factors of a lane in numbers [mbs_lanes_factor_numbers()]; restore_factors gives a
 * system the stored factors later. */
size_t mbs_lanes_factor_numbers(const mbs_model *model);
void mbs_lanes_store_factors(const mbs_lanes *lanes, int lane, double *kept);
void mbs_lanes_restore_factors(const double *kept, mbs_system *system);

#endif
