/* accuracy.h - the estimates that a run makes of its own errors. */
#ifndef MBS_ACCURACY_H
#define MBS_ACCURACY_H

#include "mbs/result.h"
#include "model/model.h"

/* Largest error estimates of a single step so far; [nq + nv] in the order of the integrated state. */
typedef struct mbs_local_errors {
  size_t n;
  double *largest, *time; /* time [s]: end of the step */
} mbs_local_errors;

/* Returns false if memory runs out. */
bool mbs_local_errors_open(mbs_local_errors *errors, const mbs_model *model, mbs_arena *arena);

/* Updates the largest estimates with those of the step that ends at time t. */
void mbs_local_errors_note(mbs_local_errors *errors, double t, const double *estimates);

/* Allocates the accuracy report of a model whose motion is integrated. Returns false if memory runs out. */
bool mbs_accuracy_open(const mbs_model *model, mbs_result *result);

/* Stores the errors found during the run in the report. */
void mbs_accuracy_store_local(const mbs_model *model, const mbs_local_errors *errors, mbs_accuracy *accuracy);

#endif
