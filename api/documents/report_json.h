/* report_json.h - what a run has to say about itself, and why it failed, as JSON. */
#ifndef API_DOCUMENTS_REPORT_JSON_H
#define API_DOCUMENTS_REPORT_JSON_H

#include "mbs.h"

#include <jansson.h>

/* What a study says about its model, as it was understood. */
json_t *api_study_report_json(const mbs_report *model);
json_t *api_report_json(const mbs_report *report);
/* As much of it as is printed for people: without the errors of each state that nobody asked for. */
json_t *api_report_short_json(const mbs_report *report);
/* {"code", "detail", "t", "element", "pointer"}, null where something does not apply. */
json_t *api_error_json(const mbs_error *error);
/* The same where nothing but a code and a detail is known. */
json_t *api_plain_error_json(const char *code, const char *detail);
/* [{"pointer", "detail", "code"}, ...] */
json_t *api_errors_json(const mbs_diagnostics *list);

#endif
