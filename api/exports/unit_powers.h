/* unit_powers.h - units of columns and parameters as powers of SI base units, as FMI defines them. */
#ifndef API_EXPORTS_UNIT_POWERS_H
#define API_EXPORTS_UNIT_POWERS_H

#include <stdbool.h>

/* The base units in the order in which API_UNIT_BASES lists them. */
enum { API_UNIT_BASE_COUNT = 4 };
#define API_UNIT_BASES \
  { "kg", "m", "s", "rad" }

/* Reads a unit such as "N m", "kg m^2" or "m^3/kg/s^2" from the left, as documents write it: "N/m s" is (N/m) s. A
 * group in parentheses may follow a slash. Returns false if a word is not known; `powers` is then undefined. */
bool api_unit_powers(const char *unit, int powers[API_UNIT_BASE_COUNT]);

#endif
