/* report.h - the report of a run. */
#ifndef MBS_REPORT_H
#define MBS_REPORT_H

#include "mbs/result.h"
#include "model/model.h"

/* Opens the report of a model, with all that is known before the run; false: no memory. */
bool mbs_report_open(const mbs_model *model, mbs_result *result);

#endif
