/* symbol_lookup.h - symbols by their names: all of the notation, not only those that the equations happen to show. */
#ifndef MBS_SYMBOL_LOOKUP_H
#define MBS_SYMBOL_LOOKUP_H

#include "symbolic/symbol.h"

/* The symbol of this name, made where it is not known yet; NULL and, in `why`, what is wrong ("there is no body 4: the
 * model has 3"). `column` is that of the block in which the name stands, which says whose direction u_0 is; -1: none.
 */
const mbs_variable *mbs_symbol_lookup(mbs_symbols *symbols, const mbs_symbol_name *name, int column, char why[256]);
/* The nearest of the names that are known already and of those of bodies, or NULL. */
const char *mbs_symbol_nearest(const mbs_symbols *symbols, const char *name);

#endif
