/* mbs/equations.h - the equations of motion of a model as formulas. */
#ifndef MBS_MBS_EQUATIONS_H
#define MBS_MBS_EQUATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/formula.h"
#include "mbs/model.h"
#include "mbs/status.h"

/* A point of a body. */
typedef struct mbs_equation_place {
  size_t body;  /* index in the document's order, from 1; 0: the ground */
  double at[3]; /* position from the mass centre, in body axes [m] */
} mbs_equation_place;

/* A symbol of the equations, with its value at the last evaluated state. */
typedef struct mbs_equation_symbol {
  const char *name, *meaning, *unit; /* name, for instance "d_{2,1}"; unit may be NULL */
  const char *kind;                  /* "scalar", "vector", "matrix" */
  const char *equal;                 /* another symbol with the same value, or NULL */
  unsigned matrices;                 /* set of the matrices that contain the symbol: bit m for matrix m */
  int rows, columns;
  const double *value;               /* [rows x columns], row by row */
  const char *bodies[2], *points[2]; /* first and last point of a vector between points; NULL: a mass centre */
  const char *joint;                 /* joint to which the axis, pivot or coordinate belongs, or NULL */
  /* First and last point of a vector between points. An axis, and a symbol of one body, have `from` only. */
  const mbs_equation_place *from, *to;
  const struct mbs_term *term;
} mbs_equation_symbol;

/* A row or column of blocks. */
typedef struct mbs_equation_axis {
  const char *label;             /* "theta_1", "r_1", "B.xy" */
  int size;                      /* numbers */
  const char *const *velocities; /* [size] a column: labels of its velocities; NULL: a row */
  /* Moving bodies of a column, and their joint; the two bodies of a constraint, and its joint or driver. NULL: none. */
  const char *bodies[2], *element;
} mbs_equation_axis;

/* A signed sum of products of symbols. */
typedef struct mbs_equation_block {
  const struct mbs_term *term;
  bool zero;           /* zero at all positions */
  bool closed;         /* the formula holds only where the constraints are satisfied; the value is that of the arrays */
  const double *value; /* [size of its row x size of its column], row by row: the solver's numbers */
} mbs_equation_block;

typedef struct mbs_equation_matrix {
  const char *name; /* "B", "Bdot_thetad", "C", "D", "Jac_p", "rhsV", "rhsA", "M", "h" */
  bool vector;      /* a single column, which has no label */
  size_t row_count, column_count;
  const mbs_equation_axis *rows, *columns;
  mbs_equation_block *blocks; /* [row_count x column_count], row by row */
  const size_t *alike;        /* [row_count] first row that differs in indices only; may be itself */
} mbs_equation_matrix;

typedef enum mbs_equation_role { MBS_ROLE_FORCE, MBS_ROLE_DRIVER, MBS_ROLE_CONSTRAINT } mbs_equation_role;

/* A force element, a driver, or a joint of curves or of an expression, with its equation. */
typedef struct mbs_equation_element {
  const char *name, *type;
  mbs_equation_role role;
  const char *equation; /* equation of its class, as in the manual */
  const char *function; /* a driver: the class of its function of time, for instance "harmonic"; else NULL */
  const char *follows;  /* equation of that function; NULL: none */
  size_t law_count;
  const char *const *laws;     /* [law_count] expressions of the document */
  const char *const *pointers; /* [law_count] their JSON pointers */
} mbs_equation_element;

/* The parent of a body in the tree. */
typedef struct mbs_equation_branch {
  const char *body, *on, *joint; /* joint is NULL if the body floats */
} mbs_equation_branch;

/* The equations M theta'' - C' lambda = h, C theta'' = rhsA of a model, in blocks. */
typedef struct mbs_equations {
  mbs_equation_matrix *matrices; /* [matrix_count]; without C, D, rhsV and rhsA if there are no constraints */
  size_t matrix_count;
  mbs_equation_symbol *symbols; /* [symbol_count] symbols that the matrices contain */
  size_t symbol_count;
  const char **words; /* [word_count] sentences about coordinates, tree, cuts and drivers */
  size_t word_count;
  const char **system; /* [system_count] equations that are solved, and the method that satisfies the constraints */
  size_t system_count;
  mbs_equation_element *elements; /* [element_count] forces, drivers, constraints with laws */
  size_t element_count;
  const mbs_formula_function *functions; /* [function_count] functions of the document that laws may call */
  size_t function_count;
  mbs_equation_branch *tree; /* [body_count] parents of the bodies, in the document's order */
  size_t body_count;
  const char *formulation; /* "joint" or "body" */
  int dimension;
  const char *const *q_labels, *const *v_labels;
  size_t q_count, v_count;
  double t, residual;              /* time and largest constraint residual at the last evaluated state */
  const double *q, *v;             /* [q_count], [v_count], in the document's order */
  struct mbs_equations_work *work; /* internal to the solver */
} mbs_equations;

/* The size of a matrix of the equations, known before they are derived. Blocks that are zero only for the given numbers
 * are counted as nonzero. */
typedef struct mbs_equation_size {
  const char *name;
  size_t cells;    /* all blocks */
  size_t blocks;   /* nonzero blocks */
  size_t products; /* products in the sums of the nonzero blocks */
} mbs_equation_size;

enum { MBS_EQUATION_MATRICES = 9 };

/* Computes the sizes of the matrices of a model's equations, in the order of the matrices. Returns their number, or 0
 * if memory runs out. */
MBS_API size_t mbs_equations_sizes(const mbs_model *model, mbs_equation_size sizes[MBS_EQUATION_MATRICES]);
/* Derives the equations in the model's formulation. The model must outlive them. Returns NULL if memory runs out. */
MBS_API mbs_equations *mbs_equations_new(const mbs_model *model);
/* Derives only the matrices listed in `only`, for instance "B,C"; NULL: all. */
MBS_API mbs_equations *mbs_equations_new_of(const mbs_model *model, const char *only);
/* Frees equations. */
MBS_API void mbs_equations_free(mbs_equations *equations);
/* Evaluates the equations at the start of a run, with corrected initial conditions. On failure it returns the status,
 * fills `error`, and evaluates them at the document's initial values. */
MBS_API mbs_status mbs_equations_start(mbs_equations *equations, mbs_error *error);
/* Evaluates the equations at a state, q and v in the document's order (NULL: unchanged), without a correction.
 * Fails, and fills `error`, if the constraints are not defined at the position. */
MBS_API mbs_status mbs_equations_at(mbs_equations *equations, double t, const double *q, const double *v,
                                    mbs_error *error);
/* Writes a term in a notation. The text exists as long as the equations; it is "" if memory runs out. */
MBS_API const char *mbs_equations_written(mbs_equations *equations, const struct mbs_term *term, mbs_notation notation);

#endif
