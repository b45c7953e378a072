/* report_json.h - reports and errors of runs as JSON. */
#ifndef API_DOCUMENTS_REPORT_JSON_H
#define API_DOCUMENTS_REPORT_JSON_H

#include "mbs.h"

#include <jansson.h>

/* Returns the report of a study about its model, as it was understood. */
json_t *api_study_report_json(const mbs_report *model);
json_t *api_report_json(const mbs_report *report);
/* Returns a shortened report for printing, without the error estimate of each state. */
json_t *api_report_short_json(const mbs_report *report);
/* Returns {"code", "detail", "t", "element", "pointer"}; members that do not apply are null. */
json_t *api_error_json(const mbs_error *error);
/* Returns an error with a code and a detail only. */
json_t *api_plain_error_json(const char *code, const char *detail);
/* Returns [{"pointer", "detail", "code"}, ...]. */
json_t *api_errors_json(const mbs_diagnostics *list);

#endif
