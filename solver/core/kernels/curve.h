/* curve.h - plane curves of cams and slots: r(alpha) about a point of a body, in the body's axes. */
#ifndef MBS_CURVE_H
#define MBS_CURVE_H

#include "model/model.h"

/* Computes r, dr/dalpha and d2r/dalpha2 into out[3]. `mode`: the held switches of the run (system->mode); NULL:
 * switches follow the state. `slots`: workspace of expressions. */
void mbs_curve_at(const mbs_curve *curve, double alpha, const double *mode, double *slots, double out[3][2]);
/* Returns the distance of a contact at alpha from the nearer end of the curve's range, as a share of the range;
 * negative beyond the end, infinite without ends. */
double mbs_curve_end_distance(const mbs_curve *curve, double alpha);

#endif
