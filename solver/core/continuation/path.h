/* path.h - the motion of a mechanism whose drivers leave no freedom of velocities. Its positions are a path in time,
 * Phi(q, t) = 0, and so are velocities and accelerations, C v = rhsV, C v' = rhsA; the path is followed from the start
 * in steps of its own, whatever the times that are asked for (numerical continuation: Allgower, Georg, Introduction to
 * Numerical Continuation Methods, 1990).
 *
 * The path is known on one interval [from, to] at a time. Within it any state can be had, in any order. */
#ifndef MBS_PATH_H
#define MBS_PATH_H

#include "constraints/partition.h"
#include "run/run.h"

/* A state of the path. */
typedef struct mbs_path_node {
  double t;
  double *q, *qd, *qdd;   /* [nq] coordinates and their derivatives in time */
  double *v, *a;          /* [nv] velocities and accelerations */
  double log_determinant; /* of C: of its absolute value, */
  int sign;               /* and its sign; 0 where C has lost its rank */
  double pivot_ratio;     /* of C's smallest to its largest pivot */
  double left;            /* how long until it vanishes, if it goes on as from the node before */
} mbs_path_node;

/* A singular position that the path passes, C losing its rank there: within the interval states are the polynomial
 * through regular ones on both sides (or, where the path begins at it, on the one side there is). */
enum { MBS_CROSSING_POINTS = 8 };
typedef struct mbs_crossing {
  bool active;           /* over the present interval */
  double t;              /* when C loses its rank */
  double share;          /* its length, as a share of the usual one */
  mbs_path_node *points; /* [MBS_CROSSING_POINTS] the regular states */
  double *lambda;        /* [MBS_CROSSING_POINTS x rows] multipliers at the support points, for whoever wants them, */
  int *poles; /* [rows] and the power of 1 / (t - crossing.t) with which each grows without bounds, at most 2 */
} mbs_crossing;

typedef struct mbs_path {
  mbs_run_state *run;
  mbs_partition partition; /* all velocities depend on the drivers */
  mbs_path_node before, from, to, trial, near, ahead;
  bool has_before;            /* there is one, of the same smooth piece */
  bool joined;                /* so are `from` and `to` */
  bool begins_singular;       /* `to`, the first node, is a singular position */
  double largest_determinant; /* its logarithm, of all nodes */
  double largest_ratio;       /* of pivots, of all nodes */
  double renewed_determinant; /* and where the rows that are kept were chosen */
  double limit;               /* the path is not asked for beyond */
  double next;                /* length proposed for the next interval */
  double examined;            /* up to this time no singular position is passed */
  double *units;              /* [nq] what is of order 1 in a coordinate */
  double *row_units;          /* [rows] and in a row of the constraints */
  double *move;               /* [nv] */
  double *direction;          /* [nv] velocities before the path began, anew or at all */
  double *null_work;          /* of null vectors, once they are asked for */
  double *scratch;            /* [3 nq], the last third of zeros */
  double *integrated;         /* [nq] positions of a node as they follow from the rates */
  mbs_crossing crossing;
  bool unresolved; /* a state asked for was not where its interval said: see mbs_path_shorten() */
} mbs_path;

/* Room for a path; false without memory. */
bool mbs_path_open(mbs_path *path, mbs_run_state *run);

/* Begins, or begins anew after a change, at the positions q [nq], which satisfy the constraints, at t. Of the
 * velocities v [nv] only what the constraints leave open counts, in a singular position. States beyond `limit` will not
 * be asked for. Then mbs_path_advance(). */
mbs_status mbs_path_start(mbs_path *path, double t, const double *q, const double *v, double limit);

/* The next interval, from where the last one ends. MBS_LOCK_UP, MBS_SINGULAR_POSITION and others where the path ends,
 * with the run's error filled. */
mbs_status mbs_path_advance(mbs_path *path);

/* After `unresolved`: the interval begins where it did, but is shorter. */
mbs_status mbs_path_shorten(mbs_path *path);

/* Instead of the active crossing, which is too long for what changes meanwhile: a regular interval, and nearer to
 * the singular position a crossing of an eighth of its length. False where that would be too short for exact states. */
bool mbs_path_shorten_crossing(mbs_path *path, mbs_status *status);

/* The state at t within the interval: it is the system's position and velocity, and its vdot. Inside a crossing the
 * constraints are known, too, but C cannot be inverted. */
mbs_status mbs_path_state(mbs_path *path, double t, double *q, double *v);

/* Multipliers [rows] inside a crossing, from those of the support points. */
void mbs_crossing_multipliers(const mbs_path *path, double t, double *lambda);

/* Whether a status rejects a step; those of the host end the run. */
bool mbs_path_rejects(mbs_status status);
/* How long the path takes for a way of 1, in units. */
double mbs_path_time_scale(const mbs_path *path, const mbs_path_node *node);

#endif
