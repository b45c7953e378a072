/* instants.h - C along a motion: against differences of Phi, and how well conditioned. */
#ifndef MBS_INSTANTS_H
#define MBS_INSTANTS_H

#include "mbs/examine.h"
#include "model/model.h"

/* Looks at reporting times of the result, as many as a few seconds allow. MBS_CANCELLED, MBS_NO_MEMORY. */
mbs_status mbs_look_along(const mbs_model *model, const mbs_result *result, const mbs_hooks *hooks, mbs_instants *out);

#endif
