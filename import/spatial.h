/* spatial.h - links and joints of tree formats in space (URDF, MJCF, SDF, Robotran), written as bodies, points, vectors
 * and joints.
 *
 * A link has a frame, which becomes the axes of its body; the body's origin is the mass centre. Positions below are in
 * link frames. All coordinates are zero where the source's are. */
#ifndef IMPORT_SPATIAL_H
#define IMPORT_SPATIAL_H

#include "import/document.h"
#include "import/rotation.h"

typedef struct import_link import_link;
struct import_link {
  const char *name; /* name in the document; "ground" for the ground */
  import_location place;
  double mass, com[3], inertia[6]; /* inertia at the mass centre, in axes of the link [xx, yy, zz, xy, xz, yz] */
  import_pose pose;                /* pose in the global frame, all coordinates zero */
  json_t *body;                    /* object of the link in the document */
  import_link *parent;             /* link to which its joint leads; NULL: the ground, or a link without a joint */
  bool moves;                      /* the link's joint has degrees of freedom */
  bool bound;                      /* a cut or another constraint concerns it */
  bool has_armature;               /* the link's joint has an armature inertia */
  bool loaded;                     /* something that moves with it has a mass, or a constraint concerns it */
  import_link *next;               /* next link in the order of the document */
};

typedef struct import_joint {
  const char *type; /* joint type of the document */
  const char *name; /* name in the document */
  import_link *first, *second;
  double anchor[3];                       /* point of the joint in the frame of the second link */
  double axis[3];                         /* unit vector in the frame of the second link */
  double axis2[3];                        /* unit vector of a universal joint's second axis, likewise */
  import_pose relative;                   /* pose of the second link in the first one, all coordinates zero */
  const char *first_point, *second_point; /* names of P1 and P2; NULL: that of the joint */
  const double *first_anchor;             /* position of P1 in the first link; NULL: the anchor is one point at zero */
  bool cut;
} import_joint;

typedef struct import_spatial {
  import_context *context;
  import_link ground;
  import_link *first, **last; /* list of links */
  size_t count;
} import_spatial;

void import_spatial_open(import_spatial *self, import_context *context);
/* Adds the body of a link, whose name, masses and place are set. */
import_link *import_spatial_link(import_spatial *self, const import_link *link);
/* Adds a point or a vector of a link and returns its reference "body.name". A point with that name and other numbers
 * gives this one another name. */
const char *import_spatial_point(import_spatial *self, import_link *link, const char *name, const double at[3]);
const char *import_spatial_vector(import_spatial *self, import_link *link, const char *name, const double along[3]);

/* Normalizes an axis, with a note if its length was not 1. Returns false after an error. */
bool import_spatial_unit(import_context *context, const import_location *place, double axis[3]);
/* Adds a joint and returns its object. In the tree, the second link's pose follows from that of the first. */
json_t *import_spatial_joint(import_spatial *self, const import_joint *joint);
/* Sets the joint's initial coordinates; rates may be NULL. */
void import_spatial_initial(import_spatial *self, json_t *joint, const double *q, const double *rates, size_t count);
/* Adds a floating joint with its initial pose, and velocities if they are not NULL. */
json_t *import_spatial_floating(import_spatial *self, import_link *link, const char *name);

/* Spring, damper and constant friction along the only coordinate of a joint; 0: none. */
typedef struct import_damping {
  double stiffness, free_position, damping, friction;
} import_damping;
void import_spatial_damping(import_spatial *self, const import_joint *joint, const import_damping *law,
                            const import_location *place);

/* Adds an inertia to the coordinates of a joint: the moment of inertia or mass of a rotor that moves with it. */
void import_spatial_armature(import_spatial *self, json_t *joint, import_link *second, double inertia);

/* Reports links without mass that can move, so that their equations of motion are singular. */
void import_spatial_check_masses(import_spatial *self);
/* Sets the gravity of the document. */
void import_spatial_gravity(import_spatial *self, const double g[3]);

#endif
