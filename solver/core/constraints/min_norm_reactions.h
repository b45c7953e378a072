/* min_norm_reactions.h - reactions of mechanisms with redundant rows.
 *
 * With redundant rows the reactions are not unique. Those of minimum norm are chosen, so that the choice does not
 * depend on the tree. The norm is over the forces, and the torques divided by the extent of the model, of all joints on
 * their second bodies, and over the efforts of the drivers. */
#ifndef MBS_MIN_NORM_REACTIONS_H
#define MBS_MIN_NORM_REACTIONS_H

#include "equations/system.h"

typedef struct mbs_min_norm_reactions {
  size_t open;     /* number of redundant rows: dimension of the set of possible reactions */
  size_t items;    /* numbers in the norm: 6 per joint, 1 per driver */
  double *null;    /* [rows x open] multipliers without force: C' null = 0 */
  double *changes; /* [items x open] effect of these multipliers on the items */
  double *least;   /* [items] values of the items */
  double *before;  /* [rows] */
  double *missing; /* [rows] workspace */
  double *share;   /* [open] coefficients of the multipliers */
  double *velocity_units, *row_units;
  double *workspace;
  bool *shared; /* [joint_count + driver_count] not unique in a choice so far: joints, then drivers */
} mbs_min_norm_reactions;

/* Allocates memory for the redundant rows of the system (system->active). Returns false if memory runs out. */
bool mbs_min_norm_reactions_open(mbs_min_norm_reactions *self, mbs_system *system);

/* Chooses system->lambda without changing C' lambda, and with it system->reactions, at the current state. C, forces and
 * accelerations of the bodies must be computed. Renews the factors; if the masses cannot be factored, lambda does not
 * change. */
void mbs_choose_reactions(mbs_min_norm_reactions *self, mbs_system *system);

#endif
