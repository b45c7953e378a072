/* lane_finder.h - finds states inside a step several at a time, in vector lanes (simulate/state_finder.h). */
#ifndef MBS_LANE_FINDER_H
#define MBS_LANE_FINDER_H

#include "simulate/state_finder.h"

extern const mbs_state_finder mbs_lane_finder;

#endif
