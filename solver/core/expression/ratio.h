/* ratio.h - the numbers of formulas: fractions of whole numbers as long as these fit, doubles where they do not. */
#ifndef MBS_RATIO_H
#define MBS_RATIO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mbs_ratio {
  int64_t over, under; /* in lowest terms, under > 0; under 0: only `value` counts */
  double value;
  bool decimal; /* made of a number with a point or an exponent: 0.5, not 1/2 */
} mbs_ratio;

mbs_ratio mbs_ratio_whole(int64_t n);
/* Of the text of a number. */
mbs_ratio mbs_ratio_read(const char *text);
mbs_ratio mbs_ratio_sum(mbs_ratio a, mbs_ratio b);
mbs_ratio mbs_ratio_product(mbs_ratio a, mbs_ratio b);
/* a^n, |n| <= 64; a is not 0 where n is negative. */
mbs_ratio mbs_ratio_power(mbs_ratio a, int64_t n);
mbs_ratio mbs_ratio_negative(mbs_ratio a);
bool mbs_ratio_equal(mbs_ratio a, mbs_ratio b);
bool mbs_ratio_is(mbs_ratio a, int64_t n);
/* Whether it is a whole number, of 64 at the most either way. */
bool mbs_ratio_is_small(mbs_ratio a);

/* What is written of |a|: a number over a whole number. 3/4 is so, of decimals 0.75 over 1, and 0.1/3 stays. */
enum { MBS_RATIO_TEXT = 32 };
void mbs_ratio_text(mbs_ratio a, char over[MBS_RATIO_TEXT], char under[MBS_RATIO_TEXT]);

#endif
