/* relative_pose.h - a pose against another one: d = A1'(rP2 - rP1) in r, and the rotation A1' A2 in p, or phi2 - phi1
 * in angle. P1 and P2 are points s1, s2 of the two bodies, body axes. */
#ifndef MBS_RELATIVE_POSE_H
#define MBS_RELATIVE_POSE_H

#include "equations/system.h"

/* The pose of a body at the position in hand; velocities are left zero. */
void mbs_read_pose(const mbs_system *system, int body, mbs_pose *out);
/* Of `second` against `first`. */
void mbs_relative_pose(const mbs_model *model, const mbs_pose *first, const mbs_pose *second, const double s1[3],
                       const double s2[3], mbs_pose *out);
/* The other way round: the pose that is `relative` against `first`. */
void mbs_absolute_pose(const mbs_model *model, const mbs_pose *first, const mbs_pose *relative, const double s1[3],
                       const double s2[3], mbs_pose *out);
/* The points by which a body is joined to the one that carries it along the tree: on that one, and its own. */
void mbs_tree_points(const mbs_constants *constants, int body, const double **s1, const double **s2);

#endif
