/* dimension.h - the dimension of the value of an expression, if it is certain. */
#ifndef MBS_EXPRESSION_DIMENSION_H
#define MBS_EXPRESSION_DIMENSION_H

#include "base/dimension.h"
#include "expression/expression.h"

#include <stdbool.h>

/* The dimension of a value, and its origin. */
typedef struct mbs_value_dimension {
  mbs_dimension dimension;
  bool given;     /* follows from a parameter with a unit: a value that does not agree with it is an error */
  bool any_angle; /* a product, a quotient or a root: radians are plain numbers in it, as in 2 pi f and v/r */
} mbs_value_dimension;

/* Two values of different dimensions that are added or compared, or are branches of one value. */
typedef struct mbs_dimension_clash {
  bool found;
  mbs_dimension one, other;
} mbs_dimension_clash;

/* Returns the dimension of the value of an expression; unknown if it is not certain, or if memory runs out.
 *
 * `input` [inputs] are the dimensions of its inputs, in the order of mbs_expression_inputs(); `parameter` [parameters]
 * those of its parameters, in the order of mbs_expression_parameters(), NULL if nothing is known of them. A constant,
 * and a parameter of unknown dimension, that is added to something is of the same dimension; what it multiplies is
 * unknown. A number that multiplies a value that is `given` is a plain number.
 *
 * `clash` (may be NULL) receives the first sum of different dimensions of which one is `given`. */
mbs_value_dimension mbs_expression_dimension(const mbs_expression *expression, const mbs_dimension *input,
                                             const mbs_value_dimension *parameter, mbs_arena *scratch,
                                             mbs_dimension_clash *clash);

/* Returns false if a value that is `given` cannot be where one of dimension `wanted` is expected. */
bool mbs_dimension_fits(mbs_value_dimension value, mbs_dimension wanted);

#endif
