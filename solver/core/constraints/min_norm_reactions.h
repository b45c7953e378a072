/* min_norm_reactions.h - the reactions of mechanisms with redundant rows.
 *
 * Redundant rows leave reactions open: of all that hold the motion those of minimum norm are chosen, so that the choice
 * does not depend on the tree. The norm is that of the forces, and of the torques over the extent of the model, that
 * all joints exert on their second bodies, and of the efforts of the drivers. */
#ifndef MBS_MIN_NORM_REACTIONS_H
#define MBS_MIN_NORM_REACTIONS_H

#include "equations/system.h"

typedef struct mbs_min_norm_reactions {
  size_t open;     /* redundant rows: dimensions that reactions are open in */
  size_t items;    /* numbers whose norm is the least: 6 a joint, 1 a driver */
  double *null;    /* [rows x open] multipliers that exert no force: C' null = 0 */
  double *changes; /* [items x open] what they change in the items */
  double *least;   /* [items] the items at hand */
  double *before;  /* [rows] */
  double *missing; /* [rows] workspace */
  double *share;   /* [open] how much of each is taken */
  double *velocity_units, *row_units;
  double *workspace;
  bool *shared; /* [joint_count + driver_count] not unique in some choice so far: joints, then drivers */
} mbs_min_norm_reactions;

/* Room for the redundant rows that the system leaves out (system->active); false without memory. */
bool mbs_min_norm_reactions_open(mbs_min_norm_reactions *self, mbs_system *system);

/* Chooses system->lambda, whose C' lambda it keeps, and with it system->reactions, at the state in hand: its C, forces
 * and accelerations of the bodies must be there. Renews the factors; where the masses have none, lambda stays. */
void mbs_choose_reactions(mbs_min_norm_reactions *self, mbs_system *system);

#endif
