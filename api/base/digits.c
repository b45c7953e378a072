/* digits.c - by PostgreSQL's Ryu (U. Adams, Ryu: fast float-to-string conversion, PLDI 2018); cmake/Libraries.cmake
 * links it. */
#include "api/base/digits.h"

#include <common/shortest_dec.h>

int api_digits(double value, char out[API_DIGITS_MAX]) { return double_to_shortest_decimal_bufn(value, out); }
