/* discrete.h - the values of variables and sampled values, and the instants of samples. */
#ifndef MBS_DISCRETE_VALUES_H
#define MBS_DISCRETE_VALUES_H

#include "equations/system.h"
#include "model/discrete.h"

/* Gives variables and sampled values the values that the document has for the start. */
void mbs_discrete_reset(mbs_system *system);
/* Returns the time of sample number k, from 0, of sampled value number `sampled`. */
double mbs_sample_time(const mbs_constants *constants, size_t sampled, double k);
/* Returns the number of its samples up to t, or within rounding of it. */
double mbs_samples_until(const mbs_constants *constants, size_t sampled, double t);
/* Returns the first instant after t at which some value is sampled; INFINITY if there is none. */
double mbs_next_sample(const mbs_constants *constants, double t);
/* Returns the trigger that has the switch `index` in its condition, or NULL. */
const mbs_trigger *mbs_trigger_of_switch(const mbs_model *model, size_t index);

#endif
