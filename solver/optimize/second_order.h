/* second_order.h - second-order test of a trial that satisfies the KKT conditions. It is a minimum if L = f + sum_k
 * lambda_k g_k of kkt.h has d'H d >= 0 in all directions d that constraints and bounds allow. */
#ifndef MBS_SECOND_ORDER_H
#define MBS_SECOND_ORDER_H

#include "optimize/kkt.h"

typedef enum mbs_second_order {
  MBS_SECOND_ORDER_MINIMUM, /* no trial contradicts a minimum */
  MBS_SECOND_ORDER_DESCENT, /* L decreases along `direction` */
  MBS_SECOND_ORDER_STOPPED, /* the search must end */
} mbs_second_order;

/* Distance of the trials, in coordinates x. */
#define MBS_SECOND_ORDER_STEP 0.02

/* Makes trials near `kkt` within the bounds: along n directions that keep the active constraints, and along each pair
 * of them. That is n (n + 3)/2 trials for n up to 12; for more directions, 12 random ones are used. Sets `direction`
 * [p], whose largest entry is 1, if L is lower by more than `gain` along it or its opposite. */
mbs_second_order mbs_second_order_check(const mbs_kkt *kkt, double gain, double *direction);

#endif
