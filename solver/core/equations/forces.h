/* forces.h - inputs and outputs of force elements. */
#ifndef MBS_FORCES_H
#define MBS_FORCES_H

#include "equations/system.h"
#include "kernels/kernels.h"

/* Computes the force elements only: wrenches on the bodies, outputs, powers. */
void mbs_apply_forces(mbs_system *system);
/* Sets the outputs of force elements that follow from accelerations and multipliers, of the evaluated state. */
void mbs_forces_show(mbs_system *system);
/* Sets all states z of the system at the start of a run, whose position and velocity are set. */
void mbs_states_start(mbs_system *system);
/* Computes the rates zdot [nz] of these states at the evaluated state. */
void mbs_states_rates(mbs_system *system, double *zdot);
/* Returns the name of the state of the document with index k in z, or of the signal or force element that has it. */
const char *mbs_state_owner(const mbs_model *model, size_t k);
/* Returns true if the last outputs of a force element are finite. */
bool mbs_outputs_finite(const mbs_system *system, const mbs_force *force);

/* Computes position and velocity of point s (body axes) of a body, global axes. */
static inline void mbs_point_motion(const mbs_system *system, int body, const mbs_real s[3], mbs_real r[3],
                                    mbs_real v[3]) {
  system->kernels->point(system, body, s, 0, r);
  system->kernels->point(system, body, s, 1, v);
}

/* Applies the generalized force Q along primitive number `coordinate` of model->coordinates, to both its bodies. */
static inline void mbs_apply_generalized_force(mbs_system *system, int coordinate, mbs_real Q) {
  system->kernels->push_along(system, &system->model->coordinates[coordinate], Q);
}

/* Applies a force f at point s (body axes) of a body; mbs_twist() applies a torque n. Both in global axes. */
static inline void mbs_apply_force(mbs_system *system, int body, const mbs_real s[3], const mbs_real f[3]) {
  system->kernels->push(system, body, s, f);
}
static inline void mbs_twist(mbs_system *system, int body, const mbs_real n[3]) {
  system->kernels->twist(system, body, n);
}

/* Converts a vector from body axes to global axes. */
static inline void mbs_to_global(const mbs_system *system, int body, const mbs_real u[3], mbs_real out[3]) {
  system->kernels->to_global(system, body, u, out);
}

/* Computes the angular velocity of a body, global axes. */
static inline void mbs_angular_velocity(const mbs_system *system, int body, mbs_real omega[3]) {
  system->kernels->rotation(system, body, 1, omega);
}

/* Returns the angle of a body in the plane, full revolutions included. */
static inline mbs_real mbs_planar_angle(const mbs_system *system, int body) {
  mbs_real angle[3] = {MBS_ALL(0), MBS_ALL(0), MBS_ALL(0)};
  system->kernels->rotation(system, body, 0, angle);
  return angle[2];
}

#endif
