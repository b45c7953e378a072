/* masses.h - bodies without inertia. */
#ifndef MBS_MASSES_H
#define MBS_MASSES_H

#include "equations/system.h"

/* Whether anything has mass, or may exert a force: else there is no energy, and what is computed of it is rounding. */
bool mbs_has_energy(const mbs_constants *constants);
/* For models with bodies without inertia, at the position in hand. */
void mbs_shift_masses(mbs_system *system);
/* Sets mass_shift and mass_shifts; 0: the mass matrix is taken as it is. */
void mbs_set_mass_shift(mbs_system *system, double shift);

#endif
