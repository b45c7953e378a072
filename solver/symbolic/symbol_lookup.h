/* symbol_lookup.h - finds symbols by name: every name of the notation, whether or not the equations contain it. */
#ifndef MBS_SYMBOL_LOOKUP_H
#define MBS_SYMBOL_LOOKUP_H

#include "symbolic/symbol.h"

/* Returns the symbol of this name, and creates it if necessary. Returns NULL, with an error in `why`, if there is none
 * ("there is no body 4: the model has 3"). `column` is that of the block that contains the name, because u_0 depends on
 * it; -1: none. */
const mbs_variable *mbs_symbol_lookup(mbs_symbols *symbols, const mbs_symbol_name *name, int column, char why[256]);
/* Returns the most similar name among the known symbols and those of bodies, or NULL. */
const char *mbs_symbol_nearest(const mbs_symbols *symbols, const char *name);

#endif
