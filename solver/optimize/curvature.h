/* curvature.h - whether a trial whose slopes balance is a least one: L = f + sum_k lambda_k g_k of balance.h curves
 * upwards in all directions d that the conditions and bounds leave, d'H d >= 0. */
#ifndef MBS_CURVATURE_H
#define MBS_CURVATURE_H

#include "optimize/balance.h"

typedef enum mbs_curving {
  MBS_CURVES_UP,      /* as far as trials tell */
  MBS_CURVES_DOWN,    /* along `direction` */
  MBS_CURVES_STOPPED, /* no more trials are made */
} mbs_curving;

/* Trials at this distance, in coordinates x. */
#define MBS_CURVATURE_STEP 0.02

/* Tries values beside those of `balance`, within bounds: along n directions that leave the conditions as they are, and
 * along each two of them, n (n + 3)/2 trials for n up to 12; of more, along 12 that are drawn. `direction` [p], whose
 * largest entry is 1, where L is less on it by more than `gain`, or on its opposite. */
mbs_curving mbs_curvature_at(const mbs_balance *balance, double gain, double *direction);

#endif
