/* teeth.h - forces between the teeth of gears. theory (8.24)
 *
 * The teeth of two gears press at a pressure angle, so that a gear exerts more than the force D' lambda of its row: a
 * force W that also separates the teeth. Joints hold the centres of gears, so that the difference W - D' lambda does no
 * work on any motion, and the motion does not depend on it. But it loads the joints. The equations of motion are solved
 * without it; then `borne` are the multipliers with which the same motion balances W:
 *
 *     C' borne + sum of B' (W - D' borne) = C' lambda */
#ifndef MBS_TEETH_H
#define MBS_TEETH_H

#include "equations/system.h"

typedef struct mbs_teeth {
  mbs_tooth_force *forces; /* [joint_count] tooth forces for `borne` */
  double *sides;           /* [joint_count] signs of |lambda| that are held; 0: those of the multipliers */
  double *push, *row;      /* [nv] workspace */
  double *missing;         /* [rows] workspace */
} mbs_teeth;

/* Allocates the tooth forces of a system, and system->borne. If the model has none, system->teeth is NULL. Returns
 * false if memory runs out. */
bool mbs_teeth_open(mbs_system *system);
/* Computes system->borne and the tooth forces from system->lambda. Needs the constraints and the factors of the current
 * position, and does nothing without tooth forces. */
void mbs_teeth_bear(mbs_system *system);
/* Returns the tangential (0) or radial (1) tooth force of a joint, at the last mbs_teeth_bear(). */
static inline double mbs_tooth_output(const mbs_system *system, int joint, int component) {
  const mbs_tooth_force *force = &system->teeth->forces[joint];
  return component == 0 ? force->tangential : force->radial;
}
/* Computes system->borne and with it the reactions of all joints; needs accelerations of the bodies, and what
 * mbs_teeth_bear() needs. */
void mbs_read_reactions(mbs_system *system);
/* Holds the signs that |lambda| has in `borne`, so that reactions are linear in the multipliers; or ends that. Returns
 * true if a held sign differs from that in `borne`. */
bool mbs_teeth_hold(mbs_system *system, bool held);
/* Checks that the bodies of all gears are where their rows are right; lengths may differ by `slack` [m] in addition.
 * Returns MBS_GEAR_GEOMETRY, with the error set, if not. */
mbs_status mbs_teeth_check(mbs_system *system, double slack);

#endif
