/* sines.h - sines and cosines of many angles at once. Each result is identical to the bit to that of
 * mbs_sine_and_cosine() for the single angle, and within one unit in the last place of sin() and cos(). */
#ifndef MBS_SINES_H
#define MBS_SINES_H

#include <stddef.h>

/* Array size necessary for `count` numbers. */
#define MBS_SINES_ROOM(count) (((count) + 3) / 4 * 4)

/* Number of angles from which mbs_sines() is faster than single calls. */
enum { MBS_SINES_WORTH = 4 };

/* Computes the sines and cosines of the first `count` of angles [MBS_SINES_ROOM(count)], all of which must be finite
 * numbers. The arrays must not overlap. */
void mbs_sines(size_t count, const double *angles, double *sines, double *cosines);
/* Computes the sine and the cosine of one angle. */
void mbs_sine_and_cosine(double x, double *sine, double *cosine);

#endif
