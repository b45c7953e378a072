/* externals.h - values of the inputs of the document: those of their tables over time, or those last set. */
#ifndef MBS_EXTERNALS_H
#define MBS_EXTERNALS_H

#include "equations/system.h"

/* Gives all inputs their values of the start. */
void mbs_externals_reset(mbs_system *system);
/* Sets all inputs that have no table, at time t. */
void mbs_externals_set(mbs_system *system, const double *values, double t);
/* Computes the value of an input at t and its rates, of which the second is 0. Without a table it is constant. */
void mbs_external_jet(const mbs_system *system, int index, double t, double jet[3]);
/* Computes what a function of time reads: a value, rate and second rate at t that agree with one another and, where the
 * inputs NAME, NAME_d and NAME_dd have points or were set, with these. */
void mbs_external_motion(const mbs_system *system, int index, double t, double jet[3]);
/* Replaces an interval of time without knots by that of the values which functions of time read in it. */
void mbs_external_range(const mbs_system *system, int index, double *low, double *high);
/* Returns the first time after t at which a table has a kink; INFINITY if there is none. */
double mbs_next_external_knot(const mbs_model *model, double t);

#endif
