/* typical_errors.h - the slips that are tried on a right block, in the order in which they are told. */
#ifndef MBS_TYPICAL_ERRORS_H
#define MBS_TYPICAL_ERRORS_H

#include "symbolic/answers/answer.h"
#include "symbolic/term_substitute.h"

typedef struct mbs_error_candidate {
  mbs_typical_error slip;
  const mbs_term *term;
  bool alive;    /* it has been the claim so far, */
  bool opposite; /* or minus the claim */
} mbs_error_candidate;

/* The slips of one wrong block. */
typedef struct mbs_error_search {
  mbs_check_work *work;
  mbs_answer_entry *entry;
  mbs_algebra *algebra;
  mbs_symbols *symbols;
  const mbs_term *right;
  mbs_error_candidate *tries;
  size_t count, room;
  bool failed; /* no memory */
} mbs_error_search;

/* A variation of the right block, unless its shape is not that of the claim. */
void mbs_error_search_add(mbs_error_search *s, const char *name, const mbs_term *term, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* How a term is written, for a detail. */
const char *mbs_error_search_text(const mbs_error_search *s, const mbs_term *x);
/* The symbols of the right block, each once: [count]. */
const mbs_variable **mbs_error_search_symbols(mbs_error_search *s, size_t *count);
/* Another term for a symbol: wherever it stands, and where that is several times, at each of the places by itself. */
void mbs_error_search_exchange(mbs_error_search *s, const char *name, const mbs_variable *symbol, const mbs_term *by,
                               const char *what);
/* A vector between two points of bodies, or its rate. */
const mbs_term *mbs_error_search_vector(mbs_error_search *s, const mbs_spot *from, const mbs_spot *to, int rate);

/* ---- error_structure.c: signs, transposes, ~, factors, summands, order ---- */

void mbs_typical_errors_of_form(mbs_error_search *s);
void mbs_typical_errors_of_sums(mbs_error_search *s);

/* ---- error_symbols.c: other points, pivots, joints, bodies, axes, rates ---- */

void mbs_typical_errors_of_axes(mbs_error_search *s);
void mbs_typical_errors_of_names(mbs_error_search *s);
void mbs_typical_errors_of_rates(mbs_error_search *s);

#endif
