/* contact_geometry.h - where shapes touch: distances of a round part of one body from the surface of another.
 *
 * Every pair of shapes is reduced to points of contact between a round part (the centre and radius of a disc or ball; a
 * corner has radius 0) and a target: a plane, a disc or ball, a convex polygon, an arc, a box, a capsule, or a
 * cylinder. The nearest feature of the target, a face, an edge, a rim, or a centre, determines the normal n, from the
 * target to the round part. Edges that cross (contact_edges.h) and rims of cylinders (contact_rims.h) are further
 * points. */
#ifndef MBS_CONTACT_GEOMETRY_H
#define MBS_CONTACT_GEOMETRY_H

#include "equations/slip.h"
#include "kernels/kernels.h"

typedef enum mbs_contact_kind {
  MBS_CONTACT_PLANE,   /* a line (plane) through `at` with the normal `normal`; everything behind it is solid */
  MBS_CONTACT_DISC,    /* a disc, in space a ball, about `at` with `radius`; a point has radius 0 */
  MBS_CONTACT_POLYGON, /* a convex polygon; corners counterclockwise; two corners are a segment with both sides */
  MBS_CONTACT_ARC,     /* an arc of the circle about `at`, angles `from` to `to`; the solid is inside or outside */
  MBS_CONTACT_BOX,     /* a box about `at` with axes in the rows of A and half lengths `half` */
  MBS_CONTACT_CAPSULE, /* a cylinder with half balls at its `ends`, of one `radius` */
  MBS_CONTACT_CYLINDER /* a cylinder whose axis has the `ends`, with `radius` */
} mbs_contact_kind;

/* Numbers among the round parts of a shape. MBS_CONTACT_CROSSING: the nearest place of two capsules.
 * MBS_CONTACT_EDGES, of a box or capsule: the first of the places where its edges or axis cross those of a box or
 * cylinder. */
enum { MBS_CONTACT_CORNERS = 64, MBS_CONTACT_CROSSING = 2, MBS_CONTACT_EDGES = 8, MBS_CONTACT_EDGES_MOST = 8 };
/* MBS_CONTACT_RIMS, of a capsule: the first of the places where its axis is near a rim of a cylinder, two for each
 * rim. */
enum { MBS_CONTACT_RIMS = MBS_CONTACT_EDGES + MBS_CONTACT_EDGES_MOST, MBS_CONTACT_RIMS_MOST = 4 };

/* Distance from an end of a segment, face or edge, as a share of its length, below which a point is there. Chosen: far
 * above rounding. */
static const double mbs_contact_on_line = 1e-9;

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

/* Two shapes and their bodies. */
typedef struct mbs_contact_pair {
  const mbs_system *system;
  const mbs_contact_shape *target, *round;
  int body, round_body;
} mbs_contact_pair;

/* Computes the box [low, high] along the global axes that contains a shape; infinite for a plane and for an arc that is
 * solid outside its circle. */
void mbs_contact_bounds(const mbs_system *system, int body, const mbs_contact_shape *shape, double low[3],
                        double high[3]);
/* Returns the largest distance of a point of a shape from the mass centre of its body [m]; 0 for a plane. `*arm`: that
 * of the points about which its radius is. */
double mbs_contact_reach(const mbs_contact_shape *shape, double *arm);

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
/* Returns on which side of a segment the round part is, 1 or -1. For a corner of a polygon or box and another one,
 * returns the face that separates them, or with the least depth of the shape as a whole, from 1 on. The face nearest to
 * the corner alone would be chosen by rounding where two corners meet. For a point of a rim see mbs_contact_rim_side().
 * Returns 0 for other shapes, and if the round part, the middle of its shape and its body's mass centre are on the line
 * of a segment. */
int mbs_contact_side(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                     const mbs_contact_shape *round, int number);
/* Returns true for a sharp part, a corner or the end of an arc, against a segment. If it is in front or behind does
 * not follow from its position, but from the side from which it came. */
bool mbs_contact_is_sided(const mbs_contact_shape *target, const mbs_contact_shape *round, int number);
/* Returns true if a sharp part that was on `side` of a segment has come round its end: it is farther behind that side
 * than it is within the ends. */
bool mbs_contact_is_round(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                          const mbs_contact_shape *round, int number, int side);
/* Returns the side of a segment, 1 or -1, at which the middle of a disc, polygon or arc is; 0: on its line. */
int mbs_contact_shape_side(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                           const mbs_contact_shape *round);
/* Returns the distance [m] by which a round part is outside the region where it may touch, because other parts touch
 * there instead: a corner beyond the ends of its face `side` or in front of another face (where two corners meet, only
 * that of the shape for which `first` is true is within), edges beyond their crossing, the end of a capsule farther out
 * than another place of its axis, the circle of an arc beyond its ends. Negative: the part may touch. `closed`: it
 * touches. -INFINITY for other shapes. */
double mbs_contact_beside(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                          const mbs_contact_shape *round, int number, int side, bool closed, bool first);

#endif
