/* show.c - writes formulas. */
#include "expression/show.h"

#include "base/message.h"

#include <stdio.h>

/* Limit of the output [bytes]; an element of MathML for each byte of the longest expression needs less. */
enum { SHOWN_MAX = 8 << 20 };

static const char *written(const mbs_writing *writing, char message[512]) {
  if (writing->why == NULL) return writing->text;
  mbs_message(message, 512, "%s", writing->why);
  return NULL;
}

const char *mbs_formula_show(mbs_arena *arena, const mbs_formula *formula, mbs_notation notation,
                             const mbs_formula_symbols *symbols, char message[512]) {
  mbs_writing writing = {.arena = arena, .notation = notation, .symbols = symbols, .limit = SHOWN_MAX};
  if (notation == MBS_NOTATION_TEXT)
    mbs_show_text(&writing, formula);
  else
    mbs_show_marked(&writing, formula);
  return written(&writing, message);
}

const char *mbs_name_symbol(mbs_arena *arena, const char *name, mbs_notation notation) {
  char message[512];
  mbs_writing writing = {.arena = arena, .notation = notation, .limit = SHOWN_MAX};
  mbs_write_name(&writing, name);
  return written(&writing, message);
}
