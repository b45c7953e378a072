/* force.h - fields and helpers that force elements share.
 *
 * Every element says where its power goes, so that T + V - work + dissipated stays constant: what a potential stores
 * goes to potential_forces, what a damper takes to power_dissipated, everything else to power_work. */
#ifndef MBS_FORCES_FORCE_H
#define MBS_FORCES_FORCE_H

#include "builder/builder.h"
#include "equations/system.h"

#include <math.h>

#define MBS_FORCE_NAME \
  { .name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name" }
#define MBS_FORCE_END \
  { .name = NULL }

/* Reads `count` laws of a node into force->laws. */
void mbs_force_laws(mbs_builder *builder, const mbs_node *node, mbs_force *force, const char *const *fields,
                    size_t count, const mbs_local_name *locals);
/* Reads the components in `value` into force->laws. */
void mbs_force_components(mbs_builder *builder, const mbs_node *node, mbs_force *force);
/* A law over one coordinate: tension k (l - l0) + c l' + a and where its power goes. Laws in that order; it is
 * conservative where all are constant, c and a zero. */
bool mbs_elastic_conservative(const mbs_force *force);
double mbs_elastic_law(mbs_system *system, const mbs_force *force, double l, double ld);

/* Points and vectors of a force element in a run, and its numbers. */
static inline const mbs_geometry *mbs_force_geometry(const mbs_system *system, const mbs_force *force) {
  return &mbs_force_numbers(system->constants, force)->geometry;
}
static inline const void *mbs_force_data(const mbs_system *system, const mbs_force *force) {
  return mbs_force_numbers(system->constants, force)->data;
}

#endif
