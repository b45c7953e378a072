/* answer.h - the inside of a check: claims that were read, the states that they are judged at, and slips. */
#ifndef MBS_ANSWER_H
#define MBS_ANSWER_H

#include "mbs/check.h"
#include "symbolic/answers/parse.h"
#include "symbolic/derivation.h"

enum { MBS_ANSWER_NUMBERS_MAX = 36, MBS_TYPICAL_ERRORS_MAX = 8 };

/* A part of a claimed block: a term, a number or an expression at its place in the block. */
typedef struct mbs_answer_piece {
  int row, column;
  const mbs_term *term; /* NULL: a cell */
  mbs_answer_cell cell;
} mbs_answer_piece;

/* A matrix beside those of the equations, which claims may be about, too. */
typedef struct mbs_more_matrix {
  mbs_equation_matrix matrix;
  const mbs_block **rows; /* of gamma */
} mbs_more_matrix;

typedef struct mbs_answer_entry {
  mbs_block_verdict result; /* as it is told */
  const mbs_equation_block *block;
  const mbs_answer_piece *pieces;
  size_t piece_count;
  bool given_only, readable;
  bool nothing;     /* a number 0, of any size */
  bool zero;        /* nothing but numbers 0 */
  bool as_printed;  /* the very text */
  bool failed;      /* wrong at some state, */
  bool open_failed; /* at one off the constraints only */
  bool told;        /* its numbers are kept */
} mbs_answer_entry;

/* What was asked, to be asked of the model with other points again. */
typedef struct mbs_answer_request {
  mbs_answer claim;
  const char *program, *matrix; /* of a program; NULL: the claim counts */
} mbs_answer_request;

/* What counts as nothing at the state in hand: sizes of the model and of the state. */
typedef struct mbs_check_scales {
  double length, rate, mass, gravity;
  double largest[MBS_EQUATION_MATRICES + 2]; /* number of each matrix, of `places` and of `gamma`; < 0: not yet known */
} mbs_check_scales;

typedef struct mbs_check_work {
  mbs_check *check;
  mbs_arena *arena;
  const mbs_model *model;
  const char *only; /* the matrices that claims may be about, "B,C"; NULL: all */
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
  bool pushed; /* other forces act, too, so that what happens to be 0 is not */
} mbs_check_work;

/* ---- answer.c ---- */

/* A new entry for a block; NULL: no memory. */
mbs_answer_entry *mbs_answer_entry_new(mbs_check_work *work, const mbs_equation_matrix *matrix, size_t row,
                                       size_t column);
/* The numbers that are claimed, at the state in hand, and how large the terms are that they are sums of. False: they
 * have none. */
bool mbs_answer_value(const mbs_check_work *work, const mbs_answer_entry *entry, double out[MBS_ANSWER_NUMBERS_MAX],
                      double *magnitude);
/* Whether two blocks are the same for the tolerance; `floor`: what counts as nothing. */
bool mbs_answer_is_near(const mbs_check_work *work, const double *one, const double *other, int count, double floor);
/* Brings the system to a state, with the values of all symbols and matrices. */
mbs_status mbs_check_at(mbs_check_work *work, const mbs_check_state *state, mbs_error *error);
/* What counts as nothing beside terms and numbers as large as `magnitude`, at the state in hand. */
double mbs_answer_floor(mbs_check_work *work, const mbs_answer_entry *entry, double magnitude);
/* The largest number of a matrix at the state in hand. */
double mbs_check_largest(const mbs_equation_matrix *matrix);
/* Whether a block is judged at a state. */
bool mbs_check_applies(const mbs_answer_entry *entry, const mbs_check_state *state);

/* ---- mfile_reader.c ---- */

/* Reads statements of an M-file into entries. False: no memory. */
bool mbs_check_read_mfile(mbs_check_work *work, const char *text, const char *matrix);

/* ---- check_states.c ---- */

/* The start, two that satisfy the constraints, three that do not, and the given one. */
mbs_status mbs_check_choose_states(mbs_check_work *work, const mbs_check_options *options, mbs_error *error);

/* ---- perturbed_model.c ---- */

/* The same model with its points moved a little, those at mass centres excepted; NULL where there is no such. */
mbs_model *mbs_model_perturbed(const mbs_model *model);

/* ---- typical_errors.c ---- */

/* Names the slips that reproduce what is wrong. */
bool mbs_find_typical_errors(mbs_check_work *work);

#endif
