/* state.h - the first two parts of an evaluation: positions and velocities, with functions of time and curves. */
#ifndef MBS_STATE_H
#define MBS_STATE_H

#include "equations/system.h"

/* Sets time and position. If the position has a fault (system->fault), the constraints are NaN, and mbs_evaluate()
 * returns its status. */
void mbs_set_position(mbs_system *system, double t, const double *q);
/* Computes the functions of time only; their errors become faults of the position. */
void mbs_set_functions(mbs_system *system, double t);
void mbs_set_velocity(mbs_system *system, const double *v);
/* Adds the displacement dv [nv] (a velocity times a time) to q; for planar models q + dv. `out` may be q. */
void mbs_displace(const mbs_model *model, const double *q, const double *dv, double *out);

#endif
