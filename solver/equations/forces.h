/* forces.h - what force elements read and exert. */
#ifndef MBS_FORCES_H
#define MBS_FORCES_H

#include "equations/system.h"

/* Forces on the bodies only: wrenches, outputs, powers. */
void mbs_apply_forces(mbs_system *system);
/* Whether what a force element exerted last is finite. */
bool mbs_outputs_finite(const mbs_system *system, const mbs_force *force);

/* Position and velocity of point s (body axes) of a body, global axes. */
void mbs_point_motion(const mbs_system *system, int body, const double s[3], double r[3], double v[3]);
/* The generalized force Q along primitive number `coordinate` of model->coordinates, on both its bodies. */
void mbs_push_along(mbs_system *system, int coordinate, double Q);
/* A force f at point s (body axes) of a body; a torque. Global axes. */
void mbs_push(mbs_system *system, int body, const double s[3], const double f[3]);
void mbs_twist(mbs_system *system, int body, const double n[3]);
/* Body axes to global axes. */
void mbs_to_global(const mbs_system *system, int body, const double u[3], double out[3]);
/* Angular velocity, global axes. */
void mbs_angular_velocity(const mbs_system *system, int body, double omega[3]);

#endif
