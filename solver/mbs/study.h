/* mbs/study.h - runs of one model with different parameter values. */
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

/* The runs of a model that was built with a study. They can be computed in any order: a run depends only on the study
 * and its index. Its motion is bit for bit that of mbs_run() for these parameter values. A study is used by one
 * thread. */
typedef struct mbs_study mbs_study;

/* Sizes, labels and limits of a study. The texts exist as long as the study. */
typedef struct mbs_study_outline {
  size_t runs, parameters, outputs;
  bool gradient;                       /* derivatives of the outputs in the parameters are requested */
  const char *const *parameter_labels; /* [parameters] */
  const char *const
      *parameter_units; /* [parameters] SI units of parameters that the document writes with a unit; else "" */
  const char *const *output_labels; /* [outputs] */
  const char *const *output_units;  /* [outputs] "" without a unit, or if the unit is not known */
  const char *alone;                /* reason why runs cannot be batched, for instance "curves"; NULL if they can */
  double wall_seconds;              /* limit for all runs together [s]; 0: no limit */
  const char *wall_name;            /* the user's name of that limit, or NULL */
} mbs_study_outline;

/* Returns the number of runs of the study that the model was built with, or 0 without a study. */
MBS_API size_t mbs_model_runs(const mbs_model *model);
/* Creates the study that the model was built with. The model must outlive the study. Returns NULL if memory runs
 * out. */
MBS_API mbs_study *mbs_study_new(const mbs_model *model);
/* Frees a study. */
MBS_API void mbs_study_free(mbs_study *study);
/* Returns the sizes, labels and limits of a study. */
MBS_API const mbs_study_outline *mbs_study_info_of(const mbs_study *study);
/* Computes the values of the parameters in run `index` [parameters]. */
MBS_API void mbs_study_point(const mbs_study *study, size_t index, double *values);
/* Computes run `index`: the values of its parameters [parameters] and its outputs [outputs]. On failure it returns the
 * status and fills `error`, and the outputs are NaN. Invalid values fail with their pointer in the document. The status
 * is MBS_NOT_REACHED if the motion does not reach the time of an output, and MBS_CANCELLED if the hooks end the run.
 * The hook `rows` is not called. */
MBS_API mbs_status mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values,
                                 double *outputs, mbs_error *error);
/* Announces that the runs from `first` up to `end` will be requested in order. If the model permits it, the first of
 * them computes several as a batch. Returns how many of them take about the time of one; 1: each run is computed
 * separately. */
MBS_API size_t mbs_study_prefetch(mbs_study *study, size_t first, size_t end);
/* Returns true if run `index` is computed already. */
MBS_API bool mbs_study_is_computed(const mbs_study *study, size_t index);
/* Returns the derivatives of the outputs in the parameters of the last run [outputs x parameters]; NULL if the study
 * does not request them. They are derivatives of the exact solution; their errors are of the order of the integrator's
 * tolerance, as those of the outputs. If an output has no derivative, the run returns MBS_NO_DERIVATIVE, and `error`
 * gives the output and the reason; the outputs are valid, and that row is NaN. All are NaN if the run failed. */
MBS_API const double *mbs_study_gradient(const mbs_study *study);
/* Returns the number of evaluations of the last run. */
MBS_API uint64_t mbs_study_evaluations(const mbs_study *study);
/* Returns a note about the outputs of the last run, for instance that eigenvalues are those about a motion; NULL: no
 * note. */
MBS_API const char *mbs_study_note(const mbs_study *study);
/* Returns the report of the model before the start of a run. */
MBS_API const mbs_report *mbs_study_report(const mbs_study *study);

#endif
