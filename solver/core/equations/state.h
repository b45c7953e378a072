/* state.h - the first two parts of an evaluation: positions and velocities, and what functions of time and
 * curves make of them. */
#ifndef MBS_STATE_H
#define MBS_STATE_H

#include "equations/system.h"

/* Where the position has a fault (system->fault), the constraints are NaN and mbs_evaluate() returns its status. */
void mbs_set_position(mbs_system *system, double t, const double *q);
/* The functions of time alone; what is wrong with them is the position's fault. */
void mbs_set_functions(mbs_system *system, double t);
void mbs_set_velocity(mbs_system *system, const double *v);
/* q advanced by the displacement dv [nv] (a velocity times a time); for planar models q + dv. `out` may be q. */
void mbs_displace(const mbs_model *model, const double *q, const double *dv, double *out);

#endif
