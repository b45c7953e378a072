/* answer.h - shared by the files of a check: answers that were read, the states at which they are evaluated, and
 * typical errors. */
#ifndef MBS_ANSWER_H
#define MBS_ANSWER_H

#include "mbs/check.h"
#include "symbolic/answers/parse.h"
#include "symbolic/derivation.h"

enum { MBS_ANSWER_NUMBERS_MAX = 36, MBS_TYPICAL_ERRORS_MAX = 8 };

/* A part of an answer, with its row and column in the block: a term, a number or an expression. */
typedef struct mbs_answer_piece {
  int row, column;
  const mbs_term *term; /* term of the answer; NULL: `cell` is used */
  mbs_answer_cell cell;
} mbs_answer_piece;

/* A matrix for which answers are accepted although the equations do not contain it. */
typedef struct mbs_more_matrix {
  mbs_equation_matrix matrix;
  const mbs_block **rows; /* constraint blocks of the rows of gamma */
} mbs_more_matrix;

typedef struct mbs_answer_entry {
  mbs_block_verdict result; /* the reported verdict */
  const mbs_equation_block *block;
  const mbs_answer_piece *pieces;
  size_t piece_count;
  bool given_only, readable;
  bool nothing;     /* the number 0, for a block of any size */
  bool zero;        /* all its numbers are 0 */
  bool as_printed;  /* the text is exactly the printed one */
  bool failed;      /* wrong at some state, */
  bool open_failed; /* but only at states that violate the constraints */
  bool told;        /* the numbers of a wrong state are stored */
} mbs_answer_entry;

/* An answer as it was given, to be checked again with a perturbed model. */
typedef struct mbs_answer_request {
  mbs_answer claim;
  const char *program, *matrix; /* text of an M-file and its matrix; NULL: `answer` is used */
} mbs_answer_request;

/* Scales below which numbers count as zero at the current state, from the sizes of the model and of the state. */
typedef struct mbs_check_scales {
  double length, rate, mass, gravity;
  double largest[MBS_EQUATION_MATRICES +
                 2]; /* largest number of each matrix, of `places` and of `gamma`; < 0: not yet known */
} mbs_check_scales;

typedef struct mbs_check_work {
  mbs_check *check;
  mbs_arena *arena;
  const mbs_model *model;
  const char *only; /* matrices for which answers are accepted, "B,C"; NULL: all */
  mbs_equations *equations;
  mbs_more_matrix places, gamma;
  mbs_answer_request *requests;
  size_t request_count, request_room;
  mbs_answer_entry **entries;
  size_t entry_count, entry_room;
  mbs_check_state *states;
  size_t state_count;
  double tolerance;
  mbs_check_scales scales;
  bool pushed; /* additional forces act, so that terms that are 0 by chance become nonzero */
} mbs_check_work;

/* ---- answer.c ---- */

/* Creates an entry for a block. Returns NULL if memory runs out. */
mbs_answer_entry *mbs_answer_entry_new(mbs_check_work *work, const mbs_equation_matrix *matrix, size_t row,
                                       size_t column);
/* Evaluates an answer at the current state; `magnitude` is the size of the terms that are summed. Returns false if the
 * answer has no value. */
bool mbs_answer_value(const mbs_check_work *work, const mbs_answer_entry *entry, double out[MBS_ANSWER_NUMBERS_MAX],
                      double *magnitude);
/* Returns true if two blocks are equal within the tolerance; differences below `floor` are ignored. */
bool mbs_answer_is_near(const mbs_check_work *work, const double *one, const double *other, int count, double floor);
/* Sets the system to a state and evaluates all symbols and matrices. */
mbs_status mbs_check_at(mbs_check_work *work, const mbs_check_state *state, mbs_error *error);
/* Returns the size below which numbers count as zero compared with terms and numbers as large as `magnitude`, at the
 * current state. */
double mbs_answer_floor(mbs_check_work *work, const mbs_answer_entry *entry, double magnitude);
/* Returns the largest number of a matrix at the current state. */
double mbs_check_largest(const mbs_equation_matrix *matrix);
/* Returns true if a block is to be evaluated at a state. */
bool mbs_check_applies(const mbs_answer_entry *entry, const mbs_check_state *state);

/* ---- mfile_reader.c ---- */

/* Reads statements of an M-file into entries. Returns false if memory runs out. */
bool mbs_check_read_mfile(mbs_check_work *work, const char *text, const char *matrix);

/* ---- check_states.c ---- */

/* Chooses the states: the start, two that satisfy the constraints, three that do not, and the given one. */
mbs_status mbs_check_choose_states(mbs_check_work *work, const mbs_check_options *options, mbs_error *error);

/* ---- perturbed_model.c ---- */

/* Returns the same model with its points displaced slightly, except those at mass centres; NULL if there is none. */
mbs_model *mbs_model_perturbed(const mbs_model *model);

/* ---- typical_errors.c ---- */

/* Names the typical errors that reproduce a wrong answer. */
bool mbs_find_typical_errors(mbs_check_work *work);

#endif
