/* gram.h - S = C M^-1 C' and C C', in skyline form. */
#ifndef MBS_GRAM_H
#define MBS_GRAM_H

#include "equations/system.h"

/* S = values' diag(weights) values over the packed rows of C or Z, in skyline form; weights NULL: ones. With S_scale,
 * the largest diagonal of each block, so that a row that vanishes in some position shows. */
void mbs_assemble_gram(mbs_system *system, const double *values, const double *weights);

#endif
