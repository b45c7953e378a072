/* mbs/check.h - comparison of a student's equations with those of a model. */
#ifndef MBS_MBS_CHECK_H
#define MBS_MBS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/equations.h"
#include "mbs/model.h"
#include "mbs/status.h"

typedef enum mbs_verdict {
  MBS_VERDICT_RIGHT,
  MBS_VERDICT_WRONG,
  MBS_VERDICT_UNREADABLE, /* the text, or what it names, is not known */
  MBS_VERDICT_SIZE        /* it can be read, but has another size than the block, or its own parts do not fit */
} mbs_verdict;

/* A number of a claimed block, or an expression of the document's language: one of the model's sensors. */
typedef struct mbs_answer_cell {
  double number;
  int sensor; /* in the document's order; -1: the number counts */
} mbs_answer_cell;

/* What is claimed of one block. */
typedef struct mbs_answer {
  const char *matrix; /* as in mbs_equations; also "gamma", rhsA of the rows over bodies, and "r", the places */
  size_t row, column; /* of the block */
  const char *text;   /* by the grammar in which blocks are printed; NULL: cells */
  size_t rows, columns;
  const mbs_answer_cell *cells; /* [rows x columns] row by row */
  bool given_only;              /* numbers of the state that is given: judged at no other */
  const char *unread;           /* why whoever made it could not read it; NULL: it could */
} mbs_answer;

typedef struct mbs_typical_error {
  const char *name;   /* "sign", "wrong_point", ... */
  const char *detail; /* a sentence without its full stop */
} mbs_typical_error;

/* A block that was claimed, and what was found. */
typedef struct mbs_block_verdict {
  const mbs_equation_matrix *matrix; /* NULL: a program that could not be read, or of which no matrix is known */
  size_t row, column;
  mbs_verdict verdict;
  bool accidental;     /* right by this document's numbers only: points elsewhere make it wrong */
  bool assembled_only; /* wrong, but right wherever the constraints hold */
  bool other_size;     /* its size is wrong, whatever the verdict */
  const char *detail;  /* of what is unreadable or has another size; else NULL */
  size_t line, place;  /* where in its text, from 1; 0: nowhere */
  const mbs_typical_error *errors;
  size_t error_count;
  bool not_analyzed;     /* it is wrong, and slips were not looked for: too much else is wrong before it */
  int rows, columns;     /* of what was claimed, */
  const double *claimed; /* and its value [rows x columns] at `state`; NULL: it has none */
  const double *value;   /* of the block there */
  const char *text;      /* how the block is printed; NULL: it is no text */
  size_t state;          /* the first at which it is wrong */
} mbs_block_verdict;

typedef struct mbs_check_state {
  double t, residual;
  const double *q, *v; /* in the document's order */
  bool assembled, given;
} mbs_check_state;

typedef struct mbs_check {
  mbs_equations *equations;
  const mbs_block_verdict *results; /* [result_count] in the order in which they were claimed */
  size_t result_count;
  size_t not_analyzed; /* wrong ones of which slips were not looked for */
  const mbs_check_state *states;
  size_t state_count;
  struct mbs_check_work *work; /* the solver's own */
} mbs_check;

typedef struct mbs_check_options {
  bool given; /* a state: t, and q, v in the document's order (NULL: as they are at the start) */
  double t;
  const double *q, *v;
  double tolerance; /* of a block's largest number; 0: 1e-6 */
  bool verdicts;    /* only these: slips are not looked for */
} mbs_check_options;

/* Derives the equations of a model, which must last as long. Returns NULL if memory runs out. */
MBS_API mbs_check *mbs_check_new(const mbs_model *model);
/* Derives some of the matrices, "B,C"; "gamma" comes with rhsA; NULL: all. */
MBS_API mbs_check *mbs_check_new_of(const mbs_model *model, const char *only);
/* Frees a check. */
MBS_API void mbs_check_free(mbs_check *check);
/* Returns the matrix of that name, or NULL. */
MBS_API const mbs_equation_matrix *mbs_check_matrix(const mbs_check *check, const char *name);
/* Adds a claim about a matrix of the equations. Its texts must last until the check is done. Returns false if memory
 * runs out. */
MBS_API bool mbs_check_add_answer(mbs_check *check, const mbs_answer *claim);
/* Adds the claims of an M-file of the DAP programs: of every matrix that it assigns if `matrix` is NULL, else of that
 * matrix; a text without an assignment is then its value. Returns false if memory runs out. */
MBS_API bool mbs_check_add_mfile(mbs_check *check, const char *text, const char *matrix);
/* Judges all claims by their values at the start, at two other states that satisfy the constraints, at three that do
 * not and at the given one. Returns MBS_OK, also if claims are wrong. Fails, and fills `error`, if the equations are
 * not defined at the given state. */
MBS_API mbs_status mbs_check_run(mbs_check *check, const mbs_check_options *options, mbs_error *error);

#endif
