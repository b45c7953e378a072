/* contact_geometry.h - where shapes touch: distances of a round part of one body from the surface of another.
 *
 * Every pair of shapes is reduced to points of contact between a round part (the centre and radius of a disc or ball; a
 * corner has radius 0) and a target: a plane, a disc or ball, a convex polygon, an arc, a box, or a capsule. The
 * nearest feature of the target, a face, an edge, or a centre, determines the normal n, from the target to the round
 * part. */
#ifndef MBS_CONTACT_GEOMETRY_H
#define MBS_CONTACT_GEOMETRY_H

#include "equations/slip.h"
#include "kernels/kernels.h"

typedef enum mbs_contact_kind {
  MBS_CONTACT_PLANE,   /* a line (plane) through `at` with the normal `normal`; everything behind it is solid */
  MBS_CONTACT_DISC,    /* centre `at`, `radius`; a ball in space; a point has radius 0 */
  MBS_CONTACT_POLYGON, /* convex; corners counterclockwise; two corners are a segment with both sides */
  MBS_CONTACT_ARC,     /* of the circle about `at`, angles `from` to `to`, solid inside or outside of it */
  MBS_CONTACT_BOX,     /* centre `at`, axes in the rows of A, half lengths */
  MBS_CONTACT_CAPSULE  /* the segment of `ends`, `radius` */
} mbs_contact_kind;

/* MBS_CONTACT_CROSSING: number of the nearest place of two capsules among the round parts of one. */
enum { MBS_CONTACT_CORNERS = 64, MBS_CONTACT_CROSSING = 2 };

/* Numbers of a shape, in the axes of its body. */
typedef struct mbs_contact_shape {
  mbs_contact_kind kind;
  double at[3], normal[3], radius;
  double half[3], A[9];
  double ends[2][3];
  double from, to;
  bool inside; /* arc: the round part is inside the circle */
  int count;   /* number of corners */
  double corners[MBS_CONTACT_CORNERS][2];
} mbs_contact_shape;

/* Computes the box [low, high] along the global axes that contains a shape; infinite for a plane. */
void mbs_contact_bounds(const mbs_system *system, int body, const mbs_contact_shape *shape, double low[3],
                        double high[3]);
/* Returns the largest distance of a point of a shape from the mass centre of its body [m]; 0 for a plane. */
double mbs_contact_reach(const mbs_contact_shape *shape);

/* A point of contact, global axes. */
typedef struct mbs_contact_place {
  double room;  /* distance of the surfaces; negative: depth */
  mbs_moving n; /* from the target to the round part */
  mbs_moving p; /* on the surface of the round part */
} mbs_contact_place;

/* Computes the contact of round part `number` of one shape with a target, at the current position and velocity. `side`
 * as from mbs_contact_side(), which a corner of a polygon touches as if it had no ends; 0: the nearest feature. */
mbs_contact_place mbs_contact_at(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                                 const mbs_contact_shape *round, int number, int side);
/* Returns the direction `number` across the normal of a contact, in the plane the only one: n turned by -90 degrees. */
mbs_moving mbs_contact_across(const mbs_system *system, int body, const mbs_contact_place *place, int number);
/* Returns on which side of a segment the round part is, 1 or -1. For a corner of a polygon and a polygon, returns the
 * face that separates them, or with the least depth of the polygon as a whole, from 1 on. The face
 * nearest to the corner alone would be chosen by rounding where two corners meet. Returns 0 for other shapes. */
int mbs_contact_side(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                     const mbs_contact_shape *round, int number);
/* Returns the distance [m] by which a corner of a polygon is beyond the ends of its face `side`, or in front of another
 * face; negative: it is within. Where two corners meet, only that of the shape for which `first` is true is within.
 * -INFINITY for other shapes. */
double mbs_contact_beside(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                          const mbs_contact_shape *round, int number, int side, bool first);

#endif
