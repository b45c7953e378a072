/* sines.h - sines and cosines of many angles at once. Each has the bits that mbs_sine_and_cosine() computes for its
 * angle alone, within one unit in the last place of sin() and cos(). */
#ifndef MBS_SINES_H
#define MBS_SINES_H

#include <stddef.h>

/* Arrays of `count` numbers have room for so many. */
#define MBS_SINES_ROOM(count) (((count) + 3) / 4 * 4)

/* So many are faster than one by one. */
enum { MBS_SINES_WORTH = 4 };

/* Computes sines and cosines of angles: the first `count` of [MBS_SINES_ROOM(count)], all of which must be numbers. The
 * arrays may not overlap. */
void mbs_sines(size_t count, const double *angles, double *sines, double *cosines);
/* Computes the sine and the cosine of one angle. */
void mbs_sine_and_cosine(double x, double *sine, double *cosine);

#endif
