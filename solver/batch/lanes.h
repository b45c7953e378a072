/* lanes.h - four or eight mechanisms of one structure evaluated at once, a lane of a vector each, by the kernels
 * compiled once more over vectors. Numbers and states are a lane's own; its results have the bits that it has alone.
 *
 * Arrays are interleaved: number i of lane k stands at width i + k. What is called works on all lanes, in the
 * order positions, velocities, rows, forces, the rest, as an evaluation does (equations/system.h). */
#ifndef MBS_LANES_H
#define MBS_LANES_H

#include "equations/system.h"
#include "mbs/model.h"
#include "results/output.h"

enum { MBS_LANES_MOST = 8 };

/* The numbers of a mechanism a lane. */
typedef struct mbs_lane_numbers {
  const struct mbs_lane_operations *operations;
  double *blocks, *joints, *kernels, *radius2, *points, *forces, *laws; /* of their constants, interleaved */
  double **literals; /* [law_count] of the laws of forces, interleaved; NULL: a constant */
  double gravity[3 * MBS_LANES_MOST];
} mbs_lane_numbers;

/* Who computes of each lane what is not computed over vectors, for the state in hand at lanes->t. */
typedef struct mbs_lane_host {
  void *user;
  void (*functions)(void *user); /* calls mbs_lanes_set_functions() */
  /* Where lanes do not compute them: calls mbs_lanes_extract(), mbs_lanes_push(). */
  void (*forces)(void *user);
} mbs_lane_host;

typedef struct mbs_lanes {
  const mbs_model *model;
  const struct mbs_lane_operations *operations;
  size_t width;
  void *own;      /* of the kernels over vectors */
  double *bodies; /* workspace of the kernels, [nB + 1] bodies of theirs */
  /* [force_count] over vectors; NULL: forces are computed lane by lane */
  const struct mbs_force_class **forces;
  double *q, *v;          /* [nq], [nv] the state, to be filled */
  double *functions;      /* [3 function_count] C, C', C'' */
  double *Phi, *C;        /* [rows], [value_count] */
  double *rhsV, *rhsA;    /* [rows] */
  double *vdot, *lambda;  /* [nv], [rows] */
  double *h;              /* [nv] */
  double *outputs;        /* [output_count] of force elements */
  double *reactions;      /* [joint_count x 6] */
  double *pushed, *rates; /* [nv] C' lambda; [rows] products with C */
  double *missing;        /* [rows] workspace */
  double *shown;          /* [MBS_LANES_MOST][nq + nv] states of the lanes that systems were left at */
  double *row_units, *v_units;
  bool *active; /* [rows] that are not left out as redundant, of all lanes the same */
  bool all_active;
  double redundant[MBS_LANES_MOST]; /* the largest residual of the others, in units, after a projection */
  double projection_goal[MBS_LANES_MOST], time[MBS_LANES_MOST]; /* of the systems, that projections ask for */
  /* Of steps: */
  mbs_lane_host host;
  double t[MBS_LANES_MOST];
  double power_work[MBS_LANES_MOST], power_dissipated[MBS_LANES_MOST],
      driven[MBS_LANES_MOST];                                      /* of the last slope [W] */
  double potential_forces[MBS_LANES_MOST];                         /* [J] */
  double pivot_ratio[MBS_LANES_MOST], least_ratio[MBS_LANES_MOST]; /* below it is not fine */
  bool fine[MBS_LANES_MOST]; /* false: some slope is not what the ordinary way alone makes it */
  double *y, *f0, *y1, *f1;  /* [states] */
  double *stages;            /* workspace of the method */
  double *errors;            /* [states] of the steps, as estimated */
  double *error_scales;      /* [states] what the absolute tolerance of a lane is counted in */
  double *inside;            /* [states] inside the steps */
} mbs_lanes;

/* What of a model lanes do not suit, as "curves"; NULL: nothing. */
const char *mbs_lanes_unsupported_reason(const mbs_model *model);
/* Whether they suit all of it, and the processor has the vectors. */
bool mbs_lanes_supported(const mbs_model *model);

/* The widest that the processor has, but not more than `most`, 4 or more. NULL: no memory. */
mbs_lanes *mbs_lanes_new(const mbs_model *model, size_t most, mbs_arena *arena);
/* Numbers for these lanes. */
mbs_lane_numbers *mbs_lane_numbers_new(const mbs_lanes *lanes, mbs_arena *arena);
/* Gives a lane the numbers of these constants. */
void mbs_lane_numbers_set(mbs_lane_numbers *numbers, const mbs_constants *constants, int lane);
/* Makes no number (NaN) of each that the lanes do not have in common: what it makes of an evaluation is what depends on
 * it, whatever its values. */
void mbs_lane_numbers_mark_nan(mbs_lane_numbers *numbers, const mbs_model *model);
/* Evaluations are of these numbers from now on, as they are at this moment. */
void mbs_lanes_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers);

/* to [n] := from [n], of each lane its own, and back; to [n] := y [n] + reach s [n], with a reach for each. */
void mbs_lanes_gather(const mbs_lanes *lanes, double *to, size_t n, const double *const from[MBS_LANES_MOST]);
void mbs_lanes_scatter(const mbs_lanes *lanes, const double *from, size_t n, double *const to[MBS_LANES_MOST]);
void mbs_lanes_along(const mbs_lanes *lanes, double *to, size_t n, const double *y, const double *s,
                     const double reach[MBS_LANES_MOST]);
/* Functions of time of a lane, through a system that has its numbers; returns that system's fault. */
mbs_status mbs_lanes_set_functions(mbs_lanes *lanes, int lane, mbs_system *system, double t);
void mbs_lanes_set_position(mbs_lanes *lanes);
void mbs_lanes_set_velocity(mbs_lanes *lanes);
/* Phi, C, rhsV and rhsA, as `want` of mbs_constraints() says. */
void mbs_lanes_constraints(mbs_lanes *lanes, int want);
/* Leaves a system that has the numbers of a lane at its position and, once it is set, its velocity. It must not outlive
 * the lanes there. */
void mbs_lanes_extract(const mbs_lanes *lanes, int lane, mbs_system *system);
/* What elements exert on the bodies of a lane, what they show, and their powers, which such a system has computed. */
void mbs_lanes_push(mbs_lanes *lanes, int lane, const mbs_system *system);
/* Forces of all lanes, at lanes->t: wrenches, and power_work and power_dissipated; those that lanes do not take by
 * lanes->host. */
void mbs_lanes_forces(mbs_lanes *lanes);
/* h := h - M v'; bodies have accelerations no more. */
void mbs_lanes_residual_forces(mbs_lanes *lanes);
/* rates := C x, x [nv] */
void mbs_lanes_jacobian_times(mbs_lanes *lanes, const double *x);
/* pushed := C' y, y [rows] */
void mbs_lanes_jacobian_transposed(mbs_lanes *lanes, const double *y);

/* ---- one mechanism, at several times ---- */
/* Gives all lanes a system's numbers and units; its factors of M and S, with the rows that they are of. */
void mbs_lanes_broadcast(mbs_lanes *lanes, mbs_lane_numbers *numbers, const mbs_system *system);
void mbs_lanes_broadcast_factors(mbs_lanes *lanes, const mbs_system *system);
/* Leaves out the rows that a system has left out as redundant, of all lanes. */
void mbs_lanes_take_rows(mbs_lanes *lanes, const mbs_system *system);
/* Moves the positions onto the constraints, those of the Euler parameters among them, then the velocities, as
 * mbs_project_positions() and mbs_project_velocities() do as long as the factors in hand serve; `good` of a lane
 * becomes false where they do not, or where redundant rows contradict the others. */
void mbs_lanes_project_positions(mbs_lanes *lanes, bool good[MBS_LANES_MOST]);
void mbs_lanes_project_velocities(mbs_lanes *lanes, bool good[MBS_LANES_MOST]);

/* ---- several mechanisms, a step of each ---- */
/* Room for the steps of a method, by its name, of so many states; *stages gets the numbers that its workspace has.
 * The first `judged` of them are the motion. False: no memory, or the method is none that lanes have. */
bool mbs_lanes_open_steps(mbs_lanes *lanes, const char *method, size_t states, size_t judged, mbs_arena *arena,
                          size_t *stages);
/* What a lane's errors [states] are counted in; the tolerances are the model's. */
void mbs_lanes_take_error_scales(mbs_lanes *lanes, int lane, const double *units);
/* The units and what else a lane's system tells of projections and pivots. */
void mbs_lanes_take_system(mbs_lanes *lanes, int lane, const mbs_system *system);
/* Makes y at t the state in hand, with its functions of time. */
void mbs_lanes_at(mbs_lanes *lanes, const double t[MBS_LANES_MOST], double *y);
/* f [states] at t of the state y. */
void mbs_lanes_rates(mbs_lanes *lanes, const double t[MBS_LANES_MOST], double *y, double *f);
/* From (t, y) with slopes f0 over h: y1, not projected. Returns how many slopes that took. */
uint64_t mbs_lanes_step(mbs_lanes *lanes, const double t[MBS_LANES_MOST], const double h[MBS_LANES_MOST]);
/* Of these steps, whose ends y1 have the slopes f1 (unless the method judges early): errors, and the norm of those of
 * the motion; and, with f1, how near to the border of stability they are, above 1 beyond it. */
void mbs_lanes_errors(mbs_lanes *lanes, const double h[MBS_LANES_MOST], double norm[MBS_LANES_MOST]);
void mbs_lanes_stiffness(const mbs_lanes *lanes, const double h[MBS_LANES_MOST], double out[MBS_LANES_MOST]);
/* Makes the stages of these steps, whose ends y1 have the slopes f1, ready for dense output. Returns how many slopes
 * that took. */
uint64_t mbs_lanes_prepare(mbs_lanes *lanes, const double t[MBS_LANES_MOST], const double h[MBS_LANES_MOST]);
/* What interpolation adds to the errors of steps that are prepared, in tolerances, as the method has it. */
void mbs_lanes_dense_error(const mbs_lanes *lanes, double out[MBS_LANES_MOST]);
/* The states inside at `times` of steps that are prepared, from t over h to t1. */
void mbs_lanes_inside(mbs_lanes *lanes, const double t[MBS_LANES_MOST], const double h[MBS_LANES_MOST],
                      const double t1[MBS_LANES_MOST], const double times[MBS_LANES_MOST]);
/* Makes such a state that in hand, moved onto the constraints where lanes are good, with velocities where these are
 * wanted. As for mbs_lanes_project_positions(), `good` becomes false where that is not what a run by itself does. Where
 * the state was on the constraints to the bit, `stays` is true. */
void mbs_lanes_stand(mbs_lanes *lanes, const double times[MBS_LANES_MOST], bool velocities, bool good[MBS_LANES_MOST],
                     bool stays[MBS_LANES_MOST]);
/* Whether lanes read an input, and what it is in the state in hand. */
bool mbs_lanes_read_input(const mbs_input *input);
void mbs_lanes_read(const mbs_lanes *lanes, const mbs_input *input, double out[MBS_LANES_MOST]);
/* Leaves a system with the factors that its lane had last. */
void mbs_lanes_return_factors(const mbs_lanes *lanes, int lane, mbs_system *system);
/* The same later, from numbers [mbs_lanes_factor_numbers()] that keep what the lane had last. */
size_t mbs_lanes_factor_numbers(const mbs_model *model);
void mbs_lanes_keep_factors(const mbs_lanes *lanes, int lane, double *kept);
void mbs_lanes_return_kept(const double *kept, mbs_system *system);

#endif
