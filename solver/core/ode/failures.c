/* failures.c - errors of an integration. */
#include "base/message.h"
#include "ode/steps.h"

#include <stdarg.h>
#include <stdio.h>

/* More than CHATTER_EVENTS cut steps within this share of the span are chattering. */
static const double chatter_span = 1e-9;
enum { CHATTER_EVENTS = 1000 };

mbs_status mbs_integration_finish_error(mbs_error *error, mbs_status status, double t) {
  if (error == NULL) return status;
  error->status = status;
  error->time = t;
  if (error->message[0] == '\0')
    mbs_message(error->message, sizeof error->message, "the integration cannot continue at t = %.9g", t);
  return status;
}

mbs_status mbs_integration_fail(mbs_error *error, mbs_status status, double t, const char *format, ...) {
  va_list arguments;

  if (error == NULL) return status;
  error->element[0] = '\0';
  va_start(arguments, format);
  mbs_message_of(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return mbs_integration_finish_error(error, status, t);
}

mbs_status mbs_integration_fail_step_size(mbs_error *error, double t, double smallest) {
  return mbs_integration_fail(
      error, MBS_STEP_TOO_SMALL, t,
      "the step size fell below %.3g at t = %.9g without meeting the tolerance; look for a jump or "
      "a very stiff element there, or increase rtol and atol",
      smallest, t);
}

mbs_chatter mbs_chatter_from(double t_start, double t_end, double resolution) {
  return (mbs_chatter){.time = fmax(chatter_span * (t_end - t_start), 16 * CHATTER_EVENTS * resolution),
                       .start = t_start};
}

mbs_status mbs_chatter_check(mbs_chatter *chatter, const mbs_ode *ode, double t, const double *before,
                             const double *after, mbs_error *error) {
  size_t guard = 0;

  if (t - chatter->start > chatter->time) {
    chatter->start = t;
    chatter->count = 0;
  }
  if (++chatter->count <= CHATTER_EVENTS) return MBS_OK;
  /* the guard that fell farthest */
  for (size_t i = 1; i < ode->n_guards; i++)
    if (after[i] - fmin(0, before[i]) < after[guard] - fmin(0, before[guard])) guard = i;
  if (ode->fail_zeno != NULL) return mbs_integration_finish_error(error, ode->fail_zeno(ode->context, guard, t), t);
  return mbs_integration_fail(
      error, MBS_STEP_TOO_SMALL, t,
      "switch %zu changes its branch infinitely often at t = %.9g; replace its jump by a steep slope, or add damping",
      guard, t);
}
