/* sines.h - sines and cosines of many angles at once, with the bits of sin() and cos() one by one. */
#ifndef MBS_SINES_H
#define MBS_SINES_H

#include <stddef.h>

/* Arrays of `count` numbers have room for so many. */
#define MBS_SINES_ROOM(count) (((count) + 3) / 4 * 4)

/* So many are faster than one by one. */
enum { MBS_SINES_WORTH = 4 };

/* Of angles into sines and cosines, which may not overlap: the first `count` of [MBS_SINES_ROOM(count)], of which all
 * angles are numbers. */
void mbs_sines(size_t count, const double *angles, double *sines, double *cosines);
/* Of one angle. */
void mbs_sine_and_cosine(double x, double *sine, double *cosine);

#endif
