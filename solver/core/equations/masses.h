/* masses.h - bodies without inertia. */
#ifndef MBS_MASSES_H
#define MBS_MASSES_H

#include "equations/system.h"

/* Returns true if anything has mass or may exert a force. Otherwise there is no energy, and computed values of it are
 * rounding errors. */
bool mbs_has_energy(const mbs_constants *constants);
/* Sets a shift of the mass matrix for models with bodies without inertia, at the current position. */
void mbs_shift_masses(mbs_system *system);
/* Sets mass_shift and mass_shifts; 0: the mass matrix is not changed. */
void mbs_set_mass_shift(mbs_system *system, double shift);

#endif
