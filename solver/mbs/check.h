/* mbs/check.h - compares a student's equations with those of a model. */
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
  MBS_VERDICT_UNREADABLE, /* the text, or a name in it, is not known */
  MBS_VERDICT_SIZE        /* readable, but the block has another size, or parts of the answer do not fit together */
} mbs_verdict;

/* An element of an answer: a number, or an expression of the document's language, which is one of the model's
 * sensors. */
typedef struct mbs_answer_cell {
  double number;
  int sensor; /* number of the sensor in the document's order; -1: `number` is used */
} mbs_answer_cell;

/* A student's answer for one block. */
typedef struct mbs_answer {
  const char *matrix; /* name as in mbs_equations; also "gamma", rhsA of the rows over bodies, and "r", the positions */
  size_t row, column; /* position of the block */
  const char *text;   /* the answer in the grammar in which blocks are printed; NULL: `cells` is used */
  size_t rows, columns;
  const mbs_answer_cell *cells; /* [rows x columns], row by row */
  bool given_only;              /* numbers at the given state: not evaluated at other states */
  const char *unread;           /* reason why the caller could not read the answer; NULL if it could */
} mbs_answer;

typedef struct mbs_typical_error {
  const char *name;   /* "sign", "wrong_point", ... */
  const char *detail; /* a sentence without its full stop */
} mbs_typical_error;

/* The verdict on the answer for one block. */
typedef struct mbs_block_verdict {
  const mbs_equation_matrix *matrix; /* NULL if an M-file could not be read, or contains no known matrix */
  size_t row, column;
  mbs_verdict verdict;
  bool accidental;     /* correct only by the numbers of this document: wrong if the points are elsewhere */
  bool assembled_only; /* wrong, but correct where the constraints hold */
  bool other_size;     /* the size is wrong, with any verdict */
  const char *detail;  /* error of an unreadable answer, or of its size; else NULL */
  size_t line, place;  /* position of the error in the text, from 1; 0: none */
  const mbs_typical_error *errors;
  size_t error_count;
  bool not_analyzed;     /* wrong, but not searched for typical errors, because too many other answers are wrong */
  int rows, columns;     /* size of the answer */
  const double *claimed; /* value of the answer [rows x columns] at `state`; NULL: it has none */
  const double *value;   /* value of the correct block there */
  const char *text;      /* the correct block as printed; NULL: it has no text */
  size_t state;          /* the first state at which the answer is wrong */
} mbs_block_verdict;

typedef struct mbs_check_state {
  double t, residual;
  const double *q, *v; /* state in the document's order */
  bool assembled, given;
} mbs_check_state;

typedef struct mbs_check {
  mbs_equations *equations;
  const mbs_block_verdict *results; /* [result_count] in the order of the answers */
  size_t result_count;
  size_t not_analyzed; /* number of wrong answers that were not searched for typical errors */
  const mbs_check_state *states;
  size_t state_count;
  struct mbs_check_work *work; /* private */
} mbs_check;

typedef struct mbs_check_options {
  bool given; /* a state is given: t, and q, v in the document's order (NULL: those at the start) */
  double t;
  const double *q, *v;
  double tolerance; /* relative to the largest number of the block; 0: 1e-6 */
  bool verdicts;    /* verdicts only: no search for typical errors */
} mbs_check_options;

/* Derives the equations of a model, which must last as long. Returns NULL if memory runs out. */
MBS_API mbs_check *mbs_check_new(const mbs_model *model);
/* Derives some of the matrices, "B,C"; "gamma" comes with rhsA; NULL: all. */
MBS_API mbs_check *mbs_check_new_of(const mbs_model *model, const char *only);
/* Frees a check. */
MBS_API void mbs_check_free(mbs_check *check);
/* Returns the matrix of that name, or NULL. */
MBS_API const mbs_equation_matrix *mbs_check_matrix(const mbs_check *check, const char *name);
/* Adds an answer for a block of the equations. Its texts must last until the check is done. Returns false if memory
 * runs out. */
MBS_API bool mbs_check_add_answer(mbs_check *check, const mbs_answer *claim);
/* Adds the answers in a MATLAB M-file: all matrices that it assigns if `matrix` is NULL, else only that matrix, for
 * which a text without an assignment is also accepted. Returns false if memory runs out. */
MBS_API bool mbs_check_add_mfile(mbs_check *check, const char *text, const char *matrix);
/* Evaluates all answers at the start, at two other states that satisfy the constraints, at three that do not, and at
 * the given state. Returns MBS_OK even if answers are wrong. Fails, and fills `error`, if the equations are not defined
 * at the given state. */
MBS_API mbs_status mbs_check_run(mbs_check *check, const mbs_check_options *options, mbs_error *error);

#endif
