/* slips.h - the slips that are tried on a right block, in the order in which they are told. */
#ifndef MBS_SLIPS_H
#define MBS_SLIPS_H

#include "symbolic/answers/claims.h"
#include "symbolic/edit.h"

typedef struct mbs_slip_try {
  mbs_slip slip;
  const mbs_term *term;
  bool alive;    /* it has been the claim so far, */
  bool opposite; /* or minus the claim */
} mbs_slip_try;

/* The slips of one wrong block. */
typedef struct mbs_slip_search {
  mbs_check_work *work;
  mbs_claim_entry *entry;
  mbs_algebra *algebra;
  mbs_symbols *symbols;
  const mbs_term *right;
  mbs_slip_try *tries;
  size_t count, room;
  bool failed; /* no memory */
} mbs_slip_search;

/* A variation of the right block, unless its shape is not that of the claim. */
void mbs_slip_add(mbs_slip_search *s, const char *name, const mbs_term *term, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* How a term is written, for a detail. */
const char *mbs_slip_text(const mbs_slip_search *s, const mbs_term *x);
/* The symbols of the right block, each once: [count]. */
const mbs_variable **mbs_slip_symbols(mbs_slip_search *s, size_t *count);
/* Another term for a symbol: wherever it stands, and where that is several times, at each of the places by itself. */
void mbs_slip_exchange(mbs_slip_search *s, const char *name, const mbs_variable *symbol, const mbs_term *by,
                       const char *what);
/* A vector between two points of bodies, or its rate. */
const mbs_term *mbs_slip_between(mbs_slip_search *s, const mbs_spot *from, const mbs_spot *to, int rate);

/* ---- slip_forms.c: signs, transposes, ~, factors, summands, order ---- */

void mbs_slips_of_form(mbs_slip_search *s);
void mbs_slips_of_sums(mbs_slip_search *s);

/* ---- slip_names.c: other points, pivots, joints, bodies, axes, rates ---- */

void mbs_slips_of_axes(mbs_slip_search *s);
void mbs_slips_of_names(mbs_slip_search *s);
void mbs_slips_of_rates(mbs_slip_search *s);

#endif
