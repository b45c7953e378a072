/* curve.h - plane curves of cams and slots: r(alpha) about a point of a body, in the body's axes. */
#ifndef MBS_CURVE_H
#define MBS_CURVE_H

#include "builder/builder.h"

/* { "polar": rho } or { "x": ..., "y": ... } or { "spline": [[x, y], ...] }, and "range", "start". */
extern const mbs_class mbs_curve_class;

/* Reads the curves of a joint, one a node: model->curves and the joint's laws. */
void mbs_read_curves(mbs_builder *builder, mbs_joint *joint, const char *field);

/* r, dr/dalpha and d2r/dalpha2 into out[3]. `mode`: the held switches of the run (system->mode); NULL: live. `slots`:
 * workspace of expressions. */
void mbs_curve_at(const mbs_curve *curve, double alpha, const double *mode, double *slots, double out[3][2]);

/* How far a contact at alpha is from the nearer end of the curve's range, as a share of it; negative beyond, infinite
 * where it has no ends. */
double mbs_curve_left(const mbs_curve *curve, double alpha);

#endif
