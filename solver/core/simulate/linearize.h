/* linearize.h - linearizes the equations of motion at a state, in independent coordinates z and their velocities u:
 *
 *   M dz'' + C_d dz' + K dz = 0.
 *
 * With rows of velocity level more coordinates than velocities are independent, z [positions] and u [n]:
 *
 *   z' = G_z z + G_u u,   M u' + C_d u + K z = 0,   (z, u)' = A (z, u). theory (15.14)
 *
 * A law that sticks with a guard of velocities is such a row, too, unless there are ports: u is without its velocity.
 *
 * With states x' = r(z, u, x) of the document and of elements, (z, u, x)' = A (z, u, x). */
#ifndef MBS_LINEARIZE_H
#define MBS_LINEARIZE_H

#include "constraints/partition.h"
#include "run/run.h"
#include "simulate/eigenmodes.h"

/* Inputs that are changed, and outputs that are read, besides the state. */
typedef struct mbs_ports {
  size_t inputs, outputs;
  void *user;
  double (*unit)(void *user, size_t input);                   /* size of an ordinary change of an input */
  mbs_status (*set)(void *user, size_t input, double change); /* changes an input from its value at the state */
  /* Reads the outputs at a state (q, v) at t. */
  mbs_status (*read)(void *user, double t, const double *q, const double *v, double *out);
} mbs_ports;

typedef struct mbs_linearization {
  mbs_partition partition;     /* the choice of independent velocities */
  size_t n, positions, states; /* number of independent velocities; of independent coordinates; of states */
  size_t moving;               /* number of velocities u in A */
  bool *held;                  /* [n] velocities that laws that stick determine, which are not in A; or NULL */
  bool singular;               /* C has lost rank at the state, where there are more degrees of freedom */
  double *R, *Rq;              /* [nv x n], [nv x positions] v = R u, displacements Rq z; column-major */
  double *M, *C, *K;           /* [n x n], [n x n], [n x positions] column-major */
  double *C_errors, *K_errors; /* estimated errors of C and K */
  double *A;        /* [(positions + moving + states)^2] column-major; NULL without rows of velocity level and states */
  double *A_errors; /* estimated errors of A; or NULL */
  double *B;        /* [n x inputs] M u' = ... + B w for changes w of inputs; NULL without ports */
  double *Br;       /* [rows of level velocity + states, x inputs] the same for z' and x' */
  double *Y, *Yw;   /* [outputs x (positions + n + states), inputs] outputs change by Y (z, u, x) + Yw w */
  double *Gamma;    /* [positions^2] z' = ... + Gamma z, in K and C_d already unless there is A; or NULL */
  double rounding;  /* rounding error of accelerations, in scales [1/s^2] */
  mbs_eigenmodes eigen; /* eigenvalues and shapes, the latter in z */
} mbs_linearization;

/* Linearizes at the run's (q, v) at t, which must satisfy the constraints, into workspace of its system. Switches keep
 * the modes of that state. `ports` may be NULL. Returns MBS_NOT_FINITE if there is no derivative. */
mbs_status mbs_linearize(mbs_run_state *run, double t, const mbs_ports *ports, mbs_linearization *out);

/* Linearizes at another state (q, v), at t, which satisfies the constraints, with the independent coordinates and
 * velocities of `of` and without ports. Switches and touches keep their modes. `out` shares the factors of the
 * partition with `of`. */
mbs_status mbs_linearize_near(mbs_run_state *run, double t, const double *q, const double *v,
                              const mbs_linearization *of, mbs_linearization *out);

/* Returns 1 if no eigenvalue has a positive real part, 0 if one has, and -1 if the linear equations do not decide: one
 * eigenvalue is zero, or the state is singular. */
int mbs_linearization_stable(const mbs_linearization *linear);
/* The note of the report on a singular state. */
extern const char mbs_linearization_singular[];

#endif
