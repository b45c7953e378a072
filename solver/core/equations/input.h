/* input.h - what the inputs of expressions are worth in the state at hand. */
#ifndef MBS_INPUT_H
#define MBS_INPUT_H

#include "equations/system.h"

/* What an input is worth in the state at hand; compiled over vectors, too, where mbs_lanes_read_input(). */
#define mbs_input_value MBS_OVER(mbs_input_value)
mbs_real mbs_input_value(const mbs_system *system, const mbs_input *input);
/* An input's value, first and second rate by the accelerations of the bodies; NaN where a rate is not known, as of
 * what force elements exert. */
void mbs_input_jet(const mbs_system *system, const mbs_input *input, double jet[3]);

#endif
