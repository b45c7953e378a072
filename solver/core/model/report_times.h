/* report_times.h - reporting times of a run. */
#ifndef MBS_REPORT_TIMES_H
#define MBS_REPORT_TIMES_H

#include "mbs/model.h"
#include "model/model.h"

#include <float.h>
#include <math.h>

/* Returns reporting time number `row`. */
double mbs_report_time(const mbs_model *model, size_t row);

/* Returns the distance below which instants of a run are equal: 12 * 0.1 is the end of a run to 1.2. */
static inline double mbs_time_resolution(const mbs_model *model) {
  return 8 * DBL_EPSILON * fmax(fabs(model->t_start), fabs(model->t_end));
}

#endif
