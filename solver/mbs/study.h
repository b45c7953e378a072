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

/* Returns the number of runs of the study that the model was built with; 0: it has no study. */
MBS_API size_t mbs_model_runs(const mbs_model *model);
/* Creates the study that the model was built with. The model must last as long. Returns NULL if memory runs out. */
MBS_API mbs_study *mbs_study_new(const mbs_model *model);
/* Frees a study. */
MBS_API void mbs_study_free(mbs_study *study);
/* Returns the outline of a study. */
MBS_API const mbs_study_outline *mbs_study_info_of(const mbs_study *study);
/* Computes the values of the parameters in run `index` [parameters]. */
MBS_API void mbs_study_point(const mbs_study *study, size_t index, double *values);
/* Computes run `index`: the values of its parameters [parameters] and its outputs [outputs]. On failure it returns the
 * status, fills `error`, and the outputs are NaN. Values that the document must not have fail with their pointer; the
 * status is MBS_NOT_REACHED if the motion does not reach the time of an output, and MBS_CANCELLED if the hooks end the
 * run. The hook `rows` is not called. */
MBS_API mbs_status mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values,
                                 double *outputs, mbs_error *error);
/* Announces that the runs from `first` up to `end` will be asked for in their order. If the model permits it, the
 * first of them computes several in lanes. Returns how many take about as long as one; 1: each run is computed by
 * itself. */
MBS_API size_t mbs_study_prefetch(mbs_study *study, size_t first, size_t end);
/* Returns true if run `index` is computed already. */
MBS_API bool mbs_study_is_computed(const mbs_study *study, size_t index);
/* Returns d output / d parameter of the last run [outputs x parameters]; NULL if the study does not ask for them.
 * They are derivatives of the exact solution, whatever the integrator's settings are, with errors of about 1e-9 of
 * the largest in a row. If an output has no derivative, the run returns MBS_NO_DERIVATIVE, and `error` says which
 * and why; the outputs are valid, and that row is NaN. All are NaN if the run failed. */
MBS_API const double *mbs_study_gradient(const mbs_study *study);
/* Returns the number of evaluations of the last run. */
MBS_API uint64_t mbs_study_evaluations(const mbs_study *study);
/* Returns a note about the outputs of the last run, for instance that eigenvalues are those about a motion; or NULL. */
MBS_API const char *mbs_study_note(const mbs_study *study);
/* Returns what a run of the model reports before it begins. */
MBS_API const mbs_report *mbs_study_report(const mbs_study *study);

#endif
