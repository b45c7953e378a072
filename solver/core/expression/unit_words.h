/* unit_words.h - numbers with a unit, "100 deg", "5 mm", "300 rpm", and their values in SI.
 *
 *     text  = [ "-" | "+" ] number unit
 *     unit  = power { ( "*" | "/" | " " ) power }         from the left: N/m s is (N/m) s
 *     power = word [ "^" [ "-" ] digits ]                 the words of unit_words.def
 *
 * No expression has this form, because an operator follows a number there, so the two cannot be confused. A unit is
 * allowed only after a single number, not within an expression. */
#ifndef MBS_UNIT_WORDS_H
#define MBS_UNIT_WORDS_H

#include "base/dimension.h"

#include <stdbool.h>

/* Returns true if a text starts as a number with a unit. */
bool mbs_has_unit(const char *text);

/* Returns the value of such a text in `unit`, the unit of its field (mbs_field), which must be an SI unit. It is the
 * double nearest to the written value: decimals, factors and pi are combined before rounding. Returns NaN with a
 * message if the text is invalid, has another dimension, or the field has no unit to compare with; the message says
 * what to write. */
double mbs_unit_value(const char *text, const char *unit, char message[512]);

/* A number with a unit. */
typedef struct mbs_measured {
  double value;            /* the number in SI */
  mbs_dimension dimension; /* dimension of the unit */
  const char *unit;        /* the unit as written, within the text */
} mbs_measured;

/* Reads a number with a unit for a field that has no unit, such as a parameter. Returns false, with a message,
 * if the text is not a number with a unit. */
bool mbs_unit_read(const char *text, mbs_measured *out, char message[512]);
/* Returns the dimension of a unit, "N/m"; unknown if `text` is NULL, empty or not a unit. */
mbs_dimension mbs_unit_dimension(const char *text);

#endif
