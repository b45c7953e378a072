/* jacobian_samples.h - checks the Jacobian C along a motion: against finite differences of Phi, and its condition
 * number. */
#ifndef MBS_JACOBIAN_SAMPLES_H
#define MBS_JACOBIAN_SAMPLES_H

#include "mbs/verification.h"
#include "model/model.h"

/* Samples C at reporting times of the result, as many as a few seconds allow. Returns MBS_CANCELLED or MBS_NO_MEMORY on
 * failure. */
mbs_status mbs_sample_jacobian(const mbs_model *model, const mbs_result *result, const mbs_hooks *hooks,
                               mbs_jacobian_samples *out);

#endif
