/* digits.h - numbers as text. */
#ifndef API_BASE_DIGITS_H
#define API_BASE_DIGITS_H

/* Largest number of characters of a number. */
enum { API_DIGITS_MAX = 32 };

/* Writes a finite number in the fewest digits from which every reader gets the same double: 0.1, -2.5, 1e-05, 1e+21.
 * Returns the number of characters; does not append a 0. */
int api_digits(double value, char out[API_DIGITS_MAX]);

#endif
