/* parse.h - reads terms from text, in the grammar in which the equations are printed:
 *     sum = ["-"] product {("+"|"-") product};  product = factor {factor} {"/" factor};  factor = base {"'" | "^2"}
 *     base = number | "I" | "~" base | "(" sum ")" | "dot(" sum ")" | "ddot(" name ")" | "loc(" name ")" | name
 *     name = letters ["_" (index | "{..}")] ["^{..}"]
 * dot() of a sum is its rate by the rules of differentiation. */
#ifndef MBS_PARSE_H
#define MBS_PARSE_H

#include "symbolic/symbol_lookup.h"

enum { MBS_PARSE_LENGTH = 65536, MBS_PARSE_DEPTH = 64 };

typedef struct mbs_parse_error {
  size_t at; /* position in the text, from 0 */
  bool size; /* readable, but shapes do not fit */
  char what[320];
} mbs_parse_error;

/* Returns the term of a text, as it is written; `column` is that of the block, for u_0. Returns NULL and fills the
 * error on failure. */
const mbs_term *mbs_parse_term(mbs_symbols *symbols, const char *text, int column, mbs_parse_error *error);
/* Returns the rate of a term; NULL, with an error in `what`, if a symbol has none. */
const mbs_term *mbs_term_rate(mbs_symbols *symbols, const mbs_term *x, char what[320]);

#endif
