/* report.h - the report of a run. */
#ifndef MBS_REPORT_H
#define MBS_REPORT_H

#include "mbs/result.h"
#include "model/model.h"

/* Opens the report of a model, with all facts that are known before the run. Returns false if memory runs out. */
bool mbs_report_open(const mbs_model *model, mbs_result *result);

#endif
