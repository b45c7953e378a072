/* feedback.h - laws of forces that read accelerations, reactions or multipliers, which depend on these forces:
 *
 *     z = g(v', lambda; z),   M v' - C' lambda = h(z),   C v' = rhsA. theory (7.36)
 *
 * The equations are solved for given values z, which mbs_law_value() returns for these laws; Newton's method finds
 * z. */
#ifndef MBS_FEEDBACK_H
#define MBS_FEEDBACK_H

#include "equations/system.h"

typedef struct mbs_feedback {
  double *values;          /* [count] z */
  double *found, *missing; /* [count] g, z - g */
  double *slopes, *A;      /* [count x count] column-major: 1 - dg/dz; its copy */
  double *workspace;
} mbs_feedback;

/* Allocates system->feedback, NULL if the model has no such laws. Returns false if memory runs out. */
bool mbs_feedback_open(mbs_system *system);
/* Computes what such laws and rates of states read: accelerations of the bodies, reactions, outputs of force elements.
 * Needs accelerations and multipliers of the current state. */
void mbs_feedback_read(mbs_system *system);
/* Computes mbs_accelerate() together with these laws. Returns MBS_ALGEBRAIC_LOOP, with the error set, if they have no
 * solution or no unique one. */
mbs_status mbs_feedback_accelerate(mbs_system *system);

#endif
