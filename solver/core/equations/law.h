/* law.h - values of laws, their switches, and constraint rows that are laws. */
#ifndef MBS_LAW_H
#define MBS_LAW_H

#include "equations/system.h"

/* Returns the current value of a law; its switches have the modes in `mode` of the system. For vectors:
 * batch/laws_simd.h. */
#define mbs_law_value MBS_OVER(mbs_law_value)
mbs_real mbs_law_value(const mbs_system *system, const mbs_law *law);
/* Returns the value of a law at the current state; of a law that reads accelerations or reactions the value for those
 * of the system, where mbs_law_value() returns the value with which they were solved. */
double mbs_law_current(const mbs_system *system, const mbs_law *law);
/* Returns the value of a law for given inputs, or (NULL) at the current state, with the branches in `mode` [switches of
 * its expression], or (NULL) with those of mbs_law_value(). */
double mbs_law_value_at(const mbs_system *system, const mbs_law *law, const double *mode, const double *in);
/* Returns the name of a table that has no value in a law, and in out[2] its argument and the end of the table: at the
 * current state, or at the time `later`. Returns NULL if the law has a value. */
const char *mbs_law_outside(const mbs_system *system, const mbs_law *law, double later, double out[2]);
/* Returns true if two sets of constants have equal numbers for a law. */
bool mbs_law_is_same(const mbs_constants *one, const mbs_constants *other, const mbs_law *law);
/* mbs_law_margins() computes the margins of its switches into margins[mode0 ..]: negative if a held mode is no longer
 * valid. mbs_law_mode() computes the modes of the state into mode[mode0 ..]. */
void mbs_law_margins(const mbs_system *system, const mbs_law *law, double *margins);
void mbs_law_mode(const mbs_system *system, const mbs_law *law, double *mode);
/* Computes (z, z', z'') of a state whose rate depends on positions, time and states, at the current position and
 * velocity. */
void mbs_state_jet(const mbs_system *system, int index, double jet[3]);
/* Computes the row of a law of positions and time: value, partial derivative in time, second derivative in time for V'
 * = beta, and D at the joint's bodies. */
void mbs_law_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count, mbs_custom_row *out);

/* Computes the row of velocity level of a law that is affine in velocities: `partial`, its value at V = 0; its rate for
 * V' = beta; D at the joint's bodies. */
void mbs_law_velocity_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count,
                          mbs_custom_row *out);

#endif
