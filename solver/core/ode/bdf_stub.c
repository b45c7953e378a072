/* bdf_stub.c - the method bdf in a build without CVODE (bdf.c): a run with this method fails at its start. */
#include "ode/steps.h"

static size_t work_of(size_t n) {
  (void)n;
  return 0;
}

static mbs_status integrate(const mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                            const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                            mbs_integration *stats, mbs_error *error) {
  (void)ode, (void)t_end, (void)y, (void)report_times, (void)rows, (void)tolerance, (void)workspace;
  *stats = (mbs_integration){.t = t_start};
  return mbs_integration_fail(error, MBS_METHOD_NOT_BUILT, t_start, "the method '%s' is not available in this build",
                              method->name);
}

const mbs_method mbs_bdf = {MBS_METHOD_OF_TABLE(bdf), .order = 5, .history = true, .workspace = work_of,
                            .integrate = integrate};
