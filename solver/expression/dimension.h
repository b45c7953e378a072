/* dimension.h - of what dimension the value of an expression is, where that is certain. */
#ifndef MBS_EXPRESSION_DIMENSION_H
#define MBS_EXPRESSION_DIMENSION_H

#include "base/dimension.h"
#include "expression/expression.h"

/* `input` [inputs] are the dimensions of its inputs, in the order of mbs_expression_inputs(). A constant may be a plain
 * number or a parameter of any dimension: what it multiplies is unknown; added to something, it is of the same.
 * Unknown without memory, too. */
mbs_dimension mbs_expression_dimension(const mbs_expression *expression, const mbs_dimension *input,
                                       mbs_arena *scratch);

#endif
