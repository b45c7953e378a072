/* derivation.h - the matrices of the equations in symbols: what mbs_equations_new() makes, and its numbers. */
#ifndef MBS_DERIVATION_H
#define MBS_DERIVATION_H

#include "inspect/inspect.h"
#include "mbs/equations.h"
#include "mbs/inspect.h"
#include "symbolic/rows.h"

/* Of a body and a column that moves it. */
typedef struct mbs_body_terms {
  mbs_motion_terms *moved;            /* [path_lengths] of the columns on its path, in their order */
  const mbs_term *drift, *turn_drift; /* its part of Bdot theta', where one of Bdot_thetad and h is derived */
} mbs_body_terms;

typedef struct mbs_equations_work {
  mbs_arena *arena;
  const char *only; /* "B,C": the matrices that are derived; NULL: all */
  const mbs_model *model;
  mbs_inspection *inspection; /* where a run starts, and a system */
  mbs_algebra algebra;
  mbs_tree_columns tree, bodies;
  mbs_symbols symbols, body_symbols;    /* of the tree; of D, in which every body floats */
  mbs_body_terms *terms;                /* [nB + 1] */
  mbs_body_motion *motions;             /* [nB + 1] */
  mbs_sum_builder summing;              /* where sums are made */
  const mbs_equation_axis *bodies_axes; /* [2 nB] r_1, phi_1, ... */
  double *user_q, *user_v, *unit;       /* [nq], [nv], [nv] */
  size_t *moving;                       /* [nv] */
  double *B, *beta, *C, *D;             /* dense, row by row; rows and columns in the document's order */
  double *M, *Jac_p;                    /* where they are derived; else NULL */
} mbs_equations_work;

/* Whether the matrices have Jac_p: constraints over (r, p) of bodies with Euler parameters, as seed 001 has them. */
static inline bool mbs_has_euler_jacobian(const mbs_model *model) {
  return model->body_formulation && model->dim == 3 && model->rows > 0;
}

/* Whether a matrix is derived. */
bool mbs_derives(const mbs_equations_work *work, const char *name);
/* Makes the matrices. False: no memory. */
bool mbs_derive(mbs_equations *equations);
/* Which rows of the matrices read alike (similar_rows.c). False: no memory. */
bool mbs_find_similar_rows(mbs_equations *equations);
/* The mechanism in sentences, and what its elements follow (description.c). False: no memory. */
bool mbs_describe(mbs_equations *equations);
/* The arrays at a state and, from them, the values of blocks and symbols. */
mbs_status mbs_equations_evaluate(mbs_equations *equations, double t, const double *q, const double *v);

#endif
