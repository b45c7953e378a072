/* model_run.h - a document, run, for tests that compare numbers. */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "json.h"
#include "mbs.h"

typedef struct model_run {
  mbs_model *model; /* NULL: the document has the mistake in `error` */
  mbs_result *result;
  mbs_status status;
  mbs_error error;
} model_run;

/* Builds and runs the document that the format makes. */
model_run model_run_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for the members of two objects. */
model_run model_run_merged(const char *one, const char *two);
/* The same for a file of models/. */
model_run model_run_file(const char *name);
void model_run_free(model_run *run);
/* Fails, with what the solver said, where the document was wrong or the run did not end well. */
void model_run_require(const model_run *run);

/* Entry of an array that must exist; a row counted from the end where it is negative. */
double model_run_value(const model_run *run, const char *array, long row, size_t column);
/* Time of the event number `index` of an element and kind, from 0; NaN where there is none. */
double model_run_event(const model_run *run, const char *element, const char *kind, size_t index);
size_t model_run_events(const model_run *run, const char *element, const char *kind);

#endif
