/* revolutions.h - counts full revolutions of free rotations, which orientations do not determine. Integrals of the
 * angular velocities are the last states. Their drift from the angles of the orientations is known at each accepted
 * step. */
#ifndef MBS_REVOLUTIONS_H
#define MBS_REVOLUTIONS_H

#include "equations/system.h"

typedef struct mbs_revolutions {
  size_t count;     /* number of angles in the state */
  double *expected; /* [count] integrated angles of a state [rad] */
  double *turned;   /* [count] angles of the orientations of the current step [rad] */
  double *drift;    /* [count] angles of orientations minus integrals at the last accepted state [rad] */
} mbs_revolutions;

/* Prepares the count for a model; allocates from `arena`. Returns false if memory runs out. */
bool mbs_revolutions_open(mbs_revolutions *self, const mbs_model *model, mbs_arena *arena);
/* Sets the kernels' integrated angles from the state y, before its position is set. */
void mbs_revolutions_expect(const mbs_revolutions *self, mbs_system *system, const double *y);
/* Checks the angles of the state y; call mbs_revolutions_expect() first. Returns MBS_NOT_ASSEMBLED if they are too far
 * from the integrals to determine full revolutions. */
mbs_status mbs_revolutions_check(const mbs_revolutions *self, mbs_system *system, double t, const double *y);
/* Stores the drift at an accepted state y. */
void mbs_revolutions_accept(mbs_revolutions *self, const mbs_model *model, const double *y);
/* Resets the drift: integrals restart at the angles of the state's orientations. */
void mbs_revolutions_restart(mbs_revolutions *self, mbs_system *system, double *y);

#endif
