/* writing.h - a growing text in an arena, and the symbols of names. */
#ifndef MBS_WRITING_H
#define MBS_WRITING_H

#include "mbs/formula.h"

typedef struct mbs_writing {
  mbs_arena *arena;
  mbs_notation notation;
  const mbs_formula_symbols *symbols; /* symbols of names; NULL: mbs_write_name() */
  char *text;                         /* ends with a 0 */
  size_t used, room;
  size_t limit;    /* limit of `used` */
  const char *why; /* error: "out of memory", or longer than `limit`; nothing more is written then */
} mbs_writing;

void mbs_write(mbs_writing *writing, const char *text);
void mbs_write_bytes(mbs_writing *writing, const char *text, size_t length);
/* Writes the symbol of a name in LaTeX or MathML: for pin.qd `q` with a dot and the index `pin`. */
void mbs_write_name(mbs_writing *writing, const char *name);

#endif
