/* relative_pose.h - relative poses: d = A1'(rP2 - rP1) in r, and the rotation A1' A2 in p, or phi2 - phi1 in angle. P1
 * and P2 are points s1, s2 of the two bodies, body axes. */
#ifndef MBS_RELATIVE_POSE_H
#define MBS_RELATIVE_POSE_H

#include "equations/system.h"

/* Copies the pose of a body at the current position; velocities are zero. */
void mbs_read_pose(const mbs_system *system, int body, mbs_pose *out);
/* Computes the pose of `second` relative to `first`. */
void mbs_relative_pose(const mbs_model *model, const mbs_pose *first, const mbs_pose *second, const double s1[3],
                       const double s2[3], mbs_pose *out);
/* Computes the absolute pose from `relative`, a pose relative to `first`. */
void mbs_absolute_pose(const mbs_model *model, const mbs_pose *first, const mbs_pose *relative, const double s1[3],
                       const double s2[3], mbs_pose *out);
/* Returns the points by which a body is connected to its parent in the tree: s1 on the parent, s2 on the body. */
void mbs_tree_points(const mbs_constants *constants, int body, const double **s1, const double **s2);

#endif
