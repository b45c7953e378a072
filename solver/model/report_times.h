/* report_times.h - when a run reports. */
#ifndef MBS_REPORT_TIMES_H
#define MBS_REPORT_TIMES_H

#include "model/model.h"

/* The reporting time number `row`. */
double mbs_report_time(const mbs_model *model, size_t row);

#endif
