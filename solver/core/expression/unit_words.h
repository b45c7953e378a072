/* unit_words.h - numbers with a unit, "100 deg", "5 mm", "300 rpm", and what they are in SI.
 *
 *   text  = [ "-" | "+" ] number unit
 *   unit  = power { ( "*" | "/" | " " ) power }         from the left: N/m s is (N/m) s
 *   power = word [ "^" [ "-" ] digits ]                 the words of unit_words.def
 *
 * No expression begins so, since it has an operator behind a number: a text is either one or the other. A unit stands
 * behind a number that is alone, not within an expression. */
#ifndef MBS_UNIT_WORDS_H
#define MBS_UNIT_WORDS_H

#include "base/dimension.h"

#include <stdbool.h>

/* Whether a text begins as a number with a unit. */
bool mbs_has_unit(const char *text);

/* The value of such a text in `unit`, that of its field (mbs_field), which must be one of SI. It is the double nearest
 * to what is written: decimals, factors and pi are taken together before they are rounded. NaN and a message where the
 * text is none, is of another dimension, or the field has no unit that it can be checked against: then the message says
 * what to write. */
double mbs_unit_value(const char *text, const char *unit, char message[512]);

/* A number with a unit. */
typedef struct mbs_measured {
  double value;            /* in SI */
  mbs_dimension dimension; /* of its unit */
  const char *unit;        /* the unit as written, within the text */
} mbs_measured;

/* Reads such a text where no field has a unit that it must agree with, as that of a parameter. Returns false, with a
 * message, if the text is no number with a unit. */
bool mbs_unit_read(const char *text, mbs_measured *out, char message[512]);
/* Returns the dimension of a unit, "N/m"; unknown if `text` is NULL, empty or no unit. */
mbs_dimension mbs_unit_dimension(const char *text);

#endif
