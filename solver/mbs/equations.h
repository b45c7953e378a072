/* mbs/equations.h - the equations of motion of a model as formulas. */
#ifndef MBS_MBS_EQUATIONS_H
#define MBS_MBS_EQUATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/formula.h"
#include "mbs/model.h"
#include "mbs/status.h"

/* A place of a body. */
typedef struct mbs_equation_place {
  size_t body;  /* in the document's order, from 1; 0: the ground */
  double at[3]; /* from its mass centre, body axes */
} mbs_equation_place;

/* A name in the equations, with its value at the state that was evaluated last. */
typedef struct mbs_equation_symbol {
  const char *name, *meaning, *unit; /* "d_{2,1}"; unit may be NULL */
  const char *kind;                  /* "scalar", "vector", "matrix" */
  const char *equal;                 /* another name of the same, or NULL */
  unsigned matrices;                 /* that it occurs in: bit m of the m-th */
  int rows, columns;
  const double *value;                 /* [rows x columns], row by row */
  const char *bodies[2], *points[2];   /* of a vector between points: where it begins and ends; NULL: a mass centre */
  const char *joint;                   /* whose axis, pivot or coordinate it is, or NULL */
  const mbs_equation_place *from, *to; /* where a vector between points begins and ends; where an axis stands, or what
                                          belongs to a body: from alone; NULL: nowhere */
  const struct mbs_term *term;
} mbs_equation_symbol;

/* A row or column of blocks. */
typedef struct mbs_equation_axis {
  const char *label; /* "theta_1", "r_1", "B.xy" */
  int size;          /* numbers */
  const char *const
      *velocities; /* [size] of a column: labels of the velocities; NULL: a row of bodies or constraints */
  const char *bodies[2], *element; /* whose motion it is, and the joint of a column; of a constraint its two bodies, and
                                      its joint or driver; NULL: none */
} mbs_equation_axis;

/* A signed sum of products of symbols. */
typedef struct mbs_equation_block {
  const struct mbs_term *term;
  bool zero;           /* wherever the mechanism is */
  bool closed;         /* what is written holds on the constraints only; the value is that of the arrays */
  const double *value; /* [size of its row x size of its column], row by row: what the solver computes with */
} mbs_equation_block;

typedef struct mbs_equation_matrix {
  const char *name; /* "B", "Bdot_thetad", "C", "D", "Jac_p", "rhsV", "rhsA", "M", "h" */
  bool vector;      /* one column, which has no label */
  size_t row_count, column_count;
  const mbs_equation_axis *rows, *columns;
  mbs_equation_block *blocks; /* [row_count x column_count], row by row */
  const size_t *alike;        /* [row_count] the first row that reads the same but for its indices; maybe itself */
} mbs_equation_matrix;

typedef enum mbs_equation_role { MBS_ROLE_FORCE, MBS_ROLE_DRIVER, MBS_ROLE_CONSTRAINT } mbs_equation_role;

/* A force element, a driver, or a joint of curves or of an expression: what it follows. */
typedef struct mbs_equation_element {
  const char *name, *type;
  mbs_equation_role role;
  const char *equation; /* of its class, as the manual has it */
  const char *function; /* of a driver: the class of what it follows, "harmonic"; else NULL */
  const char *follows;  /* and its equation; or NULL */
  size_t law_count;
  const char *const *laws;     /* [law_count] expressions of the document, */
  const char *const *pointers; /* [law_count] and where they stand */
} mbs_equation_element;

/* What carries a body in the tree. */
typedef struct mbs_equation_branch {
  const char *body, *on, *joint; /* joint: NULL, it floats */
} mbs_equation_branch;

/* The equations M theta'' - C' lambda = h, C theta'' = rhsA of a model, in blocks. */
typedef struct mbs_equations {
  mbs_equation_matrix *matrices; /* [matrix_count]; a mechanism without constraints has none of C, D, rhsV, rhsA */
  size_t matrix_count;
  mbs_equation_symbol *symbols; /* [symbol_count] that occur in them */
  size_t symbol_count;
  const char **words; /* [word_count] sentences: coordinates, tree, cuts, drivers */
  size_t word_count;
  const char **system; /* [system_count] the equations that are solved, and how constraints are kept */
  size_t system_count;
  mbs_equation_element *elements; /* [element_count] forces, drivers, constraints with laws */
  size_t element_count;
  mbs_equation_branch *tree; /* [body_count] of the bodies in the document's order */
  size_t body_count;
  const char *formulation; /* "joint" or "body" */
  int dimension;
  const char *const *q_labels, *const *v_labels;
  size_t q_count, v_count;
  double t, residual;              /* of the state evaluated last: largest residual of the constraints */
  const double *q, *v;             /* [q_count], [v_count], in the document's order */
  struct mbs_equations_work *work; /* the solver's own */
} mbs_equations;

/* How large a matrix of the equations would be, as is known before they are derived: blocks that vanish by their
 * numbers only are counted, too. */
typedef struct mbs_equation_size {
  const char *name;
  size_t cells;    /* blocks, also those that are zero, */
  size_t blocks;   /* those that are not, */
  size_t products; /* and the products that these are sums of */
} mbs_equation_size;

enum { MBS_EQUATION_MATRICES = 9 };

/* Computes the sizes of the matrices of a model's equations, in their order. Returns their number, or 0 if memory runs
 * out. */
MBS_API size_t mbs_equations_sizes(const mbs_model *model, mbs_equation_size sizes[MBS_EQUATION_MATRICES]);
/* Derives the equations in the model's formulation. The model must last as long. Returns NULL if memory runs out. */
MBS_API mbs_equations *mbs_equations_new(const mbs_model *model);
/* Derives some of the matrices, "B,C"; NULL: all. */
MBS_API mbs_equations *mbs_equations_new_of(const mbs_model *model, const char *only);
/* Frees equations. */
MBS_API void mbs_equations_free(mbs_equations *equations);
/* Evaluates the equations at the start of a run, with corrected initial conditions. On failure it returns the status,
 * fills `error`, and the numbers are those of the document's start. */
MBS_API mbs_status mbs_equations_start(mbs_equations *equations, mbs_error *error);
/* Evaluates the equations at a state, q and v in the document's order (NULL: unchanged), without a correction.
 * Fails, and fills `error`, if the constraints are not defined at the position. */
MBS_API mbs_status mbs_equations_at(mbs_equations *equations, double t, const double *q, const double *v,
                                    mbs_error *error);
/* Writes a term in a notation. The text lasts as long as the equations; it is "" if memory runs out. */
MBS_API const char *mbs_equations_written(mbs_equations *equations, const struct mbs_term *term, mbs_notation notation);

#endif
