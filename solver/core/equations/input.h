/* input.h - values of the inputs of expressions at the current state. */
#ifndef MBS_INPUT_H
#define MBS_INPUT_H

#include "equations/system.h"

/* Returns the value of an input at the current state. Also compiled for vectors, for mbs_lanes_read_input(). */
#define mbs_input_value MBS_OVER(mbs_input_value)
mbs_real mbs_input_value(const mbs_system *system, const mbs_input *input);
/* Computes an input's value and its first and second rate from the accelerations of the bodies. A rate that is not
 * known, as of outputs of force elements, is NaN. */
void mbs_input_jet(const mbs_system *system, const mbs_input *input, double jet[3]);

#endif
