/* specialized.h - hand-written accelerations of a few mechanisms, for comparison with the solver's evaluation. q and v
 * are the coordinates stated at each function, `out` their accelerations. */
#ifndef BENCH_SPECIALIZED_H
#define BENCH_SPECIALIZED_H

#include <stddef.h>

/* ---- loops.c: absolute angles of the bodies in the document's order ---- */

/* models_four_bars(n): n + 1 uprights, then n couplers; `work` [24 n]. */
void specialized_four_bars(size_t n, const double *q, const double *v, double *out, double *work);
/* models_in_space() of models_four_bars(n), as bodies in space; angles about the hinges' common axis. */
void specialized_spatial_four_bars(size_t n, const double *q, const double *v, double *out, double *work);
/* models/SC.json: crank, rod, and the slider's place. */
void specialized_slider_crank(const double *q, const double *v, double *out);

/* ---- squeezer.c ---- */

/* tests/reference/models/squeezer.json: absolute angles of K1 ... K7. */
void specialized_squeezer(const double *q, const double *v, double *out);

/* ---- chains.c ---- */

/* n rods of 1 m and 1 kg in the plane, absolute angles; `work` [5 n]. */
void specialized_chain(size_t n, const double *q, const double *v, double *out, double *work);
/* models_spatial_chain(n, false): angles of the hinges; `work` [SPECIALIZED_SPATIAL n]. */
enum { SPECIALIZED_SPATIAL = 32 };
void specialized_spatial_chain(size_t n, const double *q, const double *v, double *out, double *work);

#endif
