/* show.h - writes a formula in one of its notations. */
#ifndef MBS_SHOW_H
#define MBS_SHOW_H

#include "expression/formula.h"
#include "expression/writing.h"

void mbs_show_text(mbs_writing *writing, const mbs_formula *formula);
/* Writes LaTeX or MathML, as selected in `writing`. */
void mbs_show_marked(mbs_writing *writing, const mbs_formula *formula);

#endif
