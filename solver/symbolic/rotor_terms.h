/* rotor_terms.h - terms that rotors add to M and h, in symbols. */
#ifndef MBS_ROTOR_TERMS_H
#define MBS_ROTOR_TERMS_H

#include "symbolic/derivation.h"

/* The blocks of J of a rotor over the columns of the tree, its inertia I, and b:   q'' = J theta'' + b. */
typedef struct mbs_rotor_terms {
  const mbs_term **blocks; /* [columns] */
  const mbs_term *inertia, *bias;
  bool closed; /* valid where the constraints are satisfied */
} mbs_rotor_terms;

/* Derives the terms of all rotors, [rotor_count]; those of three of four Euler parameters are zero, because the fourth
 * has all. Returns NULL if memory runs out. */
mbs_rotor_terms *mbs_rotor_terms_of(mbs_equations_work *work);
/* Adds J_j' I J_k to the sum of M_jk, and -J_j' I b to that of h_j. Returns true if these terms are valid only where
 * the constraints are satisfied. */
bool mbs_rotor_terms_add_mass(mbs_equations_work *work, size_t j, size_t k);
bool mbs_rotor_terms_add_force(mbs_equations_work *work, size_t j);

#endif
