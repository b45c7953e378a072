/* mbs/verification.h - verifies the accuracy of a result by comparison with other runs. */
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

/* The largest difference of one kind of quantity between two runs. */
typedef struct mbs_difference {
  const char *quantity; /* "positions" */
  const char *unit;     /* "m" */
  double largest, t,
      scale; /* time of the difference [s]; scale of the quantity, 0: there is nothing of the kind to compare */
  const char *column; /* column of the largest difference */
} mbs_difference;

/* Quantities: positions, angles (in space orientations, as Euler parameters up to their sign), velocities, angular
 * velocities of the bodies; reaction forces and torques of the joints. */
enum { MBS_MOTION_QUANTITIES = 4, MBS_QUANTITIES = 6 };

typedef struct mbs_comparison {
  const char *why_not;                     /* reason why there is no comparison; NULL: there is one */
  bool pointless;                          /* the other run would be the same, so that a comparison shows nothing */
  double rtol, atol, fixed_step, max_step; /* settings of the other run; NaN: not used */
  double longest_step;                     /* longest step of the other run [s] */
  uint64_t evaluations;                    /* evaluations of the other run */
  size_t rows;                             /* number of compared reporting times */
  mbs_difference items[MBS_QUANTITIES];
} mbs_comparison;

/* The Jacobian C at reporting times: its difference from finite differences of Phi, and its condition number. That is
 * the ratio of the largest to the smallest singular value without redundant rows, in scales of mbs_scales(). */
typedef struct mbs_jacobian_samples {
  const char *why_not; /* reason why no time was sampled; NULL: at least one was */
  size_t looked_at;
  double jacobian_error, jacobian_time;
  int jacobian_row;
  double condition, condition_time, least_condition;
} mbs_jacobian_samples;

typedef struct mbs_verification {
  mbs_comparison finer; /* this model at a tenth of the tolerances */
  mbs_comparison other; /* the other formulation */
  mbs_jacobian_samples jacobian;
} mbs_verification;

/* Returns true if the analysis of a model requests a certificate. */
MBS_API bool mbs_model_certified(const mbs_model *model);
/* Compares the result of a run with other runs, samples the Jacobian, and adds the findings to the report. `other` is
 * the model in the other formulation with the start of the result. If there is none, `other` is NULL and `why_not` is
 * the reason; that text must last as long as the result. Comparisons that cannot be made are reported as such. Fails
 * with MBS_CANCELLED, and fills `error`, or with MBS_NO_MEMORY. */
MBS_API mbs_status mbs_verify_result(const mbs_model *model, const mbs_model *other, const char *why_not,
                                     const mbs_hooks *hooks, mbs_result *result, mbs_error *error);

#endif
