/* stencil_noise.h - what the outputs of a run are wrong by, so that smaller differences tell nothing. */
#ifndef MBS_STENCIL_NOISE_H
#define MBS_STENCIL_NOISE_H

#include "derivatives/stencil_runs.h"
#include "derivatives/stencil_slopes.h"

/* slopes->noise, once slopes->centre is there, by a few runs; these use the room of stencils. On failure the status of
 * a run, with its failure in `runs`. */
mbs_status mbs_stencil_noise(mbs_stencil_runs *runs, mbs_stencil_slopes *slopes);

#endif
