/* specialized.h - accelerations of a few mechanisms written out by hand: what the solver's evaluation is measured
 * against. Angles are absolute; q and v are those of the bodies in the document's order. */
#ifndef BENCH_SPECIALIZED_H
#define BENCH_SPECIALIZED_H

#include <stddef.h>

/* Two rods in a row and a third freedom, closed by a pin (see specialized.c). `out` [3]. */
void specialized_four_bar(const double *q, const double *v, double *out);
void specialized_slider_crank(const double *q, const double *v, double *out);
/* n rods of 1 m and 1 kg; `out` [n]; `work` [5 n]. */
void specialized_chain(size_t n, const double *q, const double *v, double *out, double *work);

#endif
