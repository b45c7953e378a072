/* mbs/study.h - many runs of one model. */
#ifndef MBS_MBS_STUDY_H
#define MBS_MBS_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/status.h"

/* The runs of a model that was built with a study, one by one and in any order: a run is a function of the study and
 * its index alone, and its motion has the bits of mbs_run() for these values of the parameters. For one thread. */
typedef struct mbs_study mbs_study;

/* Texts live as long as the study. */
typedef struct mbs_study_outline {
  size_t runs, parameters, outputs;
  bool gradient;                       /* derivatives of the outputs in the parameters are asked for */
  const char *const *parameter_labels; /* [parameters] */
  const char *const *parameter_units;  /* [parameters] in SI, of those that the document writes with a unit; else "" */
  const char *const *output_labels;    /* [outputs] */
  const char *const *output_units;     /* [outputs] "" where there is none, or it is not known */
  const char *alone;                   /* why its runs go one by one, as "curves"; NULL: nothing keeps them from it */
  double wall_seconds;                 /* most seconds of all runs together; 0: no limit */
  const char *wall_name;               /* what a user knows that limit by; or NULL */
} mbs_study_outline;

/* How many runs the study has that a model was built with; 0: it was built without. */
MBS_API size_t mbs_model_runs(const mbs_model *model);
/* The model, which was, lasts as long as its study. NULL: no memory. */
MBS_API mbs_study *mbs_study_new(const mbs_model *model);
MBS_API void mbs_study_free(mbs_study *study);
MBS_API const mbs_study_outline *mbs_study_outlined(const mbs_study *study);
/* The values of the parameters in run `index` [parameters]. */
MBS_API void mbs_study_point(const mbs_study *study, size_t index, double *values);
/* Run `index`: the values of its parameters [parameters] and its outputs [outputs]. On failure returns its status,
 * fills `error`, and the outputs are NaN: values that the model refuses with their pointer, MBS_NOT_REACHED where an
 * output's instant does not come. What the hooks end (MBS_CANCELLED) is a failure of that kind, too; their rows are
 * not called. */
MBS_API mbs_status mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values,
                                 double *outputs, mbs_error *error);
/* That the runs from `first` up to `end` will be asked for, in their order: where the model allows it, several are made
 * at once when the first of them is. Returns how many take about as long as one; 1: each is made by itself. And whether
 * a run has been made, so that asking costs nothing. */
MBS_API size_t mbs_study_expect(mbs_study *study, size_t first, size_t end);
MBS_API bool mbs_study_has(const mbs_study *study, size_t index);
/* Where they are asked for, d output / d parameter of the last run [outputs x parameters]; NULL: they are not. Of the
 * exact solution, whatever the integrator's settings are, good to some 1e-9 of the largest in a row. A run with an
 * output that has no derivative there returns MBS_NO_DERIVATIVE, and `error` tells which and why; its outputs stay,
 * that row is NaN. They are NaN where the run failed. */
MBS_API const double *mbs_study_gradient(const mbs_study *study);
/* What the last run has cost. */
MBS_API uint64_t mbs_study_evaluations(const mbs_study *study);
/* What the last run has to say of its answer, as that its eigenvalues are those about a motion; NULL: nothing. */
MBS_API const char *mbs_study_note(const mbs_study *study);
/* What a run of the model would report before it begins. */
MBS_API const mbs_report *mbs_study_report(const mbs_study *study);

#endif
