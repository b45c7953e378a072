/* law_names.h - the names that an expression of the document may contain, for its compiler. */
#ifndef MBS_LAW_NAMES_H
#define MBS_LAW_NAMES_H

#include "builder/builder.h"

/* The names that the text of a law, or of a signal in it, may contain. */
typedef struct mbs_law_scope {
  mbs_builder *builder;
  mbs_scope_level level;
  const mbs_local_name *locals;
  mbs_scope names;                   /* scope of the compiler, with this scope as its context */
  const struct mbs_law_scope *plain; /* this scope without locals */
  /* the scope that names `signal`, whose text has this scope; NULL: this is the scope of the law itself */
  const struct mbs_law_scope *outer;
  const char *signal;
} mbs_law_scope;

/* Sets the scopes of a text at `level`: scopes[0] with its own names `locals`, which may be NULL, and scopes[1] without
 * them. Both must stay where they are while the text is compiled. */
void mbs_law_scopes(mbs_builder *builder, mbs_scope_level level, const mbs_local_name *locals, mbs_law_scope scopes[2]);

#endif
