/* digits.h - a number as text. */
#ifndef API_BASE_DIGITS_H
#define API_BASE_DIGITS_H

/* Most characters of a number. */
enum { API_DIGITS_MAX = 32 };

/* The fewest digits that every reader takes for the same double: 0.1, -2.5, 1e-05, 1e+21. Returns how many characters
 * that are; there is no 0 at their end. `value` is finite. */
int api_digits(double value, char out[API_DIGITS_MAX]);

#endif
