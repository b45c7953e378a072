/* term_substitute.h - replaces parts of terms, to make typical errors. */
#ifndef MBS_TERM_SUBSTITUTE_H
#define MBS_TERM_SUBSTITUTE_H

#include "symbolic/symbol.h"

/* Returns the replacement of a part of a term, given without its sign. NULL with `*done` set removes the part; NULL
 * without it continues with the parts of the part. Parts are numbered from 0, each part before its own parts. */
typedef const mbs_term *mbs_term_substitution(void *context, const mbs_term *part, size_t number, bool *done);

/* Returns the term with all replacements made, without simplification; NULL if nothing remains. */
const mbs_term *mbs_term_substitute(mbs_algebra *algebra, const mbs_term *x, mbs_term_substitution *editor,
                                    void *context);

/* Returns the term with part `number` replaced or, if `by` is NULL, removed. */
const mbs_term *mbs_term_with_part(mbs_algebra *algebra, const mbs_term *x, size_t number, const mbs_term *by);
/* Returns the term with another term for every occurrence of a symbol. */
const mbs_term *mbs_term_with_symbol(mbs_algebra *algebra, const mbs_term *x, const mbs_variable *symbol,
                                     const mbs_term *by);
/* Returns the number of parts of a term, including the term itself. */
size_t mbs_term_part_count(const mbs_term *x);
/* Returns part `number`, and in `above` the term whose part it is, NULL for the whole term. `above` may be NULL. */
const mbs_term *mbs_term_part(const mbs_term *x, size_t number, const mbs_term **above);

#endif
