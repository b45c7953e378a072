/* steady_motion.h - the motion of a relative equilibrium: steady joint coordinates keep their rates, all others
 * are constant. The motion of a static equilibrium is rest. */
#ifndef MBS_STEADY_MOTION_H
#define MBS_STEADY_MOTION_H

#include "run/run.h"

typedef struct mbs_steady_motion {
  mbs_run_state *run;
  double *v, *vdot; /* [nv] velocities and accelerations at the last position */
  /* Body coordinates: the rows of the joints along the tree of the start, and of their coordinates, determine both. */
  size_t rows;
  double *rates;                          /* [rows] rates of the coordinates; 0 for rows of joints */
  double *A, *right, *jacobian, *targets; /* [rows x nv], [rows], [model->rows x nv], [rows] */
  double *workspace;
  double *offsets;    /* [function_count] those of functions of time before an advance */
  double first_angle; /* [s] time in which the fastest steady coordinate moves by 1 rad or the extent; 0: none */
} mbs_steady_motion;

/* Returns true for coordinate k of a joint if it is steady. */
bool mbs_is_steady(const mbs_model *model, int joint, size_t k);
/* Reads the rates at the start (run->q, run->v) and holds the drivers; those of steady coordinates keep their rates.
 * Notes what moves at the start and stands or is held afterwards. Fails with MBS_NO_EQUILIBRIUM if a steady driver
 * accelerates. */
mbs_status mbs_steady_open(mbs_steady_motion *self, mbs_run_state *run);
/* Computes v and vdot at the system's position. The system then has that velocity. Returns MBS_NOT_FINITE if the rows
 * have no solution; v is NaN then. */
mbs_status mbs_steady_set(mbs_steady_motion *self);
/* Checks that the constraints permit the motion at the system's position. Fails with MBS_NO_EQUILIBRIUM, naming the
 * element that does not. */
mbs_status mbs_steady_check(mbs_steady_motion *self);
/* Moves q [nq], the system's position, by the motion in `time`, and leaves the system there: at t_start + time, with
 * drivers held at t_start, but those of steady coordinates moved. mbs_steady_back() undoes the latter. */
mbs_status mbs_steady_advance(mbs_steady_motion *self, double time, double *q);
void mbs_steady_back(mbs_steady_motion *self);

#endif
