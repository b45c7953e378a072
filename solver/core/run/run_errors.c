/* Fills the errors that end a run. */
#include "run/run_errors.h"

#include "base/message.h"
#include "equations/law.h"
#include "equations/switches.h"
#include "model/units.h"
#include "run/breakpoints.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

mbs_status mbs_run_fail(mbs_run_state *run, mbs_status status, double t, const char *element, const char *format, ...) {
  assert(status != MBS_OK && element != NULL);
  mbs_error *error = run->error;
  error->status = status;
  if (error->message[0]) return status;
  va_list arguments;
  va_start(arguments, format);
  mbs_message_of(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  error->time = run->t_failed = isfinite(t) ? t : run->t_reached; /* the error always has a time */
  snprintf(error->element, sizeof error->element, "%s", element);
  return status;
}

mbs_status mbs_run_fail_nested(mbs_run_state *run, size_t index, double t) {
  const mbs_owner owner = mbs_switches_owner(run->model, index);
  mbs_run_forget_error(run);
  snprintf(run->error->pointer, sizeof run->error->pointer, "%s", owner.pointer);
  return mbs_run_fail(
      run, MBS_STEP_TOO_SMALL, t, owner.element,
      "the law '%.200s' of '%s' (%s) cannot be integrated beyond t = %.9g: it would have to stick there, but its "
      "sign(x) or if(...) is nested inside another; write the law with one sign(x) or if(...) of the speed",
      owner.text ? owner.text : "", owner.element, owner.pointer, t);
}

void mbs_run_forget_error(mbs_run_state *run) {
  run->error->message[0] = run->error->element[0] = run->error->pointer[0] = 0;
  run->t_failed = NAN;
}

mbs_status mbs_run_fail_jump(mbs_run_state *run, double t, const char *element, double jump) {
  return mbs_run_fail(run, MBS_CONTRADICTION, t, element,
                      "'%s' jumps by %.3g at t = %.9g, which no mechanism can follow; give it a continuous function",
                      element, jump, t);
}

mbs_status mbs_run_fail_zeno(mbs_run_state *run, size_t index, double t) {
  const mbs_owner owner = mbs_switches_owner(run->model, index);
  run->error->message[0] = 0; /* removes the message of a repeated step */
  snprintf(run->error->pointer, sizeof run->error->pointer, "%s", owner.pointer);
  if (!owner.text)
    return mbs_run_fail(
        run, MBS_STEP_TOO_SMALL, t, owner.element,
        "contact in '%s' begins and ends infinitely often at t = %.9g; add damping, or choose another law",
        owner.element, t);
  return mbs_run_fail(run, MBS_STEP_TOO_SMALL, t, owner.element,
                      "the law '%.200s' of '%s' (%s) switches infinitely often at t = %.9g; replace its jump by a "
                      "steep slope, as in tanh(x/0.001) instead of sign(x), or add damping",
                      owner.text, owner.element, owner.pointer, t);
}

mbs_status mbs_run_fail_vanishing(mbs_run_state *run, const mbs_law *law, const char *element, double t) {
  assert(law->text != NULL && law->pointer != NULL);
  bool rests = false;
  for (size_t i = 0; i < law->input_count; i++) rests |= run->model->inputs[law->inputs[i]].level == 1;
  mbs_run_forget_error(run);
  snprintf(run->error->pointer, sizeof run->error->pointer, "%s", law->pointer);
  return mbs_run_fail(run, rests ? MBS_LAW_UNDEFINED : MBS_STEP_TOO_SMALL, t, element,
                      "the law '%.160s' of '%s' (%s) divides by an expression that becomes zero at t = %.9g and stays "
                      "zero; for friction with one speed v, write sign(v) instead of v/abs(v); with several, use a "
                      "force 'friction' with 'point' and 'preload', which sticks",
                      law->text, element, law->pointer, t);
}

/* A function of time is at a pole if it has grown by the factor `pole_growth` since the start, and its rate would
 * double it within `pole_share` of the span. */
static const double pole_growth = 1e6, pole_share = 1e-6;
/* A function jumps if it changes, within mbs_instant_share of its time, by more than this share of its value and
 * rate. */
static const double jump_share = 1e-5;

mbs_status mbs_run_functions_end(mbs_run_state *run, double t) {
  for (size_t f = 0; f < run->model->function_count; f++) {
    const mbs_function *function = &run->model->functions[f];
    double start[3] = {0}, here[3] = {0}, after[3] = {0};
    function->cls->value(run->system, function, run->model->t_start, start);
    function->cls->value(run->system, function, t, here);
    double unit = mbs_function_unit(run->system->constants, f), time = run->system->constants->time;
    function->cls->value(run->system, function, t + mbs_instant_share * (time + fabs(t)), after);
    double share = pole_share * (run->model->t_end - run->model->t_start);
    /* |f| above pole_growth times its start, and a rate that doubles it within that share of the span */
    bool pole = fabs(here[0]) > pole_growth * (unit + fabs(start[0])) && fabs(here[1]) * share > fabs(here[0]);
    /* the change of f within an instant */
    double jump = after[0] - here[0];
    bool jumps = isfinite(jump) && fabs(jump) > jump_share * (unit + fabs(here[0]) + fabs(here[1]) * time);
    if (isfinite(after[0]) && !pole && !jumps) continue;
    run->error->message[0] = 0;
    if (jumps && !pole) return mbs_run_fail_jump(run, t, function->element, jump);
    return mbs_run_fail(run, MBS_OUT_OF_RANGE, t, function->element, "the function of time of '%s' %s t = %.9g",
                        function->element, pole ? "grows without bound at" : "is not defined after", t);
  }
  return MBS_OK;
}

void mbs_run_name_growth(mbs_run_state *run, double t, const double *z, const double *zdot) {
  const double share = pole_share * (run->model->t_end - run->model->t_start);
  for (size_t k = 0; k < run->model->named_states; k++) {
    if (!(fabs(z[k]) > pole_growth && fabs(zdot[k]) * share > fabs(z[k]))) continue;
    const char *name = run->model->states[k].name;
    mbs_run_forget_error(run);
    mbs_run_fail(run, MBS_STEP_TOO_SMALL, t, name,
                 "the state '%s' reaches %.3g at t = %.9g and may grow without bound there; correct its rate, or stop "
                 "earlier",
                 name, z[k], t);
    return;
  }
}

/* Replaces an error by that of a table without a value. Returns MBS_OUTSIDE_TABLE. */
static mbs_status fail_outside(mbs_error *error, double t, const char *table, const double place[2],
                               const mbs_owner *owner) {
  *error = (mbs_error){.status = MBS_OUTSIDE_TABLE, .time = t};
  snprintf(error->pointer, sizeof error->pointer, "%s", owner->pointer ? owner->pointer : "");
  snprintf(error->element, sizeof error->element, "%s", owner->element);
  mbs_message(error->message, sizeof error->message,
              "at t = %.9g the argument of the table '%s' is %.14g and leaves the table, which %s at %.9g, in "
              "the law '%.160s' of '%s'; add values to the table, or set its \"outside\" to hold, extend or "
              "periodic",
              t, table, place[0], place[0] < place[1] ? "begins" : "ends", place[1], owner->text ? owner->text : "",
              owner->element);
  return MBS_OUTSIDE_TABLE;
}

mbs_status mbs_run_outside_table(mbs_run_state *run, mbs_status status) {
  const bool collapsed = status == MBS_NOT_FINITE || status == MBS_OUT_OF_RANGE || status == MBS_STEP_TOO_SMALL ||
                         status == MBS_NOT_ASSEMBLED || status == MBS_SINGULAR_POSITION || status == MBS_LOCK_UP ||
                         status == MBS_NO_EQUILIBRIUM;
  if (!collapsed) return status;
  const double t = isfinite(run->error->time) ? run->error->time : run->t_reached;
  double place[2] = {NAN, NAN};
  mbs_owner owner;
  const double later = t + mbs_instant_share * (run->system->constants->time + fabs(t));
  const char *table = mbs_switches_outside(run->system, later, place, &owner);
  if (!table) return status;
  run->t_failed = t;
  return fail_outside(run->error, t, table, place, &owner);
}

bool mbs_law_fails_outside(const mbs_system *system, const mbs_law *law, const char *element, mbs_error *error) {
  double place[2] = {NAN, NAN};
  const char *table = mbs_law_outside(system, law, system->t, place);
  if (table) (void)fail_outside(error, system->t, table, place, &(mbs_owner){element, law->pointer, law->text});
  return table != NULL;
}

void mbs_finish_error(mbs_error *error, mbs_status status, double t, const mbs_fault *fault) {
  assert((unsigned)status < MBS_STATUS_COUNT && status != MBS_OK);
  static const char *const meanings[] = {
#define MBS_STATUS(symbol, code, meaning) meaning,
#include "mbs/status.def"
#undef MBS_STATUS
  };
  error->status = status;
  bool at_fault = status == fault->status;
  if (error->message[0] && !at_fault) return;
  error->time = !at_fault ? t : isfinite(error->time) ? error->time : isfinite(fault->time) ? fault->time : t;
  if (at_fault) {
    snprintf(error->element, sizeof error->element, "%s", fault->element);
    mbs_message(error->message, sizeof error->message, "'%s' at t = %.9g: %s", fault->element, error->time,
                fault->what);
  } else
    mbs_message(error->message, sizeof error->message, "at t = %.9g: %s", t, meanings[status]);
}
