/* model_run.h - builds and runs a document, for tests that compare numbers. */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "json.h"
#include "mbs.h"

typedef struct model_run {
  mbs_model *model; /* NULL if the document has the error in `error` */
  mbs_result *result;
  mbs_status status;
  mbs_error error;
} model_run;

/* Step through the two formulations; through these in the plane and in space, `dim` 2 and 3. */
#define EACH_FORMULATION(f) for (int f = 0; f < 2; f++)
#define EACH(f, dim) \
  for (int dim = 2; dim <= 3; dim++) EACH_FORMULATION(f)

/* Returns the document itself if `dim` is 2, else its counterpart in space, which must exist. Frees the document. */
char *model_run_in(int dim, char *document);
/* Builds and runs the document that the format gives. */
model_run model_run_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Like model_run_text, for a document with the members of two objects. */
model_run model_run_merged(const char *one, const char *two);
/* Like model_run_merged; frees both texts. */
model_run model_run_with(char *document, char *members);
/* Like model_run_text, for a file of models/. */
model_run model_run_file(const char *name);
/* Runs models/NAME.json with other members, whose text it frees. Fails if the run fails. */
model_run model_run_changed(const char *name, char *changes);
void model_run_free(model_run *run);
/* Fails with the message of the solver if the document was invalid or the run failed. */
void model_run_require(const model_run *run);

/* Returns an entry of an array that must exist. A negative row counts from the end. */
double model_run_value(const model_run *run, const char *array, long row, size_t column);
/* Returns an output of a force element, "element.output". */
double model_run_output(const model_run *run, const char *label, long row);
/* Returns the time of event number `index` of an element and kind, from 0; NaN if there is none. */
double model_run_event(const model_run *run, const char *element, const char *kind, size_t index);
size_t model_run_events(const model_run *run, const char *element, const char *kind);

#endif
