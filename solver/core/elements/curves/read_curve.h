/* read_curve.h - the curves of joints in a document. */
#ifndef MBS_READ_CURVE_H
#define MBS_READ_CURVE_H

#include "builder/builder.h"

/* Class of a curve: { "polar": rho } or { "x": ..., "y": ... } or { "spline": [[x, y], ...] }, and "range", "start". */
extern const mbs_class mbs_curve_class;
/* Reads the curves of a joint, one per node, into model->curves and the joint's laws. */
void mbs_read_curves(mbs_builder *builder, mbs_joint *joint, const char *field);

#endif
