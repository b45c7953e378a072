/* claims.h - the inside of a check: claims that were read, the states that they are judged at, and slips. */
#ifndef MBS_CLAIMS_H
#define MBS_CLAIMS_H

#include "mbs/check.h"
#include "symbolic/answers/parse.h"
#include "symbolic/derivation.h"

enum { MBS_CLAIM_ROOM = 36, MBS_SLIPS_MAX = 8 };

/* A part of a claimed block: a term, a number or an expression at its place in the block. */
typedef struct mbs_claim_piece {
  int row, column;
  const mbs_term *term; /* NULL: a cell */
  mbs_claim_cell cell;
} mbs_claim_piece;

/* A matrix beside those of the equations, which claims may be about, too. */
typedef struct mbs_more_matrix {
  mbs_equation_matrix matrix;
  const mbs_block **rows; /* of gamma */
} mbs_more_matrix;

typedef struct mbs_claim_entry {
  mbs_judged judged; /* as it is told */
  const mbs_equation_block *block;
  const mbs_claim_piece *pieces;
  size_t piece_count;
  bool given_only, readable;
  bool nothing;     /* a number 0, of any size */
  bool zero;        /* nothing but numbers 0 */
  bool as_printed;  /* the very text */
  bool failed;      /* wrong at some state, */
  bool open_failed; /* at one off the constraints only */
  bool told;        /* its numbers are kept */
} mbs_claim_entry;

/* What was asked, to be asked of the model with other points again. */
typedef struct mbs_claim_request {
  mbs_claim claim;
  const char *program, *matrix; /* of a program; NULL: the claim counts */
} mbs_claim_request;

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
  mbs_claim_request *requests;
  size_t request_count, request_room;
  mbs_claim_entry **entries;
  size_t entry_count, entry_room;
  mbs_check_state *states;
  size_t state_count;
  double tolerance;
  mbs_check_scales scales;
  bool pushed; /* other forces act, too, so that what happens to be 0 is not */
} mbs_check_work;

/* ---- claims.c ---- */

/* A new entry for a block; NULL: no memory. */
mbs_claim_entry *mbs_claim_entry_new(mbs_check_work *work, const mbs_equation_matrix *matrix, size_t row,
                                     size_t column);
/* The numbers that are claimed, at the state in hand, and how large the terms are that they are sums of. False: they
 * have none. */
bool mbs_claim_value(const mbs_check_work *work, const mbs_claim_entry *entry, double out[MBS_CLAIM_ROOM],
                     double *magnitude);
/* Whether two blocks are the same for the tolerance; `floor`: what counts as nothing. */
bool mbs_claim_near(const mbs_check_work *work, const double *one, const double *other, int count, double floor);
/* Brings the system to a state, with the values of all symbols and matrices. */
mbs_status mbs_check_at(mbs_check_work *work, const mbs_check_state *state, mbs_error *error);
/* What counts as nothing beside terms and numbers as large as `magnitude`, at the state in hand. */
double mbs_claim_floor(mbs_check_work *work, const mbs_claim_entry *entry, double magnitude);
/* The largest number of a matrix at the state in hand. */
double mbs_check_largest(const mbs_equation_matrix *matrix);
/* Whether a block is judged at a state. */
bool mbs_check_applies(const mbs_claim_entry *entry, const mbs_check_state *state);

/* ---- program.c ---- */

/* Reads statements of an M-file into entries. False: no memory. */
bool mbs_check_read_program(mbs_check_work *work, const char *text, const char *matrix);

/* ---- check_states.c ---- */

/* The start, two that satisfy the constraints, three that do not, and the given one. */
mbs_status mbs_check_choose_states(mbs_check_work *work, const mbs_check_options *options, mbs_error *error);

/* ---- other_points.c ---- */

/* The same model with its points moved a little, those at mass centres excepted; NULL where there is no such. */
mbs_model *mbs_model_with_other_points(const mbs_model *model);

/* ---- slips.c ---- */

/* Names the slips that reproduce what is wrong. */
bool mbs_find_slips(mbs_check_work *work);

#endif
