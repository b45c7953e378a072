/* mbs/examine.h - accuracy of a result, estimated by comparison with other runs. */
#ifndef MBS_MBS_EXAMINE_H
#define MBS_MBS_EXAMINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/status.h"

/* The largest difference of one kind of quantity between two runs. */
typedef struct mbs_difference {
  const char *quantity; /* "positions" */
  const char *unit;     /* "m" */
  double largest, t,
      scale; /* t: time of the difference [s]; scale: reference magnitude, 0 if there is no quantity of this kind */
  const char *column; /* column of the largest difference */
} mbs_difference;

/* Kinds of motion quantities: positions, angles (in space: Euler parameters up to their sign), velocities and angular
 * velocities of the bodies. The other two kinds are reaction forces and torques of the joints. */
enum { MBS_MOTION_QUANTITIES = 4, MBS_QUANTITIES = 6 };

typedef struct mbs_comparison {
  const char *why_not;                     /* reason why there is no comparison; NULL if there is one */
  bool pointless;                          /* the other run would be identical, so a comparison shows nothing */
  double rtol, atol, fixed_step, max_step; /* settings of the other run; NaN: not used by its method */
  double longest_step;                     /* longest step of the other run [s] */
  uint64_t evaluations;                    /* evaluations of the other run */
  size_t rows;                             /* number of reporting times that were compared */
  mbs_difference items[MBS_QUANTITIES];
} mbs_comparison;

/* Checks of C at reporting times: its difference from finite differences of Phi, and its condition number. That is the
 * ratio of the largest to the smallest singular value without redundant rows, in the scales of mbs_units(). */
typedef struct mbs_instants {
  const char *why_not; /* reason why no times were checked; NULL if some were */
  size_t looked_at;
  double jacobian_error, jacobian_time;
  int jacobian_row;
  double condition, condition_time, least_condition;
} mbs_instants;

typedef struct mbs_examination {
  mbs_comparison finer; /* the same model with a tenth of the tolerances */
  mbs_comparison other; /* the model in the other formulation */
  mbs_instants instants;
} mbs_examination;

/* Returns true if the analysis of a model requests a certificate. */
MBS_API bool mbs_model_certified(const mbs_model *model);
/* Compares the result of a run with other runs of the model, and adds the findings to its report. `other` is the model
 * in the other formulation, started from the result's initial state. If there is none, `other` is NULL and `why_not`
 * gives the reason; that text must exist as long as the result. The report lists comparisons that cannot be made. Fails
 * with MBS_CANCELLED, and fills `error`, or with MBS_NO_MEMORY. */
MBS_API mbs_status mbs_examine(const mbs_model *model, const mbs_model *other, const char *why_not,
                               const mbs_hooks *hooks, mbs_result *result, mbs_error *error);

#endif
