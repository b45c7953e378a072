/* mbs/verification.h - the accuracy of a result, by other runs to compare with. */
#ifndef MBS_MBS_VERIFICATION_H
#define MBS_MBS_VERIFICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/status.h"

/* The largest difference that a kind of quantity has between two runs. */
typedef struct mbs_difference {
  const char *quantity;     /* "positions" */
  const char *unit;         /* "m" */
  double largest, t, scale; /* when [s]; what it is measured by, 0: there is nothing of the kind to compare */
  const char *column;       /* where */
} mbs_difference;

/* Positions, angles (in space orientations, as Euler parameters up to their sign), velocities, angular velocities of
 * the bodies; reaction forces and torques of the joints. */
enum { MBS_MOTION_QUANTITIES = 4, MBS_QUANTITIES = 6 };

typedef struct mbs_comparison {
  const char *why_not;                     /* NULL: the comparison was made */
  bool pointless;                          /* there is nothing that it could show: the other run would be the same */
  double rtol, atol, fixed_step, max_step; /* of the other run; NaN: they do not count */
  double longest_step;                     /* that the other run took [s] */
  uint64_t evaluations;                    /* of the other run */
  size_t rows;                             /* reporting times that were compared */
  mbs_difference items[MBS_QUANTITIES];
} mbs_comparison;

/* C at reporting times: its differences from those of Phi, and its condition, that is the largest of its singular
 * values over the smallest, redundant rows left out, in units of mbs_units(). */
typedef struct mbs_jacobian_samples {
  const char *why_not; /* NULL: some were looked at */
  size_t looked_at;
  double jacobian_error, jacobian_time;
  int jacobian_row;
  double condition, condition_time, least_condition;
} mbs_jacobian_samples;

typedef struct mbs_verification {
  mbs_comparison finer; /* the same at a tenth of the tolerances */
  mbs_comparison other; /* the other formulation */
  mbs_jacobian_samples jacobian;
} mbs_verification;

/* Returns true if the analysis of a model asks for an examination. */
MBS_API bool mbs_model_certified(const mbs_model *model);
/* Examines the result of a run of the model, and adds the findings to its report. `other` is the model in the other
 * formulation with the start of the result. If there is none, `other` is NULL and `why_not` says why; that text must
 * last as long as the result. Comparisons that cannot be made are reported as such. Fails with MBS_CANCELLED, and
 * fills `error`, or with MBS_NO_MEMORY. */
MBS_API mbs_status mbs_verify_result(const mbs_model *model, const mbs_model *other, const char *why_not,
                                     const mbs_hooks *hooks, mbs_result *result, mbs_error *error);

#endif
