/* term_substitute.h - terms with a part of them changed: what slips are made of. */
#ifndef MBS_TERM_SUBSTITUTE_H
#define MBS_TERM_SUBSTITUTE_H

#include "symbolic/symbol.h"

/* What becomes of a part of a term, without the sign that it has: NULL with `*done`: it is left out; without: its own
 * parts are asked. Parts are numbered from 0 as they are met, a part before its own parts. */
typedef const mbs_term *mbs_term_substitution(void *context, const mbs_term *part, size_t number, bool *done);

/* The term with all its parts edited, otherwise as it is written; NULL: nothing is left. */
const mbs_term *mbs_term_substitute(mbs_algebra *algebra, const mbs_term *x, mbs_term_substitution *editor,
                                    void *context);

/* Part `number` is another one, or (`by` NULL) is left out. */
const mbs_term *mbs_term_with_part(mbs_algebra *algebra, const mbs_term *x, size_t number, const mbs_term *by);
/* Another term for a symbol, wherever it stands. */
const mbs_term *mbs_term_with_symbol(mbs_algebra *algebra, const mbs_term *x, const mbs_variable *symbol,
                                     const mbs_term *by);
/* Parts of a term, the term itself included. */
size_t mbs_term_part_count(const mbs_term *x);
/* Part `number`; `above`: what it is a part of, NULL: of nothing. May be NULL itself. */
const mbs_term *mbs_term_part(const mbs_term *x, size_t number, const mbs_term **above);

#endif
