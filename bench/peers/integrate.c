/* Connects the equations of another program to our integrator; see integrate.h. */
#include "integrate.h"

#include "ode/integrator.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mbs_status slopes(void *context, double t, const double *y, double *dydt) {
  (void)t;
  const peers_equations *equations = context;
  memcpy(dydt, y + equations->n, equations->n * sizeof *dydt);
  equations->accelerations(equations->self, y, dydt + equations->n);
  return MBS_OK;
}

static mbs_status project(void *context, double t, double *y) {
  (void)t;
  const peers_equations *equations = context;
  equations->project(equations->self, y);
  return MBS_OK;
}

double peers_integrate(const peers_equations *equations, double t_end, double tolerance, double *state) {
  const mbs_method *method = mbs_method_named("dop853");
  const mbs_ode ode = {.context = (void *)equations,
                       .n = 2 * equations->n,
                       .n_error = 2 * equations->n,
                       .rhs = slopes,
                       .project = equations->project ? project : NULL};
  const mbs_tolerance wanted = {.rtol = tolerance, .atol = tolerance};
  double *workspace = calloc(mbs_integrate_workspace(method, &ode), sizeof *workspace);
  mbs_integration done;
  mbs_error error = {0};
  const double start = now();
  if (!workspace ||
      mbs_integrate(method, &ode, 0, t_end, state, NULL, 0, &wanted, workspace, &done, &error) != MBS_OK) {
    fprintf(stderr, "integration: %s\n", workspace ? error.message : "no memory");
    exit(1);
  }
  const double seconds = now() - start;
  free(workspace);
  return seconds;
}
