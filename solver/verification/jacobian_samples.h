/* jacobian_samples.h - C along a motion: against differences of Phi, and how well conditioned. */
#ifndef MBS_JACOBIAN_SAMPLES_H
#define MBS_JACOBIAN_SAMPLES_H

#include "mbs/verification.h"
#include "model/model.h"

/* Looks at reporting times of the result, as many as a few seconds allow. MBS_CANCELLED, MBS_NO_MEMORY. */
mbs_status mbs_sample_jacobian(const mbs_model *model, const mbs_result *result, const mbs_hooks *hooks,
                               mbs_jacobian_samples *out);

#endif
