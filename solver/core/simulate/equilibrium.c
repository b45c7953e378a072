/* Static or relative equilibrium: one row, at rest or of the steady motion, and its stability. */
#include "base/norms.h"
#include "model/constants.h"
#include "run/notes.h"
#include "run/overflow_check.h"
#include "run/record.h"
#include "run/run_errors.h"
#include "run/start.h"
#include "simulate/along_motion.h"
#include "simulate/analyses.h"
#include "simulate/linearize.h"
#include "simulate/static_equilibrium.h"

#include <math.h>

/* An effort below this share of the largest multiplier, or of the energies, is rounding. */
static const double effort_share = 1e-8;

/* Sets *stable by the linear equations. Sets *singular if they are singular, and do not decide. */
static mbs_status linearize(mbs_run_state *run, int *stable, bool *singular) {
  mbs_linearization linear;
  mbs_error quiet = {0}, *error = run->system->error;
  run->system->error = &quiet;
  mbs_status status = mbs_linearize(run, run->model->t_start, NULL, &linear);
  run->system->error = error;
  if (status == MBS_STEP_TOO_SMALL) mbs_run_forget_error(run);   /* the stiffness decides if laws cannot be settled */
  if (status != MBS_OK && run->error->message[0]) return status; /* the host ended the run */
  *singular = status == MBS_OK && linear.singular;
  if (status != MBS_OK) return MBS_OK;
  *stable = mbs_linearization_stable(&linear);
  bool turn = false;
  if (run->model->relative && run->model->body_formulation) status = mbs_depends_on_basis(run, &linear, &turn);
  if (turn) *stable = -1;
  return status;
}

mbs_status mbs_equilibrium_stability(mbs_run_state *run, int *stable) {
  bool singular;
  return linearize(run, stable, &singular);
}

/* Reports the stability by the equations linearized at the equilibrium. If they do not exist (a degree of freedom
 * without inertia), the stiffness decides. */
static mbs_status find_stability(mbs_run_state *run, int stable) {
  bool singular;
  if (stable == MBS_STABILITY_PERIODIC) {
    mbs_run_note(run, "the stiffness depends on the position of the steady joints, so that linear equations with "
                      "constant coefficients do not determine whether this equilibrium is stable");
    return MBS_OK;
  }
  mbs_status status = linearize(run, &stable, &singular);
  if (status != MBS_OK) return status;
  run->result->report.stable = stable;
  if (singular) mbs_run_note(run, "%s", mbs_linearization_singular);
  if (stable == 0) mbs_run_note(run, "this equilibrium is unstable; another start may lead to a stable one");
  if (stable < 0 && !singular)
    mbs_run_note(run, "the linearization does not determine whether this equilibrium is stable");
  return MBS_OK;
}

/* Notes efforts of added drivers that are not zero: without them the steady joints would change their rates. */
static void note_efforts(mbs_run_state *run, const double *lambda) {
  const mbs_model *model = run->model;
  const double largest = mbs_largest(lambda, model->bilateral_rows);
  for (size_t d = model->driver_count - model->added_drivers; d < model->driver_count; d++) {
    const mbs_driver *driver = &model->drivers[d];
    const bool turn = mbs_is_turn(model->blocks[driver->block].primitive);
    if (fabs(lambda[driver->row]) <= effort_share * fmax(largest, run->result->report.energy_scale)) continue;
    mbs_run_note(
        run,
        "the rate of '%s' is kept by a %s of %.6g %s that no driver of the document exerts; without it, the rate "
        "changes",
        driver->name, turn ? "torque" : "force", lambda[driver->row], turn ? "N m" : "N");
  }
}

mbs_status mbs_run_equilibrium(mbs_run_state *run) {
  double *lambda = mbs_arena_alloc(run->system->arena, run->model->rows + 1, sizeof *lambda);
  if (!lambda) return MBS_NO_MEMORY;
  mbs_status status = mbs_run_start(run);
  int stiffness = -1;
  if (status == MBS_OK) status = mbs_find_equilibrium(run, lambda, &stiffness);
  if (status != MBS_OK) return status;
  if ((status = mbs_run_record_static(run, 0, run->model->t_start, run->q, lambda)) != MBS_OK) return status;
  if (run->observer) return MBS_OK; /* only the report contains stability */
  if ((status = mbs_run_require_finite(run, 0, run->model->t_start)) != MBS_OK) return status;
  note_efforts(run, lambda);
  return find_stability(run, stiffness);
}
