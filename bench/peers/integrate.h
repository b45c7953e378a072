/* integrate.h - our integrator for the equations of motion of a program that has none of its own. C and C++. */
#ifndef PEERS_INTEGRATE_H
#define PEERS_INTEGRATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The equations of motion of coordinates q [n] whose rates are the velocities v [n]; a state is [q | v]. */
typedef struct peers_equations {
  void *self;
  size_t n;
  void (*accelerations)(void *self, const double *state, double *vdot);
  /* Moves a state onto the constraints. NULL: there are none. */
  void (*project)(void *self, double *state);
} peers_equations;

/* Integrates a state by dop853 from 0 to t_end [s], with this relative and absolute tolerance; projects it after each
 * step. Returns the thread CPU time [s]. Ends the program if the integration fails. */
double peers_integrate(const peers_equations *equations, double t_end, double tolerance, double *state);

#ifdef __cplusplus
}
#endif

#endif
