/* touches.h - unilateral constraints and dry friction during a run: which of their rows hold, and the accelerations
 * with friction that slips.
 *
 * A row of a touch is off (zero), shown (evaluated only) or holds (a constraint like others). A closed contact holds
 * its normal row, and a surface that sticks its tangential rows; the multipliers are the forces. A surface that slips
 * has the multipliers -mu(|s|) N s/|s| on its tangential rows. The accelerations are linear in the loads N of all
 * surfaces that slip:
 *
 *     v' = v'_0 + sum of N_j v'_j,   lambda = lambda_0 + sum of N_j lambda_j,   N = load(lambda, v')
 *
 * so N is found from as many solutions with the present factors. theory (7.20) */
#ifndef MBS_TOUCHES_H
#define MBS_TOUCHES_H

#include "equations/near.h"
#include "model/touch.h"

/* Room below this share of the extent counts as zero. Chosen: far above rounding, far below the tolerance of a run. */
static const double mbs_zero_room = 1e-9;

typedef enum mbs_slip_mode { MBS_FRICTION_OFF, MBS_STICKS, MBS_SLIPS } mbs_slip_mode;

typedef struct mbs_touch_state {
  bool closed;        /* the normal row holds; true for a touch without one */
  int side;           /* limit at which it is closed */
  bool looked;        /* face and bound are known */
  double floor[2];    /* open touch: room at each side, or its rate, below which an event occurs */
  double least_N;     /* closed touch: N at the last decision about modes, if negative within its tolerance; else 0 */
  double least_limit; /* friction that sticks: mu_static N - |T| at that decision, if negative; else 0 */
  int face;     /* side or face of the surface where the open touch last was; 0: unknown, or the surface has only one */
  double bound; /* position of a limit that follows its coordinate */
  mbs_slip_mode friction;
  bool led;               /* it sticks, but other rows, such as drivers, determine its slip, which may leave zero */
  bool at_limit, at_rest; /* room or N has just reached zero; slip or mu_static N - |T| has */
  double direction[MBS_TANGENTS_MAX]; /* of the slip, at the last accepted state */
  double N;                           /* normal force [N] */
  double T[MBS_TANGENTS_MAX];         /* friction on the second body [N] */
  double slip[MBS_TANGENTS_MAX];      /* [m/s] */
  double slow;                        /* slip [m/s] of several components that the tolerance does not tell from rest */
} mbs_touch_state;

typedef enum mbs_row_use { MBS_ROW_OFF, MBS_ROW_SHOWN, MBS_ROW_HOLDS } mbs_row_use;

typedef struct mbs_touches {
  mbs_touch_state *at; /* [touch_count] */
  mbs_row_use *use;    /* [rows - bilateral_rows] */
  bool impulsive;      /* multipliers are impulses at present */
  bool follows;        /* a prescribed motion: friction slips by the state, and is zero at rest */
  bool trial;          /* modes are tried: a solution that is not unique may be left for others */
  bool unstable;       /* surfaces that slip jam together: the last solution is not the only one */
  bool any_led;        /* a touch is led: slips are needed */
  double force;        /* scale of forces at the last decision about modes */
  size_t near_count;
  int *near;                /* [touch_count] touches that are near: all others are apart; ascending */
  bool *is_near, *was_near; /* [touch_count] the touch is in the list; it was in the list before */
  size_t sided_count;
  int *sided;    /* [touch_count] touches that remember on which side they are */
  uint64_t list; /* number of the lists of near points to which `near` belongs; 0: it has all touches */
  size_t present_count;
  int *present; /* [touch_count] touches with rows that are not off, and those without a normal row */
  size_t dependent_count;
  int *dependent; /* [rows - bilateral_rows] rows that hold but depend on others */
  double *given;  /* [rows - bilateral_rows] multipliers of dependent rows with which all touches last held */
  size_t sliding_count;
  int *sliding;                 /* [touch_count] touches that slip */
  double *vdot, *lambda, *rhsA; /* [nv], [rows], [rows] solution without friction; right-hand side */
  double *vdot_of, *lambda_of;  /* [touch_count x nv], [touch_count x rows] effect of N = 1 of a touch that slips */
  double *push;                 /* [nv] */
  double *N, *missing, *raised; /* [touch_count] */
  double *A, *workspace;        /* [touch_count^2]; for LAPACK */
} mbs_touches;

/* Returns the force element of a touch. */
static inline const mbs_force *mbs_touch_force(const mbs_system *system, const mbs_touch *touch) {
  return &system->model->forces[touch->force];
}
/* Returns x, which belongs to a normal row, with the sign of room. */
static inline double mbs_touch_signed(const mbs_touch_state *state, double x) { return state->side ? -x : x; }
/* Returns the length of a slip or friction in n directions. */
double mbs_slip_length(const double *x, int n);
/* Returns a slip or friction as outputs show it: in a single direction it has a sign. */
double mbs_slip_shown(const double *x, int n);

/* Allocates the touches of a system, all open. Returns NULL if memory runs out. */
mbs_touches *mbs_touches_new(const mbs_model *model, mbs_arena *arena);
/* Opens all touches and switches their rows off, as before a run. */
void mbs_touches_forget(mbs_system *system);

static inline bool mbs_touch_row_is_off(const mbs_system *system, int row) {
  return system->touches->use[(size_t)row - system->model->bilateral_rows] == MBS_ROW_OFF;
}
static inline bool mbs_touch_row_holds(const mbs_system *system, int row) {
  return system->touches->use[(size_t)row - system->model->bilateral_rows] == MBS_ROW_HOLDS;
}

/* Sets the use of all rows by the states of their touches. `shown`: rows of open touches that `shown` [touch_count]
 * lists are evaluated; NULL: they are off. */
void mbs_touches_use_rows(mbs_system *system, const bool *shown);
/* Sets the use of all rows by the states of their touches, and makes those rows of touches active that hold. */
void mbs_touches_use_held(mbs_system *system);
/* Updates the list of near touches at the current position. A touch that is not in the list is apart (near.h). */
void mbs_touches_find_near(mbs_system *system);
/* Updates the near touches, and the faces at which those with surfaces are, at an accepted place of a path that is no
 * motion in time, or a prescribed one. */
void mbs_touches_look(mbs_system *system);
/* Visits the near touches. */
#define MBS_EACH_NEAR(touches, i) \
  for (size_t n_##i = 0, i; n_##i < (touches)->near_count && (i = (size_t)(touches)->near[n_##i], true); n_##i++)

/* Adds the friction that slips to vdot and lambda, which mbs_accelerate() has computed without it, and computes the
 * forces N and T of all touches. Returns MBS_PAINLEVE, with the element named, if the friction has no solution, or
 * two. */
mbs_status mbs_touches_accelerate(mbs_system *system);
/* Adds the impulses of friction that slips to vdot and lambda, which mbs_solve_impulse() has computed without them. The
 * coefficient is mu_dynamic, and the direction that of the state. N and T become impulses. */
mbs_status mbs_touches_impulse(mbs_system *system);
/* Reports, unless there is an error already, that the friction of a touch has no solution of a kind (`which`); `why` is
 * added to the message. Returns MBS_PAINLEVE. */
mbs_status mbs_touch_fail_painleve(mbs_system *system, const mbs_touch *touch, const char *which, const char *why);
/* Distributes the forces of surfaces that touch redundantly, such as the corners of a box. TO_HOLD: so that all touches
 * hold, if any distribution does that; the last one is kept while it holds. TO_SHOW: loads as equally as possible, then
 * friction that sticks so that the sum of (|T| / N)^2 is least. Changes N and T of the touches only. */
typedef enum mbs_sharing { MBS_SHARE_TO_HOLD, MBS_SHARE_TO_SHOW } mbs_sharing;
void mbs_touches_share(mbs_system *system, mbs_sharing to);
/* Computes the slips [m/s] of touches at the evaluated state; 0 for tangential rows that are off. Touches without a row
 * in use keep theirs. */
void mbs_touches_read_slips(mbs_system *system);
/* Returns mu at the slip [m/s] of a surface. */
double mbs_dry_coefficient(const mbs_dry_friction *law, double slip);
/* Returns mu_static N - |T|. */
double mbs_touch_spare_friction(const mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state);
/* Returns the slip [m/s] up to which a prescribed motion rests. */
double mbs_slow_slip(const mbs_system *system);
/* Returns the value of a normal row with the sign of room: positive while the touch is open. */
double mbs_touch_room(mbs_system *system, const mbs_touch *touch, int side);
/* Returns the length [m] that counts as much as 1 in the normal row of a touch: for angles the size of the model. */
double mbs_touch_lever(const mbs_system *system, const mbs_touch *touch);

/* Updates the face in the state of an open touch, and the bound of a limit that follows its coordinate. */
void mbs_touch_look(mbs_system *system, const mbs_touch *touch);

/* Stores the outputs of all touches, at the evaluated state. */
void mbs_touches_show(mbs_system *system);
/* Computes the margins of the switches of touches: room while open, N while closed; for friction, the slip along
 * `direction` while it slips, and mu_static N - |T| while it sticks, but at most mbs_slow_slip() minus the slip if
 * other rows determine the slip. The state must be evaluated if any touch is closed. */
void mbs_touches_margins(mbs_system *system, double *margins);
/* Stores margins that a decision about modes leaves negative within its tolerance: events occur below these values. */
void mbs_touches_keep_margins(mbs_system *system);
/* Returns the margin of switch `index`, which must be one of a touch, alone. The state must be evaluated if the margin
 * needs the forces: the touch is closed; otherwise position and velocity must be set. */
double mbs_touch_margin(mbs_system *system, size_t index);
bool mbs_touch_margin_needs_forces(const mbs_system *system, size_t index);
/* Returns the touch that has switch `index`, or NULL. */
const mbs_touch *mbs_touch_of_switch(const mbs_model *model, size_t index);
/* Records the event of switch `index`; mbs_touches_settle() then decides the modes. */
void mbs_touch_event(mbs_system *system, size_t index);
/* Finds the slips in several directions that the tolerance does not tell from rest, at the evaluated state. */
void mbs_touches_find_slow(mbs_system *system);
/* Stores the directions of slips at an accepted state, whose velocity the system has. */
void mbs_touches_accepted(mbs_system *system);
/* Makes the friction of joints follow the state, as for a prescribed motion: it slips, or at rest is zero. All other
 * touches stay open. */
void mbs_touches_follow(mbs_system *system);
/* Limits of a prescribed motion, two for each contact and each touch that limits a coordinate: their number, and their
 * margins at the current state. */
size_t mbs_count_limits(const mbs_model *model);
void mbs_read_limits(mbs_system *system, double *margins);
/* Handles limit `index`, whose margin has become negative. Returns its touch if the motion exceeds it; NULL if the
 * limit follows by a step. */
const mbs_touch *mbs_exceed_limit(mbs_system *system, size_t index);

/* Returns true if any touch is closed and has rows or loads, so that margins need the forces. */
bool mbs_touches_need_forces(const mbs_system *system);

#endif
