/* path.h - the motion of a mechanism whose drivers determine all velocities. Its positions are a path in time, Phi(q,
 * t) = 0, with velocities C v = rhsV and accelerations C v' = rhsA. The path is followed from the start in steps of its
 * own, independent of the reporting times (numerical continuation: Allgower, Georg, Introduction to Numerical
 * Continuation Methods, 1990). States on which constraints depend belong to the path.
 *
 * The path is known on one interval [from, to] at a time. Within it, states at any times can be computed in any order.
 * "Scaled" distances are relative to `units`, the characteristic sizes of the coordinates. */
#ifndef MBS_PATH_H
#define MBS_PATH_H

#include "constraints/partition.h"
#include "run/run.h"

/* A state of the path. */
typedef struct mbs_path_node {
  double t;
  double *q, *qd, *qdd;   /* [nq] coordinates and their derivatives in time */
  double *v, *a;          /* [nv] velocities and accelerations */
  double *z;              /* [state_count x 3] states on which constraints depend, with their derivatives in time */
  double log_determinant; /* log |det C| */
  int sign;               /* the sign of det C; 0 if C has lost its rank */
  double pivot_ratio;     /* smallest to largest pivot of C */
  double left;            /* time [s] until det C vanishes, extrapolated from the node before */
} mbs_path_node;

/* The crossing of a singular position, where C loses its rank. Inside the interval, states are the polynomial through
 * regular states on both sides. If the path begins at the singular position, they are on one side only. */
enum { MBS_CROSSING_POINTS = 8 };
typedef struct mbs_crossing {
  bool active;           /* the current interval is a crossing */
  double t;              /* time when C loses its rank [s] */
  double share;          /* length of a crossing, as a share of the usual one */
  mbs_path_node *points; /* [MBS_CROSSING_POINTS] the regular states (support points) */
  double *lambda;        /* [MBS_CROSSING_POINTS x rows] multipliers at the support points; set by inverse dynamics */
  int *poles; /* [rows] each multiplier grows as 1 / (t - crossing.t) to this power, 0 to 2; set by inverse dynamics */
} mbs_crossing;

typedef struct mbs_path {
  mbs_run_state *run;
  mbs_partition partition; /* all velocities depend on the drivers */
  mbs_path_node before, from, to, trial, near, ahead;
  bool has_before;            /* `before` is valid and on the same smooth piece as `from` */
  bool joined;                /* `from` and `to` are on the same smooth piece */
  bool begins_singular;       /* `to`, the first node, is a singular position */
  double largest_determinant; /* largest log |det C| of all nodes */
  double largest_ratio;       /* largest pivot ratio of all nodes */
  double renewed_determinant; /* log |det C| where the independent rows were selected */
  double limit;               /* the last time [s] at which a state is needed */
  double next;                /* length proposed for the next interval */
  double examined;            /* there is no singular position to cross up to this time [s] */
  double *units;              /* [nq] characteristic size of each coordinate */
  double *row_units;          /* [rows] characteristic size of each residual of the constraints */
  double *move;               /* [nv] */
  double *direction;          /* [nv] velocities at the start of the path or of its current piece */
  double *null_work;          /* work array for null vectors; allocated when first needed */
  double *scratch;            /* [3 nq]; the last third is zero */
  double *integrated;         /* [nq] positions of a node, integrated from the rates */
  size_t state_count;
  int *states; /* [state_count] states on which constraints depend, which are integrated with the path */
  mbs_crossing crossing;
  bool unresolved; /* the last state was not where interpolation predicted it: call mbs_path_shorten() */
} mbs_path;

/* Opens a path for a run. Returns false if memory runs out. */
bool mbs_path_open(mbs_path *path, mbs_run_state *run);

/* Starts the path, or restarts it after a change, at time t at the positions q [nq], which must satisfy the
 * constraints. At a singular position, the velocities v [nv] select the branch. States after `limit` will not be
 * needed. Call mbs_path_advance() next. */
mbs_status mbs_path_start(mbs_path *path, double t, const double *q, const double *v, double limit);

/* Copies the states at the end of the interval on which constraints depend into z [nz]. */
void mbs_path_read_states(const mbs_path *path, double *z);

/* Computes the next interval, from the end of the last one. Fails with MBS_LOCK_UP, MBS_SINGULAR_POSITION and others if
 * the path ends, and fills the run's error. */
mbs_status mbs_path_advance(mbs_path *path);

/* Makes the current interval shorter, from the same start. Call it after `unresolved`. */
mbs_status mbs_path_shorten(mbs_path *path);

/* Replaces the active crossing, which is too long for changes inside it, by a regular interval; the next crossing has
 * an eighth of the length. Sets *status. Returns false if that would be too short for exact states. */
bool mbs_path_shorten_crossing(mbs_path *path, mbs_status *status);

/* Computes the state at time t of the interval and sets the system's position, velocity and vdot to it. Inside a
 * crossing the constraints are evaluated, too, but C cannot be inverted. */
mbs_status mbs_path_state(mbs_path *path, double t, double *q, double *v);

/* Interpolates the multipliers [rows] inside a crossing from those at the support points. */
void mbs_crossing_multipliers(const mbs_path *path, double t, double *lambda);

/* Returns true if `status` rejects a step, false if the host ended the run with it. */
bool mbs_path_rejects(mbs_status status);
/* Estimates the time [s] to travel a scaled distance of 1: 1 / (|q'| + sqrt|q''|). */
double mbs_path_time_scale(const mbs_path *path, const mbs_path_node *node);

#endif
