/* ratio.h - numbers of formulas: fractions of integers if they fit, otherwise doubles. */
#ifndef MBS_RATIO_H
#define MBS_RATIO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mbs_ratio {
  int64_t over, under; /* ratio in lowest terms, under > 0; under 0: only `value` is valid */
  double value;
  bool decimal; /* the number had a point or an exponent: written as 0.5, not 1/2 */
} mbs_ratio;

mbs_ratio mbs_ratio_whole(int64_t n);
/* Reads the text of a number. */
mbs_ratio mbs_ratio_read(const char *text);
mbs_ratio mbs_ratio_sum(mbs_ratio a, mbs_ratio b);
mbs_ratio mbs_ratio_product(mbs_ratio a, mbs_ratio b);
/* Returns a^n, |n| <= 64; a must not be 0 if n is negative. */
mbs_ratio mbs_ratio_power(mbs_ratio a, int64_t n);
mbs_ratio mbs_ratio_negative(mbs_ratio a);
bool mbs_ratio_equal(mbs_ratio a, mbs_ratio b);
bool mbs_ratio_is(mbs_ratio a, int64_t n);
/* Returns true if it is an integer of magnitude at most 64. */
bool mbs_ratio_is_small(mbs_ratio a);

/* Writes |a| as a number over an integer: 3/4; decimals as 0.75 over 1; 0.1/3 unchanged. */
enum { MBS_RATIO_TEXT = 32 };
void mbs_ratio_text(mbs_ratio a, char over[MBS_RATIO_TEXT], char under[MBS_RATIO_TEXT]);

#endif
