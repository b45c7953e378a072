/* writing.h - a text in an arena that grows, and the symbols of names. */
#ifndef MBS_WRITING_H
#define MBS_WRITING_H

#include "mbs/formula.h"

typedef struct mbs_writing {
  mbs_arena *arena;
  mbs_notation notation;
  const mbs_formula_symbols *symbols; /* NULL: mbs_write_name() */
  char *text;                         /* ends with a 0 */
  size_t used, room;
  size_t limit;    /* of `used` */
  const char *why; /* it failed: "out of memory", or longer than `limit`; then nothing more is written */
} mbs_writing;

void mbs_write(mbs_writing *writing, const char *text);
void mbs_write_bytes(mbs_writing *writing, const char *text, size_t length);
/* The symbol of a name: `q` with a dot and the index `pin` for pin.qd. LaTeX or MathML. */
void mbs_write_name(mbs_writing *writing, const char *name);

#endif
