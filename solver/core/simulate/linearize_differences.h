/* linearize_differences.h - derivatives of the unbalanced force f, of the rates g and r, and of the outputs of ports at
 * a state, for the files of the linearization. linearize.c has the equations. */
#ifndef MBS_LINEARIZE_DIFFERENCES_H
#define MBS_LINEARIZE_DIFFERENCES_H

#include "simulate/linearize.h"

enum { MBS_DIFFERENCES_KEPT = 8 }; /* orders of the extrapolation */

/* The kinds of unknowns (z, u, x), in the order of the columns of A, and the inputs of the ports. */
typedef enum mbs_unknown {
  MBS_UNKNOWN_POSITIONS,
  MBS_UNKNOWN_VELOCITIES,
  MBS_UNKNOWN_STATES,
  MBS_UNKNOWN_INPUTS
} mbs_unknown;

typedef struct mbs_differences {
  mbs_run_state *run;
  mbs_system *system;
  mbs_linearization *out;
  const mbs_ports *ports; /* inputs and outputs; NULL: only the state counts */
  size_t rates;           /* rows of g: the number of coordinates with rows of velocity level, else 0 */
  size_t rows;            /* rows of f, then of g, then of r, then of the outputs */
  double t;
  size_t sticking;        /* surfaces of laws that hold velocities, unless there are ports */
  int *column;            /* [rows] unknown of the current group in the part of each row; -1: none */
  int *row_part;          /* [rows] part of each row, in the current group */
  bool *settled, *moving; /* [parts] the differences of that part have ended; workspace */
  double rate;            /* scale of velocities relative to that of coordinates [1/s] */
  const double *q, *v;
  double *z, *spread, *trial_q, *trial_v, *trial_vdot; /* [nv], [nv], [nq], [nv], [nv] */
  double *u0, *held, *changes; /* [n] velocities of the state; [n] rates of held coordinates; [n] u' of the state */
  double *vdot, *lambda;       /* [nv], [rows] of the state */
  double *x0, *x_units;        /* [states] states, and their scales */
  double *F, *F_errors;        /* [n x states] derivatives of f by states */
  double *G, *G_errors;        /* [(rates + states) x (positions + n + states)] derivatives of g and r */
  double *table[2][MBS_DIFFERENCES_KEPT]; /* [rows] Neville's scheme: the previous row and the current one */
  double *plus;                           /* [rows] */
  double *best, *error,
      *estimate; /* [rows] for a column: the best estimates, their errors, the errors of the last step */
  int *worse;    /* [rows] number of steps since the best estimate of an entry */
} mbs_differences;

/* The derivatives of f, of g and r, and of the outputs by all columns of one kind, column-major. */
typedef struct mbs_derivatives {
  double sign;
  double *f, *f_errors;         /* [n x columns] times `sign` */
  double *rates, *rates_errors; /* [rows of g and r x columns] */
  double *outputs;              /* [outputs x columns] */
} mbs_derivatives;

/* Allocates the arrays in the arena of the system; run, system, out, q and v must be set. `ports` may be NULL. Returns
 * false if memory runs out. */
bool mbs_differences_open(mbs_differences *self, const mbs_ports *ports);

/* Returns the partition of the positions. */
const mbs_partition *mbs_differences_positions(const mbs_linearization *linear);

/* Returns R_i' x, x [nv]. */
double mbs_differences_column_times(const mbs_partition *partition, const double *R, size_t nv, size_t i,
                                    const double *x);

/* Returns the number of rows of f, g and r. */
size_t mbs_differences_equations(const mbs_differences *self);

/* Computes f, g and r at (z, u0 + u, x0 + x), followed by the outputs, into out[rows]. z, u and x may be NULL, which
 * stands for zero. */
mbs_status mbs_differences_unbalanced(mbs_differences *self, const double *z, const double *u, const double *x,
                                      double *out);

/* Returns the scale of independent velocity i, of coordinate i, of state i, or of input i. */
double mbs_differences_unit(const mbs_differences *self, size_t i, mbs_unknown of);

/* Returns the number of groups of `columns` unknowns of one kind. */
size_t mbs_differences_groups(const mbs_differences *self, mbs_unknown of, size_t columns);

/* Sets self->column for a group of unknowns: one of each part. */
void mbs_differences_choose(mbs_differences *self, size_t group, mbs_unknown of);

/* Computes the derivatives by all unknowns of one kind. Errors may be NULL. */
mbs_status mbs_differentiate(mbs_differences *self, mbs_unknown of, size_t columns, const mbs_derivatives *to);

/* ---- linearize_state_matrix.c ---- */

/* Computes Gamma [n x n]: a rotation dtheta of Euler parameters, which is relative to the rotated body like their
 * velocity omega, changes by domega + omega x dtheta. Held coordinates change by their rates. theory (15.13) */
bool mbs_differences_turning(const mbs_differences *self, double *Gamma);

/* Returns the number of surfaces of laws that hold velocities. */
size_t mbs_differences_sticking(const mbs_system *system);

/* Computes A, its eigenvalues and modes:
 *
 *   (G_z + Gamma, G_u, 0; -M^-1 K, -M^-1 C_d, M^-1 f_x; r_z, r_u, r_x),   G_z = 0, G_u = 1 without rows of velocity
 *                                                                       level. theory (15.14) */
mbs_status mbs_differences_state_matrix(mbs_differences *self);

#endif
