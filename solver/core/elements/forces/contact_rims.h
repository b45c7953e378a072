/* contact_rims.h - rims of cylinders: where they touch a plane, at the lowest point of a rim or flat with an end, and
 * where they are nearest to the axis of a capsule.
 *
 * A point of a rim has the number end + 2 kind. A rigid cylinder that is not flat touches at the lowest point of a rim,
 * which moves along it. A flat end has no lowest point: it rests on eight points of its rim that are fixed to it. A
 * compliant one has three points at equal angles, of which the lowest is one. */
#ifndef MBS_CONTACT_RIMS_H
#define MBS_CONTACT_RIMS_H

#include "elements/forces/contact_geometry.h"

/* Kinds of points: the first `kind` of each. */
enum { MBS_RIM_LOWEST = 0, MBS_RIM_FIXED = 1, MBS_RIM_COMPLIANT = 9, MBS_RIM_KINDS = 12 };

/* Computes the contact of point `number` of a cylinder with a plane. `side`: from mbs_contact_rim_side() at the last
 * accepted state, or 0. */
mbs_contact_place mbs_contact_rim_at(const mbs_system *system, int body, const mbs_contact_shape *plane, int round_body,
                                     const mbs_contact_shape *cylinder, int number, int side);
/* Returns for a fixed point 1 if it touches when the end comes flat, and 2 in the half of a tilted rim about the lowest
 * point, where it passes above the plane without pressing on it. Returns a number of its angle for the lowest point,
 * and 0 for points of a compliant cylinder. */
int mbs_contact_rim_side(const mbs_system *system, int body, const mbs_contact_shape *plane, int round_body,
                         const mbs_contact_shape *cylinder, int number);
/* Implements mbs_contact_beside(): the lowest point of a flat end does not touch, nor fixed points of a tilted one. */
double mbs_contact_rim_beside(const mbs_system *system, int body, const mbs_contact_shape *plane, int round_body,
                              const mbs_contact_shape *cylinder, int number, int side, bool closed);

/* Returns true if a number among the points of a pair is that of a rim near the axis of a capsule. */
static inline bool mbs_contact_is_rim(mbs_contact_kind target, mbs_contact_kind round, int number) {
  return target == MBS_CONTACT_CYLINDER && round == MBS_CONTACT_CAPSULE && number >= MBS_CONTACT_RIMS;
}
/* Returns a number, from 1 on, of the place of a rim that is nearest to the axis of a capsule, for the point `number`;
 * -1: there is none. `held`: the last number of this point if it touches, `other`: that of the other point of the rim;
 * 0: they do not touch. */
int mbs_contact_rim_choose(const mbs_contact_pair *pair, int number, int held, int other);
/* Computes the contact at the place `side` of the rim, from mbs_contact_rim_choose(). If it is -1, the room is
 * large. */
mbs_contact_place mbs_contact_rim_axis_at(const mbs_contact_pair *pair, int number, int side);
/* Returns the distance [m] by which the point of the capsule's axis nearest to the place `side` is beyond an end. */
double mbs_contact_rim_axis_beside(const mbs_contact_pair *pair, int number, int side);

#endif
