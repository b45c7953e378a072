/* typical_errors.h - the search for typical errors: variations of the correct block, in the order in which they are
 * reported. */
#ifndef MBS_TYPICAL_ERRORS_H
#define MBS_TYPICAL_ERRORS_H

#include "symbolic/answers/answer.h"
#include "symbolic/term_substitute.h"

typedef struct mbs_error_candidate {
  mbs_typical_error slip;
  const mbs_term *term;
  bool alive;    /* equal to the answer at all states so far, */
  bool opposite; /* or to minus the answer */
} mbs_error_candidate;

/* The variations of one block that was answered wrong. */
typedef struct mbs_error_search {
  mbs_check_work *work;
  mbs_answer_entry *entry;
  mbs_algebra *algebra;
  mbs_symbols *symbols;
  const mbs_term *right;
  mbs_error_candidate *tries;
  size_t count, room;
  bool failed; /* memory ran out */
} mbs_error_search;

/* Adds a variation of the correct block, unless its shape differs from that of the answer. */
void mbs_error_search_add(mbs_error_search *s, const char *name, const mbs_term *term, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns a term as text, for the detail of an error. */
const char *mbs_error_search_text(const mbs_error_search *s, const mbs_term *x);
/* Returns the symbols of the correct block, each once: [count]. */
const mbs_variable **mbs_error_search_symbols(mbs_error_search *s, size_t *count);
/* Adds the variation with another term in place of a symbol; if the symbol occurs several times, also the variations
 * with one occurrence replaced. */
void mbs_error_search_exchange(mbs_error_search *s, const char *name, const mbs_variable *symbol, const mbs_term *by,
                               const char *what);
/* Returns the vector between two points of bodies, or its rate. */
const mbs_term *mbs_error_search_vector(mbs_error_search *s, const mbs_spot *from, const mbs_spot *to, int rate);

/* ---- error_structure.c: signs, transposes, ~, factors, summands, order ---- */

void mbs_typical_errors_of_form(mbs_error_search *s);
void mbs_typical_errors_of_sums(mbs_error_search *s);

/* ---- error_symbols.c: other points, pivots, joints, bodies, axes, rates ---- */

void mbs_typical_errors_of_axes(mbs_error_search *s);
void mbs_typical_errors_of_names(mbs_error_search *s);
void mbs_typical_errors_of_rates(mbs_error_search *s);

#endif
