/* law.h - values of laws, their switches, and the rows that they make. */
#ifndef MBS_LAW_H
#define MBS_LAW_H

#include "equations/system.h"

/* A law's value now; `mode` of the system is used for its switches. Over vectors: batch/laws_simd.h. */
#define mbs_law_value MBS_OVER(mbs_law_value)
mbs_real mbs_law_value(const mbs_system *system, const mbs_law *law);
/* The same of inputs that are given. */
double mbs_law_value_at(const mbs_system *system, const mbs_law *law, const double *in);
/* Whether two sets of constants have the same numbers for a law. */
bool mbs_law_is_same(const mbs_constants *one, const mbs_constants *other, const mbs_law *law);
/* Margins of its switches into margins[mode0 ..]: negative where a held mode is no longer right; and the modes that
 * belong to the state into mode[mode0 ..]. */
void mbs_law_margins(const mbs_system *system, const mbs_law *law, double *margins);
void mbs_law_mode(const mbs_system *system, const mbs_law *law, double *mode);
/* The row of a law of positions and time: value, partial derivative in time, second derivative in time for V' = beta;
 * D at the joint's bodies. */
void mbs_law_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count, mbs_custom_row *out);

#endif
