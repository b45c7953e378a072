/* accuracy.h - what a run knows of its own errors. */
#ifndef MBS_ACCURACY_H
#define MBS_ACCURACY_H

#include "mbs/result.h"
#include "model/model.h"

/* Largest estimates of the error of one step so far; [nq + nv] in the order of the integrated state. */
typedef struct mbs_local_errors {
  size_t n;
  double *largest, *time; /* time [s]: end of the step */
} mbs_local_errors;

/* False: no memory. */
bool mbs_local_errors_open(mbs_local_errors *errors, const mbs_model *model, mbs_arena *arena);

/* Takes the estimates of the step to t into account. */
void mbs_local_errors_note(mbs_local_errors *errors, double t, const double *estimates);

/* Opens the accuracy of the report of a model whose motion is integrated; false: no memory. */
bool mbs_accuracy_open(const mbs_model *model, mbs_result *result);

/* What the run found, into the report. */
void mbs_accuracy_store_local(const mbs_model *model, const mbs_local_errors *errors, mbs_accuracy *accuracy);

#endif
