/* contact.h - what the parts of the element `contact` share: its numbers, its outputs and its places. */
#ifndef MBS_CONTACT_H
#define MBS_CONTACT_H

#include "elements/forces/contact_points.h"
#include "elements/forces/friction_law.h"
#include "elements/forces/one_sided.h"
#include "equations/touches.h"

/* Moments against relative turning: about axes across the normal, and about the normal. */
enum { MBS_ROLLING, MBS_SPINNING, MBS_TURNINGS };
extern const char *const mbs_turning_fields[MBS_TURNINGS];

typedef struct mbs_contact_data {
  mbs_one_sided law;
  double least_approach, restitution;
  double turning[MBS_TURNINGS]; /* lengths of rolling and of spinning friction */
  bool rubs;
  mbs_friction_law friction;
  mbs_dry_friction dry;
  mbs_contact_shape shapes[]; /* [shape_count] */
} mbs_contact_data;

/* Indices of the outputs. */
enum {
  MBS_CONTACT_FORCE,
  MBS_CONTACT_FRICTION,
  MBS_CONTACT_PENETRATION,
  MBS_CONTACT_SLIP,
  MBS_CONTACT_STICKING,
  MBS_CONTACT_GAP,
  MBS_CONTACT_FX
};

/* Returns the node of the friction of a contact, or NULL. */
const mbs_node *mbs_contact_friction_of(const mbs_node *node);
/* Prepares the outputs for the sums over the points. */
void mbs_contact_clear_outputs(mbs_system *system, const mbs_force *force);
/* Computes point k of the element; `side` as in mbs_contact_at(). */
mbs_contact_place mbs_contact_place_of(const mbs_system *system, const mbs_force *force, size_t k, int side);
/* Implements mbs_contact_beside() for point k. */
double mbs_contact_beside_of(const mbs_system *system, const mbs_force *force, size_t k, int side, bool closed);
/* Returns the pair of edges, or the place of a rim, at which point k touches, 0 while it does not. */
typedef int mbs_contact_held(const mbs_system *system, const mbs_force *force, size_t k);
/* Implements mbs_contact_side() for point k that does not touch. Points of edges and rims take what no other one
 * holds. */
int mbs_contact_side_of(const mbs_system *system, const mbs_force *force, size_t k, mbs_contact_held *held);
/* Implements mbs_contact_is_sided() for point k. */
bool mbs_contact_sided_of(const mbs_system *system, const mbs_force *force, size_t k);
/* Implements mbs_contact_is_round() for point k. */
bool mbs_contact_round_of(const mbs_system *system, const mbs_force *force, size_t k, int side);
/* Returns the direction of law k of the surface's velocity, for the target's surface: in the plane across the normal,
 * in space axis k of the first body. */
mbs_moving mbs_contact_belt_axis(const mbs_system *system, const mbs_force *force, size_t point, size_t k,
                                 const mbs_contact_place *place);

/* Computes row `number` of the slip along the surface at a place. */
void mbs_contact_surface_row(mbs_system *system, const mbs_touch *touch, const mbs_contact_place *place, int number,
                             mbs_custom_row *out);
/* Returns the dry friction of a contact along its surfaces. */
const mbs_dry_friction *mbs_contact_surface_law(const mbs_system *system, const mbs_touch *touch);
/* Returns a touch of point k without a class. */
mbs_touch mbs_contact_touch(const mbs_builder *builder, const mbs_force *force, const mbs_contact_points *self,
                            size_t k);
/* Adds the rolling and spinning friction of a point. `carrier`: 1 + index of the touch that carries it; 0: it belongs
 * to a compliant contact. */
void mbs_contact_add_turning(mbs_builder *builder, const mbs_node *node, mbs_force *force, const mbs_touch *point,
                             int carrier);
/* Adds the touches of the dry friction of a compliant contact. */
void mbs_contact_add_dry_friction(mbs_builder *builder, const mbs_node *node, mbs_force *force,
                                  const mbs_contact_points *self);
/* Implement mbs_surfaces (model/element.h), `near` for rigid contacts, too. */
size_t mbs_contact_near(const mbs_system *system, const mbs_force *force, double skin, int *out);
double mbs_contact_body_reach(const mbs_system *system, const mbs_force *force, size_t k, double *arm);
void mbs_contact_accepted(mbs_system *system, const mbs_force *force);
void mbs_contact_measure(mbs_system *system, const mbs_force *force);
/* Computes the place of a touch of a rigid contact. */
mbs_contact_place mbs_contact_rigid_place(const mbs_system *system, const mbs_touch *touch);
/* Adds the touches of a rigid contact. */
void mbs_contact_add_touches(mbs_builder *builder, const mbs_node *node, mbs_force *force, mbs_contact_points *self);

/* The functions of the class for a compliant contact. Each point has these switches and memory; if the contact does not
 * press, because the law would pull, N is 0. HELD: the pair of edges of a point of edges, or the side of a segment. */
enum { MBS_CONTACT_TOUCHING, MBS_CONTACT_PRESSING, MBS_CONTACT_SWITCHES };
enum { MBS_CONTACT_APPROACH, MBS_CONTACT_HELD, MBS_CONTACT_MEMORY };
mbs_contact_place mbs_contact_compliant_place(const mbs_system *system, const mbs_force *force, size_t k);
/* Returns the place at which the dry friction of a compliant contact acts: for discs and balls on their surface, for
 * other round parts on that of the target. So corners that touch one face are in one plane, and their slips are those
 * of a rigid motion in it: if they stick, the body can still rock on them. At their own depths it could not. theory
 * (7.39) */
mbs_contact_place mbs_contact_rubbing_place(const mbs_system *system, const mbs_force *force, size_t k);
double mbs_contact_compliant_load(const mbs_system *system, const mbs_force *force, size_t k); /* N */
/* Returns true if a point is in contact, while modes are held. */
bool mbs_contact_is_touching(const mbs_system *system, const mbs_force *force, size_t k);
/* Returns true if the load of a point is zero until an event. */
bool mbs_contact_is_idle(const mbs_system *system, const mbs_force *force, size_t k);
void mbs_contact_apply(mbs_system *system, const mbs_force *force, size_t index);
double mbs_contact_creep(const mbs_system *system, const mbs_force *force, double *transition);
const char *mbs_contact_settle(mbs_system *system, const mbs_force *force, size_t k);
/* Returns a note if a contact with restitution has existed since the start. */
const char *mbs_contact_warn(const mbs_system *system, const mbs_force *force);
void mbs_contact_margins(const mbs_system *system, const mbs_force *force, size_t k, double *out);
const char *mbs_contact_event(mbs_system *system, const mbs_force *force, size_t which);

#endif
