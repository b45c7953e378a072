/* report_times.h - when a run reports. */
#ifndef MBS_REPORT_TIMES_H
#define MBS_REPORT_TIMES_H

#include "mbs/model.h"
#include "model/model.h"

#include <float.h>
#include <math.h>

/* The reporting time number `row`. */
double mbs_report_time(const mbs_model *model, size_t row);

/* Instants of a run that are closer than this are the same: 12 * 0.1 is the end of one to 1.2. */
static inline double mbs_time_resolution(const mbs_model *model) {
  return 8 * DBL_EPSILON * fmax(fabs(model->t_start), fabs(model->t_end));
}

#endif
