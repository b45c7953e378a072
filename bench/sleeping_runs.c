/* sleeping_runs.c - replaces runs of studies by a sleep of as many seconds as their first parameter. Linked into the
 * daemon that bench/scale.py starts, by the linker's --wrap, so that many workers can be busy on a machine with few
 * cores. */
#include "mbs.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>

mbs_status __wrap_mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values, double *outputs,
                                mbs_error *error);

mbs_status __wrap_mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values, double *outputs,
                                mbs_error *error) {
  (void)hooks;
  (void)error;
  const mbs_study_outline *outline = mbs_study_info_of(study);
  mbs_study_point(study, index, values);
  for (size_t i = 0; i < outline->outputs; i++) outputs[i] = (double)index;
  double seconds = values[0];
  const struct timespec pause = {.tv_sec = (time_t)seconds,
                                 .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  ppoll(NULL, 0, &pause, NULL); /* the only sleeping call that workers may make */
  return MBS_OK;
}
