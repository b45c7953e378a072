/* force.h - fields and functions shared by force elements.
 *
 * Every element reports its power, so that T + V - work + dissipated is constant: energy stored in a potential is added
 * to potential_forces, power of dampers to power_dissipated, and other power to power_work. */
#ifndef MBS_FORCES_FORCE_H
#define MBS_FORCES_FORCE_H

#include "builder/builder.h"
#include "equations/forces.h"
#include "equations/law.h"

#include <math.h>

#define MBS_FORCE_NAME \
  { .name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name" }
#define MBS_FORCE_END \
  { .name = NULL }

/* Reads `count` laws of a node into force->laws. */
void mbs_force_laws(mbs_builder *builder, const mbs_node *node, mbs_force *force, const char *const *fields,
                    size_t count, const mbs_local_name *locals);
/* Reads the components in a field into force->laws. */
void mbs_force_components(mbs_builder *builder, const mbs_node *node, const char *field, mbs_force *force);
/* Reads `point` or `body`, one of which must be given, as the second body and its point; the first is the ground. */
void mbs_force_place(mbs_builder *builder, const mbs_node *node, mbs_force *force);
/* Reads `bodies`, the first and the second body. Returns false after a report if they are not two; then both may be
 * the ground. */
bool mbs_force_bodies(mbs_builder *builder, const mbs_node *node, mbs_force *force);
/* Reads the field `vectors`: number k must be a vector of body on[k] [count]. Stores their indices in force->structure
 * [count], -1 where a vector is not given or wrong. */
void mbs_force_vectors(mbs_builder *builder, const mbs_node *node, mbs_force *force, const int *on, size_t count);
/* Computes three perpendicular unit vectors in the axes of a body, in the rows of `axes`: vector number `x` of the
 * element; in space also number `y`, which must be perpendicular to it, in the plane perp(x). Vectors that are not
 * given are those of the body's axes. */
void mbs_force_axes(mbs_binder *binder, const mbs_force *force, size_t x, size_t y, double axes[3][3]);
/* Returns true if an elastic element is conservative. Its law over one coordinate is the tension k (l - l0) + c l' + a,
 * with laws in that order. It is conservative if all are constant and c and a are zero. */
bool mbs_elastic_conservative(const mbs_force *force);
/* Returns the tension of an elastic element, and adds its energy and power. theory (7.5) */
static inline mbs_real mbs_elastic_law(mbs_system *system, const mbs_force *force, mbs_real l, mbs_real ld) {
  mbs_real k = mbs_law_value(system, &force->laws[0]), l0 = mbs_law_value(system, &force->laws[1]);
  mbs_real c = mbs_law_value(system, &force->laws[2]), a = mbs_law_value(system, &force->laws[3]);
  /* f = k (l - l_0) + c l' + a */
  mbs_real elastic = k * (l - l0), viscous = c * ld;
  /* Only a constant law has a potential; otherwise the element works like an actuator. */
  if (!force->laws[0].expression && !force->laws[1].expression)
    system->potential_forces += 0.5 * k * (l - l0) * (l - l0);
  else
    system->power_work -= elastic * ld;
  /* P_diss = c l'^2, P_work = -a l' */
  system->power_dissipated += viscous * ld;
  system->power_work -= a * ld;
  return elastic + viscous + a;
}

/* Returns points and vectors of a force element in a run; mbs_force_data() returns its numbers. */
static inline const mbs_geometry *mbs_force_geometry(const mbs_system *system, const mbs_force *force) {
  return &mbs_force_numbers(system->constants, force)->geometry;
}
static inline const void *mbs_force_data(const mbs_system *system, const mbs_force *force) {
  return mbs_force_numbers(system->constants, force)->data;
}

#endif
