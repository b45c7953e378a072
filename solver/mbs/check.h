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
  MBS_VERDICT_UNREADABLE, /* the text cannot be parsed, or it contains an unknown name */
  MBS_VERDICT_SIZE /* readable, but its size differs from that of the block, or the sizes of its parts do not match */
} mbs_verdict;

/* One number of an answer. It is a constant or the value of a sensor of the model, which is then an expression. */
typedef struct mbs_claim_cell {
  double number;
  int sensor; /* index in the document's order; -1: `number` is used */
} mbs_claim_cell;

/* A student's answer for one block. */
typedef struct mbs_claim {
  const char *matrix; /* name as in mbs_equations; also "gamma" (rhsA of the rows over bodies) and "r" (positions) */
  size_t row, column; /* indices of the block */
  const char *text;   /* answer in the notation in which blocks are printed; NULL: `cells` is used */
  size_t rows, columns;
  const mbs_claim_cell *cells; /* [rows x columns] row by row */
  bool given_only;             /* valid at the given state only, so not compared at other states */
  const char *unread;          /* the reader's reason why it could not read the answer; NULL if it could */
} mbs_claim;

typedef struct mbs_slip {
  const char *name;   /* for instance "sign" or "wrong_point" */
  const char *detail; /* a sentence without its full stop */
} mbs_typical_error;

/* The verdict on one answer. */
typedef struct mbs_judged {
  const mbs_equation_matrix *matrix; /* NULL: an M-file that could not be read or that assigns no known matrix */
  size_t row, column;
  mbs_verdict verdict;
  bool accidental;     /* right only because of this document's numbers: wrong with points elsewhere */
  bool assembled_only; /* wrong, but right where the constraints are satisfied */
  bool other_size;     /* the size is wrong, whatever the verdict */
  const char *detail;  /* explains MBS_VERDICT_UNREADABLE and MBS_VERDICT_SIZE; else NULL */
  size_t line, place;  /* position in the answer's text, from 1; 0: unknown */
  const mbs_slip *slips;
  size_t slip_count;
  bool unsought;         /* wrong, but not searched for typical errors because too many answers before it are wrong */
  int rows, columns;     /* size of the answer */
  const double *claimed; /* [rows x columns] value of the answer at `state`; NULL: none */
  const double *value;   /* value of the model's block at `state` */
  const char *text;      /* the block as it is printed; NULL: not available as text */
  size_t state;          /* index of the first state at which the answer is wrong */
} mbs_judged;

typedef struct mbs_check_state {
  double t, residual;
  const double *q, *v; /* in the document's order */
  bool assembled, given;
} mbs_check_state;

typedef struct mbs_check {
  mbs_equations *equations;
  const mbs_judged *judged; /* [judged_count] in the order in which the answers were added */
  size_t judged_count;
  size_t unsought; /* number of wrong answers that were not searched for typical errors */
  const mbs_check_state *states;
  size_t state_count;
  struct mbs_check_work *work; /* internal to the solver */
} mbs_check;

typedef struct mbs_check_options {
  bool given; /* a state is given: t, and q, v in the document's order (NULL: values at the start) */
  double t;
  const double *q, *v;
  double tolerance; /* relative to the largest number of a block; 0: 1e-6 */
  bool verdicts;    /* computes verdicts only, without a search for typical errors */
} mbs_check_options;

/* Derives the equations of a model. The model must outlive the check. Returns NULL if memory runs out. */
MBS_API mbs_check *mbs_check_new(const mbs_model *model);
/* Derives only the matrices listed in `only`, for instance "B,C"; NULL: all. "gamma" is derived with rhsA. */
MBS_API mbs_check *mbs_check_new_of(const mbs_model *model, const char *only);
/* Frees a check. */
MBS_API void mbs_check_free(mbs_check *check);
/* Returns the matrix of that name, or NULL. */
MBS_API const mbs_equation_matrix *mbs_check_matrix(const mbs_check *check, const char *name);
/* Adds an answer for a matrix of the equations. Its texts must exist until the check ends. Returns false if memory runs
 * out. */
MBS_API bool mbs_check_claim(mbs_check *check, const mbs_claim *claim);
/* Adds the answers of an M-file of the DAP programs. If `matrix` is NULL, it adds each matrix that the file assigns;
 * otherwise only that matrix. A text without an assignment is the value of `matrix`. Returns false if memory runs
 * out. */
MBS_API bool mbs_check_program(mbs_check *check, const char *text, const char *matrix);
/* Evaluates all answers at the start, at two other states that satisfy the constraints, at three that do not, and at
 * the given state. Returns MBS_OK even if answers are wrong. Fails, and fills `error`, if the equations are not defined
 * at the given state. */
MBS_API mbs_status mbs_check_run(mbs_check *check, const mbs_check_options *options, mbs_error *error);

#endif
