/* Laws that stick, in the search for a static equilibrium: laws that stick at the start hold. Their surfaces s = 0
 * (equations/sliding.h) are rows in addition to those of C, with the friction as multipliers. All other laws at their
 * switch have the mean of their branches. At the end of the iteration, the laws are settled as in a motion, and their
 * forces must be in balance. */
#include "simulate/statics.h"

#include "base/norms.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/sticking.h"
#include "run/touch_checks.h"

#include <stdio.h>
#include <string.h>

/* Decides at run->q, as for a motion from rest, which laws stick. Returns their number. If laws cannot be settled, or
 * none sticks, all laws follow the state, where a velocity of 0 determines the branch. */
static size_t settle(mbs_statics *self) {
  mbs_run_state *run = self->run;
  const mbs_sliding *sliding = run->system->sliding;
  mbs_error quiet = {0}, *error = run->error;
  run->error = run->system->error = &quiet;
  const double failed = run->t_failed;
  mbs_status status = mbs_run_settle_laws(run, run->model->t_start);
  run->error = run->system->error = error;
  run->t_failed = failed;
  mbs_statics_set_velocities(self);
  self->settled = status == MBS_OK;
  const size_t sticking = sliding->moving_count;
  for (size_t i = 0; i < sticking; i++) self->sticking[i] = sliding->surfaces[sliding->moving[i]];
  if (sticking == 0) mbs_switches_release(run->system);
  return sticking;
}

/* Returns true if run->q is an equilibrium with the forces of the settled laws. Sets self->F_trial to the unbalanced
 * force. Multipliers are those of C alone then. */
static bool is_rest(mbs_statics *self) {
  if (!self->settled) return true;
  mbs_statics_set_sticking(self, 0);
  self->stands = false;
  mbs_status status = mbs_statics_balance(self, self->run->q, self->F_trial, self->lambda);
  return status == MBS_OK && mbs_largest(self->F_trial, self->n) <= mbs_force_accepted * self->scale;
}

/* Adds to the message of a failed search the law that is too weak, if a law is at its switch there. */
static void name_loose_law(mbs_statics *self) {
  mbs_run_state *run = self->run;
  char *message = run->error->message;
  if (settle(self) == 0) mbs_switches_follow(run->system, run->model->t_start, run->q, run->v);
  const int index = mbs_sliding_next_loose(run->system, 0);
  if (index < 0) return;
  const mbs_owner owner = mbs_switches_owner(run->model, (size_t)index);
  const size_t length = strlen(message);
  snprintf(message + length, sizeof run->error->message - length,
           "; at rest there, the law '%.120s' of '%.60s' (%s) is too weak to hold the mechanism", owner.text,
           owner.element, owner.pointer);
}

/* Reports and notes the laws that hold the equilibrium. */
static mbs_status report_laws(const mbs_statics *self, size_t sticking) {
  size_t velocities = 0;
  int first = -1;
  for (size_t i = 0; i < sticking; i++) {
    if (self->sticking[i].order != 1) continue;
    if (velocities++ == 0) first = self->sticking[i].leader;
  }
  if (velocities == 0) return MBS_OK;
  const mbs_owner owner = mbs_switches_owner(self->run->model, (size_t)first);
  char others[48] = "";
  if (velocities > 1) snprintf(others, sizeof others, " (and %zu more)", velocities - 1);
  mbs_run_note(self->run,
               "the law '%.120s' of '%.60s' (%s)%s helps to hold the equilibrium by static friction, so that positions "
               "nearby are equilibria, too; another start may lead to another position",
               owner.text, owner.element, owner.pointer, others);
  return mbs_report_sticking(self->run, true);
}

mbs_status mbs_statics_search_laws(mbs_statics *self, double *start, const double *turns, int *stable) {
  mbs_run_state *run = self->run;
  size_t sticking = settle(self);
  for (;;) {
    mbs_statics_set_sticking(self, sticking);
    self->stands = self->settled;
    const mbs_status status = mbs_statics_search(self, start, turns, stable);
    if (status != MBS_OK && (status != MBS_NO_EQUILIBRIUM || sticking == 0)) {
      if (status == MBS_NO_EQUILIBRIUM) name_loose_law(self);
      return status;
    }
    const size_t before = sticking;
    sticking = status == MBS_OK ? settle(self) : 0;
    if (status == MBS_OK && is_rest(self)) return report_laws(self, sticking);
    if (before == 0) {
      memcpy(self->F, self->F_trial, self->n * sizeof *self->F);
      return mbs_statics_fail_unbalanced(self);
    }
    if (sticking >= before) sticking = 0;
    mbs_run_forget_error(run);
    if (status == MBS_OK)
      memcpy(start, run->q, run->model->nq * sizeof *start);
    else
      memcpy(run->q, start, run->model->nq * sizeof *start);
  }
}
