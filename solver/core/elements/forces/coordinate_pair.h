/* coordinate_pair.h - elements on a coordinate of a joint, or on the difference of two: x = qa - n qb. */
#ifndef MBS_COORDINATE_PAIR_H
#define MBS_COORDINATE_PAIR_H

#include "elements/forces/coordinate_row.h"
#include "elements/forces/force.h"

/* Fields of an element on x, besides its own. */
#define MBS_COORDINATE_PAIR_FIELDS                                                 \
  {.name = "joint", .kind = MBS_KIND_JOINT, .doc = "joint whose coordinate is x"}, \
      {.name = "joints",                                                           \
       .kind = MBS_KIND_JOINT,                                                     \
       .min_count = 2,                                                             \
       .max_count = 2,                                                             \
       .doc = "instead: two joints a, b, with x = qa - n qb"},                     \
  {                                                                                \
    .name = "ratio", .kind = MBS_KIND_NUMBER, .fallback = 1, .doc = "n"            \
  }

/* Reads `joint` or `joints`: force->coordinate is qa, and the next coordinate of the model qb if there are two. Sets
 * the frames, and force->bodies to the bodies of the second joint. Returns false after a report. */
bool mbs_read_coordinate_pair(mbs_builder *builder, const mbs_node *node, mbs_force *force);
/* Returns qb of an element, index in model->coordinates, or -1. */
static inline int mbs_second_coordinate(const mbs_force *force) {
  return force->body_count > 0 ? force->coordinate + 1 : -1;
}

/* Returns coordinate k of an element without qb, or x: its value, or with `level` 1 its rate. */
double mbs_pair_value(const mbs_system *system, const mbs_force *force, int k, double ratio, int level);
/* Applies a force along coordinate k of an element without qb, or along x. */
void mbs_apply_pair_force(mbs_system *system, const mbs_force *force, int k, double ratio, double F);
/* Adds x to a row of a touch. */
void mbs_add_pair_row(mbs_system *system, const mbs_touch *touch, double ratio, mbs_custom_row *out);

#endif
