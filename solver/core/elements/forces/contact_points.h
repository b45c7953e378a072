/* contact_points.h - the shapes of a contact element and the points at which they may touch. */
#ifndef MBS_CONTACT_POINTS_H
#define MBS_CONTACT_POINTS_H

#include "elements/forces/contact_edges.h"
#include "elements/forces/force.h"

/* A shape of the document; the element's `point` and its `line` or `plane` count as shapes, too. */
typedef struct mbs_contact_source {
  const mbs_node *node; /* NULL: a point or a plane of the element */
  mbs_contact_kind kind;
  int point, vector; /* point or plane: indices in model->points and model->vectors */
  const char *name;  /* "body.shape" */
} mbs_contact_source;

/* A point of contact. The normal goes from the target to the round part; `sign` is 1 if that is from the first shape to
 * the second. */
typedef struct mbs_contact_point {
  int target, round; /* indices of shapes */
  int number;        /* round part of that shape */
  double sign;
} mbs_contact_point;

typedef struct mbs_contact_points {
  size_t shape_count, count;
  mbs_contact_source *shapes; /* [shape_count]; their bodies are force->bodies */
  mbs_contact_point *points;
  size_t sided_count;
  int *sided;     /* points that remember the side of a segment at which they are */
  size_t touches; /* of each point of a rigid contact: that of its normal, then rolling and spinning friction */
  int *pair0; /* [shape_count (shape_count - 1) / 2 + 1] first point of the pair of shapes a < b: b (b - 1) / 2 + a */
} mbs_contact_points;

static inline bool mbs_contact_point_is_edge(const mbs_contact_points *self, const mbs_contact_point *point) {
  return mbs_contact_is_edge(self->shapes[point->target].kind, self->shapes[point->round].kind, point->number);
}

/* Reads `point`, `line` or `plane`, and `shapes` of a contact. Returns NULL after a report. Sets force->bodies. */
mbs_contact_points *mbs_read_contact_points(mbs_builder *builder, const mbs_node *node, mbs_force *force);
/* Computes the numbers of a shape. `radius`: that of the element's `point`. */
void mbs_contact_shape_numbers(mbs_binder *binder, const mbs_contact_source *source, double radius,
                               mbs_contact_shape *out);

#endif
