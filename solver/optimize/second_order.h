/* second_order.h - whether a trial whose slopes balance is a least one: L = f + sum_k lambda_k g_k of kkt.h curves
 * upwards in all directions d that the conditions and bounds leave, d'H d >= 0. */
#ifndef MBS_SECOND_ORDER_H
#define MBS_SECOND_ORDER_H

#include "optimize/kkt.h"

typedef enum mbs_second_order {
  MBS_SECOND_ORDER_MINIMUM, /* as far as trials tell */
  MBS_SECOND_ORDER_DESCENT, /* along `direction` */
  MBS_SECOND_ORDER_STOPPED, /* no more trials are made */
} mbs_second_order;

/* Trials at this distance, in coordinates x. */
#define MBS_SECOND_ORDER_STEP 0.02

/* Tries values beside those of `kkt`, within bounds: along n directions that leave the conditions as they are, and
 * along each two of them, n (n + 3)/2 trials for n up to 12; of more, along 12 that are drawn. `direction` [p], whose
 * largest entry is 1, where L is less on it by more than `gain`, or on its opposite. */
mbs_second_order mbs_second_order_check(const mbs_kkt *kkt, double gain, double *direction);

#endif
