/* derivation.h - derives the matrices of the equations in symbols (mbs_equations_new()) and evaluates them. */
#ifndef MBS_DERIVATION_H
#define MBS_DERIVATION_H

#include "inspect/inspect.h"
#include "mbs/equations.h"
#include "mbs/inspect.h"
#include "symbolic/rows.h"

/* Terms of a body for the columns that move it. */
typedef struct mbs_body_terms {
  mbs_motion_terms *moved;            /* [path_lengths] for the columns on its path, in their order */
  const mbs_term *drift, *turn_drift; /* contribution of the body to Bdot theta', if Bdot_thetad or h is derived */
} mbs_body_terms;

typedef struct mbs_equations_work {
  mbs_arena *arena;
  const char *only; /* "B,C": the matrices that are derived; NULL: all */
  const mbs_model *model;
  mbs_inspection *inspection; /* the state at the start of a run, and a system */
  mbs_algebra algebra;
  mbs_tree_columns tree, bodies;
  mbs_symbols symbols, body_symbols;    /* symbols of the tree; symbols of D, in which every body floats */
  mbs_body_terms *terms;                /* [nB + 1] */
  mbs_body_motion *motions;             /* [nB + 1] */
  struct mbs_rotor_terms *rotors;       /* [rotor_count], if M or h is derived */
  mbs_sum_builder summing;              /* workspace for sums */
  const mbs_equation_axis *bodies_axes; /* [2 nB] r_1, phi_1, ... */
  double *user_q, *user_v, *unit;       /* [nq], [nv], [nv] */
  size_t *moving;                       /* [nv] */
  double *B, *beta, *C, *D;             /* dense, row by row; rows and columns in the document's order */
  double *M, *Jac_p;                    /* NULL if not derived */
} mbs_equations_work;

/* Returns true if the matrices include Jac_p: constraints over (r, p) of bodies with Euler parameters, as in seed
 * 001. */
static inline bool mbs_has_euler_jacobian(const mbs_model *model) {
  return model->body_formulation && model->dim == 3 && model->bilateral_rows > 0;
}

/* Returns true if a matrix is derived. */
bool mbs_derives(const mbs_equations_work *work, const char *name);
/* Derives the matrices. Returns false if memory runs out. */
bool mbs_derive(mbs_equations *equations);
/* Finds similar rows of the matrices (similar_rows.c). Returns false if memory runs out. */
bool mbs_find_similar_rows(mbs_equations *equations);
/* Describes the mechanism and the laws of its elements in sentences (description.c). Returns false if memory runs
 * out. */
bool mbs_describe(mbs_equations *equations);
/* Evaluates the arrays at a state and, from them, the values of blocks and symbols. */
mbs_status mbs_equations_evaluate(mbs_equations *equations, double t, const double *q, const double *v);

#endif
