/* contact_edges.h - edges that cross at a distance: those of boxes, and the axes of capsules and cylinders.
 *
 * Two edges touch in the direction of their common normal, if they cross within both. A pair of edges has a number from
 * 1 on; the points of contact of two shapes are the pairs that are nearest. */
#ifndef MBS_CONTACT_EDGES_H
#define MBS_CONTACT_EDGES_H

#include "elements/forces/contact_geometry.h"

/* Edges count as parallel below this square of the sine of their angle. Chosen: far above rounding. */
static const double mbs_edges_parallel = 1e-12;

/* Returns true if a number among the points of a pair is one of edges. */
static inline bool mbs_contact_is_edge(mbs_contact_kind target, mbs_contact_kind round, int number) {
  const bool counted = number >= MBS_CONTACT_EDGES && number < MBS_CONTACT_RIMS;
  return counted && (target == MBS_CONTACT_BOX || target == MBS_CONTACT_CYLINDER) &&
         (round == MBS_CONTACT_BOX || round == MBS_CONTACT_CAPSULE);
}
/* Returns the pair of edges with `rank` less far pairs before it, without those in `taken` [count]. Returns 0 if there
 * is none. */
int mbs_contact_edges_choose(const mbs_contact_pair *pair, int rank, const int *taken, int count);
/* Computes the contact of a pair of edges. */
mbs_contact_place mbs_contact_edges_at(const mbs_contact_pair *pair, int number);
/* Returns the distance [m] by which a pair of edges crosses beyond their ends, or at a far side of them. Negative:
 * they may touch. */
double mbs_contact_edges_beside(const mbs_contact_pair *pair, int number);

/* Computes the nearest places of two capsules: where the axes cross at a distance, or at an end. */
mbs_contact_place mbs_contact_between_capsules(const mbs_system *system, int body, const mbs_contact_shape *target,
                                               int round_body, const mbs_contact_shape *round);

#endif
